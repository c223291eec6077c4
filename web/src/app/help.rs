//! The keys, what each does, and the switch that turns them off.

use yew::prelude::*;

use super::action::Action;
use super::state::State;
use crate::controls::{Go, switch};
use crate::icons::{Icon, icon};

/// Keys by what they do, as they are listed.
const KEYS: [(&str, &str); 10] = [
    ("Space", "play or pause"),
    ("← →", "step one event"),
    ("Shift ← →", "step to the next call"),
    ("Home End", "first or last event"),
    ("↑ ↓", "another row, or button of a group"),
    ("F", "fail the call looked at"),
    ("L", "lose its reply"),
    ("D", "the same sign-up again"),
    ("C", "copy the link"),
    ("Esc", "let go of the selected call"),
];

pub(super) fn help(state: &State, go: &Go) -> Html {
    let set = {
        let go = go.clone();
        Callback::from(move |on| go.dispatch(Action::Keys(on)))
    };
    let row = |&(key, what): &(&'static str, &'static str)| html! { <div><dt>{ key }</dt><dd>{ what }</dd></div> };
    html! {
        <>
            <button class="btn icon" type="button" aria-label="Help and keys" title="Help and keys" popovertarget="help">
                { icon(Icon::Help) }
            </button>
            <div class="menu help" id="help" popover="auto">
                <h2 class="hd">{ "How to read it" }</h2>
                <p>{ "Above: what the worker saw. Below: what the provider did. A solid diamond is work that really happened; a torn bar is a reply that never arrived." }</p>
                <h2 class="hd">{ "Keys" }</h2>
                <dl class="kv">{ for KEYS.iter().map(row) }</dl>
                { switch("Single keys do something", state.view.keys, false, set) }
            </div>
        </>
    }
}
