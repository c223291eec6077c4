//! Several engines over one log, each deciding on what it last read: no interleaving does what one engine would not.

use std::{cell::RefCell, rc::Rc};

use twiceproof_core::{
    draws::{Draws, Purpose},
    engine::{Admitted, CallEnd, Command, Engine, EnqueueError, NewRun, Start, Status},
    events::{Function, FunctionKeys, Given, KeyRule, NewEvent, NoStart},
    ids::{RunId, StepId, WorkflowId},
    journal::{
        EngineOptions, Entry, Event, Journal, Sink,
        log::{AppendError, Log},
    },
    retry::{Failure, RetryOptions, RetryPolicy},
    workflow::{Steps, Workflow},
};

const W: WorkflowId = WorkflowId(0);
const DAY: u64 = 86_400_000;

/// What one decision adds to a log.
struct Batch {
    from: u64,
    entries: Vec<Entry>,
}

impl Sink for Batch {
    fn record(&mut self, at: u64, event: Event) {
        let seq = self.from + self.entries.len() as u64;
        self.entries.push(Entry { seq, at, event });
    }
}

/// A process with an engine; the log is all that it shares with others.
#[derive(Clone)]
struct Process {
    log: Rc<RefCell<Journal>>,
}

/// A decision that is made and not stored.
struct Proposal<T> {
    batch: Batch,
    commands: Vec<Command>,
    answer: T,
}

impl Process {
    fn first() -> Self {
        let log = Rc::new(RefCell::new(Journal::default()));
        let options = EngineOptions { seed: 1, workers: None, key_ttl_ms: None };
        let mut engine = Engine::new(0, options, Batch { from: 0, entries: Vec::new() });
        let retry = RetryPolicy::new(RetryOptions { max_attempts: 2.0, ..RetryOptions::default() }).unwrap();
        engine
            .define(
                0,
                Workflow {
                    name: "sign-up".into(),
                    steps: Steps::List(vec!["save".into(), "send".into(), "note".into()]),
                    step_retry: retry,
                    run_retry: RetryPolicy::once(),
                    memo: true,
                    once: true,
                    compare_data: false,
                },
            )
            .unwrap();
        engine.define_function(0, W, Function { key: KeyRule::Required, ..Function::on(&["user/signed-up"]) }).unwrap();
        let mut process = Self { log };
        process.log.append(0, &engine.into_sink().entries).unwrap();
        process
    }

    fn another(&self) -> Self {
        self.clone()
    }

    /// Decides on what is in the log now.
    fn propose<T>(&self, decide: impl FnOnce(&mut Engine<Batch>) -> T) -> Proposal<T> {
        let entries = self.log.read(0, usize::MAX).unwrap();
        let from = entries.len() as u64;
        let mut engine = Engine::resume(&entries, Batch { from, entries: Vec::new() }).unwrap();
        let answer = decide(&mut engine);
        let commands = std::iter::from_fn(|| engine.poll_command()).collect();
        Proposal { batch: engine.into_sink(), commands, answer }
    }

    fn store<T>(&mut self, proposal: Proposal<T>) -> Result<(T, Vec<Command>), AppendError> {
        let Proposal { batch, commands, answer } = proposal;
        self.log.append(batch.from, &batch.entries)?;
        Ok((answer, commands))
    }

    fn act<T>(&mut self, decide: impl FnOnce(&mut Engine<Batch>) -> T) -> (T, Vec<Command>) {
        let proposal = self.propose(decide);
        self.store(proposal).unwrap()
    }

    /// Does all calls that are asked for, and waits for what is due, until nothing is left.
    fn work(&mut self, mut now: u64, mut commands: Vec<Command>) {
        loop {
            let todo: Vec<Command> = std::mem::take(&mut commands);
            for command in todo {
                if let Command::Call { run, step, attempt } = command {
                    let end = CallEnd::Succeeded;
                    commands.extend(self.act(|engine| engine.handle_call_ended(now, run, step, attempt, end)).1);
                }
            }
            if commands.is_empty() {
                let Some(due) = self.propose(|engine| engine.next_deadline()).answer else { return };
                now = now.max(due);
                commands = self.act(|engine| engine.handle_tick(now)).1;
            }
        }
    }

    fn statuses(&self) -> Vec<Status> {
        self.propose(|engine| engine.state().runs().map(|(_, run)| run.status()).collect()).answer
    }
}

fn named(id: &str) -> NewRun {
    NewRun { id: Some(id.into()), subject: Some(id.into()), ..NewRun::default() }
}

fn enqueue(now: u64, id: &str) -> impl Fn(&mut Engine<Batch>) -> Result<Admitted, EnqueueError> {
    move |engine| engine.handle_enqueue(now, W, named(id))
}

fn moved<T>(answer: &Result<T, AppendError>) -> bool {
    matches!(answer, Err(AppendError::Moved { .. }))
}

#[test]
fn c34_of_two_processes_that_enqueue_one_id_at_once_one_creates_the_run() {
    let mut one = Process::first();
    let mut other = one.another();
    let (first, second) = (one.propose(enqueue(5, "user_1001")), other.propose(enqueue(5, "user_1001")));
    assert_eq!((&first.answer, &second.answer), (&Ok(Admitted::Created(RunId(0))), &Ok(Admitted::Created(RunId(0)))));
    let (_, commands) = one.store(first).unwrap();
    assert!(moved(&other.store(second)), "the second decision was made on a state that is gone");
    let (again, none) = other.act(enqueue(5, "user_1001"));
    assert_eq!((again, none), (Ok(Admitted::Existing(RunId(0))), vec![]), "and nothing is asked of the second process");
    one.work(5, commands);
    assert_eq!(one.statuses(), [Status::Succeeded]);
}

#[test]
fn c34_a_worker_that_was_taken_for_dead_cannot_report() {
    let mut one = Process::first();
    let mut other = one.another();
    let (_, commands) = one.act(enqueue(0, "user_1001"));
    let [Command::Call { run, step, attempt }] = commands[..] else { panic!("{commands:?}") };
    // It decides to report; meanwhile the other process takes over.
    let report = |engine: &mut Engine<Batch>| engine.handle_call_ended(9, run, step, attempt, CallEnd::Succeeded);
    let late = one.propose(report);
    let (_, taken_over) = other.act(|engine| engine.handle_restart(8));
    assert!(moved(&one.store(late)));
    let before = one.log.end().unwrap();
    assert!(one.act(report).0.is_err(), "that attempt is not under way any more");
    assert_eq!(one.log.end().unwrap(), before, "and nothing of it is stored");
    other.work(9, taken_over);
    assert_eq!(other.statuses(), [Status::Succeeded]);
}

#[test]
fn b17_of_two_events_with_one_function_key_in_two_processes_one_starts_a_run() {
    let mut one = Process::first();
    let mut other = one.another();
    let sent = |id: &str| {
        let key = FunctionKeys { key: Given::Value("user_1001".into()), ..FunctionKeys::default() };
        NewEvent { id: Some(id.into()), name: "user/signed-up".into(), keys: vec![(W, key)], ..NewEvent::default() }
    };
    let first = one.propose(|engine| engine.handle_send(0, sent("a")).unwrap().starts);
    let second = other.propose(|engine| engine.handle_send(0, sent("b")).unwrap().starts);
    assert!(matches!((&first.answer[..], &second.answer[..]), ([(_, Start::Started(_))], [(_, Start::Started(_))])));
    one.store(first).unwrap();
    assert!(moved(&other.store(second)));
    let (again, _) = other.act(|engine| engine.handle_send(DAY - 1, sent("b")).unwrap().starts);
    let [(_, Start::Skipped(NoStart::DuplicateFunctionKey { winner: RunId(0), left_ms: Some(1) }))] = again[..] else {
        panic!("{again:?}")
    };
}

#[test]
fn c30_an_enqueue_and_the_prune_of_its_id_never_cross() {
    let mut one = Process::first();
    let mut other = one.another();
    one.act(|engine| engine.set_retention(0, None, Some(DAY)));
    let (_, commands) = one.act(enqueue(0, "user_1001"));
    one.work(0, commands);
    // Kept for its day: the run is there until the pass that removes it.
    let (prune, ask) = (one.propose(|engine| engine.handle_prune(DAY, 10)), other.propose(enqueue(DAY, "user_1001")));
    assert_eq!(ask.answer, Ok(Admitted::Existing(RunId(0))));
    one.store(prune).unwrap();
    assert!(moved(&other.store(ask)), "it would have named a run that is gone");
    assert_eq!(other.act(enqueue(DAY, "user_1001")).0, Ok(Admitted::Created(RunId(1))));
}

/// Something a process does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Enqueue(u64),
    Report(u64),
    Fail(u64),
    Cancel(u64),
    Tick,
    Restart,
}

fn acts(seed: u64) -> Vec<(usize, Act)> {
    let bits = |turn, purpose| Draws { seed }.bits(turn, 0, 0, purpose);
    let act = |turn| {
        let number = bits(turn, Purpose::Latency) % 4;
        match bits(turn, Purpose::CallFails) % 16 {
            0..5 => Act::Enqueue(number),
            5..11 => Act::Report(number),
            11..13 => Act::Fail(number),
            13 => Act::Cancel(number),
            14 => Act::Tick,
            _ => Act::Restart,
        }
    };
    (0..60).map(|turn| ((bits(turn, Purpose::ReplyLost) % 3) as usize, act(turn))).collect()
}

/// Does it on the state the engine has: the same state gives the same entries.
fn act<S: Sink>(engine: &mut Engine<S>, now: u64, act: Act) {
    // The number of a call under way, counted from the first.
    let under_way = |engine: &Engine<S>, number: u64| {
        let calls: Vec<(RunId, StepId, u32)> = engine
            .state()
            .runs()
            .flat_map(|(run, state)| {
                let running = state.progress.states().iter().enumerate();
                let running = running.filter(|(_, step)| step.phase == twiceproof_core::workflow::StepPhase::Running);
                running.map(move |(index, step)| (run, StepId(index as u32), step.attempts)).collect::<Vec<_>>()
            })
            .collect();
        calls.get(number as usize % calls.len().max(1)).copied()
    };
    match act {
        Act::Enqueue(user) => drop(engine.handle_enqueue(now, W, named(&format!("user_{user}")))),
        Act::Report(number) => {
            if let Some((run, step, attempt)) = under_way(engine, number) {
                engine.handle_call_ended(now, run, step, attempt, CallEnd::Succeeded).unwrap();
            }
        }
        Act::Fail(number) => {
            if let Some((run, step, attempt)) = under_way(engine, number) {
                let end = CallEnd::Failed { error: "no".into(), failure: Failure::default() };
                engine.handle_call_ended(now, run, step, attempt, end).unwrap();
            }
        }
        Act::Cancel(number) => drop(engine.handle_cancel(now, RunId(number as u32))),
        Act::Tick => engine.handle_tick(now),
        Act::Restart => engine.handle_restart(now),
    }
}

#[test]
fn c34_any_interleaving_of_three_processes_is_one_engine() {
    let mut refused = 0;
    for seed in 0..60 {
        let first = Process::first();
        let mut processes = [first.another(), first.another(), first];
        let mut kept: [Option<(u64, Act, Proposal<()>)>; 3] = [None, None, None];
        let mut done = Vec::new();
        for (turn, (who, what)) in acts(seed).into_iter().enumerate() {
            let now = turn as u64 * 10;
            // Each process stores what it decided at its last turn, on what may be an old state by now.
            if let Some((then, was, proposal)) = kept[who].take() {
                let mut added = proposal.batch.entries.len();
                if moved(&processes[who].store(proposal)) {
                    refused += 1;
                    let again = processes[who].propose(|engine| act(engine, then, was));
                    added = again.batch.entries.len();
                    processes[who].store(again).unwrap();
                }
                // What leaves no entry leaves nothing: not even the time it was done at.
                if added > 0 {
                    done.push((then, was));
                }
            }
            kept[who] = Some((now, what, processes[who].propose(|engine| act(engine, now, what))));
        }
        let shared = processes[0].log.read(0, usize::MAX).unwrap();

        let one = Process::first();
        let mut engine = Engine::resume(one.log.borrow().entries(), one.log.borrow().clone()).unwrap();
        done.iter().for_each(|&(now, what)| act(&mut engine, now, what));
        let alone = engine.sink().entries();
        let differs = shared.iter().zip(alone).find(|(shared, alone)| shared != alone);
        assert_eq!((differs, shared.len()), (None, alone.len()), "seed {seed}");
    }
    assert!(refused > 500, "the processes came in each other's way {refused} times");
}

#[test]
fn c08_a_process_that_ends_after_any_entry_loses_no_run_that_was_stored() {
    for seed in 0..25 {
        let mut process = Process::first();
        for (turn, (_, what)) in acts(seed).into_iter().enumerate() {
            process.act(|engine| act(engine, turn as u64 * 10, what));
        }
        let all = process.log.read(0, usize::MAX).unwrap();
        let setting_up = Process::first().log.end().unwrap() as usize;
        for end in setting_up..=all.len() {
            let mut next = Process { log: Rc::new(RefCell::new(Journal::from_entries(all[..end].to_vec()))) };
            let (_, commands) = next.act(|engine| engine.handle_restart(600));
            next.work(600, commands);
            let open = next.statuses().into_iter().filter(|status| matches!(status, Status::Pending | Status::Running));
            assert_eq!(open.count(), 0, "seed {seed}, after entry {end}: {:?}", next.statuses());
        }
    }
}

#[test]
fn what_does_not_follow_is_not_resumed() {
    let entries = Process::first().log.read(0, usize::MAX).unwrap();
    let resume = |entries: &[Entry]| Engine::resume(entries, Journal::default()).map(drop).map_err(|e| e.to_string());
    assert_eq!(resume(&entries), Ok(()));
    assert_eq!(resume(&[]).unwrap_err(), "entry 0 does not fit: a journal begins with \"opened\", once");
    assert_eq!(resume(&entries[1..]).unwrap_err(), "entry 0 does not fit: its seq is not the next number");
    let twice: Vec<Entry> =
        entries.iter().chain(&entries[..1]).zip(0..).map(|(e, seq)| Entry { seq, ..e.clone() }).collect();
    let last = entries.len();
    assert!(resume(&twice).unwrap_err().starts_with(&format!("entry {last} does not fit")));
}
