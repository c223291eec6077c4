//! The scenarios of `tests/scenarios/`: what each comes to, and the exact journal it makes, on every platform.

use std::collections::BTreeMap;

use serde::Deserialize;
use twiceproof_core::journal::Event;
use twiceproof_sim::{
    run::{ENTRIES_MAX, Trace, run},
    scenario::{Action, Fault, FaultKind, Operation, Scenario, ScenarioError, Step, USERS},
};

#[derive(Deserialize)]
struct Case {
    about: String,
    scenario: serde_json::Value,
    expect: Expect,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Expect {
    /// Emails that reached each user who got any.
    emails: BTreeMap<String, u32>,
    /// Calls to providers.
    calls: usize,
    /// Jobs that were given up.
    dead: usize,
}

fn outcome(scenario: &Scenario, trace: &Trace) -> Expect {
    let (mut emails, mut subjects, mut calls, mut dead) = (BTreeMap::new(), Vec::new(), 0, 0);
    for entry in &trace.entries {
        match &entry.event {
            Event::RunQueued { subject: Some(subject), .. } => subjects.push(subject.to_string()),
            Event::AttemptStarted { .. } => calls += 1,
            Event::RunGaveUp { .. } => dead += 1,
            Event::EffectDone { run, step, .. } if scenario.steps[step.index()].email => {
                *emails.entry(subjects[run.index()].clone()).or_default() += 1;
            }
            _ => {}
        }
    }
    Expect { emails, calls, dead }
}

macro_rules! scenarios {
    ($($name:ident: $file:literal)*) => {$(
        #[test]
        fn $name() {
            let case: Case = serde_json::from_str(include_str!(concat!("../../../tests/scenarios/", $file, ".json"))).unwrap();
            let scenario = Scenario::from_json(&case.scenario.to_string()).unwrap();
            let trace = run(&scenario).unwrap();
            assert_eq!(outcome(&scenario, &trace), case.expect, "{}", case.about);
        }
    )*};
}

scenarios! {
    a14_lost_reply: "lost-reply"
    a23_same_twice_no_store: "same-twice-no-store"
    a19_a20_same_twice_with_store: "same-twice-with-store"
    a03_both_at_once: "both-at-once"
    a14_store_still_doubles: "store-still-doubles"
    a15_provider_key: "provider-key"
    a24_new_key_each_call: "new-key-each-call"
    a15_provider_forgets: "provider-forgets"
    a31_whole_job: "whole-job"
    a38_whole_job_skip: "whole-job-skip"
    a40_three_faults_anywhere: "three-faults-anywhere"
    a40_three_faults_each_step: "three-faults-each-step"
    a27_forgotten_too_soon: "forgotten-too-soon"
    a12_other_data_unchecked: "other-data-unchecked"
    s2_3_other_data_refused: "other-data-refused"
    a13_restart_forgets: "restart-forgets"
    a23_restart_in_flight: "restart-in-flight"
    a23_expired_by_hand: "expired-by-hand"
    a30_gave_up: "gave-up"
}

/// The same constant is checked natively, in Node and in the page: same input, same bytes.
#[test]
fn d1_the_default_scenario_makes_the_same_bytes_everywhere() {
    let busy = Scenario { fail: 0.2, lost: 0.3, ..Scenario::default() };
    let digests = [Scenario::default(), busy].map(|scenario| run(&scenario).unwrap().digest());
    let expected = [
        "67458440ca24b4adbc6a1db63dfc70d07243f1261e2bbd4076962210bd6d8e08",
        "b124722571fe28fd0b42d5899f34fede64197cd15e029023806818f00c7f01c6",
    ];
    assert_eq!(digests, expected);
}

fn default_with(field: &str, value: serde_json::Value) -> Result<Scenario, ScenarioError> {
    let mut json: serde_json::Value = serde_json::from_str(&Scenario::default().to_json()).unwrap();
    *json.pointer_mut(field).expect("the field exists") = value;
    Scenario::from_json(&json.to_string())
}

#[test]
fn a_scenario_reads_back_as_it_was_written() {
    let scenario = Scenario::default();
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
}

#[test]
fn an_unknown_version_is_refused_by_its_number() {
    let error = default_with("/version", 7.into()).unwrap_err();
    assert_eq!(error, ScenarioError::UnknownVersion(7));
    assert_eq!(error.to_string(), "version needs 1, got 7");
    assert_eq!(Scenario::from_json(r#"{"version":2,"somethingNew":true}"#), Err(ScenarioError::UnknownVersion(2)));
}

#[test]
fn a_value_out_of_range_is_refused_by_its_path() {
    let message = |field, value| default_with(field, value).unwrap_err().to_string();
    assert_eq!(message("/fail", 1.5.into()), "fail needs a probability from 0 to 1, got 1.5");
    assert_eq!(message("/retry/attempts", 0.into()), "retry.attempts needs a whole number from 1 to 20, got 0");
    assert_eq!(message("/steps/1/name", "".into()), "steps[1].name needs a text of 1 to 100 bytes, got 0 bytes");
    assert_eq!(
        message("/steps/1/key", "save-user".into()),
        "steps[1].key needs a text that no other step has, got \"save-user\" twice"
    );
    assert_eq!(
        message("/operations/0/do/add/user", 99.into()),
        format!("operations[0].do.user needs a user's number from 0 to {}, got 99", USERS.len() - 1)
    );
    assert!(message("/workers", (-1).into()).starts_with("this is not a scenario: "));
    assert!(Scenario::from_json("nonsense").unwrap_err().to_string().starts_with("this is not a scenario: "));
    assert!(
        Scenario::from_json(r#"{"version":1,"seed":1,"surprise":2}"#).unwrap_err().to_string().contains("surprise")
    );
}

/// A scenario with every kind of member.
fn full() -> serde_json::Value {
    let mut scenario = Scenario { key_ttl_ms: Some(5), provider_window_ms: Some(6), ..Scenario::default() };
    scenario.faults = [FaultKind::Fail, FaultKind::LoseReply, FaultKind::Succeed]
        .into_iter()
        .zip(1..)
        .map(|(kind, attempt)| Fault { job: 1, step: 1, attempt, kind })
        .collect();
    let actions = [Action::Add { user: 0, data: 3 }, Action::Restart, Action::ForgetKeys { user: 1 }];
    scenario.operations = actions.into_iter().map(|action| Operation { at: 0, action }).collect();
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario.clone()));
    serde_json::from_str(&scenario.to_json()).unwrap()
}

/// Every place in a value, as a JSON pointer.
fn places(value: &serde_json::Value, at: String, found: &mut Vec<String>) {
    let members: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        serde_json::Value::Array(items) => items.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect(),
        _ => vec![],
    };
    for (name, value) in members {
        let place = format!("{at}/{name}");
        places(value, place.clone(), found);
        found.push(place);
    }
}

#[test]
fn a_member_of_the_wrong_form_one_too_many_and_one_too_few_are_refused_by_name() {
    let whole = full();
    let mut all = Vec::new();
    places(&whole, String::new(), &mut all);
    assert!(all.len() > 60, "{}", all.len());
    let optional = ["keyTtlMs", "storeComparesData", "providerWindowMs", "providerComparesData", "faults", "data"];
    for place in all {
        let (parent, name) = place.rsplit_once('/').unwrap();
        let is_item = name.parse::<usize>().is_ok();
        // An item has no name; the list that it stands in has.
        let named = if is_item { parent.rsplit('/').next().unwrap() } else { name };
        let refusal = |value: &serde_json::Value| match Scenario::from_json(&value.to_string()) {
            Err(ScenarioError::Syntax(what)) => what,
            other => panic!("{place}: {other:?}"),
        };

        let mut wrong = whole.clone();
        *wrong.pointer_mut(&place).unwrap() = serde_json::json!([[]]);
        let what = refusal(&wrong);
        assert!(what.contains(named), "{place} of the wrong form: {what}");

        if wrong.pointer(parent).unwrap().is_object() {
            let mut more = whole.clone();
            more.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert("surprise".into(), 1.into());
            assert!(refusal(&more).contains("surprise"), "one too many at {parent}");

            let mut fewer = whole.clone();
            fewer.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name);
            if optional.contains(&name) {
                assert!(Scenario::from_json(&fewer.to_string()).is_ok(), "{place} may be absent");
            } else {
                let what = refusal(&fewer);
                assert!(what.contains(name) || what.contains("forget-keys"), "without {place}: {what}");
            }
        }
    }
}

#[test]
fn a_trace_that_grows_too_long_is_cut_and_says_so() {
    let mut scenario = Scenario { fail: 0.6, ..Scenario::default() };
    scenario.retry.attempts = 20;
    let (add, step) = (scenario.operations[0].clone(), scenario.steps[0].clone());
    scenario.operations = vec![add; 200];
    scenario.steps =
        (0..30).map(|n| Step { name: format!("step {n}"), key: format!("step-{n}"), ..step.clone() }).collect();
    let trace = run(&scenario).unwrap();
    assert!(trace.cut);
    // What happens at one instant stays together, so the cut is a little behind the maximum.
    assert!((ENTRIES_MAX..ENTRIES_MAX + 1000).contains(&trace.entries.len()), "{}", trace.entries.len());
}
