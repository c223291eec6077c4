//! The legend: a permanent strip that names each mark, counts it, and dims the others at a press.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::state::State;
use crate::app::view::View;
use crate::icons::{Glyph, glyph};
use crate::story::{Kind, Story};

/// What a first story needs.
const ALWAYS: [Kind; 4] = [Kind::Replied, Kind::Lost, Kind::Done, Kind::DoneAgain];

/// The kinds the legend shows: what a first story needs, and whatever else happens in this one.
pub fn kinds(story: &Story) -> Vec<Kind> {
    Kind::ALL.into_iter().filter(|kind| ALWAYS.contains(kind) || story.counts.total(*kind) > 0).collect()
}

/// Its name in the legend.
pub const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Replied => "reply received",
        Kind::Lost => "reply lost",
        Kind::Failed => "failed",
        Kind::Done => "work done",
        Kind::DoneAgain => "done again",
        Kind::KnewKey => "key known",
        Kind::Skipped => "skipped",
        Kind::Joined => "joined",
        Kind::Waiting => "waiting",
        Kind::Expired => "forgotten",
        Kind::Conflict => "other data",
        Kind::GaveUp => "gave up",
        Kind::Restart => "restart",
    }
}

/// The strip. Each item is a toggle: pressed, its marks stay and the rest stand back. `on_pick` gets the kinds that
/// are pressed from now on.
pub fn legend(state: &State, on_pick: &Callback<Rc<[Kind]>>) -> Html {
    let State { story, index, view: View { worker_only, picked, .. }, .. } = state;
    let (index, secret) = (*index, state.keeps_a_secret());
    // To the worker a reply that got lost is one that did not come in time.
    let name = |kind| if *worker_only && kind == Kind::Lost { "timed out" } else { name(kind) };
    let item = |kind: Kind| {
        let pressed = picked.contains(&kind);
        let onclick = {
            let (picked, on_pick) = (picked.clone(), on_pick.clone());
            Callback::from(move |_: MouseEvent| on_pick.emit(toggled(&picked, kind)))
        };
        html! {
            <li key={name(kind)}>
                <button class={classes!("lg", pressed.then_some("picked"))} type="button" aria-pressed={pressed.to_string()} {onclick}>
                    { sample(kind) }<span>{ name(kind) }</span><b>{ story.counts.at(kind, index) }</b>
                </button>
            </li>
        }
    };
    // Before a story's question is answered, what has not happened yet is not named.
    let named = kinds(story)
        .into_iter()
        // Nobody counted what the provider did where nobody recorded it.
        .filter(|kind| !kind.is_providers() || !*worker_only && story.provider_recorded)
        .filter(|kind| !secret || ALWAYS.contains(kind) || story.counts.at(*kind, index) > 0);
    html! { <div class="legend"><ul aria-label="Legend" data-roving="">{ for named.map(item) }</ul></div> }
}

fn toggled(picked: &[Kind], kind: Kind) -> Rc<[Kind]> {
    if picked.contains(&kind) {
        picked.iter().copied().filter(|other| *other != kind).collect()
    } else {
        picked.iter().copied().chain([kind]).collect()
    }
}

/// The kinds that stand back when these are picked.
pub fn dimmed(picked: &[Kind]) -> Rc<[Kind]> {
    if picked.is_empty() {
        Rc::default()
    } else {
        Kind::ALL.into_iter().filter(|kind| !picked.contains(kind)).collect()
    }
}

/// A small drawing of a kind's mark.
pub fn sample(kind: Kind) -> Html {
    const BAR: &str = "M21 2V14H4a3 3 0 0 1 -3 -3V5a3 3 0 0 1 3 -3Z";
    const TORN: &str = "M4 2H21L16.5 5L21 8L16.5 11L21 14H4a3 3 0 0 1 -3 -3V5a3 3 0 0 1 3 -3Z";
    const OCTAGON: &str = "M8.4 1.5H13.6L17.5 5.4V10.6L13.6 14.5H8.4L4.5 10.6V5.4Z";
    let drawing = match kind {
        Kind::Replied => html! { <path class="ok" d={BAR} /> },
        Kind::Lost => html! { <path class="bad" d={TORN} /> },
        Kind::Failed => {
            html! { <><path class="bad" d={BAR} /><path class="hatch" d="M3 11L10 4M7 13L16 4M13 13L19 7" /></> }
        }
        Kind::Done => html! { <path class="d-effect" d="M11 2L17 8L11 14L5 8Z" /> },
        Kind::DoneAgain => html! {
            <><path class="d-ring" d="M11 .5L18.5 8L11 15.5L3.5 8Z" /><path class="d-dup" d="M11 4L15 8L11 12L7 8Z" /></>
        },
        Kind::KnewKey => html! {
            <><path class="d-key" d="M9 2L15 8L9 14L3 8Z" /><path class="stroke c-key" stroke="currentColor" d="M15 8H20M18.5 8v3" /></>
        },
        Kind::Skipped => html! {
            <><rect class="keyed" x="1" y="2" width="20" height="12" rx="6" />{ glyph(Glyph::Key, 11.0, 8.0, 0.7, "c-key") }</>
        },
        Kind::Joined => html! { <path class="shared" d={BAR} /> },
        Kind::Waiting => html! { <><path class="wait" d="M3 8H19" /><path class="cap" d="M2 4v8M20 4v8" /></> },
        Kind::Expired => html! {
            <><rect class="keyed broken" x="1" y="2" width="20" height="12" rx="6" />{ glyph(Glyph::Hourglass, 11.0, 8.0, 0.55, "c-key") }</>
        },
        Kind::Conflict => {
            html! { <><path class="warned" d={OCTAGON} />{ glyph(Glyph::Unequal, 11.0, 8.0, 0.65, "c-warn") }</> }
        }
        Kind::GaveUp => html! { <rect class="stopsq" x="5" y="2" width="12" height="12" rx="1" /> },
        Kind::Restart => {
            html! { <><path class="dblline" d="M4 0V16M8 0V16" />{ glyph(Glyph::Restart, 15.5, 8.0, 0.8, "c-text") }</> }
        }
    };
    html! { <svg class="lgm" width="22" height="16" viewBox="0 0 22 16" aria-hidden="true">{ drawing }</svg> }
}
