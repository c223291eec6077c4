//! One way of retrying, walked along the draws from failure to failure.
//!
//! A sign-up in which nothing fails uses a fixed number of draws: one for each step, and one more for the lost step's reply.
//! So does the rest of a sign-up after a failure. All a walker needs to know of the draws between two failures is how many
//! there are.
//!
//! What key is sent and what the provider remembers changes nothing about who calls what when. A walker therefore counts
//! arrivals at the provider, and every row of the same [`Way`] is read off the same walker.

use super::events::{Event, Events, Stretch};
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

/// Where a walk is, and what it has counted. All of it is kept in registers, or could be.
#[derive(Clone, Copy, Debug, Default)]
struct Leg {
    place: Place,
    /// Sign-ups not ended yet.
    left: u64,
    failed: u64,
    failed_calls: u64,
    lost_replies: u64,
    /// Repeated effects of all steps but the lost one.
    repeated: u64,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    rules: Rules,
    leg: Leg,
    /// How many sign-ups arrived at the email provider so many times. Those that are passed over whole arrive once, and are not
    /// counted here.
    arrivals: Vec<u64>,
    /// Draws used; known when all sign-ups have ended.
    draws: u64,
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
        let leg = Leg { left: params.jobs, ..Leg::default() };
        Self { rules, leg, arrivals: vec![0; params.attempts as usize + 1], draws: 0 }
    }

    pub(super) fn way(&self) -> Way {
        self.rules.way
    }

    pub(super) fn done(&self) -> u64 {
        self.rules.jobs - self.leg.left
    }

    pub(super) fn is_done(&self) -> bool {
        self.leg.left == 0
    }

    /// The first draw of the sign-up under way, given the index of the next draw.
    pub(super) fn job_start(&self, next: u64) -> u64 {
        let Place { at, attempts, since, .. } = self.leg.place;
        if attempts > 0 { since } else { next - u64::from(at) }
    }

    /// Walks over sign-ups in which nothing can fail.
    pub(super) fn walk_undisturbed(&mut self, jobs: u64) {
        self.leg.left = self.leg.left.saturating_sub(jobs);
        self.draws = self.done() * u64::from(self.rules.length);
    }

    /// Walks over the block that begins with draw `first`. Stops when all sign-ups have ended.
    pub(super) fn walk(&mut self, first: u64, events: &Events) {
        let Self { rules, leg, arrivals, draws } = self;
        // For two ways this is so anyway, and said here where the compiler can see it.
        let mut simple = Leg { place: Place { reached: 0, ..leg.place }, repeated: 0, ..*leg };
        // A copy for each way, so that no step of the walk has to ask which it is.
        let end = match rules.way {
            Way::EachStep => rules.walk(&mut simple, arrivals, first, events, Rules::fail_step),
            Way::WholeJobSkipping => rules.walk(&mut simple, arrivals, first, events, Rules::fail_skipping),
            Way::WholeJob => {
                simple = *leg;
                rules.walk(&mut simple, arrivals, first, events, Rules::fail_job)
            }
        };
        *leg = simple;
        *draws = end.unwrap_or(*draws);
    }
}

/// The number of draws used in all, once the last sign-up has ended.
type End = Option<u64>;

impl Rules {
    #[inline(always)]
    fn walk(
        self,
        leg: &mut Leg,
        arrivals: &mut [u64],
        first: u64,
        events: &Events,
        fail: impl Fn(Self, &mut Leg),
    ) -> End {
        let mut next = first;
        for event in events.as_slice() {
            let draw = first + u64::from(event.index());
            let meet = |leg: &mut Leg, arrivals: &mut [u64]| self.meet(leg, arrivals, *event, draw, &fail);
            if let Some(end) = self.pass(leg, arrivals, next, event.since, meet) {
                return Some(end);
            }
            next = draw + 1;
        }
        self.pass(leg, arrivals, next, events.rest(), |_, _| None)
    }

    /// Passes over draws that fail nothing, the first of which is draw `first`, and goes on.
    ///
    /// There are two calls to go on, so that the compiler makes a copy for the usual one, before which nothing has failed yet.
    #[inline(always)]
    fn pass(
        self,
        leg: &mut Leg,
        arrivals: &mut [u64],
        first: u64,
        stretch: Stretch,
        go_on: impl Fn(&mut Leg, &mut [u64]) -> End,
    ) -> End {
        let place = leg.place;
        let at = place.at + u32::from(stretch.rest);
        let round = at >= self.length;
        let completed = u64::from(stretch.whole) + u64::from(round);
        if completed == 0 {
            leg.place.at = at;
            return go_on(leg, arrivals);
        }
        // How the sign-up under way succeeds; those after it are undisturbed.
        let arrives = u32::from(place.resumed < self.reply_at);
        arrivals[(place.emails + arrives) as usize] += 1;
        // Zero unless the job began again; then its last attempt did everything again that any before it had done.
        leg.repeated += u64::from(place.reached);
        if completed >= leg.left {
            let others = leg.left - 1;
            leg.left = 0;
            return Some(first + u64::from(self.length - place.at) + others * u64::from(self.length));
        }
        leg.left -= completed;
        leg.place = Place { at: if round { at - self.length } else { at }, ..Place::default() };
        go_on(leg, arrivals)
    }

    /// Takes a rare draw for what it is at this place.
    #[inline(always)]
    fn meet(self, leg: &mut Leg, arrivals: &mut [u64], event: Event, draw: u64, fail: impl Fn(Self, &mut Leg)) -> End {
        if !event.fails(leg.place.at == self.reply_at) {
            return self.pass(leg, arrivals, draw, Stretch::ONE, |_, _| None);
        }
        self.note_failure(leg, draw);
        fail(self, leg);
        leg.place.at = leg.place.resumed;
        if leg.place.attempts < self.attempts {
            return None;
        }
        leg.left -= 1;
        leg.failed += 1;
        arrivals[leg.place.emails as usize] += 1;
        leg.place = Place::default();
        (leg.left == 0).then_some(draw + 1)
    }

    /// Counts a failure of the call that this draw decides about.
    #[inline(always)]
    fn note_failure(self, leg: &mut Leg, draw: u64) {
        let place = &mut leg.place;
        if place.attempts == 0 {
            place.since = draw - u64::from(place.at);
        }
        leg.failed_calls += 1;
        leg.lost_replies += u64::from(place.at == self.reply_at);
        let arrived = place.resumed < self.reply_at && place.at >= self.reply_at;
        place.emails += u32::from(arrived);
    }

    /// The place where the step under way begins.
    fn step_start(self, place: Place) -> u32 {
        place.at - u32::from(place.at == self.reply_at)
    }

    #[inline(always)]
    fn fail_step(self, leg: &mut Leg) {
        let start = self.step_start(leg.place);
        let same_step = leg.place.attempts > 0 && start == leg.place.resumed;
        leg.place.attempts = if same_step { leg.place.attempts + 1 } else { 1 };
        leg.place.resumed = start;
    }

    #[inline(always)]
    fn fail_skipping(self, leg: &mut Leg) {
        leg.place.attempts += 1;
        leg.place.resumed = self.step_start(leg.place);
    }

    #[inline(always)]
    fn fail_job(self, leg: &mut Leg) {
        let Place { at, reached, .. } = leg.place;
        // Of the draws passed, one decided about the reply and one was the lost step's own.
        let took_effect = at - u32::from(at >= self.reply_at) - u32::from(at > self.reply_at);
        leg.repeated += u64::from(took_effect.min(reached));
        leg.place.reached = took_effect.max(reached);
        leg.place.attempts += 1;
        leg.place.resumed = 0;
    }
}

impl Walker {
    /// The row as far as sign-ups have ended, given the index of the next draw.
    pub(super) fn row_so_far(&self, params: &TableParams, strategy: Strategy, next: u64) -> Row {
        // Where nothing can fail no draw is taken from the stream, and the walker knows how many it would have been.
        let draws = if self.is_done() { self.draws } else { self.job_start(next).max(self.draws) };
        Self { draws, ..self.clone() }.row(params, strategy)
    }

    /// The row of a strategy that goes this way, once all sign-ups have ended.
    pub(super) fn row(&self, params: &TableParams, strategy: Strategy) -> Row {
        let leg = &self.leg;
        let mut arrivals = self.arrivals.clone();
        arrivals[1] += self.done() - arrivals.iter().sum::<u64>();
        let weighted = |weight: fn(u64) -> u64| -> u64 {
            arrivals.iter().zip(0..).map(|(jobs, times)| jobs * weight(times)).sum()
        };
        let all_arrivals = weighted(|times| times);
        let repeated_arrivals = weighted(|times| times.saturating_sub(1));
        let mut row = Row {
            jobs: self.done(),
            failed: leg.failed,
            // Every draw decides about a call, but for the one after each arrival.
            calls: self.draws.saturating_sub(all_arrivals),
            refused: leg.failed_calls - leg.lost_replies,
            lost_replies: leg.lost_replies,
            draws: self.draws,
            repeated_steps: leg.repeated,
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
