//! Every number opens the first sign-up behind it, with its harm and no other.

use proptest::prelude::*;
use twiceproof_sim::table::{Call, kernel};

use super::*;
use crate::compare::with_steps;
use crate::story::{Ending, Kind, Seen};

const CELLS: [Cell; 3] = [Cell::Failed, Cell::RepeatedSteps, Cell::TwoEmails];

fn found(wanted: &Wanted) -> Option<Witness> {
    let mut search = search(wanted)?;
    std::iter::from_fn(|| Some(slice(&mut search))).flatten().next().flatten()
}

/// What the opened story says of each call, in the order in which they were made.
fn calls(state: &State) -> Vec<(u32, CallOutcome, bool)> {
    let attempts = state.story.jobs[0].steps.iter().flat_map(|step| &step.attempts);
    let mut calls: Vec<_> = attempts
        .map(|attempt| {
            let outcome = match (&attempt.ended, attempt.lost) {
                (_, Some(_)) => CallOutcome::ReplyLost,
                (Some((_, Seen::Reply)), None) => CallOutcome::Done,
                (_, None) => CallOutcome::Refused,
            };
            let acted = matches!(attempt.did, Some((_, Did::Effect(_))));
            (attempt.started, (attempt.name.step, outcome, acted))
        })
        .collect();
    calls.sort_by_key(|(started, _)| *started);
    calls.into_iter().map(|(_, call)| call).collect()
}

/// Opens what a number opens, and holds it against what was found. False if the number is 0.
fn opens(wanted: &Wanted) -> bool {
    let Some(found) = found(wanted) else { return false };
    let state = open(wanted, &found).unwrap();
    assert_eq!(state.story.counts.total(Kind::GaveUp) > 0, found.failed, "{wanted:?}");
    assert_eq!(state.story.counts.total(Kind::DoneAgain) as u64, found.repeated_steps, "{wanted:?}");
    assert_eq!(state.story.people[0].emails.len(), found.emails as usize, "{wanted:?}");
    let expected: Vec<_> = found.calls.iter().map(|call: &Call| (call.step, call.outcome, call.acted)).collect();
    assert_eq!(calls(&state), expected, "{wanted:?}");
    // The call that is marked is the one that did it.
    let (job, marked) = (&state.story.jobs[0], state.story.attempt(state.selected.unwrap()).unwrap());
    let last = state.index - 1;
    assert!(match wanted.cell {
        Cell::Failed => {
            matches!(job.ended, Some((_, Ending::GaveUp { .. })))
                && matches!(&marked.ended, Some((moment, seen)) if *seen != Seen::Reply && moment.entry == last)
        }
        Cell::RepeatedSteps => matches!(marked.did, Some((moment, Did::Effect(2))) if moment.entry == last),
        Cell::TwoEmails =>
            matches!(marked.did, Some((moment, Did::Effect(2))) if moment.entry == last)
                && marked.name.step == wanted.params.lost_step,
    });
    true
}

#[test]
fn every_number_of_the_articles_table_opens_a_sign_up_that_has_its_harm() {
    let params = TableParams::default();
    let opened = |row| CELLS.map(|cell| opens(&Wanted { params, row, cell }));
    assert_eq!(
        [0, 1, 2, 3, 4].map(opened),
        [[true, true, true], [true, true, true], [true, false, false], [true, true, false], [true, false, false],]
    );
}

#[test]
fn what_is_opened_says_which_sign_up_it_is_and_what_was_looked_for() {
    let wanted = Wanted { params: TableParams::default(), row: 3, cell: Cell::RepeatedSteps };
    let found = found(&wanted).unwrap();
    let said = open(&wanted, &found).unwrap().notice.unwrap();
    let number = format::grouped(found.job + 1);
    let expected = format!(
        "Sign-up {number} of row 4 (retry the whole job, same key): the first in which a step was done again. \
         Every call goes as the table drew it."
    );
    assert_eq!((&*said.text, said.problem), (&*expected, false));
    assert_eq!(wanted.label("464,233"), "464,233: open the first sign-up in which a step was done again, row 4");
}

#[test]
fn only_numbers_above_0_of_a_whole_table_open_something() {
    let strategies = ARTICLE_ROWS.map(|row| row.strategy);
    let table = kernel::run(&TableParams::default(), &strategies, &mut |_, _| core::ops::ControlFlow::Continue(()));
    let mut shown = Shown { table: table.unwrap(), theory: [].into(), whole: true, worked_ms: 0.0 };
    let opens = |shown: &Shown| {
        let row = |row| Measure::ALL.map(|measure| Wanted::of(measure, row, shown).is_some());
        [0, 1, 2, 3, 4].map(row)
    };
    assert_eq!(
        opens(&shown),
        [
            [true, false, true, true],
            [true, false, true, true],
            [true, false, false, false],
            [true, false, true, false],
            [true, false, false, false],
        ]
    );
    shown.whole = false;
    assert_eq!(opens(&shown), [[false; 4]; 5]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whatever_the_settings_a_number_opens_the_calls_that_were_found(
        seed in any::<u32>(), steps in 1_u32..=12, attempts in 1_u32..=5,
        fail in prop_oneof![Just(0.0), 0.0..0.3_f64], lost in prop_oneof![Just(0.0), 0.0..0.4_f64],
    ) {
        let params = TableParams { jobs: 2_000, seed, fail, lost, attempts, ..with_steps(steps, &TableParams::default()) };
        for row in 0..ARTICLE_ROWS.len() {
            for cell in CELLS {
                opens(&Wanted { params, row, cell });
            }
        }
    }
}
