//! Messages between an embedded page and the page around it: `{ ns: "twiceproof", v: 1, type, detail }`.
//!
//! Nothing is sent before the host has asked (`ping`), so that it is known whom to answer; everything then goes to the
//! origin that asked. Only the parent window is listened to.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use twiceproof_core::journal::Entry;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, MessageEvent, Window};
use yew::prelude::*;

use super::Wish;
use crate::app::action::Action;
use crate::app::effects::events;
use crate::app::page;
use crate::app::state::State;
use crate::app::view::Theme;
use crate::controls::Go;
use crate::link::{self, Address};
use crate::timeline::SharedStory;
use crate::words;

const NAMESPACE: &str = "twiceproof";
const VERSION: f64 = 1.0;

/// Who is listening: the origin that asked, once somebody has.
type Host = Rc<RefCell<Option<String>>>;

/// Answers the host page, and tells it what happens.
#[hook]
pub fn use_host(state: &UseReducerHandle<State>, go: &Go, wish: &Rc<Wish>) {
    let host: Host = use_mut_ref(|| None);
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    let (embed, go, wish) = (wish.embed, go.clone(), wish.clone());
    {
        let (host, latest) = (host.clone(), latest.clone());
        use_effect_with(embed, move |embed| {
            let listener = embed.then(|| {
                events::on_window("message", move |event| {
                    if let Some(message) = hear(&event) {
                        obey(&message, &host, &latest.borrow(), &go, &wish);
                    }
                })
            });
            move || {
                let _removed = listener;
            }
        });
    }
    let now = (state.index, state.bet, SharedStory(state.whole().clone()));
    let told = use_mut_ref(|| now.clone());
    use_effect_with((now, embed.then(|| permalink(state)).flatten()), move |(now, link)| {
        let (index, bet, story) = told.replace(now.clone());
        let state = latest.borrow();
        if let Some((choice, correct)) = answer(&state).filter(|_| bet != now.1) {
            post(&host, "bet", &object(&[("choice", choice.into()), ("correct", correct.into())]));
        }
        if (index, story) != (now.0, now.2.clone()) {
            tell_step(&host, &state, index);
        }
        tell_link(&host, link.as_deref());
    });
}

/// What the reader bet on, and whether that is right.
fn answer(state: &State) -> Option<(&'static str, bool)> {
    let (telling, bet) = (state.telling.as_ref()?, state.bet?);
    Some((telling.choice(bet)?, bet == telling.right()))
}

/// A message of the host.
struct Message {
    origin: String,
    kind: String,
    detail: JsValue,
}

/// Takes a message if it is one of ours, from the window around us.
fn hear(event: &Event) -> Option<Message> {
    let event: &MessageEvent = event.dyn_ref()?;
    let parent = parent()?;
    let source = event.source()?;
    let from_parent = AsRef::<JsValue>::as_ref(&source) == AsRef::<JsValue>::as_ref(&parent);
    let data = event.data();
    let field = |name: &str| Reflect::get(&data, &JsValue::from_str(name)).ok();
    let ours = data.is_object() && field("ns")?.as_string()? == NAMESPACE && field("v")?.as_f64()? == VERSION;
    (from_parent && ours).then_some(())?;
    Some(Message { origin: event.origin(), kind: field("type")?.as_string()?, detail: field("detail")? })
}

/// The window around this one; none if this is not in a frame.
fn parent() -> Option<Window> {
    let window = page::window()?;
    let parent = window.parent().ok().flatten()?;
    (parent != window).then_some(parent)
}

fn obey(message: &Message, host: &Host, state: &State, go: &Go, wish: &Wish) {
    let detail = |name: &str| Reflect::get(&message.detail, &JsValue::from_str(name)).ok();
    match message.kind.as_str() {
        "ping" => {
            *host.borrow_mut() = Some(message.origin.clone());
            let version = env!("CARGO_PKG_VERSION");
            post(host, "ready", &object(&[("version", version.into()), ("wasmMs", boot_ms().into())]));
            if !wish.ignored.is_empty() {
                ignored(host, &wish.ignored);
            }
            tell_step(host, state, state.index);
            tell_link(host, permalink(state).as_deref());
        }
        "play" => go.dispatch(Action::Play),
        "pause" => go.dispatch(Action::Pause),
        "seek" => {
            if let Some(index) = detail("index").and_then(|index| index.as_f64()) {
                // A float becomes an index by saturating; what is no number becomes 0.
                go.dispatch(Action::Put(index as usize));
            }
        }
        "theme" => {
            let theme = detail("theme").and_then(|theme| theme.as_string());
            if let Some(theme) = theme.as_deref().and_then(Theme::named) {
                go.dispatch(Action::Theme(theme));
            }
        }
        _ => ignored(host, &[message.kind.chars().take(40).collect()]),
    }
}

/// How long the program took to start, as the start-up script measured it.
fn boot_ms() -> Option<f64> {
    let app = page::window()?.document()?.get_element_by_id("app")?;
    app.get_attribute("data-boot-ms")?.parse().ok()
}

/// Tells where the story stands, and which emails left on the way there.
fn tell_step(host: &Host, state: &State, before: usize) {
    if host.borrow().is_none() {
        return;
    }
    let kind = state.story.last_played(state.index).map_or_else(|| "start".to_owned(), kind_of);
    let text = words::caption(&state.story, state.said_index());
    let (index, total) = (state.index.into(), state.story.len().into());
    post(host, "step", &object(&[("index", index), ("total", total), ("kind", kind.into()), ("text", text.into())]));
    for (number, person) in state.story.people.iter().enumerate() {
        let now = state.story.emails(number, state.index);
        let had = state.story.emails(number, before.min(state.index)).len();
        for (place, email) in now.iter().enumerate().skip(had) {
            let detail = object(&[("user", (*person.id).into()), ("count", (place + 1).into())]);
            post(host, if email.nth > 1 { "duplicate" } else { "effect" }, &detail);
        }
    }
    post(host, "height", &object(&[("height", height().into())]));
}

fn permalink(state: &State) -> Option<String> {
    Some(Address::of_page()?.link(&link::write(&state.link()?)))
}

/// Tells the link to what is shown.
fn tell_link(host: &Host, link: Option<&str>) {
    if let Some(link) = link {
        post(host, "state", &object(&[("permalink", link.into())]));
    }
}

/// The entry's kind, as the journal spells it.
fn kind_of(entry: &Entry) -> String {
    let line = serde_json::to_string(entry).unwrap_or_default();
    let kind = line.split_once("\"type\":\"").and_then(|(_, rest)| rest.split_once('"'));
    kind.map(|(kind, _)| kind.to_owned()).unwrap_or_default()
}

fn height() -> Option<i32> {
    Some(page::window()?.document()?.document_element()?.scroll_height())
}

/// Tells what of the address or of a message is none of ours.
fn ignored(host: &Host, names: &[String]) {
    let names: Array = names.iter().map(JsValue::from).collect();
    post(host, "warning", &object(&[("ignored", names.into())]));
}

fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // A plain object takes every member.
        let _ = Reflect::set(&object, &JsValue::from_str(name), value);
    }
    object.into()
}

fn post(host: &Host, kind: &str, detail: &JsValue) {
    let (Some(parent), Some(origin)) = (parent(), host.borrow().clone()) else { return };
    let head = [("ns", NAMESPACE.into()), ("v", VERSION.into()), ("type", kind.into()), ("detail", detail.clone())];
    // A sandboxed or local page has no origin to name.
    let target = if origin == "null" { "*" } else { &origin };
    let _ = parent.post_message(&object(&head), target);
}
