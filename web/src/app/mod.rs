//! The page.

use yew::prelude::*;

/// The page: header, panels, stage, comparison.
#[component]
pub fn App() -> Html {
    html! { <main class="stage">{ "Twiceproof" }</main> }
}
