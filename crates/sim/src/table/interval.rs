//! 95% intervals around a row's figures: where the true values lie, if all one has is the sample.
//!
//! They mean what they say only if the rows are samples of their own, as with ChaCha8. With mulberry32 and one seed, rows
//! share their luck, and so do their errors.

use serde::Serialize;

use super::theory::Theory;
use super::{OptionError, Row, TableParams};

/// The standard normal distribution's 97.5% point.
const Z: f64 = 1.959_963_984_540_054;

/// Where a value lies with 95% confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// One row's intervals, all per sign-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Intervals {
    /// The share that is given up on.
    pub failed: Interval,
    /// Calls.
    pub calls: Interval,
    /// Steps done again.
    pub repeated_steps: Interval,
    /// The share that gets two emails or more.
    pub two_emails: Interval,
}

impl Intervals {
    /// The intervals of a row of this table; nothing if it has no sign-ups. Shares get Wilson's interval, which stays within 0 and 1 and
    /// serves at a count of 0. Means get the normal interval with the exact deviation.
    ///
    /// # Errors
    /// Parameters out of range.
    pub fn of_row(params: &TableParams, row: &Row) -> Result<Option<Self>, OptionError> {
        let theory = Theory::new(params, row.strategy)?;
        Ok((row.jobs > 0).then(|| Self {
            failed: share(row.failed, row.jobs),
            calls: mean(row.calls, row.jobs, theory.calls.variance),
            repeated_steps: mean(row.repeated_steps, row.jobs, theory.repeated_steps.variance),
            two_emails: share(row.two_emails, row.jobs),
        }))
    }
}

fn share(count: u64, of: u64) -> Interval {
    let (n, p) = (of as f64, count as f64 / of as f64);
    let scale = 1.0 + Z * Z / n;
    let centre = (p + Z * Z / (2.0 * n)) / scale;
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    // At the ends rounding could pass them by.
    Interval { low: if count == 0 { 0.0 } else { centre - half }, high: if count == of { 1.0 } else { centre + half } }
}

fn mean(sum: u64, of: u64, variance: f64) -> Interval {
    let (n, mean) = (of as f64, sum as f64 / of as f64);
    let half = Z * (variance / n).sqrt();
    Interval { low: (mean - half).max(0.0), high: mean + half }
}

#[cfg(test)]
mod tests {
    use core::ops::ControlFlow;

    use super::*;
    use crate::strategy::ARTICLE_ROWS;
    use crate::table::{Generator, article_strategies, kernel};

    #[test]
    fn wilsons_interval_as_tabulated() {
        // R: prop.test(x, n, correct = FALSE)$conf.int
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-6, "{got}, expected {expected}");
        near(share(0, 10).high, 0.277_532_8);
        near(share(10, 10).low, 0.722_467_2);
        near(share(5, 10).low, 0.236_593_1);
        near(share(5, 10).high, 0.763_406_9);
        assert_eq!((share(0, 10).low, share(10, 10).high), (0.0, 1.0));
    }

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        let (mut held, mut all) = (0, 0);
        for seed in 0..150 {
            let rng = Generator::ChaCha8;
            let params =
                TableParams { jobs: 4_000, seed, fail: 0.1, lost: 0.2, attempts: 2, rng, ..TableParams::default() };
            let table = kernel::run(&params, &article_strategies(), &mut |_, _| ControlFlow::Continue(())).unwrap();
            for row in &table.rows {
                let truth = Theory::new(&params, row.strategy).unwrap();
                let intervals = Intervals::of_row(&params, row).unwrap().unwrap();
                let mut check = |interval: Interval, truth: f64| {
                    all += 1;
                    held += u32::from((interval.low..=interval.high).contains(&truth));
                };
                check(intervals.failed, truth.failed);
                check(intervals.calls, truth.calls.mean);
                if !row.strategy.provider_recognises_repeats() {
                    check(intervals.two_emails, truth.two_emails);
                    check(intervals.repeated_steps, truth.repeated_steps.mean);
                }
            }
        }
        let share = f64::from(held) / f64::from(all);
        assert!((0.935..0.965).contains(&share), "{held} of {all}");
    }

    #[test]
    fn no_sign_ups_have_no_interval() {
        let params = TableParams { jobs: 0, ..TableParams::default() };
        let row = Row::empty(&params, ARTICLE_ROWS[0].strategy);
        assert_eq!(Intervals::of_row(&params, &row), Ok(None));
    }
}
