//! Whether an event fits the state: the check that stands between a journal from outside and [`State::apply`].

use super::state::{Run, RunPhase, State};
use crate::{
    events::Function,
    idempotency::Look,
    ids::{EventId, KeyId, RunId, StepId, WorkflowId},
    journal::{Damage, Event, Origin},
    key,
    limits::{BATCH_SIZE_MAX, EVENTS_MAX, QUEUE_LENGTH_MAX, RUNS_MAX, STEPS_PER_RUN_MAX},
    workflow::{StepPhase, StepState, Steps},
};

type Check = Result<(), Damage>;

fn need(holds: bool, otherwise: &'static str) -> Check {
    if holds { Ok(()) } else { Err(Damage(otherwise)) }
}

impl State {
    /// Whether `event` may follow at `at`. The error says what does not fit.
    pub fn accepts(&self, at: u64, event: &Event) -> Check {
        need(at >= self.now, "its time is before that of the entry above it")?;
        need(self.opened != matches!(event, Event::Opened { .. }), "a journal begins with \"opened\", once")?;
        match event {
            Event::Opened { options } => need(options.workers != Some(0), "an engine has at least one worker"),
            Event::WorkflowDefined { workflow, definition } => {
                need(workflow.index() == self.workflows.len(), "its workflow is not the next number")?;
                need(definition.check().is_ok(), "its workflow's steps are empty, doubled or too many")
            }
            Event::FunctionDefined { workflow, function } => {
                self.is_defined(*workflow)?;
                need(self.function(*workflow).is_none(), "its workflow is a function already")?;
                need(function.check().is_ok(), "its function's options do not fit")
            }
            Event::EventAccepted { event, name, id, duplicate_of, .. } => {
                let next = self.intake.next_event();
                need(event.index() == next && next < EVENTS_MAX, "its event is not the next number")?;
                need(key::check(name).is_ok(), "its event name is none")?;
                need(id.as_deref().is_none_or(|id| key::check(id).is_ok()), "its event id is none")?;
                let first = id.as_deref().and_then(|id| self.intake.event_id(at, id)).map(|first| first.winner);
                need(*duplicate_of == first, "its id's window says otherwise")
            }
            Event::EventHeld { workflow, event, group, until, .. } => {
                self.listens(*workflow, *event)?;
                let function = self.function(*workflow);
                need(function.is_some_and(Function::gathers), "its function does not gather events")?;
                need(!self.is_paused(*workflow), "its function is paused")?;
                need(!self.intake.is_held(*workflow, *event), "its event waits already")?;
                let full =
                    self.intake.hold(*workflow, group).is_some_and(|hold| hold.events.len() > BATCH_SIZE_MAX as usize);
                need(*until >= at && !full, "its group is over")
            }
            &Event::StartSkipped { workflow, event, .. } => self.listens(workflow, event),
            &Event::EventPruned { event } => {
                need(self.next_event_to_prune(at) == Some(event), "its event is still kept")
            }
            &Event::RetentionSet { workflow, .. } => workflow.map_or(Ok(()), |workflow| self.is_defined(workflow)),
            &Event::WorkflowPaused { workflow } => {
                self.is_defined(workflow)?;
                need(!self.is_paused(workflow), "its workflow is paused already")
            }
            &Event::WorkflowResumed { workflow } => {
                self.is_defined(workflow)?;
                need(self.is_paused(workflow), "its workflow is not paused")
            }
            Event::RunQueued { run, workflow, id, origin, .. } => {
                need(run.index() == self.runs.next() && run.index() < RUNS_MAX, "its run is not the next number")?;
                self.is_defined(*workflow)?;
                need(self.queue.waiting() < QUEUE_LENGTH_MAX, "the queue is full")?;
                let in_use = id.as_ref().and_then(|id| self.run_of_id(id));
                self.accepts_origin(at, *workflow, origin.as_deref(), in_use)
            }
            &Event::EnqueueRepeated { run, .. } => self.known(run).map(|_| ()),
            &Event::EnqueueRefused { run, workflow, .. } => {
                self.is_defined(workflow)?;
                self.known(run).map(|_| ())
            }
            &Event::RunRestarted { run, .. } => {
                need(matches!(self.known(run)?.phase, RunPhase::GaveUp { .. }), "its run was not given up")?;
                need(self.queue.waiting() < QUEUE_LENGTH_MAX, "the queue is full")
            }
            &Event::RunStarted { run, pass } => self.accepts_start(at, run, pass),
            Event::StepFound { run, step, name } => {
                let run = self.active(*run)?;
                let defined = &self.workflows[run.workflow.index()];
                need(matches!(defined.definition.steps, Steps::Found), "its run has a list of steps")?;
                let length = run.progress.states().len();
                need(step.index() == length && length < STEPS_PER_RUN_MAX, "its step is not the next number")?;
                need(run.progress.find(name, &defined.trail).is_none(), "its step name was used before")
            }
            &Event::StepReplayed { run, step } => {
                need(self.step(run, step)?.phase == StepPhase::Done, "its step is not done")
            }
            &Event::KeyClaimed { run, step, key } => {
                self.startable(run, step)?;
                need(self.defined(run).definition.once, "its workflow does not use the key store")?;
                need(self.key_for(run, step).is_none(), "its key has an owner")?;
                need(key == self.store.next_key(), "its key is not the next free one")
            }
            &Event::KeyExpired { key, expired_at } => {
                let expired = matches!(self.store.look(at, key, None), Look::Expired { expired_at: since } if since == expired_at);
                need(expired, "its key has not expired")
            }
            &Event::KeyForgotten { key } => {
                need(matches!(self.store.look(at, key, None), Look::Saved { .. }), "its key is not saved")
            }
            &Event::StepSkipped { run, step, key, saved_by, .. } => {
                self.startable(run, step)?;
                self.is_key_of(run, step, key)?;
                let saved = matches!(self.store.look(at, key, None), Look::Saved { owner, .. } if owner == saved_by);
                need(saved, "its key is not saved by that run")
            }
            &Event::StepJoined { run, step, attempt, key, leader } => {
                need(self.startable(run, step)?.attempts + 1 == attempt, "its attempt is not the next number")?;
                self.is_key_of(run, step, key)?;
                let running = matches!(self.store.look(at, key, None), Look::Running { owner } if owner == leader);
                need(running && leader != run, "its key is not run by that run")
            }
            &Event::KeyConflict { run, step, key, .. } => {
                self.startable(run, step)?;
                self.is_key_of(run, step, key)
            }
            &Event::AttemptStarted { run, step, attempt } => {
                let state = self.startable(run, step)?;
                need(state.attempts + 1 == attempt, "its attempt is not the next number")?;
                need(state.key.is_some() == self.defined(run).definition.once, "its step has not claimed its key")
            }
            &Event::AttemptSucceeded { run, step, attempt }
            | &Event::AttemptFailed { run, step, attempt, .. }
            | &Event::AttemptInterrupted { run, step, attempt } => {
                let state = self.step(run, step)?;
                let under_way = matches!(state.phase, StepPhase::Running | StepPhase::Joined(_));
                need(under_way && state.attempts == attempt, "its attempt is not under way")
            }
            &Event::KeySaved { key, .. } | &Event::KeyReleased { key } => {
                need(matches!(self.store.look(at, key, None), Look::Running { .. }), "its key is not running")
            }
            &Event::RetryScheduled { run, step, until, .. } => {
                need(until >= at, "its time is over")?;
                match step {
                    Some(step) => need(self.step(run, step)?.phase == StepPhase::Idle, "its step is not idle"),
                    None => self.active(run).map(|_| ()),
                }
            }
            &Event::SleepStarted { run, step, .. } => self.startable(run, step).map(|_| ()),
            &Event::SleepEnded { run, step } => {
                let over = matches!(self.step(run, step)?.phase, StepPhase::Sleeping { until } if until <= at);
                need(over, "its sleep is not over")
            }
            &Event::StepGaveUp { run, step, .. } => self.startable(run, step).map(|_| ()),
            Event::HandlerFailed { run, .. } => self.active(*run).map(|_| ()),
            &Event::RunSucceeded { run } => {
                let run = self.active(run)?;
                let list = matches!(self.workflows[run.workflow.index()].definition.steps, Steps::List(_));
                need(!list || run.progress.next_in_list().is_none(), "its run has steps left")
            }
            Event::RunGaveUp { run, .. } => self.active(*run).map(|_| ()),
            &Event::CancelRequested { run } => self.active(run).map(|_| ()),
            &Event::RunCancelled { run } => {
                let run = self.known(run)?;
                need(run.ended_at.is_none(), "its run is over")
            }
            &Event::RunPruned { run } => {
                need(self.known(run)?.ended_at.is_some(), "its run is not over")?;
                let due = self.retained_until(run).is_some_and(|until| until <= at);
                need(due, "its run is still kept")
            }
            &Event::RunForgotten { run, .. } => need(self.known(run)?.ended_at.is_some(), "its run is not over"),
            Event::ProcessRestarted => {
                let quiet = |run: &Run| run.progress.states().iter().all(|state| !under_way(state));
                need(self.runs.iter().all(|(_, run)| quiet(run)), "an attempt is under way")
            }
            &Event::RequestArrived { run, step, .. }
            | &Event::EffectDone { run, step, .. }
            | &Event::ProviderKnewKey { run, step, .. }
            | &Event::ProviderRefused { run, step, .. }
            | &Event::CallFailed { run, step, .. }
            | &Event::ReplyLost { run, step, .. } => {
                self.known(run)?.progress.get(step).map(|_| ()).ok_or(Damage("its step does not exist"))
            }
        }
    }

    fn is_defined(&self, workflow: WorkflowId) -> Check {
        need(workflow.index() < self.workflows.len(), "its workflow is not defined")
    }

    /// Whether the function listens to the event, which is in the history.
    fn listens(&self, workflow: WorkflowId, event: EventId) -> Check {
        let event = self.intake.event(event).ok_or(Damage("its event does not exist"))?;
        need(self.listeners(&event.name).contains(&workflow), "its function does not listen to its event")
    }

    /// Whether a new run may come from there. `in_use` is the run that has its ID.
    fn accepts_origin(&self, at: u64, workflow: WorkflowId, origin: Option<&Origin>, in_use: Option<RunId>) -> Check {
        match origin {
            None => need(in_use.is_none(), "its id is in use"),
            Some(&Origin::Redrive { from }) => {
                need(in_use.is_none(), "its id is in use")?;
                need(matches!(self.known(from)?.phase, RunPhase::GaveUp { .. }), "the run it redrives was not given up")
            }
            Some(&Origin::Replacement { of }) => {
                need(self.known(of)?.phase == RunPhase::Cancelled, "the run it replaces was not stopped")?;
                need(in_use == Some(of), "its id is not that of the run it replaces")
            }
            Some(Origin::Events { events, key, key_until, .. }) => {
                need(in_use.is_none(), "its id is in use")?;
                need(!events.is_empty(), "it began with no event")?;
                events.iter().try_for_each(|&event| self.listens(workflow, event))?;
                need(!self.is_paused(workflow), "its function is paused")?;
                let used = key.as_deref().and_then(|key| self.intake.function_key(at, workflow, key));
                need(used.is_none(), "its function key is in use")?;
                need(key.is_some() || key_until.is_none(), "its window has no key")
            }
        }
    }

    fn accepts_start(&self, at: u64, run: RunId, pass: u32) -> Check {
        let known = self.known(run)?;
        need(pass == known.pass + 1, "its pass is not the next number")?;
        match known.phase {
            RunPhase::Queued => {
                need(self.queue.peek(at) == Some(run), "its run is not next in the queue, or no worker is free")
            }
            RunPhase::Waiting { until } => need(until <= at, "its retry is not due"),
            RunPhase::Active => Err(Damage("its run is under way")),
            RunPhase::Succeeded | RunPhase::GaveUp { .. } | RunPhase::Cancelled => Err(Damage("its run is over")),
        }
    }

    fn known(&self, run: RunId) -> Result<&Run, Damage> {
        self.run(run).ok_or(Damage("its run does not exist"))
    }

    fn active(&self, run: RunId) -> Result<&Run, Damage> {
        let run = self.known(run)?;
        need(run.phase == RunPhase::Active, "its run is not active")?;
        Ok(run)
    }

    fn step(&self, run: RunId, step: StepId) -> Result<&StepState, Damage> {
        self.active(run)?.progress.get(step).ok_or(Damage("its step does not exist"))
    }

    /// A step that is neither finished nor under way.
    fn startable(&self, run: RunId, step: StepId) -> Result<&StepState, Damage> {
        let state = self.step(run, step)?;
        match state.phase {
            StepPhase::Idle | StepPhase::Waiting { .. } | StepPhase::GaveUp => Ok(state),
            StepPhase::Running | StepPhase::Joined(_) => Err(Damage("its step is under way")),
            StepPhase::Sleeping { .. } => Err(Damage("its step sleeps")),
            StepPhase::Done => Err(Damage("its step is done")),
        }
    }

    fn key_for(&self, run: RunId, step: StepId) -> Option<KeyId> {
        let name = *self.defined(run).step_names.get(step.index())?;
        self.subjects.key(self.runs[run.index()].subject_number, name)
    }

    fn is_key_of(&self, run: RunId, step: StepId, key: KeyId) -> Check {
        need(self.key_for(run, step) == Some(key), "its key is another action's")
    }
}

/// Whether an attempt of the step is under way.
fn under_way(state: &StepState) -> bool {
    matches!(state.phase, StepPhase::Running | StepPhase::Joined(_))
}
