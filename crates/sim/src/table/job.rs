//! One sign-up, call by call, the way the article's program does it. Nothing clever: this is what everything else is held to.

use super::draws::Draws;
use super::params::Limits;
use super::{Call, CallOutcome, TableParams};
use crate::strategy::{RetryScope, Strategy};

/// What became of one sign-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobResult {
    pub(crate) failed: bool,
    pub(crate) calls: u64,
    pub(crate) refused: u64,
    pub(crate) lost_replies: u64,
    /// Effects beyond the first of each step.
    pub(crate) repeated_steps: u64,
    /// How often the lost step took effect.
    pub(crate) emails: u32,
}

/// A sign-up on its way through its steps.
pub(crate) struct Job<'a, F> {
    strategy: Strategy,
    lost_step: u32,
    limits: Limits,
    draws: &'a mut Draws,
    /// How often each step took effect, from step 1.
    done: Vec<u32>,
    /// Which steps the caller saw finish.
    finished: Vec<bool>,
    result: JobResult,
    on_call: F,
}

/// The caller saw an error: the call was refused, or its reply was lost.
struct CallFailed;

/// Runs one sign-up from the next draw on, telling `on_call` of every call it makes.
pub(crate) fn run(params: &TableParams, strategy: Strategy, draws: &mut Draws, on_call: impl FnMut(Call)) -> JobResult {
    let mut job = Job {
        strategy,
        lost_step: params.lost_step,
        limits: params.limits(),
        draws,
        done: vec![0; params.steps as usize],
        finished: vec![false; params.steps as usize],
        result: JobResult::default(),
        on_call,
    };
    let outcome = match strategy.retry {
        RetryScope::EachStep => job.retry_each_step(params.attempts),
        RetryScope::WholeJob => job.retry_whole_job(params.attempts),
    };
    job.result.failed = outcome.is_err();
    job.result.repeated_steps = job.done.iter().map(|times| u64::from(times.saturating_sub(1))).sum();
    job.result.emails = job.done[params.lost_step as usize - 1];
    job.result
}

impl<F: FnMut(Call)> Job<'_, F> {
    fn retry_each_step(&mut self, attempts: u32) -> Result<(), CallFailed> {
        for step in 1..=self.done.len() as u32 {
            let mut attempt = 1;
            while self.step(step, attempt).is_err() {
                if attempt == attempts {
                    return Err(CallFailed);
                }
                attempt += 1;
            }
        }
        Ok(())
    }

    fn retry_whole_job(&mut self, attempts: u32) -> Result<(), CallFailed> {
        let mut attempt = 1;
        while self.all_steps(attempt).is_err() {
            if attempt == attempts {
                return Err(CallFailed);
            }
            attempt += 1;
        }
        Ok(())
    }

    fn all_steps(&mut self, attempt: u32) -> Result<(), CallFailed> {
        (1..=self.done.len() as u32).try_for_each(|step| self.step(step, attempt))
    }

    /// The step behind the caller's own store, if the strategy has one.
    fn step(&mut self, step: u32, attempt: u32) -> Result<(), CallFailed> {
        if self.strategy.skip_finished && self.finished[step as usize - 1] {
            return Ok(());
        }
        let call = self.call(step, attempt);
        (self.on_call)(call);
        if call.outcome != CallOutcome::Done {
            return Err(CallFailed);
        }
        self.finished[step as usize - 1] = true;
        Ok(())
    }

    /// One call: a draw decides whether it fails, then the effect, then for the lost step a draw decides about the reply.
    fn call(&mut self, step: u32, attempt: u32) -> Call {
        self.result.calls += 1;
        let draw = self.draws.position();
        if u64::from(self.draws.next()) < self.limits.fail {
            self.result.refused += 1;
            return Call { step, attempt, draw, outcome: CallOutcome::Refused, acted: false };
        }
        let done = &mut self.done[step as usize - 1];
        let recognised = step == self.lost_step && *done > 0 && self.strategy.provider_recognises_repeats();
        *done += u32::from(!recognised);
        let lost = step == self.lost_step && u64::from(self.draws.next()) < self.limits.lost;
        self.result.lost_replies += u64::from(lost);
        let outcome = if lost { CallOutcome::ReplyLost } else { CallOutcome::Done };
        Call { step, attempt, draw, outcome, acted: !recognised }
    }
}
