//! Checking options (SEMANTICS 2.13): before anything runs, nothing coerced, and a message that names the option,
//! what it needs and what it got. Numbers arrive as `f64`, because that is what a script or a JSON file holds.

use alloc::{format, string::String};

use crate::limits::TIME_MS_MAX;

/// An option that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} needs {needs}, got {got}")]
pub struct InvalidOption {
    /// The option, as the caller wrote it (`maxAttempts`), or its path in a file (`retry.maxAttempts`).
    pub option: String,
    /// What it needs, as a phrase.
    pub needs: &'static str,
    /// What it got, as text.
    pub got: String,
}

impl InvalidOption {
    /// An error for `option`.
    pub fn new(option: &str, needs: &'static str, got: impl core::fmt::Display) -> Self {
        Self { option: option.into(), needs, got: format!("{got}") }
    }

    /// The same error with `prefix.` before the option's name: for options that lie deeper in a file.
    pub fn within(mut self, prefix: &str) -> Self {
        self.option = format!("{prefix}.{}", self.option);
        self
    }
}

fn show(value: f64) -> String {
    if value == f64::INFINITY {
        "Infinity".into()
    } else if value == f64::NEG_INFINITY {
        "-Infinity".into()
    } else {
        format!("{value}")
    }
}

/// An attempt count: a whole number of at least 1, or `Infinity` for no limit (`None`).
pub fn attempts(option: &str, value: f64) -> Result<Option<u32>, InvalidOption> {
    const NEEDS: &str = "a whole number from 1 to 4294967295, or Infinity";
    if value == f64::INFINITY {
        return Ok(None);
    }
    count_in(option, NEEDS, value).map(Some)
}

/// A number of slots or the like: a whole number of at least 1, or `Infinity` for no limit (`None`).
pub fn concurrency(option: &str, value: f64) -> Result<Option<u32>, InvalidOption> {
    attempts(option, value)
}

fn count_in(option: &str, needs: &'static str, value: f64) -> Result<u32, InvalidOption> {
    // `as` saturates and turns NaN into 0, so the comparison alone decides.
    let whole = value as u32;
    if whole >= 1 && f64::from(whole) == value {
        Ok(whole)
    } else {
        Err(InvalidOption::new(option, needs, show(value)))
    }
}

/// A delay in milliseconds: finite, not negative, at most [`TIME_MS_MAX`]; a fraction is rounded down.
pub fn delay_ms(option: &str, value: f64) -> Result<u64, InvalidOption> {
    if value >= 0.0 && value <= TIME_MS_MAX as f64 {
        Ok(value as u64)
    } else {
        Err(InvalidOption::new(option, "a finite number of milliseconds that is not negative", show(value)))
    }
}

/// A window in milliseconds: as [`delay_ms`], or `Infinity` for ever (`u64::MAX`).
pub fn window_ms(option: &str, value: f64) -> Result<u64, InvalidOption> {
    if value == f64::INFINITY {
        return Ok(u64::MAX);
    }
    delay_ms(option, value)
        .map_err(|error| InvalidOption { needs: "a number of milliseconds that is not negative, or Infinity", ..error })
}

/// A probability: from 0 to 1, both included.
pub fn probability(option: &str, value: f64) -> Result<f64, InvalidOption> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(InvalidOption::new(option, "a probability from 0 to 1", show(value)))
    }
}

/// `now` plus a window or delay, where `u64::MAX` means never.
#[inline]
pub fn after(now: u64, ms: u64) -> u64 {
    now.saturating_add(ms)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn s2_13_counts_are_whole_and_at_least_one() {
        assert_eq!(attempts("maxAttempts", 3.0), Ok(Some(3)));
        assert_eq!(attempts("maxAttempts", f64::INFINITY), Ok(None));
        assert_eq!(attempts("maxAttempts", 4_294_967_295.0), Ok(Some(u32::MAX)));
        for bad in [0.0, -1.0, 1.5, f64::NAN, f64::NEG_INFINITY, 4_294_967_296.0, -0.0] {
            let error = attempts("maxAttempts", bad).unwrap_err();
            assert_eq!(error.option, "maxAttempts");
            assert!(error.to_string().starts_with("maxAttempts needs a whole number"), "{error}");
        }
    }

    #[test]
    fn s2_13_windows_may_be_infinite_and_delays_may_not() {
        assert_eq!(window_ms("ttlMs", f64::INFINITY), Ok(u64::MAX));
        assert_eq!(window_ms("ttlMs", 0.0), Ok(0));
        assert!(window_ms("ttlMs", f64::NAN).is_err());
        assert!(delay_ms("baseDelayMs", f64::INFINITY).is_err());
        assert_eq!(
            delay_ms("baseDelayMs", -1.0).unwrap_err().to_string(),
            "baseDelayMs needs a finite number of milliseconds that is not negative, got -1"
        );
    }

    #[test]
    fn s2_13_probabilities_lie_between_zero_and_one() {
        assert!(probability("fail", 0.0).is_ok() && probability("fail", 1.0).is_ok());
        assert!(
            probability("fail", 1.000_000_1).is_err()
                && probability("fail", -0.01).is_err()
                && probability("fail", f64::NAN).is_err()
        );
    }
}
