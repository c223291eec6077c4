//! A scenario from JSON, read by hand for the reason that the journal is: a derived reader is 75 kB of wasm. Members that no
//! scenario has are refused, so that a misspelt one is not taken for an absent one.

use serde_json::Value;
use twiceproof_core::fields::{Fields, Read, unknown};

use super::{Action, Fault, FaultKind, Operation, Retry, Scenario, Step, VERSION};
use crate::strategy::{RetryScope, SentKey, Strategy};

/// The version that a scenario says it has.
pub(super) fn version(value: &Value) -> Read<u32> {
    Fields::of(value, "text")?.index("version")
}

/// The scenario, if each of its members has its form. Nothing is checked beyond that.
pub(super) fn scenario(value: &Value) -> Read<Scenario> {
    let fields = Fields::of(value, "text")?;
    fields.only(&[
        "version",
        "seed",
        "strategy",
        "retry",
        "workers",
        "timeoutMs",
        "keyTtlMs",
        "storeComparesData",
        "providerWindowMs",
        "providerComparesData",
        "fail",
        "lost",
        "steps",
        "faults",
        "operations",
    ])?;
    Ok(Scenario {
        version: VERSION,
        seed: fields.number("seed")?,
        strategy: strategy(fields.object("strategy")?).map_err(inside("strategy"))?,
        retry: retry(fields.object("retry")?).map_err(inside("retry"))?,
        workers: fields.index("workers")?,
        timeout_ms: fields.number("timeoutMs")?,
        key_ttl_ms: fields.maybe_number("keyTtlMs")?,
        store_compares_data: fields.maybe_flag("storeComparesData")?,
        provider_window_ms: fields.maybe_number("providerWindowMs")?,
        provider_compares_data: fields.maybe_flag("providerComparesData")?,
        fail: fields.fraction("fail")?,
        lost: fields.fraction("lost")?,
        steps: each(fields.list("steps")?, "steps", step)?,
        faults: if fields.get("faults").is_some() {
            each(fields.list("faults")?, "faults", fault)?
        } else {
            Vec::new()
        },
        operations: each(fields.list("operations")?, "operations", operation)?,
    })
}

fn inside(place: &str) -> impl FnOnce(String) -> String + '_ {
    move |what| format!("in {place}, {what}")
}

fn each<T>(list: &[Value], name: &str, read: fn(Fields<'_>) -> Read<T>) -> Read<Vec<T>> {
    let mut all = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let place = format!("{name}[{index}]");
        all.push(Fields::of(value, &place).and_then(|fields| read(fields).map_err(inside(&place)))?);
    }
    Ok(all)
}

fn strategy(fields: Fields<'_>) -> Read<Strategy> {
    fields.only(&["retry", "key", "skipFinished", "providerRemembers"])?;
    Ok(Strategy {
        retry: match fields.word("retry")? {
            "each-step" => RetryScope::EachStep,
            "whole-job" => RetryScope::WholeJob,
            other => return Err(unknown("retry", other)),
        },
        key: match fields.word("key")? {
            "none" => SentKey::None,
            "new-each-call" => SentKey::NewEachCall,
            "same" => SentKey::Same,
            other => return Err(unknown("key", other)),
        },
        skip_finished: fields.flag("skipFinished")?,
        provider_remembers: fields.flag("providerRemembers")?,
    })
}

fn retry(fields: Fields<'_>) -> Read<Retry> {
    fields.only(&["attempts", "baseDelayMs", "maxDelayMs", "jitter"])?;
    Ok(Retry {
        attempts: fields.index("attempts")?,
        base_delay_ms: fields.number("baseDelayMs")?,
        max_delay_ms: fields.number("maxDelayMs")?,
        jitter: fields.flag("jitter")?,
    })
}

fn step(fields: Fields<'_>) -> Read<Step> {
    fields.only(&["name", "provider", "key", "done", "latencyMs", "email"])?;
    Ok(Step {
        name: fields.word("name")?.into(),
        provider: fields.word("provider")?.into(),
        key: fields.word("key")?.into(),
        done: fields.word("done")?.into(),
        latency_ms: fields.number("latencyMs")?,
        email: fields.flag("email")?,
    })
}

fn fault(fields: Fields<'_>) -> Read<Fault> {
    fields.only(&["job", "step", "attempt", "kind"])?;
    Ok(Fault {
        job: fields.index("job")?,
        step: fields.index("step")?,
        attempt: fields.index("attempt")?,
        kind: match fields.word("kind")? {
            "fail" => FaultKind::Fail,
            "lose-reply" => FaultKind::LoseReply,
            "succeed" => FaultKind::Succeed,
            other => return Err(unknown("kind", other)),
        },
    })
}

fn operation(fields: Fields<'_>) -> Read<Operation> {
    fields.only(&["at", "do"])?;
    Ok(Operation { at: fields.number("at")?, action: action(fields.need("do")?)? })
}

/// `"restart"`, or an object with one member that says what is done to whom.
fn action(value: &Value) -> Read<Action> {
    if let Some(word) = value.as_str() {
        return if word == "restart" { Ok(Action::Restart) } else { Err(unknown("do", word)) };
    }
    let fields = Fields::of(value, "do")?;
    if let Some(add) = fields.maybe_object("add")? {
        fields.only(&["add"])?;
        add.only(&["user", "data"])?;
        return Ok(Action::Add { user: add.index("user")?, data: add.maybe_index("data")?.unwrap_or(0) });
    }
    fields.only(&["forget-keys"])?;
    let forget = fields.object("forget-keys")?;
    forget.only(&["user"])?;
    Ok(Action::ForgetKeys { user: forget.index("user")? })
}
