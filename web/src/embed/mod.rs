//! The timeline inside an article: caption, rows, outcome and transport, without the page around them.
//!
//! | module | what |
//! |---|---|
//! | `wish` | what the address of the frame asks for |
//! | `host` | messages to and from the page around it |

mod host;
mod wish;

use yew::prelude::*;

pub use host::use_host;
pub use wish::{Controls, Wish};

use crate::app::state::State;
use crate::caption;
use crate::compare::Compare;
use crate::controls::Go;
use crate::icons::{Icon, icon};
use crate::link::{self, Address};
use crate::{panels, transport};

/// What stands in the frame.
pub fn frame(state: &State, go: &Go, wish: &Wish, timeline: Html) -> Html {
    html! {
        <main class={classes!("tw", wish.controls.word(), state.covers_table().then_some("covers-table"))}>
            <h1 class="sr">{ state.named.map_or("A story of jobs that run twice", |named| named.title) }</h1>
            { caption::caption(state, go) }
            <h2 class="sr">{ "What happened" }</h2>
            { timeline }
            <div class="outcome">
                if state.asks() {
                    { caption::ask(state, go) }
                } else {
                    { panels::strip(state, go) }
                }
                { open_link(state) }
            </div>
            if wish.controls != Controls::None {
                { transport::transport(state, go) }
            }
            if wish.has_table() {
                <Compare strategy={state.scenario().map(|scenario| scenario.strategy)} comparison={state.comparison} go={go.clone()} />
            }
        </main>
    }
}

fn open_link(state: &State) -> Html {
    let fragment = state.link().map(|link| link::write(&link)).unwrap_or_default();
    let href = Address::of_page().map_or_else(|| format!("./#{fragment}"), |address| address.link(&fragment));
    html! {
        <a class="open" {href} target="_blank" rel="noopener">{ "Open in the playground" }{ icon(Icon::Expand) }</a>
    }
}
