//! The queue: first in, first out within a priority, work that is not due yet, and a number of slots.
//!
//! It holds names of work, not work. A slot is held from [`Queue::take`] to [`Queue::release`]; the owner of a slot
//! may wait with it (as a job of the article does between attempts) or give it back.

use alloc::collections::{BTreeMap, VecDeque};

use crate::limits::QUEUE_LENGTH_MAX;

/// The queue is full; nothing was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue holds {QUEUE_LENGTH_MAX} entries and takes no more")]
pub struct QueueFull;

/// Work waiting for a slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue<T> {
    /// Ready work of priority 0 that was never delayed, in the order of arrival. Most work is of this kind, and a
    /// line costs a tenth of a tree.
    line: VecDeque<(u64, T)>,
    /// All other ready work by (rank of its priority, order of arrival); the smallest goes first. Of one type with
    /// `delayed`, because a second kind of tree would be a second copy of its code.
    ready: BTreeMap<(u64, u64), (i32, T)>,
    /// Work that is not due yet, by (due, order of arrival).
    delayed: BTreeMap<(u64, u64), (i32, T)>,
    slots: Option<u32>,
    busy: u32,
    arrivals: u64,
}

impl<T: Copy> Queue<T> {
    /// An empty queue with so many slots; `None` is no limit.
    pub fn new(slots: Option<u32>) -> Self {
        Self { line: VecDeque::new(), ready: BTreeMap::new(), delayed: BTreeMap::new(), slots, busy: 0, arrivals: 0 }
    }

    /// Adds work that is ready now. A smaller `priority` goes first; equal ones in the order of arrival.
    pub fn add(&mut self, work: T, priority: i32) -> Result<(), QueueFull> {
        self.check_room()?;
        let order = self.next_order();
        if priority == 0 {
            self.line.push_back((order, work));
        } else {
            self.ready.insert((rank(priority), order), (priority, work));
        }
        Ok(())
    }

    /// Adds work that is due at `at`; its place among ready work is its place of arrival here.
    pub fn add_at(&mut self, at: u64, work: T, priority: i32) -> Result<(), QueueFull> {
        self.check_room()?;
        let order = self.next_order();
        self.delayed.insert((at, order), (priority, work));
        Ok(())
    }

    /// The work that [`Queue::take`] would take now.
    pub fn peek(&self, now: u64) -> Option<T> {
        if !self.has_free_slot() {
            return None;
        }
        let ready = if self.line_is_next() {
            self.line.front().map(|&(order, work)| ((rank(0), order), work))
        } else {
            self.ready.first_key_value().map(|(&key, &(_, work))| (key, work))
        };
        match (ready, self.first_due(now)) {
            (Some(ready), Some(due)) => Some(if ready.0 < due.0 { ready.1 } else { due.1 }),
            (ready, due) => ready.or(due).map(|(_, work)| work),
        }
    }

    /// Takes the next work that is ready or due, and a slot with it.
    pub fn take(&mut self, now: u64) -> Option<T> {
        if !self.has_free_slot() {
            return None;
        }
        while let Some(entry) = self.delayed.first_entry()
            && entry.key().0 <= now
        {
            let (_, order) = *entry.key();
            let (priority, work) = entry.remove();
            self.ready.insert((rank(priority), order), (priority, work));
        }
        let work = if self.line_is_next() { self.line.pop_front()?.1 } else { self.ready.pop_first()?.1.1 };
        self.busy += 1;
        Some(work)
    }

    /// Whether the line's front goes before the tree's first; true if both are empty.
    #[inline]
    fn line_is_next(&self) -> bool {
        let Some((&first, _)) = self.ready.first_key_value() else { return true };
        self.line.front().is_some_and(|&(order, _)| (rank(0), order) < first)
    }

    fn first_due(&self, now: u64) -> Option<((u64, u64), T)> {
        let due = self.delayed.range(..=(now, u64::MAX));
        due.map(|(&(_, order), &(priority, work))| ((rank(priority), order), work)).min_by_key(|&(key, _)| key)
    }

    /// Gives a slot back.
    ///
    /// # Panics
    /// If no slot is taken: a caller that releases twice would raise the concurrency unseen.
    pub fn release(&mut self) {
        assert!(self.busy > 0, "a slot was released that nobody holds");
        self.busy -= 1;
    }

    /// Removes waiting work, wherever it waits. False if it does not wait here.
    pub fn remove(&mut self, is_it: impl Fn(&T) -> bool) -> bool {
        let before = self.waiting();
        self.line.retain(|(_, work)| !is_it(work));
        self.ready.retain(|_, (_, work)| !is_it(work));
        self.delayed.retain(|_, (_, work)| !is_it(work));
        self.waiting() < before
    }

    /// Forgets who holds slots: the process that held them is gone.
    pub fn release_all(&mut self) {
        self.busy = 0;
    }

    /// When the next delayed work becomes due.
    pub fn next_due(&self) -> Option<u64> {
        self.delayed.first_key_value().map(|(&(at, _), _)| at)
    }

    /// When the next work becomes due that is not due at `now`.
    pub fn next_due_after(&self, now: u64) -> Option<u64> {
        let later = self.delayed.range((core::ops::Bound::Excluded((now, u64::MAX)), core::ops::Bound::Unbounded));
        later.map(|(&(at, _), _)| at).next()
    }

    /// Changes the number of slots; `None` is no limit. Slots that are taken stay so.
    pub fn set_slots(&mut self, slots: Option<u32>) {
        self.slots = slots;
    }

    /// How many wait, due or not.
    pub fn waiting(&self) -> usize {
        self.line.len() + self.ready.len() + self.delayed.len()
    }

    /// How many slots are taken.
    pub fn busy(&self) -> u32 {
        self.busy
    }

    /// The number of slots; `None` is no limit.
    pub fn slots(&self) -> Option<u32> {
        self.slots
    }

    /// Nothing waits and nothing runs (BUG H36): true of a queue that was never used.
    pub fn is_idle(&self) -> bool {
        self.busy == 0 && self.waiting() == 0
    }

    fn has_free_slot(&self) -> bool {
        self.slots.is_none_or(|slots| self.busy < slots)
    }

    fn check_room(&self) -> Result<(), QueueFull> {
        if self.waiting() < QUEUE_LENGTH_MAX { Ok(()) } else { Err(QueueFull) }
    }

    fn next_order(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }
}

/// Priorities as unsigned numbers, in their order.
#[inline]
fn rank(priority: i32) -> u64 {
    u64::from(priority as u32 ^ 1 << 31)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a29_one_at_a_time_in_the_order_of_arrival() {
        let mut queue = Queue::new(Some(1));
        for job in 1..=3 {
            queue.add(job, 0).unwrap();
        }
        assert_eq!(queue.take(0), Some(1));
        assert_eq!(queue.take(0), None, "the only slot is taken");
        queue.release();
        assert_eq!(queue.take(0), Some(2));
        queue.release();
        assert_eq!(queue.take(0), Some(3));
        assert!(!queue.is_idle());
        queue.release();
        assert!(queue.is_idle());
    }

    #[test]
    fn h36_a_queue_that_was_never_used_is_idle() {
        assert!(Queue::<u32>::new(None).is_idle());
    }

    #[test]
    fn h36_idle_is_judged_with_work_that_work_added() {
        let mut queue = Queue::new(Some(1));
        queue.add("parent", 0).unwrap();
        queue.take(0);
        queue.add("child", 0).unwrap();
        queue.release();
        assert!(!queue.is_idle());
        assert_eq!(queue.take(0), Some("child"));
        queue.release();
        assert!(queue.is_idle());
    }

    #[test]
    fn priorities_go_first_and_keep_their_order() {
        let mut queue = Queue::new(None);
        queue.add("b", 0).unwrap();
        queue.add("c", 0).unwrap();
        queue.add("a", -1).unwrap();
        queue.add("d", 1).unwrap();
        queue.add_at(5, "e", 0).unwrap();
        queue.add("f", 0).unwrap();
        let mut order = Vec::new();
        while let Some(next) = queue.peek(5) {
            assert_eq!(queue.take(5), Some(next));
            order.push(next);
        }
        assert_eq!(order, ["a", "b", "c", "e", "f", "d"], "due work keeps the place of its arrival");
        assert_eq!(queue.busy(), 6);
    }

    #[test]
    fn s2_14_delayed_work_never_starts_early() {
        let mut queue = Queue::new(None);
        queue.add_at(100, "later", 0).unwrap();
        assert_eq!((queue.peek(99), queue.take(99), queue.next_due()), (None, None, Some(100)));
        assert_eq!((queue.peek(100), queue.take(100), queue.next_due()), (Some("later"), Some("later"), None));
    }

    #[test]
    #[should_panic(expected = "nobody holds")]
    fn a_slot_released_twice_is_a_broken_invariant() {
        Queue::<u32>::new(Some(1)).release();
    }
}
