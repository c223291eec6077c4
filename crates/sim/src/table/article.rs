//! The numbers the article printed, to mark where a table equals them. Nothing is ever computed from these.

use serde::Serialize;

use super::{Row, Table, TableParams};
use crate::strategy::{ARTICLE_ROWS, Strategy};

/// One row as the article printed it (A34 to A38).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Printed {
    /// Share that succeeded.
    pub succeeded: &'static str,
    /// Sign-ups given up on.
    pub failed: u64,
    /// Calls per sign-up, two decimals.
    pub calls_per_job: f64,
    /// Steps done again.
    pub repeated_steps: u64,
    /// Users with two welcome emails or more.
    pub two_emails: u64,
}

const fn printed(
    succeeded: &'static str,
    failed: u64,
    calls_per_job: f64,
    repeated_steps: u64,
    two_emails: u64,
) -> Printed {
    Printed { succeeded, failed, calls_per_job, repeated_steps, two_emails }
}

/// The article's table, in the order of [`ARTICLE_ROWS`].
pub const PRINTED: [Printed; 5] = [
    printed("99.999%", 11, 10.11, 4_971, 4_939),
    printed("99.999%", 11, 10.11, 4_971, 4_939),
    printed("99.999%", 11, 10.11, 0, 0),
    printed("99.900%", 995, 10.6, 464_233, 0),
    printed("99.975%", 250, 10.11, 0, 0),
];

/// Which of a row's cells equal the article's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Equality {
    /// Share that succeeded.
    pub succeeded: bool,
    /// Sign-ups given up on.
    pub failed: bool,
    /// Calls per sign-up.
    pub calls_per_job: bool,
    /// Steps done again.
    pub repeated_steps: bool,
    /// Users with two welcome emails or more.
    pub two_emails: bool,
}

impl Equality {
    /// Whether the whole row equals the article's.
    pub const fn all(self) -> bool {
        self.succeeded && self.failed && self.calls_per_job && self.repeated_steps && self.two_emails
    }
}

/// What the article printed for a strategy, if it has it.
pub fn printed_for(strategy: Strategy) -> Option<Printed> {
    let index = ARTICLE_ROWS.iter().position(|row| row.strategy == strategy)?;
    Some(PRINTED[index])
}

/// Compares row by row. Nothing if the parameters are not the article's; no entry for a strategy the article does not have.
pub fn compare(table: &Table) -> Option<Vec<Option<Equality>>> {
    (table.params == TableParams::default()).then(|| table.rows.iter().map(compare_row).collect())
}

fn compare_row(row: &Row) -> Option<Equality> {
    let printed = printed_for(row.strategy)?;
    Some(Equality {
        succeeded: row.succeeded_percent() == printed.succeeded,
        failed: row.failed == printed.failed,
        calls_per_job: row.calls_per_job() == printed.calls_per_job,
        repeated_steps: row.repeated_steps == printed.repeated_steps,
        two_emails: row.two_emails == printed.two_emails,
    })
}
