//! The engine: composes queue, retry, workflow and key store over the journal. Sans-IO: inputs go in through
//! `handle_*`, commands come out of [`Engine::poll_command`], and [`Engine::next_deadline`] says when to call
//! [`Engine::handle_tick`]. `now` is always the first argument; a clock that jumps back is taken to stand still.
//!
//! `decide` (this folder's `steps` and `runs`) reads state and yields events; [`State::apply`] alone writes. What the
//! engine owns: order, attempts, keys, times. What its driver owns: handlers, payloads, results, thrown values.

mod accepts;
mod apply;
mod intake;
mod lanes;
mod names;
mod retain;
mod runs;
mod state;
mod steps;
mod table;

use alloc::{collections::VecDeque, sync::Arc};

pub use intake::{ReplayError, SendError, Sent, Start};
pub use retain::{ForgetError, NotOver, Pruned, RedriveError};
pub use runs::{Admitted, EnqueueError, NewRun};
pub use state::{Run, RunPhase, State, Status};
pub use steps::{HandlerEnd, Refused, StepAnswer};
pub(crate) use table::Table;

use crate::{
    draws::{Draws, Purpose},
    ids::{KeyId, RunId, StepId, WorkflowId},
    journal::{Damage, EngineOptions, Entry, Event, Sink},
    limits::ERROR_BYTES_MAX,
    options::InvalidOption,
    retry::{Failure, RetryPolicy},
    workflow::Workflow,
};

/// Something the driver must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Do the work of a step, then report with [`Engine::handle_call_ended`].
    Call {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which attempt.
        attempt: u32,
    },
    /// Run the handler of a run from its beginning, then report with [`Engine::handle_handler_ended`].
    Handle {
        /// The run.
        run: RunId,
        /// Which pass.
        pass: u32,
    },
    /// A step that the handler waits for has an outcome.
    Settle {
        /// The run.
        run: RunId,
        /// The step.
        step: StepId,
        /// Which.
        how: Settled,
    },
    /// A run is over.
    RunEnded {
        /// The run.
        run: RunId,
    },
}

/// The outcome of a step that a handler waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is done.
    Done,
    /// It was given up; its last error is the one the driver reported.
    GaveUp,
    /// Its run was cancelled.
    Cancelled,
}

/// How a call ended, as the worker saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// With a result.
    Succeeded,
    /// With an error, or without an answer.
    Failed {
        /// The error, as text.
        error: Arc<str>,
        /// What is known of it.
        failure: Failure,
    },
}

/// A report that does not fit what the engine knows: of a call that it did not ask for, or that was interrupted.
/// Nothing was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this report does not fit: {0}")]
pub struct Stale(pub &'static str);

/// An entry that does not follow from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} does not fit: {what}")]
pub struct Misfit {
    /// Its place, from 0.
    pub seq: u64,
    /// Why.
    pub what: Damage,
}

/// The engine. See the [module](self).
#[derive(Clone, Debug)]
pub struct Engine<S> {
    state: State,
    sink: S,
    commands: VecDeque<Command>,
    /// Runs to be carried on in this call; empty between calls.
    todo: VecDeque<RunId>,
    now: u64,
    /// The beginning of the IDs of runs that events start.
    run_id_prefix: Option<Arc<str>>,
}

impl<S: Sink> Engine<S> {
    /// An engine at time `now`.
    pub fn new(now: u64, options: EngineOptions, sink: S) -> Self {
        let state = State { now, ..State::default() };
        let mut engine =
            Self { state, sink, commands: VecDeque::new(), todo: VecDeque::new(), now, run_id_prefix: None };
        engine.emit(Event::Opened { options });
        engine
    }

    /// An engine that goes on from a journal, checked entry by entry. It asks for nothing yet: a process that starts
    /// again calls [`Self::handle_restart`] next; one that shares a log with others decides on what they wrote. Names
    /// for runs ([`Self::name_runs`]) are given anew.
    pub fn resume(entries: &[Entry], sink: S) -> Result<Self, Misfit> {
        let mut state = State::default();
        for (entry, seq) in entries.iter().zip(0..) {
            let fits = if entry.seq == seq {
                state.accepts(entry.at, &entry.event)
            } else {
                Err(Damage("its seq is not the next number"))
            };
            fits.map_err(|what| Misfit { seq, what })?;
            state.apply(entry.at, &entry.event);
        }
        if entries.is_empty() {
            return Err(Misfit { seq: 0, what: Damage("a journal begins with \"opened\", once") });
        }
        let now = state.now;
        Ok(Self { state, sink, commands: VecDeque::new(), todo: VecDeque::new(), now, run_id_prefix: None })
    }

    /// Defines a workflow.
    pub fn define(&mut self, now: u64, definition: Workflow) -> Result<WorkflowId, InvalidOption> {
        self.advance_clock(now);
        definition.check()?;
        let workflow = WorkflowId(self.state.workflows.len() as u32);
        self.emit(Event::WorkflowDefined { workflow, definition: alloc::boxed::Box::new(definition) });
        Ok(workflow)
    }

    /// Gives the runs that events start an ID from now on: `<prefix>-<run number>`. The prefix is a key of at most 200
    /// bytes, and belongs to this engine alone: keys for providers are made of run IDs.
    pub fn name_runs(&mut self, prefix: &str) -> Result<(), InvalidOption> {
        if prefix.len() > 200 || crate::key::check(prefix).is_err() {
            return Err(InvalidOption::new("prefix", "a key of at most 200 bytes", alloc::format!("\"{prefix}\"")));
        }
        self.run_id_prefix = Some(prefix.into());
        Ok(())
    }

    /// Time has passed: starts what is due.
    pub fn handle_tick(&mut self, now: u64) {
        self.advance_clock(now);
        self.pump();
    }

    /// The process stopped and started: calls under way are interrupted and will be reported by nobody, keys are
    /// lost, active runs queue again.
    pub fn handle_restart(&mut self, now: u64) {
        self.advance_clock(now);
        for index in 0..self.state.runs.next() {
            if self.state.runs.get(index).is_some() {
                self.interrupt_calls(RunId(index as u32));
            }
        }
        self.commands.clear();
        self.emit(Event::ProcessRestarted);
        self.pump();
    }

    /// Makes the store forget a saved key before its time. False if it is not saved.
    pub fn handle_forget_key(&mut self, now: u64, key: KeyId) -> bool {
        self.advance_clock(now);
        let saved = matches!(self.state.store.look(self.now, key, None), crate::idempotency::Look::Saved { .. });
        if saved {
            self.emit(Event::KeyForgotten { key });
        }
        saved
    }

    /// Notes what a provider did. It has no consequence here.
    ///
    /// # Panics
    /// If the event is not a provider's.
    pub fn handle_observed(&mut self, now: u64, event: Event) {
        assert!(event.is_providers(), "only a provider's doings are observed");
        self.advance_clock(now);
        self.emit(event);
    }

    /// The next thing to do, if any.
    #[inline]
    pub fn poll_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// The next thing to do, if it is one of these: for a driver that can do it on the spot.
    #[inline]
    pub fn take_command(&mut self, wanted: impl Fn(Command) -> bool) -> Option<Command> {
        if wanted(*self.commands.front()?) { self.commands.pop_front() } else { None }
    }

    /// When to call [`Self::handle_tick`] at the latest, in milliseconds. `None`: nothing is due by the clock alone.
    pub fn next_deadline(&self) -> Option<u64> {
        self.state.deadline(self.now)
    }

    /// The state, to read.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The sink, to read.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// The sink, to tidy. No decision depends on what is in it.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Ends the engine and hands out its sink.
    pub fn into_sink(self) -> S {
        self.sink
    }

    #[inline]
    fn advance_clock(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    #[inline]
    fn emit(&mut self, event: Event) {
        debug_assert_eq!(self.state.accepts(self.now, &event), Ok(()), "{event:?}");
        self.state.apply(self.now, &event);
        self.sink.record(self.now, event);
    }

    /// Carries on whatever can be carried on now.
    fn pump(&mut self) {
        loop {
            if let Some(run) = self.todo.pop_front() {
                self.carry_on(run);
            } else if !self.start_next() && !self.fire_next_timer() && !self.fire_next_hold() {
                return;
            }
        }
    }

    fn start_next(&mut self) -> bool {
        let Some(run) = self.state.queue.peek(self.now) else { return false };
        self.start_pass(run);
        true
    }

    fn jitter(&self, policy: &RetryPolicy, run: RunId, step: u32, failures: u32) -> u64 {
        if !policy.needs_draw() {
            return 0;
        }
        Draws { seed: self.state.options.seed }.bits(run.0, step, failures, Purpose::Jitter)
    }
}

/// The text of an error as the journal keeps it: cut at a character's border.
pub fn error_text(text: &str) -> Arc<str> {
    if text.len() <= ERROR_BYTES_MAX {
        return text.into();
    }
    let mut end = ERROR_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].into()
}
