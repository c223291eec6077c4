//! The three doors for a duplicate, side by side: what each stops, for how long, and what it lets through. Each can be
//! opened.

use twiceproof_core::ids::EventId;
use twiceproof_sim::doors::{Came, Door, Doors, Scene, Sent, scenes};
use yew::prelude::*;

use crate::controls::switch;
use crate::icons;
use crate::words;

/// The scenes. It is a component because it remembers which doors are shut.
#[component]
pub fn ThreeDoors() -> Html {
    let doors = use_state(|| Doors::SHUT);
    let one = |scene: &Scene| door(scene, &doors);
    html! {
        <section class="compare doors" aria-labelledby="doors-title">
            <div class="chead"><h2 id="doors-title">{ "Three doors for a duplicate" }</h2></div>
            <p class="muted rules-about">
                { "The same click, sent more often than once: as an event, as a request, as a retry. Open a door and see what it had stopped." }
            </p>
            <div class="door-list">{ for scenes(*doors).iter().map(one) }</div>
        </section>
    }
}

fn door(scene: &Scene, doors: &UseStateHandle<Doors>) -> Html {
    let shut = doors.is_shut(scene.door);
    let turn = {
        let (doors, door) = (doors.clone(), scene.door);
        Callback::from(move |on: bool| {
            let mut next = *doors;
            match door {
                Door::EventId => next.event_id = on,
                Door::RunId => next.run_id = on,
                Door::ProviderKey => next.provider_key = on,
            }
            doors.set(next);
        })
    };
    let (label, remembers) = told(scene.door);
    let line = |(place, sent): (usize, &Sent)| {
        let inside = shut && sent.at < scene.window_ms;
        let again = matches!(sent.came, Came::Began) && sent.at > 0;
        html! {
            <li class={classes!(inside.then_some("within"), again.then_some("through"))}>
                <span class="muted">{ when(sent.at) }{ sent.what }</span>
                <span>{ outcome(place, sent) }</span>
            </li>
        }
    };
    html! {
        <div class="door">
            { switch(label, shut, false, turn) }
            <p class="min muted">{ format!("{remembers} {}", words::duration(scene.window_ms)) }</p>
            <ol>{ for scene.sent.iter().enumerate().map(line) }</ol>
            <p class="door-sum">{ for emails(scene) }{ format!(" {}", words::emails(total(scene))) }</p>
        </div>
    }
}

/// What the switch of a door is called, and how its memory is told.
fn told(door: Door) -> (&'static str, &'static str) {
    match door {
        Door::EventId => ("Events carry an ID", "Remembered from the first event on, for"),
        Door::RunId => ("Requests carry a run ID", "Remembered until pruned: from the end of the run, for"),
        Door::ProviderKey => ("Calls carry a key", "Remembered by the provider, here for"),
    }
}

/// The time of something, where its description does not say it.
fn when(at: u64) -> String {
    if at < 60_000 { format!("{}: ", words::duration(at)) } else { String::new() }
}

fn outcome(place: usize, sent: &Sent) -> String {
    match &sent.came {
        Came::Began if sent.at == 0 => "It begins, and an email leaves.".to_owned(),
        Came::Began => "Work begins again: another email.".to_owned(),
        Came::NotStarted(why) => words::not_started(EventId(place as u32), why),
        Came::Existing => "The run that has this ID is handed back. Nothing new is made.".to_owned(),
        Came::Refused(mismatch) => words::refused("the first run", Some(mismatch)),
        Came::ReplyLost => "The email leaves. The reply is lost.".to_owned(),
        Came::Known => "The provider knows the key, sends nothing, and answers as it did before.".to_owned(),
    }
}

fn total(scene: &Scene) -> usize {
    scene.sent.last().map_or(0, |sent| sent.emails as usize)
}

fn emails(scene: &Scene) -> impl Iterator<Item = Html> {
    let wanted = scene.wanted as usize;
    (0..total(scene)).map(move |email| icons::envelope(email >= wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_what_came_of_it_and_a_conflict_names_the_place() {
        let [events, runs, calls] = scenes(Doors::SHUT);
        let texts: Vec<String> = runs.sent.iter().map(|sent| outcome(0, sent)).collect();
        assert!(texts[2].contains("payload.receivedAt has another value"), "{texts:?}");
        assert!(outcome(1, &events.sent[1]).contains("event 2 repeats the ID of event 1"));
        assert!(outcome(1, &calls.sent[1]).contains("knows the key"));
    }
}
