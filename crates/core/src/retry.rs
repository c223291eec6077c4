//! The retry machine: a policy, checked once, and after each failure one decision (SEMANTICS 2.7, A32).
//!
//! It does not sleep, does not count and does not draw: the caller passes how many attempts failed and a drawn
//! number, and gets a time.

use serde::Serialize;

use crate::{
    limits::{RETRY_AFTER_MS_MAX_DEFAULT, TIME_MS_MAX, WAITS_SUMMED_MAX},
    options::{self, InvalidOption},
};

/// How a wait is spread, so that many callers do not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Jitter {
    /// The exact delay.
    None,
    /// Uniform from 0 to the delay.
    Full,
    /// Half the delay, and uniform from 0 to the other half.
    Equal,
    /// Uniform within this share of the delay on either side, from 0 to 1; never beyond the maximum delay.
    Ratio(f64),
}

/// A retry policy as a user writes it. [`RetryPolicy::new`] checks it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryOptions {
    /// Attempts, the first one included; `Infinity` for no limit. Default 3.
    pub max_attempts: f64,
    /// Wait before the first retry, in milliseconds. Default 100.
    pub base_delay_ms: f64,
    /// The longest wait, in milliseconds. Default 30,000.
    pub max_delay_ms: f64,
    /// Each wait is so many times the one before; at least 1. Default 2.
    pub factor: f64,
    /// How waits are spread. Default full.
    pub jitter: Jitter,
    /// A server that asks for a longer wait than this, in milliseconds, ends the retrying. Default one hour.
    pub max_retry_after_ms: f64,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self {
            max_attempts: 3.0,
            base_delay_ms: 100.0,
            max_delay_ms: 30_000.0,
            factor: 2.0,
            jitter: Jitter::Full,
            max_retry_after_ms: RETRY_AFTER_MS_MAX_DEFAULT as f64,
        }
    }
}

/// A checked policy. Plain data: equal policies decide equally.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryPolicy {
    max_attempts: Option<u32>,
    base_delay_ms: u64,
    max_delay_ms: u64,
    factor: f64,
    jitter: Jitter,
    max_retry_after_ms: u64,
}

// Every number in it was checked to be finite, so equality is total.
impl Eq for RetryPolicy {}

/// What is known of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The failure says of itself that trying again is useless.
    pub final_: bool,
    /// The wait that the server asked for, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

/// The decision after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Try again.
    Retry {
        /// When, in milliseconds.
        at: u64,
        /// The wait, in milliseconds.
        delay_ms: u64,
        /// The longest that jitter could have made it, in milliseconds.
        delay_ms_max: u64,
    },
    /// Stop.
    GiveUp(GiveUp),
}

/// Why retrying stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GiveUp {
    /// All attempts are used.
    AttemptsUsed,
    /// The failure said that trying again is useless.
    NotRetryable,
    /// The server asked for a longer wait than the policy allows.
    RetryAfterTooLong,
    /// The key was used with other data before.
    KeyConflict,
}

impl RetryPolicy {
    /// Checks `options`; the error names the option in the spelling of the JS API.
    pub fn new(options: RetryOptions) -> Result<Self, InvalidOption> {
        let factor = options.factor;
        if !(factor >= 1.0 && factor.is_finite()) {
            return Err(InvalidOption::number("factor", "a finite number of at least 1", factor));
        }
        if let Jitter::Ratio(ratio) = options.jitter
            && !(0.0..=1.0).contains(&ratio)
        {
            return Err(InvalidOption::number("jitter.ratio", "a number from 0 to 1", ratio));
        }
        Ok(Self {
            max_attempts: options::attempts("maxAttempts", options.max_attempts)?,
            base_delay_ms: options::delay_ms("baseDelayMs", options.base_delay_ms)?,
            max_delay_ms: options::delay_ms("maxDelayMs", options.max_delay_ms)?,
            factor,
            jitter: options.jitter,
            max_retry_after_ms: options::window_ms("maxRetryAfterMs", options.max_retry_after_ms)?,
        })
    }

    /// One attempt and no retry.
    pub const fn once() -> Self {
        Self {
            max_attempts: Some(1),
            base_delay_ms: 0,
            max_delay_ms: 0,
            factor: 1.0,
            jitter: Jitter::None,
            max_retry_after_ms: RETRY_AFTER_MS_MAX_DEFAULT,
        }
    }

    /// Attempts at most, the first included; `None` for no limit.
    pub fn max_attempts(&self) -> Option<u32> {
        self.max_attempts
    }

    /// Whether [`Self::after_failure`] looks at its draw.
    pub fn needs_draw(&self) -> bool {
        self.jitter != Jitter::None && self.base_delay_ms > 0
    }

    /// The wait before retry `n` (the first retry is 1), without jitter:
    /// `min(maxDelayMs, baseDelayMs × factor^(n − 1))`, in whole milliseconds. Exact for whole factors at every `n`.
    pub fn backoff_ms(&self, n: u32) -> u64 {
        let exponent = n.saturating_sub(1);
        let base = self.base_delay_ms;
        if base == 0 || base >= self.max_delay_ms || self.factor == 1.0 || exponent == 0 {
            return base.min(self.max_delay_ms);
        }
        let whole = self.factor as u64;
        if whole as f64 == self.factor {
            return grow_exactly(base, whole, exponent, self.max_delay_ms);
        }
        let grown = base as f64 * power(self.factor, exponent);
        // An overflow to infinity compares greater, so the maximum holds; NaN cannot arise from positive factors.
        if grown >= self.max_delay_ms as f64 { self.max_delay_ms } else { grown as u64 }
    }

    /// The longest that all waits together can be, in milliseconds, if every attempt fails. `None`: without end, or more
    /// than a number holds.
    pub fn longest_waits_ms(&self, hears_retry_after: bool) -> Option<u64> {
        let retries = self.max_attempts? - 1;
        let told = if hears_retry_after { self.max_retry_after_ms } else { 0 };
        let longest = |n| self.spread(self.backoff_ms(n), 0).1.max(told);
        let (mut sum, mut n) = (0u64, 1);
        while n <= retries {
            // From where waits do not grow any more, and in any case after so many, the rest is one product.
            if n > WAITS_SUMMED_MAX || self.backoff_ms(n) == self.backoff_ms(u32::MAX) {
                let rest = u64::from(retries - n) + 1;
                return sum.checked_add(rest.checked_mul(longest(u32::MAX))?);
            }
            sum = sum.checked_add(longest(n))?;
            n += 1;
        }
        Some(sum)
    }

    /// Decides after a failure. `failed` counts the attempts that failed so far, at least 1; `draw` is 64 uniform
    /// bits, used only if [`Self::needs_draw`].
    pub fn after_failure(&self, now: u64, failed: u32, failure: Failure, draw: u64) -> Decision {
        if failure.final_ {
            return Decision::GiveUp(GiveUp::NotRetryable);
        }
        if self.max_attempts.is_some_and(|max| failed >= max) {
            return Decision::GiveUp(GiveUp::AttemptsUsed);
        }
        let told = failure.retry_after_ms.unwrap_or(0);
        if told > self.max_retry_after_ms {
            return Decision::GiveUp(GiveUp::RetryAfterTooLong);
        }
        let (spread, longest) = self.spread(self.backoff_ms(failed), draw);
        let delay_ms = spread.max(told);
        Decision::Retry {
            at: options::after(now, delay_ms).min(TIME_MS_MAX),
            delay_ms,
            delay_ms_max: longest.max(told),
        }
    }

    /// The delay with jitter, and the longest it could have been.
    fn spread(&self, delay: u64, draw: u64) -> (u64, u64) {
        match self.jitter {
            Jitter::None => (delay, delay),
            Jitter::Full => (uniform(delay, draw), delay),
            Jitter::Equal => (delay - delay / 2 + uniform(delay / 2, draw), delay),
            Jitter::Ratio(ratio) => {
                let half_width = (delay as f64 * ratio) as u64;
                let longest = (delay + half_width).min(self.max_delay_ms.max(delay));
                ((delay - half_width + uniform(2 * half_width, draw)).min(longest), longest)
            }
        }
    }
}

/// Uniform from 0 to `most`, both included.
fn uniform(most: u64, draw: u64) -> u64 {
    (((u128::from(most) + 1) * u128::from(draw)) >> 64) as u64
}

/// `base × factor^exponent`, at most `most`; stops as soon as it is reached, which takes at most 53 doublings.
fn grow_exactly(base: u64, factor: u64, exponent: u32, most: u64) -> u64 {
    let mut delay = base;
    for _ in 0..exponent {
        delay = match delay.checked_mul(factor) {
            Some(grown) if grown < most => grown,
            _ => return most,
        };
    }
    delay
}

/// `factor^exponent` by squaring: multiplications only, so the same bits on every platform.
fn power(factor: f64, mut exponent: u32) -> f64 {
    let (mut result, mut square) = (1.0, factor);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
