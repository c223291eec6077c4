//! One strategy's counters, and the figures the article prints of them.

use serde::Serialize;

use super::TableParams;
use super::job::JobResult;
use crate::strategy::Strategy;

/// What one strategy came to over all sign-ups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The strategy.
    pub strategy: Strategy,
    /// Sign-ups run.
    pub jobs: u64,
    /// Sign-ups given up on.
    pub failed: u64,
    /// Calls to steps.
    pub calls: u64,
    /// Calls that failed before they did anything.
    pub refused: u64,
    /// Calls whose work was done and whose reply was lost.
    pub lost_replies: u64,
    /// Random numbers used.
    pub draws: u64,
    /// Steps that took effect again, beyond the first time each.
    pub repeated_steps: u64,
    /// Sign-ups that got two welcome emails or more.
    pub two_emails: u64,
    /// How many sign-ups got exactly so many welcome emails: from none to one for every attempt.
    pub emails: Vec<u64>,
}

impl Row {
    /// A row before its first sign-up.
    pub(crate) fn empty(params: &TableParams, strategy: Strategy) -> Self {
        Self {
            strategy,
            jobs: 0,
            failed: 0,
            calls: 0,
            refused: 0,
            lost_replies: 0,
            draws: 0,
            repeated_steps: 0,
            two_emails: 0,
            emails: vec![0; params.attempts as usize + 1],
        }
    }

    pub(crate) fn add(&mut self, job: &JobResult) {
        self.jobs += 1;
        self.failed += u64::from(job.failed);
        self.calls += job.calls;
        self.refused += job.refused;
        self.lost_replies += job.lost_replies;
        self.repeated_steps += job.repeated_steps;
        self.two_emails += u64::from(job.emails > 1);
        self.emails[job.emails as usize] += 1;
    }

    /// The share of sign-ups that succeeded, with three decimals, as the article prints it: `99.999%`. A dash if there were none.
    pub fn succeeded_percent(&self) -> String {
        if self.jobs == 0 {
            return "–".to_owned();
        }
        let percent = (100 * (self.jobs - self.failed)) as f64 / self.jobs as f64;
        let thousandths = to_thousandths(percent);
        format!("{}.{:03}%", thousandths / 1000, thousandths % 1000)
    }

    /// Calls per sign-up, rounded to two decimals as the article rounds it: `10.11`, `10.6`. NaN if there were no sign-ups.
    pub fn calls_per_job(&self) -> f64 {
        let hundredths = self.calls as f64 / self.jobs as f64 * 100.0;
        // JavaScript's `Math.round`: a half goes up.
        let whole = hundredths.floor();
        (if hundredths - whole >= 0.5 { whole + 1.0 } else { whole }) / 100.0
    }
}

/// A number from 0 to 100 in thousandths, rounded as JavaScript's `toFixed(3)` does: on the exact binary value, a half goes up.
/// Rust's own formatting would send a half to the even digit.
fn to_thousandths(percent: f64) -> u64 {
    let bits = percent.to_bits();
    let exponent = (bits >> 52) as i32 - 1075;
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // percent = mantissa * 2^exponent, at most 100, so the exponent is negative; below 2^-100 it is nothing.
    match u32::try_from(-exponent) {
        Ok(shift) if shift < 100 => (((mantissa * 2000) + (1 << shift)) >> (shift + 1)) as u64,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_up_as_in_javascript() {
        // node -p '[0.0625, 99.9995, 0.0005, 2.7185, 100, 0, 99.0625].map(x => x.toFixed(3))'
        let cases = [
            (0.0625, 63),
            (99.9995, 99_999),
            (0.0005, 1),
            (2.7185, 2_719),
            (100.0, 100_000),
            (0.0, 0),
            (99.0625, 99_063),
        ];
        for (percent, expected) in cases {
            assert_eq!(to_thousandths(percent), expected, "{percent}");
        }
    }

    #[test]
    fn no_sign_ups_have_no_share() {
        let row = Row::empty(&TableParams::default(), crate::strategy::ARTICLE_ROWS[0].strategy);
        assert_eq!(row.succeeded_percent(), "–");
        assert!(row.calls_per_job().is_nan());
    }
}
