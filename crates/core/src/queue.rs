//! The queue: first in, first out within a priority, work that is not due yet, and a number of slots.
//!
//! It holds numbers of work, not work. A slot is held from [`Queue::take`] to [`Queue::release`]; the owner of a slot
//! may wait with it (as a job of the article does between attempts) or give it back.

use alloc::collections::VecDeque;

use crate::{
    index::{Order, Place},
    limits::QUEUE_LENGTH_MAX,
};

/// The queue is full; nothing was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue holds {QUEUE_LENGTH_MAX} entries and takes no more")]
pub struct QueueFull;

/// Work waiting for a slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue {
    /// Ready work of priority 0 that was never delayed, in the order of arrival. Most work is of this kind, and a
    /// line costs a tenth of a tree.
    line: VecDeque<(u64, u32)>,
    /// All other ready work by (rank of its priority, order of arrival); the smallest goes first.
    ready: Order,
    /// Work that is not due yet, by (due, order of arrival), with its rank.
    delayed: Order,
    slots: Option<u32>,
    busy: u32,
    arrivals: u64,
}

impl Queue {
    /// An empty queue with so many slots; `None` is no limit.
    pub fn new(slots: Option<u32>) -> Self {
        let (line, ready, delayed) = (VecDeque::new(), Order::default(), Order::default());
        Self { line, ready, delayed, slots, busy: 0, arrivals: 0 }
    }

    /// Adds work that is ready now. A smaller `priority` goes first; equal ones in the order of arrival.
    pub fn add(&mut self, work: u32, priority: i32) -> Result<(), QueueFull> {
        self.add_as(self.arrivals + 1, None, work, priority)
    }

    /// Adds work that is due at `at`; its place among ready work is its place of arrival here.
    pub fn add_at(&mut self, at: u64, work: u32, priority: i32) -> Result<(), QueueFull> {
        self.add_as(self.arrivals + 1, Some(at), work, priority)
    }

    /// Adds work as the one that came as the `arrival`th, for a queue that is one of several in one order.
    pub(crate) fn add_as(&mut self, arrival: u64, due: Option<u64>, work: u32, priority: i32) -> Result<(), QueueFull> {
        if self.waiting() >= QUEUE_LENGTH_MAX {
            return Err(QueueFull);
        }
        self.arrivals = arrival;
        match due {
            Some(at) => self.delayed.insert((at, arrival), rank(priority) << 32 | u64::from(work)),
            None if priority == 0 => self.line.push_back((arrival, work)),
            None => self.ready.insert((rank(priority), arrival), work.into()),
        }
        Ok(())
    }

    /// The work that [`Queue::take`] would take now.
    pub fn peek(&self, now: u64) -> Option<u32> {
        self.first(now).map(|(_, work)| work)
    }

    /// The work that goes next and its place, by rank and arrival.
    pub(crate) fn first(&self, now: u64) -> Option<(Place, u32)> {
        if !self.has_free_slot() {
            return None;
        }
        let ready = if self.line_is_next() {
            self.line.front().map(|&(arrival, work)| ((rank(0), arrival), work))
        } else {
            self.ready.first().map(|(place, work)| (place, work as u32))
        };
        match (ready, self.first_due(now)) {
            (Some(ready), Some(due)) => Some(if ready.0 < due.0 { ready } else { due }),
            (ready, due) => ready.or(due),
        }
    }

    /// Takes the next work that is ready or due, and a slot with it.
    pub fn take(&mut self, now: u64) -> Option<u32> {
        if !self.has_free_slot() {
            return None;
        }
        while let Some(((at, arrival), delayed)) = self.delayed.first()
            && at <= now
        {
            self.delayed.remove((at, arrival));
            self.ready.insert((delayed >> 32, arrival), delayed & u64::from(u32::MAX));
        }
        let work = if self.line_is_next() { self.line.pop_front()?.1 } else { self.ready.pop_first()?.1 as u32 };
        self.busy += 1;
        Some(work)
    }

    /// Whether the line's front goes before the tree's first; true if both are empty.
    #[inline]
    fn line_is_next(&self) -> bool {
        let Some((first, _)) = self.ready.first() else { return true };
        self.line.front().is_some_and(|&(arrival, _)| (rank(0), arrival) < first)
    }

    fn first_due(&self, now: u64) -> Option<(Place, u32)> {
        let (mut next, mut first) = (self.delayed.first(), None);
        while let Some(((at, arrival), delayed)) = next.filter(|&((at, _), _)| at <= now) {
            let due = ((delayed >> 32, arrival), delayed as u32);
            first = Some(first.map_or(due, |first| due.min(first)));
            next = self.delayed.first_from((at, arrival + 1));
        }
        first
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
    pub fn remove(&mut self, work: u32) -> bool {
        let before = self.waiting();
        self.line.retain(|&(_, waiting)| waiting != work);
        self.ready.remove_where(&|_, waiting| waiting as u32 == work);
        self.delayed.remove_where(&|_, waiting| waiting as u32 == work);
        self.waiting() < before
    }

    /// Forgets who holds slots: the process that held them is gone.
    pub fn release_all(&mut self) {
        self.busy = 0;
    }

    /// When the next delayed work becomes due.
    pub fn next_due(&self) -> Option<u64> {
        self.delayed.first().map(|((at, _), _)| at)
    }

    /// When the next work becomes due that is not due at `now`.
    pub fn next_due_after(&self, now: u64) -> Option<u64> {
        self.delayed.first_from((now.checked_add(1)?, 0)).map(|((at, _), _)| at)
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
}

/// Priorities as unsigned numbers of 32 bits, in their order.
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
        assert!(Queue::new(None).is_idle());
    }

    #[test]
    fn h36_idle_is_judged_with_work_that_work_added() {
        let mut queue = Queue::new(Some(1));
        queue.add(1, 0).unwrap();
        queue.take(0);
        queue.add(2, 0).unwrap();
        queue.release();
        assert!(!queue.is_idle());
        assert_eq!(queue.take(0), Some(2));
        queue.release();
        assert!(queue.is_idle());
    }

    #[test]
    fn priorities_go_first_and_keep_their_order() {
        let mut queue = Queue::new(None);
        queue.add(2, 0).unwrap();
        queue.add(3, 0).unwrap();
        queue.add(1, -1).unwrap();
        queue.add(4, 1).unwrap();
        queue.add_at(5, 5, 0).unwrap();
        queue.add(6, 0).unwrap();
        let mut order = Vec::new();
        while let Some(next) = queue.peek(5) {
            assert_eq!(queue.take(5), Some(next));
            order.push(next);
        }
        assert_eq!(order, [1, 2, 3, 5, 6, 4], "due work keeps the place of its arrival");
        assert_eq!(queue.busy(), 6);
    }

    #[test]
    fn s2_14_delayed_work_never_starts_early() {
        let mut queue = Queue::new(None);
        queue.add_at(100, 7, 0).unwrap();
        assert_eq!((queue.peek(99), queue.take(99), queue.next_due()), (None, None, Some(100)));
        assert_eq!((queue.peek(100), queue.take(100), queue.next_due()), (Some(7), Some(7), None));
    }

    #[test]
    #[should_panic(expected = "nobody holds")]
    fn a_slot_released_twice_is_a_broken_invariant() {
        Queue::new(Some(1)).release();
    }
}
