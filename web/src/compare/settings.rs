//! The six settings: a slider and a field each.

use twiceproof_sim::table::TableParams;
use yew::prelude::*;

use super::run::{Action, Run};
use super::setting::Setting;
use crate::controls::input_of;
use crate::field::Field;

pub(super) fn settings(params: &TableParams, run: &UseReducerDispatcher<Run>) -> Html {
    html! { <div class="sets">{ for Setting::ALL.into_iter().map(|setting| one(setting, params, run)) }</div> }
}

fn one(setting: Setting, params: &TableParams, run: &UseReducerDispatcher<Run>) -> Html {
    let text = setting.text(params);
    let oninput = {
        let run = run.clone();
        move |event: InputEvent| {
            if let Some(place) = input_of(&event).and_then(|input| input.value().parse().ok()) {
                run.dispatch(Action::Place(setting, place));
            }
        }
    };
    let on_step = {
        let run = run.clone();
        Callback::from(move |by| run.dispatch(Action::Step(setting, by)))
    };
    html! {
        <div class="set" key={setting.id()}>
            <span class="set-l" aria-hidden="true">{ setting.label() }</span>
            <Field id={format!("{}-number", setting.id())} name={format!("{}, exactly", setting.label())} value={text.clone()}
                needs={setting.needs()} take={take(setting, *params, run)} {on_step} />
            <input type="range" class="slide" id={setting.id()} aria-label={format!("{}, slider", setting.label())} min="0"
                max={setting.last().to_string()} step="1" value={setting.place(params).to_string()}
                aria-valuetext={text} {oninput} />
        </div>
    }
}

fn take(
    setting: Setting,
    params: TableParams,
    run: &UseReducerDispatcher<Run>,
) -> Callback<String, Result<(), String>> {
    let run = run.clone();
    Callback::from(move |text: String| {
        if setting.typed(&text, &params).is_none() {
            return Err(format!("{} needs {}, got \u{201c}{text}\u{201d}.", setting.label(), setting.needs()));
        }
        run.dispatch(Action::Typed(setting, text));
        Ok(())
    })
}
