//! A run as a script sees it, in numbers.

use twiceproof_core::{
    engine::{RunPhase, State, Status},
    ids::RunId,
    retry::GiveUp,
    workflow::StepPhase,
};

/// See `viewRun`. Empty for a run that does not exist.
pub(crate) fn numbers(state: &State, run: RunId) -> Vec<f64> {
    let or_none = |at: Option<u64>| at.map_or(-1.0, |at| at as f64);
    let retained_until = or_none(state.retained_until(run));
    let Some(run) = state.run(run) else { return Vec::new() };
    let status = match run.status() {
        Status::Pending => 0,
        Status::Running => 1,
        Status::Succeeded => 2,
        Status::Cancelled => 3,
        Status::Dead => 4,
    };
    let why = match run.phase {
        RunPhase::GaveUp { why: GiveUp::AttemptsUsed } => 0.0,
        RunPhase::GaveUp { why: GiveUp::NotRetryable } => 1.0,
        RunPhase::GaveUp { why: GiveUp::RetryAfterTooLong } => 2.0,
        RunPhase::GaveUp { why: GiveUp::KeyConflict } => 3.0,
        RunPhase::Queued | RunPhase::Active | RunPhase::Waiting { .. } | RunPhase::Succeeded | RunPhase::Cancelled => {
            -1.0
        }
    };
    let mut all = vec![f64::from(status), f64::from(run.pass), run.queued_at as f64];
    all.extend([or_none(run.ended_at), or_none(run.run_at), retained_until, why]);
    for step in run.progress.states() {
        let phase = match step.phase {
            StepPhase::Idle => 0,
            StepPhase::Running | StepPhase::Joined(_) => 1,
            StepPhase::Waiting { .. } => 2,
            StepPhase::Sleeping { .. } => 3,
            StepPhase::Done => 4,
            StepPhase::GaveUp => 5,
        };
        all.extend([f64::from(phase), f64::from(step.attempts)]);
    }
    all
}
