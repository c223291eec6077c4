//! The story of a trace: one fold of the journal into what is drawn and said. Every question is asked "as of index
//! i", the number of entries played so far, and answered without folding again: each fact bears its moment.
//!
//! Deliberately not here: any text ([`crate::words`]) and any geometry ([`crate::timeline`]).

mod count;
mod facts;
mod fold;
mod keys;
mod names;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use twiceproof_core::journal::{Entry, Event};
use twiceproof_sim::scenario::Scenario;

pub use count::{Counts, Kind};
pub use facts::{
    Attempt, AttemptName, Conflict, Did, Email, Ending, ExpiredUse, Job, Moment, Pass, Person, Repeats, Seen, Skip,
    Step, StepText, Wait,
};
pub use keys::{KeyState, Lifeline, Release, Span};
pub use names::visible;

/// A trace, folded.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The trace itself.
    pub entries: Rc<[Entry]>,
    /// The time of a journal's first entry: the story's own times count from it. A scenario's begin at 0.
    pub origin: u64,
    /// The jobs, in the order of acceptance: job `n` is at `n - 1`.
    pub jobs: Vec<Job>,
    /// The people, in the order of appearance.
    pub people: Vec<Person>,
    /// The keys of the store, in the order of first use.
    pub lifelines: Vec<Lifeline>,
    /// When the process restarted.
    pub restarts: Vec<Moment>,
    /// How often each thing of the legend happens.
    pub counts: Counts,
    /// Whether anybody recorded what the providers did. The journal of a script has no such entries.
    pub provider_recorded: bool,
    /// The whole of it, where this is only what a reader may know so far: the axis is that of the whole, so that it stays.
    pub whole: Option<Rc<Story>>,
    stops: Vec<usize>,
}

impl Story {
    /// The story of a scenario's trace.
    pub fn new(scenario: &Scenario, entries: Rc<[Entry]>) -> Self {
        Self::fold(Some(scenario), entries, usize::MAX)
    }

    /// The story of a journal from elsewhere, with the names it bears itself.
    pub fn of_journal(entries: Rc<[Entry]>) -> Self {
        Self::fold(None, entries, usize::MAX)
    }

    /// What may be known of a scenario's story before its entry at `secret` is played: all entries, so that indices and times
    /// stay what they are, and of what they tell only what is before it. Who signs up is part of the set-up, and no secret.
    pub fn before(scenario: &Scenario, whole: &Rc<Story>, secret: usize) -> Self {
        let known = Self::fold(Some(scenario), whole.entries.clone(), secret);
        Self { whole: Some(whole.clone()), ..known }
    }

    fn fold(scenario: Option<&Scenario>, entries: Rc<[Entry]>, secret: usize) -> Self {
        let origin = entries.first().filter(|_| scenario.is_none()).map_or(0, |first| first.at);
        let mut fold = fold::Fold::new(scenario, origin);
        let is_set_up = |event: &Event| matches!(event, Event::WorkflowDefined { .. } | Event::RunQueued { .. });
        let known = entries.iter().enumerate().filter(|(index, entry)| *index < secret || is_set_up(&entry.event));
        for (index, entry) in known {
            fold.take(index, entry);
        }
        fold.stops.dedup();
        Self {
            entries,
            origin,
            jobs: fold.jobs,
            people: fold.people,
            lifelines: fold.lifelines,
            restarts: fold.restarts,
            counts: fold.counts,
            // A scenario's providers note all that they do, if it is nothing.
            provider_recorded: fold.provider_recorded || scenario.is_some(),
            whole: None,
            stops: fold.stops,
        }
    }

    /// How many entries there are: the greatest index.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing happens at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Virtual time once `index` entries have been played.
    pub fn time(&self, index: usize) -> u64 {
        let last = index.min(self.len()).checked_sub(1);
        last.map_or(0, |last| self.entries[last].at.saturating_sub(self.origin))
    }

    /// The index at which all of `ms` has been played and nothing after it.
    pub fn index_at(&self, ms: u64) -> usize {
        self.entries.partition_point(|entry| entry.at.saturating_sub(self.origin) <= ms)
    }

    /// The index after the last played entry that tells anything to somebody who does not see the providers.
    pub fn worker_index(&self, index: usize) -> usize {
        let played = &self.entries[..index.min(self.len())];
        played.iter().rposition(|entry| !entry.event.is_providers()).map_or(0, |last| last + 1)
    }

    /// The entry that was played last.
    pub fn last_played(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index.min(self.len()).checked_sub(1)?)
    }

    /// A job by its number, from 1.
    pub fn job(&self, number: u32) -> Option<&Job> {
        self.jobs.get((number as usize).checked_sub(1)?)
    }

    /// A step by its job's number and its own.
    pub fn step(&self, job: u32, step: u32) -> Option<&Step> {
        self.job(job)?.steps.get((step as usize).checked_sub(1)?)
    }

    /// An attempt by name.
    pub fn attempt(&self, name: AttemptName) -> Option<&Attempt> {
        self.step(name.job, name.step)?.attempts.iter().find(|attempt| attempt.name == name)
    }

    /// The first call that starts at or after `index`.
    pub fn next_call(&self, index: usize) -> Option<AttemptName> {
        self.entries.iter().skip(index).find_map(|entry| match entry.event {
            Event::AttemptStarted { run, step, attempt } => {
                let name = AttemptName { job: run.0 + 1, step: step.0 + 1, attempt };
                self.attempt(name).map(|_| name)
            }
            _ => None,
        })
    }

    /// The first call whose reply arrives at or after `index`: the one to lose.
    pub fn next_reply(&self, index: usize) -> Option<AttemptName> {
        self.entries.iter().skip(index).find_map(|entry| match entry.event {
            Event::AttemptSucceeded { run, step, attempt } => {
                let name = AttemptName { job: run.0 + 1, step: step.0 + 1, attempt };
                self.attempt(name).filter(|attempt| attempt.joined.is_none()).map(|_| name)
            }
            _ => None,
        })
    }

    /// The index after the next start or end of an attempt; the end if there is none.
    pub fn next_stop(&self, index: usize) -> usize {
        self.stops.get(self.stops.partition_point(|&stop| stop <= index)).copied().unwrap_or(self.len())
    }

    /// The index after the start or end of an attempt before this; the beginning if there is none.
    pub fn previous_stop(&self, index: usize) -> usize {
        let at = self.stops.partition_point(|&stop| stop < index);
        at.checked_sub(1).map_or(0, |at| self.stops[at])
    }

    /// The emails that have reached a person.
    pub fn emails(&self, person: usize, index: usize) -> &[Email] {
        let emails = &self.people[person].emails;
        &emails[..emails.partition_point(|email| email.moment.by(index))]
    }

    /// What the key store holds: every key that somebody runs or that is saved.
    pub fn keys(&self, index: usize) -> impl Iterator<Item = (&Lifeline, KeyState)> {
        let now = self.time(index);
        self.lifelines
            .iter()
            .map(move |line| (line, line.state(index, now)))
            .filter(|(_, state)| matches!(state, KeyState::Running { .. } | KeyState::Saved { .. }))
    }
}
