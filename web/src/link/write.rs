//! A state as a link.

use core::fmt::Display;

use twiceproof_sim::doors::{Door, Doors};
use twiceproof_sim::rules::PRESETS;
use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation, Scenario, Step};
use twiceproof_sim::strategy::{RetryScope, SentKey};
use twiceproof_sim::table::TableParams;

use super::text::escape;
use super::{Link, VERSION};
use crate::below::Below;
use crate::compare::{Comparison, Tab, behind};
use crate::rules;
use crate::units::shortest;

/// The fragment that says `link`, without its `#`.
pub fn write(link: &Link) -> String {
    let mut parts = Parts(vec![VERSION.to_owned()]);
    let (scenario, default) = (&link.scenario, Scenario::default());
    // With nothing else a story's name means its own scenario, so it cannot stand for the default one.
    if let Some(story) = link.story.as_ref().filter(|_| *scenario != default) {
        parts.add("story", escape(story));
    }
    strategy(&mut parts, scenario, &default);
    limits(&mut parts, scenario, &default);
    if scenario.steps == behind::article_steps() {
        parts.add("steps", ARTICLE_STEPS);
    } else if scenario.steps != default.steps {
        parts.add("steps", list(&scenario.steps, step));
    }
    if scenario.faults != default.faults {
        parts.add("f", list(&scenario.faults, fault));
    }
    if scenario.operations != default.operations {
        parts.add("ops", list(&scenario.operations, operation));
    }
    parts.differing("i", link.index, 0);
    if let Some(selected) = link.selected {
        parts.add("sel", format!("{}.{}.{}", selected.job, selected.step, selected.attempt));
    }
    if link.worker_only {
        parts.add("view", "worker");
    }
    if let Some(origin) = link.origin {
        parts.add("of", origin.in_link());
    }
    if let Some(bet) = link.bet {
        parts.add("bet", bet + 1);
    }
    comparison(&mut parts, &link.comparison);
    below(&mut parts, &link.below);
    for (name, value) in &link.unknown {
        parts.add(name, value);
    }
    parts.0.join(";")
}

/// The word for the ten steps of the article, which would take most of a link.
pub(super) const ARTICLE_STEPS: &str = "article";

struct Parts(Vec<String>);

impl Parts {
    fn add(&mut self, name: &str, value: impl Display) {
        self.0.push(format!("{name}={value}"));
    }

    fn differing<T: PartialEq + Display>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            self.add(name, value);
        }
    }
}

fn strategy(parts: &mut Parts, scenario: &Scenario, default: &Scenario) {
    let (strategy, default) = (scenario.strategy, default.strategy);
    parts.differing("retry", scope(strategy.retry), scope(default.retry));
    parts.differing("key", sent_key(strategy.key), sent_key(default.key));
    parts.differing("store", u8::from(strategy.skip_finished), u8::from(default.skip_finished));
    parts.differing("remembers", u8::from(strategy.provider_remembers), u8::from(default.provider_remembers));
}

fn limits(parts: &mut Parts, scenario: &Scenario, default: &Scenario) {
    parts.differing("seed", scenario.seed, default.seed);
    parts.differing("pf", shortest(scenario.fail), shortest(default.fail));
    parts.differing("lr", shortest(scenario.lost), shortest(default.lost));
    parts.differing("n", scenario.retry.attempts, default.retry.attempts);
    let wait = |of: &Scenario| format!("{}-{}", of.retry.base_delay_ms, of.retry.max_delay_ms);
    parts.differing("wait", wait(scenario), wait(default));
    parts.differing("jitter", u8::from(scenario.retry.jitter), u8::from(default.retry.jitter));
    parts.differing("c", scenario.workers, default.workers);
    parts.differing("timeout", scenario.timeout_ms, default.timeout_ms);
    parts.differing("ttl", window(scenario.key_ttl_ms), window(default.key_ttl_ms));
    parts.differing("window", window(scenario.provider_window_ms), window(default.provider_window_ms));
    parts.differing("compare", u8::from(scenario.store_compares_data), u8::from(default.store_compares_data));
    parts.differing("pcompare", u8::from(scenario.provider_compares_data), u8::from(default.provider_compares_data));
}

fn comparison(parts: &mut Parts, comparison: &Comparison) {
    let (params, default) = (comparison.params, TableParams::default());
    parts.differing("t.jobs", params.jobs, default.jobs);
    parts.differing("t.pf", shortest(params.fail), shortest(default.fail));
    parts.differing("t.lr", shortest(params.lost), shortest(default.lost));
    parts.differing("t.n", params.attempts, default.attempts);
    parts.differing("t.steps", params.steps, default.steps);
    parts.differing("t.seed", params.seed, default.seed);
    parts.differing("t.tab", comparison.tab.word(), Tab::default().word());
}

fn below(parts: &mut Parts, below: &Below) {
    let default = Below::default();
    parts.differing("doors", doors(below.doors), doors(default.doors));
    if let Some(preset) = below.rules.and_then(|place| PRESETS.get(place)) {
        parts.add("rules", rules::word_of(preset));
    }
    let (key, default) = (&below.key, default.key);
    parts.differing("k.open", u8::from(key.open), u8::from(default.open));
    parts.differing("k.key", escape(&key.source), escape(&default.source));
    parts.differing("k.1", escape(&key.events[0]), escape(&default.events[0]));
    parts.differing("k.2", escape(&key.events[1]), escape(&default.events[1]));
}

fn doors(doors: Doors) -> String {
    let shut: Vec<&str> = Door::ALL.into_iter().filter(|&door| doors.is_shut(door)).map(door_word).collect();
    if shut.is_empty() { "none".to_owned() } else { shut.join(",") }
}

/// The word for a door that is shut.
pub(super) fn door_word(door: Door) -> &'static str {
    match door {
        Door::EventId => "event",
        Door::FunctionKey => "function",
        Door::RunId => "run",
        Door::StepKey => "step",
        Door::ProviderKey => "provider",
    }
}

fn scope(scope: RetryScope) -> &'static str {
    match scope {
        RetryScope::EachStep => "step",
        RetryScope::WholeJob => "job",
    }
}

fn sent_key(key: SentKey) -> &'static str {
    match key {
        SentKey::None => "none",
        SentKey::NewEachCall => "new",
        SentKey::Same => "same",
    }
}

fn window(ms: Option<u64>) -> String {
    ms.map_or_else(|| "never".to_owned(), |ms| ms.to_string())
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().join(",")
}

fn step(step: &Step) -> String {
    let [name, provider, key, done] = [&step.name, &step.provider, &step.key, &step.done].map(|text| escape(text));
    format!("{name}~{provider}~{key}~{done}~{}~{}", step.latency_ms, u8::from(step.email))
}

fn fault(fault: &Fault) -> String {
    let kind = match fault.kind {
        FaultKind::Fail => 'x',
        FaultKind::LoseReply => 'l',
        FaultKind::Succeed => 's',
    };
    format!("{kind}{}.{}.{}", fault.job, fault.step, fault.attempt)
}

fn operation(operation: &Operation) -> String {
    let what = match operation.action {
        Action::Add { user, data: 0 } => format!("a{}", user + 1),
        Action::Add { user, data } => format!("a{}.{data}", user + 1),
        Action::Restart => "r".to_owned(),
        Action::ForgetKeys { user } => format!("k{}", user + 1),
    };
    format!("{what}@{}", operation.at)
}
