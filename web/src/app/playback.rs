//! How long an event stays before the next one, while playing.

use super::state::State;
use super::view::Speed;
use crate::stories::Telling;
use crate::story::Story;

/// Real milliseconds for one virtual one at normal speed: a call of 70 ms takes most of half a second.
const SCALE: f64 = 6.0;
/// Events of the same instant follow each other so far apart that each can be seen.
const LEAST_MS: f64 = 220.0;
/// Nobody waits longer than this for the next event, whatever the virtual gap.
const MOST_MS: f64 = 1_100.0;
/// Playback stands still at a caption for so long, and for each of its characters so much longer.
const CAPTION_MS: f64 = 700.0;
const CAPTION_CHARACTER_MS: f64 = 24.0;
/// With reduced motion playback is discrete jumps, two a second.
const CALM_MS: f64 = 500.0;
/// One frame.
const FRAME_MS: f64 = 17.0;

/// What the playback's clock is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Real milliseconds until then.
    pub delay_ms: u32,
    /// Entries to go forward.
    pub entries: usize,
}

/// The next beat from an index on.
pub fn beat(story: &Story, index: usize, speed: Speed, calm: bool) -> Beat {
    let Some(factor) = speed.factor() else {
        // As fast as can be drawn, and through the longest story in some ten seconds.
        return Beat { delay_ms: FRAME_MS as u32, entries: 1 + story.len() / 600 };
    };
    let gap = story.time(index + 1).saturating_sub(story.time(index)) as f64;
    let delay = if calm { CALM_MS } else { (gap * SCALE).clamp(LEAST_MS, MOST_MS) };
    Beat { delay_ms: (delay / factor).max(FRAME_MS) as u32, entries: 1 }
}

/// How long playback stands still at an index before its next beat, in real milliseconds: long enough to read the
/// caption that stands there. The first one has been there since before Play.
pub fn reading_ms(telling: Option<&Telling>, index: usize, speed: Speed) -> u32 {
    let caption = telling.filter(|_| index > 0).and_then(|telling| telling.text_at(index));
    let (Some(text), Some(factor)) = (caption, speed.factor()) else { return 0 };
    ((CAPTION_MS + CAPTION_CHARACTER_MS * text.len() as f64) / factor) as u32
}

/// The time to read, told to the line that shows that playback waits for the reader: in half seconds up to four seconds,
/// because a style sheet has to have a rule for each.
pub fn hold(state: &State) -> Option<u32> {
    let ms = reading_ms(state.telling.as_deref(), state.index, state.view.speed);
    (state.playing && ms >= 500).then_some((ms / 500).min(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::Action;
    use crate::stories;

    #[test]
    fn nobody_waits_long_and_nothing_is_missed() {
        let state = State::default();
        for index in 0..state.story.len() {
            let beat = beat(&state.story, index, Speed::Normal, false);
            assert!((220..=1_100).contains(&beat.delay_ms) && beat.entries == 1, "{beat:?}");
        }
        assert_eq!(beat(&state.story, 0, Speed::Double, true).delay_ms, 250);
        assert_eq!(beat(&state.story, 0, Speed::Max, false), Beat { delay_ms: 17, entries: 1 });
    }

    #[test]
    fn a_story_stays_at_its_captions_and_is_told_within_a_minute() {
        for named in &stories::ALL {
            let state = State::of_story(named);
            let telling = state.telling.as_deref();
            let reading = |index| reading_ms(telling, index, Speed::Normal);
            assert!(telling.unwrap().stops().all(|at| (at == 0) == (reading(at) < 1_500)), "{}", named.name);
            let beats = (0..state.story.len())
                .map(|index| beat(&state.story, index, Speed::Normal, false).delay_ms + reading(index));
            assert!(beats.sum::<u32>() <= 60_000, "{}", named.name);
        }
    }

    #[test]
    fn it_shows_that_it_waits_for_the_reader_and_does_not_where_it_does_not() {
        let state = State { playing: true, ..State::default() };
        assert_eq!(hold(&state), None, "there is no caption");
        let mut state = State::of_story(stories::named("lost-reply").unwrap());
        state.act(Action::Play);
        assert_eq!(hold(&state), None, "the first caption has been read");
        let second = state.stops().nth(1).unwrap();
        state.index = second;
        assert!(hold(&state).is_some_and(|halves| (3..=8).contains(&halves)));
        state.act(Action::Pause);
        assert_eq!(hold(&state), None);
    }
}
