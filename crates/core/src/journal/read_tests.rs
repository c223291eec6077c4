//! `tests/data/every-kind.jsonl` has an entry of every kind, with and without what may be absent.

use alloc::{collections::BTreeSet, format, string::ToString, vec::Vec};

use super::*;

const EVERY_KIND: &str = include_str!("../../tests/data/every-kind.jsonl");

fn read(line: &str) -> Read<Entry> {
    let value = serde_json::from_str(line).map_err(|error: serde_json::Error| error.to_string())?;
    entry(&value)
}

/// The number of a kind. A new kind needs a number of its own here, and with it a line in the file.
fn number(event: &Event) -> usize {
    match event {
        Event::Opened { .. } => 0,
        Event::WorkflowDefined { .. } => 1,
        Event::FunctionDefined { .. } => 2,
        Event::RetentionSet { .. } => 3,
        Event::WorkflowPaused { .. } => 4,
        Event::WorkflowResumed { .. } => 5,
        Event::RunQueued { .. } => 6,
        Event::EventAccepted { .. } => 7,
        Event::EventHeld { .. } => 8,
        Event::StartSkipped { .. } => 9,
        Event::EventPruned { .. } => 10,
        Event::EnqueueRepeated { .. } => 11,
        Event::EnqueueRefused { .. } => 12,
        Event::RunRestarted { .. } => 13,
        Event::RunStarted { .. } => 14,
        Event::StepFound { .. } => 15,
        Event::StepReplayed { .. } => 16,
        Event::KeyClaimed { .. } => 17,
        Event::KeyExpired { .. } => 18,
        Event::KeyForgotten { .. } => 19,
        Event::StepSkipped { .. } => 20,
        Event::StepJoined { .. } => 21,
        Event::KeyConflict { .. } => 22,
        Event::AttemptStarted { .. } => 23,
        Event::AttemptSucceeded { .. } => 24,
        Event::AttemptFailed { .. } => 25,
        Event::AttemptInterrupted { .. } => 26,
        Event::KeySaved { .. } => 27,
        Event::KeyReleased { .. } => 28,
        Event::RetryScheduled { .. } => 29,
        Event::SleepStarted { .. } => 30,
        Event::SleepEnded { .. } => 31,
        Event::StepGaveUp { .. } => 32,
        Event::HandlerFailed { .. } => 33,
        Event::RunSucceeded { .. } => 34,
        Event::RunGaveUp { .. } => 35,
        Event::CancelRequested { .. } => 36,
        Event::RunCancelled { .. } => 37,
        Event::RunPruned { .. } => 38,
        Event::RunForgotten { .. } => 39,
        Event::ProcessRestarted => 40,
        Event::RequestArrived { .. } => 41,
        Event::EffectDone { .. } => 42,
        Event::ProviderKnewKey { .. } => 43,
        Event::ProviderRefused { .. } => 44,
        Event::CallFailed { .. } => 45,
        Event::ReplyLost { .. } => LAST,
    }
}

const LAST: usize = 46;

#[test]
fn every_kind_reads_back_as_it_was_written() {
    let mut seen = BTreeSet::new();
    for line in EVERY_KIND.lines() {
        let entry = read(line).unwrap_or_else(|what| panic!("{what}: {line}"));
        seen.insert(number(&entry.event));
        assert_eq!(serde_json::to_string(&entry).unwrap(), line);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..=LAST).collect::<Vec<_>>(), "kinds that the file has");
}

#[test]
fn what_is_missing_or_of_another_form_is_named() {
    let read = |rest: &str| read(&format!("{{\"seq\":0,\"at\":0,{rest}}}")).unwrap_err();
    for (rest, what) in [
        (r#""type":"run-started","run":0"#, "its pass is missing"),
        (r#""type":"run-started","run":"0","pass":1"#, "its run needs a whole number, got \"0\""),
        (r#""type":"run-started","run":-1,"pass":1"#, "its run needs a whole number, got -1"),
        (
            r#""type":"run-started","run":0,"pass":4294967296"#,
            "its pass needs a whole number of at most 4294967295, got 4294967296",
        ),
        (r#""type":"step-found","run":0,"step":0,"name":5"#, "its name needs a text, got 5"),
        (r#""type":"run-restarted","run":0,"fresh":1"#, "its fresh needs true or false, got 1"),
        (r#""type":"step-gave-up","run":0,"step":0,"why":"bored""#, "its why is unknown: \"bored\""),
        (r#""type":"opened","options":[]"#, "its options needs an object, got []"),
        (r#""type":"born""#, "its type is unknown: \"born\""),
        (r#""type":null"#, "its type is missing"),
    ] {
        assert_eq!(read(rest), what);
    }
    let policy = r#"{"maxAttempts":3,"baseDelayMs":0,"maxDelayMs":0,"factor":0.5,"jitter":"none","maxRetryAfterMs":0}"#;
    let definition = format!(
        r#""type":"workflow-defined","workflow":0,"definition":{{"name":"w","steps":"found","stepRetry":{policy},"runRetry":{policy},"memo":true,"once":false,"compareData":false}}"#
    );
    assert_eq!(read(&definition), "its factor needs a finite number of at least 1, got 0.5");
}
