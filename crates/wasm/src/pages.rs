//! A journal in pages: a long one never moves, so that the cost of an entry stays the same.

use twiceproof_core::journal::{Entry, Event, Sink, to_json_lines};

/// Entries on a page: some 300 kB.
const PAGE_ENTRIES: usize = 4_096;

/// Keeps every entry.
#[derive(Default)]
pub(crate) struct Pages {
    full: Vec<Vec<Entry>>,
    last: Vec<Entry>,
}

impl Pages {
    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.full.len() * PAGE_ENTRIES + self.last.len()
    }

    /// The entries from `first` on, as JSON lines, the header before them.
    pub(crate) fn text_from(&self, first: usize) -> String {
        let mut text = to_json_lines(&[]);
        let header = text.len();
        for (page, entries) in self.full.iter().chain([&self.last]).enumerate() {
            let skipped = first.saturating_sub(page * PAGE_ENTRIES);
            if let Some(wanted) = entries.get(skipped..)
                && let Some(lines) = to_json_lines(wanted).get(header..)
            {
                text.push_str(lines);
            }
        }
        text
    }
}

impl Pages {
    /// The entries about events from `first` on, as JSON lines without a header.
    pub(crate) fn intake_from(&self, first: usize) -> String {
        let mut text = String::new();
        let start = first / PAGE_ENTRIES;
        for (page, entries) in self.full.iter().chain([&self.last]).enumerate().skip(start) {
            let wanted = entries.get(first.saturating_sub(page * PAGE_ENTRIES)..).unwrap_or_default();
            for entry in wanted.iter().filter(|entry| entry.event.is_intakes()) {
                let line = to_json_lines(core::slice::from_ref(entry));
                text.push_str(line.split_once('\n').map_or("", |(_, line)| line));
            }
        }
        text
    }
}

impl Sink for Pages {
    #[inline]
    fn record(&mut self, at: u64, event: Event) {
        if self.last.len() == PAGE_ENTRIES {
            let next = Vec::with_capacity(PAGE_ENTRIES);
            self.full.push(core::mem::replace(&mut self.last, next));
        }
        let seq = self.len() as u64;
        self.last.push(Entry { seq, at, event });
    }
}

#[cfg(test)]
mod tests {
    use twiceproof_core::journal::from_json_lines;

    use super::*;

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
