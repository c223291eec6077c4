//! First, back, play, forward, last; the scrubber over the events, with the faults above it; the speed.

use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::playback;
use crate::app::state::State;
use crate::app::view::Speed;
use crate::controls::{Go, icon_button, input_of, on};
use crate::icons::{Icon, icon};
use crate::story::Kind;
use crate::words;

/// More marks than this above one scrubber would be a smear.
const MARKS_MAX: usize = 80;

/// The transport bar.
pub fn transport(state: &State, go: &Go) -> Html {
    let (at_start, at_end) = (state.index == 0, state.at_end());
    html! {
        <div class="transport" role="group" aria-label="Playback">
            <div class="tb" data-roving="">
                { icon_button(Icon::First, "First event", on(go, Action::First), at_start) }
                { icon_button(Icon::Back, "Step back", on(go, Action::Back), at_start) }
                { play_button(state, go) }
                { icon_button(Icon::Forward, "Step forward", on(go, Action::Forward), at_end) }
                { icon_button(Icon::Last, "Last event", on(go, Action::Last), at_end) }
            </div>
            <div class="scrub">
                { marks(state) }
                { scrubber(state, go) }
            </div>
            <p class="ev"><span class="ev-word">{ "event " }</span><b>{ state.index }</b>{ format!(" of {}", state.story.len()) }</p>
            { speed(state, go) }
        </div>
    }
}

fn play_button(state: &State, go: &Go) -> Html {
    let (what, text) = if state.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    html! {
        <button class="btn play" type="button" data-hold={playback::hold(state).map(|halves| halves.to_string())} onclick={on(go, Action::Toggle)} disabled={state.story.is_empty()}>
            { icon(what) }{ text }
        </button>
    }
}

fn scrubber(state: &State, go: &Go) -> Html {
    let seek = {
        let go = go.clone();
        move |event: InputEvent| {
            let Some(index) = input_of(&event).and_then(|input| input.value().parse().ok()) else { return };
            go.dispatch(Action::Seek(index));
        }
    };
    html! {
        <input type="range" class="range" aria-label="Event" min="0" max={state.story.len().to_string()} step="1"
            value={state.index.to_string()} aria-valuetext={words::value_text(&state.story, state.index, state.said_index())} oninput={seek} />
    }
}

/// The scrubber's track, above it, at its place, what went wrong and what came of it, and below it a tick for each
/// caption.
fn marks(state: &State) -> Html {
    let shown = [
        (Kind::Lost, "lostl", "M-3 4L1 -4M0 4L4 -4"),
        (Kind::Failed, "lostl", "M-3 -3L3 3M3 -3L-3 3"),
        (Kind::DoneAgain, "d-dup", "M0 -4.5L4.5 0L0 4.5L-4.5 0Z"),
        (Kind::Skipped, "keyed", "M-3 -3H3A3 3 0 0 1 3 3H-3A3 3 0 0 1 -3 -3Z"),
        (Kind::Conflict, "warned", "M-2 -4H2L4 -2V2L2 4H-2L-4 2V-2Z"),
        (Kind::GaveUp, "stopsq", "M-3.5 -3.5H3.5V3.5H-3.5Z"),
        (Kind::Restart, "lostl", "M-2 -5V5M2 -5V5"),
    ];
    let total = state.story.len().max(1);
    let secret = state.keeps_a_secret();
    let mark = |(kind, class, path): (Kind, &'static str, &'static str)| {
        let entries = state.story.counts.entries(kind).iter();
        entries
            .filter(|entry| !(state.view.worker_only && kind.is_providers()) && (!secret || **entry < state.index))
            .map(|entry| {
                let x = format!("{:.2}%", (entry + 1) as f64 * 100.0 / total as f64);
                html! { <svg {x} y="7" overflow="visible"><path {class} d={path} /></svg> }
            })
            .collect::<Vec<_>>()
    };
    let marks: Vec<Html> = shown.into_iter().flat_map(mark).take(MARKS_MAX).collect();
    let tick = |index: usize| {
        let x = format!("{:.2}%", index as f64 * 100.0 / total as f64);
        html! { <line class="stop" x1={x.clone()} x2={x} y1="29" y2="33" /> }
    };
    let played = format!("{:.2}%", state.index as f64 * 100.0 / total as f64);
    html! {
        <svg class="marks" height="36" aria-hidden="true">
            <line class="track" x1="0" x2="100%" y1="24" y2="24" />
            if state.index > 0 {
                <line class="played" x1="0" x2={played} y1="24" y2="24" />
            }
            { for marks }
            { for state.stops().map(tick) }
        </svg>
    }
}

fn speed(state: &State, go: &Go) -> Html {
    let choose = {
        let go = go.clone();
        move |event: Event| {
            let select: Option<HtmlSelectElement> = event.target().and_then(|target| target.dyn_into().ok());
            let label = select.map(|select| select.value()).unwrap_or_default();
            if let Some(speed) = Speed::ALL.into_iter().find(|speed| speed.label() == label) {
                go.dispatch(Action::Speed(speed));
            }
        }
    };
    let option = |speed: Speed| {
        html! {
            <option value={speed.label()} selected={speed == state.view.speed}>{ speed.label() }</option>
        }
    };
    html! {
        <select class="btn speed" aria-label="Speed" onchange={choose}>{ for Speed::ALL.into_iter().map(option) }</select>
    }
}
