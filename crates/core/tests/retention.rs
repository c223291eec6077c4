//! How long runs are kept, and what a prune removes (C25 to C30, SEMANTICS 2.8).

mod bench;

use bench::{Bench, HOUR, list, new, payload};
use proptest::prelude::*;
use twiceproof_core::{
    engine::{Admitted, ForgetError, NewRun, NotOver, Status},
    ids::RunId,
    journal::Event,
    workflow::Workflow,
};

const DAY: u64 = 24 * HOUR;
const RETENTION: u64 = 184 * DAY;
const NONE: [u32; 0] = [];

fn finished(bench: &mut Bench, at: u64, id: &str) -> RunId {
    let run = bench.ask(at, id, "{}").unwrap().run();
    bench.run_to(at, run, Status::Succeeded);
    run
}

fn removed(bench: &mut Bench, now: u64, limit: usize) -> Vec<u32> {
    bench.engine.handle_prune(now, limit).runs.into_iter().map(|(run, _)| run.0).collect()
}

#[test]
fn c25_c26_184_days_are_counted_from_the_end_to_the_millisecond() {
    let mut bench = Bench::new(1, list(&["a"]));
    let run = bench.ask(1_000, "id", "{}").unwrap().run();
    bench.run_to(5_000, run, Status::Succeeded);
    let until = 5_000 + RETENTION;
    assert_eq!(bench.engine.state().retained_until(run), Some(until));
    assert_eq!(bench.engine.state().next_prune(), Some(until));
    assert_eq!(bench.engine.next_deadline(), None, "housekeeping keeps nobody awake");
    assert_eq!(removed(&mut bench, until - 1, 10), NONE);
    assert_eq!(removed(&mut bench, until, 10), [run.0]);
    assert_eq!(bench.engine.state().run(run), None);
    assert_eq!(removed(&mut bench, until + 1, 10), NONE);
    bench.check_journal();
}

#[test]
fn c07_a_run_whose_time_is_over_still_stands_for_its_id_until_a_prune_removes_it() {
    let mut bench = Bench::new(1, list(&["a"]));
    let run = finished(&mut bench, 0, "id");
    assert_eq!(bench.ask(2 * RETENTION, "id", "{}"), Ok(Admitted::Existing(run)));
    assert!(bench.ask(2 * RETENTION, "id", "[]").is_err(), "with its payload");
    removed(&mut bench, 2 * RETENTION, 10);
    assert!(bench.ask(2 * RETENTION, "id", "[]").unwrap().created());
}

#[test]
fn c27_a_prune_is_bounded_and_takes_the_oldest_end_first_then_the_lowest_number() {
    let mut bench = Bench::new(4, list(&["a"]));
    for id in ["a", "b", "c", "d"] {
        bench.ask(0, id, "{}").unwrap();
    }
    for (at, run) in [(30, 0), (20, 3), (20, 1), (10, 2)] {
        bench.ok(at.max(bench.engine.state().now()), (run, 0, 1));
    }
    // A clock that jumps back stands still, so all ended at 30: the number decides.
    let now = 100 + RETENTION;
    let first = bench.engine.handle_prune(now, 3);
    assert_eq!((first.runs.len(), first.more), (3, true));
    assert_eq!(first.runs[0], (RunId(0), Some("a".into())));
    let second = bench.engine.handle_prune(now, 3);
    assert_eq!((second.runs, second.more), (vec![(RunId(3), Some("d".into()))], false));

    let mut bench = Bench::new(4, list(&["a"]));
    for id in ["a", "b", "c", "d"] {
        bench.ask(0, id, "{}").unwrap();
    }
    for (at, run) in [(10, 2), (20, 3), (20, 1), (30, 0)] {
        bench.ok(at, (run, 0, 1));
    }
    assert_eq!(removed(&mut bench, now, 9), [2, 1, 3, 0]);
    bench.check_journal();
}

#[test]
fn c28_waiting_and_running_runs_are_never_removed() {
    let mut bench = Bench::new(1, list(&["a"]));
    bench.ask(0, "running", "{}").unwrap();
    bench.ask(0, "pending", "{}").unwrap();
    bench.engine.set_retention(0, None, Some(0));
    assert_eq!(removed(&mut bench, 10 * RETENTION, 10), NONE);
    assert_eq!(bench.engine.state().runs().count(), 2);
}

#[test]
fn c29_for_ever_and_a_time_of_a_workflow_of_its_own() {
    let mut bench = Bench::new(2, list(&["a"]));
    let short = bench.engine.define(0, Workflow { name: "short".into(), ..list(&["a"]) }).unwrap();
    let kept = finished(&mut bench, 0, "kept");
    let gone = bench.engine.handle_enqueue(0, short, new("gone", "{}")).unwrap().run();
    bench.run_to(0, gone, Status::Dead);
    bench.engine.set_retention(0, None, None);
    bench.engine.set_retention(0, Some(short), Some(HOUR));
    assert_eq!(bench.engine.state().retained_until(kept), None);
    assert_eq!(removed(&mut bench, HOUR - 1, 10), NONE);
    assert_eq!(removed(&mut bench, HOUR, 10), [gone.0]);
    assert_eq!(removed(&mut bench, u64::MAX >> 12, 10), NONE);
    bench.engine.set_retention(u64::MAX >> 12, Some(bench.workflow), Some(0));
    assert_eq!(removed(&mut bench, u64::MAX >> 12, 10), [kept.0], "a new time counts for what is over already");
    bench.check_journal();
}

#[test]
fn c30_a_freed_id_starts_fresh_without_old_steps() {
    let mut bench = Bench::new(1, list(&["a", "b"]));
    bench.ask(0, "id", "{}").unwrap();
    bench.ok(0, (0, 0, 1));
    bench.fail(0, (0, 1, 1));
    bench.commands();
    removed(&mut bench, RETENTION, 10);
    let fresh = bench.ask(RETENTION, "id", r#"{"other":true}"#).unwrap();
    assert_eq!(fresh, Admitted::Created(RunId(1)));
    assert_eq!(bench.calls(), [(1, 0, 1)], "from its first step, first attempt");
    bench.check_journal();
}

#[test]
fn s2_11_a_run_that_is_over_can_be_forgotten_and_the_journal_says_so() {
    let mut bench = Bench::new(1, list(&["a"]));
    let run = bench.ask(0, "id", "{}").unwrap().run();
    let open = ForgetError::NotOver(NotOver::Open { status: Status::Running });
    assert_eq!(bench.engine.handle_forget(1, run, None), Err(open));
    bench.ok(1, (0, 0, 1));
    bench.engine.handle_forget(2, run, Some("ticket 17")).unwrap();
    let audit = |event: &Event| matches!(event, Event::RunForgotten { note: Some(note), .. } if **note == *"ticket 17");
    assert_eq!(bench.count(audit), 1);
    assert_eq!(bench.engine.handle_forget(2, run, None), Err(ForgetError::NotOver(NotOver::Unknown)));
    assert!(bench.ask(3, "id", "[]").unwrap().created());
    bench.check_journal();
}

#[test]
fn a_removed_run_leaves_nothing_behind_and_its_saved_keys_hold_their_window() {
    let mut bench = Bench::new(1, Workflow { once: true, ..list(&["send"]) });
    bench.engine.set_retention(0, None, Some(0));
    bench.add(0, "ana");
    bench.ok(0, (0, 0, 1));
    assert_eq!(removed(&mut bench, 0, 9), [0]);
    let run = bench.add(1, "ana");
    assert_eq!(bench.status(run.0), Status::Succeeded, "the store's window is its own");
    assert_eq!(bench.count(|event| matches!(event, Event::StepSkipped { saved_by: RunId(0), .. })), 1);
    removed(&mut bench, 1, 9);
    assert_eq!(bench.engine.state().runs().count(), 0);
    bench.check_journal();
}

proptest! {
    /// However requests, ends and prunes follow one another: what is open stays, an ID is one run, the journal replays.
    #[test]
    fn prunes_never_remove_what_is_open(steps in prop::collection::vec((0u8..4, 0u8..6, 0u64..200), 1..60)) {
        let mut bench = Bench::new(2, list(&["a"]));
        bench.engine.set_retention(0, None, Some(100));
        let (mut now, mut calls) = (0, Vec::new());
        for (what, id, wait) in steps {
            now += wait;
            match what {
                0 | 1 => {
                    let id = format!("id-{id}");
                    let before = bench.engine.state().run_of_id(&id);
                    let request = NewRun { payload: payload("{}"), ..new(&id, "{}") };
                    let answer = bench.engine.handle_enqueue(now, bench.workflow, request).unwrap();
                    prop_assert_eq!(answer.created(), before.is_none());
                }
                2 => if let Some(call) = calls.pop() { bench.ok(now, call); },
                _ => {
                    let open = |bench: &Bench| bench.engine.state().runs().filter(|(_, run)| run.ended_at.is_none()).count();
                    let before = open(&bench);
                    let pruned = bench.engine.handle_prune(now, usize::from(id));
                    prop_assert_eq!(open(&bench), before);
                    prop_assert!(pruned.runs.len() <= usize::from(id));
                }
            }
            calls.extend(bench.calls());
        }
        bench.check_journal();
    }
}
