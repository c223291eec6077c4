//! What a table is computed from, its limits, and the error that names what is wrong with it.

use core::fmt::Display;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use twiceproof_core::options::number_text;

use crate::mulberry;

/// Most sign-ups in a table: a million times the article's, and every counter still fits 64 bits at the other limits.
pub const JOBS_MAX: u64 = 1 << 40;
/// Most steps in a job: at the limits the exact theory still takes no more than a few milliseconds.
pub const STEPS_MAX: u32 = 1_000;
/// Most attempts, the first included. Each row holds a count for every number of emails up to this.
pub const ATTEMPTS_MAX: u32 = 100;

/// Where the random numbers come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Generator {
    /// The article's: 2^32 draws, then the same again, and every row reads the same draws from the start.
    #[default]
    Mulberry32,
    /// ChaCha8, with a stream of its own for every row, so that the rows are independent samples.
    #[serde(rename = "chacha8")]
    ChaCha8,
}

/// The table's parameters. The default is the article's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TableParams {
    /// How many sign-ups, 0 to [`JOBS_MAX`].
    pub jobs: u64,
    /// How many steps a sign-up has, 1 to [`STEPS_MAX`].
    pub steps: u32,
    /// The step whose reply can be lost (the welcome email), counted from 1.
    pub lost_step: u32,
    /// The probability that a call to a step fails before it does anything, 0 to 1.
    pub fail: f64,
    /// The probability that the reply of the lost step is lost after the work was done, 0 to 1.
    pub lost: f64,
    /// Attempts, the first included (A32), 1 to [`ATTEMPTS_MAX`].
    pub attempts: u32,
    /// The generator's seed.
    pub seed: u32,
    /// The generator.
    pub rng: Generator,
}

impl Default for TableParams {
    fn default() -> Self {
        Self {
            jobs: 1_000_000,
            steps: 10,
            lost_step: 7,
            fail: 0.01,
            lost: 0.005,
            attempts: 3,
            seed: 1,
            rng: Generator::Mulberry32,
        }
    }
}

/// A parameter that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{option}` needs to be {needs}, got {got}")]
pub struct OptionError {
    /// The option's name, as it is written in JSON.
    pub option: &'static str,
    /// What the option needs to be.
    pub needs: String,
    /// What it was.
    pub got: String,
}

/// The probabilities as limits on whole draws: a call fails exactly if its draw is below `fail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) fail: u64,
    pub(crate) lost: u64,
}

impl TableParams {
    /// Checks every option before anything runs (2.13).
    ///
    /// # Errors
    /// The first option that is out of range.
    pub fn validate(&self) -> Result<(), OptionError> {
        whole("jobs", self.jobs, 0, JOBS_MAX)?;
        whole("steps", self.steps.into(), 1, STEPS_MAX.into())?;
        whole("lostStep", self.lost_step.into(), 1, self.steps.into())?;
        probability("fail", self.fail)?;
        probability("lost", self.lost)?;
        whole("attempts", self.attempts.into(), 1, ATTEMPTS_MAX.into())
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { fail: mulberry::threshold(self.fail), lost: mulberry::threshold(self.lost) }
    }
}

fn whole(option: &'static str, got: u64, min: u64, max: u64) -> Result<(), OptionError> {
    refuse_unless((min..=max).contains(&got), option, || format!("a whole number from {min} to {max}"), got)
}

fn probability(option: &'static str, got: f64) -> Result<(), OptionError> {
    refuse_unless((0.0..=1.0).contains(&got), option, || "a probability from 0 to 1".to_owned(), number_text(got))
}

fn refuse_unless(
    fits: bool,
    option: &'static str,
    needs: impl FnOnce() -> String,
    got: impl Display,
) -> Result<(), OptionError> {
    if fits { Ok(()) } else { Err(OptionError { option, needs: needs(), got: got.to_string() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_option_what_it_needs_and_what_it_got() {
        let short = TableParams { steps: 5, ..TableParams::default() };
        assert_eq!(
            short.validate().unwrap_err().to_string(),
            "`lostStep` needs to be a whole number from 1 to 5, got 7"
        );
        let nan = TableParams { fail: f64::NAN, ..TableParams::default() };
        assert_eq!(nan.validate().unwrap_err().to_string(), "`fail` needs to be a probability from 0 to 1, got NaN");
    }

    #[test]
    fn the_bounds_are_inside() {
        let least = TableParams {
            jobs: 0,
            steps: 1,
            lost_step: 1,
            fail: 0.0,
            lost: 1.0,
            attempts: 1,
            ..TableParams::default()
        };
        let most = TableParams { jobs: JOBS_MAX, steps: STEPS_MAX, attempts: ATTEMPTS_MAX, ..TableParams::default() };
        assert_eq!((least.validate(), most.validate()), (Ok(()), Ok(())));
        let beyond = [
            TableParams { jobs: JOBS_MAX + 1, ..least },
            TableParams { steps: 0, ..least },
            TableParams { steps: STEPS_MAX + 1, ..least },
            TableParams { lost_step: 0, ..least },
            TableParams { fail: -0.1, ..least },
            TableParams { lost: 1.1, ..least },
            TableParams { attempts: 0, ..least },
            TableParams { attempts: ATTEMPTS_MAX + 1, ..least },
        ];
        let names: Vec<_> = beyond.iter().map(|params| params.validate().unwrap_err().option).collect();
        assert_eq!(names, ["jobs", "steps", "steps", "lostStep", "fail", "lost", "attempts", "attempts"]);
    }
}
