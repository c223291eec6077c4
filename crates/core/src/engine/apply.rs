//! The one writer of state. It cannot fail: what it is given was decided by this engine, or checked by
//! [`State::accepts`].

use super::state::{Defined, Run, RunPhase, State, WHOLE_RUN};
use crate::{
    idempotency::Store,
    ids::{KeyId, RunId, StepId},
    journal::Event,
    queue::Queue,
    workflow::{Progress, StepPhase, Steps, Workflow},
};

/// Interrupted runs go before waiting ones after a restart.
const PRIORITY_INTERRUPTED: i32 = -1;

impl State {
    /// Applies an event that happened at `at`.
    ///
    /// # Panics
    /// If the event does not fit the state: a broken invariant of the engine, or a journal that was not checked.
    #[inline]
    pub fn apply(&mut self, at: u64, event: &Event) {
        self.now = at;
        match event {
            Event::Opened { options } => {
                self.opened = true;
                self.options = *options;
                self.queue = Queue::new(options.workers);
                self.store = Store::new(options.key_ttl_ms.unwrap_or(u64::MAX));
            }
            Event::WorkflowDefined { definition, .. } => self.define(definition),
            &Event::RunQueued { run, workflow, ref id, ref subject, data, run_at } => {
                let subject_number = self.subject_number(subject.as_ref());
                let progress = match &self.workflows[workflow.index()].definition.steps {
                    Steps::List(names) => Progress::of_list(names.len()),
                    Steps::Found => Progress::default(),
                };
                if let Some(id) = id {
                    self.ids.insert(id.clone(), run);
                }
                self.runs.push(Run {
                    workflow,
                    id: id.clone(),
                    subject: subject.clone(),
                    data,
                    phase: RunPhase::Queued,
                    pass: 0,
                    failures: 0,
                    progress,
                    cancel_requested: false,
                    last_error: None,
                    queued_at: at,
                    ended_at: None,
                    subject_number,
                });
                let added = match run_at {
                    Some(due) if due > at => self.queue.add_at(due, run, 0),
                    _ => self.queue.add(run, 0),
                };
                added.expect("room was checked before the event");
            }
            &Event::RunStarted { run, pass } => self.begin_pass(at, run, pass),
            Event::StepFound { run, name, .. } => {
                let run = &mut self.runs[run.index()];
                run.progress.add_found(name.clone());
            }
            &Event::StepReplayed { run, step } => {
                let run = &mut self.runs[run.index()];
                run.progress.state_mut(step).asked_in = run.pass;
            }
            &Event::KeyClaimed { run, step, key } => self.claim(run, step, key),
            &Event::KeyExpired { key, .. } | &Event::KeyForgotten { key } | &Event::KeyReleased { key } => {
                self.store.forget(key);
                self.keys.remove(key);
            }
            &Event::StepSkipped { run, step, .. } => {
                self.stop_timer(run, step);
                self.runs[run.index()].progress.finish(step);
            }
            &Event::StepJoined { run, step, attempt, key, .. } => {
                self.stop_timer(run, step);
                self.joined.entry(key).or_default().push((run, step));
                let state = self.runs[run.index()].progress.state_mut(step);
                state.phase = StepPhase::Joined(key);
                state.attempts = attempt;
            }
            &Event::KeyConflict { run, step, .. } => self.stop_timer(run, step),
            &Event::AttemptStarted { run, step, attempt } => {
                self.stop_timer(run, step);
                let run = &mut self.runs[run.index()];
                let pass = run.pass;
                let state = run.progress.state_mut(step);
                state.phase = StepPhase::Running;
                state.attempts = attempt;
                state.asked_in = pass;
            }
            &Event::AttemptSucceeded { run, step, .. } => {
                self.leave_joined(run, step);
                self.runs[run.index()].progress.finish(step);
            }
            &Event::AttemptFailed { run, step, ref error, .. } => {
                self.leave_joined(run, step);
                let run = &mut self.runs[run.index()];
                run.last_error = Some(error.clone());
                let state = run.progress.state_mut(step);
                state.failures += 1;
                state.phase = StepPhase::Idle;
                state.key = None;
            }
            &Event::AttemptInterrupted { run, step, .. } => {
                self.leave_joined(run, step);
                let state = self.runs[run.index()].progress.state_mut(step);
                state.phase = StepPhase::Idle;
                state.key = None;
            }
            &Event::KeySaved { key, expires_at } => self.store.finish(key, expires_at.unwrap_or(u64::MAX)),
            &Event::RetryScheduled { run, step, until, .. } => {
                self.timers.insert((until, run, step.unwrap_or(WHOLE_RUN)));
                let run = &mut self.runs[run.index()];
                match step {
                    Some(step) => run.progress.state_mut(step).phase = StepPhase::Waiting { until },
                    None => run.phase = RunPhase::Waiting { until },
                }
            }
            &Event::SleepStarted { run, step, until } => {
                self.stop_timer(run, step);
                self.timers.insert((until, run, step));
                let run = &mut self.runs[run.index()];
                let pass = run.pass;
                let state = run.progress.state_mut(step);
                state.phase = StepPhase::Sleeping { until };
                state.asked_in = pass;
            }
            &Event::SleepEnded { run, step } => {
                self.stop_timer(run, step);
                self.runs[run.index()].progress.finish(step);
            }
            &Event::StepGaveUp { run, step, .. } => {
                self.stop_timer(run, step);
                let is_list = matches!(self.defined(run).definition.steps, Steps::List(_));
                let run = &mut self.runs[run.index()];
                run.progress.state_mut(step).phase = StepPhase::GaveUp;
                // A list fails with its step; a handler may catch the error, and says itself when it fails.
                run.failures += u32::from(is_list);
            }
            Event::HandlerFailed { run, error } => {
                self.stop_timers(*run);
                let run = &mut self.runs[run.index()];
                run.last_error = Some(error.clone());
                run.failures += 1;
            }
            &Event::RunSucceeded { run } => self.end(at, run, RunPhase::Succeeded),
            &Event::RunGaveUp { run, why, .. } => self.end(at, run, RunPhase::GaveUp { why }),
            &Event::CancelRequested { run } => self.runs[run.index()].cancel_requested = true,
            &Event::RunCancelled { run } => self.end(at, run, RunPhase::Cancelled),
            Event::ProcessRestarted => self.restart(),
            Event::RequestArrived { .. }
            | Event::EffectDone { .. }
            | Event::ProviderKnewKey { .. }
            | Event::ProviderRefused { .. }
            | Event::CallFailed { .. }
            | Event::ReplyLost { .. } => {}
        }
    }

    fn define(&mut self, definition: &Workflow) {
        let names = match &definition.steps {
            Steps::List(names) => names.as_slice(),
            Steps::Found => &[],
        };
        let mut step_names = alloc::vec::Vec::with_capacity(names.len());
        for name in names {
            let next = self.step_names.len() as u32;
            step_names.push(*self.step_names.entry(name.clone()).or_insert(next));
        }
        self.workflows.push(Defined { definition: definition.clone(), step_names });
    }

    fn subject_number(&mut self, subject: Option<&alloc::sync::Arc<str>>) -> u32 {
        let next = self.subject_count;
        let number = match subject {
            Some(subject) => *self.subjects.entry(subject.clone()).or_insert(next),
            None => next,
        };
        self.subject_count += u32::from(number == next);
        number
    }

    fn begin_pass(&mut self, at: u64, run: RunId, pass: u32) {
        let keep_finished = self.defined(run).definition.memo;
        match self.runs[run.index()].phase {
            RunPhase::Queued => {
                let taken = self.queue.take(at);
                assert_eq!(taken, Some(run), "a run started out of its turn");
            }
            RunPhase::Waiting { until } => {
                self.timers.remove(&(until, run, WHOLE_RUN));
                self.runs[run.index()].progress.begin_pass(keep_finished);
            }
            RunPhase::Active | RunPhase::Succeeded | RunPhase::GaveUp { .. } | RunPhase::Cancelled => {
                panic!("a run started that is under way or over")
            }
        }
        let run = &mut self.runs[run.index()];
        run.pass = pass;
        run.phase = RunPhase::Active;
    }

    fn claim(&mut self, run: RunId, step: StepId, key: KeyId) {
        let defined = self.defined(run);
        let (name, compares) = (defined.step_names[step.index()], defined.definition.compare_data);
        let owner = run;
        let run = &mut self.runs[run.index()];
        run.progress.state_mut(step).key = Some(key);
        self.store.claim(key, owner, run.data.filter(|_| compares));
        self.keys.insert(run.subject_number, name, key);
    }

    /// Stops the timer of a step, if it has one.
    #[inline]
    fn stop_timer(&mut self, run: RunId, step: StepId) {
        if let Some(state) = self.runs[run.index()].progress.get(step)
            && let StepPhase::Waiting { until } | StepPhase::Sleeping { until } = state.phase
        {
            self.timers.remove(&(until, run, step));
        }
    }

    /// Stops all timers of a run.
    fn stop_timers(&mut self, run: RunId) {
        if self.timers.is_empty() {
            return;
        }
        for step in 0..self.runs[run.index()].progress.states().len() {
            self.stop_timer(run, StepId(step as u32));
        }
        if let RunPhase::Waiting { until } = self.runs[run.index()].phase {
            self.timers.remove(&(until, run, WHOLE_RUN));
        }
    }

    #[inline]
    fn leave_joined(&mut self, run: RunId, step: StepId) {
        let Some(&StepPhase::Joined(key)) = self.runs[run.index()].progress.get(step).map(|state| &state.phase) else {
            return;
        };
        if let Some(waiting) = self.joined.get_mut(&key) {
            waiting.retain(|&other| other != (run, step));
            if waiting.is_empty() {
                self.joined.remove(&key);
            }
        }
    }

    fn end(&mut self, at: u64, run: RunId, phase: RunPhase) {
        self.stop_timers(run);
        if self.runs[run.index()].holds_a_slot() {
            self.queue.release();
        } else {
            self.queue.remove(|&waiting| waiting == run);
        }
        let run = &mut self.runs[run.index()];
        run.phase = phase;
        run.ended_at = Some(at);
    }

    fn restart(&mut self) {
        self.timers.clear();
        self.joined.clear();
        self.keys = super::state::Keys::default();
        self.store = Store::new(self.options.key_ttl_ms.unwrap_or(u64::MAX));
        self.queue.release_all();
        for index in 0..self.runs.len() {
            let run = RunId(index as u32);
            if !self.runs[index].holds_a_slot() {
                continue;
            }
            let keep_finished = self.defined(run).definition.memo;
            self.runs[index].progress.begin_pass(keep_finished);
            self.runs[index].phase = RunPhase::Queued;
            self.queue.add(run, PRIORITY_INTERRUPTED).expect("a run that had a slot fits the queue");
        }
    }
}
