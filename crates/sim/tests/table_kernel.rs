//! The kernel's counters are the reference's, for every parameter set.

use std::ops::ControlFlow;

use proptest::prelude::*;
use twiceproof_sim::strategy::{RetryScope, SentKey, Strategy as RetryStrategy};
use twiceproof_sim::table::kernel::{self, Backend, Kernel};
use twiceproof_sim::table::{Generator, Table, TableParams, article_strategies, reference};

fn to_the_end(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Every combination there is, the article's five among them.
fn all_strategies() -> Vec<RetryStrategy> {
    let mut all = Vec::new();
    for retry in [RetryScope::EachStep, RetryScope::WholeJob] {
        for key in [SentKey::None, SentKey::NewEachCall, SentKey::Same] {
            for (skip_finished, provider_remembers) in [(false, false), (false, true), (true, false), (true, true)] {
                all.push(RetryStrategy { retry, key, skip_finished, provider_remembers });
            }
        }
    }
    all
}

/// One of each kind that differs in any counter.
fn kinds_of_strategies() -> Vec<RetryStrategy> {
    let differs = |strategy: &RetryStrategy| {
        strategy.provider_remembers
            && strategy.key != SentKey::NewEachCall
            && (strategy.retry == RetryScope::WholeJob || !strategy.skip_finished)
    };
    all_strategies().into_iter().filter(differs).collect()
}

fn by_kernel(params: &TableParams, strategies: &[RetryStrategy], backend: Backend, slice: u64) -> Table {
    let mut kernel = Kernel::with_backend(params, strategies, backend).unwrap();
    while !kernel.advance(slice) {
        assert!(kernel.done_jobs() < kernel.total_jobs() && kernel.table().is_none());
        let done: u64 = kernel.rows_so_far().iter().map(|row| row.jobs).sum();
        assert_eq!(done, kernel.done_jobs());
    }
    assert_eq!(kernel.done_jobs(), kernel.total_jobs());
    let table = kernel.table().unwrap();
    assert_eq!(kernel.rows_so_far(), table.rows);
    table
}

fn assert_equal(params: &TableParams, strategies: &[RetryStrategy], slice: u64) {
    let expected = reference::run(params, strategies, &mut to_the_end).unwrap();
    for backend in Backend::all() {
        assert_eq!(by_kernel(params, strategies, backend, slice), expected, "{}, slices of {slice}", backend.name());
    }
}

/// Probabilities with the edges, and the region where the article lives, far more likely than chance would have them.
fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => 0.0..0.1_f64,
        2 => 0.0..=1.0_f64,
        1 => (-40.0..0.0_f64).prop_map(f64::exp),
        1 => (-12.0..0.0_f64).prop_map(|x| 1.0 - x.exp()),
        2 => prop::sample::select(vec![0.0, 1.0, 0.5, 5e-324, 2_f64.powi(-32), 1.0 - 2_f64.powi(-32), 0.01, 0.005]),
    ]
}

fn rows() -> impl Strategy<Value = Vec<RetryStrategy>> {
    prop::sample::subsequence(all_strategies(), 1..=6)
}

prop_compose! {
    fn params(jobs_max: u64)(
        steps in 1_u32..=30,
        attempts in 1_u32..=10,
        fail in probability(),
        lost in probability(),
        seed in prop_oneof![any::<u32>(), 0_u32..4],
        jobs in prop_oneof![0_u64..4, 0..jobs_max],
        lost_at in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64],
        rng in prop_oneof![9 => Just(Generator::Mulberry32), 1 => Just(Generator::ChaCha8)],
    ) -> TableParams {
        let lost_step = 1 + (lost_at * f64::from(steps - 1)).round() as u32;
        TableParams { jobs, steps, lost_step, fail, lost, attempts, seed, rng }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a34_kernel_equals_reference(params in params(300), rows in rows(), slice in prop_oneof![Just(1_u64), 1..400_u64, Just(u64::MAX)]) {
        assert_equal(&params, &rows, slice);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a34_kernel_equals_reference_across_many_blocks(params in params(8_000), rows in rows(), slice in 1..4_000_u64) {
        assert_equal(&params, &rows, slice);
    }
}

/// A block is 8,192 draws: sign-ups that end, fail or begin exactly there, or one draw to either side.
#[test]
fn a34_kernel_equals_reference_at_the_edges_of_blocks() {
    for (steps, attempts) in [(1, 1), (1, 3), (3, 2), (7, 3), (15, 3), (30, 10)] {
        let block = 8_192 / u64::from(steps + 1);
        for jobs in [block - 1, block, block + 1, 2 * block, 2 * block + 1] {
            for (fail, lost) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1e-4, 1e-4), (0.5, 0.5)] {
                for lost_step in [1, steps] {
                    let seed = jobs as u32;
                    let rng = Generator::Mulberry32;
                    let params = TableParams { jobs, steps, lost_step, fail, lost, attempts, seed, rng };
                    assert_equal(&params, &kinds_of_strategies(), 1_000);
                }
            }
        }
    }
}

#[test]
fn a34_kernel_equals_reference_at_the_limits_of_steps_and_attempts() {
    for (fail, lost) in [(0.0, 0.3), (0.02, 0.9), (0.5, 0.5), (0.999, 1.0)] {
        let params =
            TableParams { jobs: 60, steps: 1_000, lost_step: 999, attempts: 100, fail, lost, ..TableParams::default() };
        assert_equal(&params, &kinds_of_strategies(), 7);
    }
}

#[test]
fn a34_kernel_equals_reference_at_full_size_for_twenty_other_seeds() {
    // A row for each way of retrying: the other two make the same calls as the first.
    let strategies = [0, 3, 4].map(|row| article_strategies()[row]);
    for seed in 2..22 {
        let params = TableParams { seed: seed * 0x0123_4567, ..TableParams::default() };
        let expected = reference::run(&params, &strategies, &mut to_the_end).unwrap();
        assert_eq!(kernel::run(&params, &strategies, &mut to_the_end).unwrap(), expected, "seed {}", params.seed);
    }
}

#[test]
fn nothing_can_fail_costs_nothing() {
    let params = TableParams { jobs: 1 << 40, fail: 0.0, lost: 0.0, ..TableParams::default() };
    let table = kernel::run(&params, &article_strategies(), &mut to_the_end).unwrap();
    assert!(table.rows.iter().all(|row| (row.failed, row.calls, row.draws) == (0, 10 << 40, 11 << 40)));
}

#[test]
fn rows_so_far_are_those_of_a_table_with_fewer_sign_ups() {
    for params in [TableParams::default(), TableParams { fail: 0.0, lost: 0.0, ..TableParams::default() }] {
        let mut kernel = Kernel::new(&params, &article_strategies()).unwrap();
        assert!(!kernel.advance(100_000));
        for (row, strategy) in kernel.rows_so_far().into_iter().zip(article_strategies()) {
            let fewer = TableParams { jobs: row.jobs, ..params };
            let expected = kernel::run(&fewer, &[strategy], &mut to_the_end).unwrap().rows.remove(0);
            // The sign-up under way may have failed already; its calls are not counted before it has ended.
            assert!(
                row.failed == expected.failed && row.two_emails == expected.two_emails,
                "{row:?}, not {expected:?}"
            );
            assert!((row.calls, row.draws) == (expected.calls, expected.draws), "{row:?}, not {expected:?}");
            assert!(row.repeated_steps - expected.repeated_steps <= u64::from(params.steps));
        }
    }
}
