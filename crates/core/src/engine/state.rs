//! The engine's state: a fold of the journal, plain data, and what can be read of it.

use alloc::{sync::Arc, vec::Vec};

use super::{lanes::Lanes, names::Subjects, table::Table};
use crate::{
    admission::{Payload, Retained},
    events::{Function, Intake},
    idempotency::Store,
    ids::{EventId, KeyId, RunId, StepId, WorkflowId},
    index::{Names, Order, Place},
    journal::{EngineOptions, Origin},
    limits::RETENTION_MS_DEFAULT,
    options,
    retry::GiveUp,
    workflow::{Progress, Steps, Trail, Workflow},
};

/// A timer of a run as a whole has this in place of a step.
pub(crate) const WHOLE_RUN: StepId = StepId(u32::MAX);

/// The status of a run, by the names of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Waits for a worker, or for its time.
    Pending,
    /// Has a worker.
    Running,
    /// All is done.
    Succeeded,
    /// Was cancelled.
    Cancelled,
    /// Was given up.
    Dead,
}

impl Status {
    /// Its name, as users and journals write it (C24).
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Cancelled => "cancelled",
            Self::Dead => "dead",
        }
    }
}

/// Where a run stands. Each variant holds what is valid there and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunPhase {
    /// Waits for a worker, or for its time.
    Queued,
    /// A pass over it is under way.
    Active,
    /// Between two passes.
    Waiting {
        /// When the next one begins.
        until: u64,
    },
    /// All is done.
    Succeeded,
    /// Was given up.
    GaveUp {
        /// Why.
        why: GiveUp,
    },
    /// Was cancelled.
    Cancelled,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its workflow.
    pub workflow: WorkflowId,
    /// The stable ID that the caller gave.
    pub id: Option<Arc<str>>,
    /// Whom or what it is about, as the caller named it.
    pub subject: Option<Arc<str>>,
    /// The version of its data, where a scenario gives one in place of a payload.
    pub data: Option<u64>,
    /// What is compared of its payload.
    pub payload: Option<Arc<Payload>>,
    /// Where it comes from, if nobody simply asked for it.
    pub origin: Option<Arc<Origin>>,
    /// Not to start before this time, in milliseconds, as the first request said.
    pub run_at: Option<u64>,
    /// Where it stands.
    pub phase: RunPhase,
    /// Passes begun so far.
    pub pass: u32,
    /// Passes that failed; the retry policy of the run counts these.
    pub failures: u32,
    /// Its steps.
    pub progress: Progress,
    /// It stops before its next step.
    pub cancel_requested: bool,
    /// The last error, as text.
    pub last_error: Option<Arc<str>>,
    /// When it was accepted, in milliseconds.
    pub queued_at: u64,
    /// When it was over, in milliseconds.
    pub ended_at: Option<u64>,
    /// The number of its subject in this engine.
    pub(crate) subject_number: u32,
}

impl Run {
    /// Its status.
    pub fn status(&self) -> Status {
        match self.phase {
            RunPhase::Queued => Status::Pending,
            RunPhase::Active | RunPhase::Waiting { .. } => Status::Running,
            RunPhase::Succeeded => Status::Succeeded,
            RunPhase::GaveUp { .. } => Status::Dead,
            RunPhase::Cancelled => Status::Cancelled,
        }
    }

    /// Whether a worker is at it.
    pub(crate) fn holds_a_slot(&self) -> bool {
        matches!(self.phase, RunPhase::Active | RunPhase::Waiting { .. })
    }
}

/// A workflow with the numbers of its step names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Defined {
    pub(crate) definition: Workflow,
    pub(crate) step_names: Vec<u32>,
    /// The names that its handler gives its steps.
    pub(crate) trail: Trail,
    /// The events that start it, if it is a function.
    pub(crate) function: Option<Arc<Function>>,
    /// How long its runs are kept, in milliseconds from their end, if not as the engine says; `u64::MAX` for ever.
    pub(crate) keep_ms: Option<u64>,
    /// Its runs that are over, by end, then number.
    pub(crate) ended: Order,
}

/// The state of an engine. Two readers of it are two readers of one fold; [`State::apply`] alone writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub(crate) opened: bool,
    pub(crate) now: u64,
    pub(crate) options: EngineOptions,
    pub(crate) workflows: Vec<Defined>,
    pub(crate) runs: Table<Run>,
    pub(crate) queue: Lanes,
    pub(crate) store: Store<RunId>,
    pub(crate) subjects: Subjects,
    pub(crate) step_names: Names,
    /// Who waits for the run of a key, by key, then in the order of joining.
    pub(crate) joined: Order,
    pub(crate) joins: u64,
    /// Waits and sleeps, by time, then run, then step.
    pub(crate) timers: Order,
    /// The runs of stable IDs.
    pub(crate) ids: Names,
    /// How long runs are kept, in milliseconds from their end; `u64::MAX` for ever.
    pub(crate) keep_ms: u64,
    pub(crate) intake: Intake,
    /// The functions that listen to an event name, in the order of their definition.
    pub(crate) listeners: Vec<Vec<WorkflowId>>,
    /// Names of events that functions listen to, numbered as their listeners.
    pub(crate) event_names: Names,
}

impl Default for State {
    /// The state before the first entry of a journal.
    fn default() -> Self {
        Self {
            opened: false,
            now: 0,
            options: EngineOptions { seed: 0, workers: None, key_ttl_ms: None },
            workflows: Vec::new(),
            runs: Table::default(),
            queue: Lanes::new(None),
            store: Store::new(u64::MAX),
            subjects: Subjects::default(),
            step_names: Names::default(),
            joined: Order::default(),
            joins: 0,
            timers: Order::default(),
            ids: Names::default(),
            keep_ms: RETENTION_MS_DEFAULT,
            intake: Intake::default(),
            listeners: Vec::new(),
            event_names: Names::default(),
        }
    }
}

impl State {
    /// The time of the last event, in milliseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// All runs that are kept, in the order of acceptance.
    pub fn runs(&self) -> impl Iterator<Item = (RunId, &Run)> + Clone {
        self.runs.iter().map(|(number, run)| (RunId(number), run))
    }

    /// A run, if it is kept.
    #[inline]
    pub fn run(&self, run: RunId) -> Option<&Run> {
        self.runs.get(run.index())
    }

    /// The run of a stable ID.
    pub fn run_of_id(&self, id: &str) -> Option<RunId> {
        self.ids.get(id).map(|run| RunId(run as u32))
    }

    /// The run of a stable ID, as [`crate::admission::admit`] wants it.
    pub fn retained(&self, id: &str) -> Option<Retained<'_>> {
        let run = &self.runs[self.run_of_id(id)?.index()];
        let (workflow, payload, data) = (run.workflow, run.payload.as_deref(), run.data);
        Some(Retained { workflow, payload, data, status: run.status() })
    }

    /// From when on a prune may remove a run, in milliseconds. `None`: it is not over, not kept any more, or kept for
    /// ever. Until a prune really removes it its ID is taken (C7).
    pub fn retained_until(&self, run: RunId) -> Option<u64> {
        let run = self.run(run)?;
        let until = options::after(run.ended_at?, self.keep_ms(run.workflow));
        (until != u64::MAX).then_some(until)
    }

    /// How long runs of a workflow are kept, in milliseconds from their end; `u64::MAX` for ever.
    pub(crate) fn keep_ms(&self, workflow: WorkflowId) -> u64 {
        self.workflows[workflow.index()].keep_ms.unwrap_or(self.keep_ms)
    }

    /// The run that a prune removes next, and from when on it may: the oldest end first, then the lowest number.
    pub(crate) fn next_to_prune(&self, now: u64) -> Option<RunId> {
        let eligible = |&(ended_at, run): &Place| {
            let keep_ms = self.keep_ms(self.runs[run as usize].workflow);
            keep_ms != u64::MAX && options::after(ended_at, keep_ms) <= now
        };
        self.oldest_ended().filter(eligible).min().map(|(_, run)| RunId(run as u32))
    }

    /// The run of each workflow that was over first, with its end.
    fn oldest_ended(&self) -> impl Iterator<Item = Place> + '_ {
        self.workflows.iter().filter_map(|defined| defined.ended.first().map(|(place, _)| place))
    }

    /// When a prune has something to do, in milliseconds. Not part of [`State::next_deadline`]: housekeeping is no
    /// reason to stay awake (SEMANTICS 2.14).
    pub fn next_prune(&self) -> Option<u64> {
        let runs = self.oldest_ended().filter_map(|(_, run)| self.retained_until(RunId(run as u32))).min();
        let event = self.intake.oldest_loose().map(|(_, accepted_at)| options::after(accepted_at, self.keep_ms));
        runs.into_iter().chain(event).min().filter(|&at| at != u64::MAX)
    }

    /// The event that a prune removes next: the oldest with which no run that is kept began.
    pub(crate) fn next_event_to_prune(&self, now: u64) -> Option<EventId> {
        let (event, accepted_at) = self.intake.oldest_loose()?;
        (self.keep_ms != u64::MAX && options::after(accepted_at, self.keep_ms) <= now).then_some(event)
    }

    /// Events: their history, open windows, those that wait or were missed.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    /// The functions that listen to an event name, in the order of their definition.
    pub fn listeners(&self, name: &str) -> &[WorkflowId] {
        self.event_names.get(name).map_or(&[], |number| &self.listeners[number as usize])
    }

    /// The event side of a workflow, if it is a function.
    pub fn function(&self, workflow: WorkflowId) -> Option<&Function> {
        self.workflows.get(workflow.index())?.function.as_deref()
    }

    /// Whether a workflow is paused: none of its runs starts.
    pub fn is_paused(&self, workflow: WorkflowId) -> bool {
        self.queue.is_paused(workflow)
    }

    /// A workflow's definition.
    pub fn workflow(&self, workflow: WorkflowId) -> Option<&Workflow> {
        self.workflows.get(workflow.index()).map(|defined| &defined.definition)
    }

    /// The name of a step of a run.
    pub fn step_name(&self, run: RunId, step: StepId) -> Option<&Arc<str>> {
        let run = self.run(run)?;
        let defined = &self.workflows[run.workflow.index()];
        let names = match &defined.definition.steps {
            Steps::List(names) => names,
            Steps::Found => run.progress.found_names(&defined.trail),
        };
        names.get(step.index())
    }

    /// Runs under way.
    pub fn busy(&self) -> u32 {
        self.queue.busy()
    }

    /// Nothing waits and nothing runs.
    pub fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Keys that are running or remembered.
    pub fn keys_live(&self) -> usize {
        self.store.len()
    }

    /// The record of the key of this step name and subject, if the store has one.
    pub fn key_of(&self, step_name: &str, subject: &str) -> Option<KeyId> {
        self.subjects.key(self.subjects.get(subject)?, self.step_names.get(step_name)? as u32)
    }

    /// The next time at which something is due without anybody's doing, in milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        self.deadline(self.now)
    }

    /// The same at a time that is later than that of the last event.
    pub(crate) fn deadline(&self, now: u64) -> Option<u64> {
        let timer = self.timers.first().map(|((at, _), _)| at);
        let startable = self.queue.peek(now).map(|_| now);
        // A run that is due and finds no slot wakes with the slot, not by the clock.
        let hold = self.intake.next_hold().map(|(at, ..)| at);
        timer.into_iter().chain(startable).chain(self.queue.next_due(now)).chain(hold).min()
    }

    /// Who shares the run of a key, in the order of joining.
    pub(crate) fn sharers(&self, key: KeyId) -> impl Iterator<Item = (RunId, StepId)> + '_ {
        self.joined.beginning_with(key.0.into()).map(|(_, call)| call_of(call))
    }

    #[inline]
    pub(crate) fn defined(&self, run: RunId) -> &Defined {
        &self.workflows[self.runs[run.index()].workflow.index()]
    }
}

/// A run and a step as one number, in the order of runs, then steps.
#[inline]
pub(crate) fn call(run: RunId, step: StepId) -> u64 {
    u64::from(run.0) << 32 | u64::from(step.0)
}

/// The run and the step of a number that [`call`] made.
#[inline]
pub(crate) fn call_of(number: u64) -> (RunId, StepId) {
    (RunId((number >> 32) as u32), StepId(number as u32))
}
