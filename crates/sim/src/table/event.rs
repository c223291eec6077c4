//! The table through the event engine: the very engine of the playground and the package, one worker, no waits, no
//! journal. It can run anything; the kernel, which cannot, is held equal to it.
//!
//! Runs in batches, as the article's program does: every key belongs to one sign-up, so a new engine for each batch
//! changes no result, and memory stays small.

use core::ops::ControlFlow;

use twiceproof_core::{
    engine::{CallEnd, Command, Engine, NewRun, Status},
    ids::{RunId, StepId},
    journal::{Discard, EngineOptions},
    retry::{Failure, Jitter, RetryOptions, RetryPolicy},
    workflow::{Steps, Workflow},
};

use super::draws::Draws;
use super::params::Limits;
use super::{Progress, Row, Table, TableError, TableParams};
use crate::strategy::{RetryScope, Strategy};

/// Sign-ups in one engine: small enough that its state stays in the processor's cache.
const BATCH: u64 = 512;

/// Runs every strategy over all sign-ups, one row after the other.
///
/// # Errors
/// Parameters out of range, or a stop asked for by `progress`.
pub fn run(params: &TableParams, strategies: &[Strategy], progress: Progress<'_>) -> Result<Table, TableError> {
    params.validate()?;
    let total = params.jobs * strategies.len() as u64;
    let mut rows = Vec::with_capacity(strategies.len());
    for (index, &strategy) in strategies.iter().enumerate() {
        let mut row = EventRow::new(params, index, strategy);
        while !row.is_done() {
            if progress(params.jobs * index as u64 + row.row.jobs, total) == ControlFlow::Break(()) {
                return Err(TableError::Cancelled);
            }
            row.advance(32 * BATCH);
        }
        rows.push(row.finish());
    }
    if progress(total, total) == ControlFlow::Break(()) {
        Err(TableError::Cancelled)
    } else {
        Ok(Table { params: *params, rows })
    }
}

/// One row under way: to be run in slices.
#[derive(Debug)]
pub struct EventRow {
    params: TableParams,
    limits: Limits,
    workflow: Workflow,
    draws: Draws,
    row: Row,
    /// How often each step of each sign-up of the batch took effect.
    done: Vec<u32>,
    error: std::sync::Arc<str>,
}

impl EventRow {
    /// The row with this index before its first sign-up. The parameters are valid.
    pub fn new(params: &TableParams, index: usize, strategy: Strategy) -> Self {
        Self {
            params: *params,
            limits: params.limits(),
            workflow: workflow(params, strategy),
            draws: Draws::of_row(params, index),
            row: Row::empty(params, strategy),
            done: Vec::new(),
            error: "failed".into(),
        }
    }

    /// Whether all sign-ups are run.
    pub fn is_done(&self) -> bool {
        self.row.jobs == self.params.jobs
    }

    /// Runs up to so many more sign-ups.
    pub fn advance(&mut self, jobs: u64) {
        let end = self.params.jobs.min(self.row.jobs.saturating_add(jobs));
        while self.row.jobs < end {
            self.run_batch((end - self.row.jobs).min(BATCH));
        }
    }

    /// The row as far as it is run.
    pub fn finish(mut self) -> Row {
        self.row.draws = self.draws.position();
        self.row
    }

    fn run_batch(&mut self, jobs: u64) {
        let steps = self.params.steps as usize;
        self.done.clear();
        self.done.resize(jobs as usize * steps, 0);
        let options = EngineOptions { seed: 0, workers: Some(1), key_ttl_ms: Some(24 * 60 * 60 * 1000) };
        let mut engine = Engine::new(0, options, Discard);
        let workflow = engine.define(0, self.workflow.clone()).expect("numbered steps have names of their own");
        for _ in 0..jobs {
            engine.handle_enqueue(0, workflow, NewRun::default()).expect("a batch fits the queue");
        }
        while let Some(command) = engine.poll_command() {
            if let Command::Call { run, step, attempt } = command {
                let end = self.call(run, step);
                engine.handle_call_ended(0, run, step, attempt, end).expect("the call is under way");
            }
        }
        for ((_, run), done) in engine.state().runs().zip(self.done.chunks_exact(steps)) {
            self.row.jobs += 1;
            self.row.failed += u64::from(run.status() != Status::Succeeded);
            self.row.repeated_steps += done.iter().map(|&times| u64::from(times.saturating_sub(1))).sum::<u64>();
            let emails = done[self.params.lost_step as usize - 1];
            self.row.two_emails += u64::from(emails > 1);
            self.row.emails[emails as usize] += 1;
        }
    }

    /// A call: a draw decides whether it fails, then the provider acts unless it knows the key, then for the step
    /// whose reply can be lost a draw decides about the reply.
    fn call(&mut self, run: RunId, step: StepId) -> CallEnd {
        self.row.calls += 1;
        if u64::from(self.draws.next()) < self.limits.fail {
            self.row.refused += 1;
            return self.failed();
        }
        let can_lose = step.0 + 1 == self.params.lost_step;
        let done = &mut self.done[run.index() * self.params.steps as usize + step.index()];
        let recognised = can_lose && *done > 0 && self.row.strategy.provider_recognises_repeats();
        *done += u32::from(!recognised);
        if can_lose && u64::from(self.draws.next()) < self.limits.lost {
            self.row.lost_replies += 1;
            return self.failed();
        }
        CallEnd::Succeeded
    }

    fn failed(&self) -> CallEnd {
        CallEnd::Failed { error: self.error.clone(), failure: Failure::default() }
    }
}

fn workflow(params: &TableParams, strategy: Strategy) -> Workflow {
    let options = RetryOptions {
        max_attempts: params.attempts.into(),
        base_delay_ms: 0.0,
        max_delay_ms: 0.0,
        jitter: Jitter::None,
        ..RetryOptions::default()
    };
    let policy = RetryPolicy::new(options).expect("the parameters are valid");
    let (step_retry, run_retry) = match strategy.retry {
        RetryScope::EachStep => (policy, RetryPolicy::once()),
        RetryScope::WholeJob => (RetryPolicy::once(), policy),
    };
    Workflow {
        name: "sign-up".into(),
        steps: Steps::List((1..=params.steps).map(|step| format!("step {step}").into()).collect()),
        step_retry,
        run_retry,
        memo: false,
        once: strategy.skip_finished,
        compare_data: false,
    }
}
