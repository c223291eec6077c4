//! Runs a scenario to its end in virtual time: the driver between the engine, the providers and the reader.
//!
//! A call takes half its latency to reach the provider and half to come back. At one instant, what arrives goes
//! before what the engine's clock brings, and that before what the reader does.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use twiceproof_core::{
    draws::{Draws, Purpose},
    engine::{CallEnd, Command, Engine, NewRun, State},
    ids::{RunId, StepId, WorkflowId},
    index::Order,
    journal::{self, EngineOptions, Entry, Event, Journal},
    options::InvalidOption,
    retry::{Failure, RetryPolicy},
    workflow::{Steps, Workflow},
};

use crate::{
    provider::{Deed, Providers, Request},
    scenario::{Action, Fault, FaultKind, Scenario, ScenarioError, USERS},
    strategy::{RetryScope, SentKey},
};

/// Most entries of a trace; a scenario that makes more is cut there, and says so.
pub const ENTRIES_MAX: usize = 60_000;

/// What happened: the engine's journal and the providers' own record, in one order.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Every entry, in order.
    pub entries: Vec<Entry>,
    /// The trace was cut at [`ENTRIES_MAX`].
    pub cut: bool,
}

impl Trace {
    /// SHA-256 of the trace's journal as text, in hexadecimal: equal on every platform for equal scenarios.
    pub fn digest(&self) -> String {
        let hash = Sha256::digest(journal::to_json_lines(&self.entries));
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Runs a scenario. The same scenario gives the same trace, byte for byte, on every platform.
pub fn run(scenario: &Scenario) -> Result<Trace, ScenarioError> {
    run_observed(scenario, |_, _| ())
}

/// Runs a scenario and shows `observer` the engine's live state and the entries so far, after each thing that happens.
pub fn run_observed(scenario: &Scenario, mut observer: impl FnMut(&State, &[Entry])) -> Result<Trace, ScenarioError> {
    scenario.check()?;
    let mut world = World::new(scenario)?;
    let mut cut = false;
    while !cut && world.step() {
        let entries = world.engine.sink().entries();
        observer(world.engine.state(), entries);
        cut = entries.len() >= ENTRIES_MAX;
    }
    Ok(Trace { entries: world.engine.into_sink().into_entries(), cut })
}

/// The workflow of a scenario's jobs.
pub fn workflow(scenario: &Scenario) -> Result<Workflow, InvalidOption> {
    let (policy, once) = (scenario.retry_policy()?, RetryPolicy::once());
    let (step_retry, run_retry) = match scenario.strategy.retry {
        RetryScope::EachStep => (policy, once),
        RetryScope::WholeJob => (once, policy),
    };
    Ok(Workflow {
        name: "sign-up".into(),
        steps: Steps::List(scenario.steps.iter().map(|step| step.name.as_str().into()).collect()),
        step_retry,
        run_retry,
        memo: false,
        once: scenario.strategy.skip_finished,
        compare_data: scenario.store_compares_data,
    })
}

/// What is under way between a worker and a provider.
#[derive(Clone, Debug)]
enum InFlight {
    /// A request on its way to the provider.
    Request(Call),
    /// An answer, or the end of patience, on its way to the worker.
    Reply { call: Call, end: CallEnd },
}

#[derive(Clone, Copy, Debug)]
struct Call {
    run: RunId,
    step: StepId,
    attempt: u32,
    fate: FaultKind,
    started_at: u64,
}

struct World<'a> {
    scenario: &'a Scenario,
    engine: Engine<Journal>,
    workflow: WorkflowId,
    providers: Providers,
    draws: Draws,
    /// What is on its way, by time, then order of sending.
    arrivals: Order,
    sent: Vec<InFlight>,
    /// The data version and user of each job.
    jobs: Vec<(usize, u32)>,
    next_operation: usize,
}

impl<'a> World<'a> {
    fn new(scenario: &'a Scenario) -> Result<Self, InvalidOption> {
        let options =
            EngineOptions { seed: scenario.seed, workers: Some(scenario.workers), key_ttl_ms: scenario.key_ttl_ms };
        let mut engine = Engine::new(0, options, Journal::default());
        let workflow = engine.define(0, workflow(scenario)?)?;
        Ok(Self {
            scenario,
            engine,
            workflow,
            providers: Providers::new(scenario),
            draws: Draws { seed: scenario.seed },
            arrivals: Order::default(),
            sent: Vec::new(),
            jobs: Vec::new(),
            next_operation: 0,
        })
    }

    /// Does the next thing. False when nothing is left.
    fn step(&mut self) -> bool {
        let arrival = self.arrivals.first().map(|((at, _), _)| at);
        let deadline = self.engine.next_deadline();
        let operation = self.scenario.operations.get(self.next_operation).map(|operation| operation.at);
        let Some(now) = [arrival, deadline, operation].into_iter().flatten().min() else { return false };
        if arrival == Some(now) {
            let ((_, sent), _) = self.arrivals.pop_first().expect("it was just seen");
            self.arrive(now, self.sent[sent as usize].clone());
        } else if deadline == Some(now) {
            self.engine.handle_tick(now);
        } else {
            self.operate(now);
        }
        while let Some(command) = self.engine.poll_command() {
            if let Command::Call { run, step, attempt } = command {
                self.send(now, run, step, attempt);
            }
        }
        true
    }

    fn operate(&mut self, now: u64) {
        let operation = &self.scenario.operations[self.next_operation];
        self.next_operation += 1;
        match operation.action {
            Action::Add { user, data } => {
                self.jobs.push((user as usize, data));
                let new = NewRun {
                    subject: Some(USERS[user as usize].id.into()),
                    data: Some(u64::from(data)),
                    ..NewRun::default()
                };
                self.engine.handle_enqueue(now, self.workflow, new).expect("a checked scenario stays within limits");
            }
            Action::Restart => {
                // Whoever was waiting for a reply is gone; requests on their way still arrive.
                let sent = &self.sent;
                self.arrivals.remove_where(&|(_, what), _| matches!(sent[what as usize], InFlight::Reply { .. }));
                self.engine.handle_restart(now);
            }
            Action::ForgetKeys { user } => {
                for step in &self.scenario.steps {
                    if let Some(key) = self.engine.state().key_of(&step.name, USERS[user as usize].id) {
                        self.engine.handle_forget_key(now, key);
                    }
                }
            }
        }
    }

    /// A worker calls: its fate is drawn, and the request sets out.
    fn send(&mut self, now: u64, run: RunId, step: StepId, attempt: u32) {
        let fate = self.fate(run, step, attempt);
        let call = Call { run, step, attempt, fate, started_at: now };
        let latency = self.scenario.steps[step.index()].latency_ms;
        self.put_in_flight(now + latency / 2, InFlight::Request(call));
        // A worker waits no longer than its timeout, whatever is still on its way.
        if fate == FaultKind::LoseReply || latency > self.scenario.timeout_ms {
            let end = failed("timed out", Failure::default());
            self.put_in_flight(now + self.scenario.timeout_ms, InFlight::Reply { call, end });
        }
    }

    fn fate(&self, run: RunId, step: StepId, attempt: u32) -> FaultKind {
        let is_named = |fault: &&Fault| (fault.job, fault.step, fault.attempt) == (run.0 + 1, step.0 + 1, attempt);
        // There are few; of two for one call the later one counts.
        if let Some(fault) = self.scenario.faults.iter().rfind(is_named) {
            return fault.kind;
        }
        let chance = |p, purpose| self.draws.chance(p, run.0, step.0, attempt, purpose);
        if chance(self.scenario.fail, Purpose::CallFails) {
            FaultKind::Fail
        } else if self.scenario.steps[step.index()].email && chance(self.scenario.lost, Purpose::ReplyLost) {
            FaultKind::LoseReply
        } else {
            FaultKind::Succeed
        }
    }

    fn put_in_flight(&mut self, at: u64, what: InFlight) {
        self.arrivals.insert((at, self.sent.len() as u64), 0);
        self.sent.push(what);
    }

    fn arrive(&mut self, now: u64, what: InFlight) {
        match what {
            InFlight::Request(call) => self.arrive_at_provider(now, call),
            InFlight::Reply { call, end } => {
                // A report of an attempt that was interrupted, or that has timed out before, is heard by nobody.
                let _ = self.engine.handle_call_ended(now, call.run, call.step, call.attempt, end);
            }
        }
    }

    fn arrive_at_provider(&mut self, now: u64, call: Call) {
        let Call { run, step, attempt, fate, started_at } = call;
        if fate == FaultKind::Fail {
            self.engine.handle_observed(now, Event::CallFailed { run, step, attempt });
            return self.reply(now, call, failed("503", Failure::default()));
        }
        let key = self.key_to_send(run, step, attempt);
        self.engine.handle_observed(now, Event::RequestArrived { run, step, attempt, key: key.clone() });
        let (user, data) = self.jobs[run.index()];
        let request = Request { step: step.0, subject: USERS[user].id, key: key.as_deref(), data };
        let end = match self.providers.handle(now, request) {
            Deed::Did { count } => {
                self.engine.handle_observed(now, Event::EffectDone { run, step, attempt, count });
                CallEnd::Succeeded
            }
            Deed::KnewKey => {
                self.engine.handle_observed(now, Event::ProviderKnewKey { run, step, attempt });
                CallEnd::Succeeded
            }
            Deed::Refused => {
                self.engine.handle_observed(now, Event::ProviderRefused { run, step, attempt });
                failed("409 same key, other data", Failure { final_: true, retry_after_ms: None })
            }
        };
        let latency = self.scenario.steps[step.index()].latency_ms;
        let too_late = latency > self.scenario.timeout_ms || self.is_over(run, step, attempt);
        if fate == FaultKind::LoseReply || too_late {
            debug_assert!(now >= started_at);
            return self.engine.handle_observed(now, Event::ReplyLost { run, step, attempt });
        }
        self.reply(now, call, end);
    }

    /// Whether nobody waits for this attempt any more.
    fn is_over(&self, run: RunId, step: StepId, attempt: u32) -> bool {
        use twiceproof_core::workflow::StepPhase;
        let state = self.engine.state().run(run).and_then(|run| run.progress.get(step));
        !state.is_some_and(|state| state.phase == StepPhase::Running && state.attempts == attempt)
    }

    fn reply(&mut self, now: u64, call: Call, end: CallEnd) {
        let latency = self.scenario.steps[call.step.index()].latency_ms;
        self.put_in_flight(now + latency - latency / 2, InFlight::Reply { call, end });
    }

    /// The idempotency key that goes with a call: only the email step sends one, as in the article.
    fn key_to_send(&self, run: RunId, step: StepId, attempt: u32) -> Option<Arc<str>> {
        let spec = &self.scenario.steps[step.index()];
        let user = USERS[self.jobs[run.index()].0].id;
        match self.scenario.strategy.key {
            _ if !spec.email => None,
            SentKey::None => None,
            SentKey::Same => Some(format!("{}:{user}", spec.key).into()),
            // A name made of job and attempt is new on every call, and the same whenever the story is told.
            SentKey::NewEachCall => Some(format!("{}:{user}:{}.{attempt}", spec.key, run.0 + 1).into()),
        }
    }
}

fn failed(error: &str, failure: Failure) -> CallEnd {
    CallEnd::Failed { error: error.into(), failure }
}
