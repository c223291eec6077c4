//! Decisions about steps: keys, calls, their outcomes, and the steps that a handler asks for.

use alloc::{sync::Arc, vec::Vec};

use super::{CallEnd, Command, Engine, Settled, Stale, state::RunPhase};
use crate::{
    idempotency::Look,
    ids::{KeyId, RunId, StepId},
    journal::{Event, Sink},
    key,
    limits::{STEPS_PER_RUN_MAX, SWEEP_PER_CALL_MAX},
    retry::{Decision, Failure, GiveUp},
    workflow::{StepNameError, StepPhase, Steps},
};

/// The answer to a handler that asks for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepAnswer {
    /// An earlier pass finished it: hand on the saved result.
    Replay {
        /// The step.
        step: StepId,
    },
    /// A [`Command`] for it will follow.
    Wait {
        /// The step.
        step: StepId,
    },
}

/// Why a handler cannot have the step it asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The run is not under way.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Its name cannot be used.
    #[error(transparent)]
    Name(#[from] StepNameError),
    /// The run is cancelled.
    #[error("the run was cancelled")]
    Cancelled,
}

/// How a handler ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerEnd {
    /// It returned.
    Returned,
    /// It threw.
    Threw {
        /// The error, as text.
        error: Arc<str>,
        /// What is known of it.
        failure: Failure,
    },
}

impl<S: Sink> Engine<S> {
    /// A call ended. An error means that the report was not expected (its attempt was interrupted, or is another),
    /// and that nothing was stored.
    pub fn handle_call_ended(
        &mut self,
        now: u64,
        run: RunId,
        step: StepId,
        attempt: u32,
        end: CallEnd,
    ) -> Result<(), Stale> {
        self.advance_clock(now);
        let state =
            self.state.run(run).and_then(|state| state.progress.get(step)).ok_or(Stale("there is no such step"))?;
        if state.phase != StepPhase::Running || state.attempts != attempt {
            return Err(Stale("this attempt is not under way"));
        }
        let key = state.key;
        match end {
            CallEnd::Succeeded => self.call_succeeded(run, step, attempt, key),
            CallEnd::Failed { error, failure } => self.call_failed(run, step, attempt, key, &error, failure),
        }
        self.pump();
        Ok(())
    }

    #[inline]
    fn call_succeeded(&mut self, run: RunId, step: StepId, attempt: u32, key: Option<KeyId>) {
        self.emit(Event::AttemptSucceeded { run, step, attempt });
        let mut sharers = Vec::new();
        if let Some(key) = key {
            let expires_at = self.state.store.expires_at(self.now);
            self.emit(Event::KeySaved { key, expires_at: (expires_at != u64::MAX).then_some(expires_at) });
            sharers = self.sharers(key);
        }
        self.step_done(run, step);
        for (run, step, attempt) in sharers {
            self.emit(Event::AttemptSucceeded { run, step, attempt });
            self.step_done(run, step);
        }
    }

    fn call_failed(
        &mut self,
        run: RunId,
        step: StepId,
        attempt: u32,
        key: Option<KeyId>,
        error: &Arc<str>,
        failure: Failure,
    ) {
        self.emit(Event::AttemptFailed { run, step, attempt, error: error.clone() });
        let mut sharers = Vec::new();
        if let Some(key) = key {
            sharers = self.sharers(key);
            self.emit(Event::KeyReleased { key });
        }
        self.step_failed(run, step, error, failure);
        // Everybody who shared the run gets the same error (A5); each retries for itself.
        for (run, step, attempt) in sharers {
            self.emit(Event::AttemptFailed { run, step, attempt, error: error.clone() });
            self.step_failed(run, step, error, failure);
        }
    }

    /// Who shares the run of a key: run, step, attempt.
    #[inline]
    pub(super) fn sharers(&self, key: KeyId) -> Vec<(RunId, StepId, u32)> {
        if self.state.joined.is_empty() {
            return Vec::new();
        }
        let attempt = |run: RunId, step: StepId| {
            self.state.runs[run.index()].progress.get(step).map_or(0, |state| state.attempts)
        };
        self.state.sharers(key).map(|(run, step)| (run, step, attempt(run, step))).collect()
    }

    #[inline]
    pub(super) fn step_done(&mut self, run: RunId, step: StepId) {
        match self.state.defined(run).definition.steps {
            Steps::List(_) => self.todo.push_back(run),
            Steps::Found => self.commands.push_back(Command::Settle { run, step, how: Settled::Done }),
        }
    }

    fn step_failed(&mut self, run: RunId, step: StepId, error: &Arc<str>, failure: Failure) {
        if self.state.runs[run.index()].cancel_requested {
            return self.cancel_now(run);
        }
        let policy = self.state.defined(run).definition.step_retry;
        let failures = self.state.runs[run.index()].progress.states()[step.index()].failures;
        // The draw is named by the attempt, which counts over all passes, so that no two waits share one.
        let attempt = self.state.runs[run.index()].progress.states()[step.index()].attempts;
        match policy.after_failure(self.now, failures, failure, self.jitter(&policy, run, step.0, attempt)) {
            Decision::Retry { at, delay_ms, delay_ms_max } => {
                self.emit(Event::RetryScheduled { run, step: Some(step), until: at, delay_ms, delay_ms_max });
            }
            Decision::GiveUp(why) => self.step_gave_up(run, step, why, error, failure),
        }
    }

    fn step_gave_up(&mut self, run: RunId, step: StepId, why: GiveUp, error: &Arc<str>, failure: Failure) {
        self.emit(Event::StepGaveUp { run, step, why });
        match self.state.defined(run).definition.steps {
            Steps::List(_) => self.pass_failed(run, why, failure, error),
            Steps::Found => self.commands.push_back(Command::Settle { run, step, how: Settled::GaveUp }),
        }
    }

    /// Begins a step. True if it is done already, without a call.
    pub(super) fn begin_step(&mut self, run: RunId, step: StepId) -> bool {
        let attempt = self.state.runs[run.index()].progress.states()[step.index()].attempts + 1;
        if self.state.defined(run).definition.once
            && let Some(done) = self.ask_store(run, step, attempt)
        {
            return done;
        }
        self.emit(Event::AttemptStarted { run, step, attempt });
        self.commands.push_back(Command::Call { run, step, attempt });
        false
    }

    /// Asks the key store for a step. `None`: the key is ours now. `Some(true)`: the step is done. `Some(false)`: it
    /// waits, or was refused.
    fn ask_store(&mut self, run: RunId, step: StepId, attempt: u32) -> Option<bool> {
        let defined = self.state.defined(run);
        let (name, compares) = (defined.step_names[step.index()], defined.definition.compare_data);
        let (subject, data) = (self.state.runs[run.index()].subject_number, self.state.runs[run.index()].data);
        let known = self.state.subjects.key(subject, name);
        let look = known.map_or(Look::Free, |key| self.state.store.look(self.now, key, data.filter(|_| compares)));
        match (look, known) {
            (Look::Running { owner: leader }, Some(key)) => {
                self.emit(Event::StepJoined { run, step, attempt, key, leader });
                return Some(false);
            }
            (Look::Saved { owner: saved_by, .. }, Some(key)) => {
                // Of a run that was removed, nothing is known any more.
                let other_data = self.state.run(saved_by).is_some_and(|saved_by| saved_by.data != data);
                self.emit(Event::StepSkipped { run, step, key, saved_by, other_data });
                return Some(true);
            }
            (Look::Conflict { owner: first }, Some(key)) => {
                self.emit(Event::KeyConflict { run, step, key, first });
                let error: Arc<str> = "same key, other data".into();
                self.step_gave_up(
                    run,
                    step,
                    GiveUp::KeyConflict,
                    &error,
                    Failure { final_: true, retry_after_ms: None },
                );
                return Some(false);
            }
            (Look::Expired { expired_at }, Some(key)) => self.emit(Event::KeyExpired { key, expired_at }),
            (Look::Free, _) | (_, None) => {}
        }
        let key = self.state.store.next_key();
        self.emit(Event::KeyClaimed { run, step, key });
        self.sweep();
        None
    }

    /// Forgets keys whose window is over, in bounded work (SEMANTICS 2.8).
    fn sweep(&mut self) {
        for _ in 0..SWEEP_PER_CALL_MAX {
            let Some((key, expired_at)) = self.state.store.next_expired(self.now) else { return };
            self.emit(Event::KeyExpired { key, expired_at });
        }
    }

    /// A wait or a sleep of a step is over.
    pub(super) fn wake_step(&mut self, run: RunId, step: StepId) {
        let sleeps =
            matches!(self.state.runs[run.index()].progress.states()[step.index()].phase, StepPhase::Sleeping { .. });
        if sleeps {
            self.emit(Event::SleepEnded { run, step });
            self.commands.push_back(Command::Settle { run, step, how: Settled::Done });
        } else if self.begin_step(run, step) {
            self.step_done(run, step);
        }
    }

    /// The handler asks for a step by name (SEMANTICS 2.10).
    pub fn handle_step(
        &mut self,
        now: u64,
        run: RunId,
        name: impl AsRef<str> + Into<Arc<str>>,
    ) -> Result<StepAnswer, Refused> {
        self.advance_clock(now);
        let step = self.asked_step(run, name)?;
        if self.is_done(run, step) {
            self.emit(Event::StepReplayed { run, step });
            return Ok(StepAnswer::Replay { step });
        }
        self.begin_step(run, step);
        Ok(StepAnswer::Wait { step })
    }

    /// The handler asks to sleep until a time, under a name of its own.
    pub fn handle_sleep(
        &mut self,
        now: u64,
        run: RunId,
        name: impl AsRef<str> + Into<Arc<str>>,
        until: u64,
    ) -> Result<StepAnswer, Refused> {
        self.advance_clock(now);
        let step = self.asked_step(run, name)?;
        if self.is_done(run, step) {
            self.emit(Event::StepReplayed { run, step });
            return Ok(StepAnswer::Replay { step });
        }
        self.emit(Event::SleepStarted { run, step, until });
        self.pump();
        Ok(StepAnswer::Wait { step })
    }

    /// The handler of a run ended. Calls it did not wait for are taken as interrupted.
    pub fn handle_handler_ended(&mut self, now: u64, run: RunId, pass: u32, end: HandlerEnd) -> Result<(), Stale> {
        self.advance_clock(now);
        let state = self.active_handler(run)?;
        if state.pass != pass {
            return Err(Stale("this pass is over"));
        }
        self.interrupt_calls(run);
        match end {
            // The end of the handler is a step boundary too (SEMANTICS 2.11).
            HandlerEnd::Returned | HandlerEnd::Threw { .. } if self.state.runs[run.index()].cancel_requested => {
                self.cancel_now(run);
            }
            HandlerEnd::Returned => {
                self.emit(Event::RunSucceeded { run });
                self.commands.push_back(Command::RunEnded { run });
            }
            HandlerEnd::Threw { error, failure } => {
                self.emit(Event::HandlerFailed { run, error: error.clone() });
                let why = if failure.final_ { GiveUp::NotRetryable } else { GiveUp::AttemptsUsed };
                self.pass_failed(run, why, failure, &error);
            }
        }
        self.pump();
        Ok(())
    }

    fn active_handler(&self, run: RunId) -> Result<&super::Run, Stale> {
        let state = self.state.run(run).ok_or(Stale("there is no such run"))?;
        if state.phase != RunPhase::Active {
            return Err(Stale("the run is not under way"));
        }
        match self.state.defined(run).definition.steps {
            Steps::Found => Ok(state),
            Steps::List(_) => Err(Stale("the run has a list of steps and no handler")),
        }
    }

    fn is_done(&self, run: RunId, step: StepId) -> bool {
        self.state.runs[run.index()].progress.states()[step.index()].phase == StepPhase::Done
    }

    /// The step of this name, found now or in an earlier pass; refused if this pass asked for it before.
    fn asked_step(&mut self, run: RunId, given: impl AsRef<str> + Into<Arc<str>>) -> Result<StepId, Refused> {
        let name = given.as_ref();
        let state = self.active_handler(run)?;
        let trail = &self.state.defined(run).trail;
        let is_next = state.progress.is_next_on(trail, name);
        if !is_next {
            key::check(name).map_err(StepNameError::Invalid)?;
        }
        if state.cancel_requested {
            return Err(Refused::Cancelled);
        }
        if !is_next && let Some(step) = state.progress.find(name, trail) {
            if state.progress.states()[step.index()].asked_in == state.pass {
                return Err(StepNameError::Duplicate { name: name.into() }.into());
            }
            return Ok(step);
        }
        let length = state.progress.states().len();
        if length >= STEPS_PER_RUN_MAX {
            return Err(StepNameError::TooMany.into());
        }
        let step = StepId(length as u32);
        // Whoever has the name as one that can be shared gives it so, and no run has a copy of its own.
        self.emit(Event::StepFound { run, step, name: given.into() });
        Ok(step)
    }
}
