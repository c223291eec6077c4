//! The stories the page can open by name: each a scenario, a title and what it is about.

use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation, Scenario};
use twiceproof_sim::strategy::{RetryScope, SentKey};

/// A story.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in links and embeds.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What to look out for, in one sentence.
    pub about: &'static str,
    make: fn(&mut Scenario),
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Entry {
    /// Its scenario.
    pub fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::default();
        (self.make)(&mut scenario);
        scenario
    }

    /// Its place in [`ALL`], from 0.
    pub fn place(&self) -> usize {
        ALL.iter().position(|entry| entry == self).unwrap_or(0)
    }
}

/// The stories, in the order in which they build on each other.
pub const ALL: [Entry; 6] = [
    Entry {
        name: "lost-reply",
        title: "Nothing failed, two emails",
        about: "A success that the worker could not see is retried.",
        make: |scenario| {
            scenario.faults = vec![lost(1, 1)];
        },
    },
    Entry {
        name: "same-twice",
        title: "The same sign-up, twice",
        about: "The two jobs differ, the person does not: name the action, and the second finds it done.",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.operations = vec![add(0, 0), add(2, 0), add(4, 1)];
        },
    },
    Entry {
        name: "both-at-once",
        title: "Both at the same moment",
        about: "A saved result cannot help before it is saved; joining the run under way can.",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.workers = 2;
            scenario.operations = vec![add(0, 0), add(0, 0)];
        },
    },
    Entry {
        name: "store-still-doubles",
        title: "The store is on, and it still doubles",
        about: "A run that failed saves nothing: our own store cannot see a lost reply.",
        make: |scenario| {
            scenario.strategy.skip_finished = true;
            scenario.faults = vec![lost(1, 1)];
            scenario.operations = vec![add(0, 0), add(2, 0)];
        },
    },
    Entry {
        name: "provider-key",
        title: "Send the key to the provider",
        about: "Whoever performs the effect has to remember the key.",
        make: |scenario| {
            scenario.strategy.key = SentKey::Same;
            scenario.faults = vec![lost(1, 1)];
        },
    },
    Entry {
        name: "whole-job",
        title: "Start the whole job over",
        about: "The email is protected by its key. The steps without one run again.",
        make: |scenario| {
            scenario.strategy.key = SentKey::Same;
            scenario.strategy.retry = RetryScope::WholeJob;
            scenario.faults = vec![lost(1, 1)];
        },
    },
];

/// A story by its name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

fn add(at: u64, user: u32) -> Operation {
    Operation { at, action: Action::Add { user, data: 0 } }
}

/// The email's reply to this attempt is lost.
fn lost(job: u32, attempt: u32) -> Fault {
    Fault { job, step: 2, attempt, kind: FaultKind::LoseReply }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Kind, Story};

    fn emails(name: &str) -> usize {
        let scenario = named(name).unwrap().scenario();
        let trace = twiceproof_sim::run::run(&scenario).unwrap();
        let story = Story::new(&scenario, trace.entries.into());
        story.people.iter().map(|person| person.emails.len()).sum()
    }

    #[test]
    fn every_story_ends_with_the_emails_its_title_promises() {
        let ends = ALL.map(|entry| (entry.name, emails(entry.name)));
        let expected = [
            ("lost-reply", 2),
            ("same-twice", 2),
            ("both-at-once", 1),
            ("store-still-doubles", 2),
            ("provider-key", 1),
            ("whole-job", 1),
        ];
        assert_eq!(ends, expected);
    }

    #[test]
    fn the_whole_job_again_repeats_the_step_without_a_key() {
        let scenario = named("whole-job").unwrap().scenario();
        let trace = twiceproof_sim::run::run(&scenario).unwrap();
        assert_eq!(Story::new(&scenario, trace.entries.into()).counts.total(Kind::DoneAgain), 1);
    }
}
