//! Decisions about runs that are over: how long they are kept, removing them, doing dead ones again; and pausing.
//! A batch of any of these is the single form in a loop.

use alloc::{sync::Arc, vec::Vec};

use super::{
    Engine, EnqueueError, NewRun,
    state::{RunPhase, Status},
};
use crate::{
    ids::{EventId, RunId, WorkflowId},
    journal::{Event, Origin, Sink},
    key::{self, InvalidKey},
    limits::NOTE_BYTES_MAX,
    options::InvalidOption,
};

/// What a prune did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The runs that were removed, with their IDs, in the order of removal.
    pub runs: Vec<(RunId, Option<Arc<str>>)>,
    /// The events of the history that were removed, in the order of acceptance.
    pub events: Vec<EventId>,
    /// There is more to remove now.
    pub more: bool,
}

/// A run that is unknown, or not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOver {
    /// There is no such run.
    #[error("there is no such run")]
    Unknown,
    /// It waits or is under way; to forget it would lose its work. It can be cancelled first.
    #[error("the run is not over")]
    Open {
        /// Its status.
        status: Status,
    },
}

/// Why a run was not done again. Nothing was stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedriveError {
    /// There is no such run.
    #[error("there is no such run")]
    Unknown,
    /// Only a dead run is done again.
    #[error("the run is not dead")]
    NotDead {
        /// Its status.
        status: Status,
    },
    /// The new ID is no key.
    #[error("newId {0}")]
    InvalidId(InvalidKey),
    /// The new ID belongs to a run.
    #[error("newId belongs to a run that exists already")]
    Exists {
        /// That run.
        run: RunId,
    },
    /// A maximum is reached.
    #[error(transparent)]
    Full(EnqueueError),
}

impl<S: Sink> Engine<S> {
    /// Says how long a run that is over is kept, in milliseconds from its end; `None` for ever. For one workflow, or
    /// for all that have no time of their own. The default is 184 days.
    ///
    /// # Panics
    /// If the workflow is not defined.
    pub fn set_retention(&mut self, now: u64, workflow: Option<WorkflowId>, keep_ms: Option<u64>) {
        self.advance_clock(now);
        assert!(workflow.is_none_or(|workflow| workflow.index() < self.state.workflows.len()), "no such workflow");
        self.emit(Event::RetentionSet { workflow, keep_ms });
    }

    /// Removes up to `limit` things. First runs that are over for as long as they are kept: the oldest end first, then the lowest
    /// number; each with its steps (C25 to C30). Then events that are as old and began no run that is kept.
    pub fn handle_prune(&mut self, now: u64, limit: usize) -> Pruned {
        self.advance_clock(now);
        let mut pruned = Pruned::default();
        while let Some(run) = self.state.next_to_prune(self.now) {
            if pruned.runs.len() == limit {
                pruned.more = true;
                break;
            }
            pruned.runs.push((run, self.state.runs[run.index()].id.clone()));
            self.emit(Event::RunPruned { run });
        }
        while let Some(event) = self.state.next_event_to_prune(self.now) {
            if pruned.runs.len() + pruned.events.len() >= limit {
                pruned.more = true;
                break;
            }
            pruned.events.push(event);
            self.emit(Event::EventPruned { event });
        }
        pruned
    }

    /// Removes a run that is over before its time. The journal keeps that this was done, and the note.
    pub fn handle_forget(&mut self, now: u64, run: RunId, note: Option<&str>) -> Result<(), ForgetError> {
        self.advance_clock(now);
        if let Some(note) = note.filter(|note| note.len() > NOTE_BYTES_MAX) {
            return Err(InvalidOption::new("note", "at most 1000 bytes", note.len()).into());
        }
        let status = self.state.run(run).ok_or(NotOver::Unknown)?.status();
        match status {
            Status::Pending | Status::Running => Err(NotOver::Open { status }.into()),
            Status::Succeeded | Status::Cancelled | Status::Dead => {
                self.emit(Event::RunForgotten { run, note: note.map(Arc::from) });
                Ok(())
            }
        }
    }

    /// Does a dead run again, as a new run (C23): same workflow, subject and payload, a budget and steps of its own,
    /// and `new_id` if it is to have a stable ID.
    pub fn handle_redrive(&mut self, now: u64, from: RunId, new_id: Option<&str>) -> Result<RunId, RedriveError> {
        self.advance_clock(now);
        let dead = self.state.run(from).ok_or(RedriveError::Unknown)?;
        if !matches!(dead.phase, RunPhase::GaveUp { .. }) {
            return Err(RedriveError::NotDead { status: dead.status() });
        }
        if let Some(id) = new_id {
            key::check(id).map_err(RedriveError::InvalidId)?;
            if let Some(run) = self.state.run_of_id(id) {
                return Err(RedriveError::Exists { run });
            }
        }
        let workflow = dead.workflow;
        let new = NewRun {
            id: new_id.map(Arc::from),
            subject: dead.subject.clone(),
            data: dead.data,
            payload: dead.payload.clone(),
            ..NewRun::default()
        };
        self.create(workflow, new, Some(Arc::new(Origin::Redrive { from }))).map_err(RedriveError::Full)
    }

    /// Pauses a workflow: none of its runs starts, those under way go on. False if it is paused or not defined.
    pub fn handle_pause(&mut self, now: u64, workflow: WorkflowId) -> bool {
        self.advance_clock(now);
        let pauses = workflow.index() < self.state.workflows.len() && !self.state.is_paused(workflow);
        if pauses {
            self.emit(Event::WorkflowPaused { workflow });
        }
        pauses
    }

    /// Ends a pause: what waits may start. False if it is not paused.
    pub fn handle_resume(&mut self, now: u64, workflow: WorkflowId) -> bool {
        self.advance_clock(now);
        let resumes = self.state.is_paused(workflow);
        if resumes {
            self.emit(Event::WorkflowResumed { workflow });
            self.pump();
        }
        resumes
    }
}

/// Why a run was not forgotten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForgetError {
    /// It is unknown, or not over.
    #[error(transparent)]
    NotOver(#[from] NotOver),
    /// The note is too long.
    #[error(transparent)]
    Note(#[from] InvalidOption),
}
