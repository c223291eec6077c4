//! One call from both sides, and what its fate should be.

use twiceproof_sim::scenario::FaultKind;
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{Go, on};
use crate::edit::Edit;
use crate::story::{Attempt, AttemptName, Did, KeyState, Seen, Story};
use crate::words;

/// The call the inspector is about: the selected one, else the last that has started, else the first to come.
pub fn looked_at(state: &State) -> Option<AttemptName> {
    state.selected.or_else(|| latest(&state.story, state.index)).or_else(|| state.story.next_call(state.index))
}

fn latest(story: &Story, index: usize) -> Option<AttemptName> {
    let attempts = story.jobs.iter().flat_map(|job| &job.steps).flat_map(|step| &step.attempts);
    attempts
        .filter(|attempt| attempt.started.by(index) && attempt.joined.is_none())
        .max_by_key(|attempt| attempt.started)
        .map(|attempt| attempt.name)
}

pub(super) fn section(state: &State, go: &Go) -> Html {
    let attempt = looked_at(state).and_then(|call| state.story.attempt(call));
    let Some(attempt) = attempt else {
        return html! {
            <section>
                <h2 class="hd">{ "Call" }</h2><p class="min muted">{ if state.keeps_a_secret() { "No call yet." } else { "No call is made." } }</p>
            </section>
        };
    };
    let title = match state.selected {
        Some(_) => "Selected",
        None if attempt.started.by(state.index) => "Latest call",
        None => "Next call",
    };
    let name = attempt.name;
    let step = state.story.step(name.job, name.step).map(|step| step.what.name.to_string()).unwrap_or_default();
    let rows = facts(state, attempt).map(|(term, fact)| {
        html! { <div><dt>{ term }</dt><dd>{ fact }</dd></div> }
    });
    html! {
        <section>
            <h2 class="hd">{ title }{ close(state, go) }</h2>
            <p class="call">{ format!("Job {}, {step}, attempt {}", name.job, name.attempt) }</p>
            <dl class="kv">{ for rows }</dl>
            { fates(state, go, name) }
        </section>
    }
}

fn close(state: &State, go: &Go) -> Html {
    if state.selected.is_none() {
        return Html::default();
    }
    html! { <button class="hd-a" type="button" onclick={on(go, Action::Select(None))}>{ "follow playback" }</button> }
}

fn facts(state: &State, attempt: &Attempt) -> [(&'static str, String); 4] {
    [
        ("Worker saw", worker_saw(state, attempt)),
        ("Provider did", provider_did(state, attempt)),
        ("Key sent", key_sent(state, attempt)),
        ("Saved", saved(state, attempt)),
    ]
}

fn worker_saw(state: &State, attempt: &Attempt) -> String {
    let took = |at: u64| words::duration(at.saturating_sub(attempt.started.at));
    match attempt.seen(state.index) {
        _ if !attempt.started.by(state.index) => "not called yet".to_owned(),
        None => "no reply yet".to_owned(),
        Some((moment, Seen::Reply)) => format!("reply after {}", took(moment.at)),
        Some((moment, Seen::NoReply(_))) => format!("timeout after {}", took(moment.at)),
        Some((moment, Seen::Error(error))) => format!("error {error} after {}", took(moment.at)),
        Some((moment, Seen::Interrupted)) => format!("stopped after {}", took(moment.at)),
    }
}

fn provider_did(state: &State, attempt: &Attempt) -> String {
    if state.view.worker_only {
        return "hidden".to_owned();
    }
    if !state.story.provider_recorded {
        return "not recorded".to_owned();
    }
    let step = state.story.step(attempt.name.job, attempt.name.step);
    let done = step.and_then(|step| step.what.done.clone()).unwrap_or_else(|| "done".into());
    match attempt.did(state.index) {
        None if attempt.arrived.is_some_and(|arrived| arrived.by(state.index)) => "request arrived".to_owned(),
        None => "nothing yet".to_owned(),
        Some((moment, Did::Effect(1))) => format!("{done} at {}", words::clock(moment.at)),
        Some((moment, Did::Effect(count))) => format!("{done} again, no. {count}, at {}", words::clock(moment.at)),
        Some((_, Did::KnewKey)) => "knew the key, nothing".to_owned(),
        Some((_, Did::Refused)) => "refused: other data".to_owned(),
        Some((_, Did::Failed)) => "nothing, it failed before".to_owned(),
    }
}

fn key_sent(state: &State, attempt: &Attempt) -> String {
    if attempt.arrived.is_none() || !attempt.started.by(state.index) {
        return "–".to_owned();
    }
    attempt.sent_key.as_deref().unwrap_or("none").to_owned()
}

fn saved(state: &State, attempt: &Attempt) -> String {
    let now = state.now();
    let by_this = state.story.lifelines.iter().find(|line| line.spans.iter().any(|span| span.by == attempt.name));
    let by = |by: AttemptName| (by.job, by.step) == (attempt.name.job, attempt.name.step);
    match by_this.map(|line| (line, line.state(state.index, now))) {
        Some((line, KeyState::Saved { by: saver, .. })) if by(saver) => line.action.to_string(),
        _ => "nothing".to_owned(),
    }
}

/// What should become of the call. The one that holds is pressed; pressing it again leaves the call to chance.
fn fates(state: &State, go: &Go, call: AttemptName) -> Html {
    // The one that holds tells what the provider does.
    let Some(scenario) = state.scenario().filter(|_| !state.view.worker_only) else { return Html::default() };
    let named = |fault: &&twiceproof_sim::scenario::Fault| {
        (fault.job, fault.step, fault.attempt) == (call.job, call.step, call.attempt)
    };
    let holds = scenario.faults.iter().find(named).map(|fault| fault.kind);
    let fate = |kind: FaultKind, text: &'static str| {
        let pressed = holds == Some(kind);
        let next = (!pressed).then_some(kind);
        html! {
            <button type="button" class={classes!("btn", pressed.then_some("pressed"))}
                aria-pressed={pressed.to_string()} onclick={on(go, Action::Edit(Edit::Fate(call, next)))}>
                { text }
            </button>
        }
    };
    html! {
        <div class="btns fates" data-roving="" role="group" aria-label="What becomes of this call">
            { fate(FaultKind::Fail, "Fail before") }
            { fate(FaultKind::LoseReply, "Reply lost") }
            { fate(FaultKind::Succeed, "Goes well") }
        </div>
    }
}
