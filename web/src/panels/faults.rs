//! What goes wrong, and every limit, as chips with the value in them.

use std::rc::Rc;

use twiceproof_sim::scenario::{Fault, FaultKind, Scenario};
use yew::prelude::*;

use super::strategy::edits;
use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{self, Go, on, switch};
use crate::edit::{self, Edit};
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
            if state.view.worker_only {
                <p class="min muted">{ "Which calls go wrong is hidden, as is what the provider did." }</p>
            }
            <div class="chips">
                { for scenario.faults.iter().filter(|_| !state.view.worker_only).map(|fault| fault_chip(go, scenario, fault)) }
                { for LIMITS.iter().map(|limit| chip(limit, scenario, go)) }
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
        <div class="pair" data-roving="">
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

/// What a chip is about.
struct Limit {
    id: &'static str,
    label: &'static str,
    long_label: &'static str,
    /// What it can be, with its range.
    needs: &'static str,
    value: fn(&Scenario) -> String,
    read: fn(&str) -> Option<Edit>,
}

const PERCENT: &str = "a percentage from 0 to 100";
const WINDOW: &str = "a time from 0 ms to 400 d, like 260 ms or 24 h, or never";

/// The chips that are always there.
const LIMITS: [Limit; 7] = [
    Limit {
        id: "fails",
        label: "fails",
        long_label: "calls that fail",
        needs: PERCENT,
        value: |scenario| units::percent(scenario.fail),
        read: |text| units::read_percent(text).map(Edit::Fail),
    },
    Limit {
        id: "lost",
        label: "lost",
        long_label: "email replies that are lost",
        needs: PERCENT,
        value: |scenario| units::percent(scenario.lost),
        read: |text| units::read_percent(text).map(Edit::Lost),
    },
    Limit {
        id: "seed",
        label: "seed",
        long_label: "seed of all draws",
        needs: "a whole number from 0 to 18,446,744,073,709,551,615",
        value: |scenario| scenario.seed.to_string(),
        read: |text| units::read_whole(text).map(Edit::Seed),
    },
    Limit {
        id: "attempts",
        label: "attempts",
        long_label: "attempts at most",
        needs: "a whole number from 1 to 20",
        value: |scenario| scenario.retry.attempts.to_string(),
        read: |text| units::read_whole(text).map(Edit::Attempts),
    },
    Limit {
        id: "wait",
        label: "wait",
        long_label: "wait before a retry",
        needs: "two times up to 400 d like 0.2–2 s: the first wait and the longest",
        value: |scenario| units::range(scenario.retry.base_delay_ms, scenario.retry.max_delay_ms),
        read: |text| units::read_range(text).map(|(first, longest)| Edit::Wait(first, longest)),
    },
    Limit {
        id: "timeout",
        label: "timeout",
        long_label: "a worker waits for a reply",
        needs: "a time from 1 ms to 1 h, like 260 ms or 1.5 s",
        value: |scenario| units::duration(scenario.timeout_ms),
        read: |text| units::read_duration(text).map(Edit::Timeout),
    },
    Limit {
        id: "keys",
        label: "keys",
        long_label: "our store remembers for",
        needs: WINDOW,
        value: |scenario| units::window(scenario.key_ttl_ms),
        read: |text| units::read_window(text).map(Edit::KeyTtl),
    },
];

/// Those that few readers need.
const MORE_LIMITS: [Limit; 2] = [
    Limit {
        id: "workers",
        label: "workers",
        long_label: "jobs under way at once",
        needs: "a whole number from 1 to 50",
        value: |scenario| scenario.workers.to_string(),
        read: |text| units::read_whole(text).map(Edit::Workers),
    },
    Limit {
        id: "provider-keys",
        label: "provider keys",
        long_label: "the provider remembers for",
        needs: WINDOW,
        value: |scenario| units::window(scenario.provider_window_ms),
        read: |text| units::read_window(text).map(Edit::ProviderWindow),
    },
];

/// A chip whose text means an edit that can be made, or else says what it needs.
fn chip(limit: &'static Limit, scenario: &Rc<Scenario>, go: &Go) -> Html {
    let (go, before) = (go.clone(), scenario.clone());
    let take = Callback::from(move |typed: String| {
        let edit = (limit.read)(&typed).filter(|edit| edit::apply(&before, edit, 0).is_ok());
        let refused = || format!("{} needs {}, got \u{201c}{typed}\u{201d}.", limit.label, limit.needs);
        edit.map(|edit| go.dispatch(Action::Edit(edit))).ok_or_else(refused)
    });
    controls::chip(limit.id, limit.label, limit.long_label, limit.needs, (limit.value)(scenario), take)
}

fn more(scenario: &Rc<Scenario>, go: &Go) -> Html {
    html! {
        <details class="more">
            <summary>{ "More limits" }</summary>
            <div class="chips">{ for MORE_LIMITS.iter().map(|limit| chip(limit, scenario, go)) }</div>
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
    fn every_limit_reads_back_what_it_shows() {
        let scenario = Scenario { fail: 1e-10, key_ttl_ms: None, ..Scenario::default() };
        for limit in LIMITS.iter().chain(&MORE_LIMITS) {
            let edit = (limit.read)(&(limit.value)(&scenario)).unwrap();
            assert_eq!(edit::apply(&scenario, &edit, 0).unwrap(), scenario, "{}", limit.id);
        }
    }

    #[test]
    fn the_reply_to_lose_is_the_next_email_s() {
        let state = State::default();
        let call = next_email_reply(&state.story, 0).unwrap();
        assert_eq!(call, AttemptName { job: 1, step: 2, attempt: 1 });
        assert_eq!(next_email_reply(&state.story, state.story.len()), None);
    }
}
