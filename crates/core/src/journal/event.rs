//! Everything that can happen. The journal is the only truth: state is a fold of it, and so is every picture.
//!
//! Each variant says in which states it is accepted ([`crate::engine::State::accepts`] checks it for a journal that
//! comes from outside) and what it does. Runs, steps and keys are numbers; [`Event::RunQueued`],
//! [`Event::StepFound`] and [`Event::WorkflowDefined`] say their names.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use serde::Serialize;

use crate::{
    admission::{Mismatch, OnExisting, Payload},
    events::{Function, NoStart},
    ids::{EventId, KeyId, RunId, StepId, WorkflowId},
    retry::GiveUp,
    workflow::Workflow,
};

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its place, from 0, without gaps.
    pub seq: u64,
    /// When, in milliseconds. Never less than the entry before.
    pub at: u64,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

/// What an engine is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineOptions {
    /// Seed of all keyed draws of the engine (jitter).
    pub seed: u64,
    /// Runs that may be under way at once; absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// How long the key store remembers a finished step, in milliseconds from its finish; absent for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_ttl_ms: Option<u64>,
}

/// Where a run comes from, if nobody simply asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Origin {
    /// A dead run, done again under a name of its own (SEMANTICS 2.11).
    Redrive {
        /// That run.
        from: RunId,
    },
    /// A run that was stopped, and whose ID it takes (SEMANTICS 2.2).
    Replacement {
        /// That run.
        of: RunId,
    },
    /// Events. The entry that makes the run also uses its key and counts its start: one cannot be without the other
    /// (SEMANTICS 2.9).
    Events {
        /// The events, in the order of acceptance; more than one for a batch.
        events: Vec<EventId>,
        /// The function key that is used from now on.
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<Arc<str>>,
        /// Until when it is, exclusively, in milliseconds; absent for ever, or without a key.
        #[serde(skip_serializing_if = "Option::is_none")]
        key_until: Option<u64>,
        /// The group whose starts the rate limit counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<Arc<str>>,
        /// Somebody replayed the event.
        #[serde(skip_serializing_if = "core::ops::Not::not")]
        replay: bool,
    },
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// The engine began. Accepted first, and only there.
    Opened {
        /// What it was made with.
        options: EngineOptions,
    },
    /// A workflow was defined. Accepted any time; `workflow` is the next number.
    WorkflowDefined {
        /// Its number.
        workflow: WorkflowId,
        /// Its definition.
        definition: Box<Workflow>,
    },
    /// A workflow became a function: events start it. Accepted once for each workflow.
    FunctionDefined {
        /// The workflow.
        workflow: WorkflowId,
        /// Which events, and by what rules.
        function: Arc<Function>,
    },
    /// How long a run that is over is kept, for one workflow or for all that have no time of their own. Accepted any
    /// time; it counts for runs that are over already too.
    RetentionSet {
        /// The workflow; absent for all.
        #[serde(skip_serializing_if = "Option::is_none")]
        workflow: Option<WorkflowId>,
        /// How long, in milliseconds from the end of the run; absent for ever.
        #[serde(skip_serializing_if = "Option::is_none")]
        keep_ms: Option<u64>,
    },
    /// From now on no run of this workflow starts; those under way go on. Accepted while it is not paused.
    WorkflowPaused {
        /// The workflow.
        workflow: WorkflowId,
    },
    /// The pause is over. Accepted while it is paused.
    WorkflowResumed {
        /// The workflow.
        workflow: WorkflowId,
    },
    /// A run was accepted and waits for a worker. `run` is the next number; an `id` is not in use, unless by the run
    /// that this one replaces.
    RunQueued {
        /// Its number.
        run: RunId,
        /// Its workflow, which is defined.
        workflow: WorkflowId,
        /// The stable ID that the caller gave.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Arc<str>>,
        /// Whom or what it is about (`user_1001`): with a step's name it makes the key of that step. A run without
        /// one is about itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        subject: Option<Arc<str>>,
        /// A fingerprint of its data, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<u64>,
        /// Not to start before this time, in milliseconds, if later than now.
        #[serde(skip_serializing_if = "Option::is_none")]
        run_at: Option<u64>,
        /// What is compared of its payload.
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Arc<Payload>>,
        /// Where it comes from, if nobody simply asked for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        origin: Option<Arc<Origin>>,
    },
    /// An event was accepted, and stands in the history whatever comes of it (B3). Accepted any time; `event` is the
    /// next number, and `duplicate_of` the event whose window its ID is in.
    EventAccepted {
        /// Its number.
        event: EventId,
        /// Its name.
        name: Arc<str>,
        /// The sender's ID.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Arc<str>>,
        /// When it happened, in milliseconds, as its sender says.
        #[serde(skip_serializing_if = "Option::is_none")]
        ts: Option<u64>,
        /// Its data.
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Arc<Payload>>,
        /// The event that had its ID first: this one is a repeat.
        #[serde(skip_serializing_if = "Option::is_none")]
        duplicate_of: Option<EventId>,
    },
    /// The event waits for others of its group. Accepted if the function gathers, is not paused, and the event does not
    /// wait there already.
    EventHeld {
        /// The function.
        workflow: WorkflowId,
        /// The event.
        event: EventId,
        /// The group.
        #[serde(skip_serializing_if = "Option::is_none")]
        group: Option<Arc<str>>,
        /// Until when the group waits now, in milliseconds.
        until: u64,
        /// The function key of the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<Arc<str>>,
        /// The group whose starts the rate limit counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<Arc<str>>,
    },
    /// The event did not start a run of its own. Accepted while the event is in the history.
    StartSkipped {
        /// The function.
        workflow: WorkflowId,
        /// The event.
        event: EventId,
        /// Why not, and who won.
        #[serde(flatten)]
        why: NoStart,
        /// Somebody replayed the event.
        #[serde(skip_serializing_if = "core::ops::Not::not")]
        replay: bool,
    },
    /// An event was in the history for as long as runs are kept, no run that is kept began with it, and it was removed.
    /// Accepted once that is so.
    EventPruned {
        /// The event.
        event: EventId,
    },
    /// A request named the ID of a run with the same workflow and payload, and got that run, unchanged. Accepted while
    /// the run is kept.
    EnqueueRepeated {
        /// The run.
        run: RunId,
        /// What the request wanted of a run that exists.
        on_existing: OnExisting,
    },
    /// A request named the ID of a run and was refused; the run is unchanged. Accepted while the run is kept.
    EnqueueRefused {
        /// The run.
        run: RunId,
        /// The workflow of the request.
        workflow: WorkflowId,
        /// What does not match; absent if all does, and the request would not have a run that exists.
        #[serde(skip_serializing_if = "Option::is_none")]
        mismatch: Option<Mismatch>,
    },
    /// A request started a dead run again: it waits for a worker, with a new budget of attempts. Accepted once it was
    /// given up.
    RunRestarted {
        /// The run.
        run: RunId,
        /// Its finished steps are done again too.
        fresh: bool,
    },
    /// A pass over the run begins: the first takes a worker, a later one is the retry of the whole run.
    /// Accepted while it is queued or its retry is due.
    RunStarted {
        /// The run.
        run: RunId,
        /// Which pass, from 1.
        pass: u32,
    },
    /// The handler named a step it had not named before. Accepted while a run of a handler is active.
    StepFound {
        /// The run.
        run: RunId,
        /// Its number, the next of the run.
        step: StepId,
        /// Its name, unlike all others of the run.
        name: Arc<str>,
    },
    /// The handler asked for a step that an earlier pass finished; its saved result was handed on.
    StepReplayed {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
    },
    /// The step took its key in the store: nobody else runs it or has finished it. Accepted while the step is idle
    /// or waiting and the key is free.
    KeyClaimed {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// The key: the name of the step with the subject of the run.
        key: KeyId,
    },
    /// A finished key's window is over and it was forgotten. Accepted once that is so.
    KeyExpired {
        /// The key; its number is free now.
        key: KeyId,
        /// Since when, in milliseconds.
        expired_at: u64,
    },
    /// The reader or the operator made the store forget a finished key before its time.
    KeyForgotten {
        /// The key; its number is free now.
        key: KeyId,
    },
    /// The store remembers the key as finished: the step is done without a call.
    StepSkipped {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// The key.
        key: KeyId,
        /// The run that finished the key.
        saved_by: RunId,
        /// The first run brought other data: this is the answer to another question.
        #[serde(skip_serializing_if = "core::ops::Not::not")]
        other_data: bool,
    },
    /// Another run is at the key: the step waits for it and shares its outcome. Counts as an attempt.
    StepJoined {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt, from 1.
        attempt: u32,
        /// The key.
        key: KeyId,
        /// The run that is at it.
        leader: RunId,
    },
    /// The store knows the key with other data and refuses. The step is given up.
    KeyConflict {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// The key.
        key: KeyId,
        /// The run that brought the first data.
        first: RunId,
    },
    /// The worker calls the step's work.
    AttemptStarted {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt, from 1, over all passes.
        attempt: u32,
    },
    /// The worker got the result. The step is done.
    AttemptSucceeded {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
    /// The worker got an error, or no answer. What really happened is for the provider to say.
    AttemptFailed {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
        /// The error, as text.
        error: Arc<str>,
    },
    /// The process stopped during the attempt; nobody heard its outcome.
    AttemptInterrupted {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
    /// The key's run finished; the store remembers it.
    KeySaved {
        /// The key.
        key: KeyId,
        /// Until when, exclusively, in milliseconds; absent for ever.
        #[serde(skip_serializing_if = "Option::is_none")]
        expires_at: Option<u64>,
    },
    /// The key's run failed or was interrupted; nothing is remembered.
    KeyReleased {
        /// The key; its number is free now.
        key: KeyId,
    },
    /// The step, or without `step` the whole run, will be tried again.
    RetryScheduled {
        /// The run.
        run: RunId,
        /// The step, unless the whole run is retried.
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
        /// When, in milliseconds.
        until: u64,
        /// The wait, in milliseconds.
        delay_ms: u64,
        /// The longest that jitter could have made it.
        delay_ms_max: u64,
    },
    /// The handler sleeps, durably. Accepted like a step.
    SleepStarted {
        /// The run.
        run: RunId,
        /// The sleep, numbered as a step.
        step: StepId,
        /// Until when, in milliseconds.
        until: u64,
    },
    /// The sleep is over.
    SleepEnded {
        /// The run.
        run: RunId,
        /// The sleep.
        step: StepId,
    },
    /// The step will not be tried again in this pass.
    StepGaveUp {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Why.
        why: GiveUp,
    },
    /// The handler itself failed: outside its steps, or by handing on a step's error.
    HandlerFailed {
        /// The run.
        run: RunId,
        /// The error, as text.
        error: Arc<str>,
    },
    /// All is done. The run is over and its worker free.
    RunSucceeded {
        /// The run.
        run: RunId,
    },
    /// The run will not be tried again. It is over (`dead`) and its worker free.
    RunGaveUp {
        /// The run.
        run: RunId,
        /// Why.
        why: GiveUp,
        /// The last error, as text.
        error: Arc<str>,
    },
    /// Somebody asked to cancel the run while it was active; it stops before its next step.
    CancelRequested {
        /// The run.
        run: RunId,
    },
    /// The run was cancelled. It is over.
    RunCancelled {
        /// The run.
        run: RunId,
    },
    /// The run was over for as long as it is kept, and was removed with its steps; its ID is free (C25 to C30).
    /// Accepted once that is so.
    RunPruned {
        /// The run.
        run: RunId,
    },
    /// Somebody had a run removed before its time, with its steps; its ID is free. This entry stays as the record of
    /// it. Accepted once the run is over.
    RunForgotten {
        /// The run.
        run: RunId,
        /// Who or why, as the caller says.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<Arc<str>>,
    },
    /// The process stopped and started: the key store is empty, and every run that was active is queued again.
    ProcessRestarted,
    /// The request reached the provider. Like all that the provider does, noted and of no consequence for the engine.
    RequestArrived {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
        /// The idempotency key sent with it, if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<Arc<str>>,
    },
    /// The provider did the work.
    EffectDone {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
        /// How many times it has now done this work for this subject. 2 is one too many.
        count: u32,
    },
    /// The provider knew the key and did nothing; it answers as it did the first time.
    ProviderKnewKey {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
    /// The provider knew the key with other data and refused.
    ProviderRefused {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
    /// The call failed before anything happened.
    CallFailed {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
    /// The reply to this call got lost on its way.
    ReplyLost {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
}
