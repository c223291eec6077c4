//! Rule presets side by side: what other systems would do with the same requests.
//!
//! A preset is data: how long a key counts, whether data is compared, and one answer for each state in which a repeat
//! can find the first request. Who has the key is decided by [`twiceproof_core::admission::admit`], as for this
//! project's own runs; [`judge`] only keeps the list of runs. The facts are those of the systems' documentation and
//! source, read in November 2026.
//!
//! Deliberately not here: retries, schedules, steps. A preset says what becomes of a request, not how work is done.

mod presets;

pub use presets::PRESETS;

use twiceproof_core::admission::{Admission, Request, Retained, admit};
use twiceproof_core::engine::Status;
use twiceproof_core::ids::WorkflowId;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// It starts work.
    Runs,
    /// It gets what the first request got or is going to get: its run, its ID, its result.
    Returns,
    /// It waits for the work under way and shares its outcome.
    Joins,
    /// It gets an error.
    Refused,
    /// Nothing comes of it, and it is told so at most beside the point.
    Ignored,
    /// It stops the work under way and starts its own.
    Replaces,
    /// It is kept, and runs once the work under way is done.
    Afterwards,
}

impl Then {
    /// Whether work is started for this request, now or later.
    pub fn starts_work(self) -> bool {
        matches!(self, Self::Runs | Self::Replaces | Self::Afterwards)
    }
}

/// An answer, with the rule that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What becomes of the request.
    pub then: Then,
    /// The rule, in one sentence.
    pub rule: &'static str,
}

/// From when on a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// From the first request.
    Accepted,
    /// From the last request, accepted or not.
    LastAsked,
    /// While the work is under way, and from its end.
    Ended,
}

/// How long a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// From when on.
    pub since: Since,
    /// So many milliseconds; `None` until somebody removes the record.
    pub ms: Option<u64>,
    /// In one sentence, said of a request that comes after it.
    pub rule: &'static str,
}

/// The rules of one system in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The system.
    pub system: &'static str,
    /// The mode, where it has several.
    pub mode: &'static str,
    /// What the key is there.
    pub key: &'static str,
    /// How long it counts.
    pub window: Window,
    /// The repeat brings other data. `None`: data is not compared.
    pub other_data: Option<Answer>,
    /// The first is under way.
    pub under_way: Answer,
    /// It succeeded.
    pub succeeded: Answer,
    /// It failed for good.
    pub failed: Answer,
}

/// A request of the stream that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// When it comes, in milliseconds.
    pub at: u64,
    /// Its key.
    pub key: &'static str,
    /// The version of its data.
    pub data: u32,
    /// How long its work takes if it is started, in milliseconds.
    pub takes_ms: u64,
    /// Whether that work fails for good.
    pub fails: bool,
    /// What is asked, in words.
    pub what: &'static str,
}

/// An hour, in milliseconds.
const HOUR: u64 = 60 * 60 * 1000;

/// The usual stream: a payment asked for again while it runs, after it succeeded, with other data, and a day later; and
/// another that failed, asked for again.
pub const STREAM: [Ask; 7] = [
    ask(0, "pay:42", 0, 2_000, false, "first request"),
    ask(1_000, "pay:42", 0, 2_000, false, "again, while it runs"),
    ask(60_000, "pay:42", 0, 2_000, false, "again, after success"),
    ask(70_000, "pay:42", 1, 2_000, false, "same key, other data"),
    ask(90_000, "pay:43", 0, 2_000, true, "another, which fails"),
    ask(150_000, "pay:43", 0, 2_000, false, "again, after failure"),
    ask(25 * HOUR, "pay:42", 0, 2_000, false, "again, 25 hours later"),
];

const fn ask(at: u64, key: &'static str, data: u32, takes_ms: u64, fails: bool, what: &'static str) -> Ask {
    Ask { at, key, data, takes_ms, fails, what }
}

/// Work that was started for a key.
#[derive(Clone, Copy, Debug)]
struct Run {
    key: &'static str,
    data: u32,
    accepted_at: u64,
    asked_at: u64,
    ends_at: u64,
    fails: bool,
}

impl Run {
    fn status(&self, now: u64) -> Status {
        match (now < self.ends_at, self.fails) {
            (true, _) => Status::Running,
            (false, false) => Status::Succeeded,
            (false, true) => Status::Dead,
        }
    }

    fn counts(&self, now: u64, window: Window) -> bool {
        let Some(ms) = window.ms else { return true };
        match window.since {
            Since::Accepted => now < self.accepted_at + ms,
            Since::LastAsked => now < self.asked_at + ms,
            Since::Ended => now < self.ends_at.saturating_add(ms),
        }
    }
}

/// What becomes of each request of a stream, which is in the order of time, and the rule that fired.
pub fn judge(preset: &Preset, stream: &[Ask]) -> Vec<Answer> {
    let mut runs: Vec<Run> = Vec::new();
    let judged = stream.iter().map(|ask| {
        let place = runs.iter().rposition(|run| run.key == ask.key);
        let known = place.map(|place| runs[place]);
        let verdict = answer(preset, ask, known);
        if let Some(place) = place {
            runs[place].asked_at = ask.at;
            if verdict.then == Then::Replaces {
                runs[place].ends_at = ask.at;
            }
        }
        if verdict.then.starts_work() {
            let starts_at = match (verdict.then, known) {
                (Then::Afterwards, Some(known)) => known.ends_at.max(ask.at),
                _ => ask.at,
            };
            let Ask { at, key, data, takes_ms, fails, .. } = *ask;
            runs.push(Run { key, data, accepted_at: at, asked_at: at, ends_at: starts_at + takes_ms, fails });
        }
        verdict
    });
    judged.collect()
}

fn answer(preset: &Preset, ask: &Ask, known: Option<Run>) -> Answer {
    let counted = known.filter(|run| run.counts(ask.at, preset.window));
    let compares = preset.other_data.is_some();
    let version = |data: u32| compares.then_some(u64::from(data));
    let workflow = WorkflowId(0);
    let request = Request { id: Some(ask.key), workflow, payload: None, data: version(ask.data) };
    let retained = |run: Run| Retained { workflow, payload: None, data: version(run.data), status: run.status(ask.at) };
    let admission = admit(request, |_| counted.map(retained));
    let given = match admission {
        Admission::Created => None,
        Admission::Conflict(_) => preset.other_data,
        Admission::Existing { status: Status::Pending | Status::Running } => Some(preset.under_way),
        Admission::Existing { status: Status::Succeeded } => Some(preset.succeeded),
        Admission::Existing { status: Status::Dead | Status::Cancelled } => Some(preset.failed),
        Admission::Invalid(invalid) => unreachable!("the keys of a stream are keys: {invalid}"),
    };
    match given {
        Some(answer) => answer,
        None if known.is_some() => Answer { then: Then::Runs, rule: preset.window.rule },
        None => Answer { then: Then::Runs, rule: "The key is new." },
    }
}

#[cfg(test)]
mod tests;
