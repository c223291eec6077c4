//! Admission: what becomes of a request that names a run by its stable ID (SEMANTICS 1C, 2.1 to 2.4). One pure
//! function decides; whoever keeps the runs stores.
//!
//! The order of the checks is part of the rule: the ID, then the workflow, then the payload, then the state of the
//! run. So a mismatch is never hidden behind "it is being worked on".

mod canonical;
mod differ;
mod payload;
mod projection;

use alloc::vec::Vec;

use serde::Serialize;

pub use canonical::{InvalidJson, number_text};
pub use differ::{Difference, DifferenceKind};
pub use payload::{Fingerprint, InvalidPayload, Payload};
pub use projection::Projection;

use crate::{
    engine::Status,
    ids::WorkflowId,
    key::{self, InvalidKey},
};

/// The run that has the ID of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retained<'a> {
    /// Its workflow.
    pub workflow: WorkflowId,
    /// Its payload, as far as it is compared.
    pub payload: Option<&'a Payload>,
    /// The version of its data, where a scenario gives one in place of a payload.
    pub data: Option<u64>,
    /// Its status.
    pub status: Status,
}

/// A request for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The stable ID, if it brings one.
    pub id: Option<&'a str>,
    /// The workflow.
    pub workflow: WorkflowId,
    /// The payload, as far as it is compared.
    pub payload: Option<&'a Payload>,
    /// The version of its data, where a scenario gives one in place of a payload.
    pub data: Option<u64>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A new run (C2, C3).
    Created,
    /// The run that has this ID: same workflow, same payload (C4).
    Existing {
        /// Its status.
        status: Status,
    },
    /// The ID belongs to other work (C5, C6).
    Conflict(Mismatch),
    /// The ID is none (C12, C13).
    Invalid(InvalidKey),
}

/// What does not match.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Mismatch {
    /// The run is of another workflow.
    Workflow,
    /// The run has another payload.
    Payload {
        /// Where it differs; empty if the texts are too long to have been kept.
        differences: Vec<Difference>,
        /// How many places more.
        more: u32,
    },
}

/// What a request wants of a run that exists already (SEMANTICS 2.2). Chosen with each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum OnExisting {
    /// It, whatever its state (C7, C22).
    #[default]
    Return,
    /// It; a dead one is started again, with a new budget of attempts.
    RestartFailed {
        /// Its finished steps are done again too.
        fresh: bool,
    },
    /// A refusal.
    Reject,
    /// A new run in its place if it is not over: it is stopped at once. One that is over is returned.
    ReplaceRunning,
}

/// What is done with a run that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// It is returned, unchanged.
    Return,
    /// It is started again.
    Restart {
        /// Its finished steps are done again too.
        fresh: bool,
    },
    /// The request is refused.
    Reject,
    /// It is stopped, and a new run takes its ID.
    Replace,
}

impl OnExisting {
    /// What is done with a run of this status.
    pub fn reuse(self, status: Status) -> Reuse {
        match (self, status) {
            (Self::RestartFailed { fresh }, Status::Dead) => Reuse::Restart { fresh },
            (Self::ReplaceRunning, Status::Pending | Status::Running) => Reuse::Replace,
            (Self::Reject, _) => Reuse::Reject,
            (Self::Return, _)
            | (Self::RestartFailed { .. }, Status::Pending | Status::Running | Status::Succeeded | Status::Cancelled)
            | (Self::ReplaceRunning, Status::Succeeded | Status::Cancelled | Status::Dead) => Reuse::Return,
        }
    }
}

/// Decides about a request. `existing` finds the run of an ID; it is asked for a valid ID only. The run lasts until
/// a prune removes it, so no time is looked at here (C7).
pub fn admit<'a>(request: Request<'_>, existing: impl FnOnce(&str) -> Option<Retained<'a>>) -> Admission {
    let Some(id) = request.id else { return Admission::Created };
    if let Err(invalid) = key::check(id) {
        return Admission::Invalid(invalid);
    }
    let Some(existing) = existing(id) else { return Admission::Created };
    if existing.workflow != request.workflow {
        return Admission::Conflict(Mismatch::Workflow);
    }
    match mismatch(&existing, &request) {
        Some(mismatch) => Admission::Conflict(mismatch),
        None => Admission::Existing { status: existing.status },
    }
}

fn mismatch(first: &Retained<'_>, now: &Request<'_>) -> Option<Mismatch> {
    let unnamed = || Mismatch::Payload { differences: Vec::new(), more: 0 };
    match (first.payload, now.payload) {
        (None, None) => (first.data != now.data).then(unnamed),
        (Some(first), Some(now)) if first == now => None,
        (Some(first), Some(now)) => {
            let (Some(first), Some(now)) = (first.value(), now.value()) else { return Some(unnamed()) };
            let (differences, more) = differ::differences(&first, &now);
            Some(Mismatch::Payload { differences, more })
        }
        (first, _) => {
            let kind = if first.is_some() { DifferenceKind::Missing } else { DifferenceKind::Extra };
            Some(Mismatch::Payload { differences: alloc::vec![Difference { path: "payload".into(), kind }], more: 0 })
        }
    }
}
