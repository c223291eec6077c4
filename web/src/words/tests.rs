use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation, Scenario};
use twiceproof_sim::strategy::{RetryScope, SentKey};

use super::*;
use crate::story::samples::two_emails;
use crate::story::{AttemptName, Story};

/// Scenarios that between them bring most kinds of events.
fn stories() -> Vec<Story> {
    let mut stories = vec![two_emails()];
    for (scope, key) in [(RetryScope::EachStep, SentKey::None), (RetryScope::WholeJob, SentKey::Same)] {
        for skip_finished in [false, true] {
            let mut scenario = Scenario { workers: 2, key_ttl_ms: Some(400), ..Scenario::default() };
            scenario.strategy.retry = scope;
            scenario.strategy.key = key;
            scenario.strategy.skip_finished = skip_finished;
            let add = |at, data| Operation { at, action: Action::Add { user: 0, data } };
            let restart = Operation { at: 90, action: Action::Restart };
            let forget = Operation { at: 2150, action: Action::ForgetKeys { user: 0 } };
            scenario.operations = vec![add(0, 0), add(0, 0), restart, add(2000, 1), forget];
            let fault = |job, attempt, kind| Fault { job, step: 2, attempt, kind };
            scenario.faults = (1..=3).map(|attempt| fault(1, attempt, FaultKind::Fail)).collect();
            scenario.faults.push(fault(3, 1, FaultKind::LoseReply));
            let trace = twiceproof_sim::run::run(&scenario).unwrap();
            stories.push(Story::new(&scenario, trace.entries.into()));
        }
    }
    stories
}

#[test]
fn every_entry_has_a_sentence() {
    for story in stories() {
        assert!(!story.is_empty());
        for line in transcript(&story) {
            assert!(line.text.ends_with('.') && line.text.len() > 10, "{line:?}");
            assert!(!line.text.contains("key 0"), "a key without its name: {line:?}");
        }
        for index in 0..=story.len() {
            assert!(value_text(&story, index, index).starts_with(&format!("event {index} of {}", story.len())));
        }
    }
}

#[test]
fn a14_the_sentence_says_what_the_worker_cannot_see() {
    let story = two_emails();
    let texts: Vec<_> = transcript(&story).into_iter().map(|line| line.text).collect();
    let has = |text: &str| assert!(texts.iter().any(|line| line == text), "{text:?} not in {texts:#?}");
    has("The email went out. The reply did not come back.");
    has("A second email goes out to Ana.");
    has("“send the welcome email” will be tried again in 187 ms, drawn from 0 to 200 ms.");
    has("Job 2 is done, without a single call.");
    has("Job 1 is done after 4 calls.");
}

#[test]
fn marks_and_jobs_say_how_they_stand() {
    let story = two_emails();
    let end = story.len();
    let state = |attempt, both| {
        let attempt = story.attempt(AttemptName { job: 1, step: 2, attempt }).unwrap();
        attempt_state(&story, attempt, end, both)
    };
    let worker = "Attempt 1: timed out after 260 ms; the worker thinks it failed";
    assert_eq!(state(1, true), format!("{worker}. Provider did the work: sent; reply lost"));
    assert_eq!(state(1, false), worker);
    assert_eq!(state(2, true), "Attempt 2 done; reply received. Provider sent a second email");
    assert_eq!(skip_state(&story.jobs[1].steps[0].skips[0], 2), "Skipped: result saved by job 1");
    assert_eq!(wait_state(&story.jobs[0].steps[1].waits[0], end), "Waiting 187 ms of up to 200 ms");
    assert_eq!(job_about(&story, &story.jobs[1]), "Ana again");
    assert_eq!(job_state(&story, &story.jobs[0], end), "done, 4 calls");
}

#[test]
fn times_read_as_people_say_them() {
    let cases = [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (1250, "1.25 s"),
        (60_000, "1 min"),
        (90_500, "1 min 30.5 s"),
        (86_400_000, "24 h"),
        (86_400_060, "1 d 60 ms"),
        (187_200_000, "2 d 4 h"),
    ];
    for (ms, text) in cases {
        assert_eq!(duration(ms), text);
    }
    assert_eq!([nth(2), nth(11), nth(22), nth_word(2)], ["2nd", "11th", "22nd", "second"].map(String::from));
}
