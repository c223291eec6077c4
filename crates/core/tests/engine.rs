//! The engine from outside.

mod bench;

use bench::{Bench, HOUR, handler, list, retries};
use twiceproof_core::{
    admission::Mismatch,
    engine::{
        Admitted, CallEnd, Command, EnqueueError, HandlerEnd, NewRun, Refused, RunPhase, Settled, Stale, Status,
        StepAnswer,
    },
    ids::{RunId, StepId},
    journal::Event,
    retry::{Failure, GiveUp, RetryPolicy},
    workflow::{StepNameError, Workflow},
};

#[test]
fn a30_steps_run_in_order_and_a_failing_one_ends_the_job() {
    let mut bench = Bench::new(1, list(&["a", "b", "c"]));
    bench.add(0, "u");
    assert_eq!(bench.calls(), [(0, 0, 1)]);
    bench.ok(1, (0, 0, 1));
    assert_eq!(bench.calls(), [(0, 1, 1)]);
    bench.fail(2, (0, 1, 1));
    assert!(bench.calls().is_empty());
    assert_eq!(bench.status(0), Status::Dead);
    assert!(bench.engine.state().is_idle());
}

#[test]
fn a31_each_step_has_attempts_of_its_own_and_they_wait() {
    let mut bench = Bench::new(1, Workflow { step_retry: retries(3.0, 100.0), ..list(&["a", "b"]) });
    bench.add(0, "u");
    bench.calls();
    bench.fail(10, (0, 0, 1));
    assert_eq!(bench.engine.next_deadline(), Some(110));
    bench.engine.handle_tick(109);
    assert!(bench.calls().is_empty());
    bench.engine.handle_tick(110);
    assert_eq!(bench.calls(), [(0, 0, 2)]);
    bench.fail(110, (0, 0, 2));
    bench.engine.handle_tick(310);
    assert_eq!(bench.calls(), [(0, 0, 3)]);
    bench.ok(310, (0, 0, 3));
    assert_eq!(bench.calls(), [(0, 1, 1)]);
    bench.ok(320, (0, 1, 1));
    assert_eq!(bench.status(0), Status::Succeeded);
}

#[test]
fn a31_retrying_the_whole_job_begins_at_its_first_step() {
    let mut bench = Bench::new(1, Workflow { run_retry: retries(2.0, 0.0), ..list(&["a", "b"]) });
    bench.add(0, "u");
    bench.calls();
    bench.ok(0, (0, 0, 1));
    bench.fail(0, (0, 1, 1));
    assert_eq!(bench.calls(), [(0, 1, 1), (0, 0, 2)], "attempts count over all passes");
    bench.ok(0, (0, 0, 2));
    bench.fail(0, (0, 1, 2));
    assert_eq!(bench.status(0), Status::Dead);
}

#[test]
fn a16_a19_a20_the_same_sign_up_twice_is_two_jobs_and_each_step_once() {
    let mut bench = Bench::new(1, Workflow { once: true, ..list(&["save", "send"]) });
    for user in ["ana", "ana", "ben"] {
        bench.add(0, user);
    }
    let mut order = Vec::new();
    while let Some(&call) = bench.calls().first() {
        order.push(call);
        bench.ok(0, call);
    }
    assert_eq!(order, [(0, 0, 1), (0, 1, 1), (2, 0, 1), (2, 1, 1)]);
    assert_eq!(bench.status(1), Status::Succeeded);
    assert_eq!(bench.count(|event| matches!(event, Event::StepSkipped { saved_by: RunId(0), .. })), 2);
}

#[test]
fn a03_a05_a_joined_run_shares_its_outcome_and_its_error() {
    let definition = Workflow { once: true, step_retry: retries(2.0, 100.0), ..list(&["send"]) };
    let mut bench = Bench::new(3, definition);
    for _ in 0..3 {
        bench.add(0, "ana");
    }
    assert_eq!(bench.calls(), [(0, 0, 1)], "one execution for three callers");
    bench.fail(5, (0, 0, 1));
    assert_eq!(bench.count(|event| matches!(event, Event::AttemptFailed { error, .. } if **error == *"boom")), 3);
    bench.engine.handle_tick(105);
    assert_eq!(bench.calls(), [(0, 0, 2)], "the first to come back leads, the others join again");
    bench.ok(110, (0, 0, 2));
    assert_eq!([0, 1, 2].map(|run| bench.status(run)), [Status::Succeeded; 3]);
}

#[test]
fn a14_the_store_cannot_see_a_lost_reply() {
    let definition = Workflow { once: true, step_retry: retries(2.0, 0.0), ..list(&["send"]) };
    let mut bench = Bench::new(1, definition);
    bench.add(0, "ana");
    assert_eq!(bench.calls(), [(0, 0, 1)]);
    bench.fail(1, (0, 0, 1));
    assert_eq!(bench.calls(), [(0, 0, 2)], "whatever the provider did, the work is called again");
}

#[test]
fn a13_a_restart_forgets_every_key_and_starts_unfinished_runs_over() {
    let mut bench = Bench::new(1, Workflow { once: true, ..list(&["save", "send"]) });
    bench.add(0, "ana");
    bench.add(0, "ana");
    bench.calls();
    bench.ok(1, (0, 0, 1));
    assert_eq!(bench.calls(), [(0, 1, 1)]);
    bench.engine.handle_restart(2);
    assert_eq!(bench.calls(), [(0, 0, 2)], "from its first step, before those that waited");
    assert_eq!(bench.engine.state().keys_live(), 1);
    let stale = bench.engine.handle_call_ended(3, RunId(0), StepId(1), 1, CallEnd::Succeeded);
    assert_eq!(stale, Err(Stale("this attempt is not under way")));
}

#[test]
fn a12_s2_3_other_data_is_refused_only_if_asked_to_compare() {
    for (compare_data, skipped) in [(false, true), (true, false)] {
        let mut bench = Bench::new(1, Workflow { once: true, compare_data, ..list(&["send"]) });
        for data in [1, 2] {
            let new = NewRun { subject: Some("ana".into()), data: Some(data), ..NewRun::default() };
            bench.engine.handle_enqueue(0, bench.workflow, new).unwrap();
        }
        bench.ok(0, (0, 0, 1));
        assert_eq!(bench.count(|event| matches!(event, Event::StepSkipped { other_data: true, .. })) == 1, skipped);
        let conflict = RunPhase::GaveUp { why: GiveUp::KeyConflict };
        assert_eq!(bench.engine.state().run(RunId(1)).unwrap().phase == conflict, !skipped);
    }
}

#[test]
fn s2_7_a_final_failure_ends_the_run_whatever_is_left() {
    let definition = Workflow { step_retry: retries(9.0, 0.0), run_retry: retries(9.0, 0.0), ..list(&["a"]) };
    let mut bench = Bench::new(1, definition);
    bench.add(0, "u");
    bench.fail_as(0, (0, 0, 1), Failure { final_: true, retry_after_ms: None });
    assert_eq!(bench.engine.state().run(RunId(0)).unwrap().phase, RunPhase::GaveUp { why: GiveUp::NotRetryable });
}

#[test]
fn s2_7_a_told_delay_holds_for_the_retry_of_a_whole_run_too() {
    let mut bench = Bench::new(1, Workflow { run_retry: retries(2.0, 10.0), ..list(&["a"]) });
    bench.add(0, "u");
    bench.fail_as(0, (0, 0, 1), Failure { final_: false, retry_after_ms: Some(5000) });
    assert_eq!(bench.engine.next_deadline(), Some(5000));
}

#[test]
fn c03_c04_c06_an_id_is_one_run() {
    let mut bench = Bench::new(1, list(&["a"]));
    let other = bench.engine.define(0, list(&["b"])).unwrap();
    let new = |data| NewRun { id: Some("sign-up:1".into()), data: Some(data), ..NewRun::default() };
    let mut enqueue = |workflow, data| bench.engine.handle_enqueue(0, workflow, new(data));
    let run = RunId(0);
    assert_eq!(enqueue(bench.workflow, 1), Ok(Admitted::Created(run)));
    assert_eq!(enqueue(bench.workflow, 1), Ok(Admitted::Existing(run)));
    let conflict = |mismatch| Err(EnqueueError::Conflict { run, mismatch });
    assert_eq!(enqueue(bench.workflow, 2), conflict(Mismatch::Payload { differences: vec![], more: 0 }));
    assert_eq!(enqueue(other, 2), conflict(Mismatch::Workflow), "the workflow is compared first");
    assert_eq!(bench.engine.state().runs().count(), 1);
}

#[test]
fn s2_4_bad_ids_are_refused_before_anything_is_stored() {
    let mut bench = Bench::new(1, list(&["a"]));
    let before = bench.engine.sink().entries().len();
    for id in ["", "a\0b", &"a".repeat(256)] {
        let new = NewRun { id: Some(id.into()), ..NewRun::default() };
        assert!(matches!(bench.engine.handle_enqueue(0, bench.workflow, new), Err(EnqueueError::InvalidId(_))));
    }
    assert_eq!(bench.engine.sink().entries().len(), before);
}

#[test]
fn h40_a_run_that_is_due_later_waits_for_its_time() {
    let mut bench = Bench::new(1, list(&["a"]));
    let month = 30 * 24 * HOUR;
    let new = NewRun { run_at: Some(month), ..NewRun::default() };
    bench.engine.handle_enqueue(0, bench.workflow, new).unwrap();
    assert!(bench.calls().is_empty());
    assert_eq!(bench.engine.next_deadline(), Some(month));
    bench.engine.handle_tick(month - 1);
    assert!(bench.calls().is_empty());
    bench.engine.handle_tick(month);
    assert_eq!(bench.calls(), [(0, 0, 1)]);
}

#[test]
fn s2_14_a_clock_that_jumps_back_fires_nothing_early() {
    let mut bench = Bench::new(1, Workflow { step_retry: retries(2.0, 100.0), ..list(&["a"]) });
    bench.add(1000, "u");
    bench.calls();
    bench.fail(1000, (0, 0, 1));
    bench.engine.handle_tick(5);
    assert_eq!((bench.calls(), bench.engine.next_deadline()), (vec![], Some(1100)));
}

#[test]
fn s2_11_the_end_is_a_step_boundary_too() {
    let mut bench = Bench::new(2, list(&["a"]));
    bench.add(0, "u");
    assert!(bench.engine.handle_cancel(1, RunId(0)), "in its last step");
    bench.ok(2, (0, 0, 1));
    let mut handled = Bench::new(2, handler(RetryPolicy::once()));
    handled.add(0, "u");
    assert!(handled.engine.handle_cancel(1, RunId(0)), "after its last step");
    handled.engine.handle_handler_ended(2, RunId(0), 1, HandlerEnd::Returned).unwrap();
    assert_eq!([bench.status(0), handled.status(0)], [Status::Cancelled; 2]);
}

#[test]
fn s2_11_cancel_is_at_once_while_waiting_and_at_the_next_step_while_running() {
    let mut bench = Bench::new(1, list(&["a", "b"]));
    bench.add(0, "u");
    bench.add(0, "v");
    bench.calls();
    assert!(bench.engine.handle_cancel(1, RunId(1)), "it waits for a worker");
    assert_eq!(bench.status(1), Status::Cancelled);
    assert!(bench.engine.handle_cancel(1, RunId(0)));
    assert_eq!(bench.status(0), Status::Running);
    bench.ok(2, (0, 0, 1));
    assert_eq!(bench.status(0), Status::Cancelled);
    assert!(!bench.engine.handle_cancel(3, RunId(0)), "it is over");
    assert!(bench.engine.state().is_idle());
}

#[test]
fn c31_c32_a_handlers_finished_steps_are_replayed_and_unfinished_ones_run_again() {
    let mut bench = Bench::new(1, handler(retries(2.0, 0.0)));
    let run = bench.add(0, "u");
    assert_eq!(bench.commands(), [Command::Handle { run, pass: 1 }]);
    let (a, b) = (StepId(0), StepId(1));
    assert_eq!(bench.engine.handle_step(0, run, "a"), Ok(StepAnswer::Wait { step: a }));
    bench.ok(1, (0, 0, 1));
    assert_eq!(bench.commands()[1], Command::Settle { run, step: a, how: Settled::Done });
    bench.engine.handle_step(1, run, "b").unwrap();
    bench.fail(2, (0, 1, 1));
    assert!(bench.commands().contains(&Command::Settle { run, step: b, how: Settled::GaveUp }));
    let threw = HandlerEnd::Threw { error: "boom".into(), failure: Failure::default() };
    bench.engine.handle_handler_ended(2, run, 1, threw).unwrap();
    assert_eq!(bench.commands(), [Command::Handle { run, pass: 2 }]);
    assert_eq!(bench.engine.handle_step(3, run, "a"), Ok(StepAnswer::Replay { step: a }));
    assert_eq!(bench.engine.handle_step(3, run, "b"), Ok(StepAnswer::Wait { step: b }));
    assert_eq!(bench.calls(), [(0, 1, 2)]);
    bench.ok(4, (0, 1, 2));
    bench.engine.handle_handler_ended(4, run, 2, HandlerEnd::Returned).unwrap();
    assert_eq!(bench.status(0), Status::Succeeded);
}

#[test]
fn s2_10_h32_a_step_name_used_twice_in_a_pass_is_refused() {
    let mut bench = Bench::new(1, handler(RetryPolicy::once()));
    let run = bench.add(0, "u");
    bench.engine.handle_step(0, run, "add-ten").unwrap();
    let twice = Err(Refused::Name(StepNameError::Duplicate { name: "add-ten".into() }));
    assert_eq!(bench.engine.handle_step(0, run, "add-ten"), twice);
    bench.ok(1, (0, 0, 1));
    assert_eq!(bench.engine.handle_step(1, run, "add-ten"), twice, "also after it finished");
}

#[test]
fn h34_saved_results_belong_to_names_not_positions() {
    let mut bench = Bench::new(1, handler(retries(2.0, 0.0)));
    let run = bench.add(0, "u");
    for (step, name) in ["a", "b"].into_iter().enumerate() {
        bench.engine.handle_step(0, run, name).unwrap();
        bench.ok(0, (0, step as u32, 1));
    }
    let threw = HandlerEnd::Threw { error: "boom".into(), failure: Failure::default() };
    bench.engine.handle_handler_ended(0, run, 1, threw).unwrap();
    let mut answer = |name: &str| bench.engine.handle_step(1, run, name).unwrap();
    assert_eq!(answer("a"), StepAnswer::Replay { step: StepId(0) });
    assert_eq!(answer("new"), StepAnswer::Wait { step: StepId(2) });
    assert_eq!(answer("b"), StepAnswer::Replay { step: StepId(1) });
}

#[test]
fn s2_7_a_sleep_holds_until_its_time_and_uses_no_attempt() {
    let mut bench = Bench::new(1, handler(RetryPolicy::once()));
    let run = bench.add(0, "u");
    bench.commands();
    let step = StepId(0);
    bench.engine.handle_sleep(0, run, "a day", 24 * HOUR).unwrap();
    assert_eq!((bench.commands(), bench.engine.next_deadline()), (vec![], Some(24 * HOUR)));
    bench.engine.handle_tick(24 * HOUR);
    assert_eq!(bench.commands(), [Command::Settle { run, step, how: Settled::Done }]);
    assert_eq!(bench.count(|event| matches!(event, Event::AttemptStarted { .. })), 0);
}

#[test]
fn parallel_steps_of_a_handler_are_apart() {
    let mut bench = Bench::new(1, handler(RetryPolicy::once()));
    let run = bench.add(0, "u");
    for name in ["a", "b"] {
        bench.engine.handle_step(0, run, name).unwrap();
    }
    assert_eq!(bench.calls(), [(0, 0, 1), (0, 1, 1)]);
    bench.ok(1, (0, 1, 1));
    bench.engine.handle_handler_ended(2, run, 1, HandlerEnd::Returned).unwrap();
    let interrupted = |event: &Event| matches!(event, Event::AttemptInterrupted { step: StepId(0), .. });
    assert_eq!(bench.count(interrupted), 1, "a call nobody waited for ends with the run");
}
