//! What a story is made of. Every fact bears the moment it came about, so that one story answers for every index.

use std::rc::Rc;
use std::sync::Arc;

use twiceproof_core::ids::RunId;
use twiceproof_core::retry::GiveUp;

use crate::order::Place;

/// When something came about: the place of its entry in the journal, and the virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The entry, from 0.
    pub entry: usize,
    /// Virtual milliseconds.
    pub at: u64,
}

impl Moment {
    /// Where it stands among others.
    pub(crate) fn place(self) -> Place {
        (self.entry as u64, self.at)
    }

    /// Whether it has come about once `index` entries have been played.
    pub fn by(self, index: usize) -> bool {
        self.entry < index
    }
}

/// Names a call as people do: job, step and attempt, each from 1. Attempt 0 names the step where it made no call
/// of its own: its result was saved, or its key refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptName {
    /// The job, from 1.
    pub job: u32,
    /// The step, from 1.
    pub step: u32,
    /// The attempt, from 1 over all passes of the job.
    pub attempt: u32,
}

/// One run of the workflow: a sign-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number, from 1.
    pub number: u32,
    /// Its run in the journal.
    pub run: RunId,
    /// Whom it is about: an index into the people of the story.
    pub person: Option<usize>,
    /// The subject of its keys (`user_1001`), or the run's stable ID.
    pub subject: Option<Arc<str>>,
    /// How it relates to the earlier jobs of the same person.
    pub repeats: Repeats,
    /// When it was accepted.
    pub queued: Moment,
    /// Not to start before this time.
    pub run_at: Option<u64>,
    /// Each pass over the job, the first included.
    pub passes: Vec<Pass>,
    /// Waits of the job as a whole, between two passes.
    pub waits: Vec<Wait>,
    /// Errors of the handler itself.
    pub handler_errors: Vec<(Moment, Arc<str>)>,
    /// When somebody asked to cancel it.
    pub cancel_requested: Option<Moment>,
    /// How it ended.
    pub ended: Option<(Moment, Ending)>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// How a job relates to what the same person asked for before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// The first of this person.
    Nothing,
    /// The same again.
    Same,
    /// Again, with other data.
    OtherData,
}

/// One pass over a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// From when it waited for a worker; the retry of a whole job keeps its worker and does not.
    pub queued: Option<Moment>,
    /// When a worker took it.
    pub started: Option<Moment>,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is done.
    Succeeded,
    /// It will not be tried again.
    GaveUp {
        /// Why.
        why: GiveUp,
        /// The last error.
        error: Arc<str>,
    },
    /// Somebody cancelled it.
    Cancelled,
}

/// One step of one job: a row of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// What it is and who performs it.
    pub what: Rc<StepText>,
    /// When a handler named it; steps of a list were there from the start.
    pub found: Option<Moment>,
    /// Calls, and attempts that joined another job's call.
    pub attempts: Vec<Attempt>,
    /// Times it was answered without a call.
    pub skips: Vec<Skip>,
    /// Waits between attempts, and sleeps.
    pub waits: Vec<Wait>,
    /// Times its key turned out to be forgotten.
    pub expired: Vec<ExpiredUse>,
    /// Times the store refused its key.
    pub conflicts: Vec<Conflict>,
    /// When it was given up.
    pub give_ups: Vec<(Moment, GiveUp)>,
}

/// The words for a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepText {
    /// "send the welcome email".
    pub name: Arc<str>,
    /// "email provider"; unknown for a journal without its scenario.
    pub provider: Option<Arc<str>>,
    /// The provider's word for having done it: "sent".
    pub done: Option<Arc<str>>,
    /// Whether its effect is an email to the user.
    pub email: bool,
}

/// One attempt at a step: a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Its name.
    pub name: AttemptName,
    /// The pass of the job it belongs to, from 1.
    pub pass: u32,
    /// When it began.
    pub started: Moment,
    /// The job whose call it waits for instead of making one.
    pub joined: Option<u32>,
    /// When it ended, and what the worker saw.
    pub ended: Option<(Moment, Seen)>,
    /// When the request reached the provider.
    pub arrived: Option<Moment>,
    /// The key sent along.
    pub sent_key: Option<Arc<str>>,
    /// What the provider did.
    pub did: Option<(Moment, Did)>,
    /// When the reply got lost.
    pub lost: Option<Moment>,
}

/// What the worker saw of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The result.
    Reply,
    /// An error.
    Error(Arc<str>),
    /// No answer, until it stopped waiting: it cannot know whether the work was done.
    NoReply(Arc<str>),
    /// Nothing: its process stopped.
    Interrupted,
}

/// What the provider did about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// The work, for the nth time for this subject.
    Effect(u32),
    /// Nothing: it knew the key.
    KnewKey,
    /// It refused: the key came with other data.
    Refused,
    /// Nothing: the call failed before.
    Failed,
}

/// A step answered without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skip {
    /// When.
    pub moment: Moment,
    /// The job that had done it; the same one if it was an earlier pass of its own.
    pub saved_by: u32,
    /// The saved answer belongs to other data.
    pub other_data: bool,
    /// The lifeline of the key, if a key store answered.
    pub lifeline: Option<usize>,
}

/// A wait before another attempt or pass, or a sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it began.
    pub from: Moment,
    /// When it was to end, in milliseconds.
    pub until: u64,
    /// When something ended it: the next attempt or pass, the end of the sleep, a restart, a cancellation.
    pub ended: Option<Moment>,
    /// Whether that was the cancellation of its job.
    pub cancelled: bool,
    /// How long, in milliseconds.
    pub delay_ms: u64,
    /// The longest that jitter could have made it, in milliseconds.
    pub delay_ms_max: u64,
    /// The handler asked for it.
    pub sleep: bool,
}

/// The moment somebody needed a key that was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpiredUse {
    /// When the step claimed the key anew.
    pub moment: Moment,
    /// Since when it was forgotten, in milliseconds.
    pub since: u64,
    /// The lifeline of the key.
    pub lifeline: usize,
}

/// The store refused a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// When.
    pub moment: Moment,
    /// The job that brought the first data.
    pub first: u32,
    /// The lifeline of the key.
    pub lifeline: Option<usize>,
}

/// Somebody who signs up.
#[derive(Clone, Debug, PartialEq)]
pub struct Person {
    /// "Ana"; for a subject nobody knows, the subject itself.
    pub name: Arc<str>,
    /// "user_1001".
    pub id: Arc<str>,
    /// Emails that reached them, in order.
    pub emails: Vec<Email>,
}

/// An email that reached somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// When it was sent.
    pub moment: Moment,
    /// The how-manieth of this kind: 2 is one too many.
    pub nth: u32,
    /// The call that sent it.
    pub by: AttemptName,
}

impl Job {
    /// Calls made once `index` entries have been played.
    pub fn calls(&self, index: usize) -> usize {
        let calls = |step: &Step| step.attempts.iter().filter(|a| a.joined.is_none() && a.started.by(index)).count();
        self.steps.iter().map(calls).sum()
    }

    /// How it ended, if it has.
    pub fn ending(&self, index: usize) -> Option<(Moment, &Ending)> {
        self.ended.as_ref().filter(|(moment, _)| moment.by(index)).map(|(moment, ending)| (*moment, ending))
    }

    /// When a worker first took it.
    pub fn started(&self) -> Option<Moment> {
        self.passes.first().and_then(|pass| pass.started)
    }
}

impl Wait {
    /// How long it lasted until its job was cancelled, in milliseconds, if that has happened.
    pub fn cancelled_after(&self, index: usize) -> Option<u64> {
        let ended = self.ended.filter(|ended| self.cancelled && ended.by(index))?;
        Some(ended.at.saturating_sub(self.from.at))
    }
}

impl Attempt {
    /// What the worker saw, once it has.
    pub fn seen(&self, index: usize) -> Option<(Moment, &Seen)> {
        self.ended.as_ref().filter(|(moment, _)| moment.by(index)).map(|(moment, seen)| (*moment, seen))
    }

    /// What the provider did, once it has.
    pub fn did(&self, index: usize) -> Option<(Moment, Did)> {
        self.did.filter(|(moment, _)| moment.by(index))
    }

    /// Whether its reply was lost, so far.
    pub fn is_lost(&self, index: usize) -> bool {
        self.lost.is_some_and(|moment| moment.by(index))
    }
}
