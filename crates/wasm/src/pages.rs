//! A journal in pages: a long one never moves, so that the cost of an entry stays the same, and its oldest pages can be
//! dropped, each with all that is of its entries.
//!
//! Most entries of a journal are a handful of kinds, and say a run, a step and one more number: each of them is 16
//! bytes here, its place in the journal its place in the pages. All others are kept as they are, beside them.

use std::{collections::VecDeque, sync::Arc};

use twiceproof_core::{
    ids::{RunId, StepId},
    journal::{Entry, Event, Sink, header, write_entry},
};

use crate::memory;

/// Entries on a page: 64 kB of them.
const PAGE_ENTRIES: usize = 4_096;
/// Names of steps that are found again without a search: as many as most workflows of a process have together.
const NAMES_NEAR: usize = 64;

/// What an entry is. The numbers beside it are a run, a step and another, named here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Kept beside the short ones of its page; its place there.
    Long,
    /// The pass; no step.
    RunStarted,
    /// The name's place among the names of its page.
    StepFound,
    /// Nothing more.
    StepReplayed,
    /// The attempt.
    AttemptStarted,
    /// The attempt.
    AttemptSucceeded,
    /// Nothing more; no step.
    RunSucceeded,
}

/// One entry.
#[derive(Clone, Copy)]
struct Short {
    kind: Kind,
    step: u16,
    /// Milliseconds since the first entry of its page, where the kind is not long.
    after_ms: u32,
    run: u32,
    number: u32,
}

/// Entries one after the other.
#[derive(Default)]
struct Page {
    /// When its first entry was written.
    from: u64,
    entries: Vec<Short>,
    /// Entries that are not short.
    long: Vec<(u64, Event)>,
    /// Names of steps.
    names: Vec<Arc<str>>,
}

/// Keeps every entry, until it is told which are not needed any more.
pub(crate) struct Pages {
    full: VecDeque<Page>,
    last: Page,
    /// Pages that were dropped. Places are counted in 64 bits: a process that drops its old entries can have more than 32 tell.
    dropped: u64,
    /// Places among the names of the last page, by a few bits of where the name lies.
    near: [u32; NAMES_NEAR],
}

impl Default for Pages {
    fn default() -> Self {
        Self { full: VecDeque::new(), last: Page::default(), dropped: 0, near: [0; NAMES_NEAR] }
    }
}

impl Pages {
    /// How many entries there were so far: the place of the next.
    pub(crate) fn len(&self) -> u64 {
        (self.dropped + self.full.len() as u64) * PAGE_ENTRIES as u64 + self.last.entries.len() as u64
    }

    /// The place of the first entry that is kept.
    pub(crate) fn first(&self) -> u64 {
        self.dropped * PAGE_ENTRIES as u64
    }

    /// Drops what is before the entry at `first`, as far as those are whole pages.
    pub(crate) fn drop_before(&mut self, first: u64) {
        while self.first() + PAGE_ENTRIES as u64 <= first && self.full.pop_front().is_some() {
            self.dropped += 1;
        }
    }

    /// The entries from `first` on, as JSON lines, the header before them.
    pub(crate) fn text_from(&self, first: u64) -> String {
        let mut text = header(self.first());
        self.write(&mut text, first, |_| true);
        text
    }

    /// The entries about events from `first` on, as JSON lines without a header.
    pub(crate) fn intake_from(&self, first: u64) -> String {
        let mut text = String::new();
        self.write(&mut text, first, Event::is_intakes);
        text
    }

    fn write(&self, text: &mut String, first: u64, is_wanted: impl Fn(&Event) -> bool) {
        let skipped = first.saturating_sub(self.first()) as usize;
        for (page, entries) in self.full.iter().chain([&self.last]).enumerate().skip(skipped / PAGE_ENTRIES) {
            let begins = page * PAGE_ENTRIES;
            for (place, short) in entries.entries.iter().enumerate().skip(skipped.saturating_sub(begins)) {
                let (at, event) = entries.event(short);
                if is_wanted(&event) {
                    write_entry(text, &Entry { seq: self.first() + (begins + place) as u64, at, event });
                }
            }
        }
    }
}

impl Page {
    /// An entry as it was recorded.
    fn event(&self, &Short { kind, step, after_ms, run, number }: &Short) -> (u64, Event) {
        let (run, step) = (RunId(run), StepId(step.into()));
        let event = match kind {
            Kind::Long => return self.long[number as usize].clone(),
            Kind::RunStarted => Event::RunStarted { run, pass: number },
            Kind::StepFound => Event::StepFound { run, step, name: self.names[number as usize].clone() },
            Kind::StepReplayed => Event::StepReplayed { run, step },
            Kind::AttemptStarted => Event::AttemptStarted { run, step, attempt: number },
            Kind::AttemptSucceeded => Event::AttemptSucceeded { run, step, attempt: number },
            Kind::RunSucceeded => Event::RunSucceeded { run },
        };
        (self.from + u64::from(after_ms), event)
    }
}

impl Pages {
    /// The place of a name. One that was not heard of lately gets another place: that costs four bytes and harms nobody.
    fn name(&mut self, name: &Arc<str>) -> u32 {
        let near = (Arc::as_ptr(name).cast::<u8>().addr() / 8) % NAMES_NEAR;
        let place = self.near[near];
        let names = &mut self.last.names;
        if names.get(place as usize).is_some_and(|known| Arc::ptr_eq(known, name)) {
            return place;
        }
        let place = names.len() as u32;
        names.push(name.clone());
        self.near[near] = place;
        place
    }

    /// What an event says, if that is short. Any other is kept whole, so a kind that is not here is slower and nothing else.
    #[inline]
    fn short(&mut self, event: &Event) -> Option<(Kind, RunId, StepId, u32)> {
        if let &Event::AttemptStarted { run, step, attempt } = event {
            return Some((Kind::AttemptStarted, run, step, attempt));
        }
        if let &Event::AttemptSucceeded { run, step, attempt } = event {
            return Some((Kind::AttemptSucceeded, run, step, attempt));
        }
        if let &Event::StepFound { run, step, ref name } = event {
            return Some((Kind::StepFound, run, step, self.name(name)));
        }
        if let &Event::StepReplayed { run, step } = event {
            return Some((Kind::StepReplayed, run, step, 0));
        }
        if let &Event::RunStarted { run, pass } = event {
            return Some((Kind::RunStarted, run, StepId(0), pass));
        }
        if let &Event::RunSucceeded { run } = event {
            return Some((Kind::RunSucceeded, run, StepId(0), 0));
        }
        None
    }
}

impl Sink for Pages {
    #[inline]
    fn record(&mut self, at: u64, event: Event) {
        if self.last.entries.len() == PAGE_ENTRIES {
            memory::ahead();
            let next = Page { entries: Vec::with_capacity(PAGE_ENTRIES), ..Page::default() };
            self.full.push_back(core::mem::replace(&mut self.last, next));
        }
        if self.last.entries.is_empty() {
            self.last.from = at;
        }
        // Steps have numbers below 10,000; a page that lasts longer than 49 days keeps the rest as it is.
        let short = match (self.short(&event), u32::try_from(at - self.last.from)) {
            (Some((kind, run, step, number)), Ok(after_ms)) => {
                Short { kind, step: step.0 as u16, after_ms, run: run.0, number }
            }
            _ => {
                let long = &mut self.last.long;
                long.push((at, event));
                Short { kind: Kind::Long, step: 0, after_ms: 0, run: 0, number: long.len() as u32 - 1 }
            }
        };
        self.last.entries.push(short);
    }
}

#[cfg(test)]
mod tests {
    use twiceproof_core::journal::{JournalError, from_json_lines, to_json_lines};

    use super::*;

    #[test]
    fn an_entry_reads_as_what_was_recorded_whatever_its_kind_and_time() {
        let (run, step) = (RunId(u32::MAX), StepId(9_999));
        let names: Vec<Arc<str>> = (0..200).map(|name| format!("{name}").into()).collect();
        let mut events: Vec<Event> =
            names.iter().map(|name| Event::StepFound { run, step, name: name.clone() }).collect();
        for attempt in [1, u32::MAX] {
            events.push(Event::AttemptStarted { run, step, attempt });
            events.push(Event::AttemptSucceeded { run, step, attempt });
            events.push(Event::RunStarted { run, pass: attempt });
            events.push(Event::AttemptInterrupted { run, step, attempt });
        }
        events.extend([Event::StepReplayed { run, step }, Event::RunSucceeded { run }]);
        // Twice: names are found again, and the last half is more than 49 days after the first.
        events.extend(events.clone());
        let half = events.len() / 2;
        let at = |place: usize| if place < half { place as u64 } else { 1 << 40 };
        let mut pages = Pages::default();
        let entry = |(place, event)| Entry { seq: place as u64, at: at(place), event };
        let entries: Vec<Entry> = events.into_iter().enumerate().map(entry).collect();
        entries.iter().for_each(|entry| pages.record(entry.at, entry.event.clone()));
        assert_eq!(pages.text_from(0), to_json_lines(&entries));
    }

    #[test]
    fn pages_read_as_one_journal_from_any_place() {
        let mut pages = Pages::default();
        let entries = PAGE_ENTRIES * 2 + 5;
        for at in 0..entries {
            pages.record(at as u64, Event::ProcessRestarted);
        }
        assert_eq!(pages.len(), entries as u64);
        for first in [0, 1, PAGE_ENTRIES - 1, PAGE_ENTRIES, PAGE_ENTRIES + 1, entries - 1, entries] {
            let text = pages.text_from(first as u64);
            let lines: Vec<&str> = text.lines().skip(1).collect();
            assert_eq!(lines.len(), entries - first);
            if let Some(line) = lines.first() {
                assert!(line.starts_with(&format!("{{\"seq\":{first},")), "{line}");
            }
        }
        assert!(from_json_lines(pages.text_from(0).as_bytes()).is_err(), "the first entry has to open the engine");
    }

    #[test]
    fn a_journal_whose_first_pages_were_dropped_reads_from_there_on_and_says_so() {
        let mut pages = Pages::default();
        let page = PAGE_ENTRIES as u64;
        let (entries, run) = (page * 4 + 5, RunId(7));
        for at in 0..entries {
            let name: Arc<str> = format!("step {}", at % 3).into();
            pages.record(at, Event::StepFound { run, step: StepId(1), name });
        }
        let lines = |pages: &Pages| pages.text_from(0).lines().map(String::from).collect::<Vec<_>>();
        let whole = lines(&pages);
        for (before, first) in [(page - 1, 0), (page * 2 + 1, page * 2), (0, page * 2)] {
            pages.drop_before(before);
            assert_eq!((pages.first(), pages.len()), (first, entries));
            assert_eq!(lines(&pages)[1..], whole[1 + first as usize..]);
        }
        assert_eq!(lines(&pages)[0], r#"{"twiceproof":"journal","version":1,"dropped":8192}"#);
        let read = from_json_lines(pages.text_from(0).as_bytes());
        assert_eq!(read, Err(JournalError::Cut { dropped: page * 2 }));
        assert_eq!(pages.text_from(entries - 1).lines().nth(1), whole.last().map(String::as_str));
        // What is being filled stays, and what comes goes on from there.
        pages.drop_before(u64::MAX);
        assert_eq!((pages.first(), pages.len()), (page * 4, entries));
        pages.record(u64::MAX, Event::ProcessRestarted);
        assert_eq!(lines(&pages).len(), 7);
        // More than 32 bits count.
        pages.dropped = u64::from(u32::MAX);
        let (first, place) = (u64::from(u32::MAX) * page, u64::from(u32::MAX) * page + 5);
        assert_eq!((pages.first(), pages.len()), (first, first + 6));
        let text = pages.text_from(place);
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().nth(1).is_some_and(|line| line.starts_with(&format!("{{\"seq\":{place},"))), "{text}");
    }
}
