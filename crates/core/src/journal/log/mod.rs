//! What an engine asks of a store, whole: append at an expected position, read from a position.
//!
//! Every atomic operation that a shared store is usually asked for is one append here, because state is a fold of
//! the journal and one function decides. Insert if absent: the engine looks for the ID and appends `run-queued`.
//! Claim: it appends `attempt-started`. Finish and prune: `run-ended`, `run-pruned`. In each case the decision holds
//! only if nothing came in between, and that is what the expected position says: who decided on an older state is
//! told [`AppendError::Moved`], reads on and decides again. The same number fences a worker that is taken for dead:
//! its late report was decided on a state that is gone.
//!
//! What one `handle_…` call of the engine records is one batch; a run and the function key it claims are one entry.
//! [`conformance`] holds a store to this.

pub mod conformance;

use alloc::{rc::Rc, string::String, vec::Vec};
use core::cell::RefCell;

use super::{Entry, Journal};

/// A place where a journal is kept.
pub trait Log {
    /// Stores `batch` if the log ends at `expected`: whole or not at all, before it returns. Its entries are numbered
    /// from `expected` on.
    fn append(&mut self, expected: u64, batch: &[Entry]) -> Result<(), AppendError>;

    /// The entries from number `from` on, in order, at most `limit` of them; none past the end.
    fn read(&self, from: u64, limit: usize) -> Result<Vec<Entry>, Unavailable>;

    /// How many entries there are, which is the number of the next one.
    fn end(&self) -> Result<u64, Unavailable>;
}

/// Why a batch was not stored. No part of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The log does not end where the batch was to begin: it was decided on another state. Read from there, decide again.
    #[error("the log ends at {end}, not at {expected}")]
    Moved {
        /// Where it was expected to end.
        expected: u64,
        /// Where it ends.
        end: u64,
    },
    /// The numbers of the batch do not follow its position: a mistake of the caller.
    #[error("entry {index} of the batch needs seq {needs}, got {got}")]
    Misnumbered {
        /// Which entry of the batch, from 0.
        index: usize,
        /// The number it needs.
        needs: u64,
        /// The number it has.
        got: u64,
    },
    /// The store could not be reached, or has no room.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A store did not answer, or refused. Whether a batch was stored is to be found by reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store is not available: {0}")]
pub struct Unavailable(pub String);

/// The store in memory: of one process, gone with it.
impl Log for Journal {
    fn append(&mut self, expected: u64, batch: &[Entry]) -> Result<(), AppendError> {
        let end = self.entries.len() as u64;
        if expected != end {
            return Err(AppendError::Moved { expected, end });
        }
        for (index, entry) in batch.iter().enumerate() {
            let needs = expected + index as u64;
            if entry.seq != needs {
                return Err(AppendError::Misnumbered { index, needs, got: entry.seq });
            }
        }
        self.entries.extend_from_slice(batch);
        Ok(())
    }

    fn read(&self, from: u64, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(self.entries.len());
        Ok(self.entries[from..].iter().take(limit).cloned().collect())
    }

    fn end(&self) -> Result<u64, Unavailable> {
        Ok(self.entries.len() as u64)
    }
}

/// Several engines of one thread over one log.
impl<L: Log> Log for Rc<RefCell<L>> {
    fn append(&mut self, expected: u64, batch: &[Entry]) -> Result<(), AppendError> {
        self.borrow_mut().append(expected, batch)
    }

    fn read(&self, from: u64, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        self.borrow().read(from, limit)
    }

    fn end(&self) -> Result<u64, Unavailable> {
        self.borrow().end()
    }
}
