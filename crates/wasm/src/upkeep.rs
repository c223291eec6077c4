//! Runs that are over: how long they are kept, removing them, doing dead ones again; and pausing.

use twiceproof_core::{
    engine::{ForgetError, NotOver, RedriveError},
    ids::{RunId, WorkflowId},
    options,
};
use wasm_bindgen::prelude::*;

use crate::{engine::script, error};

/// How long a run that is over is kept, in milliseconds or `Infinity`, if its workflow has no time of its own.
#[wasm_bindgen(js_name = setRetention)]
pub fn set_retention(now: f64, keep_ms: f64) -> Result<(), JsValue> {
    let keep_ms = options::window_ms("retention", keep_ms).map_err(error::option)?;
    script().engine.set_retention(now as u64, None, (keep_ms != u64::MAX).then_some(keep_ms));
    Ok(())
}

/// When a prune has something to do, in milliseconds; `Infinity` if never.
#[wasm_bindgen(js_name = nextPrune)]
pub fn next_prune() -> f64 {
    script().engine.state().next_prune().map_or(f64::INFINITY, |at| at as f64)
}

/// Removes up to `limit` things: `[1 if there is more, how many runs, the runs…, the events…]`.
#[wasm_bindgen]
pub fn prune(now: f64, limit: u32) -> Vec<u32> {
    let pruned = script().engine.handle_prune(now as u64, limit as usize);
    let mut all = vec![u32::from(pruned.more), pruned.runs.len() as u32];
    all.extend(pruned.runs.iter().map(|(run, _)| run.0));
    all.extend(pruned.events.iter().map(|event| event.0));
    all
}

/// Removes a run that is over; false if it is not.
#[wasm_bindgen]
pub fn forget(now: f64, run: u32, note: Option<String>) -> Result<bool, JsValue> {
    match script().engine.handle_forget(now as u64, RunId(run), note.as_deref()) {
        Ok(()) => Ok(true),
        Err(ForgetError::NotOver(NotOver::Unknown | NotOver::Open { .. })) => Ok(false),
        Err(ForgetError::Note(invalid)) => Err(error::option(invalid)),
    }
}

/// Does a dead run again as a new one; its number. -1: it is not dead, -2: the new ID belongs to a run.
#[wasm_bindgen]
pub fn redrive(now: f64, run: u32, new_id: &str) -> Result<f64, JsValue> {
    match script().engine.handle_redrive(now as u64, RunId(run), Some(new_id)) {
        Ok(run) => Ok(f64::from(run.0)),
        Err(RedriveError::Unknown | RedriveError::NotDead { .. }) => Ok(-1.0),
        Err(RedriveError::Exists { .. }) => Ok(-2.0),
        Err(RedriveError::InvalidId(invalid)) => Err(error::key("newId", invalid)),
        Err(RedriveError::Full(full)) => Err(error::range(&full.to_string())),
    }
}

/// Pauses a workflow, or ends its pause; false if that is so already.
#[wasm_bindgen(js_name = setPaused)]
pub fn set_paused(now: f64, workflow: u32, paused: bool) -> bool {
    let (engine, workflow) = (&mut script().engine, WorkflowId(workflow));
    if paused { engine.handle_pause(now as u64, workflow) } else { engine.handle_resume(now as u64, workflow) }
}

/// Whether a workflow is paused.
#[wasm_bindgen(js_name = isPaused)]
pub fn is_paused(workflow: u32) -> bool {
    script().engine.state().is_paused(WorkflowId(workflow))
}
