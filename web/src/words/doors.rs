//! What is said of the doors for duplicates: stable run IDs, event IDs, function keys, and how long they hold.

use twiceproof_core::admission::{Difference, DifferenceKind, Mismatch};
use twiceproof_core::events::NoStart;
use twiceproof_core::ids::{EventId, RunId};

use super::units::duration;

/// An event, as people count.
pub(super) fn event_name(event: EventId) -> String {
    format!("event {}", event.0 + 1)
}

/// An event that was accepted.
pub(super) fn event(event: EventId, name: &str, duplicate_of: Option<EventId>) -> String {
    let number = event.0 + 1;
    match duplicate_of {
        None => format!("Event {number} arrives: {name}."),
        Some(first) => format!("Event {number} arrives: {name}, with the ID of {}.", event_name(first)),
    }
}

/// Why an event did not start a job of its own.
pub fn not_started(event: EventId, why: &NoStart) -> String {
    let event = event_name(event);
    let job = |run: &RunId| format!("job {}", run.0 + 1);
    match why {
        NoStart::DuplicateEvent { winner, left_ms } => {
            let (first, left) = (event_name(*winner), duration(*left_ms));
            format!("Nothing starts: {event} repeats the ID of {first}, which counts for {left} more.")
        }
        NoStart::DuplicateFunctionKey { winner, left_ms } => {
            let left = left_ms.map_or_else(|| "for ever".into(), |left| format!("for {} more", duration(left)));
            format!("Nothing starts: {event} has the key of {}, which counts {left}.", job(winner))
        }
        NoStart::Paused => format!("Nothing starts while the function is paused. {event} can be replayed."),
        NoStart::Debounced { winner } => format!("{} takes the place of {event}.", event_name(*winner)),
        NoStart::Batched { winner } => format!("{event} is part of {}.", job(winner)),
        NoStart::RateLimited { winner, left_ms } => {
            let left = duration(*left_ms);
            format!(
                "Nothing starts: there were as many starts as allowed. The next may be in {left}, after {}.",
                job(winner)
            )
        }
        NoStart::NoKey { error } => format!("Nothing starts: {event} has no key that can be used ({error})."),
        NoStart::Full => "Nothing starts: the engine holds as many jobs as it can.".into(),
    }
}

/// How long finished jobs are kept.
pub(super) fn kept(keep_ms: Option<u64>) -> String {
    match keep_ms {
        Some(ms) => format!("Finished jobs are kept for {}.", duration(ms)),
        None => "Finished jobs are kept for ever.".into(),
    }
}

/// A request with the ID of `job` that was refused.
pub fn refused(job: &str, mismatch: Option<&Mismatch>) -> String {
    match mismatch {
        None => format!("A request with the ID of {job} is refused, because that job exists."),
        Some(Mismatch::Workflow) => format!("A request with the ID of {job} is refused: it is for another workflow."),
        Some(Mismatch::Payload { differences, .. }) if differences.is_empty() => {
            format!("A request with the ID of {job} is refused: its payload is another.")
        }
        Some(Mismatch::Payload { differences, more }) => {
            let places: Vec<String> = differences.iter().map(place).collect();
            let more = if *more > 0 { format!(", and {more} more") } else { String::new() };
            format!("A request with the ID of {job} is refused: {}{more}.", places.join(", "))
        }
    }
}

fn place(difference: &Difference) -> String {
    let path = &difference.path;
    match difference.kind {
        DifferenceKind::Missing => format!("{path} is missing"),
        DifferenceKind::Extra => format!("{path} is new"),
        DifferenceKind::Type => format!("{path} has another type"),
        DifferenceKind::Value => format!("{path} has another value"),
    }
}
