//! Where things stand on the time axis of a scene: across in per cent of the drawing, so that it is as wide as its card
//! and no text is stretched; down in pixels.

use std::sync::Arc;

use twiceproof_sim::doors::{Door, Scene, Window};

use crate::order;
use crate::timeline::Scale;
use crate::words;

/// Of these parts of the width, the axis has the ones between.
const PARTS: i32 = 1000;
const LEFT: i32 = 48;
const RIGHT: i32 = PARTS - 76;

/// The middle of the marks.
pub(super) const MARKS: i32 = 31;
/// Where the first lane begins, and how high each is.
const LANES: i32 = 46;
const LANE: i32 = 36;
/// In a lane: the base line of its name, and the middle of its bars.
pub(super) const NAME: i32 = 14;
pub(super) const LINE: i32 = 27;

/// A scene, laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// The middle of each mark, in order of what was sent.
    pub(super) marks: Vec<f64>,
    /// One for each key; one without bars for a door that stands open.
    pub(super) lanes: Vec<Lane>,
    /// The prune passes.
    pub(super) passes: Vec<f64>,
    /// The middle of each folded stretch.
    pub(super) folds: Vec<f64>,
    /// The labelled times.
    pub(super) ticks: Vec<Tick>,
}

/// The windows of one key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lane {
    /// The door.
    pub(super) door: Door,
    /// The key; absent if the door stands open.
    pub(super) key: Option<Arc<str>>,
    /// Its top.
    pub(super) y: i32,
    /// Its windows.
    pub(super) bars: Vec<Bar>,
}

/// A window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    /// Its place among the scene's windows.
    pub(super) window: usize,
    /// From here on it counts.
    pub(super) from: f64,
    /// Until here its work was under way, if its length is counted from the end of that.
    pub(super) over: Option<f64>,
    /// Until here it counts for sure.
    pub(super) sure: f64,
    /// Here it ends; absent if that is after the scene.
    pub(super) end: Option<f64>,
}

/// A labelled time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Where.
    pub(super) x: f64,
    /// The time.
    pub(super) label: String,
    /// How much before or after it, if it is told so.
    pub(super) offset: Option<String>,
}

impl Layout {
    /// Of a scene.
    pub(super) fn new(scene: &Scene) -> Self {
        let last = scene.sent.last().map_or(0, |sent| sent.at);
        let sent = scene.sent.iter().map(|sent| sent.at);
        let ends = scene.windows.iter().flat_map(|window| [window.until, window.pruned]).flatten();
        let passes = scene.passes.iter().map(|pass| pass.at);
        let mut times: Vec<u64> = sent.chain(ends).chain(passes).filter(|&at| at <= last).collect();
        order::sort_and_dedup(&mut times);
        let scale = Scale::of_stops(times.iter().copied(), LEFT, RIGHT);
        let per_cent = |parts: f64| parts * 100.0 / f64::from(PARTS);
        let x = |at: u64| per_cent(scale.exact(at as f64));
        let within = |at: Option<u64>| at.filter(|&at| at <= last).map(x);
        let bar = |(place, window): (usize, &Window)| Bar {
            window: place,
            from: x(window.from),
            over: within(window.over),
            sure: within(window.until).unwrap_or(100.0),
            end: within(window.end()),
        };
        let lane = |(place, (door, key)): (usize, (Door, Option<Arc<str>>))| {
            let windows = scene.windows.iter().enumerate();
            let own = windows.filter(|(_, window)| window.door == door && Some(&window.key) == key.as_ref());
            Lane { door, y: LANES + place as i32 * LANE, bars: own.map(bar).collect(), key }
        };
        Self {
            marks: scene.sent.iter().map(|sent| x(sent.at)).collect(),
            lanes: keys(scene).into_iter().enumerate().map(lane).collect(),
            passes: scene.passes.iter().map(|pass| x(pass.at)).collect(),
            folds: scale.fold_middles().map(per_cent).collect(),
            ticks: times.into_iter().map(|at| tick(scene, at, x(at))).collect(),
        }
    }

    /// Where the axis is.
    pub(super) fn axis(&self) -> i32 {
        LANES + self.lanes.len() as i32 * LANE + 6
    }

    /// The height of all.
    pub(super) fn height(&self) -> i32 {
        self.axis() + 38
    }
}

/// The keys that something was known by, door after door.
fn keys(scene: &Scene) -> Vec<(Door, Option<Arc<str>>)> {
    let mut keys = Vec::new();
    for &door in scene.doors {
        let before = keys.len();
        for (of, key) in scene.sent.iter().flat_map(|sent| &sent.keys) {
            let one = (door, Some(key.clone()));
            if *of == door && !keys.contains(&one) {
                keys.push(one);
            }
        }
        if keys.len() == before {
            keys.push((door, None));
        }
    }
    keys
}

/// A time; one shortly before or after a window's length is told by that length.
fn tick(scene: &Scene, at: u64, x: f64) -> Tick {
    let near = |length: u64| at.abs_diff(length) < length / 20;
    match scene.doors.iter().map(|door| door.window_ms()).find(|&length| near(length)) {
        // As on the story's axis: within the first second the unit stands at 0 only.
        None if (1..1000).contains(&at) => Tick { x, label: at.to_string(), offset: None },
        None => Tick { x, label: words::duration(at), offset: None },
        Some(length) => {
            let by = words::duration(at.abs_diff(length));
            let offset = match at.cmp(&length) {
                std::cmp::Ordering::Less => Some(format!("−{by}")),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(format!("+{by}")),
            };
            Tick { x, label: words::duration(length), offset }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twiceproof_sim::doors::{Doors, scenes};

    /// Whether something at this place is within the bar.
    fn covers(bar: &Bar, x: f64) -> bool {
        bar.from <= x && bar.end.is_none_or(|end| x < end)
    }

    fn every_scene() -> impl Iterator<Item = Scene> {
        let sets = (0..1u32 << Door::ALL.len()).map(|set| {
            let shut = |doors: Doors, (bit, door): (usize, Door)| doors.with(door, set & (1 << bit) != 0);
            Door::ALL.into_iter().enumerate().fold(Doors::SHUT, shut)
        });
        sets.flat_map(scenes)
    }

    #[test]
    fn b02_c07_a15_a_mark_that_was_stopped_stands_in_the_bar_that_stopped_it_and_no_other_in_one_of_its_keys() {
        for scene in every_scene() {
            let layout = Layout::new(&scene);
            let bars = || layout.lanes.iter().flat_map(|lane| lane.bars.iter().map(move |bar| (lane, bar)));
            assert_eq!(bars().count(), scene.windows.len(), "each window is drawn once");
            for (sent, &x) in scene.sent.iter().zip(&layout.marks) {
                if let Some(window) = sent.stopped_by {
                    let (_, bar) = bars().find(|(_, bar)| bar.window == window).unwrap();
                    assert!(covers(bar, x), "{sent:?}: {x} in {bar:?}");
                } else {
                    let known = |lane: &Lane| {
                        lane.key.as_ref().is_some_and(|key| sent.keys.contains(&(lane.door, key.clone())))
                    };
                    let earlier = bars().filter(|(lane, bar)| known(lane) && bar.from < x);
                    assert!(earlier.into_iter().all(|(_, bar)| !covers(bar, x)), "{sent:?} at {x}: {layout:#?}");
                }
            }
        }
    }

    #[test]
    fn c07_between_eligible_and_pruned_there_is_a_stretch_of_its_own() {
        let [_, runs, _] = scenes(Doors::SHUT);
        let layout = Layout::new(&runs);
        let first = layout.lanes[0].bars[0];
        let asked = layout.marks[3];
        assert!(first.over.is_some_and(|over| first.from < over && over < layout.marks[1]));
        assert!(first.sure < asked && first.end.is_some_and(|end| asked < end), "{first:?}, {asked}");
        assert_eq!(first.end, Some(layout.passes[0]));
        let second = layout.lanes[0].bars[1];
        assert_eq!((second.from, second.sure, second.end), (layout.marks[4], 100.0, None));
    }

    #[test]
    fn everything_is_in_order_apart_and_inside_and_one_stretch_is_folded() {
        for scene in every_scene() {
            let layout = Layout::new(&scene);
            let xs: Vec<f64> = layout.ticks.iter().map(|tick| tick.x).collect();
            assert!(xs.windows(2).all(|pair| pair[1] - pair[0] > 12.0), "room for a mark at the least width: {xs:?}");
            assert!(xs.iter().all(|x| (4.0..=96.0).contains(x)));
            assert_eq!(layout.folds.len(), 1, "{scene:?}");
        }
    }

    #[test]
    fn times_around_the_end_of_a_window_are_told_by_its_length() {
        let [events, runs, _] = scenes(Doors::default());
        let told = |scene: &Scene| -> Vec<String> {
            let ticks = Layout::new(scene).ticks;
            ticks.into_iter().map(|tick| tick.label + tick.offset.as_deref().unwrap_or_default()).collect()
        };
        assert_eq!(told(&events), ["0 ms", "248", "2 s", "24 h−1 ms", "24 h"]);
        assert_eq!(told(&runs), ["0 ms", "200", "400", "184 d+70 ms", "184 d+1 h", "184 d+2 h", "184 d+3 h"]);
    }
}
