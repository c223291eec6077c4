//! The queue of the engine: one lane for each workflow, so that a lane can be paused or have slots of its own, over
//! the slots of the engine. Between lanes the order is that of one queue: priority, then arrival.

use alloc::vec::Vec;

use crate::{
    ids::{RunId, WorkflowId},
    queue::{Queue, QueueFull},
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lane {
    queue: Queue,
    paused: bool,
}

/// The lanes. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
    slots: Option<u32>,
    busy: u32,
    arrivals: u64,
}

impl Lanes {
    /// No lane yet, and so many slots for all that will be; `None` is no limit.
    pub(crate) fn new(slots: Option<u32>) -> Self {
        Self { lanes: Vec::new(), slots, busy: 0, arrivals: 0 }
    }

    /// Opens the lane of the next workflow.
    pub(crate) fn open(&mut self) {
        self.lanes.push(Lane { queue: Queue::new(None), paused: false });
    }

    /// Gives a lane slots of its own; `None` is no limit but the engine's.
    pub(crate) fn set_slots(&mut self, lane: WorkflowId, slots: Option<u32>) {
        self.lanes[lane.index()].queue.set_slots(slots);
    }

    pub(crate) fn set_paused(&mut self, lane: WorkflowId, paused: bool) {
        self.lanes[lane.index()].paused = paused;
    }

    pub(crate) fn is_paused(&self, lane: WorkflowId) -> bool {
        self.lanes.get(lane.index()).is_some_and(|lane| lane.paused)
    }

    /// Adds a run that is ready at `due`.
    pub(crate) fn add(
        &mut self,
        now: u64,
        lane: WorkflowId,
        run: RunId,
        priority: i32,
        due: u64,
    ) -> Result<(), QueueFull> {
        self.arrivals += 1;
        let due = (due > now).then_some(due);
        self.lanes[lane.index()].queue.add_as(self.arrivals, due, run.0, priority)
    }

    /// The run that [`Lanes::take`] would take now.
    #[inline]
    pub(crate) fn peek(&self, now: u64) -> Option<RunId> {
        if self.is_full() { None } else { self.first(now).map(|(_, run)| run) }
    }

    /// Takes the next run that is ready or due, and a slot with it.
    pub(crate) fn take(&mut self, now: u64) -> Option<RunId> {
        if self.is_full() {
            return None;
        }
        let (lane, _) = self.first(now)?;
        let run = self.lanes[lane].queue.take(now)?;
        self.busy += 1;
        Some(RunId(run))
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.slots.is_some_and(|slots| self.busy >= slots)
    }

    /// The run that goes next, and its lane, if the engine has a slot.
    fn first(&self, now: u64) -> Option<(usize, RunId)> {
        let open = self.lanes.iter().enumerate().filter(|(_, lane)| !lane.paused);
        let heads = open.filter_map(|(index, lane)| Some((lane.queue.first(now)?, index)));
        heads.min().map(|((_, run), index)| (index, RunId(run)))
    }

    /// Gives back the slot of a run of this lane.
    ///
    /// # Panics
    /// If no slot is taken.
    pub(crate) fn release(&mut self, lane: WorkflowId) {
        self.lanes[lane.index()].queue.release();
        self.busy -= 1;
    }

    /// Removes a waiting run.
    pub(crate) fn remove(&mut self, lane: WorkflowId, run: RunId) {
        self.lanes[lane.index()].queue.remove(run.0);
    }

    /// Forgets who holds slots.
    pub(crate) fn release_all(&mut self) {
        self.busy = 0;
        self.lanes.iter_mut().for_each(|lane| lane.queue.release_all());
    }

    /// When a run becomes due that is not due at `now`. One that is due and finds no slot wakes with the slot.
    pub(crate) fn next_due(&self, now: u64) -> Option<u64> {
        let open = self.lanes.iter().filter(|lane| !lane.paused);
        open.filter_map(|lane| lane.queue.next_due_after(now)).min()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.queue.waiting()).sum()
    }

    pub(crate) fn busy(&self) -> u32 {
        self.busy
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.busy == 0 && self.waiting() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(slots: Option<u32>, count: usize) -> Lanes {
        let mut lanes = Lanes::new(slots);
        (0..count).for_each(|_| lanes.open());
        lanes
    }

    #[test]
    fn between_lanes_the_order_is_that_of_one_queue() {
        let mut lanes = lanes(None, 2);
        for (lane, run, priority, due) in [(0, 0, 0, 0), (1, 1, 0, 0), (0, 2, -1, 0), (1, 3, 0, 50), (0, 4, 0, 0)] {
            lanes.add(0, WorkflowId(lane), RunId(run), priority, due).unwrap();
        }
        let mut order = |now| core::iter::from_fn(|| lanes.take(now)).map(|run| run.0).collect::<Vec<_>>();
        assert_eq!((order(0), order(50)), (alloc::vec![2, 0, 1, 4], alloc::vec![3]));
    }

    #[test]
    fn a_full_or_paused_lane_holds_nobody_else_up() {
        let mut lanes = lanes(Some(3), 2);
        lanes.set_slots(WorkflowId(0), Some(1));
        for run in 0..4 {
            lanes.add(0, WorkflowId(run / 2), RunId(run), 0, 0).unwrap();
        }
        assert_eq!([lanes.take(0), lanes.take(0)], [Some(RunId(0)), Some(RunId(2))]);
        lanes.set_paused(WorkflowId(1), true);
        assert_eq!(lanes.take(0), None);
        lanes.release(WorkflowId(0));
        assert_eq!(lanes.take(0), Some(RunId(1)));
        lanes.set_paused(WorkflowId(1), false);
        assert_eq!((lanes.take(0), lanes.busy(), lanes.waiting()), (Some(RunId(3)), 3, 0));
    }

    #[test]
    fn what_is_due_and_finds_no_slot_does_not_hide_what_becomes_due() {
        let mut lanes = lanes(None, 2);
        lanes.set_paused(WorkflowId(0), true);
        lanes.add(0, WorkflowId(0), RunId(0), 0, 100).unwrap();
        lanes.add(0, WorkflowId(1), RunId(1), 0, 200).unwrap();
        assert_eq!((lanes.next_due(0), lanes.next_due(199), lanes.next_due(200)), (Some(200), Some(200), None));
    }
}
