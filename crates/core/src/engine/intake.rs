//! Decisions about events: what each function that listens does with one, the groups whose wait is over, replays.
//!
//! One event is one decision: its acceptance and what it means for every function stand next to each other in the
//! journal, before anything that follows from them.

use alloc::{sync::Arc, vec::Vec};

use super::Engine;
use crate::{
    events::{Function, FunctionKeys, Given, Group, KeyRule, NewEvent, NoStart},
    ids::{EventId, RunId, WorkflowId},
    journal::{Event, Origin, Sink},
    key::{self, InvalidKey},
    limits::{EVENTS_MAX, QUEUE_LENGTH_MAX, RUNS_MAX, TIME_MS_MAX},
    options::{self, InvalidOption},
};

/// What an event came to for one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// It started this run, alone or with the others of its batch.
    Started(RunId),
    /// It did not start a run.
    Skipped(NoStart),
    /// It waits for others of its group, until then at the latest, in milliseconds.
    Held {
        /// Until when.
        until: u64,
    },
}

/// The answer to an event that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its number in the history.
    pub event: EventId,
    /// The event that had its ID first, if that one's window is open.
    pub duplicate_of: Option<EventId>,
    /// What it came to, for each function that listens, in the order of their definition.
    pub starts: Vec<(WorkflowId, Start)>,
}

/// Why an event was not accepted. Nothing was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The ID is no key.
    #[error("event id {0}")]
    InvalidId(InvalidKey),
    /// The name is none.
    #[error("event name {0}")]
    InvalidName(InvalidKey),
    /// The time is beyond what a clock can say.
    #[error("ts needs a time of at most {TIME_MS_MAX} ms")]
    InvalidTime,
    /// A maximum is reached.
    #[error("the engine holds as many events or runs as it can")]
    Full,
}

/// Why an event was not replayed. Nothing was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It is not in the history.
    #[error("there is no such event")]
    UnknownEvent,
    /// The function does not listen to it.
    #[error("the function does not listen to this event")]
    NotListening,
    /// The function is paused: resume it first.
    #[error("the function is paused")]
    Paused,
}

impl<S: Sink> Engine<S> {
    /// Makes a workflow a function, once.
    pub fn define_function(&mut self, now: u64, workflow: WorkflowId, function: Function) -> Result<(), InvalidOption> {
        self.advance_clock(now);
        function.check()?;
        match self.state.workflows.get(workflow.index()) {
            None => Err(InvalidOption::new("workflow", "one that is defined", workflow.0)),
            Some(defined) if defined.function.is_some() => {
                Err(InvalidOption::new("workflow", "one that is no function yet", &defined.definition.name))
            }
            Some(_) => {
                self.emit(Event::FunctionDefined { workflow, function: Arc::new(function) });
                Ok(())
            }
        }
    }

    /// Accepts an event (SEMANTICS 2.9). It stands in the history whatever it comes to (B3). A batch is this in a loop.
    pub fn handle_send(&mut self, now: u64, new: NewEvent) -> Result<Sent, SendError> {
        self.advance_clock(now);
        key::check(&new.name).map_err(SendError::InvalidName)?;
        if let Some(id) = &new.id {
            key::check(id).map_err(SendError::InvalidId)?;
        }
        if new.ts.is_some_and(|ts| ts > TIME_MS_MAX) {
            return Err(SendError::InvalidTime);
        }
        // What is due by now goes before what comes now: a window that ends at this instant has ended.
        self.pump();
        let listeners = self.state.listeners(&new.name).to_vec();
        let next = self.state.intake.next_event();
        if next >= EVENTS_MAX || !self.has_room(listeners.len()) {
            return Err(SendError::Full);
        }
        let event = EventId(next as u32);
        let first = new.id.as_deref().and_then(|id| self.state.intake.event_id(self.now, id));
        let duplicate_of = first.map(|first| first.winner);
        let NewEvent { id, name, ts, payload, keys } = new;
        self.emit(Event::EventAccepted { event, name, id, ts, payload, duplicate_of });
        let duplicate =
            first.map(|first| NoStart::DuplicateEvent { winner: first.winner, left_ms: first.until - self.now });
        let nothing = FunctionKeys::default();
        let mut starts = Vec::with_capacity(listeners.len());
        for workflow in listeners {
            let given = keys.iter().find(|(of, _)| *of == workflow).map_or(&nothing, |(_, given)| given);
            starts.push((workflow, self.offer(workflow, event, given, duplicate.clone())));
        }
        self.pump();
        Ok(Sent { event, duplicate_of, starts })
    }

    /// What an event that was just accepted comes to for one function.
    fn offer(
        &mut self,
        workflow: WorkflowId,
        event: EventId,
        given: &FunctionKeys,
        duplicate: Option<NoStart>,
    ) -> Start {
        let function = self.function(workflow);
        if self.state.is_paused(workflow) {
            return self.skip(workflow, &[event], NoStart::Paused, false);
        }
        if let Some(duplicate) = duplicate.filter(|_| !function.gathers()) {
            return self.skip(workflow, &[event], duplicate, false);
        }
        let key = match usable_key(function.key, &given.key) {
            Ok(key) => key,
            Err(error) => return self.skip(workflow, &[event], NoStart::NoKey { error }, false),
        };
        let (gather, rate) = match (group(&given.gather), group(&given.rate)) {
            (Ok(gather), Ok(rate)) => (gather, rate),
            (Err(error), _) | (_, Err(error)) => {
                return self.skip(workflow, &[event], NoStart::NoKey { error }, false);
            }
        };
        if function.gathers() {
            self.gather(workflow, &function, event, (gather, key, rate))
        } else {
            self.start(workflow, alloc::vec![event], key, rate, false)
        }
    }

    /// An event waits in its group, or completes it.
    fn gather(
        &mut self,
        workflow: WorkflowId,
        function: &Function,
        event: EventId,
        (group, key, rate): (Group, Option<Arc<str>>, Group),
    ) -> Start {
        let hold = self.state.intake.hold(workflow, &group);
        let first_at = hold.map_or(self.now, |hold| hold.first_at);
        let earlier = hold.map_or(Vec::new(), |hold| hold.events.clone());
        let until = match (function.debounce, function.batch) {
            (Some(debounce), _) => {
                let quiet = options::after(self.now, debounce.period_ms);
                quiet.min(debounce.timeout_ms.map_or(u64::MAX, |timeout| options::after(first_at, timeout)))
            }
            (None, batch) => options::after(first_at, batch.map_or(0, |batch| batch.timeout_ms)),
        }
        .min(TIME_MS_MAX)
        .max(self.now);
        self.emit(Event::EventHeld { workflow, event, group: group.clone(), until, key, rate });
        if function.debounce.is_some() {
            self.skip(workflow, &earlier, NoStart::Debounced { winner: event }, false);
        }
        let gathered = earlier.len() + 1;
        if function.batch.is_some_and(|batch| gathered >= batch.size_max as usize) {
            return self.start_group(workflow, &group);
        }
        Start::Held { until }
    }

    /// The wait of a group is over, if one is.
    pub(super) fn fire_next_hold(&mut self) -> bool {
        match self.state.intake.next_hold() {
            Some((until, workflow, group)) if until <= self.now => {
                let group = group.clone();
                self.start_group(workflow, &group);
                true
            }
            Some(_) | None => false,
        }
    }

    /// The events of a group start a run together.
    fn start_group(&mut self, workflow: WorkflowId, group: &Group) -> Start {
        let hold = self.state.intake.hold(workflow, group).expect("a group that waits").clone();
        if self.state.is_paused(workflow) {
            return self.skip(workflow, &hold.events, NoStart::Paused, false);
        }
        self.start(workflow, hold.events, hold.key, hold.rate, false)
    }

    /// The last two doors, and the start: the entry that makes the run claims its key.
    fn start(
        &mut self,
        workflow: WorkflowId,
        events: Vec<EventId>,
        key: Option<Arc<str>>,
        rate: Group,
        replay: bool,
    ) -> Start {
        let used = key.as_deref().and_then(|key| self.state.intake.function_key(self.now, workflow, key));
        if let Some(used) = used {
            let left_ms = (used.until != u64::MAX).then(|| used.until - self.now);
            let why = NoStart::DuplicateFunctionKey { winner: used.winner, left_ms };
            return self.skip(workflow, &events, why, replay);
        }
        let limit = self.function(workflow).rate_limit;
        if let Some(reached) = limit.and_then(|limit| self.state.intake.rate_reached(self.now, workflow, &rate, limit))
        {
            let why = NoStart::RateLimited { winner: reached.winner, left_ms: reached.until - self.now };
            return self.skip(workflow, &events, why, replay);
        }
        self.start_whatever_the_doors(workflow, events, key, rate, replay)
    }

    fn start_whatever_the_doors(
        &mut self,
        workflow: WorkflowId,
        events: Vec<EventId>,
        key: Option<Arc<str>>,
        rate: Group,
        replay: bool,
    ) -> Start {
        if !self.has_room(1) {
            return self.skip(workflow, &events, NoStart::Full, replay);
        }
        let run = RunId(self.state.runs.next() as u32);
        let window_ms = self.function(workflow).key_window_ms;
        let key_until = key.as_ref().and(window_ms).map(|window_ms| options::after(self.now, window_ms));
        let others = events[1..].to_vec();
        let payload = events.last().and_then(|&event| self.state.intake.event(event)?.payload.clone());
        let origin = Some(Arc::new(Origin::Events { events, key, key_until, rate, replay }));
        let (id, subject, data, run_at) = (self.made_id(run), None, None, None);
        self.emit(Event::RunQueued { run, workflow, id, subject, data, run_at, payload, origin });
        self.skip(workflow, &others, NoStart::Batched { winner: run }, replay);
        Start::Started(run)
    }

    /// The ID of a run that an event starts, if such runs have IDs.
    fn made_id(&self, run: RunId) -> Option<Arc<str>> {
        let mut id = alloc::format!("{}-{}", self.run_id_prefix.as_deref()?, run.0);
        // Somebody may have guessed it.
        while self.state.run_of_id(&id).is_some() {
            id.push('+');
        }
        Some(id.into())
    }

    fn skip(&mut self, workflow: WorkflowId, events: &[EventId], why: NoStart, replay: bool) -> Start {
        for &event in events {
            self.emit(Event::StartSkipped { workflow, event, why: why.clone(), replay });
        }
        Start::Skipped(why)
    }

    /// Offers an event of the history to a function again, at once and alone.
    ///
    /// One that came while the function was paused meets what it would have met then, but for the event ID: that
    /// counts only with `dedupe` (B13). Any other is a repeat that somebody wants: without `dedupe` it passes all
    /// doors, and uses up no key.
    pub fn handle_replay(
        &mut self,
        now: u64,
        workflow: WorkflowId,
        event: EventId,
        given: &FunctionKeys,
        dedupe: bool,
    ) -> Result<Start, ReplayError> {
        self.advance_clock(now);
        self.pump();
        let record = self.state.intake.event(event).ok_or(ReplayError::UnknownEvent)?;
        if !self.state.listeners(&record.name).contains(&workflow) {
            return Err(ReplayError::NotListening);
        }
        if self.state.is_paused(workflow) {
            return Err(ReplayError::Paused);
        }
        let start = self.replay(workflow, event, given, dedupe);
        self.pump();
        Ok(start)
    }

    fn replay(&mut self, workflow: WorkflowId, event: EventId, given: &FunctionKeys, dedupe: bool) -> Start {
        let events = alloc::vec![event];
        let rate = match group(&given.rate) {
            Ok(rate) => rate,
            Err(error) => return self.skip(workflow, &events, NoStart::NoKey { error }, true),
        };
        if !dedupe && !self.state.intake.is_missed(workflow, event) {
            return self.start_whatever_the_doors(workflow, events, None, rate, true);
        }
        let record = self.state.intake.event(event);
        if dedupe && let Some(winner) = record.and_then(|record| record.duplicate_of) {
            let id = record.and_then(|record| record.id.as_deref());
            let open = id.and_then(|id| self.state.intake.event_id(self.now, id));
            let left_ms = open.filter(|open| open.winner == winner).map_or(0, |open| open.until - self.now);
            return self.skip(workflow, &events, NoStart::DuplicateEvent { winner, left_ms }, true);
        }
        match usable_key(self.function(workflow).key, &given.key) {
            Ok(key) => self.start(workflow, events, key, rate, true),
            Err(error) => self.skip(workflow, &events, NoStart::NoKey { error }, true),
        }
    }

    fn function(&self, workflow: WorkflowId) -> Arc<Function> {
        let function = self.state.workflows[workflow.index()].function.as_ref();
        function.expect("a workflow that listens is a function").clone()
    }

    fn has_room(&self, runs: usize) -> bool {
        let room = self.state.runs.next() + runs <= RUNS_MAX;
        room && self.state.queue.waiting() + runs <= QUEUE_LENGTH_MAX
    }
}

/// The key of an event, by the rule of its function; or why it has none that can be used.
fn usable_key(rule: KeyRule, given: &Given) -> Result<Option<Arc<str>>, Arc<str>> {
    let error: Arc<str> = match (rule, given) {
        (KeyRule::None, _) => return Ok(None),
        (KeyRule::Required | KeyRule::Optional, Given::Value(key)) => match key::check(key) {
            Ok(_) => return Ok(Some(key.clone())),
            Err(invalid) => alloc::format!("a function key {invalid}").into(),
        },
        (KeyRule::Required | KeyRule::Optional, Given::Unusable(error)) => super::error_text(error),
        (KeyRule::Required | KeyRule::Optional, Given::Nothing) => "the key has no value".into(),
    };
    if rule == KeyRule::Optional { Ok(None) } else { Err(error) }
}

/// The group of an event. One that cannot be told is no group: strangers would share it.
fn group(given: &Given) -> Result<Group, Arc<str>> {
    match given {
        Given::Nothing => Ok(None),
        Given::Value(group) => match key::check(group) {
            Ok(_) => Ok(Some(group.clone())),
            Err(invalid) => Err(alloc::format!("a group {invalid}").into()),
        },
        Given::Unusable(error) => Err(super::error_text(error)),
    }
}
