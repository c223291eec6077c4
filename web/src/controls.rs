//! The page's few kinds of controls, each as a plain function.

use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::field::Field;
use crate::icons::{Icon, icon};

/// How a control reaches the reducer.
pub type Go = UseReducerDispatcher<State>;

/// A handler that asks for one action, whatever the event is.
pub fn on<E: 'static>(go: &Go, action: Action) -> Callback<E> {
    let go = go.clone();
    Callback::from(move |_| go.dispatch(action.clone()))
}

/// A button with a text.
pub fn button(text: &str, onclick: Callback<MouseEvent>, disabled: bool) -> Html {
    html! { <button class="btn" type="button" {onclick} {disabled}>{ text }</button> }
}

/// A button with a drawn icon before its text.
pub fn icon_text_button(what: Icon, text: &str, onclick: Callback<MouseEvent>, disabled: bool) -> Html {
    html! { <button class="btn" type="button" {onclick} {disabled}>{ icon(what) }{ text }</button> }
}

/// A button that is only an icon; `label` is its name and its tooltip.
pub fn icon_button(what: Icon, label: &str, onclick: Callback<MouseEvent>, disabled: bool) -> Html {
    let label = label.to_owned();
    html! {
        <button class="btn icon" type="button" aria-label={label.clone()} title={label} {onclick} {disabled}>
            { icon(what) }
        </button>
    }
}

/// A few choices side by side, of which one holds.
pub fn choice<T: PartialEq + Copy + 'static>(
    legend: &'static str,
    name: &'static str,
    choices: &[(T, &'static str)],
    chosen: T,
    disabled: bool,
    choose: Callback<T>,
) -> Html {
    let one = |&(value, text): &(T, &'static str)| {
        let onchange = choose.reform(move |_: Event| value);
        html! {
            <label>
                <input type="radio" {name} value={text} checked={value == chosen} {onchange} {disabled} />
                <span>{ text }</span>
            </label>
        }
    };
    html! {
        <fieldset>
            <legend class="lb">{ legend }</legend>
            <div class="seg">{ for choices.iter().map(one) }</div>
        </fieldset>
    }
}

/// On or off.
pub fn switch(text: &'static str, on: bool, disabled: bool, set: Callback<bool>) -> Html {
    let onchange = set.reform(move |event: Event| input_of(&event).is_some_and(|input| input.checked()));
    html! {
        <label class={classes!("switch", on.then_some("on"))}>
            <span>{ text }</span>
            <input type="checkbox" role="switch" checked={on} {onchange} {disabled} />
            <svg viewBox="0 0 32 20" width="32" height="20" aria-hidden="true">
                <rect class="sw-track" x="1" y="1" width="30" height="18" rx="9" />
                <circle class="sw-knob" cx={if on { "22" } else { "10" }} cy="10" r="6" />
            </svg>
        </label>
    }
}

/// A value in a chip, changed by typing.
pub fn chip(
    id: &'static str,
    label: &'static str,
    long_label: &'static str,
    needs: &'static str,
    value: String,
    take: Callback<String, Result<(), String>>,
) -> Html {
    html! {
        <label class="chip" key={id}>
            <span>{ label }</span><Field {id} name={format!("{label}: {long_label}")} {value} {needs} {take} />
        </label>
    }
}

/// The input that an event is about.
pub fn input_of(event: &web_sys::Event) -> Option<HtmlInputElement> {
    event.target()?.dyn_into().ok()
}
