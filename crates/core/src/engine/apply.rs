//! The one writer of state. It cannot fail: what it is given was decided by this engine, or checked by
//! [`State::accepts`].

use alloc::sync::Arc;

use super::{
    lanes::Lanes,
    state::{Defined, Run, RunPhase, State, WHOLE_RUN, call},
};
use crate::{
    events::{EventRecord, Function, NoStart, WINDOW_MS},
    idempotency::Store,
    ids::{KeyId, RunId, StepId, WorkflowId},
    journal::{Event, Origin},
    workflow::{Progress, StepPhase, Steps, Trail, Workflow},
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
                self.queue = Lanes::new(options.workers);
                self.store = Store::new(options.key_ttl_ms.unwrap_or(u64::MAX));
            }
            Event::WorkflowDefined { definition, .. } => self.define(definition),
            Event::FunctionDefined { workflow, function } => self.define_function(*workflow, function),
            Event::EventAccepted { name, id, ts, payload, duplicate_of, .. } => {
                let (name, id, payload) = (name.clone(), id.clone(), payload.clone());
                let (ts, duplicate_of) = (*ts, *duplicate_of);
                self.intake.accept(EventRecord { id, name, ts, payload, accepted_at: at, duplicate_of }, WINDOW_MS);
            }
            &Event::EventHeld { workflow, event, ref group, until, ref key, ref rate } => {
                let place = (workflow, group.clone());
                self.intake.keep_back(at, place, event, until, key.clone(), rate.clone());
            }
            &Event::StartSkipped { workflow, event, ref why, .. } => {
                self.intake.skip(workflow, event, *why == NoStart::Paused);
            }
            &Event::EventPruned { event } => self.intake.remove(event),
            &Event::RetentionSet { workflow, keep_ms } => {
                let keep_ms = keep_ms.unwrap_or(u64::MAX);
                match workflow {
                    Some(workflow) => self.workflows[workflow.index()].keep_ms = Some(keep_ms),
                    None => self.keep_ms = keep_ms,
                }
            }
            &Event::WorkflowPaused { workflow } => self.queue.set_paused(workflow, true),
            &Event::WorkflowResumed { workflow } => self.queue.set_paused(workflow, false),
            Event::RunQueued { .. } => self.accept_run(at, event),
            Event::EnqueueRepeated { .. } | Event::EnqueueRefused { .. } => {}
            &Event::RunRestarted { run, fresh } => self.restart_run(at, run, fresh),
            &Event::RunStarted { run, pass } => self.begin_pass(at, run, pass),
            Event::StepFound { run, name, .. } => {
                let run = &mut self.runs[run.index()];
                run.progress.add_found(name, &mut self.workflows[run.workflow.index()].trail);
            }
            &Event::StepReplayed { run, step } => {
                let run = &mut self.runs[run.index()];
                run.progress.state_mut(step).asked_in = run.pass;
            }
            &Event::KeyClaimed { run, step, key } => self.claim(run, step, key),
            &Event::KeyExpired { key, .. } | &Event::KeyForgotten { key } | &Event::KeyReleased { key } => {
                self.store.forget(key);
                self.subjects.remove_key(key);
            }
            &Event::StepSkipped { run, step, .. } => {
                self.stop_timer(run, step);
                self.runs[run.index()].progress.finish(step);
            }
            &Event::StepJoined { run, step, attempt, key, .. } => {
                self.stop_timer(run, step);
                self.joins += 1;
                self.joined.insert((key.0.into(), self.joins), call(run, step));
                let state = self.runs[run.index()].progress.state_mut(step);
                state.phase = StepPhase::Joined(key);
                state.attempts = attempt;
            }
            &Event::KeyConflict { run, step, .. } => self.stop_timer(run, step),
            &Event::AttemptStarted { run, step, attempt } => {
                let number = run;
                let run = &mut self.runs[run.index()];
                let pass = run.pass;
                let state = run.progress.state_mut(step);
                if let StepPhase::Waiting { until } | StepPhase::Sleeping { until } = state.phase {
                    self.timers.remove((until, call(number, step)));
                }
                state.phase = StepPhase::Running;
                state.attempts = attempt;
                state.asked_in = pass;
            }
            &Event::AttemptSucceeded { run, step, .. } => {
                let progress = &mut self.runs[run.index()].progress;
                let joined = progress.state_mut(step).phase;
                progress.finish(step);
                if let StepPhase::Joined(key) = joined {
                    self.leave(key, run, step);
                }
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
                self.timers.insert((until, call(run, step.unwrap_or(WHOLE_RUN))), 0);
                let run = &mut self.runs[run.index()];
                match step {
                    Some(step) => run.progress.state_mut(step).phase = StepPhase::Waiting { until },
                    None => run.phase = RunPhase::Waiting { until },
                }
            }
            &Event::SleepStarted { run, step, until } => {
                self.stop_timer(run, step);
                self.timers.insert((until, call(run, step)), 0);
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
            &Event::RunPruned { run } | &Event::RunForgotten { run, .. } => self.remove_run(run),
            Event::ProcessRestarted => self.restart(at),
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
            let next = self.step_names.len() as u64;
            step_names.push(self.step_names.number(name, next) as u32);
        }
        self.workflows.push(Defined {
            definition: definition.clone(),
            step_names,
            trail: Trail::default(),
            function: None,
            keep_ms: None,
            ended: Default::default(),
        });
        self.queue.open();
    }

    fn define_function(&mut self, workflow: WorkflowId, function: &Arc<Function>) {
        for name in &function.on {
            let number = self.event_names.number(name, self.listeners.len() as u64) as usize;
            if number == self.listeners.len() {
                self.listeners.push(alloc::vec::Vec::new());
            }
            self.listeners[number].push(workflow);
        }
        self.queue.set_slots(workflow, function.concurrency);
        self.workflows[workflow.index()].function = Some(function.clone());
    }

    /// The intake's side of a run that begins.
    fn note_start(&mut self, at: u64, run: RunId, workflow: WorkflowId, origin: &Origin) {
        match origin {
            Origin::Redrive { .. } | Origin::Replacement { .. } => {}
            Origin::Events { events, key, key_until, rate, replay: _ } => {
                let key = key.clone().map(|key| (key, key_until.unwrap_or(u64::MAX)));
                let limit = self.function(workflow).and_then(|function| function.rate_limit);
                self.intake.start(at, run, workflow, events, key, limit.map(|limit| (rate.clone(), limit)));
            }
        }
    }

    fn accept_run(&mut self, at: u64, event: &Event) {
        let Event::RunQueued { run, workflow, id, subject, data, run_at, payload, origin } = event else { return };
        let (run, workflow) = (*run, *workflow);
        let progress = match &self.workflows[workflow.index()].definition.steps {
            Steps::List(names) => Progress::of_list(names.len()),
            Steps::Found => Progress::default(),
        };
        if let Some(id) = id {
            self.ids.insert(id.clone(), run.0.into());
        }
        if let Some(origin) = origin {
            self.note_start(at, run, workflow, origin);
        }
        let subject_number = self.subjects.number(subject.as_ref());
        self.runs.push(Run {
            workflow,
            id: id.clone(),
            subject: subject.clone(),
            data: *data,
            payload: payload.clone(),
            origin: origin.clone(),
            run_at: *run_at,
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
        let added = self.queue.add(at, workflow, run, 0, run_at.unwrap_or(at));
        added.expect("room was checked before the event");
    }

    fn restart_run(&mut self, at: u64, run: RunId, fresh: bool) {
        let number = run;
        let run = &mut self.runs[run.index()];
        let workflow = run.workflow;
        if let Some(ended_at) = run.ended_at.take() {
            self.workflows[workflow.index()].ended.remove((ended_at, number.0.into()));
        }
        run.progress.begin_pass(!fresh);
        run.phase = RunPhase::Queued;
        run.failures = 0;
        run.cancel_requested = false;
        self.queue.add(at, workflow, number, 0, at).expect("room was checked before the event");
    }

    /// A run and its steps go together; its ID is free, unless another run has taken it.
    fn remove_run(&mut self, run: RunId) {
        let removed = self.runs.remove(run.index());
        if let Some(ended_at) = removed.ended_at {
            self.workflows[removed.workflow.index()].ended.remove((ended_at, run.0.into()));
        }
        if let Some(id) = &removed.id
            && self.run_of_id(id) == Some(run)
        {
            self.ids.remove(id);
        }
        self.subjects.release(removed.subject_number);
        match removed.origin.as_deref() {
            Some(Origin::Events { events, .. }) => self.intake.run_removed(events),
            Some(Origin::Redrive { .. } | Origin::Replacement { .. }) | None => {}
        }
    }

    fn begin_pass(&mut self, at: u64, run: RunId, pass: u32) {
        let keep_finished = self.defined(run).definition.memo;
        match self.runs[run.index()].phase {
            RunPhase::Queued => {
                let taken = self.queue.take(at);
                assert_eq!(taken, Some(run), "a run started out of its turn");
            }
            RunPhase::Waiting { until } => {
                self.timers.remove((until, call(run, WHOLE_RUN)));
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
        self.subjects.add_key(run.subject_number, name, key);
    }

    /// Stops the timer of a step, if it has one.
    #[inline]
    fn stop_timer(&mut self, run: RunId, step: StepId) {
        if let Some(state) = self.runs[run.index()].progress.get(step)
            && let StepPhase::Waiting { until } | StepPhase::Sleeping { until } = state.phase
        {
            self.timers.remove((until, call(run, step)));
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
            self.timers.remove((until, call(run, WHOLE_RUN)));
        }
    }

    #[inline]
    fn leave_joined(&mut self, run: RunId, step: StepId) {
        if let Some(&StepPhase::Joined(key)) = self.runs[run.index()].progress.get(step).map(|state| &state.phase) {
            self.leave(key, run, step);
        }
    }

    fn leave(&mut self, key: KeyId, run: RunId, step: StepId) {
        let joined = self.joined.beginning_with(key.0.into()).find(|&(_, other)| other == call(run, step));
        if let Some((join, _)) = joined {
            self.joined.remove((key.0.into(), join));
        }
    }

    fn end(&mut self, at: u64, run: RunId, phase: RunPhase) {
        self.stop_timers(run);
        let ended = &mut self.runs[run.index()];
        let workflow = ended.workflow;
        if ended.holds_a_slot() {
            self.queue.release(workflow);
        } else {
            self.queue.remove(workflow, run);
        }
        ended.phase = phase;
        ended.ended_at = Some(at);
        self.workflows[workflow.index()].ended.insert((at, run.0.into()), 0);
    }

    fn restart(&mut self, at: u64) {
        self.timers.clear();
        self.joined.clear();
        self.subjects.remove_all_keys();
        self.store = Store::new(self.options.key_ttl_ms.unwrap_or(u64::MAX));
        self.queue.release_all();
        for index in 0..self.runs.next() {
            let Some(run) = self.runs.get(index) else { continue };
            let workflow = run.workflow;
            if !run.holds_a_slot() {
                continue;
            }
            let keep_finished = self.workflows[workflow.index()].definition.memo;
            let run = &mut self.runs[index];
            run.progress.begin_pass(keep_finished);
            run.phase = RunPhase::Queued;
            let added = self.queue.add(at, workflow, RunId(index as u32), PRIORITY_INTERRUPTED, at);
            added.expect("a run that had a slot fits the queue");
        }
    }
}
