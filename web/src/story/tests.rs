use super::samples::{entries, good_call, queued, two_emails, workflow};
use super::*;
use twiceproof_core::ids::{KeyId, RunId, StepId, WorkflowId};

const EMAIL_1: AttemptName = AttemptName { job: 1, step: 2, attempt: 1 };

#[test]
fn a14_the_worker_sees_a_failure_where_the_provider_did_the_work() {
    let story = two_emails();
    let attempt = story.attempt(EMAIL_1).unwrap();
    let end = story.len();
    assert!(matches!(attempt.seen(end), Some((_, Seen::NoReply(_)))));
    assert!(matches!(attempt.did(end), Some((_, Did::Effect(1)))));
    assert!(attempt.is_lost(end));
}

#[test]
fn nothing_is_known_before_its_entry_is_played() {
    let story = two_emails();
    let attempt = story.attempt(EMAIL_1).unwrap();
    let (ended, _) = attempt.ended.clone().unwrap();
    assert_eq!(attempt.seen(ended.entry), None);
    assert!(attempt.seen(ended.entry + 1).is_some());
    for index in 0..=story.len() {
        let emails: usize = (0..story.people.len()).map(|person| story.emails(person, index).len()).sum();
        let effects = story.counts.at(Kind::Done, index) + story.counts.at(Kind::DoneAgain, index);
        assert!(emails <= effects);
        assert!(story.keys(index).count() <= story.lifelines.len());
    }
}

#[test]
fn a16_a19_the_second_sign_up_reads_three_saved_keys() {
    let story = two_emails();
    let end = story.len();
    assert_eq!(story.jobs[1].repeats, Repeats::Same);
    assert_eq!(story.jobs[1].calls(end), 0);
    assert_eq!(story.counts.at(Kind::Skipped, end), 3);
    assert_eq!(story.lifelines[1].name.as_ref(), "welcome-email:user_1001");
    assert_eq!(story.lifelines[1].spans.len(), 2);
    assert_eq!(story.lifelines[1].spans[0].ended.unwrap().1, Release::NotSaved);
    assert!(story.lifelines.iter().take(3).all(|line| line.reads.len() == 1));
    assert_eq!(story.emails(0, end).len(), 2);
    assert_eq!(story.emails(1, end).len(), 1);
}

#[test]
fn d3_stops_lead_there_and_back() {
    let story = two_emails();
    let mut there = vec![0];
    while *there.last().unwrap() < story.len() {
        there.push(story.next_stop(*there.last().unwrap()));
    }
    let mut back = vec![story.len()];
    while *back.last().unwrap() > 0 {
        back.push(story.previous_stop(*back.last().unwrap()));
    }
    back.reverse();
    assert_eq!(there, back);
}

#[test]
fn the_next_call_and_the_next_reply_can_be_named() {
    let story = two_emails();
    assert_eq!(story.next_call(0), Some(AttemptName { job: 1, step: 1, attempt: 1 }));
    let started = story.attempt(EMAIL_1).unwrap().started.entry;
    assert_eq!(story.next_call(started), Some(EMAIL_1));
    assert_eq!(story.next_reply(started), Some(AttemptName { job: 1, step: 2, attempt: 2 }));
    assert_eq!(story.next_call(story.len()), None);
}

#[test]
fn time_and_index_lead_to_each_other() {
    let story = two_emails();
    assert_eq!(story.time(0), 0);
    for index in 1..=story.len() {
        assert!(story.index_at(story.time(index)) >= index);
        assert_eq!(story.time(story.index_at(story.time(index))), story.time(index));
    }
}

#[test]
fn a07_an_expired_key_is_noticed_when_it_is_used() {
    let (run, step, key) = (RunId(1), StepId(0), KeyId(0));
    let mut events = vec![
        (0, Event::WorkflowDefined { workflow: WorkflowId(0), definition: workflow() }),
        (0, queued(0, "user_1001")),
        (0, Event::RunStarted { run: RunId(0), pass: 1 }),
    ];
    events.extend(good_call(0, 0, 1, 0, 0, 60, 1));
    events.push((90_000_000, queued(1, "user_1001")));
    events.push((90_000_000, Event::KeyExpired { key, expired_at: 86_400_060 }));
    events.push((90_000_000, Event::KeyClaimed { run, step, key }));
    events.push((90_000_000, Event::AttemptStarted { run, step, attempt: 1 }));
    let story = Story::new(&Scenario::default(), entries(events));
    assert_eq!(story.step(2, 1).unwrap().expired[0].since, 86_400_060);
    assert_eq!(story.counts.total(Kind::Expired), 1);
    let line = &story.lifelines[0];
    assert_eq!(line.state(10, 86_400_059), KeyState::Saved { by: line.spans[0].by, expires_at: Some(86_400_060) });
    assert_eq!(line.state(10, 86_400_060), KeyState::Expired { since: 86_400_060 });
}

#[test]
fn a13_a_restart_clears_the_store_and_queues_what_was_active() {
    let mut events = vec![
        (0, Event::WorkflowDefined { workflow: WorkflowId(0), definition: workflow() }),
        (0, queued(0, "user_1001")),
        (0, Event::RunStarted { run: RunId(0), pass: 1 }),
    ];
    events.extend(good_call(0, 0, 1, 0, 0, 60, 1));
    events.push((70, Event::ProcessRestarted));
    let story = Story::new(&Scenario::default(), entries(events));
    assert_eq!(story.keys(story.len() - 1).count(), 1);
    assert_eq!(story.keys(story.len()).count(), 0);
    assert_eq!(story.jobs[0].passes.len(), 2);
    assert_eq!(story.jobs[0].passes[1].queued.map(|moment| moment.at), Some(70));
}

#[test]
fn a_journal_without_its_scenario_tells_its_own_names() {
    let run = RunId(0);
    let mut definition = workflow();
    definition.steps = twiceproof_core::workflow::Steps::Found;
    let story = Story::of_journal(entries(vec![
        (5, Event::WorkflowDefined { workflow: WorkflowId(0), definition }),
        (5, queued(0, "order-7")),
        (5, Event::RunStarted { run, pass: 1 }),
        (6, Event::StepFound { run, step: StepId(0), name: "charge".into() }),
        (6, Event::AttemptStarted { run, step: StepId(0), attempt: 1 }),
        (9, Event::AttemptSucceeded { run, step: StepId(0), attempt: 1 }),
    ]));
    assert!(!story.provider_recorded);
    assert_eq!(story.jobs[0].steps[0].what.name.as_ref(), "charge");
    assert_eq!(story.people[0].name.as_ref(), "order-7");
}

#[test]
fn a_cancelled_job_sleeps_no_more() {
    let (run, step) = (RunId(0), StepId(0));
    let mut definition = workflow();
    definition.steps = twiceproof_core::workflow::Steps::Found;
    let story = Story::of_journal(entries(vec![
        (0, Event::WorkflowDefined { workflow: WorkflowId(0), definition }),
        (0, queued(0, "order-7")),
        (0, Event::RunStarted { run, pass: 1 }),
        (0, Event::StepFound { run, step, name: "a day".into() }),
        (0, Event::SleepStarted { run, step, until: 86_400_000 }),
        (3_600_000, Event::RunCancelled { run }),
    ]));
    let wait = story.jobs[0].steps[0].waits[0];
    assert_eq!([wait.cancelled_after(5), wait.cancelled_after(6)], [None, Some(3_600_000)]);
    assert_eq!(crate::words::wait_state(&wait, 5), "Sleeping 24 h");
    assert_eq!(crate::words::wait_state(&wait, 6), "Slept 1 h of 24 h, then cancelled");
}

#[test]
fn a_wait_that_a_restart_cut_short_was_not_cancelled() {
    let (run, step) = (RunId(0), Some(StepId(0)));
    let story = Story::new(
        &Scenario::default(),
        entries(vec![
            (0, Event::WorkflowDefined { workflow: WorkflowId(0), definition: workflow() }),
            (0, queued(0, "user_1001")),
            (0, Event::RunStarted { run, pass: 1 }),
            (0, Event::RetryScheduled { run, step, until: 200, delay_ms: 200, delay_ms_max: 200 }),
            (100, Event::ProcessRestarted),
            (100, Event::RunCancelled { run }),
        ]),
    );
    assert_eq!(story.jobs[0].steps[0].waits[0].cancelled_after(story.len()), None);
}
