//! The three doors at which a duplicate can be stopped: where events arrive, where runs are asked for, and where a
//! provider is called. One click for each, sent more often than once, through an engine of its own; what a door asks
//! for can be left out, to see what comes through.
//!
//! Each door has a window of its own, and looks at its own duplicate only: that is what the scenes are for. The windows
//! are read from the scene's journal and nowhere else, so that what is drawn of them is what the engine did.

mod play;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;

use twiceproof_core::{admission::Mismatch, events::NoStart, events::WINDOW_MS, limits::RETENTION_MS_DEFAULT};

pub use play::scenes;

/// How long the provider of these scenes remembers a key, in milliseconds from the first call that brought it. Each
/// provider has a length of its own; a day is a usual one.
pub const PROVIDER_WINDOW_MS: u64 = 24 * 60 * 60 * 1000;

/// How long our own store remembers the key of a step, in milliseconds from when its result was saved.
pub const STEP_WINDOW_MS: u64 = 24 * 60 * 60 * 1000;

/// What a duplicate is known by at a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Door {
    /// The ID that the sender gives an event: the same one starts functions once in 24 hours (B2).
    EventId,
    /// The key that a function makes of an event: the same one starts that function once in 24 hours (B14).
    FunctionKey,
    /// The ID that the caller gives a run: the same one is the same run for as long as that is kept (C4).
    RunId,
    /// The key of a step in our own store: what is saved under it is not called again (A4).
    StepKey,
    /// The key that goes to the provider: whoever performs the effect remembers it (A15).
    ProviderKey,
}

impl Door {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::EventId, Self::FunctionKey, Self::RunId, Self::StepKey, Self::ProviderKey];

    /// How long it remembers, in milliseconds: from the first, but a run ID and a step's key from the end of the work.
    pub fn window_ms(self) -> u64 {
        match self {
            Self::EventId | Self::FunctionKey => WINDOW_MS,
            Self::RunId => RETENTION_MS_DEFAULT,
            Self::StepKey => STEP_WINDOW_MS,
            Self::ProviderKey => PROVIDER_WINDOW_MS,
        }
    }
}

/// Which doors are shut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doors {
    /// Events carry an ID.
    pub event_id: bool,
    /// The function has a key.
    pub function_key: bool,
    /// Requests carry an ID.
    pub run_id: bool,
    /// The step has a key in our store.
    pub step_key: bool,
    /// Calls carry a key.
    pub provider_key: bool,
}

impl Default for Doors {
    /// All but the keys of functions and steps: they would stop what the others are there to stop, and hide it.
    fn default() -> Self {
        Self { function_key: false, step_key: false, ..Self::SHUT }
    }
}

impl Doors {
    /// All of them.
    pub const SHUT: Self =
        Self { event_id: true, function_key: true, run_id: true, step_key: true, provider_key: true };

    /// Whether this one is.
    pub fn is_shut(self, door: Door) -> bool {
        match door {
            Door::EventId => self.event_id,
            Door::FunctionKey => self.function_key,
            Door::RunId => self.run_id,
            Door::StepKey => self.step_key,
            Door::ProviderKey => self.provider_key,
        }
    }

    /// The same with this one shut or open.
    pub fn with(mut self, door: Door, shut: bool) -> Self {
        match door {
            Door::EventId => self.event_id = shut,
            Door::FunctionKey => self.function_key = shut,
            Door::RunId => self.run_id = shut,
            Door::StepKey => self.step_key = shut,
            Door::ProviderKey => self.provider_key = shut,
        }
        self
    }
}

/// What came of something that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// Work began, and an email left.
    Began,
    /// The event started nothing.
    NotStarted(NoStart),
    /// The run that has the ID was handed back.
    Existing,
    /// The ID belongs to other work.
    Refused(Mismatch),
    /// Our store had the result of the step, and no call was made.
    Skipped,
    /// The provider did the work, and its reply was lost.
    ReplyLost,
    /// The provider knew the key and did nothing.
    Known {
        /// That reply was lost as well.
        reply_lost: bool,
    },
}

impl Came {
    /// Whether an email left.
    pub fn is_effect(&self) -> bool {
        match self {
            Self::Began | Self::ReplyLost => true,
            Self::NotStarted(_) | Self::Existing | Self::Refused(_) | Self::Skipped | Self::Known { .. } => false,
        }
    }
}

/// Something that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When, in milliseconds from the first.
    pub at: u64,
    /// What it is.
    pub what: &'static str,
    /// What came of it.
    pub came: Came,
    /// Emails that have left by then.
    pub emails: u32,
    /// What it was known by at each door that is shut.
    pub keys: Vec<(Door, Arc<str>)>,
    /// The window that stopped it: its place in the scene's windows.
    pub stopped_by: Option<usize>,
}

/// A stretch of time in which a door knows a duplicate by one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The door.
    pub door: Door,
    /// The key or ID.
    pub key: Arc<str>,
    /// Since when it counts, in milliseconds.
    pub from: u64,
    /// When the work it belongs to was over, if its length is counted from there.
    pub over: Option<u64>,
    /// Until when it counts for sure, exclusively; absent while the work it belongs to is not over.
    pub until: Option<u64>,
    /// When it was really forgotten, if that is another thing: a run ID counts until a prune pass has removed the run.
    pub pruned: Option<u64>,
}

impl Window {
    /// When it ends, exclusively, if that is known.
    pub fn end(&self) -> Option<u64> {
        match self.door {
            Door::RunId => self.pruned,
            Door::EventId | Door::FunctionKey | Door::StepKey | Door::ProviderKey => self.until,
        }
    }

    /// Whether a duplicate that comes at this time is stopped by it.
    pub fn holds(&self, at: u64) -> bool {
        self.from <= at && self.end().is_none_or(|end| at < end)
    }
}

/// A prune pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrunePass {
    /// When, in milliseconds.
    pub at: u64,
    /// How many runs it removed.
    pub runs: usize,
}

/// What happens at one door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// What duplicates are known by here; each can be left out.
    pub doors: &'static [Door],
    /// What was sent, in order.
    pub sent: Vec<Sent>,
    /// Every window that opened, in order.
    pub windows: Vec<Window>,
    /// The prune passes.
    pub passes: Vec<PrunePass>,
    /// Emails that the one who clicked expects.
    pub wanted: u32,
}

impl Scene {
    /// Emails that left.
    pub fn emails(&self) -> u32 {
        self.sent.last().map_or(0, |sent| sent.emails)
    }
}
