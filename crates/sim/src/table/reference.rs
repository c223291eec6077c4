//! The table as the article computes it: sign-up after sign-up, draw after draw. Slow, and obviously right.
//!
//! The fast kernel is held equal to this one. Nothing here knows how that one works.

use core::ops::ControlFlow;

use super::draws::Draws;
use super::{Progress, Row, Table, TableError, TableParams, job};
use crate::strategy::Strategy;

/// Sign-ups between two reports of progress: a few milliseconds.
const REPORT_EVERY: u64 = 16_384;

/// Runs every strategy over all sign-ups, one row after the other.
///
/// # Errors
/// Parameters out of range, or a stop asked for by `progress`.
pub fn run(params: &TableParams, strategies: &[Strategy], progress: Progress<'_>) -> Result<Table, TableError> {
    params.validate()?;
    let total = params.jobs * strategies.len() as u64;
    let mut rows = Vec::with_capacity(strategies.len());
    for (index, strategy) in strategies.iter().enumerate() {
        let mut draws = Draws::of_row(params, index);
        let mut row = Row::empty(params, *strategy);
        for done in 0..params.jobs {
            if done % REPORT_EVERY == 0 {
                report(progress, params.jobs * index as u64 + done, total)?;
            }
            row.add(&job::run(params, *strategy, &mut draws, |_| {}));
        }
        row.draws = draws.position();
        rows.push(row);
    }
    report(progress, total, total)?;
    Ok(Table { params: *params, rows })
}

fn report(progress: Progress<'_>, done: u64, total: u64) -> Result<(), TableError> {
    match progress(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(TableError::Cancelled),
    }
}
