//! What must hold in every trace, checked over thousands of random scenarios (proptest's seeds reproduce a failure).

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use twiceproof_core::{
    engine::State,
    ids::{KeyId, RunId, StepId},
    journal::{self, Entry, Event},
};
use twiceproof_sim::{
    run::{run, run_observed},
    scenario::{Action, Fault, FaultKind, Operation, Retry, Scenario, USERS},
    strategy::{RetryScope, SentKey, Strategy as Way},
};

type Call = (RunId, StepId, u32);

prop_compose! {
    fn any_way()(whole in any::<bool>(), key in 0usize..3, skip_finished in any::<bool>(), provider_remembers in any::<bool>()) -> Way {
        Way {
            retry: if whole { RetryScope::WholeJob } else { RetryScope::EachStep },
            key: [SentKey::None, SentKey::NewEachCall, SentKey::Same][key],
            skip_finished,
            provider_remembers,
        }
    }
}

fn any_operations() -> impl Strategy<Value = Vec<Operation>> {
    let action = prop_oneof![
        8 => (0u32..3, prop_oneof![4 => Just(0u32), 1 => Just(1u32)]).prop_map(|(user, data)| Action::Add { user, data }),
        1 => Just(Action::Restart),
        1 => (0u32..3).prop_map(|user| Action::ForgetKeys { user }),
    ];
    prop::collection::vec((0u64..400, action), 0..14).prop_map(|list| {
        let mut at = 0;
        list.into_iter()
            .map(|(wait, action)| {
                at += wait;
                Operation { at, action }
            })
            .collect()
    })
}

fn any_faults() -> impl Strategy<Value = Vec<Fault>> {
    let kind = prop_oneof![Just(FaultKind::Fail), Just(FaultKind::LoseReply), Just(FaultKind::Succeed)];
    let fault =
        (1u32..8, 1u32..4, 1u32..4, kind).prop_map(|(job, step, attempt, kind)| Fault { job, step, attempt, kind });
    prop::collection::vec(fault, 0..8)
}

prop_compose! {
    fn any_scenario()(
        strategy in any_way(), operations in any_operations(), faults in any_faults(), seed in any::<u64>(),
        fail in prop_oneof![Just(0.0), 0.0..0.6f64], lost in prop_oneof![Just(0.0), 0.0..0.6f64],
        attempts in 1u32..5, base_delay_ms in prop_oneof![Just(0u64), 0u64..300], jitter in any::<bool>(),
        workers in 1u32..4, key_ttl_ms in prop_oneof![Just(None), (0u64..2000).prop_map(Some)],
        provider_window_ms in prop_oneof![Just(None), (0u64..2000).prop_map(Some)],
        store_compares_data in any::<bool>(), provider_compares_data in any::<bool>(), slow in any::<bool>(),
    ) -> Scenario {
        let mut scenario = Scenario {
            seed, strategy, workers, key_ttl_ms, store_compares_data, provider_window_ms, provider_compares_data,
            fail, lost, faults, operations,
            retry: Retry { attempts, base_delay_ms, max_delay_ms: 1000, jitter },
            ..Scenario::default()
        };
        if slow {
            // Slower than anybody waits: every reply comes too late.
            scenario.steps[0].latency_ms = scenario.timeout_ms + 100;
        }
        scenario
    }
}

/// One call as the trace tells it.
#[derive(Clone, Debug, Default)]
struct Told {
    began: bool,
    joined: bool,
    ended: bool,
    succeeded: bool,
    acted: bool,
    reply_lost: bool,
    key: Option<String>,
}

fn calls(entries: &[Entry]) -> BTreeMap<Call, Told> {
    let mut calls: BTreeMap<Call, Told> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            &Event::AttemptStarted { run, step, attempt } => {
                let told = calls.entry((run, step, attempt)).or_default();
                assert!(!told.began, "an attempt has one start");
                told.began = true;
            }
            &Event::StepJoined { run, step, attempt, .. } => {
                let told = calls.entry((run, step, attempt)).or_default();
                assert!(!told.began, "an attempt has one start");
                (told.began, told.joined) = (true, true);
            }
            &Event::AttemptSucceeded { run, step, attempt } => {
                let told = calls.get_mut(&(run, step, attempt)).expect("a start before the end");
                assert!(!told.ended, "an attempt has one end");
                (told.ended, told.succeeded) = (true, true);
            }
            &Event::AttemptFailed { run, step, attempt, .. } | &Event::AttemptInterrupted { run, step, attempt } => {
                let told = calls.get_mut(&(run, step, attempt)).expect("a start before the end");
                assert!(!told.ended, "an attempt has one end");
                told.ended = true;
            }
            Event::RequestArrived { run, step, attempt, key } => {
                calls.get_mut(&(*run, *step, *attempt)).expect("a call before its request").key =
                    key.as_deref().map(str::to_owned);
            }
            &Event::EffectDone { run, step, attempt, .. } => calls.get_mut(&(run, step, attempt)).unwrap().acted = true,
            &Event::ReplyLost { run, step, attempt } => calls.get_mut(&(run, step, attempt)).unwrap().reply_lost = true,
            _ => {}
        }
    }
    calls
}

fn subjects(scenario: &Scenario) -> Vec<u32> {
    let user = |operation: &Operation| match operation.action {
        Action::Add { user, .. } => Some(user),
        Action::Restart | Action::ForgetKeys { .. } => None,
    };
    scenario.operations.iter().filter_map(user).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Every entry is one that the state before it accepts, and replaying any prefix that the live engine stood at
    /// gives the live state.
    #[test]
    fn the_replay_of_every_prefix_is_the_live_state(scenario in any_scenario()) {
        let (mut replayed, mut applied) = (State::default(), 0);
        run_observed(&scenario, |live, entries| {
            for entry in &entries[applied..] {
                assert_eq!(replayed.accepts(entry.at, &entry.event), Ok(()), "{entry:?}");
                replayed.apply(entry.at, &entry.event);
            }
            applied = entries.len();
            assert!(replayed == *live, "the replay of {applied} entries differs");
        }).unwrap();
    }

    #[test]
    fn the_same_scenario_gives_the_same_bytes_and_they_read_back(scenario in any_scenario()) {
        let (once, again) = (run(&scenario).unwrap(), run(&scenario).unwrap());
        let text = journal::to_json_lines(&once.entries);
        prop_assert_eq!(&text, &journal::to_json_lines(&again.entries));
        let loaded = journal::from_json_lines(text.as_bytes()).unwrap();
        prop_assert_eq!(loaded.torn, None);
        prop_assert_eq!(loaded.entries, once.entries);
    }

    /// Whatever is done to a journal's lines, reading it gives entries or an error that names a line, never a panic.
    #[test]
    fn h54_no_damage_to_a_journal_panics(scenario in any_scenario(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4, any::<u8>()), 1..4)) {
        let text = journal::to_json_lines(&run(&scenario).unwrap().entries);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (index, kind, byte) in edits {
            let at = index.index(lines.len());
            match kind {
                0 => { lines.remove(at); }
                1 => lines.insert(at, lines[at].clone()),
                2 => { let other = usize::from(byte) % lines.len(); lines.swap(at, other); }
                // Another number: another run, step, key, attempt or time.
                _ => lines[at] = lines[at].replacen(|c: char| c.is_ascii_digit(), &(byte % 10).to_string(), 1 + usize::from(byte % 5)),
            }
            if lines.is_empty() { break; }
        }
        // With the numbering put right, so that the reader gets past it to the entries themselves.
        for (index, line) in lines.iter_mut().enumerate().skip(1) {
            if let Some(rest) = line.strip_prefix("{\"seq\":").and_then(|rest| rest.split_once(',')) {
                *line = format!("{{\"seq\":{},{}", index - 1, rest.1);
            }
        }
        let _ = journal::from_json_lines(lines.join("\n").as_bytes());
    }

    #[test]
    fn every_started_attempt_ends_and_every_run_too(scenario in any_scenario()) {
        let trace = run(&scenario).unwrap();
        prop_assert!(!trace.cut);
        for (call, told) in calls(&trace.entries) {
            prop_assert!(told.ended, "{call:?} never ended");
        }
        let over = trace.entries.iter().filter(|entry| matches!(entry.event, Event::RunSucceeded { .. } | Event::RunGaveUp { .. })).count();
        prop_assert_eq!(over, subjects(&scenario).len());
    }

    #[test]
    fn no_more_jobs_run_than_there_are_workers(scenario in any_scenario()) {
        let mut busy = BTreeSet::new();
        for entry in run(&scenario).unwrap().entries {
            match entry.event {
                Event::RunStarted { run, .. } => { busy.insert(run); }
                Event::RunSucceeded { run } | Event::RunGaveUp { run, .. } => { busy.remove(&run); }
                Event::ProcessRestarted => busy.clear(),
                _ => {}
            }
            prop_assert!(busy.len() <= scenario.workers as usize);
        }
    }

    /// A1, A2, A7: between a key's finish and the end of its window nobody runs its work; and nobody does while it runs.
    #[test]
    fn a02_no_keys_work_runs_twice_inside_its_window(scenario in any_scenario()) {
        let users = subjects(&scenario);
        let mut held: BTreeMap<(StepId, u32), KeyId> = BTreeMap::new();
        let mut window_end: BTreeMap<KeyId, u64> = BTreeMap::new();
        for entry in run(&scenario).unwrap().entries {
            match entry.event {
                Event::KeyClaimed { run, step, key } => {
                    let before = held.insert((step, users[run.0 as usize]), key);
                    prop_assert_eq!(before, None, "two owners of one action");
                }
                Event::KeySaved { key, expires_at } => { window_end.insert(key, expires_at.unwrap_or(u64::MAX)); }
                Event::KeyExpired { key, expired_at } => {
                    prop_assert!(expired_at <= entry.at && window_end.remove(&key) == Some(expired_at));
                    held.retain(|_, other| *other != key);
                }
                Event::KeyReleased { key } | Event::KeyForgotten { key } => held.retain(|_, other| *other != key),
                Event::ProcessRestarted => held.clear(),
                _ => {}
            }
        }
    }

    /// A15: the provider that remembers a stable key, for ever, never acts twice.
    #[test]
    fn a15_a_stable_key_at_a_provider_that_remembers_acts_once(scenario in any_scenario()) {
        let scenario = Scenario {
            strategy: Way { key: SentKey::Same, provider_remembers: true, ..scenario.strategy },
            provider_window_ms: None,
            ..scenario
        };
        for entry in run(&scenario).unwrap().entries {
            if let Event::EffectDone { step, count, .. } = entry.event && scenario.steps[step.index()].email {
                prop_assert_eq!(count, 1);
            }
        }
    }

    /// A23: a repeated effect has one of three causes: a reply that was lost, a replay of the job, a repeated request.
    #[test]
    fn a23_every_double_effect_came_through_one_of_three_doors(scenario in any_scenario()) {
        let users = subjects(&scenario);
        let trace = run(&scenario).unwrap();
        let calls = calls(&trace.entries);
        for (&(run, step, attempt), told) in calls.iter().filter(|(_, told)| told.acted) {
            let earlier = |other: &&(Call, Told)| {
                let (other_run, other_step, other_attempt) = other.0;
                other.1.acted && other_step == step && users[other_run.0 as usize] == users[run.0 as usize]
                    && (other_run, other_attempt) != (run, attempt)
            };
            let all: Vec<(Call, Told)> = calls.iter().map(|(call, told)| (*call, told.clone())).collect();
            for (other, first) in all.iter().filter(earlier) {
                let repeated_request = other.0 != run;
                let lost_reply = first.reply_lost || told.reply_lost || !first.succeeded || !told.succeeded;
                let replay = scenario.strategy.retry == RetryScope::WholeJob
                    || scenario.operations.iter().any(|operation| operation.action == Action::Restart);
                prop_assert!(repeated_request || lost_reply || replay, "{other:?} and {:?}", (run, step, attempt));
            }
        }
    }

    /// A24, A25: a key that is sent is the same on every attempt, or never the same.
    #[test]
    fn a24_a25_h55_sent_keys_are_stable_or_always_new(scenario in any_scenario()) {
        let users = subjects(&scenario);
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for ((run, step, _), told) in calls(&run(&scenario).unwrap().entries) {
            let Some(key) = told.key else { continue };
            let user = users[run.0 as usize];
            prop_assert!(scenario.steps[step.index()].email && key.contains(USERS[user as usize].id));
            *seen.entry(key).or_default() += 1;
        }
        match scenario.strategy.key {
            SentKey::None => prop_assert!(seen.is_empty()),
            SentKey::NewEachCall => prop_assert!(seen.values().all(|&times| times == 1)),
            SentKey::Same => prop_assert!(seen.len() <= users.iter().collect::<BTreeSet<_>>().len()),
        }
    }

    /// A draw is named, not counted: another sign-up at the end changes nothing that came before it.
    #[test]
    fn another_sign_up_changes_nothing_before_it(scenario in any_scenario(), user in 0u32..3) {
        let at = scenario.operations.last().map_or(0, |operation| operation.at) + 50;
        let mut longer = scenario.clone();
        longer.operations.push(Operation { at, action: Action::Add { user, data: 0 } });
        let (short, long) = (run(&scenario).unwrap().entries, run(&longer).unwrap().entries);
        let before = |entries: &[Entry]| entries.iter().take_while(|entry| entry.at < at).cloned().collect::<Vec<_>>();
        prop_assert_eq!(before(&short), before(&long));
    }
}
