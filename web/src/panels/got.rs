//! What each user got: an envelope for every email that really left, and the total in words.

use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::caption;
use crate::controls::{Go, button, on};
use crate::icons;
use crate::story::{Email, Person};
use crate::words;

/// Envelopes drawn; beyond that the number says it.
const DRAWN_MAX: usize = 5;

/// Nothing for a journal: it names runs and steps, and does not say which of them is an email to whom.
pub(super) fn section(state: &State, go: &Go) -> Html {
    if state.scenario().is_none() {
        return Html::default();
    }
    let people = state.story.people.iter().enumerate();
    let row = |(number, person): (usize, &Person)| {
        let emails = state.story.emails(number, state.index);
        html! {
            <li key={number}>
                <b>{ &*person.name }</b>
                <span class="envs">{ for emails.iter().take(DRAWN_MAX).map(envelope) }</span>
                { total(emails) }
            </li>
        }
    };
    html! {
        <section class="got-part">
            <h2 class="hd">{ "What each user got" }</h2>
            if state.view.worker_only {
                { hidden(go) }
            } else {
                <ul class="got">{ for people.map(row) }</ul>
            }
            if let Some(bet) = caption::bet(state) {
                <p class="min muted">{ bet }</p>
            }
        </section>
    }
}

/// The same in one line, for small screens.
pub fn strip(state: &State, go: &Go) -> Html {
    if state.scenario().is_none() {
        return Html::default();
    }
    let people = state.story.people.iter().enumerate();
    let one = |(number, person): (usize, &Person)| {
        let emails = state.story.emails(number, state.index);
        html! {
            <span key={number}>
                <b>{ &*person.name }</b>{ for emails.iter().take(3).map(envelope) }{ total(emails) }
            </span>
        }
    };
    html! {
        <div class="strip">
            if state.view.worker_only {
                { hidden(go) }
            } else {
                { for people.map(one) }
            }
            if let Some(bet) = caption::bet(state) {
                <span class="min muted">{ bet }</span>
            }
        </div>
    }
}

/// In place of what the worker cannot know.
fn hidden(go: &Go) -> Html {
    button("Show what really happened", on(go, Action::WorkerOnly(false)), false)
}

fn total(emails: &[Email]) -> Html {
    let text = words::emails(emails.len());
    if emails.iter().any(|email| email.nth > 1) {
        html! { <b class="harm-t">{ text }</b> }
    } else {
        html! { <span class={emails.is_empty().then_some("muted")}>{ text }</span> }
    }
}

fn envelope(email: &Email) -> Html {
    icons::envelope(email.nth > 1)
}
