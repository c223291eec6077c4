//! Decisions about whole runs: acceptance, passes, the end, cancelling.

use alloc::{sync::Arc, vec::Vec};

use super::{
    Command, Engine, Settled,
    state::{RunPhase, Status, WHOLE_RUN, call_of},
};
use crate::{
    admission::{self, Admission, Mismatch, OnExisting, Payload, Request, Reuse},
    ids::{RunId, StepId, WorkflowId},
    journal::{Event, Origin, Sink},
    key::{self, InvalidKey},
    limits::{QUEUE_LENGTH_MAX, RUNS_MAX, TIME_MS_MAX},
    retry::{Decision, Failure, GiveUp},
    workflow::{StepPhase, Steps},
};

/// A run to be accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The stable ID, if the caller gives one: the same ID is the same run.
    pub id: Option<Arc<str>>,
    /// Whom or what it is about; see [`Event::RunQueued`].
    pub subject: Option<Arc<str>>,
    /// The version of its data, where a scenario gives one in place of a payload.
    pub data: Option<u64>,
    /// Not to start before this time, in milliseconds.
    pub run_at: Option<u64>,
    /// What is compared of its payload.
    pub payload: Option<Arc<Payload>>,
    /// What is wanted of a run that has the ID already.
    pub on_existing: OnExisting,
}

/// The answer to an accepted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// A new run.
    Created(RunId),
    /// The run that has this ID already, unchanged.
    Existing(RunId),
    /// The dead run that has this ID, started again.
    Restarted(RunId),
    /// A new run in place of one that was stopped.
    Replaced {
        /// The new run.
        run: RunId,
        /// The one that was stopped.
        stopped: RunId,
    },
}

impl Admitted {
    /// The run that the caller has now, new or not (C19).
    pub fn run(self) -> RunId {
        match self {
            Self::Created(run) | Self::Existing(run) | Self::Restarted(run) | Self::Replaced { run, .. } => run,
        }
    }

    /// Whether the run is new.
    pub fn created(self) -> bool {
        match self {
            Self::Created(_) | Self::Replaced { .. } => true,
            Self::Existing(_) | Self::Restarted(_) => false,
        }
    }
}

/// Why a run was not accepted. No run was stored or changed; a conflict and a refusal stand in the journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnqueueError {
    /// The workflow is not defined.
    #[error("this workflow is not defined")]
    UnknownWorkflow,
    /// The ID is no key.
    #[error("id {0}")]
    InvalidId(InvalidKey),
    /// The subject is no key.
    #[error("subject {0}")]
    InvalidSubject(InvalidKey),
    /// The time is beyond what a clock can say.
    #[error("runAt needs a time of at most {TIME_MS_MAX} ms")]
    InvalidTime,
    /// The ID belongs to other work: a run of another workflow or with another payload (C5, C6).
    #[error("this id belongs to a run {}", match .mismatch {
        Mismatch::Workflow => "of another workflow",
        Mismatch::Payload { .. } => "with another payload",
    })]
    Conflict {
        /// That run.
        run: RunId,
        /// What does not match.
        mismatch: Mismatch,
    },
    /// The ID belongs to a run, and the caller would not have one that exists.
    #[error("this id belongs to a run that exists already")]
    Exists {
        /// That run.
        run: RunId,
        /// Its status.
        status: Status,
    },
    /// A maximum is reached.
    #[error("the engine holds as many runs as it can ({QUEUE_LENGTH_MAX} waiting, {RUNS_MAX} in all)")]
    Full,
}

impl<S: Sink> Engine<S> {
    /// Accepts a run, or finds the one that has its ID (SEMANTICS C3 to C7). Everything is checked before anything
    /// is stored. A batch is this in a loop.
    pub fn handle_enqueue(&mut self, now: u64, workflow: WorkflowId, new: NewRun) -> Result<Admitted, EnqueueError> {
        self.advance_clock(now);
        if workflow.index() >= self.state.workflows.len() {
            return Err(EnqueueError::UnknownWorkflow);
        }
        if let Some(subject) = &new.subject {
            key::check(subject).map_err(EnqueueError::InvalidSubject)?;
        }
        if new.run_at.is_some_and(|at| at > TIME_MS_MAX) {
            return Err(EnqueueError::InvalidTime);
        }
        let request = Request { id: new.id.as_deref(), workflow, payload: new.payload.as_deref(), data: new.data };
        match admission::admit(request, |id| self.state.retained(id)) {
            Admission::Invalid(invalid) => Err(EnqueueError::InvalidId(invalid)),
            Admission::Created => self.create(workflow, new, None).map(Admitted::Created),
            Admission::Existing { status } => self.reuse(workflow, new, status),
            Admission::Conflict(mismatch) => {
                let run = self.run_of(&new);
                self.emit(Event::EnqueueRefused { run, workflow, mismatch: Some(mismatch.clone()) });
                Err(EnqueueError::Conflict { run, mismatch })
            }
        }
    }

    /// The run that has the ID of a request, which was just found.
    fn run_of(&self, new: &NewRun) -> RunId {
        let found = new.id.as_deref().and_then(|id| self.state.run_of_id(id));
        found.expect("an id that was just found")
    }

    /// A request named the ID of a run that matches it.
    fn reuse(&mut self, workflow: WorkflowId, new: NewRun, status: Status) -> Result<Admitted, EnqueueError> {
        let run = self.run_of(&new);
        let on_existing = new.on_existing;
        match on_existing.reuse(status) {
            Reuse::Return => {
                self.emit(Event::EnqueueRepeated { run, on_existing });
                Ok(Admitted::Existing(run))
            }
            Reuse::Reject => {
                self.emit(Event::EnqueueRefused { run, workflow, mismatch: None });
                Err(EnqueueError::Exists { run, status })
            }
            Reuse::Restart { fresh } => {
                self.check_room()?;
                self.emit(Event::RunRestarted { run, fresh });
                self.pump();
                Ok(Admitted::Restarted(run))
            }
            Reuse::Replace => {
                self.check_room()?;
                self.cancel_now(run);
                let stopped = run;
                let origin = Some(Arc::new(Origin::Replacement { of: stopped }));
                let run = self.create(workflow, new, origin)?;
                Ok(Admitted::Replaced { run, stopped })
            }
        }
    }

    fn check_room(&self) -> Result<(), EnqueueError> {
        let full = self.state.runs.next() >= RUNS_MAX || self.state.queue.waiting() >= QUEUE_LENGTH_MAX;
        if full { Err(EnqueueError::Full) } else { Ok(()) }
    }

    /// Accepts a run of which all was checked but the room for it.
    pub(super) fn create(
        &mut self,
        workflow: WorkflowId,
        new: NewRun,
        origin: Option<Arc<Origin>>,
    ) -> Result<RunId, EnqueueError> {
        self.check_room()?;
        let run = RunId(self.state.runs.next() as u32);
        let NewRun { id, subject, data, run_at, payload, on_existing: _ } = new;
        self.emit(Event::RunQueued { run, workflow, id, subject, data, run_at, payload, origin });
        self.pump();
        Ok(run)
    }

    /// Cancels a run: at once while it waits, else before its next step. False if it is over or unknown.
    pub fn handle_cancel(&mut self, now: u64, run: RunId) -> bool {
        self.advance_clock(now);
        let Some(state) = self.state.run(run) else { return false };
        if state.ended_at.is_some() {
            return false;
        }
        let steps = state.progress.states();
        let calling = steps.iter().any(|step| matches!(step.phase, StepPhase::Running | StepPhase::Joined(_)));
        let waiting =
            steps.iter().any(|step| matches!(step.phase, StepPhase::Waiting { .. } | StepPhase::Sleeping { .. }));
        match state.phase {
            // A handler between two steps is at work too: only one that waits can be stopped at once.
            RunPhase::Active if calling || !waiting => {
                if !state.cancel_requested {
                    self.emit(Event::CancelRequested { run });
                }
            }
            RunPhase::Queued | RunPhase::Active | RunPhase::Waiting { .. } => self.cancel_now(run),
            RunPhase::Succeeded | RunPhase::GaveUp { .. } | RunPhase::Cancelled => {}
        }
        self.pump();
        true
    }

    /// Begins the next pass over a run.
    pub(super) fn start_pass(&mut self, run: RunId) {
        let pass = self.state.runs[run.index()].pass + 1;
        self.emit(Event::RunStarted { run, pass });
        match self.state.defined(run).definition.steps {
            Steps::List(_) => self.todo.push_back(run),
            Steps::Found => self.commands.push_back(Command::Handle { run, pass }),
        }
    }

    /// Carries a listed run on to its next call, or to its end.
    pub(super) fn carry_on(&mut self, run: RunId) {
        loop {
            let state = &self.state.runs[run.index()];
            if state.phase != RunPhase::Active {
                return;
            }
            let next = state.progress.next_in_list();
            match next {
                // The end of the list is a step boundary too (SEMANTICS 2.11).
                _ if state.cancel_requested => self.cancel_now(run),
                None => {
                    self.emit(Event::RunSucceeded { run });
                    self.commands.push_back(Command::RunEnded { run });
                }
                Some(step) => {
                    if !self.begin_step(run, step) {
                        return;
                    }
                }
            }
        }
    }

    /// The next timer that is due, if any, does its work.
    pub(super) fn fire_next_timer(&mut self) -> bool {
        let Some(((at, call), _)) = self.state.timers.first() else { return false };
        let (run, step) = call_of(call);
        if at > self.now {
            return false;
        }
        if self.state.runs[run.index()].cancel_requested {
            self.cancel_now(run);
        } else if step == WHOLE_RUN {
            self.start_pass(run);
        } else {
            self.wake_step(run, step);
        }
        true
    }

    /// A pass failed: schedules another, or gives up. `step_why` says why the step that failed it was given up.
    pub(super) fn pass_failed(&mut self, run: RunId, step_why: GiveUp, failure: Failure, error: &Arc<str>) {
        let failures = self.state.runs[run.index()].failures;
        let policy = self.state.defined(run).definition.run_retry;
        // What is final for a step is final for its run.
        let failure = Failure { final_: failure.final_ || step_why != GiveUp::AttemptsUsed, ..failure };
        match policy.after_failure(self.now, failures, failure, self.jitter(&policy, run, WHOLE_RUN.0, failures)) {
            Decision::Retry { at, delay_ms, delay_ms_max } => {
                self.emit(Event::RetryScheduled { run, step: None, until: at, delay_ms, delay_ms_max });
            }
            Decision::GiveUp(why) => {
                let why = if step_why == GiveUp::AttemptsUsed { why } else { step_why };
                self.interrupt_calls(run);
                self.emit(Event::RunGaveUp { run, why, error: error.clone() });
                self.commands.push_back(Command::RunEnded { run });
            }
        }
    }

    pub(super) fn cancel_now(&mut self, run: RunId) {
        let asked: Vec<StepId> = self.waiting_steps(run);
        let keys = self.state.runs[run.index()].progress.states().iter().filter_map(|state| state.key);
        let sharers: Vec<(RunId, StepId, u32)> = keys.flat_map(|key| self.sharers(key)).collect();
        self.interrupt_calls(run);
        self.emit(Event::RunCancelled { run });
        if matches!(self.state.defined(run).definition.steps, Steps::Found) {
            let settle = |step| Command::Settle { run, step, how: Settled::Cancelled };
            self.commands.extend(asked.into_iter().map(settle));
        }
        self.commands.push_back(Command::RunEnded { run });
        self.carry_on_without_leader(sharers);
    }

    /// The run of a key that others waited for was stopped: the first of them does the work now.
    fn carry_on_without_leader(&mut self, sharers: Vec<(RunId, StepId, u32)>) {
        for &(run, step, attempt) in &sharers {
            self.emit(Event::AttemptInterrupted { run, step, attempt });
        }
        for (run, step, _) in sharers {
            if self.state.runs[run.index()].cancel_requested {
                self.cancel_now(run);
            } else if self.begin_step(run, step) {
                self.step_done(run, step);
            }
        }
    }

    fn waiting_steps(&self, run: RunId) -> Vec<StepId> {
        let states = self.state.runs[run.index()].progress.states().iter().enumerate();
        let waits = |phase| {
            matches!(
                phase,
                StepPhase::Waiting { .. } | StepPhase::Sleeping { .. } | StepPhase::Running | StepPhase::Joined(_)
            )
        };
        states.filter(|(_, state)| waits(state.phase)).map(|(index, _)| StepId(index as u32)).collect()
    }

    /// Every started attempt ends: those of this run that nobody waits for any more end here.
    pub(super) fn interrupt_calls(&mut self, run: RunId) {
        for index in 0..self.state.runs[run.index()].progress.states().len() {
            let state = &self.state.runs[run.index()].progress.states()[index];
            let (attempt, key) = (state.attempts, state.key);
            if !matches!(state.phase, StepPhase::Running | StepPhase::Joined(_)) {
                continue;
            }
            self.emit(Event::AttemptInterrupted { run, step: StepId(index as u32), attempt });
            if let Some(key) = key {
                self.emit(Event::KeyReleased { key });
            }
        }
    }
}
