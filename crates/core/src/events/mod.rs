//! Events and functions (SEMANTICS 1B, 2.9): every event is kept in the history, and for each function that listens
//! to it there is a start or a reason why not.
//!
//! The order: event ID (for all functions but those that gather or are paused), pause, gathering, function key, rate
//! limit, start. A key is claimed by the very entry that makes its run, so it is never used up by a run that was not
//! made.
//!
//! Not here: expressions. A key arrives as the value that its expression gave for the event, or as the reason why it
//! gave none.

mod function;
mod intake;

use alloc::{sync::Arc, vec::Vec};

use serde::Serialize;

pub use function::{Batch, Debounce, Function, KeyRule, RateLimit};
pub use intake::{EventRecord, Group, Hold, Intake, Live};

use crate::{
    admission::Payload,
    ids::{EventId, RunId, WorkflowId},
};

/// How long an event ID counts, from the first acceptance: 24 hours (B2, B6). So do function keys if a function does
/// not say otherwise (B14, B18). Repeats do not extend it.
pub const WINDOW_MS: u64 = 24 * 60 * 60 * 1000;

/// The value of an expression for one event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Given {
    /// The function has no such expression.
    #[default]
    Nothing,
    /// A text, by the rule for keys.
    Value(Arc<str>),
    /// None that could be a key: a field that is missing, null, a list; an error, as text.
    Unusable(Arc<str>),
}

/// The values of one function's expressions for one event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionKeys {
    /// Its key.
    pub key: Given,
    /// The group in which it gathers (debounce, batch).
    pub gather: Given,
    /// The group whose starts its rate limit counts.
    pub rate: Given,
}

/// An event to be accepted (B26).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewEvent {
    /// The sender's ID: within its window it starts functions once (B2).
    pub id: Option<Arc<str>>,
    /// Its name.
    pub name: Arc<str>,
    /// When it happened, in milliseconds, as its sender says; the windows count from its acceptance.
    pub ts: Option<u64>,
    /// Its data.
    pub payload: Option<Arc<Payload>>,
    /// The values for each function that listens and has expressions.
    pub keys: Vec<(WorkflowId, FunctionKeys)>,
}

/// Why an event did not start a run of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum NoStart {
    /// An event with the same ID was accepted before, and its window is not over.
    DuplicateEvent {
        /// That event.
        winner: EventId,
        /// What is left of the window, in milliseconds.
        left_ms: u64,
    },
    /// A run was started with the same key, and its window is not over.
    DuplicateFunctionKey {
        /// That run.
        winner: RunId,
        /// What is left of the window, in milliseconds; absent if it does not end.
        #[serde(skip_serializing_if = "Option::is_none")]
        left_ms: Option<u64>,
    },
    /// The function is paused. The event can be replayed.
    Paused,
    /// A later event of the group takes its place.
    Debounced {
        /// That event.
        winner: EventId,
    },
    /// A run started with it and others of its group.
    Batched {
        /// That run.
        winner: RunId,
    },
    /// There were as many starts as the limit allows.
    RateLimited {
        /// The run whose start must grow old first.
        winner: RunId,
        /// How long until then, in milliseconds.
        left_ms: u64,
    },
    /// Its key cannot be used, and the function will not start without.
    NoKey {
        /// What is wrong with it.
        error: Arc<str>,
    },
    /// The engine holds as many runs as it can.
    Full,
}
