//! What is said of the doors for duplicates: stable run IDs and how long they hold.

use twiceproof_core::admission::{Difference, DifferenceKind, Mismatch};

use super::units::duration;

/// How long finished jobs are kept.
pub(super) fn kept(keep_ms: Option<u64>) -> String {
    match keep_ms {
        Some(ms) => format!("Finished jobs are kept for {}.", duration(ms)),
        None => "Finished jobs are kept for ever.".into(),
    }
}

/// A request with the ID of `job` that was refused.
pub(super) fn refused(job: &str, mismatch: Option<&Mismatch>) -> String {
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
