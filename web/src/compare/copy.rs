//! The table on the clipboard: Markdown, CSV or JSON, and a word that it is there.

use std::rc::Rc;

use twiceproof_sim::table::format;
use yew::prelude::*;

use super::run::Shown;
use crate::files;
use crate::icons::{Icon, icon};

/// What the buttons are told.
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Props {
    pub(super) shown: Rc<Shown>,
}

type Write = fn(&Shown) -> String;

const FORMS: [(&str, Write); 3] = [
    ("Markdown", |shown| format::markdown(&shown.table)),
    ("CSV", |shown| format::csv(&shown.table)),
    ("JSON", |shown| format::json(&shown.table, shown.worked_ms)),
];

/// The buttons.
#[component]
pub(super) fn Copies(props: &Props) -> Html {
    // What was said is true of one table only.
    let said = use_state(|| None::<(Rc<Shown>, String)>);
    let button = |&(name, write): &(&'static str, Write)| {
        let (shown, said) = (props.shown.clone(), said.setter());
        let onclick = move |_: MouseEvent| {
            let (shown, said) = (shown.clone(), said.clone());
            let text = write(&shown);
            let done = Callback::from(move |copied| {
                let line = if copied { format!("{name} copied") } else { "Copying was not allowed".to_owned() };
                said.set(Some((shown.clone(), line)));
            });
            files::copy(text, done);
        };
        html! { <button class="btn" type="button" aria-label={format!("{name}: copy the table")} {onclick}>{ name }</button> }
    };
    let line = said.as_ref().filter(|(shown, _)| Rc::ptr_eq(shown, &props.shown)).map(|(_, line)| line.clone());
    html! {
        <div class="copies" data-roving="" role="group" aria-label="Copy the table">
            <span class="muted min" role="status">{ line }</span>
            { icon(Icon::Copy) }
            { for FORMS.iter().map(button) }
        </div>
    }
}
