//! The state of the intake: the history, the windows that are open, the events that wait for others, and those that a
//! pause kept from starting anything. Reads are for everybody; only the fold of the journal writes.

use alloc::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
    vec::Vec,
};

use super::RateLimit;
use crate::{
    admission::Payload,
    engine::Table,
    ids::{EventId, RunId, WorkflowId},
    limits::SWEEP_PER_CALL_MAX,
    options,
};

/// A group within a function; `None` is the one group of a function without an expression for it.
pub type Group = Option<Arc<str>>;

/// An event as the history keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// The sender's ID.
    pub id: Option<Arc<str>>,
    /// Its name.
    pub name: Arc<str>,
    /// When it happened, in milliseconds, as its sender says.
    pub ts: Option<u64>,
    /// Its data.
    pub payload: Option<Arc<Payload>>,
    /// When it was accepted, in milliseconds.
    pub accepted_at: u64,
    /// The event that had its ID first, if that one's window was open.
    pub duplicate_of: Option<EventId>,
}

/// An event of the history with what still needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    event: EventRecord,
    /// Runs that are kept and began with it, and groups in which it waits.
    users: u32,
}

/// Something whose window is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Live<W> {
    /// Who opened it.
    pub winner: W,
    /// Until when, exclusively, in milliseconds; `u64::MAX` for ever.
    pub until: u64,
}

/// Events that wait for others of their group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The events, in the order of acceptance. Of a debounced group, the last.
    pub events: Vec<EventId>,
    /// When the first was accepted, in milliseconds.
    pub first_at: u64,
    /// When they start a run, in milliseconds.
    pub until: u64,
    /// The function key of the last event.
    pub key: Option<Arc<str>>,
    /// The rate group of the last event.
    pub rate: Group,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Window {
    EventId(Arc<str>),
    Key(WorkflowId, Arc<str>),
    Rate(WorkflowId, Group),
}

/// The intake. See the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intake {
    events: Table<Record>,
    /// Events that nothing needs any more but the history.
    loose: BTreeSet<EventId>,
    ids: BTreeMap<Arc<str>, Live<EventId>>,
    keys: BTreeMap<(WorkflowId, Arc<str>), Live<RunId>>,
    rates: BTreeMap<(WorkflowId, Group), VecDeque<(u64, RunId)>>,
    /// Windows that will be over, by when.
    windows: BTreeSet<(u64, Window)>,
    holds: BTreeMap<(WorkflowId, Group), Hold>,
    hold_of: BTreeMap<(WorkflowId, EventId), Group>,
    hold_timers: BTreeSet<(u64, WorkflowId, Group)>,
    missed: BTreeSet<(WorkflowId, EventId)>,
}

impl Intake {
    /// The number of the next event.
    pub(crate) fn next_event(&self) -> usize {
        self.events.next()
    }

    /// An event of the history.
    pub fn event(&self, event: EventId) -> Option<&EventRecord> {
        self.events.get(event.index()).map(|record| &record.event)
    }

    /// All events of the history, in the order of acceptance.
    pub fn events(&self) -> impl Iterator<Item = (EventId, &EventRecord)> + Clone {
        self.events.iter().map(|(number, record)| (EventId(number), &record.event))
    }

    /// The event whose acceptance opened the window of this ID, if it is open.
    pub fn event_id(&self, now: u64, id: &str) -> Option<Live<EventId>> {
        self.ids.get(id).copied().filter(|live| live.until > now)
    }

    /// The run that opened the window of this key of a function, if it is open.
    pub fn function_key(&self, now: u64, workflow: WorkflowId, key: &str) -> Option<Live<RunId>> {
        self.keys.get(&(workflow, Arc::from(key))).copied().filter(|live| live.until > now)
    }

    /// If a group has had all the starts that its limit allows: the one that must grow old first, and when it has.
    pub fn rate_reached(&self, now: u64, workflow: WorkflowId, group: &Group, rate: RateLimit) -> Option<Live<RunId>> {
        let starts = self.rates.get(&(workflow, group.clone()))?;
        let (at, winner) = *starts.get(starts.len().checked_sub(rate.limit as usize)?)?;
        let until = options::after(at, rate.period_ms);
        (until > now).then_some(Live { winner, until })
    }

    /// The events that wait in a group.
    pub fn hold(&self, workflow: WorkflowId, group: &Group) -> Option<&Hold> {
        self.holds.get(&(workflow, group.clone()))
    }

    /// All events that wait, by function and group.
    pub fn holds(&self) -> impl Iterator<Item = (WorkflowId, &Group, &Hold)> {
        self.holds.iter().map(|((workflow, group), hold)| (*workflow, group, hold))
    }

    /// Whether an event waits for others of its group.
    pub(crate) fn is_held(&self, workflow: WorkflowId, event: EventId) -> bool {
        self.hold_of.contains_key(&(workflow, event))
    }

    /// The next group whose wait is over, and when.
    pub(crate) fn next_hold(&self) -> Option<&(u64, WorkflowId, Group)> {
        self.hold_timers.first()
    }

    /// The events that came while a function was paused and were not replayed, in the order of acceptance.
    pub fn missed(&self, workflow: WorkflowId) -> impl Iterator<Item = EventId> {
        let all = (workflow, EventId(0))..=(workflow, EventId(u32::MAX));
        self.missed.range(all).map(|&(_, event)| event)
    }

    /// Whether an event came while a function was paused, and was not replayed.
    pub fn is_missed(&self, workflow: WorkflowId, event: EventId) -> bool {
        self.missed.contains(&(workflow, event))
    }

    /// The oldest event that nothing needs any more, and when it was accepted.
    pub(crate) fn oldest_loose(&self) -> Option<(EventId, u64)> {
        let event = *self.loose.first()?;
        Some((event, self.events[event.index()].event.accepted_at))
    }

    /// An event was accepted; if its ID is new, its window opens.
    pub(crate) fn accept(&mut self, event: EventRecord, window_ms: u64) {
        let (number, at) = (EventId(self.events.next() as u32), event.accepted_at);
        self.sweep(at);
        if let Some(id) = event.id.as_ref().filter(|_| event.duplicate_of.is_none()) {
            let until = options::after(at, window_ms);
            let over = self.ids.insert(id.clone(), Live { winner: number, until });
            if let Some(over) = over {
                self.windows.remove(&(over.until, Window::EventId(id.clone())));
            }
            self.windows.insert((until, Window::EventId(id.clone())));
        }
        self.events.push(Record { event, users: 0 });
        self.loose.insert(number);
    }

    /// An event waits in a group until `until`.
    pub(crate) fn keep_back(
        &mut self,
        at: u64,
        (workflow, group): (WorkflowId, Group),
        event: EventId,
        until: u64,
        key: Option<Arc<str>>,
        rate: Group,
    ) {
        let new = Hold { events: Vec::new(), first_at: at, until, key: None, rate: None };
        let hold = self.holds.entry((workflow, group.clone())).or_insert(new);
        self.hold_timers.remove(&(hold.until, workflow, group.clone()));
        hold.events.push(event);
        (hold.until, hold.key, hold.rate) = (until, key, rate);
        self.hold_timers.insert((until, workflow, group.clone()));
        self.hold_of.insert((workflow, event), group);
        self.need(event);
    }

    /// An event did not start a run of this function.
    pub(crate) fn skip(&mut self, workflow: WorkflowId, event: EventId, paused: bool) {
        self.let_go(workflow, event);
        if paused {
            self.missed.insert((workflow, event));
        } else {
            self.missed.remove(&(workflow, event));
        }
    }

    /// Events started a run: it needs them, its key is used, and its start counts.
    pub(crate) fn start(
        &mut self,
        at: u64,
        run: RunId,
        workflow: WorkflowId,
        events: &[EventId],
        key: Option<(Arc<str>, u64)>,
        rate: Option<(Group, RateLimit)>,
    ) {
        for &event in events {
            self.need(event);
            self.let_go(workflow, event);
            self.missed.remove(&(workflow, event));
        }
        if let Some((key, until)) = key {
            let window = Window::Key(workflow, key.clone());
            if let Some(over) = self.keys.insert((workflow, key), Live { winner: run, until }) {
                self.windows.remove(&(over.until, window.clone()));
            }
            if until != u64::MAX {
                self.windows.insert((until, window));
            }
        }
        if let Some((group, rate)) = rate {
            self.count_start(at, run, workflow, group, rate);
        }
        self.sweep(at);
    }

    fn count_start(&mut self, at: u64, run: RunId, workflow: WorkflowId, group: Group, rate: RateLimit) {
        let window = Window::Rate(workflow, group.clone());
        let starts = self.rates.entry((workflow, group)).or_default();
        if let Some(&(last, _)) = starts.back() {
            self.windows.remove(&(options::after(last, rate.period_ms), window.clone()));
        }
        starts.push_back((at, run));
        // Older ones than the limit counts are never looked at.
        while starts.len() > rate.limit as usize {
            starts.pop_front();
        }
        self.windows.insert((options::after(at, rate.period_ms), window));
    }

    /// A run that began with these events was removed.
    pub(crate) fn run_removed(&mut self, events: &[EventId]) {
        events.iter().for_each(|&event| self.need_less(event));
    }

    /// An event that nothing needs is removed from the history.
    pub(crate) fn remove(&mut self, event: EventId) {
        self.events.remove(event.index());
        self.loose.remove(&event);
        self.missed.retain(|&(_, missed)| missed != event);
    }

    fn need(&mut self, event: EventId) {
        self.events[event.index()].users += 1;
        self.loose.remove(&event);
    }

    fn need_less(&mut self, event: EventId) {
        let record = &mut self.events[event.index()];
        record.users -= 1;
        if record.users == 0 {
            self.loose.insert(event);
        }
    }

    /// An event does not wait any more.
    fn let_go(&mut self, workflow: WorkflowId, event: EventId) {
        let Some(group) = self.hold_of.remove(&(workflow, event)) else { return };
        let place = (workflow, group);
        if let Some(hold) = self.holds.get_mut(&place) {
            hold.events.retain(|&held| held != event);
            if hold.events.is_empty() {
                self.hold_timers.remove(&(hold.until, workflow, place.1.clone()));
                self.holds.remove(&place);
            }
        }
        self.need_less(event);
    }

    /// Forgets windows that are over, in bounded work (SEMANTICS 2.8). What is asked of a window looks at its end, so
    /// this changes no answer.
    fn sweep(&mut self, now: u64) {
        for _ in 0..SWEEP_PER_CALL_MAX {
            if self.windows.first().is_none_or(|(until, _)| *until > now) {
                return;
            }
            match self.windows.pop_first().map(|(_, window)| window) {
                Some(Window::EventId(id)) => drop(self.ids.remove(&id)),
                Some(Window::Key(workflow, key)) => drop(self.keys.remove(&(workflow, key))),
                Some(Window::Rate(workflow, group)) => drop(self.rates.remove(&(workflow, group))),
                None => return,
            }
        }
    }
}
