//! How long a window must be (A27): longer than the longest time after which a duplicate can still arrive.

use crate::{limits::TIME_MS_MAX, retry::RetryPolicy};

/// What can delay a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// The retries of a step.
    pub step_retry: RetryPolicy,
    /// The retries of the whole run, each of which may try the step anew.
    pub run_retry: RetryPolicy,
    /// The longest that one call may take, in milliseconds; a call whose answer got lost takes as long.
    pub call_ms_max: u64,
    /// The longest that a request may wait before its run starts, in milliseconds: in a queue, or with a sender that
    /// retries.
    pub queue_ms_max: u64,
    /// Servers may ask for longer waits, and are heard.
    pub hears_retry_after: bool,
}

/// The smallest window that is safe, in milliseconds, counted from the first time that the work was done. `None`: no
/// window is, because the retries have no end, or none that a clock can say.
pub fn smallest_safe(delays: &Delays) -> Option<u64> {
    let step_attempts = u64::from(delays.step_retry.max_attempts()?);
    let passes = u64::from(delays.run_retry.max_attempts()?);
    let waits = |policy: &RetryPolicy| policy.longest_waits_ms(delays.hears_retry_after);
    let pass = step_attempts.checked_mul(delays.call_ms_max)?.checked_add(waits(&delays.step_retry)?)?;
    let run = passes.checked_mul(pass)?.checked_add(waits(&delays.run_retry)?)?;
    // At exactly its end a window is over, so it must be longer than the longest wait.
    let window = run.checked_add(delays.queue_ms_max)?.checked_add(1)?;
    (window <= TIME_MS_MAX).then_some(window)
}

/// Whether a window of this length, in milliseconds, is too short; `u64::MAX` is for ever.
pub fn is_too_short(window_ms: u64, delays: &Delays) -> bool {
    window_ms != u64::MAX && smallest_safe(delays).is_none_or(|smallest| window_ms < smallest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::{Jitter, RetryOptions};

    fn policy(max_attempts: f64, base_delay_ms: f64, max_delay_ms: f64, jitter: Jitter) -> RetryPolicy {
        let options = RetryOptions { max_attempts, base_delay_ms, max_delay_ms, jitter, ..RetryOptions::default() };
        RetryPolicy::new(options).unwrap()
    }

    fn delays(step_retry: RetryPolicy) -> Delays {
        let run_retry = RetryPolicy::once();
        Delays { step_retry, run_retry, call_ms_max: 1_000, queue_ms_max: 0, hears_retry_after: false }
    }

    #[test]
    fn a27_all_calls_and_waits_and_one_millisecond() {
        let three = policy(3.0, 100.0, 30_000.0, Jitter::None);
        let window = 3 * 1_000 + 100 + 200 + 1;
        assert_eq!(smallest_safe(&delays(three)), Some(window));
        assert!(is_too_short(window - 1, &delays(three)));
        assert!(!is_too_short(window, &delays(three)) && !is_too_short(u64::MAX, &delays(three)));
        assert_eq!(smallest_safe(&Delays { queue_ms_max: 60_000, ..delays(three) }), Some(window + 60_000));
        let whole = Delays { step_retry: RetryPolicy::once(), run_retry: three, ..delays(three) };
        assert_eq!(smallest_safe(&whole), Some(window));
    }

    #[test]
    fn a27_jitter_counts_at_its_longest_and_told_waits_if_they_are_heard() {
        let ratio = policy(3.0, 100.0, 30_000.0, Jitter::Ratio(0.5));
        assert_eq!(smallest_safe(&delays(ratio)), Some(3_000 + 150 + 300 + 1));
        let full = policy(3.0, 100.0, 30_000.0, Jitter::Full);
        assert_eq!(smallest_safe(&delays(full)), Some(3_000 + 300 + 1));
        let told = Delays { hears_retry_after: true, ..delays(full) };
        assert_eq!(smallest_safe(&told), Some(3_000 + 2 * 3_600_000 + 1));
    }

    #[test]
    fn no_window_outlives_retries_without_end_and_many_are_summed_at_once() {
        assert_eq!(smallest_safe(&delays(policy(f64::INFINITY, 100.0, 1_000.0, Jitter::None))), None);
        assert!(is_too_short(TIME_MS_MAX, &delays(policy(f64::INFINITY, 100.0, 1_000.0, Jitter::None))));
        let many = policy(4_294_967_295.0, 100.0, 1_000.0, Jitter::None);
        let waits = 100 + 200 + 400 + 800 + (4_294_967_294 - 4) * 1_000;
        assert_eq!(smallest_safe(&delays(many)), Some(4_294_967_295 * 1_000 + waits + 1));
    }
}
