//! The first sign-up behind a number of the table, call by call: from a statistic to its story.
//!
//! The kernel is run until the number is no longer zero; then the sign-ups of its last block are run again the slow way.

use serde::{Deserialize, Serialize};

use super::draws::Draws;
use super::job::{self, JobResult};
use super::kernel::{Kernel, SLICE_JOBS};
use super::{Call, OptionError, Progress, Row, TableError, TableParams};
use crate::strategy::Strategy;

/// A number of the table that sign-ups add to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Sign-ups given up on.
    Failed,
    /// Steps done again.
    RepeatedSteps,
    /// Users with two welcome emails or more.
    TwoEmails,
}

impl Cell {
    fn of_row(self, row: &Row) -> u64 {
        match self {
            Self::Failed => row.failed,
            Self::RepeatedSteps => row.repeated_steps,
            Self::TwoEmails => row.two_emails,
        }
    }

    fn of_job(self, job: &JobResult) -> bool {
        match self {
            Self::Failed => job.failed,
            Self::RepeatedSteps => job.repeated_steps > 0,
            Self::TwoEmails => job.emails > 1,
        }
    }
}

/// One sign-up of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    /// Which sign-up, counted from 0.
    pub job: u64,
    /// The index of its first draw, counted from 0.
    pub first_draw: u64,
    /// Its calls in order.
    pub calls: Vec<Call>,
    /// Whether it was given up on.
    pub failed: bool,
    /// Steps that took effect again.
    pub repeated_steps: u64,
    /// Welcome emails it got.
    pub emails: u32,
}

/// A search for a witness. It can be left and taken up again between any two slices.
#[derive(Clone, Debug)]
pub struct Search {
    kernel: Kernel,
    params: TableParams,
    strategy: Strategy,
    row: usize,
    cell: Cell,
    /// What it came to. The kernel goes on from where it is, so it is asked no more.
    over: Option<Found>,
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Not yet, so many sign-ups done.
    NotYet(u64),
    /// There is none: the number is zero.
    Nothing,
    /// The first one.
    Witness(Witness),
}

impl Search {
    /// A search in the row of a strategy, `row` being its index in its table. The index matters only to ChaCha8, where every
    /// row has draws of its own.
    ///
    /// # Errors
    /// Parameters out of range.
    pub fn new(params: &TableParams, strategy: Strategy, row: usize, cell: Cell) -> Result<Self, OptionError> {
        let kernel = Kernel::of_row(params, strategy, row)?;
        Ok(Self { kernel, params: *params, strategy, row, cell, over: None })
    }

    /// Searches about so many more sign-ups, and at least one block of draws. What it came to stays so, however often it is asked.
    pub fn advance(&mut self, budget_jobs: u64) -> Found {
        if let Some(over) = &self.over {
            return over.clone();
        }
        let found = self.search(budget_jobs);
        self.over = Some(found.clone()).filter(|found| !matches!(found, Found::NotYet(_)));
        found
    }

    fn search(&mut self, budget_jobs: u64) -> Found {
        if self.params.fail == 0.0 && self.params.lost == 0.0 {
            return Found::Nothing;
        }
        let target = self.kernel.done_jobs().saturating_add(budget_jobs);
        loop {
            let (job, first_draw) = self.kernel.job_under_way();
            let done = self.kernel.advance(1);
            if self.cell.of_row(&self.kernel.row_so_far()) > 0 {
                return Found::Witness(self.replay(job, first_draw));
            }
            if done {
                return Found::Nothing;
            }
            if self.kernel.done_jobs() >= target {
                return Found::NotYet(self.kernel.done_jobs());
            }
        }
    }

    fn replay(&self, mut job: u64, first_draw: u64) -> Witness {
        let mut draws = Draws::of_row(&self.params, self.row);
        draws.seek(first_draw);
        loop {
            let first_draw = draws.position();
            let mut calls = Vec::new();
            let result = job::run(&self.params, self.strategy, &mut draws, |call| calls.push(call));
            if self.cell.of_job(&result) {
                let JobResult { failed, repeated_steps, emails, .. } = result;
                return Witness { job, first_draw, calls, failed, repeated_steps, emails };
            }
            job += 1;
            assert!(job < self.params.jobs, "a number that is not zero has a sign-up that added to it");
        }
    }
}

/// The first sign-up that added to this number of this row; nothing if the number is zero.
///
/// # Errors
/// Parameters out of range, or a stop asked for by `progress`.
pub fn find(
    params: &TableParams,
    strategy: Strategy,
    row: usize,
    cell: Cell,
    progress: Progress<'_>,
) -> Result<Option<Witness>, TableError> {
    let mut search = Search::new(params, strategy, row, cell)?;
    loop {
        match search.advance(SLICE_JOBS) {
            Found::Witness(witness) => return Ok(Some(witness)),
            Found::Nothing => return Ok(None),
            Found::NotYet(done) if progress(done, params.jobs).is_break() => {
                return Err(TableError::Cancelled);
            }
            Found::NotYet(_) => {}
        }
    }
}
