//! The suite that a store is put through: the memory store passes, and each of eleven mistakes is found.

use std::{cell::RefCell, rc::Rc};

use twiceproof_core::journal::{
    EngineOptions, Entry, Event, Journal,
    log::{AppendError, Log, Unavailable, conformance},
};

type Shared = Rc<RefCell<Journal>>;

fn shared() -> Shared {
    Rc::new(RefCell::new(Journal::default()))
}

/// A store with one mistake.
#[derive(Clone)]
struct Mistaken {
    inner: Shared,
    mistake: Mistake,
    /// What this holder has seen of the end, for the one who asks only once.
    seen_end: std::cell::Cell<Option<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    ForgetsThePosition,
    AsksForThePositionOnce,
    KeepsHalfOfARefusedBatch,
    TakesAnyNumbers,
    StoresOnlyTheFirst,
    RefusesEmptyBatches,
    ReadsOneTooMany,
    FailsPastTheEnd,
    DropsEqualEntries,
    CutsLongNumbers,
    OpensAnewForEachHolder,
}

fn numbered<'a>(from: u64, batch: impl IntoIterator<Item = &'a Entry>) -> Vec<Entry> {
    (from..).zip(batch).map(|(seq, entry)| Entry { seq, ..entry.clone() }).collect()
}

impl Log for Mistaken {
    fn append(&mut self, expected: u64, batch: &[Entry]) -> Result<(), AppendError> {
        let mut inner = self.inner.borrow_mut();
        let end = inner.end()?;
        match self.mistake {
            Mistake::ForgetsThePosition => inner.append(end, &numbered(end, batch)),
            Mistake::AsksForThePositionOnce => {
                let seen = self.seen_end.get().unwrap_or(end);
                if expected != seen {
                    return Err(AppendError::Moved { expected, end: seen });
                }
                self.seen_end.set(Some(seen + batch.len() as u64));
                inner.append(end, &numbered(end, batch))
            }
            Mistake::KeepsHalfOfARefusedBatch => {
                let answer = inner.append(expected, batch);
                if let Err(AppendError::Misnumbered { index, .. }) = answer {
                    inner.append(expected, &batch[..index])?;
                }
                answer
            }
            Mistake::TakesAnyNumbers if expected == end => inner.append(end, &numbered(end, batch)),
            Mistake::StoresOnlyTheFirst => inner.append(expected, &batch[..batch.len().min(1)]),
            Mistake::RefusesEmptyBatches if batch.is_empty() => Err(Unavailable("an empty batch".into()).into()),
            Mistake::DropsEqualEntries => {
                let last = inner.read(end.saturating_sub(1), 1)?;
                let known = |entry: &Entry| last.iter().any(|last| last.event == entry.event);
                inner.append(expected, &numbered(expected, batch.iter().skip_while(|entry| known(entry))))
            }
            Mistake::CutsLongNumbers => {
                // As a column of doubles would.
                let cut = |entry: &Entry| match &entry.event {
                    Event::Opened { options } if options.seed > 1 << 53 => {
                        let options = EngineOptions { seed: options.seed & !0x7ff, ..*options };
                        Entry { event: Event::Opened { options }, ..entry.clone() }
                    }
                    _ => entry.clone(),
                };
                inner.append(expected, &batch.iter().map(cut).collect::<Vec<_>>())
            }
            _ => inner.append(expected, batch),
        }
    }

    fn read(&self, from: u64, limit: usize) -> Result<Vec<Entry>, Unavailable> {
        let inner = self.inner.borrow();
        match self.mistake {
            Mistake::ReadsOneTooMany if limit > 0 => inner.read(from, limit.saturating_add(1)),
            Mistake::FailsPastTheEnd if from > inner.end()? => Err(Unavailable("no such entry".into())),
            _ => inner.read(from, limit),
        }
    }

    fn end(&self) -> Result<u64, Unavailable> {
        let end = self.inner.end()?;
        self.seen_end.set(self.seen_end.get().or(Some(end)));
        Ok(end)
    }
}

#[test]
fn c08_the_memory_store_passes_the_suite() {
    assert_eq!(conformance::check(shared, Rc::clone), []);
}

#[test]
fn the_suite_finds_every_mistake() {
    for (mistake, word) in [
        (Mistake::ForgetsThePosition, "another position"),
        (Mistake::AsksForThePositionOnce, "one wins"),
        (Mistake::KeepsHalfOfARefusedBatch, "numbers do not follow"),
        (Mistake::TakesAnyNumbers, "numbers do not follow"),
        (Mistake::StoresOnlyTheFirst, "as it was"),
        (Mistake::RefusesEmptyBatches, "empty batch"),
        (Mistake::ReadsOneTooMany, "pieces of any size"),
        (Mistake::FailsPastTheEnd, "from anywhere"),
        (Mistake::DropsEqualEntries, "one list"),
        (Mistake::CutsLongNumbers, "as it was"),
        (Mistake::OpensAnewForEachHolder, "whoever opens the log next"),
    ] {
        let mistaken = |inner| Mistaken { inner, mistake, seen_end: Default::default() };
        let again = |log: &Mistaken| match mistake {
            Mistake::OpensAnewForEachHolder => mistaken(shared()),
            _ => mistaken(log.inner.clone()),
        };
        let broken = conformance::check(|| mistaken(shared()), again);
        assert!(broken.iter().any(|broken| broken.rule.contains(word)), "{mistake:?}: {broken:#?}");
    }
}
