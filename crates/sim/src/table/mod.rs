//! The article's table: strategies side by side over many sign-ups.
//!
//! | module | what |
//! |---|---|
//! | `params` | the parameters, their limits and their error |
//! | `job`, [`reference`] | the table as the article computes it, one draw at a time |
//! | [`kernel`] | the same in milliseconds |
//! | [`theory`] | what the table would show on average, exactly |
//! | [`interval`] | how far a sample may be from the truth |
//! | [`witness`] | the first sign-up behind a number, call by call |
//! | [`bench`] | how long each of these takes |
//! | [`article`] | the numbers the article printed |
//! | [`event`] | the table through the event engine |
//! | [`format`] | text, JSON, Markdown, CSV |
//!
//! Deliberately not here: clocks. Whoever measures how long a table took passes the time in.

pub mod article;
pub mod bench;
mod draws;
pub mod event;
pub mod format;
pub mod interval;
mod job;
pub mod kernel;
mod params;
pub mod reference;
mod row;
pub mod theory;
pub mod witness;

use core::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use params::{ATTEMPTS_MAX, Generator, JOBS_MAX, OptionError, STEPS_MAX, TableParams};
pub use row::Row;

use crate::strategy::{ARTICLE_ROWS, Strategy};

/// Told how many sign-ups are done, and of how many, from time to time and at the end; it may ask to stop.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// Strategies side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// What it was computed from.
    pub params: TableParams,
    /// One row for each strategy, in the order asked for.
    pub rows: Vec<Row>,
}

/// Why there is no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// A parameter is out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The progress callback asked to stop.
    #[error("the table was cancelled")]
    Cancelled,
}

/// What happened to one call, as its caller and its provider saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallOutcome {
    /// The call failed before it did anything.
    Refused,
    /// The work was done and the caller knows.
    Done,
    /// The work was done and the caller does not know.
    ReplyLost,
}

/// One call of a sign-up to one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The step, counted from 1.
    pub step: u32,
    /// The attempt, counted from 1: of the step if each step is retried, of the job otherwise.
    pub attempt: u32,
    /// The index of the draw that decided whether the call fails, counted from 0.
    pub draw: u64,
    /// What happened.
    pub outcome: CallOutcome,
    /// Whether the step took effect. False if the call was refused, or if the provider had seen its key.
    pub acted: bool,
}

/// The strategies of the article's five rows.
pub fn article_strategies() -> [Strategy; 5] {
    ARTICLE_ROWS.map(|row| row.strategy)
}

/// Runs every strategy over all sign-ups, the fast way.
///
/// # Errors
/// Parameters out of range, or a stop asked for by `progress`.
pub fn run(params: &TableParams, strategies: &[Strategy], progress: Progress<'_>) -> Result<Table, TableError> {
    kernel::run(params, strategies, progress)
}
