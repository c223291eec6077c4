//! What is said: one sentence for every entry, the transcript, the names of marks. Plain words, and exact.
//!
//! Every entry has text; no match here has a wildcard arm, so a new event cannot stay silent.

mod doors;
mod jobs;
mod marks;
mod sentence;
#[cfg(test)]
mod tests;
mod units;

use crate::story::Story;

pub use doors::{not_started, refused};
pub use jobs::{job_about, job_detail, job_state};
pub use marks::{
    attempt_name, attempt_short, attempt_state, give_up_reason, provider_state, seen_short, skip_state, wait_state,
};
pub use sentence::sentence;
pub use units::{clock, count, duration, nth, nth_word};

/// The sentence on screen once `index` entries have been played.
pub fn caption(story: &Story, index: usize) -> String {
    match index.min(story.len()).checked_sub(1) {
        Some(last) => sentence(story, last),
        None if story.is_empty() => "Nothing happens here yet. Add a sign-up.".into(),
        None => "Nothing has happened yet.".into(),
    }
}

/// Where the story stands, for a slider's `aria-valuetext`: "event 14 of 37, 430 ms, …". What is said is that of the index `said`.
pub fn value_text(story: &Story, index: usize, said: usize) -> String {
    let (now, of) = (clock(story.time(index)), story.len());
    let caption = caption(story, said);
    format!("event {index} of {of}, {now}, {}", caption.trim_end_matches('.'))
}

/// A line of the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The index once it has been played.
    pub index: usize,
    /// Virtual milliseconds.
    pub at: u64,
    /// The sentence.
    pub text: String,
}

/// The whole story as text, one line for every entry.
pub fn transcript(story: &Story) -> Vec<Line> {
    let line = |(entry, played): (usize, &twiceproof_core::journal::Entry)| Line {
        index: entry + 1,
        at: played.at.saturating_sub(story.origin),
        text: sentence(story, entry),
    };
    story.entries.iter().enumerate().map(line).collect()
}

/// What a person got: "2 emails", "1 email", "none yet".
pub fn emails(count: usize) -> String {
    match count {
        0 => "none yet".into(),
        1 => "1 email".into(),
        more => format!("{more} emails"),
    }
}
