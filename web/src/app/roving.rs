//! Groups of buttons that are one stop for the Tab key: in an element marked `data-roving`, the arrows go from button to button. With
//! `data-roving="grid"` up and down lead to the nearest button above or below, else to the one before or after.
//!
//! Left, right, Home and End are the story's own steps. They are a group's wherever they do not reach the story ([`keys::BELOW`]), and
//! everywhere once single keys are switched off; in the group of a story's own page up and down remain.
//!
//! Which button is the stop is the document's business and not the page's state: it is put right after each drawing, and
//! whenever the focus moves.

use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlElement, KeyboardEvent};

use super::{keys, page};

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

/// Moves the focus within a group, if the key does and the focus is in one. `story_keys`: whether the story's keys are on.
pub fn press(event: &KeyboardEvent, story_keys: bool) {
    if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some((target, group)) = target.and_then(with_group) else { return };
    let all_keys = !story_keys || target.closest(keys::BELOW).ok().flatten().is_some();
    let key = event.key();
    if !matches!(key.as_str(), "ArrowDown" | "ArrowUp") && !all_keys {
        return;
    }
    let mut buttons = elements(group.query_selector_all(BUTTONS));
    buttons.retain(|button| button.unchecked_ref::<HtmlElement>().offset_parent().is_some());
    let Some(at) = buttons.iter().position(|button| *button == target) else { return };
    let in_grid = group.get_attribute("data-roving").as_deref() == Some("grid");
    let next = match key.as_str() {
        "ArrowDown" | "ArrowUp" if in_grid => {
            let places: Vec<Place> = buttons.iter().map(Place::of).collect();
            places[at].nearest(&places, key == "ArrowDown")
        }
        "ArrowRight" | "ArrowDown" => Some(at + 1),
        "ArrowLeft" | "ArrowUp" => at.checked_sub(1),
        "Home" => Some(0),
        "End" => buttons.len().checked_sub(1),
        _ => return,
    };
    // The key is used up even at the end of a group: the page would scroll.
    event.prevent_default();
    if let Some(next) = next.and_then(|next| buttons.get(next)) {
        let _ = next.unchecked_ref::<HtmlElement>().focus();
    }
}

/// Where a button stands on the screen, in CSS pixels.
#[derive(Clone, Copy, Debug)]
struct Place {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Place {
    fn of(button: &Element) -> Self {
        let rect = button.get_bounding_client_rect();
        Self { left: rect.left(), right: rect.right(), top: rect.top(), bottom: rect.bottom() }
    }

    /// The index of the next button below or above that is at least in part in the same column.
    fn nearest(self, all: &[Self], down: bool) -> Option<usize> {
        // Buttons that touch may overlap by a rounding.
        const TOUCH: f64 = 1.0;
        let beyond = |other: &Self| {
            let gap = if down { other.top - self.bottom } else { self.top - other.bottom };
            let same_column = other.left < self.right && self.left < other.right;
            (same_column && gap > -TOUCH).then_some((gap, (other.left - self.left).abs()))
        };
        let found = all.iter().enumerate().filter_map(|(at, other)| Some((at, beyond(other)?)));
        found.min_by(|(_, one), (_, two)| one.0.total_cmp(&two.0).then(one.1.total_cmp(&two.1))).map(|(at, _)| at)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_and_down_stay_in_their_column_and_pass_over_what_has_no_button() {
        let place = |column: f64, row: f64| Place {
            left: column * 100.0,
            right: column * 100.0 + 90.0,
            top: row * 24.0,
            bottom: row * 24.0 + 24.0,
        };
        // Two columns; the second has no button in the middle row.
        let all = [place(0.0, 0.0), place(1.0, 0.0), place(0.0, 1.0), place(0.0, 2.0), place(1.0, 2.0)];
        let to = |at: usize, down| all[at].nearest(&all, down);
        assert_eq!([to(0, true), to(2, true), to(3, true)], [Some(2), Some(3), None]);
        assert_eq!([to(1, true), to(4, false), to(1, false)], [Some(4), Some(1), None]);
    }
}
