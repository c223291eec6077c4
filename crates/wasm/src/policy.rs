//! A retry policy as it crosses: six numbers, checked by the core.

use twiceproof_core::retry::{Jitter, RetryOptions, RetryPolicy};
use wasm_bindgen::prelude::*;

use crate::error;

/// Tells how waits are spread: 0 not at all, 1 full, 2 equal; 3 plus a ratio from 0 to 1 is that ratio.
const JITTER_RATIO: f64 = 3.0;

fn jitter(code: f64) -> Jitter {
    match code {
        0.0 => Jitter::None,
        1.0 => Jitter::Full,
        2.0 => Jitter::Equal,
        ratio => Jitter::Ratio(ratio - JITTER_RATIO),
    }
}

/// Checks a policy's numbers and throws a `RangeError` that names the first bad one.
#[wasm_bindgen(js_name = checkRetry)]
pub fn check_retry(
    max_attempts: f64,
    base_delay_ms: f64,
    max_delay_ms: f64,
    factor: f64,
    jitter_code: f64,
    max_retry_after_ms: f64,
) -> Result<(), JsValue> {
    policy(max_attempts, base_delay_ms, max_delay_ms, factor, jitter_code, max_retry_after_ms).map(drop)
}

/// A policy from its six numbers.
pub(crate) fn policy_of(numbers: &[f64]) -> Result<RetryPolicy, JsValue> {
    let &[max_attempts, base_delay_ms, max_delay_ms, factor, jitter_code, max_retry_after_ms] = numbers else {
        return Err(error::range("a retry policy needs six numbers"));
    };
    policy(max_attempts, base_delay_ms, max_delay_ms, factor, jitter_code, max_retry_after_ms)
}

/// The same, from each.
pub(crate) fn policy(
    max_attempts: f64,
    base_delay_ms: f64,
    max_delay_ms: f64,
    factor: f64,
    jitter_code: f64,
    max_retry_after_ms: f64,
) -> Result<RetryPolicy, JsValue> {
    RetryPolicy::new(RetryOptions {
        max_attempts,
        base_delay_ms,
        max_delay_ms,
        factor,
        jitter: jitter(jitter_code),
        max_retry_after_ms,
    })
    .map_err(error::option)
}
