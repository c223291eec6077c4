//! A number of the table and the first sign-up behind it.

use std::ops::ControlFlow;

use proptest::prelude::*;
use twiceproof_sim::strategy::ARTICLE_ROWS;
use twiceproof_sim::table::witness::{Cell, Found, Search, Witness, find};
use twiceproof_sim::table::{Call, CallOutcome, Generator, Row, TableParams, article_strategies, kernel, reference};

const CELLS: [Cell; 3] = [Cell::Failed, Cell::RepeatedSteps, Cell::TwoEmails];

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
                for cell in CELLS {
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

#[test]
fn a_search_that_is_over_stays_so() {
    let params = TableParams::default();
    for (row, article) in ARTICLE_ROWS.iter().enumerate() {
        for cell in CELLS {
            let mut search = Search::new(&params, article.strategy, row, cell).unwrap();
            let mut found = search.advance(50_000);
            while let Found::NotYet(_) = found {
                found = search.advance(50_000);
            }
            assert_eq!([search.advance(1), search.advance(50_000)], [found.clone(), found], "row {row}, {cell:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Held against the slow table, which knows nothing of searches: the row of as many sign-ups as come before the witness has a 0,
    /// with one more it has the witness's harm, and where nothing was found the whole row has a 0.
    #[test]
    fn whatever_the_parameters_a_witness_is_the_first(
        seed in any::<u32>(), jobs in 0_u64..1_500, (steps, lost_step) in (1_u32..=12).prop_flat_map(|steps| (Just(steps), 1..=steps)),
        fail in prop_oneof![Just(0.0), 0.0..0.01_f64, 0.0..0.5_f64], lost in prop_oneof![Just(0.0), 0.0..0.01_f64, 0.0..1.0_f64],
        attempts in 1_u32..=5, rng in prop_oneof![Just(Generator::Mulberry32), Just(Generator::ChaCha8)],
    ) {
        let params = TableParams { jobs, steps, lost_step, fail, lost, attempts, seed, rng };
        let up_to = |jobs| reference::run(&TableParams { jobs, ..params }, &article_strategies(), &mut to_the_end).unwrap();
        for row in 0..ARTICLE_ROWS.len() {
            for cell in CELLS {
                let Some(witness) = first(&params, row, cell) else {
                    prop_assert_eq!(number(&up_to(jobs).rows[row], cell), 0);
                    continue;
                };
                prop_assert!(witness.job < jobs);
                prop_assert_eq!(number(&up_to(witness.job).rows[row], cell), 0);
                let harm = match cell {
                    Cell::Failed => witness.failed.into(),
                    Cell::RepeatedSteps => witness.repeated_steps,
                    Cell::TwoEmails => (witness.emails > 1).into(),
                };
                prop_assert!(harm > 0);
                prop_assert_eq!(number(&up_to(witness.job + 1).rows[row], cell), harm);
            }
        }
    }
}
