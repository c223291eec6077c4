//! Typed refusals of the core as the errors that JavaScript has for them.

use js_sys::{RangeError, TypeError};
use twiceproof_core::{key::InvalidKey, options::InvalidOption};
use wasm_bindgen::JsValue;

/// A number out of its range.
pub(crate) fn option(error: InvalidOption) -> JsValue {
    range(&error.to_string())
}

/// A text that cannot be a key; `what` is the caller's name for it.
pub(crate) fn key(what: &str, error: InvalidKey) -> JsValue {
    TypeError::new(&format!("{what} {error}")).into()
}

/// A limit that was reached, or a number out of its range.
pub(crate) fn range(message: &str) -> JsValue {
    RangeError::new(message).into()
}
