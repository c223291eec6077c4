//! The journal: the one list of what happened, its event kinds, and its form as JSON lines.

mod codec;
mod event;
pub mod log;
mod read;
mod side;

use alloc::vec::Vec;

pub use codec::{Damage, JournalError, Loaded, TornTail, VERSION, from_json_lines, header, to_json_lines, write_entry};
pub use event::{EngineOptions, Entry, Event, Origin};

/// Where an engine puts what happened, as it happens. What is to be durable or shared goes from there into a
/// [`log::Log`].
pub trait Sink {
    /// Takes an event that has just been applied.
    fn record(&mut self, at: u64, event: Event);
}

/// Keeps every entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    entries: Vec<Entry>,
}

impl Journal {
    /// All entries, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All entries, in order, to keep.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// A journal that goes on from these entries.
    pub fn from_entries(entries: Vec<Entry>) -> Self {
        Self { entries }
    }
}

impl Sink for Journal {
    fn record(&mut self, at: u64, event: Event) {
        let seq = self.entries.len() as u64;
        self.entries.push(Entry { seq, at, event });
    }
}

/// Keeps nothing: bulk simulation counts by other means and allocates nothing per step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discard;

impl Sink for Discard {
    #[inline]
    fn record(&mut self, _at: u64, event: Event) {
        // What owns nothing needs no dropping, and the call that finds that out is a fifteenth of a step's work.
        if event.is_plain() {
            core::mem::forget(event);
        }
    }
}
