//! The article's table, to the last digit (A34 to A39).

use std::ops::ControlFlow;

use twiceproof_sim::strategy::ARTICLE_ROWS;
use twiceproof_sim::table::kernel::{Backend, Kernel};
use twiceproof_sim::table::{Row, Table, TableError, TableParams, article, article_strategies, format, reference};

/// What the article prints beneath its program.
const PRINTED: &str = "\
1,000,000 signups, 10 steps, each call fails 1% of the time, the email reply is lost 0.5% of the time
┌─────────┬──────────────────────────────────────────────────────┬───────────┬────────┬─────────────┬───────────────┬───────────┐
│ (index) │ strategy                                             │ succeeded │ failed │ callsPerJob │ repeatedSteps │ twoEmails │
├─────────┼──────────────────────────────────────────────────────┼───────────┼────────┼─────────────┼───────────────┼───────────┤
│ 0       │ 'retry each step, no key'                            │ '99.999%' │ 11     │ 10.11       │ 4971          │ 4939      │
│ 1       │ 'retry each step, new key on every call'             │ '99.999%' │ 11     │ 10.11       │ 4971          │ 4939      │
│ 2       │ 'retry each step, same key every time'               │ '99.999%' │ 11     │ 10.11       │ 0             │ 0         │
│ 3       │ 'retry the whole job, same key'                      │ '99.900%' │ 995    │ 10.6        │ 464233        │ 0         │
│ 4       │ 'retry the whole job, same key, skip finished steps' │ '99.975%' │ 250    │ 10.11       │ 0             │ 0         │
└─────────┴──────────────────────────────────────────────────────┴───────────┴────────┴─────────────┴───────────────┴───────────┘
";

fn to_the_end(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Everything the article printed, and what an independent program counted besides: calls, draws, refused calls, lost replies.
fn assert_is_the_articles(table: &Table) {
    assert_eq!(format::text(table), PRINTED);
    let counted = |row: &Row| [row.calls, row.draws, row.refused, row.lost_replies];
    let each_step = [10_106_306, 11_111_272, 101_386, 4_974];
    let expected = [
        each_step,
        each_step,
        each_step,
        [10_603_013, 11_638_107, 106_382, 5_109],
        [10_105_589, 11_110_441, 101_463, 4_969],
    ];
    assert_eq!(table.rows.iter().map(counted).collect::<Vec<_>>(), expected);
    let equal = article::compare(table).expect("the parameters are the article's");
    assert!(equal.iter().all(|row| row.is_some_and(article::Equality::all)));
}

#[test]
fn a34_to_a38_the_reference_prints_the_articles_table() {
    let table = reference::run(&TableParams::default(), &article_strategies(), &mut to_the_end).unwrap();
    assert_is_the_articles(&table);
}

#[test]
fn a34_to_a38_every_backend_prints_the_articles_table() {
    for backend in Backend::all() {
        let mut kernel = Kernel::with_backend(&TableParams::default(), &article_strategies(), backend).unwrap();
        while !kernel.advance(10_000) {}
        assert_is_the_articles(&kernel.table().unwrap());
    }
}

#[test]
fn a40_retrying_each_step_beats_retrying_the_job_with_a_store() {
    assert!(
        article::printed_for(ARTICLE_ROWS[2].strategy).unwrap().failed
            < article::printed_for(ARTICLE_ROWS[4].strategy).unwrap().failed
    );
}

#[test]
fn other_parameters_are_not_compared() {
    let params = TableParams { jobs: 10, ..TableParams::default() };
    let table = reference::run(&params, &article_strategies(), &mut to_the_end).unwrap();
    assert_eq!(article::compare(&table), None);
}

#[test]
fn progress_is_reported_and_can_cancel() {
    let params = TableParams { jobs: 40_000, ..TableParams::default() };
    let mut seen = Vec::new();
    let mut stop_halfway = |done: u64, total: u64| {
        seen.push((done, total));
        if done * 2 >= total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let cancelled = reference::run(&params, &article_strategies(), &mut stop_halfway);
    assert_eq!(cancelled.unwrap_err(), TableError::Cancelled);
    assert!(seen.iter().all(|(_, total)| *total == 200_000) && seen.is_sorted());
}
