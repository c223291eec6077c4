use std::task::{Context, Poll, Waker};

use yew::prelude::*;

use super::*;
use crate::app::action::Action;
use crate::app::state::State;
use crate::stories;
use crate::story::samples::two_emails;
use crate::story::{Seen, Story};

/// The timeline as markup, at an index.
fn drawn(story: &SharedStory, index: usize, compact: bool, show_provider: bool) -> String {
    let props = Props {
        story: story.clone(),
        index,
        selected: None,
        on_select: Callback::noop(),
        on_seek: Callback::noop(),
        width: 752,
        show_provider,
        on_toggle_provider: Callback::noop(),
        compact,
        now_ms: None,
        dimmed: Rc::default(),
    };
    let renderer = yew::LocalServerRenderer::<Timeline>::with_props(props).hydratable(false);
    let mut rendering = Box::pin(renderer.render());
    // Nothing in it waits: it is ready at once, or would never be.
    match rendering.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(markup) => markup,
        Poll::Pending => panic!("the timeline waits for something"),
    }
}

fn marks(markup: &str) -> usize {
    markup.matches("data-mark=").count()
}

#[test]
fn e1_no_style_attribute_anywhere() {
    let story = SharedStory::from(two_emails());
    for index in 0..=story.len() {
        for compact in [false, true] {
            assert!(!drawn(&story, index, compact, true).contains(concat!(" style", "=")), "at {index}");
        }
    }
}

#[test]
fn every_call_is_a_named_button_from_the_start() {
    let story = SharedStory::from(two_emails());
    let calls: usize = story.jobs.iter().flat_map(|job| &job.steps).map(|step| step.attempts.len()).sum();
    let first = drawn(&story, 0, false, true);
    assert_eq!(marks(&first), calls);
    assert_eq!(first.matches("not played yet").count(), calls);
    assert_eq!(first.matches("tabindex=\"0\"").count(), 1, "one stop for the Tab key");
    assert_eq!(marks(&drawn(&story, story.len(), false, true)), calls + 1, "and the three skipped steps");
}

#[test]
fn the_future_does_not_spoil() {
    let story = SharedStory::from(two_emails());
    let attempt = &story.jobs[0].steps[1].attempts[0];
    let Some((ended, Seen::NoReply(_))) = &attempt.ended else { panic!("its reply is lost") };
    for compact in [false, true] {
        let while_it_runs = drawn(&story, ended.entry, compact, true);
        assert!(!while_it_runs.contains("timed out") && !while_it_runs.contains("2nd email"));
        let after = drawn(&story, ended.entry + 1, compact, true);
        assert!(after.contains("timed out") && !after.contains("2nd email"));
        assert!(drawn(&story, story.len(), compact, true).contains("2nd email"));
    }
    let before_it_is_lost = drawn(&story, attempt.started.entry + 1, false, true);
    assert!(!before_it_is_lost.contains("reply lost"));
}

#[test]
fn what_the_provider_did_can_be_hidden() {
    let story = SharedStory::from(two_emails());
    for compact in [false, true] {
        let hidden = drawn(&story, story.len(), compact, false);
        assert!(!hidden.contains("2nd email") && !hidden.contains("reply lost"), "{hidden}");
    }
}

#[test]
fn where_nobody_recorded_the_provider_the_lane_says_so() {
    let story = two_emails();
    let own = story.entries.iter().filter(|entry| !entry.event.is_providers()).cloned().collect();
    let story = SharedStory::from(Story::of_journal(own));
    assert!(drawn(&story, story.len(), false, true).contains("not recorded"));
}

#[test]
fn nothing_from_after_a_question_is_drawn_named_or_counted_before_it_is_answered() {
    for named in &stories::ALL {
        let start = State::of_story(named);
        let asked = start.telling.as_ref().unwrap().bet_at();
        let whole = start.telling.as_ref().unwrap().known(false).clone();
        let attempts = || whole.jobs.iter().flat_map(|job| &job.steps).flat_map(|step| &step.attempts);
        let later: Vec<String> =
            attempts().filter(|attempt| attempt.started.entry >= asked).map(|attempt| draw::id(attempt.name)).collect();
        let begun = attempts().filter(|attempt| attempt.ended.is_some()).count() - later.len();
        for index in 0..=asked {
            let mut state = start.clone();
            state.act(Action::Seek(index));
            let at = format!("{} at {index}", named.name);
            let story = SharedStory(state.story.clone());
            for compact in [false, true] {
                let markup = drawn(&story, index, compact, true);
                for mark in &later {
                    assert!(!markup.contains(&format!("data-mark=\"{mark}\"")), "{at} draws {mark}");
                }
                assert!(compact || markup.matches("not played yet").count() <= begun, "{at}");
            }
            for kind in Kind::ALL {
                assert!(state.story.counts.entries(kind).iter().all(|entry| *entry < asked), "{at} counts {kind:?}");
            }
            let spans = state.story.lifelines.iter().flat_map(|line| &line.spans);
            assert!(spans.into_iter().all(|span| span.claimed.entry < asked), "{at} has keys of later");
            assert!(state.stops().all(|stop| stop <= asked), "{at} marks captions of later");
            let call = crate::panels::looked_at(&state).filter(|call| state.story.attempt(*call).is_some());
            assert!(call.is_none_or(|call| !later.contains(&draw::id(call))), "{at} looks at what is later");
        }
        let mut answered = start.clone();
        answered.act(Action::Seek(asked));
        answered.act(Action::Bet(0));
        assert!(Rc::ptr_eq(&answered.story, &whole), "{}", named.name);
    }
}
