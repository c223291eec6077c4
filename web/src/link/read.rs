//! A link as a state.

use core::str::FromStr;

use twiceproof_sim::doors::{Door, Doors};
use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation, Scenario, Step};
use twiceproof_sim::strategy::{RetryScope, SentKey};

use super::text::unescape;
use super::write::{ARTICLE_STEPS, door_word};
use super::{LENGTH_MAX, Link, LinkError, VERSION};
use crate::below::{Below, KeyField};
use crate::compare::behind::{self, Origin};
use crate::compare::{self, Comparison};
use crate::rules;
use crate::stories;
use crate::story::AttemptName;

const MS: &str = "a whole number of milliseconds";
const WINDOW: &str = "a whole number of milliseconds, or never";
const SWITCH: &str = "0 or 1";
const NUMBER: &str = "a whole number";
const PROBABILITY: &str = "a probability from 0 to 1";
const OPERATION: &str = "operations like a1@0 (add user 1 at 0 ms), k1@9 (forget the keys of user 1) or r@9 (restart)";
const FAULT: &str = "faults like l1.2.1 (lose), x1.2.1 (fail) or s1.2.1 (succeed) of job, step and attempt";
const ORIGIN: &str = "a row, what was looked for and a sign-up of the table, like 1.emails.26";
const BET: &str = "the number of an answer, from 1";
const DOORS: &str = "none, or those of event, function, run, step and provider that are shut, in this order";
/// No story offers so many answers to its question.
const ANSWERS_MAX: usize = 9;
const STEP: &str = "article, or steps like name~provider~key~done~70~1, with the milliseconds and 1 for an email";

/// Reads a fragment, with or without its `#`: all of it that can be read, and what is wrong with the rest. An empty one is the
/// default state.
pub fn read(fragment: &str) -> (Link, Vec<LinkError>) {
    let (mut link, mut wrong) = (Link::default(), Vec::new());
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    if fragment.is_empty() {
        return (link, wrong);
    }
    let length = fragment.chars().count();
    if length > LENGTH_MAX {
        return (link, vec![LinkError::TooLong(length)]);
    }
    let mut parts = fragment.split(';');
    match parts.next() {
        Some(VERSION) => {}
        Some(part) if part.contains('=') => return (link, vec![LinkError::NoVersion(shorten(part))]),
        other => return (link, vec![LinkError::UnknownVersion(shorten(other.unwrap_or_default()))]),
    }
    let mut seen = Vec::new();
    let mut later = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if seen.contains(&name) {
            wrong.push(LinkError::Twice(shorten(name)));
        } else {
            seen.push(name);
            if let Err(error) = take(&mut link, name, value) {
                later.push((name, value, error));
            }
        }
    }
    // A part may need another that stands behind it: a fault the step it hits.
    for (name, value, error) in later {
        if take(&mut link, name, value).is_err() {
            wrong.push(error);
        }
    }
    // A link that names a story and changes nothing of it means that story.
    let named = link.story.as_deref().and_then(stories::named);
    if let Some(named) = named.filter(|_| link.scenario == Scenario::default()) {
        link.scenario = named.scenario();
    }
    let told = named.filter(|named| link.scenario == named.scenario());
    // The place after the last answer is no bet.
    let answers = told.map_or(ANSWERS_MAX, |story| story.bet.choices.len()) + 1;
    if let Some(bet) = link.bet.take_if(|bet| *bet >= answers) {
        let (part, needs) = ("bet".to_owned(), format!("an answer from 1 to {answers}"));
        wrong.push(LinkError::Part { part, needs, got: (bet + 1).to_string() });
    }
    (link, wrong)
}

/// Takes one part over into `link`, which stays as it is if that cannot be.
fn take(link: &mut Link, name: &str, value: &str) -> Result<(), LinkError> {
    let mut next = link.clone();
    let known = apply(&mut next, name, value).map_err(|needs| LinkError::Part {
        part: shorten(name),
        needs: needs.to_owned(),
        got: shorten(value),
    })?;
    if !known {
        next.unknown.push((name.to_owned(), value.to_owned()));
    }
    next.comparison.params.validate().map_err(|error| LinkError::Table(error.to_string()))?;
    next.scenario.check().map_err(|error| LinkError::Scenario(error.to_string()))?;
    *link = next;
    Ok(())
}

/// What a part needs, if its value cannot be read.
type Needs = &'static str;

/// Takes one part over into `link`; false if it is none of this version.
fn apply(link: &mut Link, name: &str, value: &str) -> Result<bool, Needs> {
    let scenario = &mut link.scenario;
    match name {
        "story" => link.story = Some(unescape(value).ok_or("a story's name")?),
        "steps" if value == ARTICLE_STEPS => scenario.steps = behind::article_steps(),
        "steps" => scenario.steps = list(value, step).ok_or(STEP)?,
        "f" => scenario.faults = list(value, fault).ok_or(FAULT)?,
        "ops" => scenario.operations = list(value, operation).ok_or(OPERATION)?,
        "i" => link.index = number(value).ok_or(NUMBER)?,
        "sel" => link.selected = Some(selected(value).ok_or("a call like 1.2.1: job, step, attempt")?),
        "view" => link.worker_only = one_of(value, &[("both", false), ("worker", true)]).ok_or("both or worker")?,
        "of" => link.origin = Some(Origin::of_link(value).ok_or(ORIGIN)?),
        "bet" => link.bet = Some(bet(value).ok_or(BET)?),
        "doors" | "rules" => below(&mut link.below, name, value)?,
        _ if name.starts_with("k.") => return key(&mut link.below.key, &name[2..], value),
        _ if name.starts_with("t.") => return comparison(&mut link.comparison, &name[2..], value),
        _ => return Ok(strategy(scenario, name, value)? || limit(scenario, name, value)?),
    }
    Ok(true)
}

fn strategy(scenario: &mut Scenario, name: &str, value: &str) -> Result<bool, Needs> {
    let strategy = &mut scenario.strategy;
    match name {
        "retry" => {
            let scopes = [("step", RetryScope::EachStep), ("job", RetryScope::WholeJob)];
            strategy.retry = one_of(value, &scopes).ok_or("step or job")?;
        }
        "key" => {
            let keys = [("none", SentKey::None), ("new", SentKey::NewEachCall), ("same", SentKey::Same)];
            strategy.key = one_of(value, &keys).ok_or("none, new or same")?;
        }
        "store" => strategy.skip_finished = switch(value)?,
        "remembers" => strategy.provider_remembers = switch(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn limit(scenario: &mut Scenario, name: &str, value: &str) -> Result<bool, Needs> {
    match name {
        "seed" => scenario.seed = number(value).ok_or(NUMBER)?,
        "pf" => scenario.fail = probability(value)?,
        "lr" => scenario.lost = probability(value)?,
        "n" => scenario.retry.attempts = number(value).ok_or(NUMBER)?,
        "wait" => {
            let (base, max) = value.split_once('-').ok_or("two numbers of milliseconds like 200-2000")?;
            scenario.retry.base_delay_ms = number(base).ok_or(MS)?;
            scenario.retry.max_delay_ms = number(max).ok_or(MS)?;
        }
        "jitter" => scenario.retry.jitter = switch(value)?,
        "c" => scenario.workers = number(value).ok_or(NUMBER)?,
        "timeout" => scenario.timeout_ms = number(value).ok_or(MS)?,
        "ttl" => scenario.key_ttl_ms = window(value)?,
        "window" => scenario.provider_window_ms = window(value)?,
        "compare" => scenario.store_compares_data = switch(value)?,
        "pcompare" => scenario.provider_compares_data = switch(value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn comparison(comparison: &mut Comparison, name: &str, value: &str) -> Result<bool, Needs> {
    let params = &mut comparison.params;
    match name {
        "jobs" => params.jobs = number(value).filter(|jobs| *jobs > 0).ok_or("a whole number from 1")?,
        "pf" => params.fail = probability(value)?,
        "lr" => params.lost = probability(value)?,
        "n" => params.attempts = number(value).ok_or(NUMBER)?,
        "steps" => *params = compare::with_steps(number(value).ok_or(NUMBER)?, params),
        "seed" => params.seed = number(value).ok_or(NUMBER)?,
        "tab" => {
            let tabs = compare::Tab::ALL.map(|tab| (tab.word(), tab));
            comparison.tab = one_of(value, &tabs).ok_or("table, chart or text")?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn below(below: &mut Below, name: &str, value: &str) -> Result<(), Needs> {
    match name {
        "doors" => below.doors = doors(value).ok_or(DOORS)?,
        _ => below.rules = Some(rules::named(value).ok_or("a system of the table of rules, like stripe-v1")?),
    }
    Ok(())
}

/// The doors that are shut, each once and in their order: otherwise two links would say the same.
fn doors(text: &str) -> Option<Doors> {
    let mut doors = Door::ALL.into_iter().fold(Doors::default(), |doors, door| doors.with(door, false));
    if text == "none" {
        return Some(doors);
    }
    let mut left = Door::ALL.into_iter();
    for word in text.split(',') {
        doors = doors.with(left.find(|&door| door_word(door) == word)?, true);
    }
    Some(doors)
}

fn key(field: &mut KeyField, name: &str, value: &str) -> Result<bool, Needs> {
    let text = || unescape(value).map(Into::into).ok_or("a text");
    match name {
        "open" => field.open = switch(value)?,
        "key" => field.source = text()?,
        "1" => field.events[0] = text()?,
        "2" => field.events[1] = text()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn bet(text: &str) -> Option<usize> {
    number::<usize>(text)?.checked_sub(1)
}

/// Digits only: Rust's own parsing would take a plus sign too, and then two links would say the same.
fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn probability(text: &str) -> Result<f64, Needs> {
    let value: f64 = text.parse().map_err(|_| PROBABILITY)?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(PROBABILITY) }
}

fn window(text: &str) -> Result<Option<u64>, Needs> {
    if text == "never" { Ok(None) } else { number(text).map(Some).ok_or(WINDOW) }
}

fn switch(text: &str) -> Result<bool, Needs> {
    one_of(text, &[("0", false), ("1", true)]).ok_or(SWITCH)
}

fn one_of<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

fn list<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    if text.is_empty() { Some(Vec::new()) } else { text.split(',').map(read).collect() }
}

fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Vec<u32> = text.split('.').map(number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn selected(text: &str) -> Option<AttemptName> {
    let [job, step, attempt] = numbers(text)?;
    Some(AttemptName { job, step, attempt })
}

fn fault(text: &str) -> Option<Fault> {
    let kind = match text.as_bytes().first()? {
        b'x' => FaultKind::Fail,
        b'l' => FaultKind::LoseReply,
        b's' => FaultKind::Succeed,
        _ => return None,
    };
    let [job, step, attempt] = numbers(&text[1..])?;
    Some(Fault { job, step, attempt, kind })
}

fn operation(text: &str) -> Option<Operation> {
    let (what, at) = text.split_once('@')?;
    let at = number(at)?;
    let user = |text: &str| number::<u32>(text)?.checked_sub(1);
    let action = match what.as_bytes().first()? {
        b'a' => {
            let (name, data) = what[1..].split_once('.').unwrap_or((&what[1..], "0"));
            Action::Add { user: user(name)?, data: number(data)? }
        }
        b'k' => Action::ForgetKeys { user: user(&what[1..])? },
        b'r' if what.len() == 1 => Action::Restart,
        _ => return None,
    };
    Some(Operation { at, action })
}

fn step(text: &str) -> Option<Step> {
    let fields: [&str; 6] = text.split('~').collect::<Vec<_>>().try_into().ok()?;
    let [name, provider, key, done, latency, email] = fields;
    Some(Step {
        name: unescape(name)?,
        provider: unescape(provider)?,
        key: unescape(key)?,
        done: unescape(done)?,
        latency_ms: number(latency)?,
        email: switch(email).ok()?,
    })
}

/// A hostile text is shown, but not all of it.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut short: String = text.chars().take(SHOWN).collect();
    if text.chars().count() > SHOWN {
        short.push('…');
    }
    short
}
