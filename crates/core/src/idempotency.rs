//! The idempotency store: which keys are running, which have finished and until when that is remembered
//! (SEMANTICS A1 to A16, 2.5, 2.6, 2.8).
//!
//! Keys are numbers here; who owns the names maps them ([`Store::begin`] never hashes a text). Values are not here
//! either: the store says who finished the key, and the caller keeps what that was. A finished record lives while
//! `expires_at > now`, counted from the finish; a failed run is forgotten at once.

use alloc::vec::Vec;

use crate::{chunks::Chunks, ids::KeyId, limits::SWEEP_PER_CALL_MAX, options};

/// What the store says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look<O> {
    /// Nobody runs it and nothing is saved.
    Free,
    /// Somebody runs it now: share that run.
    Running {
        /// Who runs it.
        owner: O,
    },
    /// It finished, and is remembered.
    Saved {
        /// Who finished it.
        owner: O,
        /// Until when it is remembered, exclusively.
        expires_at: u64,
    },
    /// It finished, and the window is over: to be forgotten, and then free.
    Expired {
        /// Since when it is over.
        expired_at: u64,
    },
    /// It runs or is saved for other data than this call brings.
    Conflict {
        /// Who brought the first data.
        owner: O,
    },
}

/// The answer to [`Store::begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin<O> {
    /// The key is yours: do the work, then call [`Store::finish`] or [`Store::fail`].
    Run,
    /// Somebody is doing it: wait for that run and take its outcome.
    Join(O),
    /// It was done: take that result.
    Saved(O),
    /// The key was used with other data.
    Conflict(O),
}

/// Work waits for a key that waits for this very work (A-t2): it would wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("re-entrant key: the work of this key, directly or through others, waits for itself")]
pub struct ReentrantKey {
    /// The key that was asked for.
    pub key: KeyId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Record<O> {
    Free,
    Running { owner: O, data: Option<u64> },
    Saved { owner: O, data: Option<u64>, expires_at: u64, before: KeyId, after: KeyId },
}

/// Before the first and after the last of the records that expire.
const END: KeyId = KeyId(u32::MAX);

/// The store. `O` names who runs a key: a run and step of the engine, or a slot of a script.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Store<O> {
    ttl_ms: u64,
    records: Chunks<Record<O>>,
    free: Vec<KeyId>,
    /// The first and the last of the finished records that expire. Each knows its neighbours, in the order of finishing, which
    /// with one window is the order of expiry.
    first: KeyId,
    last: KeyId,
    /// Pairs: the work of the first key waits for the second. Only nested calls appear here, so there are few.
    waits: Vec<(KeyId, KeyId)>,
    live: usize,
}

impl<O: Copy> Store<O> {
    /// An empty store that remembers finished keys for `ttl_ms` milliseconds; `u64::MAX` for ever.
    pub fn new(ttl_ms: u64) -> Self {
        Self { ttl_ms, records: Chunks::new(), free: Vec::new(), first: END, last: END, waits: Vec::new(), live: 0 }
    }

    /// The number the next new key will have.
    pub fn next_key(&self) -> KeyId {
        self.free.last().copied().unwrap_or(KeyId(self.records.len() as u32))
    }

    /// What the store says of `key` now. Changes nothing. `data` is a fingerprint of the call's data, if the caller
    /// wants it compared (2.3); `None` on either side compares nothing (A12).
    #[inline]
    pub fn look(&self, now: u64, key: KeyId, data: Option<u64>) -> Look<O> {
        match self.records.get(key.index()) {
            None | Some(Record::Free) => Look::Free,
            Some(&Record::Running { owner, data: first }) => {
                if differs(first, data) {
                    Look::Conflict { owner }
                } else {
                    Look::Running { owner }
                }
            }
            Some(&Record::Saved { owner, data: first, expires_at, .. }) => {
                if expires_at <= now {
                    Look::Expired { expired_at: expires_at }
                } else if differs(first, data) {
                    Look::Conflict { owner }
                } else {
                    Look::Saved { owner, expires_at }
                }
            }
        }
    }

    /// Marks `key`, the next free one ([`Store::next_key`]), as running.
    ///
    /// # Panics
    /// If it is another: two owners of one key is what the store exists to rule out.
    #[inline]
    pub fn claim(&mut self, key: KeyId, owner: O, data: Option<u64>) {
        assert!(key == self.next_key(), "a key was claimed that has an owner or is not the next free one");
        let record = Record::Running { owner, data };
        match self.free.pop() {
            Some(_) => *self.record(key) = record,
            None => self.records.push(record),
        }
        self.live += 1;
    }

    /// The time until which a run that finishes now is remembered, exclusively (A6).
    pub fn expires_at(&self, now: u64) -> u64 {
        options::after(now, self.ttl_ms)
    }

    /// The running key has finished: remember it until `expires_at`.
    ///
    /// # Panics
    /// If the key is not running.
    #[inline]
    pub fn finish(&mut self, key: KeyId, expires_at: u64) {
        let expires = expires_at != u64::MAX;
        let before = if expires { self.last } else { END };
        let record = self.record(key);
        let &mut Record::Running { owner, data } = record else { panic!("a key was finished that does not run") };
        *record = Record::Saved { owner, data, expires_at, before, after: END };
        if expires {
            *self.link_after(before) = key;
            self.last = key;
        }
        self.stop_waiting(key);
    }

    /// Forgets `key`, running or saved: its run failed (A4), its window is over, or the owner said so. The number
    /// may be given to another key from now on.
    pub fn forget(&mut self, key: KeyId) {
        let Some(record) = self.records.get_mut(key.index()) else { return };
        match core::mem::replace(record, Record::Free) {
            Record::Free => return,
            Record::Running { .. } | Record::Saved { expires_at: u64::MAX, .. } => {}
            Record::Saved { before, after, .. } => {
                *self.link_after(before) = after;
                *self.link_before(after) = before;
            }
        }
        self.free.push(key);
        self.live -= 1;
        self.stop_waiting(key);
    }

    /// The next finished key whose window is over, if any, and since when. [`Store::forget`] it and ask again.
    #[inline]
    pub fn next_expired(&self, now: u64) -> Option<(KeyId, u64)> {
        match self.records.get(self.first.index()) {
            Some(&Record::Saved { expires_at, .. }) if expires_at <= now => Some((self.first, expires_at)),
            None | Some(Record::Saved { .. } | Record::Running { .. } | Record::Free) => None,
        }
    }

    /// Forgets up to `limit` keys whose window is over and hands each to `forgotten`.
    pub fn sweep(&mut self, now: u64, limit: usize, mut forgotten: impl FnMut(KeyId)) -> usize {
        for swept in 0..limit {
            let Some((key, _)) = self.next_expired(now) else { return swept };
            self.forget(key);
            forgotten(key);
        }
        limit
    }

    /// One call of `once` (A1 to A7): sweeps, then looks, and claims the key if it is free.
    ///
    /// `inside` is the key whose work makes this call, if any; then waiting that could never end is an error.
    /// Keys that were swept are handed to `forgotten`, never `key` itself.
    pub fn begin(
        &mut self,
        now: u64,
        key: KeyId,
        owner: O,
        data: Option<u64>,
        inside: Option<KeyId>,
        mut forgotten: impl FnMut(KeyId),
    ) -> Result<Begin<O>, ReentrantKey> {
        if matches!(self.look(now, key, None), Look::Expired { .. }) {
            self.forget(key);
        }
        let begin = match self.look(now, key, data) {
            Look::Running { owner } => {
                if let Some(inside) = inside {
                    self.wait_for(inside, key)?;
                }
                Begin::Join(owner)
            }
            Look::Saved { owner, .. } => Begin::Saved(owner),
            Look::Conflict { owner } => Begin::Conflict(owner),
            Look::Free | Look::Expired { .. } => {
                self.claim(key, owner, data);
                if let Some(inside) = inside {
                    self.waits.push((inside, key));
                }
                Begin::Run
            }
        };
        self.sweep(now, SWEEP_PER_CALL_MAX, &mut forgotten);
        Ok(begin)
    }

    /// How many keys are running or remembered.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether no key is running or remembered.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    #[inline]
    fn record(&mut self, key: KeyId) -> &mut Record<O> {
        self.records.get_mut(key.index()).expect("a key has a record")
    }

    /// Where it stands which record comes after this one.
    #[inline]
    fn link_after(&mut self, key: KeyId) -> &mut KeyId {
        match self.records.get_mut(key.index()) {
            Some(Record::Saved { after, .. }) => after,
            None | Some(Record::Running { .. } | Record::Free) => &mut self.first,
        }
    }

    /// Where it stands which record comes before this one.
    #[inline]
    fn link_before(&mut self, key: KeyId) -> &mut KeyId {
        match self.records.get_mut(key.index()) {
            Some(Record::Saved { before, .. }) => before,
            None | Some(Record::Running { .. } | Record::Free) => &mut self.last,
        }
    }

    fn wait_for(&mut self, inside: KeyId, key: KeyId) -> Result<(), ReentrantKey> {
        let mut open = alloc::vec![key];
        let mut seen = alloc::vec![];
        while let Some(next) = open.pop() {
            if next == inside {
                return Err(ReentrantKey { key });
            }
            if !seen.contains(&next) {
                seen.push(next);
                open.extend(self.waits.iter().filter(|(waiting, _)| *waiting == next).map(|&(_, key)| key));
            }
        }
        self.waits.push((inside, key));
        Ok(())
    }

    #[inline]
    fn stop_waiting(&mut self, key: KeyId) {
        if !self.waits.is_empty() {
            self.waits.retain(|&(waiting, waited)| waiting != key && waited != key);
        }
    }
}

#[inline]
fn differs(first: Option<u64>, now: Option<u64>) -> bool {
    matches!((first, now), (Some(first), Some(now)) if first != now)
}

#[cfg(test)]
#[path = "idempotency_tests.rs"]
mod tests;
