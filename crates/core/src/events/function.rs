//! What makes a workflow a function: the events that start it, and the rules by which they do.

use alloc::{sync::Arc, vec::Vec};

use serde::Serialize;

use super::WINDOW_MS;
use crate::{
    key,
    limits::{BATCH_SIZE_MAX, EVENT_NAMES_MAX, RATE_LIMIT_MAX, TIME_MS_MAX},
    options::InvalidOption,
};

/// Whether a function has keys, and what an event without a usable one means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyRule {
    /// It has none: every event starts it (B1).
    #[default]
    None,
    /// One start for each key in its window (B14). An event without a usable key is refused, visibly.
    Required,
    /// The same, but an event without a usable key starts it, without a key.
    Optional,
}

/// Wait until no event of the group has come for a while, then start once, with the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Debounce {
    /// How long no event must have come, in milliseconds.
    pub period_ms: u64,
    /// Start at the latest so long after the first event, in milliseconds; absent for no such limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Gather the events of a group, and start once with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Start when there are so many.
    pub size_max: u32,
    /// Start at the latest so long after the first event, in milliseconds.
    pub timeout_ms: u64,
}

/// So many starts of a group in so much time; events beyond them are refused, visibly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Starts at most,
    pub limit: u32,
    /// in any stretch of time of this length, in milliseconds.
    pub period_ms: u64,
}

/// The event side of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Function {
    /// The names of the events that start it. None is for a workflow that only has slots of its own.
    pub on: Vec<Arc<str>>,
    /// Whether it has keys.
    pub key: KeyRule,
    /// How long a key is used, in milliseconds from the start it made; absent for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_window_ms: Option<u64>,
    /// Wait for quiet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce: Option<Debounce>,
    /// Gather.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// Refuse what is too much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Runs that may be under way at once; absent for no limit but the engine's. Further ones wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
}

impl Function {
    /// A function that every event of these names starts.
    pub fn on(names: &[&str]) -> Self {
        Self {
            on: names.iter().map(|&name| name.into()).collect(),
            key: KeyRule::None,
            key_window_ms: Some(WINDOW_MS),
            debounce: None,
            batch: None,
            rate_limit: None,
            concurrency: None,
        }
    }

    /// Whether events wait for others before they start it, so that event IDs do not count (B10, B11).
    pub fn gathers(&self) -> bool {
        self.debounce.is_some() || self.batch.is_some()
    }

    /// Checks it (SEMANTICS 2.13).
    pub fn check(&self) -> Result<(), InvalidOption> {
        // Without events there can still be slots: then it is a workflow whose runs wait for each other.
        if self.on.is_empty() && self.concurrency.is_none() || self.on.len() > EVENT_NAMES_MAX {
            return Err(InvalidOption::new("on", "1 to 100 event names", self.on.len()));
        }
        for (index, name) in self.on.iter().enumerate() {
            key::check(name).map_err(|error| InvalidOption::new("on", "names of 1 to 255 bytes without NUL", error))?;
            if self.on[..index].contains(name) {
                return Err(InvalidOption::new("on", "each name once", alloc::format!("\"{name}\" twice")));
            }
        }
        if let Some(batch) = self.batch {
            count("batch.sizeMax", "a whole number from 1 to 10000", batch.size_max, BATCH_SIZE_MAX)?;
            time("batch.timeoutMs", batch.timeout_ms)?;
            if self.key != KeyRule::None {
                return Err(InvalidOption::new("batch", "a function without keys: a batch would have many", "both"));
            }
        }
        if let Some(debounce) = self.debounce {
            time("debounce.periodMs", debounce.period_ms)?;
            time("debounce.timeoutMs", debounce.timeout_ms.unwrap_or(0))?;
            // It would be over before any silence can be long enough: a delay, and no debounce.
            if let Some(timeout_ms) = debounce.timeout_ms.filter(|&timeout_ms| timeout_ms < debounce.period_ms) {
                return Err(InvalidOption::new("debounce.timeoutMs", "at least debounce.periodMs", timeout_ms));
            }
            if self.batch.is_some() {
                return Err(InvalidOption::new("debounce", "a function that does not batch", "both"));
            }
        }
        if let Some(rate) = self.rate_limit {
            count("rateLimit.limit", "a whole number from 1 to 10000", rate.limit, RATE_LIMIT_MAX)?;
            time("rateLimit.periodMs", rate.period_ms)?;
        }
        if self.concurrency == Some(0) {
            return Err(InvalidOption::new("concurrency", "a whole number of at least 1", 0));
        }
        time("keyWindowMs", self.key_window_ms.unwrap_or(0))
    }
}

fn count(option: &str, needs: &'static str, value: u32, most: u32) -> Result<(), InvalidOption> {
    if (1..=most).contains(&value) { Ok(()) } else { Err(InvalidOption::new(option, needs, value)) }
}

fn time(option: &str, value: u64) -> Result<(), InvalidOption> {
    let needs = "at most 9007199254740991 milliseconds";
    if value <= TIME_MS_MAX { Ok(()) } else { Err(InvalidOption::new(option, needs, value)) }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn s2_13_a_function_is_checked_before_anything_runs() {
        let good = Function::on(&["a", "b"]);
        assert_eq!(good.check(), Ok(()));
        let debounce = Some(Debounce { period_ms: 5, timeout_ms: None });
        let batch = Some(Batch { size_max: 2, timeout_ms: 5 });
        let bad = [
            Function::on(&[]),
            Function::on(&["a", "a"]),
            Function::on(&[""]),
            Function { batch, key: KeyRule::Required, ..good.clone() },
            Function { batch, debounce, ..good.clone() },
            Function { debounce: Some(Debounce { period_ms: 5, timeout_ms: Some(4) }), ..good.clone() },
            Function { batch: Some(Batch { size_max: 0, timeout_ms: 5 }), ..good.clone() },
            Function { rate_limit: Some(RateLimit { limit: 0, period_ms: 5 }), ..good.clone() },
            Function { concurrency: Some(0), ..good.clone() },
            Function { key_window_ms: Some(u64::MAX), ..good.clone() },
        ];
        for function in bad {
            assert!(function.check().is_err(), "{function:?}");
        }
        let twice = Function::on(&["a", "a"]).check().unwrap_err();
        assert_eq!(twice.to_string(), "on needs each name once, got \"a\" twice");
    }
}
