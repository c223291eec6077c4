//! The three doors for a duplicate, side by side: what each stops, for how long, and what it lets through. Each can be
//! opened.
//!
//! | module | what |
//! |---|---|
//! | `layout` | where marks, windows and times stand on the axis of a scene |
//! | `draw` | draws that |
//! | `text` | says that |

mod draw;
mod layout;
mod text;

use twiceproof_sim::doors::{Door, Doors, Scene, Sent, scenes};
use yew::prelude::*;

use crate::below::Change;
use crate::controls::switch;
use crate::icons;
use crate::words;

/// What the section is drawn from.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which doors are shut.
    pub doors: Doors,
    /// A door is opened or shut.
    pub change: Callback<Change>,
}

/// The scenes.
#[component]
pub fn ThreeDoors(props: &Props) -> Html {
    let played = use_memo(props.doors, |doors| scenes(*doors));
    html! {
        <section class="compare doors" aria-labelledby="doors-title">
            <div class="chead"><h2 id="doors-title">{ "Three doors for a duplicate" }</h2></div>
            <p class="muted rules-about">
                { "The same click, sent more often than once: as an event, as a request, as a retry. Open a door and see what it had stopped. Times stand in their order; the zigzag folds a long one." }
            </p>
            <div class="door-list">{ for played.iter().map(|scene| card(scene, props)) }</div>
        </section>
    }
}

fn card(scene: &Scene, props: &Props) -> Html {
    let turned = |&door: &Door| {
        let turn = props.change.reform(move |shut: bool| Change::Door(door, shut));
        let (label, remembers) = text::told(door);
        html! {
            <>
                { switch(label, props.doors.is_shut(door), false, turn) }
                <p class="min muted">{ format!("{remembers} {}", words::duration(door.window_ms())) }</p>
            </>
        }
    };
    html! {
        <div class="door">
            { for scene.doors.iter().map(turned) }
            { draw::axis(scene, text::axis(scene)) }
            <ol>{ for scene.sent.iter().enumerate().map(|(place, sent)| line(scene, place, sent)) }</ol>
            <p class="door-sum">{ for emails(scene) }{ format!(" {}", words::emails(scene.emails() as usize)) }</p>
        </div>
    }
}

fn line(scene: &Scene, place: usize, sent: &Sent) -> Html {
    let through = sent.came.is_effect() && sent.emails > scene.wanted;
    html! {
        <li class={classes!(through.then_some("through"))}>
            <span class="muted">{ place + 1 }</span>
            <svg width="38" height="24" viewBox="-14 -12 38 24" aria-hidden="true">{ draw::mark(scene, sent) }</svg>
            <div>
                <span class="muted">{ text::when(sent.at) }{ sent.what }</span>
                <span>{ text::outcome(place, sent) }</span>
            </div>
        </li>
    }
}

fn emails(scene: &Scene) -> impl Iterator<Item = Html> {
    let wanted = scene.wanted;
    (0..scene.emails()).map(move |email| icons::envelope(email >= wanted))
}
