//! The table in milliseconds, with the very counters of the reference.
//!
//! mulberry32 is a counter behind a mixer, so its draws can be computed in any order: blocks of them are scanned, with SIMD
//! where there is any, for the rare ones below the larger limit. Between two of those nothing fails, and the walkers of
//! all strategies take such a stretch in one stride. One scan serves every row, because in the article every row reads the same
//! draws; with ChaCha8 each row has its own.
//!
//! Memory does not depend on the parameters: one block of events for each stream, and a few counters.
//!
//! Deliberately not here: threads. Walkers have to know where the one before them ended, the scan alone takes about half of the
//! few milliseconds, and a browser has no threads to give.

mod backend;
mod events;
mod walker;

pub use backend::Backend;
use events::{BLOCK_DRAWS, Events};
use walker::{Walker, Way};

use super::draws::Draws;
use super::{Generator, OptionError, Progress, Row, Table, TableError, TableParams};
use crate::mulberry::Mulberry32;
use crate::strategy::Strategy;

/// Sign-ups between two reports of progress: about a millisecond.
pub(super) const SLICE_JOBS: u64 = 131_072;

/// A table under way. It can be left and taken up again between any two slices.
#[derive(Clone, Debug)]
pub struct Kernel {
    params: TableParams,
    strategies: Vec<Strategy>,
    streams: Vec<Stream>,
}

/// Draws, and all who read them.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    source: Source,
    /// The index of the next draw to be scanned.
    next: u64,
    events: Events,
    walkers: Vec<Walker>,
}

#[derive(Clone, Debug)]
enum Source {
    Scanned(Backend, Mulberry32),
    Read(Draws),
}

impl Kernel {
    /// A table before its first sign-up.
    ///
    /// # Errors
    /// Parameters out of range.
    pub fn new(params: &TableParams, strategies: &[Strategy]) -> Result<Self, OptionError> {
        Self::with_backend(params, strategies, Backend::best())
    }

    /// The same with a backend of choice.
    ///
    /// # Errors
    /// Parameters out of range.
    pub fn with_backend(params: &TableParams, strategies: &[Strategy], backend: Backend) -> Result<Self, OptionError> {
        params.validate()?;
        let ways: Vec<Way> = strategies.iter().map(|strategy| Way::from(*strategy)).collect();
        let streams = match params.rng {
            Generator::Mulberry32 => vec![Stream::scanned(params, &ways, backend)],
            Generator::ChaCha8 => (0..).zip(ways).map(|(row, way)| Stream::read(params, row, way)).collect(),
        };
        Ok(Self { params: *params, strategies: strategies.to_vec(), streams })
    }

    /// One row of a table, with the draws it has there.
    pub(super) fn of_row(params: &TableParams, strategy: Strategy, row: usize) -> Result<Self, OptionError> {
        params.validate()?;
        let way = Way::from(strategy);
        let stream = match params.rng {
            Generator::Mulberry32 => Stream::scanned(params, &[way], Backend::best()),
            Generator::ChaCha8 => Stream::read(params, row, way),
        };
        Ok(Self { params: *params, strategies: vec![strategy], streams: vec![stream] })
    }

    /// The index of the first row's sign-up under way, and of its first draw.
    pub(super) fn job_under_way(&self) -> (u64, u64) {
        let walker = self.walker(0);
        (walker.done(), walker.job_start(self.streams[0].next))
    }

    /// The first row, as far as its sign-ups are done. Its calls and draws are not known before the end.
    pub(super) fn row_so_far(&self) -> Row {
        self.walker(0).row(&self.params, self.strategies[0])
    }

    /// Runs about so many more sign-ups of every row, and at least one block of draws. True once all are done.
    pub fn advance(&mut self, budget_jobs: u64) -> bool {
        for stream in &mut self.streams {
            let target = stream.done().saturating_add(budget_jobs);
            while !stream.is_done() {
                stream.advance(budget_jobs);
                if stream.done() >= target {
                    break;
                }
            }
        }
        self.streams.iter().all(Stream::is_done)
    }

    /// Sign-ups done, of [`Self::total_jobs`]; all rows together.
    pub fn done_jobs(&self) -> u64 {
        (0..self.strategies.len()).map(|row| self.walker(row).done()).sum()
    }

    /// Sign-ups of all rows together.
    pub fn total_jobs(&self) -> u64 {
        self.params.jobs * self.strategies.len() as u64
    }

    /// The table, once all sign-ups are done.
    pub fn table(&self) -> Option<Table> {
        if !self.streams.iter().all(Stream::is_done) {
            return None;
        }
        let rows = self.strategies.iter().enumerate();
        let rows = rows.map(|(row, strategy)| self.walker(row).row(&self.params, *strategy)).collect();
        Some(Table { params: self.params, rows })
    }

    /// Each row as far as its sign-ups are done: numbers to show while the table grows. They are the table's own once all
    /// sign-ups are done; before that a row may already count failures of the sign-up under way.
    pub fn rows_so_far(&self) -> Vec<Row> {
        let rows = self.strategies.iter().enumerate();
        rows.map(|(row, strategy)| self.walker(row).row_so_far(&self.params, *strategy, self.next_of(row))).collect()
    }

    /// The index of the next draw of a row's stream.
    fn next_of(&self, row: usize) -> u64 {
        match self.params.rng {
            Generator::Mulberry32 => self.streams[0].next,
            Generator::ChaCha8 => self.streams[row].next,
        }
    }

    fn walker(&self, row: usize) -> &Walker {
        match self.params.rng {
            Generator::Mulberry32 => self.streams[0].walker(self.strategies[row].into()),
            Generator::ChaCha8 => &self.streams[row].walkers[0],
        }
    }
}

impl Stream {
    fn scanned(params: &TableParams, ways: &[Way], backend: Backend) -> Self {
        let mut walkers: Vec<Walker> = Vec::new();
        for way in ways {
            if walkers.iter().all(|walker| walker.way() != *way) {
                walkers.push(Walker::new(params, *way));
            }
        }
        Self::new(params, Source::Scanned(backend, Mulberry32::new(params.seed)), walkers)
    }

    fn read(params: &TableParams, row: usize, way: Way) -> Self {
        Self::new(params, Source::Read(Draws::of_row(params, row)), vec![Walker::new(params, way)])
    }

    fn new(params: &TableParams, source: Source, walkers: Vec<Walker>) -> Self {
        Self { source, next: 0, events: Events::new(params.limits(), params.steps + 1), walkers }
    }

    fn walker(&self, way: Way) -> &Walker {
        self.walkers.iter().find(|walker| walker.way() == way).expect("every strategy's way has a walker")
    }

    /// Sign-ups that every walker has done.
    fn done(&self) -> u64 {
        self.walkers.iter().map(Walker::done).min().unwrap_or(0)
    }

    fn is_done(&self) -> bool {
        self.walkers.iter().all(Walker::is_done)
    }

    /// Takes one block of draws, or `jobs` sign-ups if nothing can fail in them.
    fn advance(&mut self, jobs: u64) {
        if !self.events.can_occur() {
            self.walkers.iter_mut().for_each(|walker| walker.walk_undisturbed(jobs.max(1)));
            return;
        }
        match &mut self.source {
            Source::Scanned(backend, generator) => {
                self.events.scan(*backend, *generator, self.next);
            }
            Source::Read(draws) => self.events.read(draws),
        }
        for walker in self.walkers.iter_mut().filter(|walker| !walker.is_done()) {
            walker.walk(self.next, &self.events);
        }
        self.next += u64::from(BLOCK_DRAWS);
    }
}

/// Runs every strategy over all sign-ups.
///
/// # Errors
/// Parameters out of range, or a stop asked for by `progress`.
pub fn run(params: &TableParams, strategies: &[Strategy], progress: Progress<'_>) -> Result<Table, TableError> {
    let mut kernel = Kernel::new(params, strategies)?;
    loop {
        let done = kernel.advance(SLICE_JOBS);
        if progress(kernel.done_jobs(), kernel.total_jobs()).is_break() {
            return Err(TableError::Cancelled);
        }
        if done {
            return Ok(kernel.table().expect("all sign-ups are done"));
        }
    }
}

/// Looks for the rare draws among the first `draws`, and does nothing with them. The time this takes is the kernel's floor.
pub(super) fn scan_only(params: &TableParams, backend: Backend, draws: u64) -> usize {
    let mut events = Events::new(params.limits(), params.steps + 1);
    let generator = Mulberry32::new(params.seed);
    let scan = |block| {
        events.scan(backend, generator, block * u64::from(BLOCK_DRAWS));
        events.as_slice().len()
    };
    (0..draws.div_ceil(BLOCK_DRAWS.into())).map(scan).sum()
}
