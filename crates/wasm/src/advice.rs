//! Advice: what is suspicious about a key, and how long a window must be.

use twiceproof_core::{
    key::{self, Finding},
    options,
    window::{self, Delays},
};
use wasm_bindgen::prelude::*;

use crate::{error, policy};

/// What is suspicious about a key whose parts are parted by NUL and will be joined with `separator`; of a whole key there
/// is one part. One line for each finding: its name and the advice, parted by a tab.
#[wasm_bindgen(js_name = lintKey)]
pub fn lint_key(parts: &str, separator: &str) -> String {
    let parts: Vec<&str> = parts.split('\0').collect();
    let findings = if let [key] = parts[..] { key::lint(key) } else { key::lint_parts(&parts, separator) };
    let mut text = String::new();
    for finding in findings {
        let name = match finding {
            Finding::AttemptNumber => "attempt-number",
            Finding::Timestamp => "timestamp",
            Finding::Uuid => "uuid",
            Finding::EmailAddress => "email-address",
            Finding::MissingValue => "missing-value",
            Finding::NoOperation => "no-operation",
            Finding::AmbiguousJoin => "ambiguous-join",
        };
        for part in [name, "\t", finding.advice(), "\n"] {
            text.push_str(part);
        }
    }
    text
}

/// The smallest window that is safe, in milliseconds; `Infinity` if none is. The policies are of six numbers each, as in
/// `retry`.
#[wasm_bindgen(js_name = smallestSafeWindow)]
pub fn smallest_safe_window(
    step_retry: &[f64],
    run_retry: &[f64],
    call_ms_max: f64,
    queue_ms_max: f64,
    hears_retry_after: bool,
) -> Result<f64, JsValue> {
    let delays = Delays {
        step_retry: policy::policy_of(step_retry)?,
        run_retry: policy::policy_of(run_retry)?,
        call_ms_max: options::delay_ms("callMsMax", call_ms_max).map_err(error::option)?,
        queue_ms_max: options::delay_ms("queueMsMax", queue_ms_max).map_err(error::option)?,
        hears_retry_after,
    };
    Ok(window::smallest_safe(&delays).map_or(f64::INFINITY, |ms| ms as f64))
}
