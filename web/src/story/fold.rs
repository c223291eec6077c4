//! The one pass over the journal that makes a story.

use std::rc::Rc;
use std::sync::Arc;

use twiceproof_core::ids::{KeyId, RunId, StepId};
use twiceproof_core::index::{Names, Order};
use twiceproof_core::journal::{Entry, Event};
use twiceproof_core::retry::GiveUp;
use twiceproof_core::workflow::{Steps, Workflow};
use twiceproof_sim::scenario::{Scenario, USERS};

use super::count::{Counts, Kind};
use super::facts::{
    Attempt, AttemptName, Conflict, Did, Email, Ending, ExpiredUse, Job, Moment, Pass, Person, Repeats, Seen, Skip,
    Step, StepText, Wait,
};
use super::keys::{Lifeline, Release, Span};
use super::names::shown;

/// The error of a worker that stopped waiting.
const TIMED_OUT: &str = "timed out";

/// Everything the pass gathers.
#[derive(Debug, Default)]
pub(super) struct Fold {
    pub(super) jobs: Vec<Job>,
    pub(super) people: Vec<Person>,
    pub(super) lifelines: Vec<Lifeline>,
    pub(super) restarts: Vec<Moment>,
    pub(super) counts: Counts,
    pub(super) provider_recorded: bool,
    /// Where Shift and an arrow stop: after each start and end of an attempt, and each answer of the store.
    pub(super) stops: Vec<usize>,
    workflows: Vec<Workflow>,
    words: Vec<Rc<StepText>>,
    actions: Vec<Arc<str>>,
    /// The data each job brought, to tell the same sign-up from one with other data.
    data: Vec<Option<u64>>,
    /// Which lifeline a key number means at the moment; numbers are used again.
    keys: Order,
    by_name: Names,
    /// Every time counts from here.
    origin: u64,
}

impl Fold {
    /// With a scenario come people's words for its steps; a journal alone has only their names.
    pub(super) fn new(scenario: Option<&Scenario>, origin: u64) -> Self {
        let mut fold = Self { origin, ..Self::default() };
        let Some(scenario) = scenario else { return fold };
        for step in &scenario.steps {
            fold.actions.push(step.key.as_str().into());
            fold.words.push(Rc::new(StepText {
                name: step.name.as_str().into(),
                provider: Some(step.provider.as_str().into()),
                done: Some(step.done.as_str().into()),
                email: step.email,
            }));
        }
        fold
    }

    /// Takes one entry. A fact about a job or step the journal never named is passed over: a damaged journal is for
    /// the codec to refuse, and a story must not fall over it.
    pub(super) fn take(&mut self, index: usize, entry: &Entry) {
        let moment = Moment { entry: index, at: self.since(entry.at) };
        match &entry.event {
            Event::Opened { .. } => {}
            Event::WorkflowDefined { definition, .. } => self.workflows.push((**definition).clone()),
            // How long jobs are kept, pauses, and requests that change no job have no place in a story of calls.
            Event::FunctionDefined { .. }
            | Event::RetentionSet { .. }
            | Event::EventAccepted { .. }
            | Event::EventHeld { .. }
            | Event::StartSkipped { .. }
            | Event::EventPruned { .. }
            | Event::WorkflowPaused { .. }
            | Event::WorkflowResumed { .. }
            | Event::EnqueueRepeated { .. }
            | Event::EnqueueRefused { .. }
            | Event::RunPruned { .. }
            | Event::RunForgotten { .. } => {}
            Event::RunRestarted { run, .. } => {
                if let Some(job) = self.job(*run) {
                    job.ended = None;
                    job.passes.push(Pass { queued: Some(moment), started: None });
                }
            }
            Event::RunQueued { run, workflow, id, subject, data, run_at, payload: _, origin: _ } => {
                let about = subject.as_ref().or(id.as_ref()).map(shown);
                self.queue(moment, *run, workflow.index(), about, *data, run_at.map(|at| self.since(at)));
            }
            Event::RunStarted { run, pass } => self.start_pass(moment, *run, *pass),
            Event::StepFound { run, name, .. } => self.find_step(moment, *run, &shown(name)),
            Event::StepReplayed { run, step } => self.skip(moment, *run, *step, *run, false, None),
            Event::KeyClaimed { run, step, key } => self.claim(moment, *run, *step, *key),
            Event::KeyExpired { key, expired_at } => {
                self.release(moment, *key, Release::Expired(self.since(*expired_at)))
            }
            Event::KeyForgotten { key } => self.release(moment, *key, Release::Forgotten),
            Event::StepSkipped { run, step, key, saved_by, other_data } => {
                self.skip(moment, *run, *step, *saved_by, *other_data, Some(*key));
            }
            Event::StepJoined { run, step, attempt, key, leader } => {
                self.join(moment, *run, *step, *attempt, *key, *leader);
            }
            Event::KeyConflict { run, step, key, first } => self.conflict(moment, *run, *step, *key, *first),
            Event::AttemptStarted { run, step, attempt } => self.start_attempt(moment, *run, *step, *attempt, None),
            Event::AttemptSucceeded { run, step, attempt } => {
                self.end_attempt(moment, *run, *step, *attempt, Seen::Reply);
            }
            Event::AttemptFailed { run, step, attempt, error } => {
                self.end_attempt(moment, *run, *step, *attempt, Seen::Error(shown(error)));
            }
            Event::AttemptInterrupted { run, step, attempt } => {
                self.end_attempt(moment, *run, *step, *attempt, Seen::Interrupted);
            }
            Event::KeySaved { key, expires_at } => self.save(moment, *key, expires_at.map(|at| self.since(at))),
            Event::KeyReleased { key } => self.release(moment, *key, Release::NotSaved),
            Event::RetryScheduled { run, step, until, delay_ms, delay_ms_max } => {
                self.wait(moment, *run, *step, self.since(*until), *delay_ms, *delay_ms_max);
            }
            Event::SleepStarted { run, step, until } => self.sleep(moment, *run, *step, self.since(*until)),
            Event::SleepEnded { run, step } => self.end_waits(moment, *run, Some(*step)),
            Event::StepGaveUp { run, step, why } => self.give_up_step(moment, *run, *step, *why),
            Event::HandlerFailed { run, error } => {
                if let Some(job) = self.job(*run) {
                    job.handler_errors.push((moment, shown(error)));
                }
            }
            Event::RunSucceeded { run } => self.end_job(moment, *run, Ending::Succeeded),
            Event::RunGaveUp { run, why, error } => {
                self.end_job(moment, *run, Ending::GaveUp { why: *why, error: shown(error) });
            }
            Event::CancelRequested { run } => {
                if let Some(job) = self.job(*run) {
                    job.cancel_requested = Some(moment);
                }
            }
            Event::RunCancelled { run } => self.end_job(moment, *run, Ending::Cancelled),
            Event::ProcessRestarted => self.restart(moment),
            Event::RequestArrived { run, step, attempt, key } => {
                self.provider_recorded = true;
                if let Some(attempt) = self.attempt(*run, *step, *attempt) {
                    attempt.arrived = Some(moment);
                    attempt.sent_key = key.clone();
                }
            }
            Event::EffectDone { run, step, attempt, count } => self.effect(moment, *run, *step, *attempt, *count),
            Event::ProviderKnewKey { run, step, attempt } => self.did(moment, *run, *step, *attempt, Did::KnewKey),
            Event::ProviderRefused { run, step, attempt } => self.did(moment, *run, *step, *attempt, Did::Refused),
            Event::CallFailed { run, step, attempt } => self.did(moment, *run, *step, *attempt, Did::Failed),
            Event::ReplyLost { run, step, attempt } => {
                self.provider_recorded = true;
                if let Some(attempt) = self.attempt(*run, *step, *attempt) {
                    attempt.lost = Some(moment);
                }
            }
        }
    }

    /// A time of the journal as a time of the story.
    fn since(&self, at: u64) -> u64 {
        at.saturating_sub(self.origin)
    }

    fn job(&mut self, run: RunId) -> Option<&mut Job> {
        self.jobs.get_mut(run.index())
    }

    fn step(&mut self, run: RunId, step: StepId) -> Option<&mut Step> {
        self.job(run)?.steps.get_mut(step.index())
    }

    fn attempt(&mut self, run: RunId, step: StepId, attempt: u32) -> Option<&mut Attempt> {
        self.step(run, step)?.attempts.iter_mut().rev().find(|known| known.name.attempt == attempt)
    }

    fn queue(
        &mut self,
        moment: Moment,
        run: RunId,
        workflow: usize,
        about: Option<Arc<str>>,
        data: Option<u64>,
        run_at: Option<u64>,
    ) {
        let person = about.as_ref().map(|about| self.person(about));
        let earlier = self.jobs.iter().position(|job| person.is_some() && job.person == person);
        let repeats = match earlier {
            None => Repeats::Nothing,
            Some(first) if self.data[first] == data => Repeats::Same,
            Some(_) => Repeats::OtherData,
        };
        self.data.push(data);
        let steps = match self.workflows.get(workflow).map(|workflow| &workflow.steps) {
            Some(Steps::List(names)) => {
                (0..names.len()).map(|at| self.new_step(at, &shown(&names[at]), None)).collect()
            }
            Some(Steps::Found) | None => Vec::new(),
        };
        self.jobs.push(Job {
            number: run.0 + 1,
            run,
            person,
            subject: about,
            repeats,
            queued: moment,
            run_at,
            passes: vec![Pass { queued: Some(moment), started: None }],
            waits: Vec::new(),
            handler_errors: Vec::new(),
            cancel_requested: None,
            ended: None,
            steps,
        });
    }

    fn person(&mut self, id: &Arc<str>) -> usize {
        if let Some(known) = self.people.iter().position(|person| person.id == *id) {
            return known;
        }
        let name = USERS.iter().find(|user| *user.id == **id).map_or_else(|| id.clone(), |user| user.name.into());
        self.people.push(Person { name, id: id.clone(), emails: Vec::new() });
        self.people.len() - 1
    }

    fn new_step(&self, at: usize, name: &Arc<str>, found: Option<Moment>) -> Step {
        let what = self
            .words
            .get(at)
            .cloned()
            .unwrap_or_else(|| Rc::new(StepText { name: name.clone(), provider: None, done: None, email: false }));
        Step {
            number: at as u32 + 1,
            what,
            found,
            attempts: Vec::new(),
            skips: Vec::new(),
            waits: Vec::new(),
            expired: Vec::new(),
            conflicts: Vec::new(),
            give_ups: Vec::new(),
        }
    }

    fn find_step(&mut self, moment: Moment, run: RunId, name: &Arc<str>) {
        let Some(at) = self.jobs.get(run.index()).map(|job| job.steps.len()) else { return };
        let step = self.new_step(at, name, Some(moment));
        self.jobs[run.index()].steps.push(step);
    }

    fn start_pass(&mut self, moment: Moment, run: RunId, pass: u32) {
        self.end_waits(moment, run, None);
        let Some(job) = self.job(run) else { return };
        match job.passes.last_mut() {
            Some(last) if last.started.is_none() => last.started = Some(moment),
            _ => job.passes.push(Pass { queued: None, started: Some(moment) }),
        }
        if pass > 1 {
            self.stops.push(moment.entry + 1);
        }
    }

    fn claim(&mut self, moment: Moment, run: RunId, step: StepId, key: KeyId) {
        let Some(job) = self.jobs.get(run.index()) else { return };
        let subject = job.subject.clone().unwrap_or_else(|| format!("job {}", job.number).into());
        let Some(known) = job.steps.get(step.index()) else { return };
        let action = self.actions.get(step.index()).cloned().unwrap_or_else(|| known.what.name.clone());
        let attempt = known.attempts.last().map_or(1, |last| last.name.attempt + 1);
        let by = AttemptName { job: job.number, step: known.number, attempt };
        let name: Arc<str> = format!("{action}:{subject}").into();
        let line = self.by_name.number(&name, self.lifelines.len() as u64) as usize;
        if line == self.lifelines.len() {
            let (spans, reads, joins) = (Vec::new(), Vec::new(), Vec::new());
            self.lifelines.push(Lifeline { name, action, subject, spans, reads, joins });
        }
        self.keys.insert((key.0.into(), 0), line as u64);
        let since = match self.lifelines[line].spans.last().and_then(|span| span.ended) {
            Some((_, Release::Expired(since))) => Some(since),
            Some((forgotten, Release::Forgotten)) => Some(forgotten.at),
            Some((_, Release::NotSaved | Release::Restarted)) | None => None,
        };
        self.lifelines[line].spans.push(Span { claimed: moment, by, saved: None, ended: None });
        if let Some(since) = since {
            self.counts.add(Kind::Expired, moment.entry);
            self.jobs[run.index()].steps[step.index()].expired.push(ExpiredUse { moment, since, lifeline: line });
        }
    }

    /// The lifeline of a key that is claimed or saved now.
    fn line(&self, key: KeyId) -> Option<usize> {
        self.keys.get((key.0.into(), 0)).map(|line| line as usize)
    }

    fn span(&mut self, key: KeyId) -> Option<&mut Span> {
        let line = self.line(key)?;
        self.lifelines[line].spans.last_mut()
    }

    fn save(&mut self, moment: Moment, key: KeyId, expires_at: Option<u64>) {
        if let Some(span) = self.span(key) {
            span.saved = Some((moment, expires_at));
        }
    }

    fn release(&mut self, moment: Moment, key: KeyId, how: Release) {
        if let Some(span) = self.span(key) {
            span.ended = Some((moment, how));
        }
        self.keys.remove((key.0.into(), 0));
    }

    fn skip(&mut self, moment: Moment, run: RunId, step: StepId, by: RunId, other_data: bool, key: Option<KeyId>) {
        let lifeline = key.and_then(|key| self.line(key));
        if let Some(line) = lifeline {
            self.lifelines[line].reads.push(moment);
        }
        self.counts.add(Kind::Skipped, moment.entry);
        self.stops.push(moment.entry + 1);
        self.end_waits(moment, run, Some(step));
        if let Some(step) = self.step(run, step) {
            step.skips.push(Skip { moment, saved_by: by.0 + 1, other_data, lifeline });
        }
    }

    /// The store did not answer with a result: the key runs, or was used with other data.
    fn turn_away(&mut self, moment: Moment, key: KeyId) -> Option<usize> {
        let line = self.line(key)?;
        self.lifelines[line].joins.push(moment);
        Some(line)
    }

    fn join(&mut self, moment: Moment, run: RunId, step: StepId, attempt: u32, key: KeyId, leader: RunId) {
        self.turn_away(moment, key);
        self.counts.add(Kind::Joined, moment.entry);
        self.start_attempt(moment, run, step, attempt, Some(leader.0 + 1));
    }

    fn conflict(&mut self, moment: Moment, run: RunId, step: StepId, key: KeyId, first: RunId) {
        let lifeline = self.turn_away(moment, key);
        self.counts.add(Kind::Conflict, moment.entry);
        self.stops.push(moment.entry + 1);
        if let Some(step) = self.step(run, step) {
            step.conflicts.push(Conflict { moment, first: first.0 + 1, lifeline });
        }
    }

    fn start_attempt(&mut self, moment: Moment, run: RunId, step: StepId, attempt: u32, joined: Option<u32>) {
        self.end_waits(moment, run, Some(step));
        self.stops.push(moment.entry + 1);
        let pass = self.jobs.get(run.index()).map_or(1, |job| job.passes.len() as u32);
        let name = AttemptName { job: run.0 + 1, step: step.0 + 1, attempt };
        if let Some(step) = self.step(run, step) {
            step.attempts.push(Attempt {
                name,
                pass,
                started: moment,
                joined,
                ended: None,
                arrived: None,
                sent_key: None,
                did: None,
                lost: None,
            });
        }
    }

    fn end_attempt(&mut self, moment: Moment, run: RunId, step: StepId, attempt: u32, seen: Seen) {
        self.stops.push(moment.entry + 1);
        let Some(attempt) = self.attempt(run, step, attempt) else { return };
        let seen = match seen {
            // A request that is still on its way when the patience ends has not lost its reply yet.
            Seen::Error(error) if attempt.lost.is_some() || (attempt.did.is_none() && &*error == TIMED_OUT) => {
                Seen::NoReply(error)
            }
            seen => seen,
        };
        let kind = match &seen {
            _ if attempt.joined.is_some() => None,
            Seen::Reply => Some(Kind::Replied),
            Seen::NoReply(_) => Some(Kind::Lost),
            Seen::Error(_) => Some(Kind::Failed),
            Seen::Interrupted => None,
        };
        attempt.ended = Some((moment, seen));
        if let Some(kind) = kind {
            self.counts.add(kind, moment.entry);
        }
    }

    fn effect(&mut self, moment: Moment, run: RunId, step: StepId, attempt: u32, nth: u32) {
        self.did(moment, run, step, attempt, Did::Effect(nth));
        self.counts.add(if nth > 1 { Kind::DoneAgain } else { Kind::Done }, moment.entry);
        let Some(job) = self.jobs.get(run.index()) else { return };
        let Some(person) = job.person else { return };
        if job.steps.get(step.index()).is_some_and(|step| step.what.email) {
            let by = AttemptName { job: job.number, step: step.0 + 1, attempt };
            self.people[person].emails.push(Email { moment, nth, by });
        }
    }

    fn did(&mut self, moment: Moment, run: RunId, step: StepId, attempt: u32, did: Did) {
        self.provider_recorded = true;
        if did == Did::KnewKey {
            self.counts.add(Kind::KnewKey, moment.entry);
        }
        if let Some(attempt) = self.attempt(run, step, attempt) {
            attempt.did = Some((moment, did));
        }
    }

    fn wait(&mut self, from: Moment, run: RunId, step: Option<StepId>, until: u64, delay_ms: u64, delay_ms_max: u64) {
        self.counts.add(Kind::Waiting, from.entry);
        let wait = Wait { from, until, ended: None, cancelled: false, delay_ms, delay_ms_max, sleep: false };
        match step {
            Some(step) => self.step(run, step).into_iter().for_each(|step| step.waits.push(wait)),
            None => self.job(run).into_iter().for_each(|job| job.waits.push(wait)),
        }
    }

    fn sleep(&mut self, from: Moment, run: RunId, step: StepId, until: u64) {
        self.counts.add(Kind::Waiting, from.entry);
        let delay_ms = until.saturating_sub(from.at);
        if let Some(step) = self.step(run, step) {
            let (ended, cancelled, delay_ms_max, sleep) = (None, false, delay_ms, true);
            step.waits.push(Wait { from, until, ended, cancelled, delay_ms, delay_ms_max, sleep });
        }
    }

    /// Ends the waits of a step, or of the job as a whole.
    fn end_waits(&mut self, moment: Moment, run: RunId, step: Option<StepId>) {
        let waits = match step {
            Some(step) => self.step(run, step).map(|step| &mut step.waits),
            None => self.job(run).map(|job| &mut job.waits),
        };
        for wait in waits.into_iter().flatten().filter(|wait| wait.ended.is_none()) {
            wait.ended = Some(moment);
        }
    }

    fn give_up_step(&mut self, moment: Moment, run: RunId, step: StepId, why: GiveUp) {
        self.stops.push(moment.entry + 1);
        if let Some(step) = self.step(run, step) {
            step.give_ups.push((moment, why));
        }
    }

    fn end_job(&mut self, moment: Moment, run: RunId, ending: Ending) {
        self.end_everything_waiting(moment, run);
        if matches!(ending, Ending::GaveUp { .. }) {
            self.counts.add(Kind::GaveUp, moment.entry);
        }
        if let Some(job) = self.job(run) {
            let steps = job.steps.iter_mut().flat_map(|step| &mut step.waits);
            for wait in steps.chain(&mut job.waits).filter(|wait| wait.ended == Some(moment)) {
                wait.cancelled = ending == Ending::Cancelled;
            }
            job.ended = Some((moment, ending));
        }
    }

    fn end_everything_waiting(&mut self, moment: Moment, run: RunId) {
        self.end_waits(moment, run, None);
        let steps = self.jobs.get(run.index()).map_or(0, |job| job.steps.len());
        for step in 0..steps {
            self.end_waits(moment, run, Some(StepId(step as u32)));
        }
    }

    fn restart(&mut self, moment: Moment) {
        self.counts.add(Kind::Restart, moment.entry);
        self.stops.push(moment.entry + 1);
        self.restarts.push(moment);
        while let Some((_, line)) = self.keys.pop_first() {
            if let Some(span) = self.lifelines[line as usize].spans.last_mut() {
                span.ended = Some((moment, Release::Restarted));
            }
        }
        for at in 0..self.jobs.len() {
            let active =
                self.jobs[at].ended.is_none() && self.jobs[at].passes.last().is_some_and(|p| p.started.is_some());
            if active {
                self.end_everything_waiting(moment, self.jobs[at].run);
                self.jobs[at].passes.push(Pass { queued: Some(moment), started: None });
            }
        }
    }
}
