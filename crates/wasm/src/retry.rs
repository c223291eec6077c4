//! The retry machine: one call after each failure. A policy is plain numbers, so nothing of it has to live here between
//! calls.

use twiceproof_core::retry::{Decision, Failure, GiveUp};
use wasm_bindgen::prelude::*;

use crate::policy::policy;

/// Decides after a failure: the wait in milliseconds, or a negative number to give up: -1 all attempts are used,
/// -2 not retryable, -3 the server asked for too long a wait.
///
/// `failed` counts failed attempts, at least 1; `told` is the wait the server asked for, negative if it did not;
/// `draw` is uniform from 0 up to 1.
#[wasm_bindgen(js_name = decideRetry)]
#[allow(clippy::too_many_arguments)] // Numbers cross cheaply, an object does not.
pub fn decide_retry(
    max_attempts: f64,
    base_delay_ms: f64,
    max_delay_ms: f64,
    factor: f64,
    jitter_code: f64,
    max_retry_after_ms: f64,
    failed: f64,
    is_final: bool,
    told: f64,
    draw: f64,
) -> Result<f64, JsValue> {
    let policy = policy(max_attempts, base_delay_ms, max_delay_ms, factor, jitter_code, max_retry_after_ms)?;
    let failure = Failure { final_: is_final, retry_after_ms: (told >= 0.0).then_some(told as u64) };
    // 53 bits are all that a draw holds.
    let bits = ((draw * (1u64 << 53) as f64) as u64) << 11;
    Ok(match policy.after_failure(0, failed as u32, failure, bits) {
        Decision::Retry { delay_ms, .. } => delay_ms as f64,
        Decision::GiveUp(GiveUp::AttemptsUsed) => -1.0,
        Decision::GiveUp(GiveUp::NotRetryable | GiveUp::KeyConflict) => -2.0,
        Decision::GiveUp(GiveUp::RetryAfterTooLong) => -3.0,
    })
}
