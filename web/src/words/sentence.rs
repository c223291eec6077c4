//! One sentence, sometimes two, for every entry of a journal.

use twiceproof_core::ids::{KeyId, RunId, StepId};
use twiceproof_core::journal::Event;
use twiceproof_core::workflow::{Steps, Workflow};

use super::doors;
use super::marks::{capital, give_up_reason};
use super::units::{count, duration, nth_word};
use crate::story::{Attempt, AttemptName, Did, Lifeline, Repeats, Seen, Step, Story, visible};

/// What the entry at `entry` means.
///
/// # Panics
/// If there is no such entry.
pub fn sentence(story: &Story, entry: usize) -> String {
    visible(&said(story, entry))
}

fn said(story: &Story, entry: usize) -> String {
    let say = Say { story, entry, at: story.entries[entry].at };
    match &story.entries[entry].event {
        Event::Opened { options } => match options.workers {
            Some(1) => "One worker is ready. Nothing has happened yet.".into(),
            Some(workers) => format!("{workers} workers are ready. Nothing has happened yet."),
            None => "The engine is ready. Nothing has happened yet.".into(),
        },
        Event::WorkflowDefined { definition, .. } => workflow(definition),
        Event::FunctionDefined { function, .. } => format!("It starts with every event {}.", function.on.join(" or ")),
        Event::EventAccepted { event, name, duplicate_of, .. } => doors::event(*event, name, *duplicate_of),
        Event::EventHeld { event, until, .. } => {
            let wait = duration(until.saturating_sub(say.at));
            format!("{} waits for others, for {wait} at most.", capital(&doors::event_name(*event)))
        }
        Event::StartSkipped { event, why, .. } => doors::not_started(*event, why),
        Event::EventPruned { event } => {
            format!("{} was in the history long enough, and is removed.", capital(&doors::event_name(*event)))
        }
        Event::RetentionSet { keep_ms, .. } => doors::kept(*keep_ms),
        Event::WorkflowPaused { .. } => {
            "The workflow is paused: no job of it starts, and those under way go on.".into()
        }
        Event::WorkflowResumed { .. } => "The pause is over: what waits may start.".into(),
        Event::EnqueueRepeated { run, .. } => {
            format!("The same request again: it gets {} back, and nothing new is made.", job(*run))
        }
        Event::EnqueueRefused { run, mismatch, .. } => doors::refused(&job(*run), mismatch.as_ref()),
        Event::RunRestarted { run, .. } => format!("{} is started again, with new attempts.", capital(&job(*run))),
        Event::RunPruned { run } => {
            format!("{} was over long enough. It is removed with its steps, and its ID is free.", capital(&job(*run)))
        }
        Event::RunForgotten { run, .. } => {
            format!("Somebody has {} removed before its time. Its ID is free.", job(*run))
        }
        Event::RunQueued { run, run_at, .. } => say.queued(*run, *run_at),
        Event::RunStarted { run, pass: 1 } => format!("A worker takes {}.", job(*run)),
        Event::RunStarted { run, pass } => format!("{} starts over: pass {pass}.", capital(&job(*run))),
        Event::StepFound { run, name, .. } => format!("{} comes to a new step: {name}.", capital(&job(*run))),
        Event::StepReplayed { run, step } => say.replayed(*run, *step),
        Event::KeyClaimed { run, step, .. } => {
            let key = say.key_claimed(*run, *step);
            format!("{} takes the key {key} in our store: nobody else runs it now.", capital(&job(*run)))
        }
        Event::KeyExpired { key, expired_at } => say.expired(*key, *expired_at),
        Event::KeyForgotten { key } => format!("Our store was told to forget {}.", say.key(*key)),
        Event::StepSkipped { run, step, saved_by, other_data, .. } => say.skipped(*run, *step, *saved_by, *other_data),
        Event::StepJoined { run, step, leader, .. } => say.joined(*run, *step, *leader),
        Event::KeyConflict { run, step, first, .. } => {
            let name = say.name(*run, *step);
            format!("Our store refuses “{name}”: {} used the same key with other data.", job(*first))
        }
        Event::AttemptStarted { run, step, attempt } => say.started(*run, *step, *attempt),
        Event::AttemptSucceeded { run, step, attempt } => say.succeeded(*run, *step, *attempt),
        Event::AttemptFailed { run, step, attempt, error } => say.failed(*run, *step, *attempt, error),
        Event::AttemptInterrupted { run, step, .. } => {
            let name = say.name(*run, *step);
            format!("The process stopped during “{name}” of {}. Nobody heard how it ended.", job(*run))
        }
        Event::KeySaved { key, expires_at } => say.saved(*key, *expires_at),
        Event::KeyReleased { key } => {
            format!("The call did not succeed, so our store keeps nothing under {}.", say.key(*key))
        }
        Event::RetryScheduled { run, step, delay_ms, delay_ms_max, .. } => {
            say.retry(*run, *step, *delay_ms, *delay_ms_max)
        }
        Event::SleepStarted { run, until, .. } => {
            format!("{} sleeps for {}.", capital(&job(*run)), duration(until.saturating_sub(say.at)))
        }
        Event::SleepEnded { run, .. } => format!("{} wakes up.", capital(&job(*run))),
        Event::StepGaveUp { run, step, why } => {
            format!("“{}” of {} is given up: {}.", say.name(*run, *step), job(*run), give_up_reason(*why))
        }
        Event::HandlerFailed { run, error } => format!("The handler of {} failed: {error}.", job(*run)),
        Event::RunSucceeded { run } => say.job_done(*run),
        Event::RunGaveUp { run, error, .. } => {
            format!("{} has failed for good after {}: {error}.", capital(&job(*run)), say.calls(*run))
        }
        Event::CancelRequested { run } => {
            format!("Somebody asks to cancel {}. It stops before its next step.", job(*run))
        }
        Event::RunCancelled { run } => format!("{} is cancelled.", capital(&job(*run))),
        Event::ProcessRestarted => {
            "The process restarts. The keys in its memory are lost, and unfinished jobs are queued again.".into()
        }
        Event::RequestArrived { run, step, key, .. } => say.arrived(*run, *step, key.as_deref()),
        Event::EffectDone { run, step, count, .. } => say.effect(*run, *step, *count),
        Event::ProviderKnewKey { run, step, .. } => say.knew_key(*run, *step),
        Event::ProviderRefused { run, step, .. } => {
            format!("{} knows this key with other data, and refuses.", capital(&say.provider(*run, *step)))
        }
        Event::CallFailed { run, step, .. } => {
            format!("The call to {} failed before anything was done.", say.provider(*run, *step))
        }
        Event::ReplyLost { run, step, attempt } => say.lost(*run, *step, *attempt),
    }
}

fn job(run: RunId) -> String {
    format!("job {}", run.0 + 1)
}

fn workflow(definition: &Workflow) -> String {
    match &definition.steps {
        Steps::List(names) if names.len() <= 4 => {
            format!("A {} takes {}: {}.", definition.name, count(names.len(), "step", "steps"), names.join(", then "))
        }
        Steps::List(names) => format!("A {} takes {} steps.", definition.name, names.len()),
        Steps::Found => format!("The workflow {} finds its steps as it runs.", definition.name),
    }
}

struct Say<'a> {
    story: &'a Story,
    entry: usize,
    at: u64,
}

impl Say<'_> {
    fn step(&self, run: RunId, step: StepId) -> Option<&Step> {
        self.story.step(run.0 + 1, step.0 + 1)
    }

    fn attempt(&self, run: RunId, step: StepId, attempt: u32) -> Option<&Attempt> {
        self.story.attempt(AttemptName { job: run.0 + 1, step: step.0 + 1, attempt })
    }

    fn name(&self, run: RunId, step: StepId) -> String {
        self.step(run, step).map_or_else(|| format!("step {}", step.0 + 1), |step| step.what.name.to_string())
    }

    fn provider(&self, run: RunId, step: StepId) -> String {
        let known = self.step(run, step).and_then(|step| step.what.provider.as_deref());
        known.map_or_else(|| "the provider".into(), |provider| format!("the {provider}"))
    }

    fn is_email(&self, run: RunId, step: StepId) -> bool {
        self.step(run, step).is_some_and(|step| step.what.email)
    }

    fn person(&self, run: RunId) -> Option<&str> {
        Some(&self.story.people[self.story.job(run.0 + 1)?.person?].name)
    }

    fn calls(&self, run: RunId) -> String {
        count(self.story.job(run.0 + 1).map_or(0, |job| job.calls(self.entry)), "call", "calls")
    }

    /// The key a step claims at this entry.
    fn key_claimed(&self, run: RunId, step: StepId) -> String {
        let here = |line: &&Lifeline| line.spans.iter().any(|span| span.claimed.entry == self.entry);
        self.story.lifelines.iter().find(here).map_or_else(|| self.name(run, step), |line| line.name.to_string())
    }

    /// The key that is saved, released, expired or forgotten at this entry.
    fn key(&self, key: KeyId) -> String {
        let here = |line: &&Lifeline| {
            line.spans.iter().any(|span| {
                span.saved.is_some_and(|(moment, _)| moment.entry == self.entry)
                    || span.ended.is_some_and(|(moment, _)| moment.entry == self.entry)
            })
        };
        self.story.lifelines.iter().find(here).map_or_else(|| format!("key {}", key.0), |line| line.name.to_string())
    }

    fn queued(&self, run: RunId, run_at: Option<u64>) -> String {
        let number = run.0 + 1;
        let person = self.person(run).unwrap_or("Somebody");
        let what = match self.story.job(number).map(|job| (job.repeats, job.person)) {
            Some((Repeats::Same, _)) => format!("{person} signs up again, just the same: job {number} is queued."),
            Some((Repeats::OtherData, _)) => {
                format!("{person} signs up again with other data: job {number} is queued.")
            }
            Some((Repeats::Nothing, Some(_))) => format!("{person} signs up: job {number} is queued."),
            Some((Repeats::Nothing, None)) | None => format!("Job {number} is queued."),
        };
        match run_at.filter(|&run_at| run_at > self.at) {
            Some(run_at) => format!("{what} It is not to start for another {}.", duration(run_at - self.at)),
            None => what,
        }
    }

    fn replayed(&self, run: RunId, step: StepId) -> String {
        let name = self.name(run, step);
        format!("“{name}” was finished in an earlier pass. Its result is handed on, and no call is made.")
    }

    fn expired(&self, key: KeyId, since: u64) -> String {
        match self.at.saturating_sub(since) {
            0 => format!("The window of {} ends, and our store forgets it.", self.key(key)),
            ago => format!("Our store has forgotten {}: its window ended {} ago.", self.key(key), duration(ago)),
        }
    }

    fn skipped(&self, run: RunId, step: StepId, saved_by: RunId, other_data: bool) -> String {
        let name = self.name(run, step);
        let (first, this) = (job(saved_by), job(run));
        match (other_data, saved_by == run) {
            (true, _) => {
                format!("“{name}”: our store returns the result of {first}, though {this} brought other data.")
            }
            (false, true) => format!("“{name}” is skipped: {this} itself has done it before. No call is made."),
            (false, false) => format!("“{name}” is skipped: our store has its result from {first}. No call is made."),
        }
    }

    fn joined(&self, run: RunId, step: StepId, leader: RunId) -> String {
        let (leader, this) = (capital(&job(leader)), capital(&job(run)));
        let name = self.name(run, step);
        format!("{leader} is at “{name}” right now. {this} waits for that call and shares its outcome.")
    }

    fn started(&self, run: RunId, step: StepId, attempt: u32) -> String {
        let (this, name) = (capital(&job(run)), self.name(run, step));
        match attempt {
            1 => format!("{this} calls {}: {name}.", self.provider(run, step)),
            attempt => format!("{this} calls {} again: {name}, attempt {attempt}.", self.provider(run, step)),
        }
    }

    fn succeeded(&self, run: RunId, step: StepId, attempt: u32) -> String {
        let name = self.name(run, step);
        match self.attempt(run, step, attempt).and_then(|attempt| attempt.joined) {
            Some(leader) => {
                format!("Job {leader} is done with “{name}”, and so is {}, without a call of its own.", job(run))
            }
            None => format!("The reply came back: “{name}” is done."),
        }
    }

    fn failed(&self, run: RunId, step: StepId, attempt: u32, error: &str) -> String {
        let name = self.name(run, step);
        let Some(attempt) = self.attempt(run, step, attempt) else { return format!("“{name}” failed: {error}.") };
        if let Some(leader) = attempt.joined {
            return format!("The call of job {leader} failed ({error}), and with it “{name}” of {}.", job(run));
        }
        match &attempt.ended {
            Some((ended, Seen::NoReply(_))) => {
                let waited = duration(ended.at - attempt.started.at);
                format!(
                    "No reply within {waited}. The worker cannot see whether the work was done; it counts a failure."
                )
            }
            Some((_, Seen::Error(_) | Seen::Reply | Seen::Interrupted)) | None => {
                format!("The worker gets an error for “{name}”: {error}.")
            }
        }
    }

    fn saved(&self, key: KeyId, expires_at: Option<u64>) -> String {
        let key = self.key(key);
        match expires_at {
            Some(until) => {
                format!("Our store remembers {key} as done, for {}.", duration(until.saturating_sub(self.at)))
            }
            None => format!("Our store remembers {key} as done, for good."),
        }
    }

    fn retry(&self, run: RunId, step: Option<StepId>, delay_ms: u64, delay_ms_max: u64) -> String {
        let what = match step {
            Some(step) => format!("“{}”", self.name(run, step)),
            None => format!("The whole of {}", job(run)),
        };
        let delay = duration(delay_ms);
        if delay_ms_max > delay_ms {
            format!("{what} will be tried again in {delay}, drawn from 0 to {}.", duration(delay_ms_max))
        } else {
            format!("{what} will be tried again in {delay}.")
        }
    }

    fn job_done(&self, run: RunId) -> String {
        let this = capital(&job(run));
        match self.story.job(run.0 + 1).map_or(0, |job| job.calls(self.entry)) {
            0 => format!("{this} is done, without a single call."),
            calls => format!("{this} is done after {}.", count(calls, "call", "calls")),
        }
    }

    fn arrived(&self, run: RunId, step: StepId, key: Option<&str>) -> String {
        let provider = self.provider(run, step);
        match key {
            Some(key) => format!("The request reaches {provider}, with the key {key}."),
            None => format!("The request reaches {provider}, without a key."),
        }
    }

    fn effect(&self, run: RunId, step: StepId, times: u32) -> String {
        if self.is_email(run, step) {
            let person = self.person(run).unwrap_or("the user");
            return match times {
                1 => format!("The email to {person} goes out."),
                times => format!("A {} email goes out to {person}.", nth_word(times)),
            };
        }
        let provider = capital(&self.provider(run, step));
        let done = self.step(run, step).and_then(|step| step.what.done.clone()).unwrap_or_else(|| "done".into());
        match times {
            1 => format!("{provider} does its work: {done}."),
            times => format!("{provider} does the same work for the {} time: {done}.", nth_word(times)),
        }
    }

    fn knew_key(&self, run: RunId, step: StepId) -> String {
        let nothing = if self.is_email(run, step) { "sends nothing" } else { "does nothing" };
        format!("{} knows this key: it {nothing} and answers as it did before.", capital(&self.provider(run, step)))
    }

    fn lost(&self, run: RunId, step: StepId, attempt: u32) -> String {
        let did = self.attempt(run, step, attempt).and_then(|attempt| attempt.did(self.entry));
        match did {
            Some((_, Did::Effect(_))) if self.is_email(run, step) => {
                "The email went out. The reply did not come back.".into()
            }
            Some((_, Did::Effect(_))) => "The work was done. The reply did not come back.".into(),
            Some((_, Did::KnewKey | Did::Refused | Did::Failed)) | None => "The reply did not come back.".into(),
        }
    }
}
