//! The state, its one reducer, and the page around everything.

pub mod action;
pub mod playback;
pub mod state;
pub mod view;

use yew::prelude::*;

/// The page: header, panels, stage, comparison.
#[component]
pub fn App() -> Html {
    html! { <main class="stage">{ "Twiceproof" }</main> }
}
