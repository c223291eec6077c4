//! The engine's state: a fold of the journal, plain data, and what can be read of it.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    vec::Vec,
};

use crate::{
    idempotency::Store,
    ids::{KeyId, RunId, StepId, WorkflowId},
    journal::EngineOptions,
    queue::Queue,
    retry::GiveUp,
    workflow::{Progress, Steps, Workflow},
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
    /// A fingerprint of its data.
    pub data: Option<u64>,
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
}

/// Which key is which record of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    by_name: BTreeMap<(u32, u32), KeyId>,
    names: BTreeMap<KeyId, (u32, u32)>,
}

impl Keys {
    #[inline]
    pub(crate) fn get(&self, subject: u32, name: u32) -> Option<KeyId> {
        self.by_name.get(&(subject, name)).copied()
    }

    pub(crate) fn insert(&mut self, subject: u32, name: u32, key: KeyId) {
        self.by_name.insert((subject, name), key);
        self.names.insert(key, (subject, name));
    }

    pub(crate) fn remove(&mut self, key: KeyId) {
        if let Some(name) = self.names.remove(&key) {
            self.by_name.remove(&name);
        }
    }
}

/// The state of an engine. Two readers of it are two readers of one fold; [`State::apply`] alone writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub(crate) opened: bool,
    pub(crate) now: u64,
    pub(crate) options: EngineOptions,
    pub(crate) workflows: Vec<Defined>,
    pub(crate) runs: Vec<Run>,
    pub(crate) queue: Queue<RunId>,
    pub(crate) store: Store<RunId>,
    pub(crate) keys: Keys,
    pub(crate) subjects: BTreeMap<Arc<str>, u32>,
    pub(crate) subject_count: u32,
    pub(crate) step_names: BTreeMap<Arc<str>, u32>,
    /// Who waits for the run of a key, in the order of joining.
    pub(crate) joined: BTreeMap<KeyId, Vec<(RunId, StepId)>>,
    /// Waits and sleeps, by time, then run, then step.
    pub(crate) timers: BTreeSet<(u64, RunId, StepId)>,
    pub(crate) ids: BTreeMap<Arc<str>, RunId>,
}

impl Default for State {
    /// The state before the first entry of a journal.
    fn default() -> Self {
        Self {
            opened: false,
            now: 0,
            options: EngineOptions { seed: 0, workers: None, key_ttl_ms: None },
            workflows: Vec::new(),
            runs: Vec::new(),
            queue: Queue::new(None),
            store: Store::new(u64::MAX),
            keys: Keys::default(),
            subjects: BTreeMap::new(),
            subject_count: 0,
            step_names: BTreeMap::new(),
            joined: BTreeMap::new(),
            timers: BTreeSet::new(),
            ids: BTreeMap::new(),
        }
    }
}

impl State {
    /// The time of the last event, in milliseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// All runs, in the order of acceptance.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// A run.
    pub fn run(&self, run: RunId) -> Option<&Run> {
        self.runs.get(run.index())
    }

    /// The run of a stable ID.
    pub fn run_of_id(&self, id: &str) -> Option<RunId> {
        self.ids.get(id).copied()
    }

    /// A workflow's definition.
    pub fn workflow(&self, workflow: WorkflowId) -> Option<&Workflow> {
        self.workflows.get(workflow.index()).map(|defined| &defined.definition)
    }

    /// The name of a step of a run.
    pub fn step_name(&self, run: RunId, step: StepId) -> Option<&Arc<str>> {
        let run = self.run(run)?;
        match &self.workflow(run.workflow)?.steps {
            Steps::List(names) => names.get(step.index()),
            Steps::Found => run.progress.found_name(step),
        }
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
        self.keys.get(*self.subjects.get(subject)?, *self.step_names.get(step_name)?)
    }

    /// The next time at which something is due without anybody's doing, in milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        let timer = self.timers.first().map(|&(at, ..)| at);
        // Delayed work that no worker could take when due wakes with the worker, not by the clock.
        let due = self.queue.next_due().filter(|&at| at > self.now || self.queue.peek(at).is_some());
        timer.into_iter().chain(due).min()
    }

    #[inline]
    pub(crate) fn defined(&self, run: RunId) -> &Defined {
        &self.workflows[self.runs[run.index()].workflow.index()]
    }
}
