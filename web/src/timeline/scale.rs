//! Virtual milliseconds to pixels. Long stretches in which nothing happens are folded into a zigzag of fixed width.

use crate::order;
use crate::story::{Moment, Story};
use crate::words::clock;

/// Where 0 ms stands, from the left of the plot.
const ORIGIN: i32 = 4;
/// From the last tick to the right edge.
const MARGIN: i32 = 23;
/// Room after the last event for its label.
const LABEL_ROOM: i32 = 74;
/// Width of a fold.
pub(crate) const FOLD: i32 = 28;
/// From the last event to the fold before the windows' end, and from there to the tick.
const TAIL_BEFORE: i32 = 84;
const TAIL_AFTER: i32 = 16;
/// Ticks stand at least so far apart.
const TICK_ROOM: f64 = 90.0;
/// The room of a tick's label.
pub(super) const TICK_LABEL: i32 = 48;
/// A gap in which nothing runs and nobody waits is folded from this share of the whole on.
const IDLE_SHARE: f64 = 0.15;
/// Any gap is folded if it is so many times longer than all the rest together.
const LONGEST_RATIO: f64 = 4.0;
/// A window so many times longer than the time before it ends, to the eye, after its length.
const WINDOW_RATIO: u64 = 20;

/// The axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Width of the plot.
    pub(super) width: i32,
    pieces: Vec<Piece>,
    tail: Option<Tail>,
}

/// A stretch of the axis, either in proportion or folded.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    from: u64,
    to: u64,
    x: f64,
    width: f64,
    folded: bool,
}

/// The end of the windows that outlast the story, drawn at one place.
#[derive(Clone, Debug, PartialEq)]
struct Tail {
    fold: i32,
    x: i32,
    label: String,
}

/// A labelled time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tick {
    /// Where.
    pub(super) x: i32,
    /// The time.
    pub(super) label: String,
}

impl Scale {
    /// The axis of a story in a plot of this width.
    pub(super) fn new(story: &Story, width: i32) -> Self {
        let end = story.time(story.len());
        let tail_label = last_window(story, end).map(|(saved, until)| {
            let window = until - saved;
            // The end of a long window, told by its length: beside it, when it began is nothing.
            let told = if saved <= window / WINDOW_RATIO { window } else { until };
            clock(told / 100 * 100)
        });
        let mut pieces = pieces(story, end);
        let right = match tail_label {
            Some(_) => MARGIN + TAIL_AFTER + FOLD + TAIL_BEFORE,
            None => MARGIN + LABEL_ROOM,
        };
        let folds = pieces.iter().filter(|piece| piece.folded).count() as i32;
        let room = f64::from((width - ORIGIN - right - folds * FOLD).max(40));
        let open: u64 = pieces.iter().filter(|piece| !piece.folded).map(|piece| piece.to - piece.from).sum();
        let per_ms = room / open.max(1) as f64;
        let mut x = f64::from(ORIGIN);
        for piece in &mut pieces {
            piece.x = x;
            piece.width = if piece.folded { f64::from(FOLD) } else { (piece.to - piece.from) as f64 * per_ms };
            x += piece.width;
        }
        let fold = width - MARGIN - TAIL_AFTER - FOLD;
        let tail = tail_label.map(|label| Tail { fold, x: width - MARGIN, label });
        Self { width, pieces, tail }
    }

    /// An axis on which any two of these times that follow each other are equally far apart: for a few times, of which
    /// some are milliseconds apart and some half a year. It begins at `from` and ends at `to`. A gap that outweighs all
    /// others is folded.
    pub(crate) fn of_stops(times: impl IntoIterator<Item = u64>, from: i32, to: i32) -> Self {
        let mut times: Vec<u64> = times.into_iter().collect();
        order::sort_and_dedup(&mut times);
        let gaps = times.len().saturating_sub(1).max(1);
        let span = times.last().zip(times.first()).map_or(0, |(last, first)| last - first) as f64;
        let width = f64::from(to - from) / gaps as f64;
        let piece = |(at, pair): (usize, &[u64])| {
            let folded = outweighs((pair[1] - pair[0]) as f64, span);
            Piece { from: pair[0], to: pair[1], x: f64::from(from) + at as f64 * width, width, folded }
        };
        Self { width: to, pieces: times.windows(2).enumerate().map(piece).collect(), tail: None }
    }

    /// The middle of each fold.
    pub(crate) fn fold_middles(&self) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().filter(|piece| piece.folded).map(|piece| piece.x + piece.width / 2.0)
    }

    /// Where a time is, on a whole pixel.
    pub(super) fn x(&self, ms: u64) -> i32 {
        self.exact(ms as f64).round() as i32
    }

    /// Where a time between two milliseconds is.
    pub(crate) fn exact(&self, ms: f64) -> f64 {
        for piece in &self.pieces {
            if ms <= piece.to as f64 {
                let share = (ms - piece.from as f64) / ((piece.to - piece.from) as f64).max(1.0);
                return piece.x + share.max(0.0) * piece.width;
            }
        }
        match (&self.tail, self.pieces.last()) {
            (Some(tail), _) => f64::from(tail.x),
            (None, Some(last)) => last.x + last.width,
            (None, None) => f64::from(ORIGIN),
        }
    }

    /// The time at a place.
    pub(super) fn ms(&self, x: f64) -> u64 {
        for piece in &self.pieces {
            if x < piece.x + piece.width {
                let share = ((x - piece.x) / piece.width.max(1.0)).clamp(0.0, 1.0);
                return piece.from + (share * (piece.to - piece.from) as f64).round() as u64;
            }
        }
        self.pieces.last().map_or(0, |last| last.to)
    }

    /// The left edges of all folds.
    pub(super) fn folds(&self) -> Vec<i32> {
        let inner = self.pieces.iter().filter(|piece| piece.folded).map(|piece| piece.x.round() as i32);
        inner.chain(self.tail.as_ref().map(|tail| tail.fold)).collect()
    }

    /// The ticks: a round step that leaves room, the time reached after each fold, and the end of the windows.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let per_ms =
            self.pieces.iter().find(|piece| !piece.folded).map_or(1.0, |p| p.width / (p.to - p.from).max(1) as f64);
        let step = STEPS_MS
            .into_iter()
            .find(|&step| step as f64 * per_ms >= TICK_ROOM)
            // Beyond some hundred years no round step is left.
            .unwrap_or_else(|| (TICK_ROOM / per_ms) as u64 + 1);
        let mut ticks: Vec<Tick> = Vec::new();
        if self.pieces.first().is_some_and(|first| first.folded) {
            ticks.push(Tick { x: ORIGIN, label: "0 ms".into() });
        }
        for (at, piece) in self.pieces.iter().enumerate().filter(|(_, piece)| !piece.folded) {
            let after_fold = at > 0;
            let last = piece.from + (piece.to - piece.from);
            // The axis goes on to the right of the last event.
            let beyond = if at + 1 == self.pieces.len() && self.tail.is_none() {
                (LABEL_ROOM as f64 / per_ms) as u64
            } else {
                0
            };
            for n in 0..=((last - piece.from + beyond) / step) {
                let ms = n * step;
                let label = match (after_fold, n) {
                    (true, 0) => clock(piece.from),
                    (true, _) => format!("+{}", clock(ms)),
                    (false, 0) => "0 ms".into(),
                    (false, _) if ms < 1000 => ms.to_string(),
                    (false, _) => clock(ms),
                };
                let x = (piece.x + ms as f64 * per_ms).round() as i32;
                // What follows counts from the time after the fold, so the ticks before it make room for that one.
                while after_fold
                    && n == 0
                    && ticks.len() > 1
                    && ticks.last().is_some_and(|last| x - last.x <= TICK_LABEL)
                {
                    ticks.pop();
                }
                ticks.push(Tick { x, label });
            }
        }
        if let Some(tail) = &self.tail {
            ticks.retain(|tick| tick.x < tail.fold);
            ticks.push(Tick { x: tail.x, label: tail.label.clone() });
        }
        ticks
    }
}

const STEPS_MS: [u64; 30] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1000,
    2000,
    5000,
    10_000,
    20_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    1_800_000,
    3_600_000,
    7_200_000,
    21_600_000,
    43_200_000,
    86_400_000,
    172_800_000,
    432_000_000,
    864_000_000,
    1_728_000_000,
    8_640_000_000,
];

/// The longest window that is still open when the story ends: from when, until when.
fn last_window(story: &Story, end: u64) -> Option<(u64, u64)> {
    let spans = story.lifelines.iter().flat_map(|line| &line.spans);
    let open = spans.filter(|span| span.ended.is_none()).filter_map(|span| span.saved);
    let times = open.filter_map(|(saved, until)| until.filter(|&until| until > end).map(|until| (saved.at, until)));
    times.max_by_key(|(saved, until)| until - saved)
}

fn pieces(story: &Story, end: u64) -> Vec<Piece> {
    let mut times: Vec<u64> = (0..=story.len()).map(|index| story.time(index)).chain([end]).collect();
    order::sort_and_dedup(&mut times);
    let busy = busy(story, end);
    let gaps: Vec<(u64, u64, bool)> =
        times.windows(2).map(|pair| (pair[0], pair[1], covers(&busy, pair[0], pair[1]))).collect();
    let folded = folded(&gaps);
    let mut pieces: Vec<Piece> = Vec::new();
    for (&(from, to, _), folded) in gaps.iter().zip(folded) {
        match pieces.last_mut() {
            Some(last) if !last.folded && !folded => last.to = to,
            _ => pieces.push(Piece { from, to, x: 0.0, width: 0.0, folded }),
        }
    }
    // All of it happened in one instant: an axis of no length has no scale.
    if pieces.is_empty() {
        pieces.push(Piece { from: end, to: end + 1, x: 0.0, width: 0.0, folded: false });
    }
    pieces
}

/// Which gaps are folded. The longest first: beside a day, an hour and a second look alike.
fn folded(gaps: &[(u64, u64, bool)]) -> Vec<bool> {
    let mut folded = vec![false; gaps.len()];
    let length = |at: usize| (gaps[at].1 - gaps[at].0) as f64;
    loop {
        let span: f64 = (0..gaps.len()).filter(|&at| !folded[at]).map(length).sum();
        let candidate = (0..gaps.len()).filter(|&at| !folded[at]).max_by(|&a, &b| length(a).total_cmp(&length(b)));
        match candidate.filter(|&at| outweighs(length(at), span)) {
            Some(at) => folded[at] = true,
            None => {
                for at in 0..gaps.len() {
                    folded[at] |= !gaps[at].2 && length(at) > IDLE_SHARE * span;
                }
                return folded;
            }
        }
    }
}

/// Whether a gap is so long that beside it nothing of the rest of the span would be seen.
fn outweighs(length: f64, span: f64) -> bool {
    length > LONGEST_RATIO * (span - length) && span > length
}

/// When something runs or somebody waits, in stretches that do not touch.
fn busy(story: &Story, end: u64) -> Vec<(u64, u64)> {
    let till = |moment: Option<Moment>| moment.map_or(end, |moment| moment.at);
    let mut busy = Vec::new();
    for job in &story.jobs {
        busy.extend(job.waits.iter().map(|wait| (wait.from.at, till(wait.ended))));
        for step in &job.steps {
            let attempts = step.attempts.iter();
            busy.extend(
                attempts.map(|attempt| (attempt.started.at, till(attempt.ended.as_ref().map(|ended| ended.0)))),
            );
            busy.extend(step.waits.iter().map(|wait| (wait.from.at, till(wait.ended))));
        }
    }
    order::sort_by_place(&mut busy, |&span| span);
    busy.dedup_by(|next, last| {
        let touches = next.0 <= last.1;
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
    busy
}

/// Whether anything goes on between two times. The stretches are in order and apart.
fn covers(busy: &[(u64, u64)], from: u64, to: u64) -> bool {
    busy.get(busy.partition_point(|&(_, end)| end <= from)).is_some_and(|&(start, _)| start < to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::samples::{entries, two_emails, two_emails_events};
    use twiceproof_sim::scenario::{Action, Operation, Scenario};

    fn story(change: impl FnOnce(&mut Scenario)) -> Story {
        let mut scenario = Scenario::default();
        change(&mut scenario);
        let trace = twiceproof_sim::run::run(&scenario).unwrap();
        Story::new(&scenario, trace.entries.into())
    }

    #[test]
    fn the_timeout_and_the_wait_are_not_folded() {
        let scale = Scale::new(&two_emails(), 560);
        assert_eq!(scale.folds().len(), 1, "only the one before the windows' end");
        let labels: Vec<_> = scale.ticks().into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["0 ms", "200", "400", "600", "800", "24 h"]);
        assert_eq!(scale.ticks().last().map(|tick| tick.x), Some(537));
    }

    #[test]
    fn a_day_without_events_is_folded() {
        let story = story(|scenario| {
            let add = Action::Add { user: 0, data: 0 };
            scenario.operations =
                vec![Operation { at: 0, action: add.clone() }, Operation { at: 90_000_000, action: add }];
        });
        let scale = Scale::new(&story, 560);
        assert_eq!(scale.folds().len(), 1);
        assert_eq!(scale.x(90_000_000) - scale.x(206), FOLD);
        assert!(scale.ticks().iter().any(|tick| tick.label == "1 d 1 h"));
    }

    /// A window of a second that began after two was labelled "1 s", to the right of "2.206 s".
    #[test]
    fn the_ticks_after_a_fold_go_on_where_those_before_it_ended() {
        let named = crate::stories::named("forgotten-too-soon").unwrap();
        let story = crate::app::state::State::of_story(named).whole().clone();
        for width in [300, 560, 900] {
            let ticks = Scale::new(&story, width).ticks();
            assert!(ticks.iter().all(|tick| tick.label != "1 s"), "{ticks:?}");
            assert_eq!(ticks.last().map(|tick| &*tick.label), Some("3.2 s"));
            for pair in ticks.windows(2).skip(1) {
                assert!(pair[1].x - pair[0].x > TICK_LABEL, "labels that leave no room are left out: {ticks:?}");
            }
        }
    }

    #[test]
    fn a_single_lost_reply_keeps_its_timeout() {
        let story = story(|scenario| {
            scenario.retry.attempts = 1;
            scenario.steps.remove(2);
            scenario.lost = 1.0;
        });
        assert!(Scale::new(&story, 560).folds().is_empty());
    }

    /// A virtual clock that nobody moved: the page was frozen by an axis without length.
    #[test]
    fn what_happens_in_one_instant_or_in_a_million_years_has_a_few_ticks() {
        for last in [0, 1, 1 << 53] {
            let events = two_emails_events();
            let count = events.len();
            let at = |place: usize| if place + 1 == count { last } else { 0 };
            let events = events.into_iter().enumerate().map(|(place, (_, event))| (at(place), event)).collect();
            let scale = Scale::new(&Story::new(&Scenario::default(), entries(events)), 560);
            assert!((1..20).contains(&scale.ticks().len()), "{last} ms: {} ticks", scale.ticks().len());
            assert_eq!(scale.ticks()[0], Tick { x: 4, label: "0 ms".into() });
            assert!(scale.exact(last as f64).is_finite() && scale.x(0) >= 0);
        }
    }

    #[test]
    fn stops_are_equally_far_apart_and_half_a_year_between_them_is_folded() {
        let scale = Scale::of_stops([400, 0, 200, 200, 16_000_000_000, 16_003_600_000], 10, 110);
        let at = [0, 100, 200, 400, 16_000_000_000, 16_003_600_000].map(|ms: u64| scale.exact(ms as f64));
        assert_eq!(at, [10.0, 22.5, 35.0, 60.0, 85.0, 110.0]);
        assert_eq!(scale.fold_middles().collect::<Vec<_>>(), [72.5]);
    }

    #[test]
    fn places_and_times_lead_to_each_other() {
        let scale = Scale::new(&two_emails(), 560);
        for ms in 0..859 {
            assert!(scale.x(ms) <= scale.x(ms + 1));
            assert!(scale.ms(f64::from(scale.x(ms))).abs_diff(ms) <= 2, "{ms}");
        }
    }
}
