//! Which results are keys.
//!
//! A text is its own key. Numbers and Booleans are keys with `=` before their text, and a text that begins with `=` gets
//! another: so the number 1 (`=1`) and the text "1" (`1`) never share a key, as they are not equal in a payload either
//! (SEMANTICS 2.3). 1, 1.0 and 1e0 are one number and one key. The rules of every key (2.4) hold for the whole of it.

use crate::{numbers, refusal};
use cel::common::types::{CelBool, CelString};
use cel::common::value::Val;
use twiceproof_core::key;

/// The key that a result is, or why it is none.
pub(crate) fn of(result: &dyn Val) -> Result<String, String> {
    let text = if let Some(text) = result.downcast_ref::<CelString>() {
        let text = text.inner();
        if text.starts_with('=') { format!("={text}") } else { text.to_owned() }
    } else if let Some(truth) = result.downcast_ref::<CelBool>() {
        format!("={}", truth.inner())
    } else if let Some(number) = numbers::text(result) {
        format!("={}", number?)
    } else {
        return Err(format!("the result is {}; a key is a text, a number, or true or false", refusal::kind(result)));
    };
    match key::check(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(format!("the key {error}")),
    }
}
