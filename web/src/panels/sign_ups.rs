//! Who signs up, and when.

use std::rc::Rc;

use twiceproof_sim::scenario::{Action as Deed, Operation, Scenario, USERS};
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{Go, button, on};
use crate::edit::Edit;
use crate::icons::{Icon, icon};
use crate::words;

pub(super) fn section(state: &State, go: &Go) -> Html {
    match state.scenario() {
        Some(scenario) => html! { <SignUps scenario={scenario.clone()} go={go.clone()} /> },
        None => from_journal(state),
    }
}

#[derive(Clone, PartialEq, Properties)]
struct Props {
    scenario: Rc<Scenario>,
    go: Go,
}

/// The list can be long and changes with the scenario only: a component, so that a step draws nothing of it.
#[component]
fn SignUps(props: &Props) -> Html {
    let Props { scenario, go } = props;
    let mut number = 0;
    let rows = scenario.operations.iter().enumerate().map(|(place, operation)| {
        if let Deed::Add { .. } = operation.action {
            number += 1;
        }
        row(go, place, number, operation)
    });
    let edit = |edit: Edit| on(go, Action::Edit(edit));
    html! {
        <section>
            <h2 class="hd">{ "Sign-ups" }{ add_menu(go) }</h2>
            <ol class="signups" data-roving="">{ for rows }</ol>
            <div class="btns" data-roving="">
                { button("Same again", edit(Edit::Again), scenario.operations.is_empty()) }
                { button("Two at once", edit(Edit::TwoAtOnce), false) }
            </div>
        </section>
    }
}

fn from_journal(state: &State) -> Html {
    let name = match &state.source {
        crate::app::state::Source::Journal { name } => name.to_string(),
        crate::app::state::Source::Scenario(_) => String::new(),
    };
    html! {
        <section>
            <h2 class="hd">{ "Journal" }</h2>
            <p class="min muted"><bdi>{ name }</bdi>{ " can be played, not changed: it holds what happened. Who signs up, which step is an email and what is to go wrong stands in a scenario; a story has one." }</p>
        </section>
    }
}

/// A user of the playground, to be added with one click.
fn add_menu(go: &Go) -> Html {
    let item = |(number, user): (usize, &twiceproof_sim::scenario::User)| {
        html! {
            <li>
                <button class="btn quiet" type="button" popovertarget="add-menu" popovertargetaction="hide"
                    onclick={on(go, Action::Edit(Edit::Add(number as u32)))}>
                    <b>{ user.name }</b><span class="mono muted">{ user.id }</span>
                </button>
            </li>
        }
    };
    html! {
        <span class="hd-r">
            <button class="btn quiet add" type="button" popovertarget="add-menu">{ icon(Icon::Add) }{ "Add" }</button>
            <div class="menu" id="add-menu" popover="auto">
                <p class="min muted">{ "Who signs up?" }</p>
                <ul>{ for USERS.iter().enumerate().map(item) }</ul>
                <button class="btn quiet" type="button" popovertarget="add-menu" popovertargetaction="hide"
                    onclick={on(go, Action::Edit(Edit::OtherData))}>
                    { "The last one, with other data" }
                </button>
            </div>
        </span>
    }
}

fn row(go: &Go, place: usize, number: u32, operation: &Operation) -> Html {
    let (mark, name, detail) = match operation.action {
        Deed::Add { user, data } => {
            let user = USERS[user as usize];
            let detail = if data == 0 { user.id.to_owned() } else { format!("{} v{}", user.id, data + 1) };
            (number.to_string(), user.name.to_owned(), detail)
        }
        Deed::Restart => (String::new(), "App".to_owned(), "restarts".to_owned()),
        Deed::ForgetKeys { user } => {
            (String::new(), "Keys".to_owned(), format!("of {} expire", USERS[user as usize].id))
        }
    };
    let label = format!("Remove line {}: {name}, {}", place + 1, words::clock(operation.at));
    html! {
        <li key={format!("{place}-{name}")}>
            <span class="n">{ mark }</span>
            <b>{ name }</b>
            <span class="mono muted">{ detail }</span>
            <span class="at muted">{ words::clock(operation.at) }</span>
            <button class="btn icon bare" type="button" aria-label={label.clone()} title={label}
                onclick={on(go, Action::Edit(Edit::Remove(place)))}>{ icon(Icon::Close) }</button>
        </li>
    }
}
