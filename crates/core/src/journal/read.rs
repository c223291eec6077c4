//! Events out of their JSON. What is written is said by the types themselves; that each kind reads back as it was
//! written is shown by `read_tests.rs` over an entry of every kind.

use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};

use serde_json::Value;

use super::{EngineOptions, Entry, Event, Origin};
use crate::{
    admission::{Difference, DifferenceKind, Mismatch, OnExisting, Payload},
    events::{Batch, Debounce, Function, KeyRule, NoStart, RateLimit},
    fields::{Fields, Read, unknown},
    ids::{EventId, KeyId, RunId, StepId, WorkflowId},
    retry::{GiveUp, Jitter, RetryOptions, RetryPolicy},
    workflow::{Steps, Workflow},
};

/// An entry, from the value of one line.
pub(super) fn entry(value: &Value) -> Read<Entry> {
    let fields = Fields::of(value, "line")?;
    Ok(Entry { seq: fields.number("seq")?, at: fields.number("at")?, event: event(fields)? })
}

fn event(fields: Fields<'_>) -> Read<Event> {
    let workflow = || fields.index("workflow").map(WorkflowId);
    let run = || fields.index("run").map(RunId);
    let step = || fields.index("step").map(StepId);
    let key = || fields.index("key").map(KeyId);
    let event = || fields.index("event").map(EventId);
    let attempt = || fields.index("attempt");
    Ok(match fields.word("type")? {
        "opened" => Event::Opened { options: options(fields.object("options")?)? },
        "workflow-defined" => {
            let definition = Box::new(definition(fields.object("definition")?)?);
            Event::WorkflowDefined { workflow: workflow()?, definition }
        }
        "function-defined" => {
            let function = Arc::new(function(fields.object("function")?)?);
            Event::FunctionDefined { workflow: workflow()?, function }
        }
        "retention-set" => Event::RetentionSet {
            workflow: fields.maybe_index("workflow")?.map(WorkflowId),
            keep_ms: fields.maybe_number("keepMs")?,
        },
        "workflow-paused" => Event::WorkflowPaused { workflow: workflow()? },
        "workflow-resumed" => Event::WorkflowResumed { workflow: workflow()? },
        "run-queued" => Event::RunQueued {
            run: run()?,
            workflow: workflow()?,
            id: fields.maybe_text("id")?,
            subject: fields.maybe_text("subject")?,
            data: fields.maybe_number("data")?,
            run_at: fields.maybe_number("runAt")?,
            payload: payload(fields)?,
            origin: match fields.maybe_object("origin")? {
                Some(fields) => Some(Arc::new(origin(fields)?)),
                None => None,
            },
        },
        "event-accepted" => Event::EventAccepted {
            event: event()?,
            name: fields.text("name")?,
            id: fields.maybe_text("id")?,
            ts: fields.maybe_number("ts")?,
            payload: payload(fields)?,
            duplicate_of: fields.maybe_index("duplicateOf")?.map(EventId),
        },
        "event-held" => Event::EventHeld {
            workflow: workflow()?,
            event: event()?,
            group: fields.maybe_text("group")?,
            until: fields.number("until")?,
            key: fields.maybe_text("key")?,
            rate: fields.maybe_text("rate")?,
        },
        "start-skipped" => Event::StartSkipped {
            workflow: workflow()?,
            event: event()?,
            why: no_start(fields)?,
            replay: fields.maybe_flag("replay")?,
        },
        "event-pruned" => Event::EventPruned { event: event()? },
        "enqueue-repeated" => {
            Event::EnqueueRepeated { run: run()?, on_existing: on_existing(fields.object("onExisting")?)? }
        }
        "enqueue-refused" => Event::EnqueueRefused {
            run: run()?,
            workflow: workflow()?,
            mismatch: match fields.maybe_object("mismatch")? {
                Some(fields) => Some(mismatch(fields)?),
                None => None,
            },
        },
        "run-restarted" => Event::RunRestarted { run: run()?, fresh: fields.flag("fresh")? },
        "run-started" => Event::RunStarted { run: run()?, pass: fields.index("pass")? },
        "step-found" => Event::StepFound { run: run()?, step: step()?, name: fields.text("name")? },
        "step-replayed" => Event::StepReplayed { run: run()?, step: step()? },
        "key-claimed" => Event::KeyClaimed { run: run()?, step: step()?, key: key()? },
        "key-expired" => Event::KeyExpired { key: key()?, expired_at: fields.number("expiredAt")? },
        "key-forgotten" => Event::KeyForgotten { key: key()? },
        "step-skipped" => Event::StepSkipped {
            run: run()?,
            step: step()?,
            key: key()?,
            saved_by: RunId(fields.index("savedBy")?),
            other_data: fields.maybe_flag("otherData")?,
        },
        "step-joined" => Event::StepJoined {
            run: run()?,
            step: step()?,
            attempt: attempt()?,
            key: key()?,
            leader: RunId(fields.index("leader")?),
        },
        "key-conflict" => {
            Event::KeyConflict { run: run()?, step: step()?, key: key()?, first: RunId(fields.index("first")?) }
        }
        "attempt-started" => Event::AttemptStarted { run: run()?, step: step()?, attempt: attempt()? },
        "attempt-succeeded" => Event::AttemptSucceeded { run: run()?, step: step()?, attempt: attempt()? },
        "attempt-failed" => {
            Event::AttemptFailed { run: run()?, step: step()?, attempt: attempt()?, error: fields.text("error")? }
        }
        "attempt-interrupted" => Event::AttemptInterrupted { run: run()?, step: step()?, attempt: attempt()? },
        "key-saved" => Event::KeySaved { key: key()?, expires_at: fields.maybe_number("expiresAt")? },
        "key-released" => Event::KeyReleased { key: key()? },
        "retry-scheduled" => Event::RetryScheduled {
            run: run()?,
            step: fields.maybe_index("step")?.map(StepId),
            until: fields.number("until")?,
            delay_ms: fields.number("delayMs")?,
            delay_ms_max: fields.number("delayMsMax")?,
        },
        "sleep-started" => Event::SleepStarted { run: run()?, step: step()?, until: fields.number("until")? },
        "sleep-ended" => Event::SleepEnded { run: run()?, step: step()? },
        "step-gave-up" => Event::StepGaveUp { run: run()?, step: step()?, why: give_up(fields)? },
        "handler-failed" => Event::HandlerFailed { run: run()?, error: fields.text("error")? },
        "run-succeeded" => Event::RunSucceeded { run: run()? },
        "run-gave-up" => Event::RunGaveUp { run: run()?, why: give_up(fields)?, error: fields.text("error")? },
        "cancel-requested" => Event::CancelRequested { run: run()? },
        "run-cancelled" => Event::RunCancelled { run: run()? },
        "run-pruned" => Event::RunPruned { run: run()? },
        "run-forgotten" => Event::RunForgotten { run: run()?, note: fields.maybe_text("note")? },
        "process-restarted" => Event::ProcessRestarted,
        "request-arrived" => {
            Event::RequestArrived { run: run()?, step: step()?, attempt: attempt()?, key: fields.maybe_text("key")? }
        }
        "effect-done" => {
            Event::EffectDone { run: run()?, step: step()?, attempt: attempt()?, count: fields.index("count")? }
        }
        "provider-knew-key" => Event::ProviderKnewKey { run: run()?, step: step()?, attempt: attempt()? },
        "provider-refused" => Event::ProviderRefused { run: run()?, step: step()?, attempt: attempt()? },
        "call-failed" => Event::CallFailed { run: run()?, step: step()?, attempt: attempt()? },
        "reply-lost" => Event::ReplyLost { run: run()?, step: step()?, attempt: attempt()? },
        other => return Err(unknown("type", other)),
    })
}

fn options(fields: Fields<'_>) -> Read<EngineOptions> {
    Ok(EngineOptions {
        seed: fields.number("seed")?,
        workers: fields.maybe_index("workers")?,
        key_ttl_ms: fields.maybe_number("keyTtlMs")?,
    })
}

fn definition(fields: Fields<'_>) -> Read<Workflow> {
    let steps = match fields.need("steps")? {
        Value::String(found) if found == "found" => Steps::Found,
        list => Steps::List(Fields::of(list, "steps")?.texts("list")?),
    };
    Ok(Workflow {
        name: fields.text("name")?,
        steps,
        step_retry: policy(fields.object("stepRetry")?)?,
        run_retry: policy(fields.object("runRetry")?)?,
        memo: fields.flag("memo")?,
        once: fields.flag("once")?,
        compare_data: fields.flag("compareData")?,
    })
}

fn policy(fields: Fields<'_>) -> Read<RetryPolicy> {
    let jitter = match fields.need("jitter")? {
        Value::String(name) => match name.as_str() {
            "none" => Jitter::None,
            "full" => Jitter::Full,
            "equal" => Jitter::Equal,
            other => return Err(unknown("jitter", other)),
        },
        ratio => Jitter::Ratio(Fields::of(ratio, "jitter")?.fraction("ratio")?),
    };
    let window = |ms: u64| if ms == u64::MAX { f64::INFINITY } else { ms as f64 };
    RetryPolicy::new(RetryOptions {
        max_attempts: fields.maybe_index("maxAttempts")?.map_or(f64::INFINITY, f64::from),
        base_delay_ms: fields.number("baseDelayMs")? as f64,
        max_delay_ms: fields.number("maxDelayMs")? as f64,
        factor: fields.fraction("factor")?,
        jitter,
        max_retry_after_ms: window(fields.number("maxRetryAfterMs")?),
    })
    .map_err(|invalid| alloc::format!("its {invalid}"))
}

fn function(fields: Fields<'_>) -> Read<Function> {
    let key = match fields.get("key").map(|_| fields.word("key")).transpose()? {
        None | Some("none") => KeyRule::None,
        Some("required") => KeyRule::Required,
        Some("optional") => KeyRule::Optional,
        Some(other) => return Err(unknown("key", other)),
    };
    let debounce = match fields.maybe_object("debounce")? {
        Some(fields) => {
            Some(Debounce { period_ms: fields.number("periodMs")?, timeout_ms: fields.maybe_number("timeoutMs")? })
        }
        None => None,
    };
    let batch = match fields.maybe_object("batch")? {
        Some(fields) => Some(Batch { size_max: fields.index("sizeMax")?, timeout_ms: fields.number("timeoutMs")? }),
        None => None,
    };
    let rate_limit = match fields.maybe_object("rateLimit")? {
        Some(fields) => Some(RateLimit { limit: fields.index("limit")?, period_ms: fields.number("periodMs")? }),
        None => None,
    };
    Ok(Function {
        on: fields.texts("on")?,
        key,
        key_window_ms: fields.maybe_number("keyWindowMs")?,
        debounce,
        batch,
        rate_limit,
        concurrency: fields.maybe_index("concurrency")?,
    })
}

fn payload(fields: Fields<'_>) -> Read<Option<Arc<Payload>>> {
    let Some(fields) = fields.maybe_object("payload")? else { return Ok(None) };
    let payload = match fields.get("json") {
        Some(_) => Payload::of_canonical(fields.word("json")?)?,
        None => Payload::of_hex(fields.word("sha256")?)?,
    };
    Ok(Some(Arc::new(payload)))
}

fn origin(fields: Fields<'_>) -> Read<Origin> {
    Ok(match fields.word("kind")? {
        "redrive" => Origin::Redrive { from: RunId(fields.index("from")?) },
        "replacement" => Origin::Replacement { of: RunId(fields.index("of")?) },
        "events" => {
            let mut events = Vec::new();
            for event in fields.list("events")? {
                let number = event.as_u64().and_then(|number| u32::try_from(number).ok());
                events.push(EventId(number.ok_or_else(|| String::from("its events need whole numbers"))?));
            }
            Origin::Events {
                events,
                key: fields.maybe_text("key")?,
                key_until: fields.maybe_number("keyUntil")?,
                rate: fields.maybe_text("rate")?,
                replay: fields.maybe_flag("replay")?,
            }
        }
        other => return Err(unknown("kind", other)),
    })
}

fn no_start(fields: Fields<'_>) -> Read<NoStart> {
    let run = || fields.index("winner").map(RunId);
    let event = || fields.index("winner").map(EventId);
    Ok(match fields.word("reason")? {
        "duplicate-event" => NoStart::DuplicateEvent { winner: event()?, left_ms: fields.number("leftMs")? },
        "duplicate-function-key" => {
            NoStart::DuplicateFunctionKey { winner: run()?, left_ms: fields.maybe_number("leftMs")? }
        }
        "paused" => NoStart::Paused,
        "debounced" => NoStart::Debounced { winner: event()? },
        "batched" => NoStart::Batched { winner: run()? },
        "rate-limited" => NoStart::RateLimited { winner: run()?, left_ms: fields.number("leftMs")? },
        "no-key" => NoStart::NoKey { error: fields.text("error")? },
        "full" => NoStart::Full,
        other => return Err(unknown("reason", other)),
    })
}

fn on_existing(fields: Fields<'_>) -> Read<OnExisting> {
    Ok(match fields.word("kind")? {
        "return" => OnExisting::Return,
        "restart-failed" => OnExisting::RestartFailed { fresh: fields.flag("fresh")? },
        "reject" => OnExisting::Reject,
        "replace-running" => OnExisting::ReplaceRunning,
        other => return Err(unknown("kind", other)),
    })
}

fn mismatch(fields: Fields<'_>) -> Read<Mismatch> {
    match fields.word("kind")? {
        "workflow" => Ok(Mismatch::Workflow),
        "payload" => {
            let mut differences = Vec::new();
            for difference in fields.list("differences")? {
                let fields = Fields::of(difference, "difference")?;
                let kind = match fields.word("kind")? {
                    "missing" => DifferenceKind::Missing,
                    "extra" => DifferenceKind::Extra,
                    "type" => DifferenceKind::Type,
                    "value" => DifferenceKind::Value,
                    other => return Err(unknown("kind", other)),
                };
                differences.push(Difference { path: fields.word("path")?.into(), kind });
            }
            Ok(Mismatch::Payload { differences, more: fields.index("more")? })
        }
        other => Err(unknown("kind", other)),
    }
}

fn give_up(fields: Fields<'_>) -> Read<GiveUp> {
    Ok(match fields.word("why")? {
        "attempts-used" => GiveUp::AttemptsUsed,
        "not-retryable" => GiveUp::NotRetryable,
        "retry-after-too-long" => GiveUp::RetryAfterTooLong,
        "key-conflict" => GiveUp::KeyConflict,
        other => return Err(unknown("why", other)),
    })
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
