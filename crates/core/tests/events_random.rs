//! Events and functions in any order: what must hold whatever happens.

mod bench;

use bench::{
    Bench,
    functions::{NAME, event, key, keyed, with},
};
use proptest::prelude::*;
use twiceproof_core::{
    events::{Batch, Debounce, Function, NewEvent, RateLimit},
    ids::{EventId, WorkflowId},
    journal::{Event, JournalError, Origin, from_json_lines, to_json_lines},
};

#[derive(Clone, Debug)]
enum Doing {
    Send { id: Option<u8>, key: u8 },
    Pause(bool),
    Replay { event: u32, dedupe: bool },
    Finish,
    Prune,
    Tick,
}

fn any_doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        6 => (prop::option::of(0u8..3), 0u8..3).prop_map(|(id, key)| Doing::Send { id, key }),
        1 => any::<bool>().prop_map(Doing::Pause),
        1 => (0u32..8, any::<bool>()).prop_map(|(event, dedupe)| Doing::Replay { event, dedupe }),
        3 => Just(Doing::Finish),
        1 => Just(Doing::Prune),
        1 => Just(Doing::Tick),
    ]
}

/// Four functions over one event: plain, keyed with a rate limit, debounced, batched.
fn busy_bench(doings: &[(Doing, u64)]) -> Bench {
    let rate_limit = Some(RateLimit { limit: 2, period_ms: 300 });
    let debounce = Some(Debounce { period_ms: 100, timeout_ms: Some(200) });
    let (mut bench, workflows) = with(vec![
        Function { concurrency: Some(1), ..Function::on(&[NAME]) },
        Function { rate_limit, key_window_ms: Some(500), ..keyed() },
        Function { debounce, ..keyed() },
        Function { batch: Some(Batch { size_max: 3, timeout_ms: 150 }), ..Function::on(&[NAME]) },
    ]);
    bench.engine.set_retention(0, None, Some(400));
    let (mut now, mut calls) = (0, Vec::new());
    for (doing, wait) in doings {
        now += wait;
        match *doing {
            Doing::Send { id, key: number } => {
                let keys = |workflow| (workflow, key(&format!("k{number}")));
                let keys = vec![keys(workflows[1]), keys(workflows[2])];
                let id = id.map(|id| format!("id-{id}"));
                bench.engine.handle_send(now, NewEvent { keys, ..event(id.as_deref()) }).unwrap();
            }
            Doing::Pause(true) => drop(bench.engine.handle_pause(now, workflows[1])),
            Doing::Pause(false) => drop(bench.engine.handle_resume(now, workflows[1])),
            Doing::Replay { event, dedupe } => {
                let _ = bench.engine.handle_replay(now, workflows[1], EventId(event), &key("k0"), dedupe);
            }
            Doing::Finish => {
                if let Some(call) = calls.pop() {
                    bench.ok(now, call)
                }
            }
            Doing::Prune => drop(bench.engine.handle_prune(now, 5)),
            Doing::Tick => bench.engine.handle_tick(now),
        }
        calls.extend(bench.calls());
    }
    bench
}

proptest! {
    #[test]
    fn whatever_happens_the_journal_replays_and_no_window_lets_two_starts_through(
        doings in prop::collection::vec((any_doing(), 0u64..120), 1..60)
    ) {
        let bench = busy_bench(&doings);
        bench.check_journal();
        let mut open: std::collections::BTreeMap<(WorkflowId, String), u64> = Default::default();
        for entry in bench.entries() {
            let Event::RunQueued { workflow, origin: Some(origin), .. } = &entry.event else { continue };
            let Origin::Events { key: Some(key), key_until: Some(until), .. } = &**origin else { continue };
            let before = open.insert((*workflow, key.to_string()), *until);
            prop_assert!(before.is_none_or(|before| before <= entry.at), "two starts in one window");
        }
    }

    /// Reading a damaged journal gives entries or an error that names a line, never a panic.
    #[test]
    fn h54_no_damage_to_a_journal_of_events_panics(
        doings in prop::collection::vec((any_doing(), 0u64..120), 1..40),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4, any::<u8>()), 1..4),
    ) {
        let text = to_json_lines(busy_bench(&doings).entries());
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (index, kind, byte) in edits {
            let at = 1 + index.index(lines.len() - 1);
            match kind {
                0 if lines.len() > 2 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => { let other = 1 + usize::from(byte) % (lines.len() - 1); lines.swap(at, other); }
                _ => {
                    // Another number somewhere: another run, event, function or time.
                    let digits: Vec<usize> = lines[at].char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
                    if let Some(&place) = digits.get(usize::from(byte) % digits.len().max(1)) {
                        lines[at].replace_range(place..=place, &(byte % 10).to_string());
                    }
                }
            }
        }
        for (index, line) in lines.iter_mut().enumerate().skip(1) {
            if let Some(rest) = line.strip_prefix("{\"seq\":").and_then(|rest| rest.split_once(',')) {
                *line = format!("{{\"seq\":{},{}", index - 1, rest.1);
            }
        }
        let read = from_json_lines(lines.join("\n").as_bytes());
        let lost = matches!(read, Err(JournalError::NotAJournal { .. }));
        prop_assert!(!lost, "the header was not touched");
    }
}
