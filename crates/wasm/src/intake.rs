//! Events and functions. What an event came to is read from the journal ([`intake_text`]), in the same words in which it
//! is written down: so nothing of it is said twice.

use std::sync::Arc;

use twiceproof_core::{
    admission::{Payload, Projection},
    engine::{ReplayError, SendError},
    events::{Batch, Debounce, Function, FunctionKeys, Given, KeyRule, NewEvent, RateLimit},
    ids::{EventId, WorkflowId},
    options::{self, InvalidOption},
};
use wasm_bindgen::prelude::*;

use crate::{engine::script, error};

/// The event side of a workflow. `names` are its events, parted by NUL. The numbers: the key rule (0 none, 1 required,
/// 2 optional), its window; the debounce's period and timeout; the batch's size and timeout; the rate limit's count and
/// period; the concurrency. Windows may be `Infinity`; anything else that is left out is negative.
pub(crate) fn function(names: &str, numbers: &[f64]) -> Result<Function, InvalidOption> {
    let &[rule, window, quiet, quiet_max, size, wait, limit, period, slots] = numbers else {
        return Err(InvalidOption::new("function", "nine numbers", numbers.len()));
    };
    let given = |value: f64| value >= 0.0 || value.is_nan();
    let key = match rule {
        1.0 => KeyRule::Required,
        2.0 => KeyRule::Optional,
        _ => KeyRule::None,
    };
    let window = options::window_ms("idempotency.window", window)?;
    let debounce = if given(quiet) {
        let timeout_ms = if given(quiet_max) { Some(options::delay_ms("debounce.timeout", quiet_max)?) } else { None };
        Some(Debounce { period_ms: options::delay_ms("debounce.period", quiet)?, timeout_ms })
    } else {
        None
    };
    let batch = if given(size) {
        Some(Batch { size_max: count("batch.maxSize", size)?, timeout_ms: options::delay_ms("batch.timeout", wait)? })
    } else {
        None
    };
    let rate_limit = if given(limit) {
        Some(RateLimit {
            limit: count("rateLimit.limit", limit)?,
            period_ms: options::delay_ms("rateLimit.period", period)?,
        })
    } else {
        None
    };
    let concurrency = if given(slots) { options::concurrency("concurrency", slots)? } else { None };
    let on = names.split('\0').filter(|name| !name.is_empty()).map(Arc::from).collect();
    let key_window_ms = (window != u64::MAX).then_some(window);
    let function = Function { on, key, key_window_ms, debounce, batch, rate_limit, concurrency };
    function.check().map(|()| function)
}

/// A count of at most 10,000, which is the maximum of all that is counted here.
fn count(option: &str, value: f64) -> Result<u32, InvalidOption> {
    match options::attempts(option, value) {
        Ok(Some(count)) if count <= 10_000 => Ok(count),
        _ => Err(InvalidOption::number(option, "a whole number from 1 to 10000", value)),
    }
}

/// The values of a function's expressions for the event that is sent or replayed next. `which`: 0 its key, 1 the group in
/// which it gathers, 2 the group whose starts are counted. A text that is not usable is the reason why there is none.
#[wasm_bindgen(js_name = giveKey)]
pub fn give_key(workflow: u32, which: u32, text: &str, usable: bool) {
    let given = if usable { Given::Value(text.into()) } else { Given::Unusable(text.into()) };
    let workflow = WorkflowId(workflow);
    let keys = &mut script().keys;
    if keys.last().is_none_or(|(of, _)| *of != workflow) {
        keys.push((workflow, FunctionKeys::default()));
    }
    if let Some((_, keys)) = keys.last_mut() {
        match which {
            0 => keys.key = given,
            1 => keys.gather = given,
            _ => keys.rate = given,
        }
    }
}

/// The IDs of runs that events start begin with `prefix`, which no other engine has. Called before the first event.
#[wasm_bindgen(js_name = nameRuns)]
pub fn name_runs(prefix: &str) -> Result<(), JsValue> {
    script().engine.name_runs(prefix).map_err(error::option)
}

/// Accepts an event; its number. `payload` is the canonical text of its data.
#[wasm_bindgen(js_name = sendEvent)]
pub fn send_event(now: f64, id: Option<String>, name: &str, ts: f64, payload: &str) -> Result<u32, JsValue> {
    let script = script();
    let keys = core::mem::take(&mut script.keys);
    let payload =
        Payload::from_written(payload, &Projection::default()).map_err(|invalid| error::range(&invalid.to_string()))?;
    let id = id.map(|id| id.as_str().into());
    let new = NewEvent { id, name: name.into(), ts: Some(ts as u64), payload: Some(Arc::new(payload)), keys };
    match script.engine.handle_send(now as u64, new) {
        Ok(sent) => Ok(sent.event.0),
        Err(SendError::Full) => Err(error::range(&SendError::Full.to_string())),
        Err(invalid) => Err(error::range(&invalid.to_string())),
    }
}

/// Offers an event of the history to a function again. What it came to: 0 stands in the journal, 1 there is no such event,
/// 2 the function does not listen to it, 3 the function is paused.
#[wasm_bindgen(js_name = replayEvent)]
pub fn replay_event(now: f64, workflow: u32, event: u32, dedupe: bool) -> u32 {
    let script = script();
    let given = script.keys.pop().map(|(_, keys)| keys).unwrap_or_default();
    script.keys.clear();
    match script.engine.handle_replay(now as u64, WorkflowId(workflow), EventId(event), &given, dedupe) {
        Ok(_) => 0,
        Err(ReplayError::UnknownEvent) => 1,
        Err(ReplayError::NotListening) => 2,
        Err(ReplayError::Paused) => 3,
    }
}

/// The entries of the journal that are about events, from `first` on, as JSON lines without a header.
#[wasm_bindgen(js_name = intakeText)]
pub fn intake_text(first: f64) -> String {
    script().engine.sink().intake_from(first as u64)
}
