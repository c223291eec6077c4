//! The names and states of marks: what a screen reader hears and what the inspector shows.

use twiceproof_core::retry::GiveUp;

use super::units::{duration, nth, nth_word};
use crate::story::{Attempt, AttemptName, Did, Seen, Skip, Story, Wait};

/// "job 1, send the welcome email, attempt 2".
pub fn attempt_name(story: &Story, name: AttemptName) -> String {
    let step = story.step(name.job, name.step);
    let step = step.map_or_else(|| format!("step {}", name.step), |step| step.what.name.to_string());
    match name.attempt {
        0 => format!("job {}, {step}", name.job),
        attempt => format!("job {}, {step}, attempt {attempt}", name.job),
    }
}

/// "job 1, email, 1st": for a chip.
pub fn attempt_short(story: &Story, name: AttemptName) -> String {
    let what = match story.step(name.job, name.step) {
        Some(step) if step.what.email => "email".into(),
        Some(step) => step.what.name.to_string(),
        None => format!("step {}", name.step),
    };
    format!("job {}, {what}, {}", name.job, nth(name.attempt))
}

/// What the worker saw, in a word or two: what is written on the bar. Nothing for a plain success.
pub fn seen_short(seen: &Seen) -> String {
    match seen {
        Seen::Reply => String::new(),
        // The first words carry it; all of it stands in the inspector.
        Seen::NoReply(error) | Seen::Error(error) => match error.char_indices().nth(28) {
            Some((cut, _)) => format!("{}…", error[..cut].trim_end()),
            None => error.to_string(),
        },
        Seen::Interrupted => "process stopped".into(),
    }
}

/// The state of an attempt, as its row would be read out: both lanes, or only the worker's where the provider's is
/// hidden.
pub fn attempt_state(story: &Story, attempt: &Attempt, index: usize, both_lanes: bool) -> String {
    let number = attempt.name.attempt;
    if !attempt.started.by(index) {
        return format!("Attempt {number}, not played yet");
    }
    let worker = match (attempt.joined, attempt.seen(index)) {
        (Some(leader), None) => format!("Attempt {number} joined the call of job {leader} already in progress"),
        (Some(leader), Some((_, Seen::Reply))) => {
            format!("Attempt {number} shared the result of job {leader}, without a call of its own")
        }
        (Some(leader), Some((_, seen))) => {
            format!("Attempt {number} shared the failure of job {leader}: {}", seen_short(seen))
        }
        (None, None) => format!("Attempt {number} running"),
        (None, Some((_, Seen::Reply))) => format!("Attempt {number} done; reply received"),
        (None, Some((ended, Seen::NoReply(error)))) => {
            let waited = duration(ended.at - attempt.started.at);
            format!("Attempt {number}: {error} after {waited}; the worker thinks it failed")
        }
        (None, Some((_, Seen::Error(error)))) => format!("Attempt {number} failed with {error}"),
        (None, Some((_, Seen::Interrupted))) => format!("Attempt {number} interrupted; nobody heard its outcome"),
    };
    match provider_state(story, attempt, index).filter(|_| both_lanes) {
        Some(provider) => format!("{worker}. {provider}"),
        None => worker,
    }
}

/// What the provider's side of an attempt is, so far.
pub fn provider_state(story: &Story, attempt: &Attempt, index: usize) -> Option<String> {
    let what = &story.step(attempt.name.job, attempt.name.step)?.what;
    let done = what.done.as_deref().unwrap_or("done");
    let text = match attempt.did(index) {
        Some((_, Did::Effect(1))) => format!("Provider did the work: {done}"),
        Some((_, Did::Effect(times))) if what.email => format!("Provider sent a {} email", nth_word(times)),
        Some((_, Did::Effect(times))) => format!("Provider did the work for the {} time: {done}", nth_word(times)),
        Some((_, Did::KnewKey)) => "Provider knew the key; nothing was done again".into(),
        Some((_, Did::Refused)) => "Provider refused: same key, other data".into(),
        Some((_, Did::Failed)) => "No side effect".into(),
        None if attempt.arrived.is_some_and(|moment| moment.by(index)) => "The request has reached the provider".into(),
        None => return None,
    };
    Some(if attempt.is_lost(index) { format!("{text}; reply lost") } else { text })
}

/// "Skipped: result saved by job 1".
pub fn skip_state(skip: &Skip, job: u32) -> String {
    match (skip.other_data, skip.saved_by == job) {
        (true, _) => format!("Returned the result of job {} for different data", skip.saved_by),
        (false, true) => "Skipped: done before by this job".into(),
        (false, false) => format!("Skipped: result saved by job {}", skip.saved_by),
    }
}

/// "Waiting 187 ms of up to 200 ms", "Slept 1 h of 24 h, then cancelled".
pub fn wait_state(wait: &Wait, index: usize) -> String {
    let delay = duration(wait.delay_ms);
    if let Some(lasted) = wait.cancelled_after(index) {
        let did = if wait.sleep { "Slept" } else { "Waited" };
        return format!("{did} {} of {delay}, then cancelled", duration(lasted));
    }
    match (wait.sleep, wait.delay_ms_max > wait.delay_ms) {
        (true, _) => format!("Sleeping {delay}"),
        (false, true) => format!("Waiting {delay} of up to {}", duration(wait.delay_ms_max)),
        (false, false) => format!("Waiting {delay}"),
    }
}

/// Why trying stopped: "all attempts are used".
pub fn give_up_reason(why: GiveUp) -> &'static str {
    match why {
        GiveUp::AttemptsUsed => "all attempts are used",
        GiveUp::NotRetryable => "trying again would not help",
        GiveUp::RetryAfterTooLong => "the provider asks for a longer wait than allowed",
        GiveUp::KeyConflict => "the key belongs to other data",
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
