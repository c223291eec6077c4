//! Table, chart or text: tabs that are chosen with the arrow keys, one stop for the Tab key.

use yew::prelude::*;

use super::run::{Action, Run};
use super::{PANEL, Tab};
use crate::app::page;

pub(super) fn tabs(chosen: Tab, run: &UseReducerDispatcher<Run>) -> Html {
    let one = |tab: Tab| {
        let onclick = {
            let run = run.clone();
            move |_: MouseEvent| run.dispatch(Action::Look(tab))
        };
        let selected = tab == chosen;
        html! {
            <button type="button" role="tab" id={tab.id()} aria-controls={PANEL} aria-selected={selected.to_string()}
                tabindex={if selected { "0" } else { "-1" }} {onclick}>{ tab.label() }</button>
        }
    };
    let onkeydown = {
        let run = run.clone();
        move |event: KeyboardEvent| {
            let Some(tab) = moved(chosen, &event.key()) else { return };
            event.prevent_default();
            run.dispatch(Action::Look(tab));
            page::focus(tab.id());
        }
    };
    html! { <div class="seg" role="tablist" aria-label="View of the comparison" {onkeydown}>{ for Tab::ALL.into_iter().map(one) }</div> }
}

/// Where a key leads; the row of tabs is a ring.
fn moved(from: Tab, key: &str) -> Option<Tab> {
    let (count, at) = (Tab::ALL.len(), Tab::ALL.iter().position(|tab| *tab == from)?);
    let to = match key {
        "ArrowRight" => (at + 1) % count,
        "ArrowLeft" => (at + count - 1) % count,
        "Home" => 0,
        "End" => count - 1,
        _ => return None,
    };
    Some(Tab::ALL[to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_round() {
        assert_eq!(moved(Tab::Text, "ArrowRight"), Some(Tab::Table));
        assert_eq!(moved(Tab::Table, "ArrowLeft"), Some(Tab::Text));
        assert_eq!((moved(Tab::Table, "End"), moved(Tab::Table, "Enter")), (Some(Tab::Text), None));
    }
}
