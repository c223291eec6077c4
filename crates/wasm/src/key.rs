//! Keys and IDs as JavaScript holds them: UTF-16, in which half a character can stand alone.

use twiceproof_core::key;
use wasm_bindgen::prelude::*;

use crate::error;

/// Throws unless these UTF-16 units make a key (SEMANTICS 2.4). `what` names it in the message.
#[wasm_bindgen(js_name = checkKey)]
pub fn check_key(what: &str, units: &[u16]) -> Result<(), JsValue> {
    key::check_utf16(units).map(drop).map_err(|invalid| error::key(what, invalid))
}
