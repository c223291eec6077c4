//! The one sentence always on screen, the question that a story asks and what to try at its end; and the same for those who listen: at once after a step, at most every three
//! seconds while it plays, and then as a summary.

use yew::prelude::*;

use crate::app::action::Action;
use crate::app::state::State;
use crate::controls::{Go, icon_button, on};
use crate::icons::Icon;
use crate::story::{Kind, Story};
use crate::timeline::SharedStory;
use crate::words;

/// The caption with its buttons.
pub fn caption(state: &State, go: &Go) -> Html {
    html! {
        <div class="caption">
            <p class="say">{ text(state) }</p>
            <div class="cstep" data-roving="">
                if let Some(difference) = state.difference_text() {
                    <span class="diff min">{ difference }</span>
                }
                { steps(state, go) }
            </div>
            <Listener story={SharedStory(state.story.clone())} index={state.index} playing={state.playing}
                text={text(state)} difference={state.difference_text().map(AttrValue::from)} />
        </div>
    }
}

/// The caption that stands here, or what the last event meant.
fn text(state: &State) -> AttrValue {
    let told = state.telling.as_ref().and_then(|telling| telling.text_at(state.index)).map(AttrValue::from);
    told.or_else(|| opening(state).map(AttrValue::from))
        .unwrap_or_else(|| words::caption(&state.story, state.index).into())
}

/// From caption to caption in a story that is told, from call to call in any other.
fn steps(state: &State, go: &Go) -> Html {
    let Some(telling) = &state.telling else {
        return html! {
            <>
                { icon_button(Icon::Previous, "To the call before", on(go, Action::BackAttempt), state.index == 0) }
                { icon_button(Icon::Next, "To the next call", on(go, Action::ForwardAttempt), state.at_end()) }
            </>
        };
    };
    let (before, after) = telling.around(state.index);
    html! {
        <>
            { icon_button(Icon::Previous, "Previous caption", on(go, Action::BackCaption), before.is_none()) }
            <span class="min muted">{ format!("{} of {}", telling.current(state.index) + 1, telling.count()) }</span>
            { icon_button(Icon::Next, "Next caption", on(go, Action::ForwardCaption), after.is_none()) }
        </>
    }
}

/// What a story asks the reader here, or at its end what to try.
pub fn ask(state: &State, go: &Go) -> Html {
    let Some(telling) = &state.telling else { return Html::default() };
    let (bet, now_you) = (telling.entry().bet, telling.entry().now_you);
    if state.asks() {
        let choice = |(number, text): (usize, &&'static str)| {
            html! { <button class="btn bet" type="button" onclick={on(go, Action::Bet(number))}>{ *text }</button> }
        };
        return html! {
            <div class="ask" role="group" aria-label="Your bet">
                <b>{ bet.question }</b>
                { for bet.choices.iter().enumerate().map(choice) }
            </div>
        };
    }
    if state.at_end() {
        let edit = on(go, Action::Edit((now_you.edit)()));
        return html! {
            <div class="ask" role="group" aria-label="Now you">
                <span><b>{ "Now you. " }</b>{ now_you.text }</span>
                <button class="btn bet" type="button" onclick={edit}>{ now_you.button }</button>
            </div>
        };
    }
    Html::default()
}

/// What the reader bet on, and at the end whether that was right.
pub fn bet(state: &State) -> Option<String> {
    let (telling, choice) = (state.telling.as_ref()?, state.bet?);
    let bet = telling.choice(choice);
    Some(match (state.at_end(), choice == telling.right()) {
        (false, _) => format!("Your bet: {bet}."),
        (true, true) => format!("Your bet was right: {bet}."),
        (true, false) => format!("Your bet was {bet}; it is {}.", telling.choice(telling.right())),
    })
}

/// Before anything has happened: what the story is about, or what could be tried.
fn opening(state: &State) -> Option<String> {
    if state.index > 0 || state.story.is_empty() {
        return None;
    }
    Some(match (state.named, state.scenario()) {
        (Some(named), _) => named.about.to_owned(),
        (None, Some(scenario)) if scenario.operations.len() == 1 && scenario.faults.is_empty() => {
            "Ana signs up. Press Play, then send the same sign-up again, or lose the reply to her email.".to_owned()
        }
        (None, _) => return None,
    })
}

#[derive(Clone, PartialEq, Properties)]
struct ListenerProps {
    story: SharedStory,
    index: usize,
    playing: bool,
    text: AttrValue,
    difference: Option<AttrValue>,
}

/// How often playback is summarised.
#[cfg(target_arch = "wasm32")]
const SUMMARY_EVERY_MS: u32 = 3_000;

/// What a screen reader says. It is a component because it remembers what it said last.
#[component]
fn Listener(props: &ListenerProps) -> Html {
    let said = use_state(String::new);
    let index = use_mut_ref(|| props.index);
    let summarised = use_mut_ref(|| props.index);
    *index.borrow_mut() = props.index;
    {
        let (said, summarised, props) = (said.clone(), summarised.clone(), props.clone());
        use_effect_with((props.index, props.playing, props.difference.clone(), props.text.clone()), move |_| {
            if !props.playing {
                *summarised.borrow_mut() = props.index;
                let change = props.difference.as_ref().map(|text| format!("Your change: {text}. ")).unwrap_or_default();
                said.set(change + &props.text);
            }
        });
    }
    let text = (*said).clone();
    use_effect_with((props.playing, props.story.clone()), move |(playing, story)| {
        let timer = playing.then(|| every_while(story.clone(), index, summarised, said));
        move || {
            let _stopped = timer;
        }
    });
    html! { <p class="sr" role="status">{ text }</p> }
}

#[cfg(target_arch = "wasm32")]
fn every_while(
    story: SharedStory,
    index: std::rc::Rc<std::cell::RefCell<usize>>,
    summarised: std::rc::Rc<std::cell::RefCell<usize>>,
    said: UseStateHandle<String>,
) -> gloo_timers::callback::Interval {
    gloo_timers::callback::Interval::new(SUMMARY_EVERY_MS, move || {
        let now = *index.borrow();
        let before = summarised.replace(now);
        if now > before {
            said.set(summary(&story, before, now));
        }
    })
}

/// Natively nothing plays.
#[cfg(not(target_arch = "wasm32"))]
fn every_while<T>(_: SharedStory, _: T, _: T, _: UseStateHandle<String>) {}

/// "6 events, 1 reply lost."
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
fn summary(story: &Story, before: usize, now: usize) -> String {
    let told = [(Kind::Lost, "reply lost", "replies lost"), (Kind::DoneAgain, "done again", "done again")];
    let mut parts = vec![words::count(now - before, "event", "events")];
    for (kind, one, many) in told {
        let count = story.counts.at(kind, now) - story.counts.at(kind, before);
        if count > 0 {
            parts.push(words::count(count, one, many));
        }
    }
    parts.join(", ") + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stories;

    #[test]
    fn playback_is_summed_up() {
        let state = State::of_story(stories::named("lost-reply").unwrap());
        let all = state.story.len();
        assert_eq!(summary(&state.story, 0, all), format!("{all} events, 1 reply lost, 1 done again."));
        assert_eq!(summary(&state.story, 0, 1), "1 event.");
    }
}
