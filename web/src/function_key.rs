//! "Function key": a reader types an expression and two events, and sees which keys they get (SEMANTICS B14 to B21). It has a
//! state of its own beside the scenario, because nothing of it happens there and it does not play.
//!
//! Deliberately not here: what an expression means. The module behind [`crate::expressions`] says so, and is loaded when this
//! section is first opened.

use std::rc::Rc;

use wasm_bindgen::JsCast;

use web_sys::{HtmlDetailsElement, HtmlInputElement, HtmlTextAreaElement};
use yew::platform::spawn_local;
use yew::prelude::*;

use crate::below::{Change, KeyField, SOURCE};
use crate::expressions::{self, Answer, Failure, Module};
use crate::icons::{Icon, icon};

/// What can be tried; the first is there at the beginning.
const EXAMPLES: [&str; 3] = [SOURCE, "event.data.user", r#"has(event.data.cart) ? event.data.cart : event.id"#];
const NAMES: [&str; 2] = ["First event", "Second event"];

/// The module's way to the page.
#[derive(Clone, PartialEq)]
enum Loaded {
    NotYet,
    Loading,
    Failed(String),
    Ready(Module),
}

/// What the section is drawn from.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What has been typed.
    pub field: KeyField,
    /// Something is typed, or the section is opened or closed.
    pub change: Callback<Change>,
}

/// The section.
#[component]
pub fn FunctionKey(props: &Props) -> Html {
    let KeyField { open, source, events } = &props.field;
    let loaded = use_state(|| Loaded::NotYet);
    // What took more memory than there is; it is not tried again as it stands.
    let hostile = use_state(|| None::<(Rc<str>, [Rc<str>; 2])>);
    let given = (source.clone(), events.clone());
    let answers = match &*loaded {
        Loaded::Ready(module) if hostile.as_ref() != Some(&given) => Some(answer(module, source, events)),
        _ => None,
    };
    let trapped = answers.as_ref().is_some_and(|answers| *answers == Err(Failure::Trap));
    use_effect_with((trapped, given), {
        let (hostile, loaded) = (hostile.clone(), loaded.clone());
        move |(trapped, given)| {
            if *trapped {
                hostile.set(Some(given.clone()));
                load(loaded);
            }
        }
    });
    use_effect_with(*open, {
        let loaded = loaded.clone();
        move |open| {
            if *open && matches!(*loaded, Loaded::NotYet | Loaded::Failed(_)) {
                load(loaded.clone());
            }
        }
    });
    let ontoggle = props.change.reform(|event: Event| {
        Change::KeyOpen(event.target_dyn_into::<HtmlDetailsElement>().is_some_and(|details| details.open()))
    });
    let of = |index: usize| answers.as_ref()?.as_ref().ok()?.events[index].as_ref();
    html! {
        <details class="fkey" id="function-key" open={*open} {ontoggle}>
            <summary><h2>{ "Function key" }</h2><span class="muted">{ "which events count as the same?" }</span></summary>
            <div class="fk">
                <div class="fk-source">{ source_field(source, &props.change) }{ said(&loaded, hostile.is_some(), answers.as_ref()) }</div>
                { for (0..2).map(|index| event_field(index, &events[index], &props.change, of(index))) }
            </div>
        </details>
    }
}

fn load(loaded: UseStateHandle<Loaded>) {
    loaded.set(Loaded::Loading);
    spawn_local(async move {
        loaded.set(expressions::load().await.map_or_else(Loaded::Failed, Loaded::Ready));
    });
}

/// What can be said of an expression and two events.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    /// The text is no expression: what is wrong with it, and where.
    problem: Option<(String, String)>,
    /// What becomes of each event. Without an expression there is something to be said only of one that is no event.
    events: [Option<Answer>; 2],
}

/// An expression that is a key for whatever is an event.
const ANY_KEY: &str = r#""any""#;

fn answer(module: &Module, source: &str, events: &[Rc<str>; 2]) -> Result<Answers, Failure> {
    let problem = match module.check(source) {
        Ok(()) => None,
        Err(Failure::Problem { message, excerpt }) => Some((message, excerpt)),
        Err(Failure::Trap) => return Err(Failure::Trap),
    };
    let of = |event: &Rc<str>| match problem {
        None => module.evaluate(source, event).map(Some),
        Some(_) => module.evaluate(ANY_KEY, event).map(|answer| Some(answer).filter(Answer::is_refusal)),
    };
    let events = [of(&events[0])?, of(&events[1])?];
    Ok(Answers { problem, events })
}

fn source_field(source: &Rc<str>, change: &Callback<Change>) -> Html {
    let oninput =
        change.reform(|event: InputEvent| Change::Source(typed::<HtmlInputElement>(&event, |field| field.value())));
    let example = |text: &'static str| {
        let onclick = change.reform(move |_: MouseEvent| Change::Source(text.into()));
        html! { <button class="chip mono" type="button" {onclick}>{ text }</button> }
    };
    html! {
        <>
            <label class="lb" for="fk-source">{ "Key: an expression over the event" }</label>
            <input class="fk-text mono" id="fk-source" type="text" value={AttrValue::from(source.clone())} {oninput} maxlength="2048"
                spellcheck="false" autocomplete="off" autocapitalize="off" />
            <div class="chips">{ for EXAMPLES.into_iter().map(example) }</div>
        </>
    }
}

fn event_field(index: usize, text: &Rc<str>, change: &Callback<Change>, answer: Option<&Answer>) -> Html {
    let oninput = change.reform(move |event: InputEvent| {
        Change::Event(index, typed::<HtmlTextAreaElement>(&event, |field| field.value()))
    });
    let id = format!("fk-event-{index}");
    html! {
        <div class="fk-event">
            <label class="lb" for={id.clone()}>{ NAMES[index] }</label>
            <textarea class="fk-text mono" {id} rows="8" value={AttrValue::from(text.clone())} {oninput} spellcheck="false"
                autocomplete="off" autocapitalize="off" />
            <p class="fk-key">{ answer.map(key) }</p>
        </div>
    }
}

/// What stands in the field that an event is about.
fn typed<T: JsCast>(event: &InputEvent, value: fn(&T) -> String) -> Rc<str> {
    event.target().and_then(|target| target.dyn_into::<T>().ok()).map(|field| value(&field)).unwrap_or_default().into()
}

fn key(answer: &Answer) -> Html {
    match answer {
        Answer::Key(key) => {
            let (text, kind) = shown(key);
            html! { <><span class="c-key">{ icon(Icon::Check) }</span><b class="mono">{ text.to_owned() }</b><span class="muted">{ kind }</span></> }
        }
        Answer::Refused(reason) => {
            html! { <><span class="c-warn">{ icon(Icon::Close) }</span><span>{ "No key: " }{ with_names(reason) }</span></> }
        }
    }
}

/// A key as its reader wrote it, and what it is if it is no text: inside, `=` tells the number 1 from the text "1".
fn shown(key: &str) -> (&str, &'static str) {
    match key.strip_prefix('=') {
        None => (key, ""),
        Some(text) if text.starts_with('=') => (text, ""),
        Some(truth @ ("true" | "false")) => (truth, "true or false"),
        Some(number) => (number, "a number"),
    }
}

/// A message in which names stand between backticks.
fn with_names(text: &str) -> Html {
    let part = |(index, part): (usize, &str)| {
        let part = part.to_owned();
        if index % 2 == 1 {
            html! { <code class="mono">{ part }</code> }
        } else {
            html! { part }
        }
    };
    text.split('`').enumerate().map(part).collect()
}

/// What becomes of the two events, or why nothing can be said.
fn said(loaded: &Loaded, was_hostile: bool, answers: Option<&Result<Answers, Failure>>) -> Html {
    let line = |text: &str| html! { <p class="fk-said" role="status">{ text.to_owned() }</p> };
    let answers = match (loaded, answers) {
        (Loaded::NotYet | Loaded::Loading, _) => return line("Loading what reads expressions…"),
        (Loaded::Failed(why), _) => return line(&format!("Nothing can be said: {why}.")),
        (Loaded::Ready(_), Some(Ok(answers))) => answers,
        (Loaded::Ready(_), None | Some(Err(_))) if was_hostile => {
            return line(
                "This takes more memory than there is. Only what reads expressions has stopped; it was loaded afresh.",
            );
        }
        (Loaded::Ready(_), None | Some(Err(_))) => return line(""),
    };
    match (&answers.problem, &answers.events) {
        (Some((message, excerpt)), _) => html! {
            <div class="fk-said" role="status"><p>{ with_names(message) }</p><pre class="mono">{ excerpt.clone() }</pre></div>
        },
        (None, [Some(Answer::Key(one)), Some(Answer::Key(other))]) => html! {
            <p class="fk-said" role="status">
                if one == other {
                    <b>{ "One key." }</b>{ " Within 24 hours the second event starts this function no more." }
                } else {
                    <b>{ "Two keys." }</b>{ " Each event starts this function." }
                }
            </p>
        },
        (None, _) => {
            line("An event without a key starts nothing, and its history says why: it never shares a key with others.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_as_they_were_written() {
        assert_eq!(shown("u1-o1"), ("u1-o1", ""));
        assert_eq!(shown("=42"), ("42", "a number"));
        assert_eq!(shown("=true"), ("true", "true or false"));
        assert_eq!(shown("==42"), ("=42", ""));
    }
}
