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
/// Envelopes drawn where there is one line.
const DRAWN_IN_STRIP: usize = 3;

pub(super) fn section(state: &State, go: &Go) -> Html {
    let row = |row: Html| html! { <li>{ row }</li> };
    let Some((people, bet)) = each(state, go, DRAWN_MAX) else { return Html::default() };
    html! {
        <section class="got-part">
            <h2 class="hd">{ "What each user got" }</h2>
            <ul class="got">{ for people.into_iter().map(row) }</ul>
            { bet }
        </section>
    }
}

/// The same in one line, for small screens.
pub fn strip(state: &State, go: &Go) -> Html {
    let one = |one: Html| html! { <span>{ one }</span> };
    let Some((people, bet)) = each(state, go, DRAWN_IN_STRIP) else { return Html::default() };
    html! { <div class="strip">{ for people.into_iter().map(one) }{ bet }</div> }
}

/// What each person got, or the way to it, and the reader's bet. Nothing for a journal: it names runs and steps, and does not say
/// which of them is an email to whom.
fn each(state: &State, go: &Go, drawn: usize) -> Option<(Vec<Html>, Html)> {
    state.scenario()?;
    let one = |(number, person): (usize, &Person)| {
        let emails = state.story.emails(number, state.index);
        html! {
            <>
                <b>{ &*person.name }</b>
                <span class="envs">{ for emails.iter().take(drawn).map(envelope) }</span>
                { total(emails) }
            </>
        }
    };
    let people = if state.view.worker_only {
        vec![hidden(go)]
    } else {
        state.story.people.iter().enumerate().map(one).collect()
    };
    let bet = caption::bet(state).map(|bet| html! { <p class="min muted">{ bet }</p> });
    Some((people, bet.unwrap_or_default()))
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
