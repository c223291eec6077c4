//! A driver without clock or I/O, which answers each call as a test says.

// Each file of tests uses a part of it.
#![allow(dead_code, unreachable_pub)]

pub mod functions;

use std::sync::Arc;

use twiceproof_core::{
    admission::{Payload, Projection},
    engine::{Admitted, CallEnd, Command, Engine, EnqueueError, NewRun, Status},
    ids::{RunId, StepId, WorkflowId},
    journal::{EngineOptions, Entry, Event, Journal},
    retry::{Failure, Jitter, RetryOptions, RetryPolicy},
    workflow::{Steps, Workflow},
};

pub const HOUR: u64 = 3_600_000;

pub fn retries(max_attempts: f64, base_delay_ms: f64) -> RetryPolicy {
    RetryPolicy::new(RetryOptions { max_attempts, base_delay_ms, jitter: Jitter::None, ..RetryOptions::default() })
        .unwrap()
}

pub fn list(names: &[&str]) -> Workflow {
    Workflow {
        name: "sign-up".into(),
        steps: Steps::List(names.iter().map(|&name| name.into()).collect()),
        step_retry: RetryPolicy::once(),
        run_retry: RetryPolicy::once(),
        memo: false,
        once: false,
        compare_data: false,
    }
}

pub fn handler(run_retry: RetryPolicy) -> Workflow {
    Workflow { name: "handler".into(), steps: Steps::Found, run_retry, memo: true, ..list(&[]) }
}

pub struct Bench {
    pub engine: Engine<Journal>,
    pub workflow: WorkflowId,
}

impl Bench {
    pub fn new(workers: u32, definition: Workflow) -> Self {
        let options = EngineOptions { seed: 1, workers: Some(workers), key_ttl_ms: Some(24 * HOUR) };
        let mut engine = Engine::new(0, options, Journal::default());
        let workflow = engine.define(0, definition).unwrap();
        Self { engine, workflow }
    }

    pub fn add(&mut self, now: u64, subject: &str) -> RunId {
        let new = NewRun { subject: Some(subject.into()), ..NewRun::default() };
        let admitted = self.engine.handle_enqueue(now, self.workflow, new).unwrap();
        assert!(admitted.created());
        admitted.run()
    }

    pub fn commands(&mut self) -> Vec<Command> {
        std::iter::from_fn(|| self.engine.poll_command()).collect()
    }

    pub fn calls(&mut self) -> Vec<(u32, u32, u32)> {
        let call = |command| match command {
            Command::Call { run, step, attempt } => Some((run.0, step.0, attempt)),
            Command::Handle { .. } | Command::Settle { .. } | Command::RunEnded { .. } => None,
        };
        self.commands().into_iter().filter_map(call).collect()
    }

    pub fn ok(&mut self, now: u64, (run, step, attempt): (u32, u32, u32)) {
        self.engine.handle_call_ended(now, RunId(run), StepId(step), attempt, CallEnd::Succeeded).unwrap();
    }

    pub fn fail(&mut self, now: u64, call: (u32, u32, u32)) {
        self.fail_as(now, call, Failure::default());
    }

    pub fn fail_as(&mut self, now: u64, (run, step, attempt): (u32, u32, u32), failure: Failure) {
        let end = CallEnd::Failed { error: "boom".into(), failure };
        self.engine.handle_call_ended(now, RunId(run), StepId(step), attempt, end).unwrap();
    }

    pub fn status(&self, run: u32) -> Status {
        self.engine.state().run(RunId(run)).unwrap().status()
    }

    pub fn count(&self, is_it: impl Fn(&Event) -> bool) -> usize {
        self.engine.sink().entries().iter().filter(|entry| is_it(&entry.event)).count()
    }

    /// A request of this workflow with a stable ID and a payload.
    pub fn ask(&mut self, now: u64, id: &str, json: &str) -> Result<Admitted, EnqueueError> {
        self.engine.handle_enqueue(now, self.workflow, new(id, json))
    }

    /// Runs the first step of run `run`, which is the next to be called, to its end.
    pub fn run_to(&mut self, now: u64, run: RunId, status: Status) {
        match status {
            Status::Pending | Status::Running => {}
            Status::Cancelled => assert!(self.engine.handle_cancel(now, run)),
            Status::Succeeded => self.ok(now, (run.0, 0, 1)),
            Status::Dead => self.fail(now, (run.0, 0, 1)),
        }
        if status == Status::Cancelled && self.status(run.0) == Status::Running {
            self.fail(now, (run.0, 0, 1));
        }
        assert_eq!(self.status(run.0), status);
        self.commands();
    }

    pub fn entries(&self) -> &[Entry] {
        self.engine.sink().entries()
    }

    /// Reads the journal back and checks that it gives the same state.
    pub fn check_journal(&self) {
        let text = twiceproof_core::journal::to_json_lines(self.entries());
        let loaded = twiceproof_core::journal::from_json_lines(text.as_bytes()).unwrap();
        assert_eq!(loaded.entries, self.entries());
        let mut state = twiceproof_core::engine::State::default();
        loaded.entries.iter().for_each(|entry| state.apply(entry.at, &entry.event));
        assert!(state == *self.engine.state(), "the replay of the journal differs");
    }
}

pub fn payload(json: &str) -> Option<Arc<Payload>> {
    Some(Arc::new(Payload::from_json(json, &Projection::default()).unwrap()))
}

pub fn new(id: &str, json: &str) -> NewRun {
    NewRun { id: Some(id.into()), payload: payload(json), ..NewRun::default() }
}
