//! Stable run IDs (SEMANTICS 1C, 2.1 to 2.4): which request makes a run, which gets one back, which is refused.

mod bench;

use bench::{Bench, HOUR, handler, list, new, payload, retries};
use proptest::prelude::*;
use twiceproof_core::{
    admission::{Difference, DifferenceKind, Mismatch, OnExisting, Payload, Projection},
    engine::{Admitted, EnqueueError, HandlerEnd, NewRun, RedriveError, RunPhase, Status, StepAnswer},
    ids::{RunId, StepId},
    journal::{Event, Origin},
    key::{self, InvalidKey},
    retry::{Failure, RetryPolicy},
    workflow::Workflow,
};

const ID: &str = "vendor-payout:vendor_42:2026-09";
const PAYLOAD: &str = r#"{"vendorId":"vendor_42","amountMinor":50000}"#;
const STATUSES: [Status; 5] = [Status::Pending, Status::Running, Status::Succeeded, Status::Cancelled, Status::Dead];

/// A bench with one run of `ID` in this status. The one worker is busy with another run while it is pending.
fn bench_with(status: Status) -> (Bench, RunId) {
    let mut bench = Bench::new(1, list(&["transfer"]));
    let cancels_waiting = status == Status::Pending;
    if cancels_waiting {
        bench.add(0, "somebody else");
    }
    let run = bench.ask(10, ID, PAYLOAD).unwrap().run();
    bench.run_to(20, run, status);
    (bench, run)
}

fn differences(refused: Result<Admitted, EnqueueError>) -> Vec<(String, DifferenceKind)> {
    match refused {
        Err(EnqueueError::Conflict { mismatch: Mismatch::Payload { differences, .. }, .. }) => {
            differences.into_iter().map(|Difference { path, kind }| (path, kind)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn c02_to_c07_c22_the_four_rows_of_the_table_in_every_state() {
    for status in STATUSES {
        let (mut bench, run) = bench_with(status);
        let other = bench.engine.define(30, Workflow { name: "refund".into(), ..list(&["pay back"]) }).unwrap();
        let before = bench.engine.state().run(run).cloned();
        let runs = bench.engine.state().runs().count();

        assert_eq!(bench.ask(40, ID, PAYLOAD), Ok(Admitted::Existing(run)), "{status:?}");
        assert_eq!(bench.engine.state().runs().count(), runs);

        let changed = bench.ask(40, ID, r#"{"vendorId":"vendor_42","amountMinor":60000}"#);
        assert_eq!(differences(changed), [("payload.amountMinor".into(), DifferenceKind::Value)], "{status:?}");
        let of_other = bench.engine.handle_enqueue(40, other, new(ID, PAYLOAD));
        assert_eq!(of_other, Err(EnqueueError::Conflict { run, mismatch: Mismatch::Workflow }), "{status:?}");

        assert_eq!(bench.engine.state().run(run), before.as_ref(), "{status:?}: the run is unchanged");
        assert_eq!(bench.engine.state().runs().count(), runs);

        let new_id = bench.ask(40, "vendor-payout:vendor_42:2026-10", PAYLOAD).unwrap();
        assert!(new_id.created() && new_id.run() != run);
        let without = || NewRun { payload: payload(PAYLOAD), ..NewRun::default() };
        let first = bench.engine.handle_enqueue(40, bench.workflow, without()).unwrap();
        let second = bench.engine.handle_enqueue(40, bench.workflow, without()).unwrap();
        assert!(first.created() && second.created() && first != second, "C2: no id, a new run each");
        bench.check_journal();
    }
}

#[test]
fn c01_c08_the_id_is_taken_verbatim_and_stored_before_the_answer() {
    let mut bench = Bench::new(1, list(&["a"]));
    let run = bench.ask(0, " A:b\u{e9} ", "{}").unwrap().run();
    assert_eq!(bench.engine.state().run(run).unwrap().id.as_deref(), Some(" A:b\u{e9} "));
    assert_eq!(
        bench.count(|event| matches!(event, Event::RunQueued { id: Some(id), .. } if **id == *" A:b\u{e9} ")),
        1
    );
}

#[test]
fn s2_1_the_workflow_is_compared_before_the_payload_and_both_before_the_state() {
    let (mut bench, run) = bench_with(Status::Running);
    let other = bench.engine.define(0, list(&["b"])).unwrap();
    let both = NewRun { on_existing: OnExisting::Reject, ..new(ID, "{}") };
    let both = bench.engine.handle_enqueue(0, other, both);
    assert_eq!(both, Err(EnqueueError::Conflict { run, mismatch: Mismatch::Workflow }));
    let rejects = NewRun { on_existing: OnExisting::Reject, ..new(ID, "{}") };
    let payload = bench.engine.handle_enqueue(0, bench.workflow, rejects);
    assert!(matches!(payload, Err(EnqueueError::Conflict { mismatch: Mismatch::Payload { .. }, .. })));
}

#[test]
fn c09_c10_c36_callers_with_one_id_make_one_run_and_callers_with_random_ids_one_each() {
    let mut bench = Bench::new(1, list(&["a"]));
    let answers: Vec<_> = (0..100).map(|_| bench.ask(0, ID, PAYLOAD).unwrap()).collect();
    assert_eq!(answers.iter().filter(|answer| answer.created()).count(), 1);
    assert!(answers.iter().all(|answer| answer.run() == RunId(0)));
    for request in 0..10 {
        assert!(bench.ask(0, &format!("request-{request}"), PAYLOAD).unwrap().created());
    }
}

#[test]
fn c11_c34_ids_are_unique_across_workflows_of_one_engine_and_not_across_engines() {
    let (mut bench, run) = bench_with(Status::Running);
    let other = bench.engine.define(0, Workflow { name: "refund".into(), ..list(&["b"]) }).unwrap();
    assert!(bench.engine.handle_enqueue(0, other, new(ID, PAYLOAD)).is_err());
    assert_eq!(bench.engine.state().run_of_id(ID), Some(run));
    assert!(bench_with(Status::Running).0.ask(0, "other", "{}").unwrap().created());
}

#[test]
fn c12_c13_h05_h06_ids_are_1_to_255_bytes_without_nul_and_refused_before_anything_is_stored() {
    let mut bench = Bench::new(1, list(&["a"]));
    let emoji = "\u{1F600}";
    for id in ["a".repeat(255), "\u{e9}".repeat(127), format!("{}abc", emoji.repeat(63))] {
        assert!(bench.ask(0, &id, "{}").unwrap().created());
    }
    let before = bench.entries().len();
    let bad = [
        ("a".repeat(256), InvalidKey::TooLong { bytes: 256 }),
        ("\u{e9}".repeat(128), InvalidKey::TooLong { bytes: 256 }),
        (emoji.repeat(64), InvalidKey::TooLong { bytes: 256 }),
        (String::new(), InvalidKey::Empty),
        ("a\0b".into(), InvalidKey::Nul { at: 1 }),
    ];
    for (id, why) in bad {
        assert_eq!(bench.ask(0, &id, "{}"), Err(EnqueueError::InvalidId(why)));
    }
    assert_eq!(bench.entries().len(), before);
    assert_eq!(key::check_utf16(&[0xD800]), Err(InvalidKey::LoneSurrogate { at: 0 }));
    let with_nul = r#"{"t":"x\u0000y"}"#;
    assert!(bench.ask(0, "nul-inside", with_nul).unwrap().created(), "in a payload it is a character as any");
    let run = bench.engine.state().run_of_id("nul-inside").unwrap();
    let kept = bench.engine.state().run(run).unwrap().payload.as_ref().unwrap();
    assert_eq!(kept.json().map(|json| &**json), Some(with_nul));
}

#[test]
fn s2_4_composed_and_decomposed_accents_are_two_ids() {
    let mut bench = Bench::new(1, list(&["a"]));
    assert!(bench.ask(0, "caf\u{e9}", "{}").unwrap().created());
    assert!(bench.ask(0, "cafe\u{301}", "{}").unwrap().created());
}

#[test]
fn h01_ids_with_colons_are_four_runs_and_found_again_after_a_reload() {
    let mut bench = Bench::new(1, list(&["a"]));
    let ids = ["a:b", "a:b:c", "a:b:c:d", "fulfill-order:ord_123", "__proto__", "constructor"];
    for id in ids {
        assert!(bench.ask(0, id, "{}").unwrap().created());
    }
    bench.check_journal();
    for (number, id) in ids.iter().enumerate() {
        let run = bench.engine.state().run_of_id(id).unwrap();
        assert_eq!(run, RunId(number as u32));
        assert_eq!(bench.engine.state().run(run).unwrap().id.as_deref(), Some(*id));
    }
}

#[test]
fn h03_c07_a_run_that_is_being_worked_on_is_returned_and_done_once() {
    let (mut bench, run) = bench_with(Status::Running);
    for _ in 0..5 {
        assert_eq!(bench.ask(30, ID, PAYLOAD), Ok(Admitted::Existing(run)));
    }
    bench.ok(40, (run.0, 0, 1));
    assert_eq!(bench.count(|event| matches!(event, Event::AttemptStarted { .. })), 1);
    assert_eq!(bench.count(|event| matches!(event, Event::EnqueueRepeated { .. })), 5);
    assert_eq!(bench.engine.state().runs().count(), 1);
}

#[test]
fn h04_another_workflow_with_the_same_id_is_refused_and_never_runs() {
    let mut bench = Bench::new(2, Workflow { name: "task_1".into(), ..list(&["a"]) });
    let task_2 = bench.engine.define(0, Workflow { name: "task_2".into(), ..list(&["a"]) }).unwrap();
    let json = r#"{"foo":"bar"}"#;
    let run = bench.ask(0, "1", json).unwrap().run();
    let refused = bench.engine.handle_enqueue(0, task_2, new("1", json)).unwrap_err();
    assert_eq!(refused.to_string(), "this id belongs to a run of another workflow");
    assert_eq!(bench.calls(), [(run.0, 0, 1)]);
    bench.ok(1, (run.0, 0, 1));
    assert!(bench.calls().is_empty());
}

#[test]
fn c14_to_c18_a_repeat_changes_neither_schedule_nor_budget_nor_status_nor_steps() {
    let definition = Workflow { step_retry: retries(2.0, 10.0), ..list(&["a", "b"]) };
    let mut bench = Bench::new(1, definition);
    let first = NewRun { run_at: Some(HOUR), ..new(ID, PAYLOAD) };
    let run = bench.engine.handle_enqueue(0, bench.workflow, first).unwrap().run();
    let again = |bench: &mut Bench, now, run_at| {
        let before = bench.engine.state().run(run).cloned();
        let request = NewRun { run_at, ..new(ID, PAYLOAD) };
        let answer = bench.engine.handle_enqueue(now, bench.workflow, request);
        assert_eq!(answer, Ok(Admitted::Existing(run)));
        assert_eq!(bench.engine.state().run(run), before.as_ref());
    };
    again(&mut bench, 1, None);
    again(&mut bench, 2, Some(5));
    assert_eq!((bench.calls(), bench.engine.next_deadline()), (vec![], Some(HOUR)), "C14, C18");
    bench.engine.handle_tick(HOUR);
    bench.ok(HOUR, (0, 0, 1));
    bench.fail(HOUR, (0, 1, 1));
    again(&mut bench, HOUR, None);
    bench.engine.handle_tick(HOUR + 10);
    bench.fail(HOUR + 10, (0, 1, 2));
    assert_eq!(bench.status(0), Status::Dead, "C15: two attempts in all");
    again(&mut bench, HOUR + 11, None);
    assert_eq!(bench.engine.state().run(run).unwrap().progress.states()[0].attempts, 1, "C17");
}

#[test]
fn c19_an_answer_means_a_run_and_not_that_it_is_done() {
    let mut bench = Bench::new(1, list(&["a"]));
    let run = bench.ask(0, ID, PAYLOAD).unwrap().run();
    assert_ne!(bench.status(run.0), Status::Succeeded);
}

#[test]
fn c20_c21_h14_key_order_is_ignored_at_every_depth_and_changed_values_and_orders_conflict() {
    let mut bench = Bench::new(1, list(&["a"]));
    let first = r#"{"name":"Ana","age":30,"address":{"street":"s","number":1},"list":[1,2]}"#;
    bench.ask(0, ID, first).unwrap();
    let reordered = r#"{"list":[1,2.0],"address":{"number":1e0,"street":"s"},"age":30,"name":"Ana"}"#;
    assert_eq!(bench.ask(0, ID, reordered), Ok(Admitted::Existing(RunId(0))));
    let swapped = r#"{"name":"Ana","age":30,"address":{"street":"s","number":1},"list":[2,1]}"#;
    use DifferenceKind::{Extra, Missing, Type, Value};
    let list = [("payload.list[0]".to_string(), Value), ("payload.list[1]".into(), Value)];
    assert_eq!(differences(bench.ask(0, ID, swapped)), list);
    let other = r#"{"name":null,"address":{"street":"s","number":1},"list":[1,2],"receivedAt":5}"#;
    let all =
        [("payload.age".to_string(), Missing), ("payload.name".into(), Type), ("payload.receivedAt".into(), Extra)];
    assert_eq!(differences(bench.ask(0, ID, other)), all);
    let nothing = NewRun { payload: None, ..new(ID, "{}") };
    let nothing = bench.engine.handle_enqueue(0, bench.workflow, nothing);
    assert_eq!(differences(nothing), [("payload".to_string(), Missing)], "no payload is not null");
}

#[test]
fn c21_no_value_of_a_payload_stands_in_a_conflict() {
    let mut bench = Bench::new(1, list(&["a"]));
    bench.ask(0, ID, r#"{"card":"first-secret","n":12345}"#).unwrap();
    let error = bench.ask(0, ID, r#"{"card":"other-secret","n":67890}"#).unwrap_err();
    let told = format!("{error} {error:?} {:?}", bench.entries().last().unwrap());
    assert!(told.contains("payload.card") && !told.contains("secret") && !told.contains("12345"), "{told}");
}

#[test]
fn c21_a_large_payload_conflicts_without_places() {
    let mut bench = Bench::new(1, list(&["a"]));
    let large = |last: char| format!("\"{}{last}\"", "x".repeat(20_000));
    bench.ask(0, ID, &large('a')).unwrap();
    assert_eq!(bench.ask(0, ID, &large('a')), Ok(Admitted::Existing(RunId(0))));
    assert_eq!(differences(bench.ask(0, ID, &large('b'))), []);
    bench.check_journal();
}

#[test]
fn s2_3_fields_that_are_omitted_do_not_count() {
    let mut bench = Bench::new(1, list(&["a"]));
    let projection = Projection::new(&["receivedAt"], None).unwrap();
    let mut ask = |json: &str| {
        let payload = Some(Payload::from_json(json, &projection).unwrap().into());
        bench.engine.handle_enqueue(0, bench.workflow, NewRun { id: Some(ID.into()), payload, ..NewRun::default() })
    };
    assert!(ask(r#"{"order":1,"receivedAt":5}"#).unwrap().created());
    assert_eq!(ask(r#"{"order":1,"receivedAt":6}"#), Ok(Admitted::Existing(RunId(0))));
    assert!(ask(r#"{"order":2,"receivedAt":6}"#).is_err());
}

#[test]
fn s2_2_restart_failed_starts_a_dead_run_again_and_no_other() {
    for status in STATUSES {
        let (mut bench, run) = bench_with(status);
        let request = NewRun { on_existing: OnExisting::RestartFailed { fresh: false }, ..new(ID, PAYLOAD) };
        let answer = bench.engine.handle_enqueue(30, bench.workflow, request).unwrap();
        let dead = status == Status::Dead;
        assert_eq!(answer, if dead { Admitted::Restarted(run) } else { Admitted::Existing(run) });
        assert!(!answer.created() && answer.run() == run);
        assert_eq!(bench.calls(), if dead { vec![(run.0, 0, 2)] } else { vec![] });
        bench.check_journal();
    }
}

#[test]
fn s2_2_a_restart_has_a_new_budget_and_keeps_finished_steps_unless_fresh() {
    for fresh in [false, true] {
        let mut bench = Bench::new(1, Workflow { step_retry: retries(2.0, 0.0), ..list(&["a", "b"]) });
        bench.ask(0, ID, PAYLOAD).unwrap();
        bench.ok(0, (0, 0, 1));
        bench.fail(0, (0, 1, 1));
        bench.fail(0, (0, 1, 2));
        assert_eq!(bench.status(0), Status::Dead);
        bench.commands();
        let request = NewRun { on_existing: OnExisting::RestartFailed { fresh }, ..new(ID, PAYLOAD) };
        bench.engine.handle_enqueue(5, bench.workflow, request).unwrap();
        if fresh {
            assert_eq!(bench.calls(), [(0, 0, 2)]);
            bench.ok(5, (0, 0, 2));
        }
        assert_eq!(bench.calls(), [(0, 1, 3)]);
        bench.fail(5, (0, 1, 3));
        assert_eq!(bench.calls(), [(0, 1, 4)], "two attempts again");
        bench.ok(6, (0, 1, 4));
        assert_eq!(bench.status(0), Status::Succeeded);
        bench.check_journal();
    }
}

#[test]
fn s2_2_reject_refuses_every_run_that_exists() {
    for status in STATUSES {
        let (mut bench, run) = bench_with(status);
        let request = NewRun { on_existing: OnExisting::Reject, ..new(ID, PAYLOAD) };
        let answer = bench.engine.handle_enqueue(30, bench.workflow, request);
        assert_eq!(answer, Err(EnqueueError::Exists { run, status }));
        assert_eq!(bench.count(|event| matches!(event, Event::EnqueueRefused { mismatch: None, .. })), 1);
        bench.check_journal();
    }
}

#[test]
fn s2_2_replace_running_stops_an_open_run_at_once_and_a_new_one_takes_its_id() {
    for status in STATUSES {
        let (mut bench, old) = bench_with(status);
        let request = NewRun { on_existing: OnExisting::ReplaceRunning, ..new(ID, PAYLOAD) };
        let answer = bench.engine.handle_enqueue(30, bench.workflow, request).unwrap();
        if matches!(status, Status::Pending | Status::Running) {
            let run = RunId(old.0 + 1);
            assert_eq!(answer, Admitted::Replaced { run, stopped: old });
            assert_eq!(bench.status(old.0), Status::Cancelled);
            assert_eq!(bench.engine.state().run_of_id(ID), Some(run));
            let origin = bench.engine.state().run(run).unwrap().origin.clone().unwrap();
            assert_eq!(*origin, Origin::Replacement { of: old });
        } else {
            assert_eq!(answer, Admitted::Existing(old));
        }
        bench.check_journal();
    }
}

#[test]
fn s2_2_who_shared_a_key_with_a_replaced_run_does_the_work_then() {
    let mut bench = Bench::new(3, Workflow { once: true, ..list(&["send"]) });
    let request = |on_existing| NewRun { subject: Some("ana".into()), on_existing, ..new(ID, PAYLOAD) };
    bench.engine.handle_enqueue(0, bench.workflow, request(OnExisting::Return)).unwrap();
    bench.add(0, "ana");
    assert_eq!(bench.calls(), [(0, 0, 1)], "the second shares the first's call");
    bench.engine.handle_enqueue(1, bench.workflow, request(OnExisting::ReplaceRunning)).unwrap();
    assert_eq!(bench.calls(), [(1, 0, 2)], "and does it when the first is stopped; the new one shares that");
    bench.ok(2, (1, 0, 2));
    assert_eq!([0, 1, 2].map(|run| bench.status(run)), [Status::Cancelled, Status::Succeeded, Status::Succeeded]);
    bench.check_journal();
}

#[test]
fn h02_a_removed_run_does_not_free_an_id_that_another_has_taken() {
    let (mut bench, old) = bench_with(Status::Running);
    let request = NewRun { on_existing: OnExisting::ReplaceRunning, ..new(ID, PAYLOAD) };
    let run = bench.engine.handle_enqueue(30, bench.workflow, request).unwrap().run();
    bench.engine.handle_forget(40, old, Some("by hand")).unwrap();
    assert_eq!(bench.ask(50, ID, PAYLOAD), Ok(Admitted::Existing(run)));
    bench.check_journal();
}

#[test]
fn c23_s2_11_a_dead_run_is_done_again_under_a_new_id() {
    let (mut bench, dead) = bench_with(Status::Dead);
    let run = bench.engine.handle_redrive(30, dead, Some("vendor-payout:vendor_42:2026-09:again")).unwrap();
    let redriven = bench.engine.state().run(run).unwrap();
    assert_eq!(redriven.origin.as_deref(), Some(&Origin::Redrive { from: dead }));
    assert_eq!(redriven.payload, bench.engine.state().run(dead).unwrap().payload);
    assert_eq!(bench.calls(), [(run.0, 0, 1)]);
    assert_eq!(bench.engine.handle_redrive(30, dead, Some(ID)), Err(RedriveError::Exists { run: dead }));
    let status = bench.status(run.0);
    assert_eq!(bench.engine.handle_redrive(30, run, None), Err(RedriveError::NotDead { status }));
    assert_eq!(bench.engine.handle_redrive(30, RunId(99), None), Err(RedriveError::Unknown));
    assert_eq!(bench.status(dead.0), Status::Dead, "the first stays as it is");
    bench.check_journal();
}

#[test]
fn s2_11_cancel_a_waiting_run_at_once_and_keep_its_id() {
    let (mut bench, run) = bench_with(Status::Pending);
    bench.engine.handle_cancel(30, run);
    assert_eq!(bench.status(run.0), Status::Cancelled);
    assert_eq!(bench.ask(40, ID, PAYLOAD), Ok(Admitted::Existing(run)));
}

#[test]
fn s2_11_a_paused_workflow_starts_nothing_and_finishes_what_runs() {
    let mut bench = Bench::new(2, list(&["a", "b"]));
    let other = bench.engine.define(0, list(&["c"])).unwrap();
    bench.ask(0, "first", "{}").unwrap();
    bench.calls();
    assert!(bench.engine.handle_pause(1, bench.workflow) && !bench.engine.handle_pause(1, bench.workflow));
    bench.ask(2, "second", "{}").unwrap();
    bench.engine.handle_enqueue(3, other, NewRun::default()).unwrap();
    assert_eq!(bench.calls(), [(2, 0, 1)], "another workflow is not held up");
    bench.ok(4, (0, 0, 1));
    bench.ok(4, (0, 1, 1));
    bench.ok(4, (2, 0, 1));
    assert_eq!((bench.status(0), bench.status(1)), (Status::Succeeded, Status::Pending));
    assert_eq!(bench.engine.next_deadline(), None);
    bench.commands();
    assert!(bench.engine.handle_resume(5, bench.workflow));
    assert_eq!(bench.calls(), [(1, 0, 1)]);
    bench.check_journal();
}

#[test]
fn a_run_that_is_due_and_finds_no_worker_is_no_deadline() {
    let mut bench = Bench::new(1, list(&["a"]));
    bench.add(0, "busy");
    let later = NewRun { run_at: Some(100), ..NewRun::default() };
    bench.engine.handle_enqueue(0, bench.workflow, later).unwrap();
    bench.engine.handle_tick(100);
    assert_eq!(bench.engine.next_deadline(), None, "a tick could do nothing, for ever");
    bench.calls();
    bench.ok(150, (0, 0, 1));
    assert_eq!(bench.calls(), [(1, 0, 1)]);
}

#[test]
fn c24_the_statuses_are_five_and_have_names() {
    for status in STATUSES {
        assert_eq!(bench_with(status).0.engine.state().retained(ID).unwrap().status, status);
    }
    assert_eq!(STATUSES.map(Status::name), ["pending", "running", "succeeded", "cancelled", "dead"]);
}

#[test]
fn c31_c32_c33_a_saved_step_is_handed_on_and_an_unsaved_one_is_called_again_with_the_same_key() {
    let mut bench = Bench::new(1, handler(retries(2.0, 0.0)));
    let run = bench.ask(0, ID, PAYLOAD).unwrap().run();
    bench.engine.handle_step(0, run, "reserve").unwrap();
    bench.ok(0, (0, 0, 1));
    bench.engine.handle_step(0, run, "transfer").unwrap();
    // The process stops after the provider acted and before the result was saved.
    bench.engine.handle_restart(1);
    assert_eq!(bench.engine.handle_step(2, run, "reserve"), Ok(StepAnswer::Replay { step: StepId(0) }));
    assert_eq!(bench.engine.handle_step(2, run, "transfer"), Ok(StepAnswer::Wait { step: StepId(1) }));
    assert!(bench.calls().contains(&(0, 1, 2)));
    let id = bench.engine.state().run(run).unwrap().id.clone().unwrap();
    assert_eq!(key::of_step(&id, "transfer"), "vendor-payout:vendor_42:2026-09:transfer", "on every attempt");
}

#[test]
fn c35_another_period_or_revision_is_another_run_and_the_same_revision_is_not() {
    let mut bench = Bench::new(1, list(&["a"]));
    let mut report = |month: &str, revision: u32| {
        let id = format!("sales-report:team_7:{month}:rev_{revision}");
        bench.ask(0, &id, &format!(r#"{{"month":"{month}","revision":{revision}}}"#)).unwrap()
    };
    assert!(report("2026-09", 3).created() && report("2026-09", 4).created() && report("2026-10", 3).created());
    assert_eq!(report("2026-09", 3), Admitted::Existing(RunId(0)));
}

#[test]
fn c37_retries_come_after_the_first_attempt() {
    let retries_after_the_first = 4.0;
    let mut bench = Bench::new(1, Workflow { step_retry: retries(1.0 + retries_after_the_first, 0.0), ..list(&["a"]) });
    bench.ask(0, ID, PAYLOAD).unwrap();
    for attempt in 1..=5 {
        assert_eq!(bench.calls(), [(0, 0, attempt)]);
        bench.fail(0, (0, 0, attempt));
    }
    assert_eq!(bench.status(0), Status::Dead);
}

#[test]
fn c38_the_same_work_twice_is_one_id_and_a_changed_payload_conflicts() {
    let mut bench = Bench::new(1, list(&["a"]));
    let (first, second) = (bench.ask(0, ID, PAYLOAD).unwrap(), bench.ask(1, ID, PAYLOAD).unwrap());
    assert_eq!(first.run(), second.run());
    let refused = bench.ask(2, ID, "{}").unwrap_err();
    assert_eq!(refused.to_string(), "this id belongs to a run with another payload");
}

#[test]
fn h35_a_result_that_cannot_be_saved_ends_the_run_after_one_call() {
    let mut bench = Bench::new(1, handler(retries(3.0, 0.0)));
    let run = bench.ask(0, ID, PAYLOAD).unwrap().run();
    bench.engine.handle_step(0, run, "build").unwrap();
    let failure = Failure { final_: true, retry_after_ms: None };
    bench.fail_as(1, (0, 0, 1), failure);
    let threw = HandlerEnd::Threw { error: "step \"build\": result.self refers to itself".into(), failure };
    bench.engine.handle_handler_ended(1, run, 1, threw).unwrap();
    assert!(matches!(bench.engine.state().run(run).unwrap().phase, RunPhase::GaveUp { .. }));
    assert_eq!(bench.count(|event| matches!(event, Event::AttemptStarted { .. })), 1);
    assert!(bench.engine.state().is_idle());
}

#[test]
fn many_ids_in_one_batch_none_is_forgotten() {
    let mut bench = Bench::new(2, Workflow { step_retry: RetryPolicy::once(), ..list(&["a"]) });
    for number in 0..2_000 {
        assert!(bench.ask(0, &format!("job-{number}"), &format!("{{\"n\":{number}}}")).unwrap().created());
    }
    for number in 0..2_000 {
        let run = RunId(number);
        assert_eq!(bench.ask(1, &format!("job-{number}"), &format!("{{\"n\":{number}}}")), Ok(Admitted::Existing(run)));
    }
}

proptest! {
    /// Any interleaving of callers with one ID and the work itself makes one run, and its effect is asked for once.
    #[test]
    fn s2_15_any_interleaving_of_callers_creates_one_run(steps in prop::collection::vec(0u8..4, 1..40)) {
        let mut bench = Bench::new(1, list(&["a"]));
        let mut asked = false;
        for (now, step) in steps.into_iter().enumerate() {
            match step {
                0..=2 => {
                    let answer = bench.ask(now as u64, ID, PAYLOAD).unwrap();
                    prop_assert_eq!((answer.created(), answer.run()), (!asked, RunId(0)));
                    asked = true;
                }
                _ => if let Some(&call) = bench.calls().first() {
                    bench.ok(now as u64, call);
                }
            }
        }
        let calls = bench.count(|event| matches!(event, Event::AttemptStarted { .. }));
        prop_assert!(calls <= 1);
        bench.check_journal();
    }
}
