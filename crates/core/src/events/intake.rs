//! The state of the intake: the history, the windows that are open, the events that wait for others, and those that a
//! pause kept from starting anything. Reads are for everybody; only the fold of the journal writes.

use alloc::{collections::VecDeque, sync::Arc, vec::Vec};

use super::RateLimit;
use crate::{
    admission::Payload,
    engine::Table,
    ids::{EventId, RunId, WorkflowId},
    index::{Names, Order},
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

/// The window of an event's ID or a function key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Window {
    /// The function, for a key.
    of: Option<WorkflowId>,
    name: Arc<str>,
    winner: u32,
    until: u64,
}

/// The last starts of a group, as many as its limit counts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rate {
    workflow: WorkflowId,
    group: Group,
    starts: VecDeque<(u64, RunId)>,
    /// When the last of them is too old to count.
    until: u64,
}

/// A group that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    workflow: WorkflowId,
    group: Group,
    hold: Hold,
}

/// Numbers by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Groups {
    ungrouped: Option<u64>,
    named: Names,
}

impl Groups {
    fn get(&self, group: &Group) -> Option<u64> {
        group.as_deref().map_or(self.ungrouped, |group| self.named.get(group))
    }

    fn insert(&mut self, group: &Group, number: u64) {
        match group {
            Some(group) => drop(self.named.insert(group.clone(), number)),
            None => self.ungrouped = Some(number),
        }
    }

    fn remove(&mut self, group: &Group) {
        match group {
            Some(group) => drop(self.named.remove(group)),
            None => self.ungrouped = None,
        }
    }
}

/// What one function has here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfFunction {
    /// Windows of its keys.
    keys: Names,
    rates: Groups,
    holds: Groups,
}

/// The intake. See the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intake {
    events: Table<Record>,
    /// Events that nothing needs any more but the history.
    loose: Order,
    /// By workflow, as far as one has anything here or in `missed`.
    functions: Vec<OfFunction>,
    /// Windows of event IDs.
    ids: Names,
    windows: Table<Window>,
    /// Windows that will be over, by when.
    window_ends: Order,
    rates: Table<Rate>,
    rate_ends: Order,
    holds: Table<Held>,
    hold_ends: Order,
    /// In which group an event waits, by function and event.
    hold_of: Order,
    /// By function and event.
    missed: Order,
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
        let (winner, until) = self.open(now, self.ids.get(id)?)?;
        Some(Live { winner: EventId(winner), until })
    }

    /// The run that opened the window of this key of a function, if it is open.
    pub fn function_key(&self, now: u64, workflow: WorkflowId, key: &str) -> Option<Live<RunId>> {
        let (winner, until) = self.open(now, self.function(workflow)?.keys.get(key)?)?;
        Some(Live { winner: RunId(winner), until })
    }

    fn open(&self, now: u64, window: u64) -> Option<(u32, u64)> {
        let window = &self.windows[window as usize];
        (window.until > now).then_some((window.winner, window.until))
    }

    fn function(&self, workflow: WorkflowId) -> Option<&OfFunction> {
        self.functions.get(workflow.index())
    }

    fn function_mut(&mut self, workflow: WorkflowId) -> &mut OfFunction {
        while self.functions.len() <= workflow.index() {
            self.functions.push(OfFunction::default());
        }
        &mut self.functions[workflow.index()]
    }

    /// If a group has had all the starts that its limit allows: the one that must grow old first, and when it has.
    pub fn rate_reached(&self, now: u64, workflow: WorkflowId, group: &Group, rate: RateLimit) -> Option<Live<RunId>> {
        let starts = &self.rates[self.function(workflow)?.rates.get(group)? as usize].starts;
        let (at, winner) = *starts.get(starts.len().checked_sub(rate.limit as usize)?)?;
        let until = options::after(at, rate.period_ms);
        (until > now).then_some(Live { winner, until })
    }

    /// The events that wait in a group.
    pub fn hold(&self, workflow: WorkflowId, group: &Group) -> Option<&Hold> {
        let number = self.function(workflow)?.holds.get(group)?;
        Some(&self.holds[number as usize].hold)
    }

    /// All events that wait, by function and group, in the order in which groups began to wait.
    pub fn holds(&self) -> impl Iterator<Item = (WorkflowId, &Group, &Hold)> {
        self.holds.iter().map(|(_, held)| (held.workflow, &held.group, &held.hold))
    }

    /// Whether an event waits for others of its group.
    pub(crate) fn is_held(&self, workflow: WorkflowId, event: EventId) -> bool {
        self.hold_of.contains(pair(workflow, event))
    }

    /// The next group whose wait is over, and when.
    pub(crate) fn next_hold(&self) -> Option<(u64, WorkflowId, &Group)> {
        let ((until, number), _) = self.hold_ends.first()?;
        let held = &self.holds[number as usize];
        Some((until, held.workflow, &held.group))
    }

    /// The events that came while a function was paused and were not replayed, in the order of acceptance.
    pub fn missed(&self, workflow: WorkflowId) -> impl Iterator<Item = EventId> {
        self.missed.beginning_with(workflow.0.into()).map(|(event, _)| EventId(event as u32))
    }

    /// Whether an event came while a function was paused, and was not replayed.
    pub fn is_missed(&self, workflow: WorkflowId, event: EventId) -> bool {
        self.missed.contains(pair(workflow, event))
    }

    /// The oldest event that nothing needs any more, and when it was accepted.
    pub(crate) fn oldest_loose(&self) -> Option<(EventId, u64)> {
        let ((event, _), _) = self.loose.first()?;
        Some((EventId(event as u32), self.events[event as usize].event.accepted_at))
    }

    /// An event was accepted; if its ID is new, its window opens.
    pub(crate) fn accept(&mut self, event: EventRecord, window_ms: u64) {
        let (number, at) = (EventId(self.events.next() as u32), event.accepted_at);
        self.sweep(at);
        if let Some(id) = event.id.as_ref().filter(|_| event.duplicate_of.is_none()) {
            let until = options::after(at, window_ms);
            self.open_window(Window { of: None, name: id.clone(), winner: number.0, until });
        }
        self.events.push(Record { event, users: 0 });
        self.loose.insert((number.0.into(), 0), 0);
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
        let number = self.hold_to_fill(at, workflow, group);
        let hold = &mut self.holds[number as usize].hold;
        self.hold_ends.remove((hold.until, number));
        hold.events.push(event);
        (hold.until, hold.key, hold.rate) = (until, key, rate);
        self.hold_ends.insert((until, number), 0);
        self.hold_of.insert(pair(workflow, event), number);
        self.need(event);
    }

    /// The group that waits, or one that begins to.
    fn hold_to_fill(&mut self, at: u64, workflow: WorkflowId, group: Group) -> u64 {
        if let Some(number) = self.function(workflow).and_then(|function| function.holds.get(&group)) {
            return number;
        }
        let number = self.holds.next() as u64;
        self.function_mut(workflow).holds.insert(&group, number);
        let hold = Hold { events: Vec::new(), first_at: at, until: u64::MAX, key: None, rate: None };
        self.holds.push(Held { workflow, group, hold });
        number
    }

    /// An event did not start a run of this function.
    pub(crate) fn skip(&mut self, workflow: WorkflowId, event: EventId, paused: bool) {
        self.let_go(workflow, event);
        if paused {
            self.function_mut(workflow);
            self.missed.insert(pair(workflow, event), 0);
        } else {
            self.missed.remove(pair(workflow, event));
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
            self.missed.remove(pair(workflow, event));
        }
        if let Some((key, until)) = key {
            self.open_window(Window { of: Some(workflow), name: key, winner: run.0, until });
        }
        if let Some((group, rate)) = rate {
            self.count_start(at, run, workflow, group, rate);
        }
        self.sweep(at);
    }

    fn count_start(&mut self, at: u64, run: RunId, workflow: WorkflowId, group: Group, rate: RateLimit) {
        let number = match self.function(workflow).and_then(|function| function.rates.get(&group)) {
            Some(number) => number,
            None => {
                let number = self.rates.next() as u64;
                self.function_mut(workflow).rates.insert(&group, number);
                self.rates.push(Rate { workflow, group, starts: VecDeque::new(), until: u64::MAX });
                number
            }
        };
        let known = &mut self.rates[number as usize];
        self.rate_ends.remove((known.until, number));
        known.starts.push_back((at, run));
        // Older ones than the limit counts are never looked at.
        while known.starts.len() > rate.limit as usize {
            known.starts.pop_front();
        }
        known.until = options::after(at, rate.period_ms);
        self.rate_ends.insert((known.until, number), 0);
    }

    /// A window opens, in place of one of the same name that is over.
    fn open_window(&mut self, window: Window) {
        let (number, until) = (self.windows.next() as u64, window.until);
        let names = match window.of {
            None => &mut self.ids,
            Some(workflow) => &mut self.function_mut(workflow).keys,
        };
        if let Some(over) = names.insert(window.name.clone(), number) {
            let over_until = self.windows.remove(over as usize).until;
            self.window_ends.remove((over_until, over));
        }
        self.windows.push(window);
        if until != u64::MAX {
            self.window_ends.insert((until, number), 0);
        }
    }

    /// A run that began with these events was removed.
    pub(crate) fn run_removed(&mut self, events: &[EventId]) {
        events.iter().for_each(|&event| self.need_less(event));
    }

    /// An event that nothing needs is removed from the history.
    pub(crate) fn remove(&mut self, event: EventId) {
        self.events.remove(event.index());
        self.loose.remove((event.0.into(), 0));
        for workflow in 0..self.functions.len() {
            self.missed.remove((workflow as u64, event.0.into()));
        }
    }

    fn need(&mut self, event: EventId) {
        self.events[event.index()].users += 1;
        self.loose.remove((event.0.into(), 0));
    }

    fn need_less(&mut self, event: EventId) {
        let record = &mut self.events[event.index()];
        record.users -= 1;
        if record.users == 0 {
            self.loose.insert((event.0.into(), 0), 0);
        }
    }

    /// An event does not wait any more.
    fn let_go(&mut self, workflow: WorkflowId, event: EventId) {
        let Some(number) = self.hold_of.remove(pair(workflow, event)) else { return };
        let hold = &mut self.holds[number as usize].hold;
        hold.events.retain(|&held| held != event);
        if hold.events.is_empty() {
            self.hold_ends.remove((hold.until, number));
            let over = self.holds.remove(number as usize);
            self.function_mut(workflow).holds.remove(&over.group);
        }
        self.need_less(event);
    }

    /// Forgets windows that are over, in bounded work (SEMANTICS 2.8). What is asked of a window looks at its end, so
    /// this changes no answer.
    fn sweep(&mut self, now: u64) {
        for _ in 0..SWEEP_PER_CALL_MAX {
            if let Some(window) = pop_until(&mut self.window_ends, now) {
                let over = self.windows.remove(window);
                let names = match over.of {
                    None => &mut self.ids,
                    Some(workflow) => &mut self.function_mut(workflow).keys,
                };
                names.remove(&over.name);
            } else if let Some(rate) = pop_until(&mut self.rate_ends, now) {
                let over = self.rates.remove(rate);
                self.function_mut(over.workflow).rates.remove(&over.group);
            } else {
                return;
            }
        }
    }
}

fn pair(workflow: WorkflowId, event: EventId) -> (u64, u64) {
    (workflow.0.into(), event.0.into())
}

/// Takes the first whose end has come, if one's has.
fn pop_until(ends: &mut Order, now: u64) -> Option<usize> {
    let ((until, number), _) = ends.first().filter(|((until, _), _)| *until <= now)?;
    ends.remove((until, number));
    Some(number as usize)
}
