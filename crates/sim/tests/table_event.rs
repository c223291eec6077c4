//! The table through the event engine: the article's numbers, and the reference's for every strategy.

use std::ops::ControlFlow;

use proptest::prelude::*;
use twiceproof_sim::{
    strategy::{RetryScope, SentKey, Strategy as Way},
    table::{TableError, TableParams, article_strategies, event, reference},
};

#[test]
fn a34_to_a38_all_25_cells_and_the_exact_calls_and_draws() {
    let table =
        event::run(&TableParams::default(), &article_strategies(), &mut |_, _| ControlFlow::Continue(())).unwrap();
    let got: Vec<_> = table
        .rows
        .iter()
        .map(|row| {
            (
                row.succeeded_percent(),
                row.failed,
                row.calls_per_job(),
                row.repeated_steps,
                row.two_emails,
                row.calls,
                row.draws,
            )
        })
        .collect();
    let each = |repeated, two| ("99.999%".to_owned(), 11, 10.11, repeated, two, 10_106_306, 11_111_272);
    let expected = vec![
        each(4971, 4939),
        each(4971, 4939),
        each(0, 0),
        ("99.900%".to_owned(), 995, 10.6, 464_233, 0, 10_603_013, 11_638_107),
        ("99.975%".to_owned(), 250, 10.11, 0, 0, 10_105_589, 11_110_441),
    ];
    assert_eq!(got, expected);
}

#[test]
fn a_stop_is_heard() {
    let stopped = event::run(&TableParams::default(), &article_strategies(), &mut |_, _| ControlFlow::Break(()));
    assert_eq!(stopped, Err(TableError::Cancelled));
}

prop_compose! {
    fn any_way()(whole in any::<bool>(), key in 0..3, skip_finished in any::<bool>(), provider_remembers in any::<bool>()) -> Way {
        let retry = if whole { RetryScope::WholeJob } else { RetryScope::EachStep };
        let key = [SentKey::None, SentKey::NewEachCall, SentKey::Same][key as usize];
        Way { retry, key, skip_finished, provider_remembers }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn d5_the_event_engine_equals_the_reference(
        way in any_way(), jobs in 0u64..1200, steps in 1u32..12, lost_step in 1u32..12,
        fail in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64, 0.0..0.05], lost in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        attempts in 1u32..6, seed in any::<u32>(),
    ) {
        let params = TableParams { jobs, steps, lost_step: lost_step.min(steps), fail, lost, attempts, seed, ..TableParams::default() };
        let mut go_on = |_, _| ControlFlow::Continue(());
        prop_assert_eq!(event::run(&params, &[way], &mut go_on), reference::run(&params, &[way], &mut go_on));
    }
}
