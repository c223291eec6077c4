//! The panels beside the timeline: what the reader sets up on the left, what came of it on the right.
//!
//! | module | what |
//! |---|---|
//! | `sign_ups`, `strategy`, `faults` | left: who signs up, how jobs are protected, what goes wrong |
//! | `got`, `store`, `inspector` | right: emails per user, the key store, one call |

mod faults;
mod got;
mod inspector;
mod sign_ups;
mod store;
mod strategy;

use yew::prelude::*;

pub use got::strip;
pub use inspector::looked_at;
pub use strategy::row_of;

use crate::app::state::State;
use crate::controls::Go;

/// What the reader sets up.
pub fn left(state: &State, go: &Go) -> Html {
    html! {
        <aside class="side left" id="set-up" aria-label="Set-up">
            { sign_ups::section(state, go) }
            { strategy::section(state, go) }
            { faults::section(state, go) }
        </aside>
    }
}

/// What came of it.
pub fn right(state: &State, go: &Go) -> Html {
    html! {
        <aside class="side right" aria-label="What came of it">
            { got::section(state, go) }
            { store::section(state, go) }
            { inspector::section(state, go) }
        </aside>
    }
}
