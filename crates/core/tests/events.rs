//! Events and functions (SEMANTICS 1B, 2.9): what starts, what does not and why, at the edges of every window.

mod bench;

use std::sync::Arc;

use bench::{
    Bench, HOUR,
    functions::{NAME, duplicate, event, key, keyed, one, only, same_key, started, value, with},
    payload,
};
use twiceproof_core::{
    engine::{NewRun, ReplayError, SendError, Start, Status},
    events::{Batch, Debounce, Function, FunctionKeys, Given, KeyRule, NewEvent, NoStart, RateLimit, WINDOW_MS},
    ids::{EventId, RunId, WorkflowId},
    journal::{Event, Origin},
    key::InvalidKey,
};

#[test]
fn b01_without_an_id_every_event_starts_its_functions() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    assert_eq!([started(&bench.send(0, None)), started(&bench.send(0, None))], [1, 1]);
}

#[test]
fn b02_b03_b04_b05_b07_a_repeated_id_is_in_the_history_and_starts_nothing() {
    let (mut bench, _) = with(vec![Function::on(&[NAME]), Function::on(&["other", NAME]), Function::on(&["other"])]);
    let first = bench.send(8 * HOUR, Some("checkout-completed-1"));
    assert_eq!((started(&first), first.starts.len()), (2, 2), "B5: each that listens");
    let again = bench.send(8 * HOUR + 248, Some("checkout-completed-1"));
    assert_eq!(again.duplicate_of, Some(EventId(0)));
    assert!(again.starts.iter().all(|(_, start)| *start == duplicate(0, WINDOW_MS - 248)), "B4, B7");
    let history: Vec<_> = bench.engine.state().intake().events().map(|(_, event)| event.duplicate_of).collect();
    assert_eq!(history, [None, Some(EventId(0))], "B3");
    assert_eq!(bench.runs(), 2);
    bench.check_journal();
}

#[test]
fn b06_an_id_is_new_again_after_exactly_24_hours() {
    for (wait, starts) in [(WINDOW_MS - 1, 0), (WINDOW_MS, 1), (WINDOW_MS + 1, 1)] {
        let (mut bench, _) = one(Function::on(&[NAME]));
        bench.send(100, Some("id"));
        assert_eq!(started(&bench.send(100 + wait, Some("id"))), starts, "after {wait}");
        bench.check_journal();
    }
}

#[test]
fn s2_8_repeats_do_not_extend_the_window_and_it_begins_again_with_the_next_acceptance() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    bench.send(0, Some("id"));
    assert_eq!(only(bench.send(WINDOW_MS - 1, Some("id"))), duplicate(0, 1));
    assert_eq!(started(&bench.send(WINDOW_MS, Some("id"))), 1, "not extended");
    assert_eq!(only(bench.send(2 * WINDOW_MS - 1, Some("id"))), duplicate(2, 1), "counted from the second acceptance");
    assert_eq!(started(&bench.send(2 * WINDOW_MS, Some("id"))), 1);
    bench.check_journal();
}

#[test]
fn b08_an_id_used_for_something_new_is_a_repeat_all_the_same() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    let with_data = |json| NewEvent { payload: payload(json), ..event(Some("id")) };
    bench.engine.handle_send(0, with_data(r#"{"cart":1}"#)).unwrap();
    let other = bench.engine.handle_send(5, with_data(r#"{"cart":2}"#)).unwrap();
    assert_eq!(only(other), duplicate(0, WINDOW_MS - 5), "the ID decides, and nothing else");
}

#[test]
fn b09_b26_an_event_has_an_id_from_wherever_a_name_data_and_a_time_of_its_own() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    let new =
        NewEvent { ts: Some(1_703_275_661_157), payload: payload(r#"{"a":1}"#), ..event(Some("from-a-transform")) };
    bench.engine.handle_send(7, new).unwrap();
    let kept = bench.engine.state().intake().event(EventId(0)).unwrap().clone();
    assert_eq!((&*kept.name, kept.ts, kept.accepted_at), (NAME, Some(1_703_275_661_157), 7));
    assert_eq!(kept.payload, payload(r#"{"a":1}"#));
    let send = |bench: &mut Bench, new| bench.engine.handle_send(8, new).unwrap_err();
    let nameless = NewEvent { name: "".into(), ..event(None) };
    assert_eq!(send(&mut bench, nameless), SendError::InvalidName(InvalidKey::Empty));
    assert_eq!(send(&mut bench, event(Some(""))), SendError::InvalidId(InvalidKey::Empty));
    let late = NewEvent { ts: Some(u64::MAX), ..event(None) };
    assert_eq!(send(&mut bench, late), SendError::InvalidTime);
    assert_eq!(bench.engine.state().intake().events().count(), 1, "nothing was stored");
}

#[test]
fn h07_b25_the_same_id_three_times_is_one_run_of_each_function_and_two_marks() {
    let (mut bench, _) = with(vec![Function::on(&[NAME]), Function::on(&[NAME])]);
    let runs: usize = (0..3).map(|_| started(&bench.send(0, Some("cal-1")))).sum();
    assert_eq!(runs, 2);
    let marked = bench.engine.state().intake().events().filter(|(_, event)| event.duplicate_of.is_some()).count();
    assert_eq!((bench.engine.state().intake().events().count(), marked), (3, 2));
    assert_eq!([started(&bench.send(1, Some("cal-2"))), started(&bench.send(1, Some("cal-3")))], [2, 2], "B25");
}

#[test]
fn b10_h09_debounce_ignores_event_ids_and_starts_once_with_the_last() {
    let debounce = Some(Debounce { period_ms: 5_000, timeout_ms: None });
    let (mut bench, workflow) = one(Function { debounce, ..Function::on(&[NAME]) });
    assert_eq!(only(bench.send(0, Some("e1"))), Start::Held { until: 5_000 });
    assert_eq!(only(bench.send(3_000, Some("e1"))), Start::Held { until: 8_000 });
    let replaced = |event: &Event| {
        let winner = NoStart::Debounced { winner: EventId(1) };
        matches!(event, Event::StartSkipped { event: EventId(0), why, .. } if *why == winner)
    };
    assert_eq!(bench.count(replaced), 1);
    bench.engine.handle_tick(7_999);
    assert_eq!((bench.runs(), bench.engine.next_deadline()), (0, Some(8_000)));
    bench.engine.handle_tick(8_000);
    let run = bench.engine.state().run(RunId(0)).unwrap();
    let origin = Origin::Events { events: vec![EventId(1)], key: None, key_until: None, rate: None, replay: false };
    assert_eq!((run.workflow, run.origin.as_deref()), (workflow, Some(&origin)));
    bench.engine.handle_tick(100_000);
    assert_eq!(bench.runs(), 1);
    bench.check_journal();
}

#[test]
fn a_debounced_group_is_over_at_exactly_its_time_and_has_an_end_if_told() {
    let debounce = Some(Debounce { period_ms: 100, timeout_ms: Some(250) });
    let (mut bench, _) = one(Function { debounce, ..Function::on(&[NAME]) });
    bench.send(0, None);
    assert_eq!(only(bench.send(99, None)), Start::Held { until: 199 });
    assert_eq!(only(bench.send(199, None)), Start::Held { until: 299 }, "at 199 the first group started");
    assert_eq!(bench.runs(), 1);
    assert_eq!(only(bench.send(298, None)), Start::Held { until: 398 });
    assert_eq!(only(bench.send(397, None)), Start::Held { until: 449 }, "199 + 250");
    bench.engine.handle_tick(449);
    assert_eq!(bench.runs(), 2);
    bench.check_journal();
}

#[test]
fn debounced_groups_are_apart_and_their_key_counts_when_they_start() {
    let debounce = Some(Debounce { period_ms: 100, timeout_ms: None });
    let (mut bench, workflow) = one(Function { debounce, ..keyed() });
    let send = |bench: &mut Bench, now, group: &str| {
        let keys = FunctionKeys { gather: value(group), ..key("same") };
        bench.engine.handle_send(now, NewEvent { keys: vec![(workflow, keys)], ..event(None) }).unwrap();
    };
    send(&mut bench, 0, "g1");
    send(&mut bench, 10, "g2");
    bench.engine.handle_tick(100);
    bench.engine.handle_tick(110);
    assert_eq!(bench.runs(), 1, "H09: the function key is not forgotten");
    let why = NoStart::DuplicateFunctionKey { winner: RunId(0), left_ms: Some(WINDOW_MS - 10) };
    assert_eq!(bench.count(|event| matches!(event, Event::StartSkipped { why: told, .. } if *told == why)), 1);
    bench.check_journal();
}

#[test]
fn b11_batches_ignore_event_ids_and_start_when_full_or_when_their_time_is_over() {
    let batch = Some(Batch { size_max: 3, timeout_ms: 1_000 });
    let (mut bench, workflow) = one(Function { batch, ..Function::on(&[NAME]) });
    assert_eq!(only(bench.send(0, Some("e1"))), Start::Held { until: 1_000 });
    assert_eq!(only(bench.send(1, Some("e1"))), Start::Held { until: 1_000 });
    assert_eq!(only(bench.send(2, Some("e2"))), Start::Started(RunId(0)));
    let events = |bench: &Bench, run| match bench.engine.state().run(run).unwrap().origin.as_deref() {
        Some(Origin::Events { events, .. }) => events.iter().map(|event| event.0).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(events(&bench, RunId(0)), [0, 1, 2]);
    let batched =
        |event: &Event| matches!(event, Event::StartSkipped { why: NoStart::Batched { winner: RunId(0) }, .. });
    assert_eq!(bench.count(batched), 2, "each that has no run of its own says where it went");
    bench.send(10, None);
    bench.send(500, None);
    bench.engine.handle_tick(1_009);
    assert_eq!((bench.runs(), bench.engine.state().intake().hold(workflow, &None).unwrap().events.len()), (1, 2));
    bench.engine.handle_tick(1_010);
    assert_eq!(events(&bench, RunId(1)), [3, 4]);
    bench.check_journal();
}

#[test]
fn b12_b13_a_paused_function_starts_nothing_claims_nothing_and_its_events_can_be_replayed() {
    let (mut bench, workflow) = one(keyed());
    bench.engine.handle_pause(0, workflow);
    let send = |bench: &mut Bench, now| {
        let new = NewEvent { keys: vec![(workflow, key(&format!("k{now}")))], ..event(Some("id")) };
        only(bench.engine.handle_send(now, new).unwrap())
    };
    assert_eq!([send(&mut bench, 1), send(&mut bench, 2)], [const { Start::Skipped(NoStart::Paused) }; 2]);
    let missed = |bench: &Bench| bench.engine.state().intake().missed(workflow).collect::<Vec<_>>();
    assert_eq!(missed(&bench), [EventId(0), EventId(1)]);
    let replay = |bench: &mut Bench, event, dedupe| {
        bench.engine.handle_replay(10, workflow, EventId(event), &key(&format!("k{}", event + 1)), dedupe)
    };
    assert_eq!(replay(&mut bench, 0, false), Err(ReplayError::Paused));
    bench.engine.handle_resume(5, workflow);
    assert_eq!(bench.engine.state().intake().function_key(5, workflow, "k1"), None, "nothing claimed");
    let mut deduped = bench.engine.clone();
    assert_eq!(replay(&mut bench, 0, false), Ok(Start::Started(RunId(0))));
    assert_eq!(replay(&mut bench, 1, false), Ok(Start::Started(RunId(1))), "B13: the event ID is ignored");
    assert_eq!(missed(&bench), []);
    bench.check_journal();
    let with_dedupe = deduped.handle_replay(10, workflow, EventId(1), &key("k2"), true);
    assert_eq!(with_dedupe, Ok(duplicate(0, WINDOW_MS - 9)), "unless the replay asks for it");
}

#[test]
fn a_replay_of_missed_events_still_knows_function_keys() {
    let (mut bench, workflow) = one(keyed());
    bench.engine.handle_pause(0, workflow);
    for now in [1, 2] {
        assert_eq!(bench.send_keyed(now, workflow, "same"), Start::Skipped(NoStart::Paused));
    }
    bench.engine.handle_resume(3, workflow);
    let mut replay = |event| bench.engine.handle_replay(4, workflow, EventId(event), &key("same"), false);
    assert_eq!(replay(0), Ok(Start::Started(RunId(0))));
    assert_eq!(replay(1), Ok(same_key(0, WINDOW_MS)));
    assert_eq!(bench.engine.state().intake().missed(workflow).count(), 0);
    bench.check_journal();
}

#[test]
fn h08_a_wanted_repeat_starts_each_time_and_an_accidental_one_does_not() {
    let (mut bench, workflow) = one(keyed());
    let new = || NewEvent { keys: vec![(workflow, key("k"))], ..event(Some("e1")) };
    assert_eq!(only(bench.engine.handle_send(0, new()).unwrap()), Start::Started(RunId(0)));
    bench.ok(1, (0, 0, 1));
    for run in [1, 2] {
        let again = bench.engine.handle_replay(2, workflow, EventId(0), &key("k"), false);
        assert_eq!(again, Ok(Start::Started(RunId(run))));
    }
    assert_eq!(only(bench.engine.handle_send(3, new()).unwrap()), duplicate(0, WINDOW_MS - 3));
    let deduped = bench.engine.handle_replay(3, workflow, EventId(0), &key("k"), true);
    assert_eq!(deduped, Ok(same_key(0, WINDOW_MS - 3)));
    let unknown = bench.engine.handle_replay(3, workflow, EventId(9), &key("k"), false);
    assert_eq!(unknown, Err(ReplayError::UnknownEvent));
    let elsewhere = bench.engine.handle_replay(3, bench.workflow, EventId(0), &key("k"), false);
    assert_eq!(elsewhere, Err(ReplayError::NotListening));
    bench.check_journal();
}

#[test]
fn b14_b16_b17_b18_one_start_for_each_key_in_24_hours_whatever_the_event() {
    for (wait, starts) in [(WINDOW_MS - 1, false), (WINDOW_MS, true), (WINDOW_MS + 1, true)] {
        let (mut bench, workflow) = one(keyed());
        assert_eq!(bench.send_keyed(50, workflow, "s6CIMNqIaxt503I1gVEICfwp"), Start::Started(RunId(0)));
        let again = bench.send_keyed(50 + wait, workflow, "s6CIMNqIaxt503I1gVEICfwp");
        assert_eq!(again == Start::Started(RunId(1)), starts, "after {wait}: {again:?}");
        if !starts {
            assert_eq!(again, same_key(0, 1));
        }
        bench.check_journal();
    }
}

#[test]
fn s2_8_refused_repeats_do_not_extend_a_keys_window_and_a_failed_run_does_not_end_it() {
    let (mut bench, workflow) = one(keyed());
    bench.send_keyed(0, workflow, "k");
    bench.fail(1, (0, 0, 1));
    assert_eq!(bench.status(0), Status::Dead);
    assert_eq!(bench.send_keyed(WINDOW_MS - 1, workflow, "k"), same_key(0, 1));
    assert_eq!(bench.send_keyed(WINDOW_MS, workflow, "k"), Start::Started(RunId(1)));
}

#[test]
fn b15_b21_a_key_counts_for_its_function_only() {
    let (mut bench, workflows) = with(vec![Function::on(&[NAME]), keyed()]);
    let (track, generate) = (workflows[0], workflows[1]);
    let mut send = |now, text: &str| {
        let new = NewEvent { keys: vec![(generate, key(text))], ..event(None) };
        let sent = bench.engine.handle_send(now, new).unwrap();
        sent.starts
            .into_iter()
            .map(|(workflow, start)| (workflow, matches!(start, Start::Started(_))))
            .collect::<Vec<_>>()
    };
    assert_eq!(send(0, "hash-user"), [(track, true), (generate, true)]);
    assert_eq!(send(1, "hash-user"), [(track, true), (generate, false)]);
    assert_eq!(send(2, "hash-other"), [(track, true), (generate, true)]);
}

#[test]
fn b19_b20_the_value_decides_verbatim() {
    let (mut bench, workflow) = one(keyed());
    for text in ["user-org", "user-org2", "User-org", " user-org", "caf\u{e9}", "cafe\u{301}"] {
        assert!(matches!(bench.send_keyed(0, workflow, text), Start::Started(_)), "{text}");
    }
}

#[test]
fn h11_a_key_without_a_usable_value_is_never_shared() {
    let values = [
        Given::Unusable("no such field: cartId".into()),
        Given::Nothing,
        value(""),
        value(&"x".repeat(256)),
        value("a\0b"),
    ];
    for rule in [KeyRule::Required, KeyRule::Optional] {
        let (mut bench, workflow) = one(Function { key: rule, ..Function::on(&[NAME]) });
        for value in &values {
            let keys = FunctionKeys { key: value.clone(), ..FunctionKeys::default() };
            for _ in 0..2 {
                let new = NewEvent { keys: vec![(workflow, keys.clone())], ..event(None) };
                let start = only(bench.engine.handle_send(0, new).unwrap());
                match rule {
                    KeyRule::Required => assert!(matches!(start, Start::Skipped(NoStart::NoKey { .. })), "{start:?}"),
                    _ => assert!(matches!(start, Start::Started(_)), "{start:?}"),
                }
            }
        }
        bench.check_journal();
    }
    let debounce = Some(Debounce { period_ms: 5, timeout_ms: None });
    let (mut bench, workflow) = one(Function { debounce, ..Function::on(&[NAME]) });
    let keys = FunctionKeys { gather: Given::Unusable("null".into()), ..FunctionKeys::default() };
    let start = only(bench.engine.handle_send(0, NewEvent { keys: vec![(workflow, keys)], ..event(None) }).unwrap());
    assert_eq!(start, Start::Skipped(NoStart::NoKey { error: "null".into() }), "nor does it join strangers");
}

#[test]
fn b22_a_rate_limit_counts_starts_in_a_moving_stretch_and_is_no_key() {
    let rate_limit = Some(RateLimit { limit: 2, period_ms: 1_000 });
    let (mut bench, _) = one(Function { rate_limit, ..Function::on(&[NAME]) });
    assert_eq!([only(bench.send(0, None)), only(bench.send(400, None))], [0, 1].map(|run| Start::Started(RunId(run))));
    let reached = |winner, left_ms| Start::Skipped(NoStart::RateLimited { winner: RunId(winner), left_ms });
    assert_eq!(only(bench.send(999, None)), reached(0, 1));
    assert_eq!(only(bench.send(1_000, None)), Start::Started(RunId(2)), "the very same event twice may start twice");
    assert_eq!(only(bench.send(1_001, None)), reached(1, 399), "what was refused does not count");
    assert_eq!(only(bench.send(1_400, None)), Start::Started(RunId(3)));
    bench.check_journal();
}

#[test]
fn s2_9_a_key_is_not_used_up_by_a_run_that_was_not_made() {
    let rate_limit = Some(RateLimit { limit: 1, period_ms: 1_000 });
    let (mut bench, workflow) = one(Function { rate_limit, ..keyed() });
    bench.send_keyed(0, workflow, "first");
    assert!(matches!(bench.send_keyed(1, workflow, "second"), Start::Skipped(NoStart::RateLimited { .. })));
    assert_eq!(bench.send_keyed(1_000, workflow, "second"), Start::Started(RunId(1)));
    let claims = |event: &Event| {
        matches!(event, Event::RunQueued { origin: Some(origin), .. }
        if matches!(&**origin, Origin::Events { key: Some(_), key_until: Some(_), .. }))
    };
    assert_eq!(bench.count(claims), 2, "the claim stands in the entry that makes the run");
}

#[test]
fn rate_groups_are_apart() {
    let rate_limit = Some(RateLimit { limit: 1, period_ms: 1_000 });
    let (mut bench, workflow) = one(Function { rate_limit, ..Function::on(&[NAME]) });
    let mut send = |group: &str| {
        let keys = FunctionKeys { rate: value(group), ..FunctionKeys::default() };
        let new = NewEvent { keys: vec![(workflow, keys)], ..event(None) };
        matches!(only(bench.engine.handle_send(0, new).unwrap()), Start::Started(_))
    };
    assert_eq!([send("a"), send("b"), send("a")], [true, true, false]);
}

#[test]
fn concurrency_makes_runs_wait_and_loses_none() {
    let (mut bench, _) = one(Function { concurrency: Some(1), ..Function::on(&[NAME]) });
    assert_eq!((0..3).map(|_| started(&bench.send(0, None))).sum::<usize>(), 3);
    for run in 0..3 {
        assert_eq!(bench.calls(), [(run, 0, 1)]);
        bench.ok(1, (run, 0, 1));
    }
    assert!(bench.engine.state().is_idle());
    bench.check_journal();
}

#[test]
fn a_workflow_that_no_event_starts_can_have_slots_of_its_own() {
    let (mut bench, workflow) = one(Function { concurrency: Some(1), ..Function::on(&[]) });
    for run in 0..2 {
        bench.engine.handle_enqueue(0, workflow, NewRun::default()).unwrap();
        assert_eq!(bench.status(run), if run == 0 { Status::Running } else { Status::Pending });
    }
    bench.ok(1, (0, 0, 1));
    assert_eq!(bench.status(1), Status::Running);
    bench.check_journal();
}

#[test]
fn runs_that_events_start_have_ids_of_their_own_if_told() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    assert!(bench.engine.name_runs("").is_err() && bench.engine.name_runs(&"x".repeat(201)).is_err());
    bench.engine.name_runs("e5b1").unwrap();
    bench.ask(0, "e5b1-2", "null").unwrap();
    bench.send(0, None);
    bench.send(0, None);
    let ids: Vec<_> = bench.engine.state().runs().map(|(_, run)| run.id.clone().unwrap()).collect();
    assert_eq!(ids, ["e5b1-2".into(), "e5b1-1".into(), Arc::from("e5b1-2+")], "a guessed one is not taken twice");
    bench.check_journal();
}

#[test]
fn a_group_whose_function_was_paused_meanwhile_is_missed_and_not_lost() {
    let debounce = Some(Debounce { period_ms: 100, timeout_ms: None });
    let (mut bench, workflow) = one(Function { debounce, ..Function::on(&[NAME]) });
    bench.send(0, None);
    bench.engine.handle_pause(50, workflow);
    bench.engine.handle_tick(100);
    assert_eq!((bench.runs(), bench.engine.state().intake().missed(workflow).next()), (0, Some(EventId(0))));
    bench.engine.handle_resume(200, workflow);
    let start = bench.engine.handle_replay(200, workflow, EventId(0), &FunctionKeys::default(), false);
    assert_eq!(start, Ok(Start::Started(RunId(0))));
    bench.check_journal();
}

#[test]
fn b23_b24_no_door_here_protects_the_call_that_a_run_makes() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    bench.send(0, Some("id"));
    bench.engine.handle_restart(1);
    let calls = bench.calls();
    assert_eq!(calls, [(0, 0, 2)], "one run, and its step is called again: the provider needs a key of its own");
}

#[test]
fn one_decision_stands_together_in_the_journal() {
    let (mut bench, _) = with(vec![keyed(), Function::on(&[NAME]), Function::on(&[NAME])]);
    let before = bench.entries().len();
    bench.send(0, None);
    let kinds: Vec<_> = bench.entries()[before..].iter().map(|entry| &entry.event).take(4).collect();
    assert!(matches!(
        kinds[..],
        [Event::EventAccepted { .. }, Event::StartSkipped { .. }, Event::RunQueued { .. }, Event::RunQueued { .. }]
    ));
}

#[test]
fn a_workflow_becomes_a_function_once() {
    let (mut bench, workflow) = one(Function::on(&[NAME]));
    assert!(bench.engine.define_function(0, workflow, Function::on(&["b"])).is_err());
    assert!(bench.engine.define_function(0, WorkflowId(99), Function::on(&["b"])).is_err());
    assert!(bench.engine.define_function(0, bench.workflow, Function::on(&[])).is_err());
    assert_eq!(bench.engine.state().function(workflow).unwrap().on.len(), 1);
}

#[test]
fn events_are_removed_from_the_history_with_the_runs_they_began() {
    let (mut bench, _) = one(Function::on(&[NAME]));
    bench.engine.set_retention(0, None, Some(1_000));
    bench.send(0, Some("a"));
    bench.send(10, Some("a"));
    bench.send(20, Some("b"));
    bench.ok(30, (0, 0, 1));
    let removed = bench.engine.handle_prune(1_015, 10);
    assert_eq!((removed.runs.len(), removed.events), (0, vec![EventId(1)]), "the first still belongs to a run");
    let removed = bench.engine.handle_prune(1_030, 1);
    assert_eq!((removed.runs.len(), removed.events, removed.more), (1, vec![], true));
    let removed = bench.engine.handle_prune(1_030, 9);
    assert_eq!((removed.runs.len(), removed.events, removed.more), (0, vec![EventId(0)], false));
    assert_eq!(bench.engine.state().intake().events().count(), 1, "the run of the third is under way");
    assert_eq!(only(bench.send(1_031, Some("a"))), duplicate(0, WINDOW_MS - 1_031), "its window is its own");
    bench.check_journal();
}
