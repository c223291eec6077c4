//! The engine of a script. One instance of this module holds one engine: its own memory, its own fate if it breaks.
//!
//! Names cross once and are numbers from then on. A call that reports something returns, where it can, what is to be
//! done about it; the rest waits in [`next_command`].

use std::{cell::UnsafeCell, sync::Arc};

use twiceproof_core::{
    admission::{OnExisting, Payload, Projection},
    engine::{
        Admitted, CallEnd, Command, Engine, EnqueueError, HandlerEnd, NewRun, Refused, Settled, StepAnswer, error_text,
    },
    events::FunctionKeys,
    ids::{RunId, StepId, WorkflowId},
    journal::{EngineOptions, Event},
    options,
    retry::Failure,
    workflow::{StepNameError, Steps, Workflow},
};
use wasm_bindgen::prelude::*;

use crate::{error, intake, memory, pages::Pages, policy};

/// The engine and what crosses beside it.
pub(crate) struct Script {
    pub(crate) engine: Engine<Pages>,
    /// Step names by number.
    names: Vec<Arc<str>>,
    /// Which part of a payload is compared, by number; the first is all of it.
    projections: Vec<Projection>,
    /// The values of functions' expressions for the next event.
    pub(crate) keys: Vec<(WorkflowId, FunctionKeys)>,
    /// The command that [`next_command`] returned last.
    command: Option<Command>,
    /// Why the last request or step was refused.
    refusal: String,
}

impl Script {
    #[cold]
    fn refuse(&mut self, why: &dyn core::fmt::Display) -> f64 {
        self.refusal = why.to_string();
        REFUSED
    }
}

/// One engine per instance, so it needs no handle, and no guard that stays locked after a trap.
struct Instance(UnsafeCell<Option<Script>>);

// SAFETY: built for wasm without threads; an instance has one thread of control.
unsafe impl Sync for Instance {}

static INSTANCE: Instance = Instance(UnsafeCell::new(None));

pub(crate) fn script() -> &'static mut Script {
    // SAFETY: every exported function takes this reference once and gives it up before it returns, and none of them
    // calls back into JavaScript while it holds it, so no two exist at a time.
    let slot = unsafe { &mut *INSTANCE.0.get() };
    slot.as_mut().expect("the engine is opened before anything else")
}

/// Opens the engine. `workers` is a whole number of at least 1, or `Infinity`; `seed` below 2^53.
#[wasm_bindgen(js_name = openEngine)]
pub fn open_engine(now: f64, seed: f64, workers: f64) -> Result<(), JsValue> {
    let workers = options::concurrency("workers", workers).map_err(error::option)?;
    if !(0.0..=9_007_199_254_740_991.0).contains(&seed) || seed as u64 as f64 != seed {
        let needs = "a whole number from 0 to 9007199254740991";
        return Err(error::option(options::InvalidOption::number("seed", needs, seed)));
    }
    let options = EngineOptions { seed: seed as u64, workers, key_ttl_ms: None };
    let engine = Engine::new(now as u64, options, Pages::default());
    let projections = vec![Projection::default()];
    let opened =
        Script { engine, names: Vec::new(), projections, keys: Vec::new(), command: None, refusal: String::new() };
    // SAFETY: as in `script`.
    unsafe { *INSTANCE.0.get() = Some(opened) };
    Ok(())
}

/// Defines a workflow whose steps its handler names; its number. The policies are of six numbers each, as in `retry`; the
/// events that start it as in [`intake::function`], without numbers if none do and it has no slots of its own. Its runs
/// are kept for `keep_ms`, which is negative if as long as all.
#[wasm_bindgen(js_name = defineWorkflow)]
pub fn define_workflow(
    now: f64,
    name: &str,
    step_retry: &[f64],
    run_retry: &[f64],
    events: &str,
    function: &[f64],
    keep_ms: f64,
) -> Result<u32, JsValue> {
    let definition = Workflow {
        name: name.into(),
        steps: Steps::Found,
        step_retry: policy::policy_of(step_retry)?,
        run_retry: policy::policy_of(run_retry)?,
        memo: true,
        once: false,
        compare_data: false,
    };
    let function = if function.is_empty() { None } else { Some(intake::function(events, function)) };
    let function = function.transpose().map_err(error::option)?;
    let keep_ms = if keep_ms < 0.0 { None } else { Some(options::window_ms("retention", keep_ms)) };
    let keep_ms = keep_ms.transpose().map_err(error::option)?;
    // All is checked; from here on all is stored.
    let (engine, now) = (&mut script().engine, now as u64);
    let workflow = engine.define(now, definition).map_err(error::option)?;
    if let Some(function) = function {
        engine.define_function(now, workflow, function).map_err(error::option)?;
    }
    if let Some(keep_ms) = keep_ms {
        engine.set_retention(now, Some(workflow), (keep_ms != u64::MAX).then_some(keep_ms));
    }
    Ok(workflow.0)
}

/// Says which part of payloads is compared; its number. Paths are parted by NUL.
#[wasm_bindgen(js_name = defineProjection)]
pub fn define_projection(omit: &str, pick: Option<String>) -> Result<u32, JsValue> {
    let omit: Vec<&str> = if omit.is_empty() { Vec::new() } else { omit.split('\0').collect() };
    let pick: Option<Vec<&str>> = pick.as_deref().map(|pick| pick.split('\0').collect());
    let projection = Projection::new(&omit, pick.as_deref()).map_err(error::option)?;
    let projections = &mut script().projections;
    projections.push(projection);
    Ok((projections.len() - 1) as u32)
}

/// What became of a request, in the lowest bits of what [`enqueue`] returns; the run's number is above them.
const CREATED: u32 = 0;
const EXISTING: u32 = 1;
const RESTARTED: u32 = 2;
const REPLACED: u32 = 3;
/// The ID belongs to other work; the last entry of the journal says what differs.
const CONFLICT: u32 = 4;
/// The request would not have a run that exists.
const REJECTED: u32 = 5;
const ANSWERS: f64 = 8.0;
/// The request is refused for what [`refusal`] says.
const REFUSED: f64 = -1.0;

/// Accepts a run, or finds it. `payload` is the canonical text of its payload, empty for none, of which `projection` is compared; `run_at`
/// is negative for at once; `on_existing`: 0 return, 1 restart what failed, 2 the same afresh, 3 reject, 4 replace what
/// runs. An error is a number too, as what returns a number or an error is an array for every call.
#[wasm_bindgen]
pub fn enqueue(
    now: f64,
    workflow: u32,
    id: &str,
    payload: &str,
    projection: u32,
    run_at: f64,
    on_existing: u32,
) -> f64 {
    memory::ahead();
    let script = script();
    let payload = match payload {
        "" => None,
        text => match Payload::from_written(text, &script.projections[projection as usize]) {
            Ok(payload) => Some(Arc::new(payload)),
            Err(invalid) => return script.refuse(&invalid),
        },
    };
    let new = NewRun {
        id: Some(id.into()),
        payload,
        run_at: (run_at >= 0.0).then_some(run_at as u64),
        on_existing: match on_existing {
            0 => OnExisting::Return,
            1 => OnExisting::RestartFailed { fresh: false },
            2 => OnExisting::RestartFailed { fresh: true },
            3 => OnExisting::Reject,
            _ => OnExisting::ReplaceRunning,
        },
        ..NewRun::default()
    };
    let (run, answer) = match script.engine.handle_enqueue(now as u64, WorkflowId(workflow), new) {
        Ok(Admitted::Created(run)) => (run, CREATED),
        Ok(Admitted::Existing(run)) => (run, EXISTING),
        Ok(Admitted::Restarted(run)) => (run, RESTARTED),
        Ok(Admitted::Replaced { run, stopped: _ }) => (run, REPLACED),
        Err(EnqueueError::Conflict { run, mismatch: _ }) => (run, CONFLICT),
        Err(EnqueueError::Exists { run, status: _ }) => (run, REJECTED),
        Err(refused) => return script.refuse(&refused),
    };
    f64::from(run.0) * ANSWERS + f64::from(answer)
}

/// Nothing to do, or what [`next_command`] says, in the lowest bits; the run's number is above them.
const NOTHING: f64 = -1.0;
const CALL: u32 = 0;
const HANDLE: u32 = 1;
const DONE: u32 = 2;
const GAVE_UP: u32 = 3;
const CANCELLED: u32 = 4;
const ENDED: u32 = 5;
const COMMANDS: f64 = 8.0;

/// The next thing to do. Its step and attempt, or pass, are asked for with [`command_step`] and [`command_attempt`].
#[wasm_bindgen(js_name = nextCommand)]
pub fn next_command() -> f64 {
    let script = script();
    script.command = script.engine.poll_command();
    let (run, kind) = match script.command {
        None => return NOTHING,
        Some(Command::Call { run, .. }) => (run, CALL),
        Some(Command::Handle { run, .. }) => (run, HANDLE),
        Some(Command::Settle { run, how: Settled::Done, .. }) => (run, DONE),
        Some(Command::Settle { run, how: Settled::GaveUp, .. }) => (run, GAVE_UP),
        Some(Command::Settle { run, how: Settled::Cancelled, .. }) => (run, CANCELLED),
        Some(Command::RunEnded { run }) => (run, ENDED),
    };
    f64::from(run.0) * COMMANDS + f64::from(kind)
}

/// The step of the command that [`next_command`] returned last.
#[wasm_bindgen(js_name = commandStep)]
pub fn command_step() -> u32 {
    match script().command {
        Some(Command::Call { step, .. } | Command::Settle { step, .. }) => step.0,
        Some(Command::Handle { .. } | Command::RunEnded { .. }) | None => crate::NONE,
    }
}

/// The attempt, or pass, of the command that [`next_command`] returned last.
#[wasm_bindgen(js_name = commandAttempt)]
pub fn command_attempt() -> u32 {
    match script().command {
        Some(Command::Call { attempt, .. }) => attempt,
        Some(Command::Handle { pass, .. }) => pass,
        Some(Command::Settle { .. } | Command::RunEnded { .. }) | None => 0,
    }
}

/// When [`tick`] is to be called at the latest; `Infinity` if nothing is due by the clock alone.
#[wasm_bindgen(js_name = nextDeadline)]
pub fn next_deadline() -> f64 {
    script().engine.next_deadline().map_or(f64::INFINITY, |at| at as f64)
}

/// Time has passed.
#[wasm_bindgen]
pub fn tick(now: f64) {
    script().engine.handle_tick(now as u64);
}

/// The number of a step's name.
#[wasm_bindgen(js_name = internName)]
pub fn intern_name(name: &str) -> u32 {
    let script = script();
    script.names.push(name.into());
    (script.names.len() - 1) as u32
}

/// What a handler that asked for a step is to do, in the lowest two bits; then the step (14 bits), then the attempt.
const REPLAY: i32 = 0;
const CALL_NOW: i32 = 1;
const WAIT: i32 = 2;
const STEP_SHIFT: u32 = 2;
const ATTEMPT_SHIFT: u32 = 16;
/// Later ones are ordered as a command.
const ATTEMPT_MAX: u32 = i32::MAX as u32 >> ATTEMPT_SHIFT;
/// The run is cancelled.
const REFUSED_CANCELLED: i32 = -1;
/// The name was used before in this pass.
const REFUSED_DUPLICATE: i32 = -2;
/// The pass is over.
const REFUSED_STALE: i32 = -3;
/// The step cannot be had for what [`refusal`] says.
const REFUSED_NAME: i32 = -4;

/// The handler asks for a step.
#[wasm_bindgen(js_name = askStep)]
pub fn ask_step(now: f64, run: u32, name: u32) -> i32 {
    let script = script();
    let answer = script.engine.handle_step(now as u64, RunId(run), script.names[name as usize].clone());
    answered(script, answer, RunId(run))
}

/// The handler asks to sleep.
#[wasm_bindgen(js_name = askSleep)]
pub fn ask_sleep(now: f64, run: u32, name: u32, until: f64) -> i32 {
    let script = script();
    let answer = script.engine.handle_sleep(now as u64, RunId(run), script.names[name as usize].clone(), until as u64);
    answered(script, answer, RunId(run))
}

/// Why the last request or step was refused: an error to be thrown.
#[wasm_bindgen]
pub fn refusal() -> JsValue {
    error::range(&script().refusal)
}

fn answered(script: &mut Script, answer: Result<StepAnswer, Refused>, asking: RunId) -> i32 {
    let packed = |answer: i32, step: StepId| answer | (step.0 as i32) << STEP_SHIFT;
    match answer {
        Ok(StepAnswer::Replay { step }) => packed(REPLAY, step),
        Ok(StepAnswer::Wait { step: asked }) => {
            let is_its_call = |command| matches!(command, Command::Call { run, step, attempt } if run == asking && step == asked && attempt <= ATTEMPT_MAX);
            // Usually the call is the only command there is; then it need not be fetched.
            match script.engine.take_command(is_its_call) {
                Some(Command::Call { step, attempt, .. }) => packed(CALL_NOW, step) | (attempt as i32) << ATTEMPT_SHIFT,
                Some(_) | None => packed(WAIT, asked),
            }
        }
        Err(Refused::Cancelled) => REFUSED_CANCELLED,
        Err(Refused::Stale(_)) => REFUSED_STALE,
        Err(Refused::Name(StepNameError::Duplicate { .. })) => REFUSED_DUPLICATE,
        Err(Refused::Name(invalid)) => {
            script.refuse(&invalid);
            REFUSED_NAME
        }
    }
}

/// The report came too late: the attempt was interrupted.
const STALE: u32 = 0;
/// The report is taken; what follows waits in [`next_command`].
const TAKEN: u32 = 1;
/// The report is taken, and the step that the handler waits for is done: nothing else follows for it.
const SETTLED: u32 = 2;

/// A step's work returned.
#[wasm_bindgen(js_name = callSucceeded)]
pub fn call_succeeded(now: f64, run: u32, step: u32, attempt: u32) -> u32 {
    let engine = &mut script().engine;
    let (ended, its_step) = (RunId(run), StepId(step));
    if engine.handle_call_ended(now as u64, ended, its_step, attempt, CallEnd::Succeeded).is_err() {
        return STALE;
    }
    let settles = |command| matches!(command, Command::Settle { run, step, how: Settled::Done } if run == ended && step == its_step);
    if engine.take_command(settles).is_some() { SETTLED } else { TAKEN }
}

/// A step's work threw. `told` is the wait the server asked for, negative for none.
#[wasm_bindgen(js_name = callFailed)]
pub fn call_failed(now: f64, run: u32, step: u32, attempt: u32, text: &str, is_final: bool, told: f64) -> u32 {
    let end = CallEnd::Failed { error: error_text(text), failure: failure(is_final, told) };
    match script().engine.handle_call_ended(now as u64, RunId(run), StepId(step), attempt, end) {
        Ok(()) => TAKEN,
        Err(_) => STALE,
    }
}

/// A handler returned.
#[wasm_bindgen(js_name = handlerReturned)]
pub fn handler_returned(now: f64, run: u32, pass: u32) -> bool {
    script().engine.handle_handler_ended(now as u64, RunId(run), pass, HandlerEnd::Returned).is_ok()
}

/// A handler threw.
#[wasm_bindgen(js_name = handlerThrew)]
pub fn handler_threw(now: f64, run: u32, pass: u32, text: &str, is_final: bool, told: f64) -> bool {
    let end = HandlerEnd::Threw { error: error_text(text), failure: failure(is_final, told) };
    script().engine.handle_handler_ended(now as u64, RunId(run), pass, end).is_ok()
}

fn failure(is_final: bool, told: f64) -> Failure {
    Failure { final_: is_final, retry_after_ms: (told >= 0.0).then_some(told as u64) }
}

/// Cancels a run; false if it is over.
#[wasm_bindgen]
pub fn cancel(now: f64, run: u32) -> bool {
    script().engine.handle_cancel(now as u64, RunId(run))
}

/// Notes what a provider did for a step: the request with its key, and then its doing: 0 it knew the key, any other
/// number how many times it has now done this work.
#[wasm_bindgen]
pub fn observe(now: f64, run: u32, step: u32, attempt: u32, key: Option<String>, count: u32) {
    let (run, step) = (RunId(run), StepId(step));
    let engine = &mut script().engine;
    let key = key.map(|key| key.as_str().into());
    engine.handle_observed(now as u64, Event::RequestArrived { run, step, attempt, key });
    let done = match count {
        0 => Event::ProviderKnewKey { run, step, attempt },
        count => Event::EffectDone { run, step, attempt, count },
    };
    engine.handle_observed(now as u64, done);
}

/// Whether nothing runs, and nothing that waits will start by itself: runs of a paused workflow do not count.
#[wasm_bindgen(js_name = isEngineIdle)]
pub fn is_engine_idle() -> bool {
    let engine = &script().engine;
    engine.state().busy() == 0 && engine.next_deadline().is_none()
}

/// Numbers of a run: `[status, passes, queuedAt, endedAt or -1, runAt or -1, retainedUntil or -1, why it was given up or
/// -1, then for each step its phase, attempts]`.
#[wasm_bindgen(js_name = viewRun)]
pub fn view_run(run: u32) -> Vec<f64> {
    crate::view::numbers(script().engine.state(), RunId(run))
}

/// The name of a step of a run.
#[wasm_bindgen(js_name = stepName)]
pub fn step_name(run: u32, step: u32) -> String {
    script().engine.state().step_name(RunId(run), StepId(step)).map_or_else(String::new, |name| name.to_string())
}

/// Forgets the names that have numbers: from now on each crosses again.
#[wasm_bindgen(js_name = forgetNames)]
pub fn forget_names() {
    script().names.clear();
}

/// How many entries the journal had so far, those included that were dropped.
#[wasm_bindgen(js_name = journalLength)]
pub fn journal_length() -> f64 {
    script().engine.sink().len() as f64
}

/// Drops entries before the one at `first`, a page at a time; the place of the first that is kept.
#[wasm_bindgen(js_name = dropEntries)]
pub fn drop_entries(first: f64) -> f64 {
    let pages = script().engine.sink_mut();
    pages.drop_before(first as u64);
    pages.first() as f64
}

/// The journal as JSON lines, header included, its entries from `first` on. Works after a trap: an entry is written
/// once it has been applied, so all that are there are whole.
#[wasm_bindgen(js_name = journalText)]
pub fn journal_text(first: f64) -> String {
    script().engine.sink().text_from(first as u64)
}
