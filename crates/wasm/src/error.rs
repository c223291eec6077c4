//! Typed refusals of the core as the errors that JavaScript has for them. As every error of the package they have a
//! `code`, and name the `option` that they are about.

use js_sys::{RangeError, Reflect, TypeError};
use twiceproof_core::{key::InvalidKey, options::InvalidOption};
use wasm_bindgen::JsValue;

/// A number out of its range.
pub(crate) fn option(error: InvalidOption) -> JsValue {
    out_of_range(&error.option, error.needs, &error.got)
}

/// The same, from its parts.
pub(crate) fn out_of_range(option: &str, needs: &str, got: &str) -> JsValue {
    let error = coded(RangeError::new(&format!("{option} needs {needs}, got {got}")).into(), "ERR_INVALID_OPTION");
    set(&error, "option", option);
    error
}

/// A text that cannot be a key; `what` is the caller's name for it.
pub(crate) fn key(what: &str, error: InvalidKey) -> JsValue {
    coded(TypeError::new(&format!("{what} {error}")).into(), "ERR_INVALID_KEY")
}

/// A limit that was reached, or a number out of its range.
pub(crate) fn range(message: &str) -> JsValue {
    coded(RangeError::new(message).into(), "ERR_LIMIT")
}

fn coded(error: JsValue, code: &str) -> JsValue {
    set(&error, "code", code);
    error
}

/// An error that was just made takes every property.
fn set(error: &JsValue, property: &str, value: &str) {
    let _ = Reflect::set(error, &property.into(), &value.into());
}
