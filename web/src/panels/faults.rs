//! What goes wrong, and every limit, as chips with the value in them.

use twiceproof_sim::scenario::{Fault, FaultKind, Scenario};
use yew::prelude::*;

use super::strategy::edits;
use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{self, Go, on, switch};
use crate::edit::Edit;
use crate::icons::{Icon, icon};
use crate::story::{AttemptName, Story};
use crate::units;
use crate::words;

pub(super) fn section(state: &State, go: &Go) -> Html {
    let Some(scenario) = state.scenario() else { return Html::default() };
    html! {
        <section>
            <h2 class="hd">{ "Faults and limits" }</h2>
            { next_buttons(state, go) }
            <div class="chips">
                { for scenario.faults.iter().map(|fault| fault_chip(go, scenario, fault)) }
                { chance_chips(scenario, go) }
                { limit_chips(scenario, go) }
            </div>
            { more(scenario, go) }
        </section>
    }
}

/// The two faults that a reader wants without looking for a call first.
fn next_buttons(state: &State, go: &Go) -> Html {
    let fault = |text: &'static str, call: Option<AttemptName>, kind: FaultKind| {
        let words = call.map(|call| format!("{}: {}", text, call_words(&state.story, call)));
        let onclick = call.map(|call| on(go, Action::Edit(Edit::Fate(call, Some(kind)))));
        html! { <button class="btn" type="button" title={words} disabled={call.is_none()} {onclick}>{ text }</button> }
    };
    html! {
        <div class="pair">
            { fault("Fail next call", state.story.next_call(state.index), FaultKind::Fail) }
            { fault("Lose email reply", next_email_reply(&state.story, state.index), FaultKind::LoseReply) }
        </div>
    }
}

/// The next call to a step that sends an email and whose reply still comes: losing it is what the page is about.
fn next_email_reply(story: &Story, from: usize) -> Option<AttemptName> {
    let calls = story.jobs.iter().flat_map(|job| &job.steps).filter(|step| step.what.email);
    calls
        .flat_map(|step| &step.attempts)
        .filter(|attempt| attempt.joined.is_none() && attempt.lost.is_none())
        .filter_map(|attempt| Some((attempt.did.as_ref()?.0.entry, attempt.name)))
        .filter(|(done, _)| *done >= from)
        .min()
        .map(|(_, name)| name)
}

fn call_words(story: &Story, call: AttemptName) -> String {
    let step = story.step(call.job, call.step).map_or("a step", |step| &step.what.name);
    format!("job {}, {step}, attempt {}", call.job, call.attempt)
}

/// A fault by name; a click takes it away.
fn fault_chip(go: &Go, scenario: &Scenario, fault: &Fault) -> Html {
    let kind = match fault.kind {
        FaultKind::Fail => "fail",
        FaultKind::LoseReply => "lose reply",
        FaultKind::Succeed => "goes well",
    };
    let key = scenario.steps.get(fault.step as usize - 1).map_or("step", |step| step.key.as_str());
    let short = key.strip_suffix("-email").unwrap_or(key);
    let what = format!("job {}, {short}, {}", fault.job, words::nth(fault.attempt));
    let call = AttemptName { job: fault.job, step: fault.step, attempt: fault.attempt };
    html! {
        <button class="chip fault" type="button" title="Take this fault away"
            onclick={on(go, Action::Edit(Edit::Fate(call, None)))}>
            <span class="sr">{ "Take away: " }</span><span>{ format!("{kind} ") }</span><b>{ what }</b>{ icon(Icon::Close) }
        </button>
    }
}

/// A chip whose text means an edit, or else says what it needs.
fn chip(
    go: &Go,
    label: &'static str,
    long_label: &'static str,
    value: String,
    read: fn(&str) -> Result<Action, &'static str>,
) -> Html {
    let go = go.clone();
    let take = Callback::from(move |typed: String| {
        go.dispatch(read(&typed).unwrap_or_else(|needs| Action::Say {
            text: format!("\u{201c}{long_label}\u{201d} needs {needs}, got \u{201c}{typed}\u{201d}."),
            problem: true,
        }));
    });
    controls::chip(label, long_label, value, take)
}

const PERCENT: &str = "a percentage from 0 to 100";
const WHOLE: &str = "a whole number";
const TIME: &str = "a time like 260 ms, 1.5 s or 24 h";
const WINDOW: &str = "a time like 260 ms or 24 h, or never";

fn chance_chips(scenario: &Scenario, go: &Go) -> Html {
    let fail = |text: &str| units::read_percent(text).map(|p| Action::Edit(Edit::Fail(p))).ok_or(PERCENT);
    let lost = |text: &str| units::read_percent(text).map(|p| Action::Edit(Edit::Lost(p))).ok_or(PERCENT);
    let seed = |text: &str| units::read_whole(text).map(|seed| Action::Edit(Edit::Seed(seed))).ok_or(WHOLE);
    html! {
        <>
            { chip(go, "fails", "calls that fail", units::percent(scenario.fail), fail) }
            { chip(go, "lost", "email replies that are lost", units::percent(scenario.lost), lost) }
            { chip(go, "seed", "seed of all draws", scenario.seed.to_string(), seed) }
        </>
    }
}

fn limit_chips(scenario: &Scenario, go: &Go) -> Html {
    let retry = scenario.retry;
    let attempts = |text: &str| units::read_whole(text).map(|n| Action::Edit(Edit::Attempts(n))).ok_or(WHOLE);
    let wait = |text: &str| {
        let range = units::read_range(text).ok_or("two times like 0.2–2 s: the first wait and the longest")?;
        Ok(Action::Edit(Edit::Wait(range.0, range.1)))
    };
    let timeout = |text: &str| units::read_duration(text).map(|ms| Action::Edit(Edit::Timeout(ms))).ok_or(TIME);
    let ttl = |text: &str| units::read_window(text).map(|ms| Action::Edit(Edit::KeyTtl(ms))).ok_or(WINDOW);
    let waits = units::range(retry.base_delay_ms, retry.max_delay_ms);
    html! {
        <>
            { chip(go, "attempts", "attempts at most", retry.attempts.to_string(), attempts) }
            { chip(go, "wait", "wait before a retry", waits, wait) }
            { chip(go, "timeout", "a worker waits for a reply", units::duration(scenario.timeout_ms), timeout) }
            { chip(go, "keys", "our store remembers for", units::window(scenario.key_ttl_ms), ttl) }
        </>
    }
}

fn more(scenario: &Scenario, go: &Go) -> Html {
    let workers = |text: &str| units::read_whole(text).map(|n| Action::Edit(Edit::Workers(n))).ok_or(WHOLE);
    let window = |text: &str| units::read_window(text).map(|ms| Action::Edit(Edit::ProviderWindow(ms))).ok_or(WINDOW);
    let remembered = units::window(scenario.provider_window_ms);
    html! {
        <details class="more">
            <summary>{ "More limits" }</summary>
            <div class="chips">
                { chip(go, "workers", "jobs under way at once", scenario.workers.to_string(), workers) }
                { chip(go, "provider keys", "the provider remembers for", remembered, window) }
            </div>
            { switch("Waits are drawn (jitter)", scenario.retry.jitter, false, edits(go, Edit::Jitter)) }
            { switch("Our store compares data", scenario.store_compares_data, false, edits(go, Edit::StoreCompares)) }
            { switch("Provider compares data", scenario.provider_compares_data, false, edits(go, Edit::ProviderCompares)) }
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_to_lose_is_the_next_email_s() {
        let state = State::default();
        let call = next_email_reply(&state.story, 0).unwrap();
        assert_eq!(call, AttemptName { job: 1, step: 2, attempt: 1 });
        assert_eq!(next_email_reply(&state.story, state.story.len()), None);
    }
}
