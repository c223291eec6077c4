//! The state of the page: what runs, how much of it has been played, and how the reader looks at it.
//!
//! Everything on the screen is a function of (scenario, index, view). The story is kept beside the scenario only so
//! that it is not folded again at every step.

use std::rc::Rc;

use twiceproof_core::journal;
use twiceproof_sim::run;
use twiceproof_sim::scenario::{Scenario, ScenarioError};

use super::view::View;
use crate::below::Below;
use crate::compare::Comparison;
use crate::compare::behind::Origin;
use crate::link::{self, Link, LinkError};
use crate::stories::{self, Telling};
use crate::story::{AttemptName, Ending, Job, Story};

/// Where the entries come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A scenario, run; it can be changed.
    Scenario(Rc<Scenario>),
    /// A journal from a file; it can be played, not changed.
    Journal {
        /// The file's name.
        name: Rc<str>,
    },
}

/// What a change came to, at the end of the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// More or fewer emails.
    pub emails: i64,
    /// More or fewer calls.
    pub calls: i64,
    /// More or fewer jobs given up.
    pub given_up: i64,
}

/// A line for the message bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What is to be said.
    pub text: Rc<str>,
    /// It tells of something that went wrong.
    pub problem: bool,
    /// It tells of something that was done, and goes by itself.
    pub passing: bool,
}

/// The state of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Where the entries come from.
    pub source: Source,
    /// The entries, folded.
    pub story: Rc<Story>,
    /// The named story it started from.
    pub named: Option<&'static stories::Entry>,
    /// Its captions and its bet, as long as the reader has not changed it.
    pub telling: Option<Rc<Telling>>,
    /// The sign-up of the table that it shows, as long as neither has been changed.
    pub origin: Option<Origin>,
    /// What the reader bet on.
    pub bet: Option<usize>,
    /// How many entries have been played.
    pub index: usize,
    /// Whether it plays by itself. It never starts so.
    pub playing: bool,
    /// The call that is looked at.
    pub selected: Option<AttemptName>,
    /// What the last change came to.
    pub difference: Option<Difference>,
    /// What the message bar says.
    pub notice: Option<Notice>,
    /// How it is looked at.
    pub view: View,
    /// What the table below compares.
    pub comparison: Comparison,
    /// What is set in the sections below that.
    pub below: Below,
    /// Counts the stories opened, so that the address gets a new entry for each.
    pub opened: u32,
    /// Parts of the link that this version does not know.
    pub unknown: Vec<(String, String)>,
}

impl Default for State {
    fn default() -> Self {
        Self::of_link(Link::default()).unwrap_or_else(|error| unreachable!("the default scenario runs: {error}"))
    }
}

impl State {
    /// The state that a link says.
    ///
    /// # Errors
    /// Its scenario cannot run.
    pub fn of_link(link: Link) -> Result<Self, ScenarioError> {
        let scenario = Rc::new(link.scenario);
        let (story, cut) = tell(&scenario)?;
        let view = View { worker_only: link.worker_only, ..View::default() };
        let named = link.story.as_deref().and_then(stories::named);
        let telling = telling(named, &scenario, &story);
        let mut state = Self {
            bet: link.bet.filter(|_| telling.is_some()),
            origin: link.origin,
            telling,
            source: Source::Scenario(scenario),
            index: link.index.min(story.len()),
            selected: link.selected.filter(|call| story.attempt(*call).is_some()),
            story,
            named,
            playing: false,
            difference: None,
            notice: None,
            view,
            comparison: link.comparison,
            below: link.below,
            opened: 0,
            unknown: link.unknown,
        };
        state.keep_secret();
        if let Some(name) = link.story.filter(|_| named.is_none()) {
            state.problem(&format!(
                "There is no story called \u{201c}{name}\u{201d}; this is the scenario that the link says."
            ));
        }
        if let Some(origin) = state.origin.filter(|_| state.notice.is_none()) {
            state.remark(&origin.sentence());
        }
        if cut {
            state.tell_cut();
        }
        Ok(state)
    }

    /// The state that a fragment says, as far as it can be done; a message tells of the rest.
    pub fn of_fragment(fragment: &str) -> Self {
        let (link, wrong) = link::read(fragment);
        let mut state = Self::of_link(link).unwrap_or_default();
        let told = match &wrong[..] {
            [] => return state,
            [whole @ (LinkError::TooLong(_) | LinkError::UnknownVersion(_) | LinkError::NoVersion(_))] => {
                format!("This is the default scenario, because {whole}.")
            }
            parts => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                format!("Not all of the link can be read: {}.", parts.join("; "))
            }
        };
        let other = state.notice.take().map(|notice| format!(" {}", notice.text)).unwrap_or_default();
        state.problem(&(told + &other));
        state
    }

    /// What it is called: the story, or the file that was opened.
    pub fn title(&self) -> String {
        match &self.source {
            Source::Journal { name } => name.to_string(),
            Source::Scenario(_) => self.named.map_or("jobs that run twice", |named| named.title).to_owned(),
        }
    }

    /// A named story from its beginning.
    pub fn of_story(named: &'static stories::Entry) -> Self {
        let link = Link { story: Some(named.name.to_owned()), scenario: named.scenario(), ..Link::default() };
        Self::of_link(link).unwrap_or_else(|error| unreachable!("the stories run: {error}"))
    }

    /// A journal from a file. A torn last line is left out, and the message bar says so.
    pub fn of_journal(name: &str, bytes: &[u8]) -> Result<Self, journal::JournalError> {
        let loaded = journal::from_json_lines(bytes)?;
        let mut state = Self {
            source: Source::Journal { name: name.into() },
            story: Rc::new(Story::of_journal(loaded.entries.into())),
            named: None,
            telling: None,
            index: 0,
            selected: None,
            ..Self::default()
        };
        if let Some(torn) = loaded.torn {
            state.problem(&format!("{name}: {torn}."));
        }
        Ok(state)
    }

    /// The link to this state.
    pub fn link(&self) -> Option<Link> {
        let Source::Scenario(scenario) = &self.source else { return None };
        Some(Link {
            story: self.named.map(|named| named.name.to_owned()),
            scenario: (**scenario).clone(),
            index: self.index,
            selected: self.selected,
            worker_only: self.view.worker_only,
            origin: self.origin,
            // A bet on a story that the reader has changed says nothing any more.
            bet: self.bet.filter(|_| self.telling.is_some()),
            comparison: self.comparison,
            below: self.below.clone(),
            unknown: self.unknown.clone(),
        })
    }

    /// The scenario, if there is one to change.
    pub fn scenario(&self) -> Option<&Rc<Scenario>> {
        match &self.source {
            Source::Scenario(scenario) => Some(scenario),
            Source::Journal { .. } => None,
        }
    }

    /// Whether the reader is asked something at this point, and has not answered.
    pub fn asks(&self) -> bool {
        self.bet.is_none() && self.telling.as_ref().is_some_and(|telling| self.index == telling.bet_at())
    }

    /// Whether what is ahead would give the answer to a question away.
    pub fn keeps_a_secret(&self) -> bool {
        self.bet.is_none() && self.telling.as_ref().is_some_and(|telling| self.index <= telling.bet_at())
    }

    /// Takes the story as far as it may be known. Whatever is drawn, named or counted is drawn from that, so nothing of what
    /// comes after a question can be seen before it is answered.
    pub(super) fn keep_secret(&mut self) {
        let Some(telling) = &self.telling else { return };
        self.story = telling.known(self.keeps_a_secret()).clone();
        self.selected = self.selected.filter(|call| self.story.attempt(*call).is_some());
    }

    /// The whole story, known or not.
    pub fn whole(&self) -> &Rc<Story> {
        self.story.whole.as_ref().unwrap_or(&self.story)
    }

    /// The indices of the captions that may be known.
    pub fn stops(&self) -> impl Iterator<Item = usize> + '_ {
        let secret = self.keeps_a_secret();
        self.telling
            .iter()
            .flat_map(move |telling| telling.stops().filter(move |at| !secret || *at <= telling.bet_at()))
    }

    /// Whether the table would give the answer to a question away.
    pub fn covers_table(&self) -> bool {
        self.keeps_a_secret() && self.telling.as_ref().is_some_and(|telling| telling.entry().bet.covers_table)
    }

    /// The index of what is said: without the provider's side, that of the last entry that tells the worker something.
    pub fn said_index(&self) -> usize {
        if self.view.worker_only { self.story.worker_index(self.index) } else { self.index }
    }

    /// Virtual time at the playhead.
    pub fn now(&self) -> u64 {
        self.story.time(self.index)
    }

    /// Whether all has been played.
    pub fn at_end(&self) -> bool {
        self.index >= self.story.len()
    }

    /// Puts a problem into the message bar.
    pub fn problem(&mut self, text: &str) {
        self.say(text, true, false);
    }

    /// Puts good news into the message bar.
    pub fn remark(&mut self, text: &str) {
        self.say(text, false, false);
    }

    /// Says something. The same text once more differs by a space, because otherwise nobody would hear it.
    pub(super) fn say(&mut self, text: &str, problem: bool, passing: bool) {
        let again = self.notice.as_ref().is_some_and(|notice| *notice.text == *text);
        let text = if again { format!("{text}\u{a0}").into() } else { text.into() };
        self.notice = Some(Notice { text, problem, passing });
    }

    /// Takes over a changed scenario. What has been played stays played as far as the change allows: the playhead
    /// keeps its place if nothing before it differs, else its time, else the end.
    pub(super) fn change(&mut self, scenario: Scenario) -> Result<(), ScenarioError> {
        let scenario = Rc::new(scenario);
        let (story, cut) = tell(&scenario)?;
        let shared = self.story.entries.iter().zip(story.entries.iter()).take_while(|(before, after)| before == after);
        if shared.count() < self.index {
            self.index = if self.at_end() { story.len() } else { story.index_at(self.now()) };
        }
        self.difference = Some(difference(self.whole(), &story)).filter(|difference| !difference.is_nothing());
        self.selected = self.selected.filter(|call| story.attempt(*call).is_some());
        self.telling = telling(self.named, &scenario, &story);
        self.origin = None;
        (self.source, self.story) = (Source::Scenario(scenario), story);
        self.notice = None;
        if cut {
            self.tell_cut();
        }
        Ok(())
    }

    fn tell_cut(&mut self) {
        self.problem("This scenario makes more events than the page holds; it stops at 60,000.");
    }
}

/// The telling of a named story, if the scenario is the one it was written with.
fn telling(named: Option<&'static stories::Entry>, scenario: &Scenario, story: &Rc<Story>) -> Option<Rc<Telling>> {
    let named = named.filter(|named| named.scenario() == *scenario)?;
    Some(Rc::new(Telling::new(named, story)))
}

/// Runs a scenario and folds what happens.
fn tell(scenario: &Scenario) -> Result<(Rc<Story>, bool), ScenarioError> {
    let trace = run::run(scenario)?;
    Ok((Rc::new(Story::new(scenario, trace.entries.into())), trace.cut))
}

fn difference(before: &Story, after: &Story) -> Difference {
    let emails = |story: &Story| story.people.iter().map(|person| person.emails.len()).sum::<usize>() as i64;
    let calls = |story: &Story| story.jobs.iter().map(|job| job.calls(story.len())).sum::<usize>() as i64;
    let gave_up = |job: &&Job| matches!(job.ended, Some((_, Ending::GaveUp { .. })));
    let given_up = |story: &Story| story.jobs.iter().filter(gave_up).count() as i64;
    Difference {
        emails: emails(after) - emails(before),
        calls: calls(after) - calls(before),
        given_up: given_up(after) - given_up(before),
    }
}

impl Difference {
    /// Whether the change changed nothing that is counted.
    pub fn is_nothing(self) -> bool {
        (self.emails, self.calls, self.given_up) == (0, 0, 0)
    }

    /// "+1 email, −1 call".
    pub fn text(self) -> String {
        let part = |count: i64, one: &str, many: &str| {
            let sign = if count > 0 { '+' } else { '−' };
            let noun = if count.abs() == 1 { one } else { many };
            (count != 0).then(|| format!("{sign}{} {noun}", count.abs()))
        };
        let parts = [
            part(self.emails, "email", "emails"),
            part(self.calls, "call", "calls"),
            part(self.given_up, "job given up", "jobs given up"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
