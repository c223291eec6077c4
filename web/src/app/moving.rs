//! The timeline while it plays: between two events the playhead moves evenly, once a frame. Only this component is
//! drawn then; the page around it is drawn again at every event.

use std::rc::Rc;

use yew::prelude::*;

use super::view::Speed;
use super::{frames, page, playback};
use crate::story::{AttemptName, Kind};
use crate::timeline::{SharedStory, Timeline};

/// What a timeline is drawn from, and how it plays.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The story.
    pub story: SharedStory,
    /// Entries played.
    pub index: usize,
    /// The call that is looked at.
    pub selected: Option<AttemptName>,
    /// A call was chosen.
    pub on_select: Callback<AttemptName>,
    /// A time was chosen.
    pub on_seek: Callback<usize>,
    /// Width in CSS pixels.
    pub width: u32,
    /// Whether the provider's lane is shown.
    pub show_provider: bool,
    /// The lane is to be shown or hidden.
    pub on_toggle_provider: Callback<()>,
    /// Drawn as a list.
    pub compact: bool,
    /// Kinds of marks that stand back.
    pub dimmed: Rc<[Kind]>,
    /// Whether it plays.
    pub playing: bool,
    /// How fast.
    pub speed: Speed,
    /// How long it stands still here first, in real milliseconds.
    pub hold_ms: u32,
}

/// The timeline, with its playhead on the way.
#[component]
pub fn Moving(props: &Props) -> Html {
    let now = use_state_eq(|| None);
    {
        let now = now.clone();
        let deps = (props.playing, props.index, props.story.clone(), props.speed, props.hold_ms);
        use_effect_with(deps, move |(playing, index, story, speed, hold_ms)| {
            let hold_ms = f64::from(*hold_ms);
            let way = way(story, *index, *speed).filter(|_| *playing);
            now.set(way.map(|way| way.from));
            let frames = way.map(|way| {
                let began = page::now_ms();
                frames::each(move || now.set(Some(way.at(page::now_ms() - began - hold_ms))))
            });
            move || {
                let _stopped = frames;
            }
        });
    }
    let Props { story, index, selected, on_select, on_seek, width, show_provider, on_toggle_provider, .. } =
        props.clone();
    html! {
        <Timeline {story} {index} {selected} {on_select} {on_seek} {width} {show_provider} {on_toggle_provider}
            compact={props.compact} dimmed={props.dimmed.clone()} now_ms={(*now).filter(|_| props.playing)} />
    }
}

/// The playhead's way from one event to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    from: f64,
    to: f64,
    takes_ms: f64,
}

impl Way {
    fn at(self, elapsed_ms: f64) -> f64 {
        self.from + (self.to - self.from) * (elapsed_ms / self.takes_ms).clamp(0.0, 1.0)
    }
}

/// The way from an index on; none if the playhead is to jump: with reduced motion, or as fast as possible.
fn way(story: &SharedStory, index: usize, speed: Speed) -> Option<Way> {
    let calm = page::calm();
    if calm || speed == Speed::Max || index >= story.len() {
        return None;
    }
    let takes_ms = playback::beat(story, index, speed, calm).delay_ms.into();
    Some(Way { from: story.time(index) as f64, to: story.time(index + 1) as f64, takes_ms })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::State;

    #[test]
    fn the_playhead_moves_evenly_and_never_beyond() {
        let state = State::default();
        let story = SharedStory(state.story.clone());
        let index = (0..story.len()).find(|index| story.time(index + 1) > story.time(*index)).unwrap();
        let way = way(&story, index, Speed::Normal).unwrap();
        assert_eq!((way.at(-1.0), way.at(way.takes_ms * 2.0)), (way.from, way.to));
        assert_eq!(way.at(way.takes_ms / 2.0), (way.from + way.to) / 2.0);
        assert_eq!(super::way(&story, index, Speed::Max), None);
    }
}
