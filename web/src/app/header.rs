//! The page's header: which story, and what can be done with it.

use web_sys::Event;
use yew::prelude::*;

use super::action::Action;
use super::state::{Source, State};
use crate::controls::{Go, icon_button, input_of, on};
use crate::icons::{Icon, icon};
use crate::{files, picture, stories};

/// The header.
pub fn header(state: &State, go: &Go) -> Html {
    let skip = |event: MouseEvent| {
        event.prevent_default();
        super::page::scroll_to("timeline");
    };
    html! {
        <header class="top">
            <a class="skip" href="#timeline" onclick={skip}>{ "Skip to the timeline" }</a>
            { brand() }
            { story_nav(state, go) }
            <div class="acts">
                { share(state, go) }
                { export(state, go) }
                { theme(state, go) }
                { super::help::help(state, go) }
            </div>
        </header>
    }
}

fn brand() -> Html {
    html! {
        <a class="brand" href="./">
            <svg class="logo" width="30" height="18" viewBox="0 0 30 18" aria-hidden="true">
                <path class="logo-b" d="M20.5 1.5L28 9L20.5 16.5L13 9Z" /><path class="logo-a" d="M9.5 1L17.5 9L9.5 17L1.5 9Z" />
            </svg>
            <h1>{ "Twiceproof" }</h1>
        </a>
    }
}

fn story_nav(state: &State, go: &Go) -> Html {
    let place = state.named.map(stories::Entry::place);
    let open =
        |place: Option<usize>| place.and_then(|place| stories::ALL.get(place)).map(|named| on(go, Action::Open(named)));
    let (previous, next) =
        (open(place.and_then(|place| place.checked_sub(1))), open(Some(place.map_or(0, |place| place + 1))));
    let step = |what, label, click: Option<Callback<MouseEvent>>| {
        let disabled = click.is_none();
        icon_button(what, label, click.unwrap_or_else(Callback::noop), disabled)
    };
    let (count, title) = match (&state.source, state.named) {
        (Source::Journal { name }, _) if is_script(state) => ("Journal of a script ".to_owned(), name.to_string()),
        (Source::Journal { name }, _) => ("Journal ".to_owned(), name.to_string()),
        (Source::Scenario(_), Some(named)) => {
            (format!("Story {} of {} ", named.place() + 1, stories::ALL.len()), named.title.to_owned())
        }
        (Source::Scenario(_), None) => (String::new(), "Your own scenario".to_owned()),
    };
    html! {
        <nav class="crumbs" aria-label="Story">
            { step(Icon::Previous, "Previous story", previous) }
            <button class="btn story" type="button" popovertarget="story-menu">
                <span class="muted count">{ count }</span><b><bdi>{ title }</bdi></b>{ icon(Icon::Down) }
            </button>
            { step(Icon::Next, "Next story", next) }
            <div class="menu" id="story-menu" popover="auto">
                <ol>{ for stories::ALL.iter().map(|named| story_item(named, state, go)) }</ol>
            </div>
        </nav>
    }
}

/// A scenario has its steps listed, and providers that note what they did; a journal of anything else is a script's.
fn is_script(state: &State) -> bool {
    let mut steps = state.story.jobs.iter().flat_map(|job| &job.steps);
    !state.story.provider_recorded || steps.any(|step| step.found.is_some())
}

fn story_item(named: &'static stories::Entry, state: &State, go: &Go) -> Html {
    let current = (state.named == Some(named)).then_some("true");
    let go = go.clone();
    let onclick = move |_: MouseEvent| {
        go.dispatch(Action::Open(named));
        // On the menu's button the space bar would open the menu again, and not play.
        super::page::focus("stage");
    };
    html! {
        <li>
            <button class="btn quiet" type="button" aria-current={current} popovertarget="story-menu"
                popovertargetaction="hide" {onclick}>
                <b>{ named.title }</b><span class="muted">{ named.about }</span>
            </button>
        </li>
    }
}

fn share(state: &State, go: &Go) -> Html {
    let onclick = {
        let (state, go) = (state.clone(), go.clone());
        move |_: MouseEvent| files::copy_link(&state, &go)
    };
    html! { <button class="btn quiet" type="button" aria-label="Share" {onclick}>{ icon(Icon::Share) }<span class="word">{ "Share" }</span></button> }
}

fn export(state: &State, go: &Go) -> Html {
    let item = |text: &'static str, act: fn(&State, &Go)| {
        let (state, go) = (state.clone(), go.clone());
        let onclick = move |_: MouseEvent| act(&state, &go);
        html! {
            <li>
                <button class="btn quiet" type="button" popovertarget="export-menu" popovertargetaction="hide" {onclick}>
                    { text }
                </button>
            </li>
        }
    };
    html! {
        <>
            <button class="btn quiet" type="button" aria-label="Export" popovertarget="export-menu">
                { icon(Icon::Export) }<span class="word">{ "Export" }</span>
            </button>
            <div class="menu" id="export-menu" popover="auto">
                <ul>
                    { item("Copy transcript", |state, go| files::copy_and_say(go, files::transcript(&state.story), "Transcript")) }
                    { item("Save picture (SVG)", |state, go| picture::save(state, go, picture::Kind::Svg)) }
                    { item("Save picture (PNG)", |state, go| picture::save(state, go, picture::Kind::Png)) }
                    { item("Save scenario", |state, _| files::save_scenario(state)) }
                    { item("Save journal", |state, _| files::save_journal(state)) }
                    <li>{ open_file(go) }</li>
                </ul>
            </div>
        </>
    }
}

fn open_file(go: &Go) -> Html {
    let go = go.clone();
    let onchange = move |event: Event| {
        let Some(input) = input_of(&event) else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            files::open(file, go.clone());
            super::page::hide_popover("export-menu");
        }
        // The same file can be chosen again after it was changed.
        input.set_value("");
    };
    html! {
        <label class="btn quiet file">
            { "Open a scenario or journal" }
            <input type="file" accept=".json,.jsonl,.ndjson" {onchange} />
        </label>
    }
}

fn theme(state: &State, go: &Go) -> Html {
    let theme = state.view.theme;
    icon_button(Icon::Theme, &format!("Theme: {}", theme.word()), on(go, Action::Theme(theme.next())), false)
}
