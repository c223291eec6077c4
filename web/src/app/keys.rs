//! Keys, only while focus is inside: in an article on the widget, on the page anywhere but below the story, where there are
//! others. And only while they are switched on.

use twiceproof_sim::scenario::FaultKind;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::action::Action;
use super::state::State;
use crate::controls::Go;
use crate::edit::Edit;
use crate::files;
use crate::panels::looked_at;

/// What lies below the story or over it: there the story's keys do nothing.
pub const BELOW: &str = "#compare, #function-key, .rules, .doors, [popover]";

/// Does what a key means, if it means something here.
pub fn press(state: &State, go: &Go, event: &KeyboardEvent) {
    // Whoever is nearer to the key goes first: a field, a button, the rows of the timeline.
    if !state.view.keys || event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let key = event.key();
    if is_wanted_by_target(event, &key) {
        return;
    }
    if key == "c" || key == "C" {
        files::copy_link(state, go);
    } else if let Some(action) = meaning(state, &key, event.shift_key()) {
        go.dispatch(action);
    } else {
        return;
    }
    event.prevent_default();
}

/// Fields take every key, other controls the keys that are for them; so does whatever lies over the page.
fn is_wanted_by_target(event: &KeyboardEvent, key: &str) -> bool {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return false };
    if target.closest(BELOW).ok().flatten().is_some() {
        return true;
    }
    let moves = key.starts_with("Arrow") || matches!(key, "Home" | "End" | "PageUp" | "PageDown");
    match (target.tag_name().as_str(), target.get_attribute("type").as_deref()) {
        ("INPUT", Some("checkbox")) => key == " ",
        ("INPUT", Some("radio")) => key == " " || moves,
        ("INPUT", Some("range")) => moves,
        ("INPUT" | "SELECT" | "TEXTAREA", _) => true,
        ("BUTTON" | "A" | "SUMMARY", _) => matches!(key, " " | "Enter"),
        _ => false,
    }
}

fn meaning(state: &State, key: &str, shift: bool) -> Option<Action> {
    let fate = |kind| looked_at(state).map(|call| Action::Edit(Edit::Fate(call, Some(kind))));
    match key {
        " " => Some(Action::Toggle),
        "ArrowRight" if shift => Some(Action::ForwardAttempt),
        "ArrowLeft" if shift => Some(Action::BackAttempt),
        "ArrowRight" => Some(Action::Forward),
        "ArrowLeft" => Some(Action::Back),
        "Home" => Some(Action::First),
        "End" => Some(Action::Last),
        "Escape" => state.selected.map(|_| Action::Select(None)),
        "f" | "F" => fate(FaultKind::Fail),
        "l" | "L" => fate(FaultKind::LoseReply),
        "d" | "D" => Some(Action::Edit(Edit::Again)),
        _ => None,
    }
}
