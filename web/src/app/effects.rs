//! What happens beside the drawing: the clock of the playback, the address, the theme, the width of the stage.

use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::action::Action;
use super::page;
use super::playback;
use super::state::State;
use crate::controls::Go;
use crate::link::{self, Address, Change, Link};
use crate::timeline::SharedStory;

/// Goes forward by itself while the state says that it plays.
#[hook]
pub fn use_playback(state: &State, go: &Go) {
    let go = go.clone();
    let telling = state.telling.clone();
    let deps = (state.playing, state.index, state.view.speed, SharedStory(state.story.clone()));
    use_effect_with(deps, move |(playing, index, speed, story)| {
        let timer = playing.then(|| {
            let beat = playback::beat(story, *index, *speed, page::calm());
            let reading_ms = playback::reading_ms(telling.as_deref(), *index, *speed);
            timer::after(reading_ms + beat.delay_ms, move || go.dispatch(Action::Tick(beat.entries)))
        });
        move || {
            let _stopped = timer;
        }
    });
}

/// Least time between two changes of the address: browsers refuse when there are too many.
const ADDRESS_EVERY_MS: f64 = 300.0;

/// Keeps the address saying what the page shows, and the page showing what the address says.
#[hook]
pub fn use_address(state: &State, go: &Go, on: bool) {
    let fragment = fragment(state);
    let written = use_mut_ref(|| Written::at_start(fragment.clone(), state.opened));
    use_effect_with((fragment, state.opened, state.playing), move |(fragment, opened, playing)| {
        let Written { at_ms: last, opened: opened_before, text: before, put_off } = written.borrow().clone();
        let timer = match fragment {
            text if on && before != *text => {
                let change = if *opened == opened_before { Change::Replace } else { Change::Push };
                if let (Change::Push, Some(put_off), Some(address)) = (change, put_off, Address::of_page()) {
                    // Where the reader goes back to is what was seen last.
                    address.put(&put_off, Change::Replace);
                }
                let put = {
                    let (text, opened, written) = (text.clone(), *opened, written.clone());
                    move || {
                        if let Some(address) = Address::of_page() {
                            address.put(&text, change);
                        }
                        *written.borrow_mut() = Written { at_ms: page::now_ms(), opened, text, put_off: None };
                    }
                };
                let wait = if *playing { ADDRESS_EVERY_MS } else { ADDRESS_EVERY_MS - (page::now_ms() - last) };
                if wait <= 0.0 || change == Change::Push {
                    put();
                    None
                } else {
                    written.borrow_mut().put_off = Some(text.clone());
                    Some(timer::after(wait as u32, put))
                }
            }
            _ => None,
        };
        move || {
            let _stopped = timer;
        }
    });
    let go = go.clone();
    use_effect_with((), move |()| {
        let listener = on.then(|| events::on_window("hashchange", move |_| follow(&go)));
        move || {
            let _removed = listener;
        }
    });
}

/// What the address says: the link to what is shown. A journal, or a scenario too long for a link, is in no address; then none says
/// that it is, and what is below it stays.
fn fragment(state: &State) -> String {
    let whole = state.link().and_then(|link| link::fit(&link));
    let fitted = whole.or_else(|| {
        let rest = Link { comparison: state.comparison, below: state.below.clone(), ..Link::default() };
        link::fit(&rest).filter(|_| rest != Link::default())
    });
    fitted.map(|fitted| fitted.fragment).unwrap_or_default()
}

/// The reader typed an address, or went back.
fn follow(go: &Go) {
    if let Some(address) = Address::of_page() {
        let state = State::of_fragment(&address.fragment());
        // A broken address is told of once, and gives way to that of what is shown.
        if let Some(link) = state.link().filter(|_| state.notice.as_ref().is_some_and(|notice| notice.problem)) {
            address.put(&link::write(&link), Change::Replace);
        }
        go.dispatch(Action::Follow(Box::new(state)));
    }
}

/// What was put into the address.
#[derive(Clone)]
struct Written {
    at_ms: f64,
    /// The story opened last when it was put there.
    opened: u32,
    text: String,
    /// What was to be put there, and was not yet.
    put_off: Option<String>,
}

impl Written {
    /// What the page was opened with. An empty address stays empty until something is done.
    fn at_start(fragment: String, opened: u32) -> Self {
        let given = Address::of_page().map(|address| address.fragment()).filter(|given| !given.is_empty());
        Self { at_ms: f64::NEG_INFINITY, opened, text: given.unwrap_or(fragment), put_off: None }
    }
}

/// Keys, wherever on the page the focus is.
#[hook]
pub fn use_keys(press: Callback<KeyboardEvent>, on: bool) {
    let latest = use_mut_ref(|| press.clone());
    *latest.borrow_mut() = press;
    use_effect_with((), move |()| {
        let listener = on.then(|| {
            events::on_window("keydown", move |event| {
                if let Ok(event) = event.dyn_into::<KeyboardEvent>() {
                    let press = latest.borrow().clone();
                    press.emit(event);
                }
            })
        });
        move || {
            let _removed = listener;
        }
    });
}

/// Groups of buttons are one stop for the Tab key.
#[hook]
pub fn use_roving() {
    use_effect(super::roving::settle);
}

/// How long what was done is told.
const PASSING_MS: u32 = 8_000;

/// Names the page after its story, puts the theme on it, and takes what was done off it after a while.
#[hook]
pub fn use_document(state: &State, go: &Go) {
    let go = go.clone();
    let deps = (state.view.theme, state.title(), state.notice.clone().filter(|notice| notice.passing));
    use_effect_with(deps, move |(theme, title, notice)| {
        page::set_theme(*theme);
        page::set_title(&format!("Twiceproof: {title}"));
        let timer = notice.as_ref().map(|_| timer::after(PASSING_MS, move || go.dispatch(Action::Dismiss)));
        move || {
            let _stopped = timer;
        }
    });
}

/// The size of the stage, as far as drawing depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its width in CSS pixels.
    pub width: u32,
    /// The window is so narrow that the timeline is a list.
    pub compact: bool,
}

/// The stage of a desktop window, until it has been measured.
const USUAL: Extent = Extent { width: 752, compact: false };

/// Below this width of the window the timeline is a list.
const COMPACT_BELOW: &str = "(max-width: 37.49em)";

/// Measures an element, now and whenever the window changes.
#[hook]
pub fn use_extent(stage: &NodeRef) -> Extent {
    let extent = use_state_eq(|| Extent { compact: page::prefers(COMPACT_BELOW), ..USUAL });
    {
        let (extent, stage) = (extent.clone(), stage.clone());
        use_effect_with((), move |()| {
            let measure = move || {
                let width = stage.cast::<web_sys::Element>().map_or(0, |element| element.client_width());
                let width = u32::try_from(width).ok().filter(|width| *width > 0).unwrap_or(USUAL.width);
                extent.set(Extent { width, compact: page::prefers(COMPACT_BELOW) });
            };
            measure();
            let listener = events::on_window("resize", move |_| measure());
            move || {
                let _removed = listener;
            }
        });
    }
    *extent
}

/// A timer that stops when it is dropped. Natively it never goes off.
pub(crate) mod timer {
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn after(ms: u32, act: impl FnOnce() + 'static) -> gloo_timers::callback::Timeout {
        gloo_timers::callback::Timeout::new(ms, act)
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn after(_ms: u32, _act: impl FnOnce() + 'static) -> Never {
        Never
    }

    /// A timer that does not go off.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) struct Never;
}

/// Listeners that are removed when they are dropped.
pub(crate) mod events {
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{Event, Window};

    use crate::app::page;

    /// A listener on the window.
    pub(crate) struct Listener {
        window: Window,
        name: &'static str,
        closure: Closure<dyn Fn(Event)>,
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            let _ = self.window.remove_event_listener_with_callback(self.name, self.closure.as_ref().unchecked_ref());
        }
    }

    /// Listens to an event of the window, where there is one.
    pub(crate) fn on_window(name: &'static str, act: impl Fn(Event) + 'static) -> Option<Listener> {
        let window = page::window()?;
        let closure = Closure::<dyn Fn(Event)>::new(act);
        window.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref()).ok()?;
        Some(Listener { window, name, closure })
    }
}
