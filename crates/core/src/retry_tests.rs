use alloc::string::ToString;

use proptest::prelude::*;

use super::*;

const MIDDLE: u64 = u64::MAX / 2 + 1;

fn policy(change: impl FnOnce(&mut RetryOptions)) -> RetryPolicy {
    let mut options = RetryOptions { jitter: Jitter::None, ..RetryOptions::default() };
    change(&mut options);
    RetryPolicy::new(options).unwrap()
}

fn delay(policy: &RetryPolicy, failed: u32, draw: u64) -> u64 {
    match policy.after_failure(0, failed, Failure::default(), draw) {
        Decision::Retry { delay_ms, at, .. } => {
            assert_eq!(at, delay_ms);
            delay_ms
        }
        Decision::GiveUp(why) => panic!("gave up: {why:?}"),
    }
}

#[test]
fn a32_max_attempts_counts_the_first_try() {
    let policy = policy(|o| o.max_attempts = 3.0);
    assert!(matches!(policy.after_failure(5, 2, Failure::default(), 0), Decision::Retry { .. }));
    assert_eq!(policy.after_failure(5, 3, Failure::default(), 0), Decision::GiveUp(GiveUp::AttemptsUsed));
}

#[test]
fn s2_7_h29_backoff_is_exact_at_every_attempt_number() {
    let policy = policy(|o| (o.max_attempts, o.base_delay_ms, o.max_delay_ms) = (f64::INFINITY, 1000.0, 30_000.0));
    let first: [u64; 7] = core::array::from_fn(|n| policy.backoff_ms(n as u32 + 1));
    assert_eq!(first, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    for n in (7..=1200).chain([1025, 1_000_000, u32::MAX - 1, u32::MAX]) {
        assert_eq!(policy.backoff_ms(n), 30_000, "retry {n}");
    }
}

#[test]
fn h29_jitter_stays_within_the_delay_for_ever() {
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::Ratio(0.2)] {
        let policy = policy(|o| {
            (o.max_attempts, o.base_delay_ms, o.max_delay_ms, o.jitter) = (f64::INFINITY, 1000.0, 30_000.0, jitter)
        });
        for failed in 1..=1200 {
            for draw in [0, MIDDLE, u64::MAX] {
                assert!(delay(&policy, failed, draw) <= 30_000);
            }
        }
    }
}

#[test]
fn s2_7_jitter_full_equal_and_ratio_span_what_they_say() {
    let at = |jitter, draw| delay(&policy(|o| (o.base_delay_ms, o.jitter) = (200.0, jitter)), 1, draw);
    assert_eq!([0, MIDDLE, u64::MAX].map(|draw| at(Jitter::None, draw)), [200, 200, 200]);
    assert_eq!([0, MIDDLE, u64::MAX].map(|draw| at(Jitter::Full, draw)), [0, 100, 200]);
    assert_eq!([0, MIDDLE, u64::MAX].map(|draw| at(Jitter::Equal, draw)), [100, 150, 200]);
    assert_eq!([0, MIDDLE, u64::MAX].map(|draw| at(Jitter::Ratio(0.2), draw)), [160, 200, 240]);
}

#[test]
fn s2_7_a_told_delay_is_a_floor_and_too_long_a_one_ends_it() {
    let policy = policy(|o| o.jitter = Jitter::Full);
    let told = |ms| Failure { retry_after_ms: Some(ms), ..Failure::default() };
    assert_eq!(
        policy.after_failure(10, 1, told(5000), 0),
        Decision::Retry { at: 5010, delay_ms: 5000, delay_ms_max: 5000 }
    );
    assert!(matches!(policy.after_failure(0, 1, told(20), u64::MAX), Decision::Retry { delay_ms: 100, .. }));
    assert!(matches!(policy.after_failure(0, 1, told(3_600_000), 0), Decision::Retry { .. }));
    assert_eq!(policy.after_failure(0, 1, told(3_600_001), 0), Decision::GiveUp(GiveUp::RetryAfterTooLong));
}

#[test]
fn s2_7_a_final_failure_stops_at_once() {
    let final_ = Failure { final_: true, ..Failure::default() };
    assert_eq!(policy(|_| ()).after_failure(0, 1, final_, 0), Decision::GiveUp(GiveUp::NotRetryable));
}

#[test]
fn h27_attempts_without_limit_go_on_and_nonsense_is_refused() {
    let endless = policy(|o| o.max_attempts = f64::INFINITY);
    assert!(matches!(endless.after_failure(0, u32::MAX, Failure::default(), 0), Decision::Retry { .. }));
    for bad in [0.0, f64::NAN, 1.5, -3.0] {
        let error = RetryPolicy::new(RetryOptions { max_attempts: bad, ..RetryOptions::default() }).unwrap_err();
        assert_eq!(error.option, "maxAttempts");
    }
}

#[test]
fn s2_13_every_option_is_checked_and_named() {
    let refused = |change: fn(&mut RetryOptions)| {
        let mut options = RetryOptions::default();
        change(&mut options);
        RetryPolicy::new(options).unwrap_err().to_string()
    };
    assert_eq!(refused(|o| o.factor = 0.5), "factor needs a finite number of at least 1, got 0.5");
    assert!(refused(|o| o.base_delay_ms = f64::NAN).starts_with("baseDelayMs needs"));
    assert!(refused(|o| o.max_delay_ms = f64::INFINITY).starts_with("maxDelayMs needs"));
    assert!(refused(|o| o.jitter = Jitter::Ratio(1.5)).starts_with("jitter.ratio needs"));
}

proptest! {
    #[test]
    fn s2_7_backoff_never_shrinks_and_never_passes_the_maximum(
        base in 0u32..100_000, max in 0u32..10_000_000, factor in 1.0f64..10.0, n in 1u32..=u32::MAX - 1,
    ) {
        let policy = policy(|o| (o.base_delay_ms, o.max_delay_ms, o.factor) = (base.into(), max.into(), factor));
        let (this, next) = (policy.backoff_ms(n), policy.backoff_ms(n + 1));
        prop_assert!(this <= next && next <= u64::from(max));
    }

    #[test]
    fn s2_7_a_whole_factor_is_the_formula(base in 1u64..1000, factor in 2u64..5, n in 1u32..10) {
        let policy = policy(|o| (o.base_delay_ms, o.max_delay_ms, o.factor) = (base as f64, 1e12, factor as f64));
        prop_assert_eq!(policy.backoff_ms(n), base * factor.pow(n - 1));
    }
}
