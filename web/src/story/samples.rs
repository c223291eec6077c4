//! Journals written by hand, for tests.

use std::rc::Rc;

use twiceproof_core::ids::{KeyId, RunId, StepId, WorkflowId};
use twiceproof_core::journal::{EngineOptions, Entry, Event};
use twiceproof_core::retry::RetryPolicy;
use twiceproof_core::workflow::{Steps, Workflow};
use twiceproof_sim::scenario::Scenario;

use super::Story;

/// The entries of `events`, numbered.
pub(crate) fn entries(events: Vec<(u64, Event)>) -> Rc<[Entry]> {
    events.into_iter().enumerate().map(|(seq, (at, event))| Entry { seq: seq as u64, at, event }).collect()
}

/// The workflow of the default scenario.
pub(crate) fn workflow() -> Box<Workflow> {
    let names = Scenario::default().steps.into_iter().map(|step| step.name.as_str().into()).collect();
    Box::new(Workflow {
        name: "sign-up".into(),
        steps: Steps::List(names),
        step_retry: RetryPolicy::once(),
        run_retry: RetryPolicy::once(),
        memo: false,
        once: true,
        compare_data: false,
    })
}

const TTL_MS: u64 = 86_400_000;

/// "Nothing failed, two emails": Ana signs up twice and Ben once, our store is on, and the reply to the first email
/// is lost.
pub(crate) fn two_emails() -> Story {
    Story::new(&Scenario::default(), entries(two_emails_events()))
}

/// The events of [`two_emails`].
pub(crate) fn two_emails_events() -> Vec<(u64, Event)> {
    let mut events = vec![
        (0, Event::Opened { options: EngineOptions { seed: 1, workers: Some(1), key_ttl_ms: Some(TTL_MS) } }),
        (0, Event::WorkflowDefined { workflow: WorkflowId(0), definition: workflow() }),
        (0, queued(0, "user_1001")),
        (2, queued(1, "user_1001")),
        (4, queued(2, "user_1002")),
    ];
    events.insert(3, (0, Event::RunStarted { run: RunId(0), pass: 1 }));
    events.extend(good_call(0, 0, 1, 0, 0, 60, 1));
    events.extend(lost_call(0, 1, 1, 1, 60, 320));
    events.push((
        320,
        Event::RetryScheduled { run: RunId(0), step: Some(StepId(1)), until: 507, delay_ms: 187, delay_ms_max: 200 },
    ));
    events.extend(good_call(0, 1, 2, 1, 507, 577, 2));
    events.extend(good_call(0, 2, 1, 2, 577, 653, 1));
    events.push((653, Event::RunSucceeded { run: RunId(0) }));
    events.push((653, Event::RunStarted { run: RunId(1), pass: 1 }));
    for step in 0..3 {
        events.push((653, skipped(1, step, step)));
    }
    events.push((653, Event::RunSucceeded { run: RunId(1) }));
    events.push((653, Event::RunStarted { run: RunId(2), pass: 1 }));
    events.extend(good_call(2, 0, 1, 3, 653, 713, 1));
    events.extend(good_call(2, 1, 1, 4, 713, 783, 1));
    events.extend(good_call(2, 2, 1, 5, 783, 859, 1));
    events.push((859, Event::RunSucceeded { run: RunId(2) }));
    events.sort_by_key(|&(at, _)| at);
    events
}

/// A sign-up is accepted.
pub(crate) fn queued(run: u32, subject: &str) -> Event {
    let subject = Some(subject.into());
    let (id, data, run_at, payload, origin) = (None, None, None, None, None);
    Event::RunQueued { run: RunId(run), workflow: WorkflowId(0), id, subject, data, run_at, payload, origin }
}

/// A step is answered by job 1's result.
pub(crate) fn skipped(run: u32, step: u32, key: u32) -> Event {
    Event::StepSkipped { run: RunId(run), step: StepId(step), key: KeyId(key), saved_by: RunId(0), other_data: false }
}

/// A call under a key that goes well; the work is done for the `count`th time.
pub(crate) fn good_call(
    run: u32,
    step: u32,
    attempt: u32,
    key: u32,
    from: u64,
    to: u64,
    count: u32,
) -> Vec<(u64, Event)> {
    let (run, step, key) = (RunId(run), StepId(step), KeyId(key));
    let middle = from.midpoint(to);
    vec![
        (from, Event::KeyClaimed { run, step, key }),
        (from, Event::AttemptStarted { run, step, attempt }),
        (middle, Event::RequestArrived { run, step, attempt, key: None }),
        (middle, Event::EffectDone { run, step, attempt, count }),
        (to, Event::AttemptSucceeded { run, step, attempt }),
        (to, Event::KeySaved { key, expires_at: Some(to + TTL_MS) }),
    ]
}

/// A call under a key whose work is done and whose reply is lost.
pub(crate) fn lost_call(run: u32, step: u32, attempt: u32, key: u32, from: u64, to: u64) -> Vec<(u64, Event)> {
    let (run, step, key) = (RunId(run), StepId(step), KeyId(key));
    vec![
        (from, Event::KeyClaimed { run, step, key }),
        (from, Event::AttemptStarted { run, step, attempt }),
        (from + 35, Event::RequestArrived { run, step, attempt, key: None }),
        (from + 35, Event::EffectDone { run, step, attempt, count: 1 }),
        (from + 70, Event::ReplyLost { run, step, attempt }),
        (to, Event::AttemptFailed { run, step, attempt, error: "timed out".into() }),
        (to, Event::KeyReleased { key }),
    ]
}
