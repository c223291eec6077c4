//! Groups of buttons that are one stop for the Tab key: in an element marked `data-roving`, the arrows up and down go from
//! button to button. Left and right are the story's own steps; only where those do not reach, in the comparison, they do the same.
//!
//! Which button is the stop is the document's business and not the page's state: it is put right after each drawing, and
//! whenever the focus moves.

use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlElement, KeyboardEvent};

use super::page;

const GROUP: &str = "[data-roving]";
/// Menus that open over the page are lists of their own.
const BUTTONS: &str = "button:not(:disabled, [popover] *)";

/// Leaves every group of the page one stop: the button that has the focus or had it last, else the first.
pub fn settle() {
    let Some(document) = page::window().and_then(|window| window.document()) else { return };
    let focused = document.active_element();
    for group in elements(document.query_selector_all(GROUP)) {
        settle_group(&group, focused.as_ref());
    }
}

/// The focus has moved to the event's target.
pub fn follow(event: &FocusEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some((target, group)) = target.and_then(with_group) {
        settle_group(&group, Some(&target));
    }
}

/// Moves the focus within a group, if the key does and the focus is in one.
pub fn press(event: &KeyboardEvent) {
    if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some((target, group)) = target.and_then(with_group) else { return };
    let sideways = target.closest("#compare").ok().flatten().is_some();
    let by = match event.key().as_str() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        "ArrowRight" if sideways => 1,
        "ArrowLeft" if sideways => -1,
        _ => return,
    };
    let mut buttons = elements(group.query_selector_all(BUTTONS));
    buttons.retain(|button| button.unchecked_ref::<HtmlElement>().offset_parent().is_some());
    let next = buttons.iter().position(|button| *button == target).and_then(|at| at.checked_add_signed(by));
    // The key is used up even at the end of a group: the page would scroll.
    event.prevent_default();
    if let Some(next) = next.and_then(|next| buttons.get(next)) {
        let _ = next.unchecked_ref::<HtmlElement>().focus();
    }
}

fn with_group(element: Element) -> Option<(Element, Element)> {
    let group = element.matches(BUTTONS).ok()?.then(|| element.closest(GROUP).ok().flatten())??;
    Some((element, group))
}

fn settle_group(group: &Element, focused: Option<&Element>) {
    let buttons = elements(group.query_selector_all(BUTTONS));
    let is_stop = |button: &&Element| button.get_attribute("tabindex").as_deref() == Some("0");
    let has_focus = |button: &&Element| focused == Some(*button);
    let seen = |button: &&Element| button.unchecked_ref::<HtmlElement>().offset_parent().is_some();
    let had_focus = buttons.iter().find(has_focus).or_else(|| buttons.iter().find(is_stop)).filter(seen);
    let Some(stop) = had_focus.or_else(|| buttons.iter().find(seen)) else { return };
    for button in &buttons {
        let tabindex = if button == stop { "0" } else { "-1" };
        if button.get_attribute("tabindex").as_deref() != Some(tabindex) {
            let _ = button.set_attribute("tabindex", tabindex);
        }
    }
}

fn elements(found: Result<web_sys::NodeList, wasm_bindgen::JsValue>) -> Vec<Element> {
    let Ok(found) = found else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}
