//! One way of retrying, walked along the draws from failure to failure.
//!
//! A sign-up in which nothing fails uses a fixed number of draws: one for each step, and one more for the lost step's reply.
//! So does the rest of a sign-up after a failure. All a walker needs to know of the draws between two failures is how many
//! there are.
//!
//! What key is sent and what the provider remembers changes nothing about who calls what when. A walker therefore counts
//! arrivals at the provider, and every row of the same [`Way`] is read off the same walker.

use super::events::Event;
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
    /// The most of the other steps that took effect in one attempt.
    reached: u32,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    way: Way,
    jobs: u64,
    attempts: u32,
    /// The place of the draw that decides about the lost step's reply; the draw before it decides about its call.
    reply_at: u32,
    /// Draws of an undisturbed sign-up.
    length: u32,
    /// 2^32 / `length`, rounded up: multiplying is quicker than dividing.
    reciprocal: u64,
    place: Place,
    /// The first draw of the sign-up under way, if something has failed in it.
    scarred_since: u64,
    counts: Counts,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    done: u64,
    failed: u64,
    failed_calls: u64,
    lost_replies: u64,
    /// Repeated effects of all steps but the lost one.
    repeated: u64,
    /// Sign-ups in which nothing failed.
    undisturbed: u64,
    /// How many of the other sign-ups arrived at the email provider so many times.
    arrivals: Vec<u64>,
    /// Draws used; known when all sign-ups are done.
    draws: u64,
}

impl Walker {
    pub(super) fn new(params: &TableParams, way: Way) -> Self {
        let length = params.steps + 1;
        Self {
            way,
            jobs: params.jobs,
            attempts: params.attempts,
            reply_at: params.lost_step,
            length,
            reciprocal: (1_u64 << 32).div_ceil(length.into()),
            place: Place::default(),
            scarred_since: 0,
            counts: Counts {
                arrivals: vec![0; params.attempts as usize + 1],
                ..Counts::default()
            },
        }
    }

    pub(super) fn way(&self) -> Way {
        self.way
    }

    pub(super) fn done(&self) -> u64 {
        self.counts.done
    }

    pub(super) fn is_done(&self) -> bool {
        self.counts.done == self.jobs
    }

    /// The first draw of the sign-up under way, given the index of the next draw.
    pub(super) fn job_start(&self, next: u64) -> u64 {
        if self.place.attempts > 0 {
            self.scarred_since
        } else {
            next - u64::from(self.place.at)
        }
    }

    /// Walks over a block of `len` draws, the first of which is draw `first`. Stops when all sign-ups are done.
    pub(super) fn walk(&mut self, first: u64, len: u32, events: &[Event]) {
        match self.way {
            Way::EachStep => self.walk_by(first, len, events, Self::fail_step),
            Way::WholeJob => self.walk_by(first, len, events, Self::fail_job),
            Way::WholeJobSkipping => self.walk_by(first, len, events, Self::fail_skipping),
        }
    }

    /// Walks over sign-ups in which nothing can fail.
    pub(super) fn walk_undisturbed(&mut self, jobs: u64) {
        let jobs = jobs.min(self.jobs - self.counts.done);
        self.counts.done += jobs;
        self.counts.undisturbed += jobs;
        self.counts.draws = self.counts.done * u64::from(self.length);
    }

    #[inline(always)]
    fn walk_by(&mut self, first: u64, len: u32, events: &[Event], fail: impl Fn(&mut Self)) {
        let mut next = 0;
        for event in events {
            if self.pass(first + u64::from(next), event.index() - next) {
                return;
            }
            next = event.index() + 1;
            let ends = if event.fails(self.place.at == self.reply_at) {
                self.fail_call(first + u64::from(event.index()), &fail)
            } else {
                self.pass(first + u64::from(event.index()), 1)
            };
            if ends {
                return;
            }
        }
        self.pass(first + u64::from(next), len - next);
    }

    /// Passes over draws that fail nothing. True if that completes the last sign-up.
    #[inline(always)]
    fn pass(&mut self, first: u64, draws: u32) -> bool {
        let at = self.place.at + draws;
        if at < self.length {
            self.place.at = at;
            return false;
        }
        // Exact, because a block's draws times the longest sign-up's stay below 2^32.
        let beyond = at - self.length;
        let whole = (u64::from(beyond) * self.reciprocal >> 32) as u32;
        let left = self.jobs - self.counts.done;
        if u64::from(whole) + 1 >= left {
            self.pass_to_the_end(first, left);
            return true;
        }
        self.complete_job();
        self.counts.undisturbed += u64::from(whole);
        self.counts.done += u64::from(whole) + 1;
        self.place.at = beyond - whole * self.length;
        false
    }

    #[cold]
    fn pass_to_the_end(&mut self, first: u64, left: u64) {
        let others = left - 1;
        self.counts.draws =
            first + u64::from(self.length - self.place.at) + others * u64::from(self.length);
        self.complete_job();
        self.counts.undisturbed += others;
        self.counts.done = self.jobs;
    }

    /// Counts the sign-up under way as succeeded, and begins the next.
    #[inline(always)]
    fn complete_job(&mut self) {
        if self.place.attempts == 0 {
            self.counts.undisturbed += 1;
        } else {
            let arrives = u32::from(self.place.resumed < self.reply_at);
            self.counts.arrivals[(self.place.emails + arrives) as usize] += 1;
            // Zero unless the job started again; then this attempt did everything again that any before it had done.
            self.counts.repeated += u64::from(self.place.reached);
        }
        self.place = Place::default();
    }

    /// Fails the call that the draw with this index decides about. True if that ends the last sign-up.
    #[inline(always)]
    fn fail_call(&mut self, draw: u64, fail: impl Fn(&mut Self)) -> bool {
        if self.place.attempts == 0 {
            self.scarred_since = draw - u64::from(self.place.at);
        }
        self.counts.failed_calls += 1;
        self.counts.lost_replies += u64::from(self.place.at == self.reply_at);
        let arrived = self.place.resumed < self.reply_at && self.place.at >= self.reply_at;
        self.place.emails += u32::from(arrived);
        fail(self);
        self.place.at = self.place.resumed;
        self.place.attempts == self.attempts && self.give_up(draw)
    }

    #[cold]
    fn give_up(&mut self, draw: u64) -> bool {
        self.counts.arrivals[self.place.emails as usize] += 1;
        self.counts.failed += 1;
        self.counts.done += 1;
        self.place = Place::default();
        self.counts.draws = draw + 1;
        self.is_done()
    }

    /// The place where the step under way begins.
    fn step_start(&self) -> u32 {
        self.place.at - u32::from(self.place.at == self.reply_at)
    }

    fn fail_step(&mut self) {
        let start = self.step_start();
        let same_step = self.place.attempts > 0 && start == self.place.resumed;
        self.place.attempts = if same_step {
            self.place.attempts + 1
        } else {
            1
        };
        self.place.resumed = start;
    }

    fn fail_skipping(&mut self) {
        self.place.attempts += 1;
        self.place.resumed = self.step_start();
    }

    fn fail_job(&mut self) {
        let Place { at, reached, .. } = self.place;
        // Of the draws passed, one decided about the reply and one was the lost step's own.
        let took_effect = at - u32::from(at >= self.reply_at) - u32::from(at > self.reply_at);
        self.counts.repeated += u64::from(took_effect.min(reached));
        self.place.reached = took_effect.max(reached);
        self.place.attempts += 1;
        self.place.resumed = 0;
    }

    /// The row of a strategy that goes this way, once all sign-ups are done.
    pub(super) fn row(&self, params: &TableParams, strategy: Strategy) -> Row {
        let counts = &self.counts;
        let mut arrivals = counts.arrivals.clone();
        arrivals[1] += counts.undisturbed;
        let weighted = |weight: fn(u64) -> u64| -> u64 {
            arrivals
                .iter()
                .zip(0..)
                .map(|(jobs, times)| jobs * weight(times))
                .sum()
        };
        let all_arrivals = weighted(|times| times);
        let repeated_arrivals = weighted(|times| times.saturating_sub(1));
        let mut row = Row {
            jobs: counts.done,
            failed: counts.failed,
            // Every draw decides about a call, but for the one after each arrival.
            calls: counts.draws - all_arrivals,
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
