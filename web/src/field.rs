//! A value that is changed by typing. What it can be is said below it while it has the focus. A text that is not
//! taken stays, marked as invalid and with the reason below it, until it is mended, or put back with Escape.

use yew::prelude::*;

use crate::controls::input_of;

/// What a field is told.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The input's id, for labels; the id of what is below it begins with it.
    pub id: AttrValue,
    /// Its name for those who cannot see what stands beside it.
    pub name: AttrValue,
    /// The value that holds.
    pub value: AttrValue,
    /// What it can be: "a percentage from 0 to 100".
    pub needs: AttrValue,
    /// Takes over what was typed, or says in a sentence why not.
    pub take: Callback<String, Result<(), String>>,
    /// An arrow up or down was pressed.
    #[prop_or_default]
    pub on_step: Option<Callback<i32>>,
}

/// What was typed and not taken yet.
#[derive(Clone, Default, PartialEq)]
struct Draft {
    text: Option<String>,
    refused: Option<String>,
}

/// The field.
#[component]
pub fn Field(props: &Props) -> Html {
    let draft = use_state_eq(Draft::default);
    {
        let draft = draft.clone();
        use_effect_with(props.value.clone(), move |_| draft.set(Draft::default()));
    }
    let oninput = {
        let draft = draft.clone();
        move |event: InputEvent| {
            let text = input_of(&event).map(|input| input.value());
            draft.set(Draft { text, refused: draft.refused.clone() });
        }
    };
    let onchange = {
        let (draft, take, value) = (draft.clone(), props.take.clone(), props.value.clone());
        move |event: Event| {
            let Some(input) = input_of(&event) else { return };
            let text = input.value();
            match take.emit(text.clone()) {
                // The new value comes through the page's state; it may be the old one, written otherwise.
                Ok(()) => {
                    input.set_value(&value);
                    draft.set(Draft::default());
                }
                Err(reason) => draft.set(Draft { text: Some(text), refused: Some(reason) }),
            }
        }
    };
    let shown = draft.text.clone().map_or_else(|| props.value.clone(), AttrValue::from);
    let size = shown.chars().count().max(1).to_string();
    let hint = format!("{}-needs", props.id);
    let refused = draft.refused.clone();
    html! {
        <>
            <input type="text" id={props.id.clone()} aria-label={props.name.clone()} aria-describedby={hint.clone()}
                aria-invalid={refused.is_some().then_some("true")} autocomplete="off" spellcheck="false"
                {size} value={shown} {oninput} {onchange}
                onkeydown={on_key(&draft, &props.on_step)} />
            <span class={classes!("hint", refused.is_some().then_some("refused"))} id={hint}>
                { refused.clone().unwrap_or_else(|| format!("Needs {}.", props.needs)) }
            </span>
            <span class="sr" role="status">{ refused }</span>
        </>
    }
}

fn on_key(draft: &UseStateHandle<Draft>, on_step: &Option<Callback<i32>>) -> Callback<KeyboardEvent> {
    let (draft, on_step) = (draft.clone(), on_step.clone());
    Callback::from(move |event: KeyboardEvent| {
        let step = match (event.key().as_str(), &on_step) {
            ("ArrowUp", Some(step)) => (1, step),
            ("ArrowDown", Some(step)) => (-1, step),
            ("Escape", _) if *draft != Draft::default() => {
                event.stop_propagation();
                return draft.set(Draft::default());
            }
            _ => return,
        };
        event.prevent_default();
        step.1.emit(step.0);
    })
}
