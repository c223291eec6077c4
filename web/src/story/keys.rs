//! The key store as lifelines: one line per key, and on it every time somebody ran it.

use std::sync::Arc;

use super::facts::{AttemptName, Moment};

/// One key and all that happened on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifeline {
    /// As people read it: `welcome-email:user_1001`.
    pub name: Arc<str>,
    /// The action in it: `welcome-email`.
    pub action: Arc<str>,
    /// The subject in it: `user_1001`.
    pub subject: Arc<str>,
    /// Each time it was claimed, in order.
    pub spans: Vec<Span>,
    /// When somebody was answered by what it holds.
    pub reads: Vec<Moment>,
    /// When somebody found it running or refused, and was sent to wait or away.
    pub joins: Vec<Moment>,
}

/// One claim of a key, from running to forgotten.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// When it was claimed.
    pub claimed: Moment,
    /// The attempt that the claim was for: the next one of its step.
    pub by: AttemptName,
    /// When its work was finished, and until when that is remembered; without a time, for ever.
    pub saved: Option<(Moment, Option<u64>)>,
    /// When the store let go of it, and how.
    pub ended: Option<(Moment, Release)>,
}

/// How the store let go of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// Its work failed or was interrupted: nothing is saved.
    NotSaved,
    /// Its window was over, since this time.
    Expired(u64),
    /// Somebody made the store forget it.
    Forgotten,
    /// The process restarted.
    Restarted,
}

/// What is on a key's line at some index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// Nobody runs it and nothing is saved.
    Free,
    /// Somebody runs it.
    Running {
        /// The attempt.
        by: AttemptName,
    },
    /// Its result is saved.
    Saved {
        /// The attempt that finished it.
        by: AttemptName,
        /// Until when, in milliseconds.
        expires_at: Option<u64>,
    },
    /// It was saved, and its window is over.
    Expired {
        /// Since when, in milliseconds.
        since: u64,
    },
}

impl Lifeline {
    /// What is on the line once `index` entries have been played and it is `now`.
    pub fn state(&self, index: usize, now: u64) -> KeyState {
        let Some(span) = self.spans.iter().rev().find(|span| span.claimed.by(index)) else { return KeyState::Free };
        match span.ended {
            Some((moment, Release::Expired(since))) if moment.by(index) => return KeyState::Expired { since },
            Some((moment, Release::NotSaved | Release::Forgotten | Release::Restarted)) if moment.by(index) => {
                return KeyState::Free;
            }
            _ => {}
        }
        match span.saved {
            Some((moment, Some(since))) if moment.by(index) && since <= now => KeyState::Expired { since },
            Some((moment, expires_at)) if moment.by(index) => KeyState::Saved { by: span.by, expires_at },
            _ => KeyState::Running { by: span.by },
        }
    }
}
