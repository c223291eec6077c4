//! The names and states of jobs.

use super::units::{count, duration};
use crate::story::{Ending, Job, Person, Repeats, Story};

/// Who a job is about, after its number: "Ana, user_1001", or "Ana again" for a repeat.
pub fn job_about(story: &Story, job: &Job) -> String {
    match (person(story, job), job.repeats) {
        (None, _) => String::new(),
        (Some(person), Repeats::Nothing) if person.name == person.id => person.id.to_string(),
        (Some(person), Repeats::Nothing) => format!("{}, {}", person.name, person.id),
        (Some(person), Repeats::Same | Repeats::OtherData) => format!("{} again", person.name),
    }
}

/// The second line under a job's name where the job is folded into one row.
pub fn job_detail(story: &Story, job: &Job) -> String {
    let Some(person) = person(story, job) else { return String::new() };
    match job.repeats {
        Repeats::Nothing if person.name == person.id => String::new(),
        Repeats::Nothing => person.id.to_string(),
        Repeats::Same => format!("same sign-up, {}", person.id),
        Repeats::OtherData => format!("other data, {}", person.id),
    }
}

/// How a job stands: "queued 659 ms", "running, 2 calls", "done, 4 calls", "failed after 3 calls".
pub fn job_state(story: &Story, job: &Job, index: usize) -> String {
    if !job.queued.by(index) {
        return "to come".into();
    }
    let calls = count(job.calls(index), "call", "calls");
    match (job.ending(index), job.started().filter(|started| started.by(index))) {
        (Some((_, Ending::Succeeded)), _) => format!("done, {calls}"),
        (Some((_, Ending::GaveUp { .. })), _) => format!("failed after {calls}"),
        (Some((_, Ending::Cancelled)), _) => format!("cancelled after {calls}"),
        (None, Some(_)) => format!("running, {calls}"),
        (None, None) => format!("queued {}", duration(story.time(index).saturating_sub(job.queued.at))),
    }
}

fn person<'a>(story: &'a Story, job: &Job) -> Option<&'a Person> {
    story.people.get(job.person?)
}
