//! A journal in pages: a long one never moves, so that the cost of an entry stays the same.
//!
//! Most entries of a journal are a handful of kinds, and say a run, a step and one more number: each of them is 16
//! bytes here, its place in the journal its place in the pages. All others are kept as they are, beside them.

use std::sync::Arc;

use twiceproof_core::{
    ids::{RunId, StepId},
    journal::{Entry, Event, Sink, to_json_lines},
};

/// Entries on a page: 64 kB of them.
const PAGE_ENTRIES: usize = 4_096;
/// Names of steps that are found again without a search: as many as most workflows of a process have together.
const NAMES_NEAR: usize = 64;

/// What an entry is. The numbers beside it are a run, a step and another, named here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Kept beside the pages; its place there.
    Long,
    /// The pass; no step.
    RunStarted,
    /// The name's place among the names.
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
}

/// Keeps every entry.
pub(crate) struct Pages {
    full: Vec<Page>,
    last: Page,
    long: Vec<(u64, Event)>,
    names: Vec<Arc<str>>,
    /// Places among the names, by a few bits of where the name lies.
    near: [u32; NAMES_NEAR],
}

impl Default for Pages {
    fn default() -> Self {
        let (full, last, long, names) = Default::default();
        Self { full, last, long, names, near: [0; NAMES_NEAR] }
    }
}

impl Pages {
    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.full.len() * PAGE_ENTRIES + self.last.entries.len()
    }

    /// The entries from `first` on, as JSON lines, the header before them.
    pub(crate) fn text_from(&self, first: usize) -> String {
        let mut text = to_json_lines(&[]);
        self.write(&mut text, first, |_| true);
        text
    }

    /// The entries about events from `first` on, as JSON lines without a header.
    pub(crate) fn intake_from(&self, first: usize) -> String {
        let mut text = String::new();
        self.write(&mut text, first, Event::is_intakes);
        text
    }

    fn write(&self, text: &mut String, first: usize, is_wanted: impl Fn(&Event) -> bool) {
        let header = to_json_lines(&[]).len();
        for (page, entries) in self.full.iter().chain([&self.last]).enumerate().skip(first / PAGE_ENTRIES) {
            let begins = page * PAGE_ENTRIES;
            let of_page = entries.entries.iter().enumerate().skip(first.saturating_sub(begins));
            let whole = of_page.map(|(place, short)| {
                let (at, event) = self.event(entries.from, short);
                Entry { seq: (begins + place) as u64, at, event }
            });
            let wanted: Vec<Entry> = whole.filter(|entry| is_wanted(&entry.event)).collect();
            text.push_str(to_json_lines(&wanted).get(header..).unwrap_or_default());
        }
    }

    /// An entry as it was recorded.
    fn event(&self, from: u64, &Short { kind, step, after_ms, run, number }: &Short) -> (u64, Event) {
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
        (from + u64::from(after_ms), event)
    }

    /// The place of a name. One that was not heard of lately gets another place: that costs four bytes and harms nobody.
    fn name(&mut self, name: &Arc<str>) -> u32 {
        let near = (Arc::as_ptr(name).cast::<u8>().addr() / 8) % NAMES_NEAR;
        let place = self.near[near];
        if self.names.get(place as usize).is_some_and(|known| Arc::ptr_eq(known, name)) {
            return place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.clone());
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
            let next = Page { from: at, entries: Vec::with_capacity(PAGE_ENTRIES) };
            self.full.push(core::mem::replace(&mut self.last, next));
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
                self.long.push((at, event));
                Short { kind: Kind::Long, step: 0, after_ms: 0, run: 0, number: self.long.len() as u32 - 1 }
            }
        };
        self.last.entries.push(short);
    }
}

#[cfg(test)]
mod tests {
    use twiceproof_core::journal::from_json_lines;

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
        assert_eq!(pages.len(), entries);
        for first in [0, 1, PAGE_ENTRIES - 1, PAGE_ENTRIES, PAGE_ENTRIES + 1, entries - 1, entries] {
            let text = pages.text_from(first);
            let lines: Vec<&str> = text.lines().skip(1).collect();
            assert_eq!(lines.len(), entries - first);
            if let Some(line) = lines.first() {
                assert!(line.starts_with(&format!("{{\"seq\":{first},")), "{line}");
            }
        }
        assert!(from_json_lines(pages.text_from(0).as_bytes()).is_err(), "the first entry has to open the engine");
    }
}
