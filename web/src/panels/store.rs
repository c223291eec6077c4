//! What the key store holds at the playhead, and what the reader can do to it.

use twiceproof_sim::scenario::USERS;
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{Go, icon_text_button, on};
use crate::edit::Edit;
use crate::icons::Icon;
use crate::order;
use crate::story::{KeyState, Lifeline};
use crate::units;
use crate::words;

/// Keys shown, the latest first; the rest is a number.
const SHOWN_MAX: usize = 3;

pub(super) fn section(state: &State, go: &Go) -> Html {
    let now = state.now();
    let mut keys: Vec<(&Lifeline, KeyState)> = state.story.keys(state.index).collect();
    order::sort_by_place(&mut keys, |(line, _)| {
        let claimed = line.spans.iter().rev().map(|span| span.claimed).find(|claimed| claimed.by(state.index));
        (claimed.map_or(u64::MAX, |claimed| !claimed.place().0), 0)
    });
    let row = |(line, key): &(&Lifeline, KeyState)| {
        let hot = matches!(key, KeyState::Running { .. });
        html! {
            <li key={line.name.to_string()} class={hot.then_some("hot")}>
                <span class="mono">{ &*line.name }</span><span class="muted min">{ key_words(*key, now) }</span>
            </li>
        }
    };
    let more = keys.len().saturating_sub(SHOWN_MAX);
    html! {
        <section>
            <h2 class="hd">{ "Key store" }<span class="muted hd-r">{ format!("at {}", words::clock(now)) }</span></h2>
            if keys.is_empty() {
                <p class="min muted">{ nothing(state) }</p>
            } else {
                <ul class="store">{ for keys.iter().take(SHOWN_MAX).map(row) }</ul>
            }
            if more > 0 {
                <p class="min muted">{ format!("and {more} more") }</p>
            }
            { buttons(state, go, &keys) }
        </section>
    }
}

fn nothing(state: &State) -> &'static str {
    match state.scenario() {
        Some(scenario) if !scenario.strategy.skip_finished => "Off: our store does not skip finished steps.",
        _ => "Empty.",
    }
}

fn key_words(key: KeyState, now: u64) -> String {
    match key {
        KeyState::Free => "free".to_owned(),
        KeyState::Running { by } => format!("job {} is at it, attempt {}", by.job, by.attempt),
        KeyState::Saved { by, expires_at: None } => format!("saved by job {}, for ever", by.job),
        KeyState::Saved { by, expires_at: Some(at) } => {
            format!("saved by job {}, forgets in {}", by.job, units::rough_duration(at.saturating_sub(now)))
        }
        KeyState::Expired { since } => format!("forgotten since {}", words::clock(since)),
    }
}

fn buttons(state: &State, go: &Go, keys: &[(&Lifeline, KeyState)]) -> Html {
    if state.scenario().is_none() {
        return Html::default();
    }
    let saved = |id: &str| keys.iter().any(|(line, key)| &*line.subject == id && matches!(key, KeyState::Saved { .. }));
    let users = USERS.iter().zip(0u32..).filter(|(user, _)| saved(user.id)).map(|(_, number)| number);
    let users: Vec<u32> = users.collect();
    let nothing_saved = users.is_empty();
    html! {
        <div class="btns" data-roving="">
            { icon_text_button(Icon::Expire, "Expire now", on(go, Action::Edit(Edit::ForgetKeys(users))), nothing_saved) }
            { icon_text_button(Icon::Restart, "Restart app", on(go, Action::Edit(Edit::Restart)), false) }
        </div>
    }
}
