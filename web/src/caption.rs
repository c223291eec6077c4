//! The one sentence always on screen, the question that a story asks and what to try at its end; and the same for those who listen: at once after a step, at most every three
//! seconds while it plays, and then as a summary.

use yew::prelude::*;

use crate::app::action::Action;
use crate::app::page;
use crate::app::state::State;
use crate::controls::{Go, button, icon_button, on};
use crate::icons::Icon;
use crate::story::{Kind, Story};
use crate::timeline::SharedStory;
use crate::words;

/// The id of the question, which whoever tries to step past it is led to.
pub const ASK: &str = "ask";
/// The id of the sentence, which goes on where a button that was pressed is gone.
const SAY: &str = "say";

/// The caption with its buttons.
pub fn caption(state: &State, go: &Go) -> Html {
    html! {
        <div class="caption">
            <p class="say" id={SAY} tabindex="-1">{ text(state) }</p>
            <div class="cstep" data-roving="">
                if let Some(difference) = state.difference_text() {
                    <span class="diff min">{ difference }</span>
                }
                { steps(state, go) }
            </div>
            <Listener story={SharedStory(state.story.clone())} index={state.index} playing={state.playing} worker_only={state.view.worker_only}
                text={heard(state)} difference={state.difference_text().map(AttrValue::from)} />
        </div>
    }
}

/// The caption that stands here, or what the last event meant. Captions tell of the provider, so there are none in the
/// worker's view.
fn text(state: &State) -> AttrValue {
    if state.view.worker_only {
        return match state.said_index() {
            0 if !state.story.is_empty() => {
                "This is what the worker sees. What the provider does is yours to guess.".into()
            }
            said => words::caption(&state.story, said).into(),
        };
    }
    let told = state.telling.as_ref().and_then(|telling| telling.text_at(state.index)).map(AttrValue::from);
    told.or_else(|| opening(state).map(AttrValue::from))
        .unwrap_or_else(|| words::caption(&state.story, state.index).into())
}

/// What is said aloud: the question too, where one is asked.
fn heard(state: &State) -> AttrValue {
    let question = state.telling.as_ref().filter(|_| state.asks()).map(|telling| telling.entry().bet.question);
    question.map_or_else(|| text(state), |question| format!("{} {question}", text(state)).into())
}

/// From caption to caption in a story that is told, from call to call in any other.
fn steps(state: &State, go: &Go) -> Html {
    let told = state.telling.as_ref();
    let ((back, to_back), (forward, to_forward)) = match told {
        Some(_) => (("Previous caption", Action::BackCaption), ("Next caption", Action::ForwardCaption)),
        None => (("To the call before", Action::BackAttempt), ("To the next call", Action::ForwardAttempt)),
    };
    let place = told.map(|telling| format!("{} of {}", telling.current(state.index) + 1, telling.count()));
    html! {
        <>
            { icon_button(Icon::Previous, back, on(go, to_back), state.index == 0) }
            if let Some(place) = place {
                <span class="min muted">{ place }</span>
            }
            { icon_button(Icon::Next, forward, on(go, to_forward), state.at_end()) }
        </>
    }
}

/// What a story asks the reader here, or at its end what to try.
pub fn ask(state: &State, go: &Go) -> Html {
    let Some(telling) = &state.telling else { return Html::default() };
    let (bet, now_you) = (telling.entry().bet, telling.entry().now_you);
    if state.asks() {
        let choice = |(number, text): (usize, &&'static str)| {
            html! { <button class="btn bet" type="button" onclick={answers(go, Action::Bet(number))}>{ *text }</button> }
        };
        return html! {
            <div class="ask" id={ASK} tabindex="-1" role="group" aria-label="Your bet">
                <b>{ bet.question }</b>
                { for bet.choices.iter().enumerate().map(choice) }
                { button("No bet", answers(go, Action::Bet(bet.choices.len())), false) }
            </div>
        };
    }
    if state.at_end() && !state.view.worker_only {
        let edit = answers(go, Action::Edit((now_you.edit)()));
        return html! {
            <div class="ask" role="group" aria-label="Now you">
                <span><b>{ "Now you. " }</b>{ now_you.text }</span>
                <button class="btn bet" type="button" onclick={edit}>{ now_you.button }</button>
            </div>
        };
    }
    Html::default()
}

/// What answers takes its own buttons away: the focus goes to the sentence, or it would be nowhere.
fn answers(go: &Go, action: Action) -> Callback<MouseEvent> {
    on(go, action).reform(|event| {
        page::focus(SAY);
        event
    })
}

/// What the reader bet on, and at the end whether that was right, once it can be seen.
pub fn bet(state: &State) -> Option<String> {
    let (telling, choice) = (state.telling.as_ref()?, state.bet?);
    let bet = telling.choice(choice)?;
    Some(match (state.at_end() && !state.view.worker_only, choice == telling.right()) {
        (false, _) => format!("Your bet: {bet}."),
        (true, true) => format!("Your bet was right: {bet}."),
        (true, false) => format!("Your bet was {bet}; it is {}.", telling.choice(telling.right())?),
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
    worker_only: bool,
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
                let text = change + &props.text;
                // The same text once more would not be heard.
                let again = if *said == text { "\u{a0}" } else { "" };
                said.set(text + again);
            }
        });
    }
    let text = (*said).clone();
    use_effect_with((props.playing, props.story.clone(), props.worker_only), move |(playing, story, worker_only)| {
        let timer = playing.then(|| every_while(story.clone(), *worker_only, index, summarised, said));
        move || {
            let _stopped = timer;
        }
    });
    html! { <p class="sr" role="status">{ text }</p> }
}

#[cfg(target_arch = "wasm32")]
fn every_while(
    story: SharedStory,
    worker_only: bool,
    index: std::rc::Rc<std::cell::RefCell<usize>>,
    summarised: std::rc::Rc<std::cell::RefCell<usize>>,
    said: UseStateHandle<String>,
) -> gloo_timers::callback::Interval {
    gloo_timers::callback::Interval::new(SUMMARY_EVERY_MS, move || {
        let now = *index.borrow();
        let before = summarised.replace(now);
        if now > before {
            said.set(summary(&story, worker_only, before, now));
        }
    })
}

/// Natively nothing plays.
#[cfg(not(target_arch = "wasm32"))]
fn every_while<T>(_: SharedStory, _: bool, _: T, _: T, _: UseStateHandle<String>) {}

/// "6 events, 1 reply lost."
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
fn summary(story: &Story, worker_only: bool, before: usize, now: usize) -> String {
    let lost = if worker_only { ("timeout", "timeouts") } else { ("reply lost", "replies lost") };
    let told = [(Kind::Lost, lost.0, lost.1), (Kind::DoneAgain, "done again", "done again")];
    let mut parts = vec![words::count(now - before, "event", "events")];
    for (kind, one, many) in told.into_iter().filter(|(kind, ..)| !(worker_only && kind.is_providers())) {
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
        let all = state.whole().len();
        assert_eq!(summary(state.whole(), false, 0, all), format!("{all} events, 1 reply lost, 1 done again."));
        assert_eq!(summary(state.whole(), true, 0, all), format!("{all} events, 1 timeout."));
        assert_eq!(summary(state.whole(), false, 0, 1), "1 event.");
    }
}
