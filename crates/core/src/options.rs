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

    /// An error for an option that is a number.
    pub fn number(option: &str, needs: &'static str, got: f64) -> Self {
        Self { option: option.into(), needs, got: number_text(got) }
    }

    /// The same error with `prefix.` before the option's name: for options that lie deeper in a file.
    pub fn within(mut self, prefix: &str) -> Self {
        self.option = format!("{prefix}.{}", self.option);
        self
    }
}

/// A number as text, for messages: whole numbers and up to nine decimals exactly, anything finer rounded to them.
///
/// Not by `Display`, whose exact digits for every `f64` take up more room in a binary than the whole store.
pub fn number_text(value: f64) -> String {
    const DECIMALS: u32 = 9;
    let size = if value < 0.0 { -value } else { value };
    let sign = if value < 0.0 { "-" } else { "" };
    if value.is_nan() {
        return "NaN".into();
    }
    if size == f64::INFINITY {
        return format!("{sign}Infinity");
    }
    if size > TIME_MS_MAX as f64 {
        // Beyond exact integers only the size matters to a reader.
        let (mut digits, mut exponent) = (size, 0);
        while digits >= 10.0 {
            digits /= 10.0;
            exponent += 1;
        }
        return format!("{sign}{}e+{exponent}", number_text(digits));
    }
    let whole = size as u64;
    let scale = 10u64.pow(DECIMALS);
    let mut parts = ((size - whole as f64) * scale as f64 + 0.5) as u64;
    if parts == 0 {
        return format!("{sign}{whole}");
    }
    let mut decimals = DECIMALS as usize;
    while parts.is_multiple_of(10) && decimals > 1 {
        parts /= 10;
        decimals -= 1;
    }
    // Rounding may have carried into the whole part.
    if parts >= 10u64.pow(decimals as u32) {
        return format!("{sign}{}", whole + 1);
    }
    format!("{sign}{whole}.{parts:0decimals$}")
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
    if whole >= 1 && f64::from(whole) == value { Ok(whole) } else { Err(InvalidOption::number(option, needs, value)) }
}

/// A delay in milliseconds: finite, not negative, at most [`TIME_MS_MAX`]; a fraction is rounded down.
pub fn delay_ms(option: &str, value: f64) -> Result<u64, InvalidOption> {
    if value >= 0.0 && value <= TIME_MS_MAX as f64 {
        Ok(value as u64)
    } else {
        Err(InvalidOption::number(option, "a finite number of milliseconds that is not negative", value))
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
        Err(InvalidOption::number(option, "a probability from 0 to 1", value))
    }
}

/// `now` plus a window or delay, where `u64::MAX` means never.
#[inline]
pub fn after(now: u64, ms: u64) -> u64 {
    now.saturating_add(ms)
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn numbers_in_messages_read_as_they_were_written() {
        for value in [0.0, 1.0, -1.0, 1.5, 0.1, -0.25, 4_294_967_296.0, 1.000_000_1, 0.000_000_001, 123.456] {
            assert_eq!(number_text(value), format!("{value}"));
        }
        assert_eq!(number_text(f64::NAN), "NaN");
        assert_eq!(number_text(f64::NEG_INFINITY), "-Infinity");
        assert_eq!((number_text(1e300), number_text(-2.5e20)), ("1e+300".into(), "-2.5e+20".into()));
        assert_eq!((number_text(1.0 - 1e-12), number_text(1e-12)), ("1".into(), "0".into()));
    }

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
