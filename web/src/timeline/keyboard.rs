//! One Tab stop for all marks. Up and down go to the rows, comma and full stop along a row, and to the button that folds a
//! job; Enter chooses. Left and right are the story's own steps, and are left to the page.

use yew::prelude::*;

use crate::story::{AttemptName, Story};

/// What the keys go to.
const STOPS: &str = "[data-mark], .fold-job";
const FOLD: &str = ".fold-job";

/// Focuses the button that folds a job, once it is there.
pub(super) fn focus_fold(root: &NodeRef, job: u32) {
    let found = root.cast::<web_sys::Element>().map(|root| marks(&root, &format!(".fold-job[data-job=\"{job}\"]")));
    if let Some(button) = found.and_then(|found| found.into_iter().next()) {
        focus(&button);
    }
}

/// The mark that the Tab key reaches: the one that had it last, else the first call.
pub(super) fn reachable(story: &Story, index: usize, wanted: Option<AttemptName>) -> Option<AttemptName> {
    let is_drawn = |name: &AttemptName| match name.attempt {
        // A mark of the store is there once it has answered.
        0 => story.step(name.job, name.step).is_some_and(|step| {
            step.skips.iter().any(|skip| skip.moment.by(index))
                || step.conflicts.iter().any(|conflict| conflict.moment.by(index))
        }),
        _ => story.attempt(*name).is_some(),
    };
    let first = || {
        story.jobs.iter().flat_map(|job| &job.steps).flat_map(|step| &step.attempts).map(|attempt| attempt.name).next()
    };
    wanted.filter(is_drawn).or_else(first)
}

/// Remembers the mark that got the focus.
pub(super) fn on_focus(cursor: &UseStateHandle<Option<AttemptName>>) -> Callback<FocusEvent> {
    let cursor = cursor.clone();
    Callback::from(move |event: FocusEvent| {
        let name = event.target_dyn_into::<web_sys::Element>().and_then(|mark| name_of(&mark));
        if name.is_some() && name != *cursor {
            cursor.set(name);
        }
    })
}

fn name_of(mark: &web_sys::Element) -> Option<AttemptName> {
    let text = mark.get_attribute("data-mark")?;
    let mut numbers = text.split('.').map(|part| part.parse().ok());
    Some(AttemptName { job: numbers.next()??, step: numbers.next()??, attempt: numbers.next()?? })
}

/// Moves the focus between marks.
pub(super) fn on_key(root: &NodeRef, on_select: &Callback<AttemptName>) -> Callback<KeyboardEvent> {
    let (root, on_select) = (root.clone(), on_select.clone());
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let Some(mark) =
            event.target_dyn_into::<web_sys::Element>().filter(|mark| mark.matches(STOPS).unwrap_or(false))
        else {
            return;
        };
        let Some(root) = root.cast::<web_sys::Element>() else { return };
        let next = match event.key().as_str() {
            "ArrowDown" => other_row(&root, &mark, 1),
            "ArrowUp" => other_row(&root, &mark, -1),
            "." => along(&mark, 1),
            "," => along(&mark, -1),
            "Enter" | " " => match name_of(&mark) {
                Some(name) => {
                    on_select.emit(name);
                    None
                }
                // A button is pressed by the browser.
                None => return event.stop_propagation(),
            },
            _ => return,
        };
        // The key is used up even at the end of a row: the page would scroll.
        event.prevent_default();
        event.stop_propagation();
        if let Some(next) = next {
            focus(&next);
        }
    })
}

/// An svg mark takes the focus as any element does.
fn focus(mark: &web_sys::Element) {
    use wasm_bindgen::JsCast;
    let _ = mark.unchecked_ref::<web_sys::HtmlElement>().focus();
}

fn marks(within: &web_sys::Element, selector: &str) -> Vec<web_sys::Element> {
    use wasm_bindgen::JsCast;
    let Ok(found) = within.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)).filter_map(|node| node.dyn_into().ok()).collect()
}

fn along(mark: &web_sys::Element, by: isize) -> Option<web_sys::Element> {
    let row = mark.closest("li").ok()??;
    let marks = marks(&row, STOPS);
    let at = marks.iter().position(|other| other == mark)?;
    marks.get(at.checked_add_signed(by)?).cloned()
}

fn other_row(root: &web_sys::Element, mark: &web_sys::Element, by: isize) -> Option<web_sys::Element> {
    let row = mark.closest("li").ok()??;
    let rows = marks(root, "li");
    let mut at = rows.iter().position(|other| *other == row)?;
    loop {
        at = at.checked_add_signed(by)?;
        let row = rows.get(at)?;
        // The button that folds is before the marks, and last in mind.
        let first = marks(row, "[data-mark]").into_iter().next().or_else(|| marks(row, FOLD).into_iter().next());
        if first.is_some() {
            return first;
        }
    }
}
