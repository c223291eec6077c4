//! The few things of the document that are not drawn: scrolling, focus, theme, what the reader's system prefers.
//! Natively each does nothing, and prefers nothing.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Window};

use super::view::Theme;

/// The window, where there is one.
pub fn window() -> Option<Window> {
    cfg!(target_arch = "wasm32").then(web_sys::window).flatten()
}

/// Brings an element into view and focuses it: a link to a place would write that place into the address.
pub fn scroll_to(id: &str) {
    if let Some(element) = element(id) {
        element.scroll_into_view();
        let _ = element.focus();
    }
}

/// Focuses an element, and brings the top of the page into view: what is said there is about it.
pub fn top(id: &str) {
    focus(id);
    if let Some(window) = window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// What lies over the top and the foot of a phone's page.
const OVER: (f64, f64) = (56.0, 100.0);

/// Brings an element into view in the part of the page that scrolls, or in the page: never in a page around this one.
pub fn follow(selector: &str, part: &str) {
    let find = |selector: &str| window()?.document()?.query_selector(selector).ok().flatten();
    let (Some(window), Some(element), Some(part)) = (window(), find(selector), find(part)) else { return };
    let (rect, view) = (element.get_bounding_client_rect(), part.get_bounding_client_rect());
    let by = |top: f64, bottom: f64| (rect.bottom() - bottom).max(0.0) + (rect.top() - top).min(0.0);
    if part.scroll_height() > part.client_height() {
        part.set_scroll_top(part.scroll_top() + by(view.top(), view.bottom()) as i32);
    } else {
        let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        window.scroll_by_with_x_and_y(0.0, by(OVER.0, height - OVER.1));
    }
}

/// Focuses an element.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
}

/// Closes a menu that its own button does not close.
pub fn hide_popover(id: &str) {
    if let Some(element) = element(id) {
        // It may have been closed meanwhile.
        let _ = element.hide_popover();
    }
}

fn element(id: &str) -> Option<HtmlElement> {
    window()?.document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Whether a media query holds.
pub fn prefers(query: &str) -> bool {
    window().and_then(|window| window.match_media(query).ok().flatten()).is_some_and(|list| list.matches())
}

/// Whether the reader asked for less motion.
pub fn calm() -> bool {
    prefers("(prefers-reduced-motion: reduce)")
}

/// Puts the theme on the root; `auto` leaves it to the system.
pub fn set_theme(theme: Theme) {
    let root = window().and_then(|window| window.document()).and_then(|document| document.document_element());
    let Some(root) = root else { return };
    let _ = match theme {
        Theme::Auto => root.remove_attribute("data-theme"),
        Theme::Light | Theme::Dark => root.set_attribute("data-theme", theme.word()),
    };
}

/// Names the page.
pub fn set_title(title: &str) {
    if let Some(document) = window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// Milliseconds on a clock that never goes back.
pub fn now_ms() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}
