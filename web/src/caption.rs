//! The one sentence always on screen, and the same for those who listen: at once after a step, at most every three
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
    let text = opening(state).unwrap_or_else(|| words::caption(&state.story, state.index));
    html! {
        <div class="caption">
            <p class="say">{ text }</p>
            <div class="cstep">
                if let Some(difference) = state.difference_text() {
                    <span class="diff min">{ difference }</span>
                }
                { icon_button(Icon::Previous, "To the call before", on(go, Action::BackAttempt), state.index == 0) }
                { icon_button(Icon::Next, "To the next call", on(go, Action::ForwardAttempt), state.at_end()) }
            </div>
            <Listener story={SharedStory(state.story.clone())} index={state.index} playing={state.playing}
                difference={state.difference_text().map(AttrValue::from)} />
        </div>
    }
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
        use_effect_with((props.index, props.playing, props.difference.clone()), move |_| {
            if !props.playing {
                *summarised.borrow_mut() = props.index;
                let change = props.difference.as_ref().map(|text| format!("Your change: {text}. ")).unwrap_or_default();
                said.set(change + &words::caption(&props.story, props.index));
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
