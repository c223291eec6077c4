//! One way of retrying, walked along the draws from failure to failure.
//!
//! A sign-up in which nothing fails uses a fixed number of draws: one for each step, and one more for the lost step's reply.
//! So does the rest of a sign-up after a failure. All a walker needs to know of the draws between two failures is how many
//! there are.
//!
//! What key is sent and what the provider remembers changes nothing about who calls what when. A walker therefore counts
//! arrivals at the provider, and every row of the same [`Way`] is read off the same walker.

use super::events::{Events, Stretch};
use crate::strategy::{RetryScope, Strategy};
use crate::table::{Row, TableParams};

/// What strategies have to share to make the same calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// After a failure the step is called again; every step has its own attempts.
    EachStep,
    /// After a failure the job starts again.
    WholeJob,
    /// After a failure the job starts again, and arrives at the failed step without a call; its attempts are the job's.
    WholeJobSkipping,
}

impl From<Strategy> for Way {
    fn from(strategy: Strategy) -> Self {
        match (strategy.retry, strategy.skip_finished) {
            // A step that finished is never called again anyway.
            (RetryScope::EachStep, _) => Self::EachStep,
            (RetryScope::WholeJob, false) => Self::WholeJob,
            (RetryScope::WholeJob, true) => Self::WholeJobSkipping,
        }
    }
}

/// What a walker goes by; it does not change on the way.
#[derive(Clone, Copy, Debug)]
struct Rules {
    way: Way,
    jobs: u64,
    attempts: u32,
    /// The place of the draw that decides about the lost step's reply; the draw before it decides about its call.
    reply_at: u32,
    /// Draws of an undisturbed sign-up.
    length: u32,
}

/// A sign-up under way. Its place is counted in draws of an undisturbed sign-up.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The next draw's place.
    at: u32,
    /// Where the walk began, or began again after the latest failure.
    resumed: u32,
    /// Failed attempts of the budget in use: the step's or the job's. Zero exactly if nothing has failed yet.
    attempts: u32,
    /// Arrivals of the lost step at its provider before `resumed`.
    emails: u32,
    /// The most of the other steps that took effect in one attempt, if the job begins again after a failure.
    reached: u32,
    /// The sign-up's first draw, if something has failed in it.
    since: u64,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    done: u64,
    failed: u64,
    failed_calls: u64,
    lost_replies: u64,
    /// Repeated effects of all steps but the lost one.
    repeated: u64,
    /// How many sign-ups arrived at the email provider so many times. Those that are passed over whole arrive once, and are not
    /// counted here.
    arrivals: Vec<u64>,
    /// Draws used; known when all sign-ups are done.
    draws: u64,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    rules: Rules,
    place: Place,
    counts: Counts,
}

impl Walker {
    pub(super) fn new(params: &TableParams, way: Way) -> Self {
        let rules = Rules {
            way,
            jobs: params.jobs,
            attempts: params.attempts,
            reply_at: params.lost_step,
            length: params.steps + 1,
        };
        let arrivals = vec![0; params.attempts as usize + 1];
        Self { rules, place: Place::default(), counts: Counts { arrivals, ..Counts::default() } }
    }

    pub(super) fn way(&self) -> Way {
        self.rules.way
    }

    pub(super) fn done(&self) -> u64 {
        self.counts.done
    }

    pub(super) fn is_done(&self) -> bool {
        self.counts.done == self.rules.jobs
    }

    /// The first draw of the sign-up under way, given the index of the next draw.
    pub(super) fn job_start(&self, next: u64) -> u64 {
        if self.place.attempts > 0 { self.place.since } else { next - u64::from(self.place.at) }
    }

    /// Walks over sign-ups in which nothing can fail.
    pub(super) fn walk_undisturbed(&mut self, jobs: u64) {
        let jobs = jobs.min(self.rules.jobs - self.counts.done);
        self.counts.done += jobs;
        self.counts.draws = self.counts.done * u64::from(self.rules.length);
    }

    /// Walks over the block that begins with draw `first`. Stops when all sign-ups are done.
    pub(super) fn walk(&mut self, first: u64, events: &Events) {
        let Self { rules, place, counts } = self;
        let mut left = rules.jobs - counts.done;
        // Always so for these ways, and said here where the compiler can see it.
        let from_there = Place { reached: 0, ..*place };
        // A copy for each way, so that no step of the walk has to ask which it is.
        let end;
        (*place, end) = match rules.way {
            Way::EachStep => rules.walk(from_there, &mut left, counts, first, events, Rules::fail_step),
            Way::WholeJob => rules.walk(*place, &mut left, counts, first, events, Rules::fail_job),
            Way::WholeJobSkipping => rules.walk(from_there, &mut left, counts, first, events, Rules::fail_skipping),
        };
        counts.done = rules.jobs - left;
        counts.draws = end.unwrap_or(counts.draws);
    }
}

/// The number of draws used in all, once the last sign-up has ended.
type End = Option<u64>;

impl Rules {
    #[inline(always)]
    fn walk(
        self,
        mut place: Place,
        left: &mut u64,
        counts: &mut Counts,
        first: u64,
        events: &Events,
        fail: impl Fn(Self, &mut Place, &mut Counts),
    ) -> (Place, End) {
        let mut next = first;
        for event in events.as_slice() {
            if let Some(end) = self.pass(&mut place, left, counts, next, event.since) {
                return (place, Some(end));
            }
            let draw = first + u64::from(event.index());
            next = draw + 1;
            if event.fails(place.at == self.reply_at) {
                self.note_failure(&mut place, counts, draw);
                fail(self, &mut place, counts);
                place.at = place.resumed;
                if place.attempts == self.attempts {
                    *left -= 1;
                    counts.failed += 1;
                    counts.arrivals[place.emails as usize] += 1;
                    place = Place::default();
                    if *left == 0 {
                        return (place, Some(next));
                    }
                }
            } else if let Some(end) = self.pass(&mut place, left, counts, draw, Stretch::ONE) {
                return (place, Some(end));
            }
        }
        let end = self.pass(&mut place, left, counts, next, events.rest());
        (place, end)
    }

    /// Passes over draws that fail nothing, the first of which is draw `first`.
    #[inline(always)]
    fn pass(self, place: &mut Place, left: &mut u64, counts: &mut Counts, first: u64, stretch: Stretch) -> End {
        let at = place.at + u32::from(stretch.rest);
        let round = at >= self.length;
        let completed = u64::from(stretch.whole) + u64::from(round);
        if completed == 0 {
            place.at = at;
            return None;
        }
        // How the sign-up under way succeeds; those after it are undisturbed.
        let arrives = u32::from(place.resumed < self.reply_at);
        counts.arrivals[(place.emails + arrives) as usize] += 1;
        // Zero unless the job began again; then its last attempt did everything again that any before it had done.
        counts.repeated += u64::from(place.reached);
        if completed >= *left {
            let others = *left - 1;
            *left = 0;
            return Some(first + u64::from(self.length - place.at) + others * u64::from(self.length));
        }
        *left -= completed;
        *place = Place { at: if round { at - self.length } else { at }, ..Place::default() };
        None
    }

    /// Counts a failure of the call that this draw decides about.
    #[inline(always)]
    fn note_failure(self, place: &mut Place, counts: &mut Counts, draw: u64) {
        if place.attempts == 0 {
            place.since = draw - u64::from(place.at);
        }
        counts.failed_calls += 1;
        counts.lost_replies += u64::from(place.at == self.reply_at);
        let arrived = place.resumed < self.reply_at && place.at >= self.reply_at;
        place.emails += u32::from(arrived);
    }

    /// The place where the step under way begins.
    fn step_start(self, place: &Place) -> u32 {
        place.at - u32::from(place.at == self.reply_at)
    }

    #[inline(always)]
    fn fail_step(self, place: &mut Place, _: &mut Counts) {
        let start = self.step_start(place);
        let same_step = place.attempts > 0 && start == place.resumed;
        place.attempts = if same_step { place.attempts + 1 } else { 1 };
        place.resumed = start;
    }

    #[inline(always)]
    fn fail_skipping(self, place: &mut Place, _: &mut Counts) {
        place.attempts += 1;
        place.resumed = self.step_start(place);
    }

    #[inline(always)]
    fn fail_job(self, place: &mut Place, counts: &mut Counts) {
        // Of the draws passed, one decided about the reply and one was the lost step's own.
        let took_effect = place.at - u32::from(place.at >= self.reply_at) - u32::from(place.at > self.reply_at);
        counts.repeated += u64::from(took_effect.min(place.reached));
        place.reached = took_effect.max(place.reached);
        place.attempts += 1;
        place.resumed = 0;
    }
}

impl Walker {
    /// The row of a strategy that goes this way, once all sign-ups are done.
    pub(super) fn row(&self, params: &TableParams, strategy: Strategy) -> Row {
        let counts = &self.counts;
        let mut arrivals = counts.arrivals.clone();
        arrivals[1] += counts.done - arrivals.iter().sum::<u64>();
        let weighted = |weight: fn(u64) -> u64| -> u64 {
            arrivals.iter().zip(0..).map(|(jobs, times)| jobs * weight(times)).sum()
        };
        let all_arrivals = weighted(|times| times);
        let repeated_arrivals = weighted(|times| times.saturating_sub(1));
        let mut row = Row {
            jobs: counts.done,
            failed: counts.failed,
            // Every draw decides about a call, but for the one after each arrival.
            calls: counts.draws.saturating_sub(all_arrivals),
            refused: counts.failed_calls - counts.lost_replies,
            lost_replies: counts.lost_replies,
            draws: counts.draws,
            repeated_steps: counts.repeated,
            ..Row::empty(params, strategy)
        };
        if strategy.provider_recognises_repeats() {
            row.emails[0] = arrivals[0];
            row.emails[1] = arrivals[1..].iter().sum();
        } else {
            row.repeated_steps += repeated_arrivals;
            row.two_emails = arrivals[2..].iter().sum();
            row.emails = arrivals;
        }
        row
    }
}
