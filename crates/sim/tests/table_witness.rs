//! A number of the table and the first sign-up behind it.

use std::ops::ControlFlow;

use twiceproof_sim::strategy::ARTICLE_ROWS;
use twiceproof_sim::table::witness::{Cell, Found, Search, Witness, find};
use twiceproof_sim::table::{Call, CallOutcome, Generator, Row, TableParams, kernel};

fn to_the_end(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn first(params: &TableParams, row: usize, cell: Cell) -> Option<Witness> {
    find(params, ARTICLE_ROWS[row].strategy, row, cell, &mut to_the_end).unwrap()
}

fn number(row: &Row, cell: Cell) -> u64 {
    match cell {
        Cell::Failed => row.failed,
        Cell::RepeatedSteps => row.repeated_steps,
        Cell::TwoEmails => row.two_emails,
    }
}

/// The table of as many sign-ups as come before the witness has a zero where the table with one more has not.
#[test]
fn a_witness_is_the_first_of_its_kind() {
    let strategies = ARTICLE_ROWS.map(|row| row.strategy);
    for rng in [Generator::Mulberry32, Generator::ChaCha8] {
        for (seed, lost_step) in [(1, 7), (2, 1), (3, 10)] {
            let params = TableParams { seed, lost_step, rng, ..TableParams::default() };
            let whole = kernel::run(&params, &strategies, &mut to_the_end).unwrap();
            for row in 0..5 {
                for cell in [Cell::Failed, Cell::RepeatedSteps, Cell::TwoEmails] {
                    let Some(witness) = first(&params, row, cell) else {
                        assert_eq!(number(&whole.rows[row], cell), 0);
                        continue;
                    };
                    let up_to =
                        |jobs| kernel::run(&TableParams { jobs, ..params }, &strategies, &mut to_the_end).unwrap();
                    let (before, with) = (up_to(witness.job), up_to(witness.job + 1));
                    assert_eq!(number(&before.rows[row], cell), 0);
                    assert_eq!(before.rows[row].draws, witness.first_draw);
                    assert_eq!(with.rows[row].calls - before.rows[row].calls, witness.calls.len() as u64);
                    let grown = match cell {
                        Cell::Failed => witness.failed.into(),
                        Cell::RepeatedSteps => witness.repeated_steps,
                        Cell::TwoEmails => (witness.emails > 1).into(),
                    };
                    assert!(grown > 0);
                    assert_eq!(number(&with.rows[row], cell), grown);
                }
            }
        }
    }
}

#[test]
fn a14_the_first_doubled_email_is_a_lost_reply_and_a_retry() {
    let witness = first(&TableParams::default(), 0, Cell::TwoEmails).unwrap();
    let emails: Vec<&Call> = witness.calls.iter().filter(|call| call.step == 7).collect();
    assert_eq!(emails[0].outcome, CallOutcome::ReplyLost);
    assert!(emails.iter().filter(|call| call.acted).count() == 2 && witness.emails == 2 && !witness.failed);
}

#[test]
fn a15_the_same_key_has_no_such_witness() {
    assert_eq!(first(&TableParams::default(), 2, Cell::TwoEmails), None);
}

#[test]
fn a_search_can_be_taken_in_slices() {
    let params = TableParams { jobs: 300_000, ..TableParams::default() };
    let mut search = Search::new(&params, ARTICLE_ROWS[2].strategy, 2, Cell::TwoEmails).unwrap();
    let mut slices = 0;
    while let Found::NotYet(done) = search.advance(50_000) {
        slices += 1;
        assert!((slices * 50_000..slices * 50_000 + 1_000).contains(&done));
    }
    assert_eq!(slices, 5);
}
