//! What a [`Log`] must do, as a suite that any store can be put through:
//!
//! ```
//! use std::{cell::RefCell, rc::Rc};
//! use twiceproof_core::journal::{Journal, log::conformance};
//!
//! let broken = conformance::check(|| Rc::new(RefCell::new(Journal::default())), Rc::clone);
//! assert_eq!(broken, []);
//! ```
//!
//! The store is opened anew for each rule, and by several holders where the rule is about them: another connection,
//! the same file once more, or here the same cell.

use alloc::{format, string::String, vec, vec::Vec};

use super::{AppendError, Log, Unavailable};
use crate::{
    draws::{Draws, Purpose},
    journal::{Entry, read},
};

/// A rule that a store breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub rule: &'static str,
    /// What was expected, and what came.
    pub what: String,
}

type Kept = Result<(), String>;

/// Puts a store through every rule. `open` makes an empty log, `again` opens the same log for another holder.
pub fn check<L: Log>(open: impl Fn() -> L, again: impl Fn(&L) -> L) -> Vec<Broken> {
    let rules: [(&'static str, &dyn Fn() -> Kept); 8] = [
        ("a new log is empty", &|| is(&open(), &[])),
        ("what was appended is read as it was, from anywhere, in pieces of any size", &|| reads_back(open())),
        ("a batch for another position is refused, and nothing of it stored", &|| refuses_positions(open())),
        ("a batch whose numbers do not follow is refused, and nothing of it stored", &|| refuses_numbers(open())),
        ("an empty batch only asks for the position", &|| empty_batch(open())),
        ("of two holders that append at one position, one wins", &|| one_wins(open(), &again)),
        ("what is stored is there for whoever opens the log next", &|| outlives_its_holder(open(), &again)),
        ("any order of appends by several holders is one list", &|| is_one_list(&open, &again)),
    ];
    let outcomes = rules.into_iter().map(|(rule, holds)| (rule, holds()));
    outcomes.filter_map(|(rule, kept)| kept.err().map(|what| Broken { rule, what })).collect()
}

/// An entry of every kind, with texts beyond ASCII and the largest numbers.
pub fn samples() -> Vec<Entry> {
    let lines = include_str!("../../../tests/data/every-kind.jsonl").lines();
    let entries = lines.map(|line| {
        let value = serde_json::from_str(line).expect("the samples are JSON");
        read::entry(&value).expect("the samples are entries")
    });
    numbered(0, entries)
}

fn numbered(from: u64, entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    (from..).zip(entries).map(|(seq, entry)| Entry { seq, ..entry }).collect()
}

/// The `n`th batch of some, all different, to be appended at `from`.
fn batch(n: usize, len: usize, from: u64) -> Vec<Entry> {
    let samples = samples();
    let entries = samples.iter().cycle().skip(n % samples.len()).take(len);
    numbered(from, entries.map(|entry| Entry { at: entry.at + n as u64, ..entry.clone() }))
}

fn expect<T: PartialEq + core::fmt::Debug>(what: &str, got: T, needed: T) -> Kept {
    if got == needed { Ok(()) } else { Err(format!("{what}: needs {needed:?}, got {got:?}")) }
}

fn failed(Unavailable(why): Unavailable) -> String {
    format!("not available: {why}")
}

/// Whether the log holds these entries and no others.
fn is(log: &impl Log, entries: &[Entry]) -> Kept {
    expect("end", log.end().map_err(failed)?, entries.len() as u64)?;
    expect("all entries", &*log.read(0, usize::MAX).map_err(failed)?, entries)
}

fn append(log: &mut impl Log, expected: u64, entries: &[Entry]) -> Kept {
    log.append(expected, entries).map_err(|error| format!("an append at {expected}: {error}"))
}

fn reads_back(mut log: impl Log) -> Kept {
    let entries = samples();
    let (first, second) = entries.split_at(entries.len() / 3);
    append(&mut log, 0, first)?;
    append(&mut log, first.len() as u64, second)?;
    is(&log, &entries)?;
    for from in 0..=entries.len() + 1 {
        for limit in [0, 1, 2, entries.len(), usize::MAX] {
            let needed: Vec<Entry> = entries.iter().skip(from).take(limit).cloned().collect();
            let got = log.read(from as u64, limit).map_err(failed)?;
            expect(&format!("{limit} entries from {from} on"), got, needed)?;
        }
    }
    expect("entries far past the end", log.read(u64::MAX, 1).map_err(failed)?, vec![])
}

fn refuses_positions(mut log: impl Log) -> Kept {
    let stored = batch(0, 3, 0);
    append(&mut log, 0, &stored)?;
    for expected in [0, 1, 2, 4, 1 << 40, u64::MAX - 4] {
        let answer = log.append(expected, &batch(1, 2, expected));
        expect("the answer", answer, Err(AppendError::Moved { expected, end: 3 }))?;
        is(&log, &stored)?;
    }
    Ok(())
}

fn refuses_numbers(mut log: impl Log) -> Kept {
    let stored = batch(0, 2, 0);
    append(&mut log, 0, &stored)?;
    for wrong in 0..3 {
        for got in [0, 1, 9, u64::MAX] {
            let mut entries = batch(1, 3, 2);
            entries[wrong].seq = got;
            let needs = 2 + wrong as u64;
            expect("the answer", log.append(2, &entries), Err(AppendError::Misnumbered { index: wrong, needs, got }))?;
            is(&log, &stored)?;
        }
    }
    Ok(())
}

fn empty_batch(mut log: impl Log) -> Kept {
    append(&mut log, 0, &[])?;
    let stored = batch(0, 2, 0);
    append(&mut log, 0, &stored)?;
    append(&mut log, 2, &[])?;
    expect("at another position", log.append(1, &[]), Err(AppendError::Moved { expected: 1, end: 2 }))?;
    is(&log, &stored)
}

fn one_wins<L: Log>(mut one: L, again: &impl Fn(&L) -> L) -> Kept {
    let mut other = again(&one);
    let (won, lost) = (batch(0, 3, 0), batch(7, 2, 0));
    expect("the second holder's end", other.end().map_err(failed)?, 0)?;
    append(&mut one, 0, &won)?;
    expect("the loser's answer", other.append(0, &lost), Err(AppendError::Moved { expected: 0, end: 3 }))?;
    is(&one, &won)?;
    is(&other, &won)?;
    append(&mut other, 3, &numbered(3, lost.clone()))?;
    let both: Vec<Entry> = won.into_iter().chain(numbered(3, lost)).collect();
    is(&one, &both)?;
    is(&other, &both)
}

fn outlives_its_holder<L: Log>(mut log: L, again: &impl Fn(&L) -> L) -> Kept {
    let stored = samples();
    append(&mut log, 0, &stored)?;
    let next = again(&log);
    drop(log);
    is(&next, &stored)
}

/// Three holders append batches at the end or, half the time, where they believe it to be, and a plain list says what
/// must come of it.
fn is_one_list<L: Log>(open: &impl Fn() -> L, again: &impl Fn(&L) -> L) -> Kept {
    for seed in 0..20 {
        let first = open();
        let mut holders = [again(&first), again(&first), first];
        let mut believed = [0; 3];
        let mut list: Vec<Entry> = Vec::new();
        for turn in 0..30 {
            let bits = Draws { seed }.bits(turn, 0, 0, Purpose::Jitter);
            let (who, len, knows) = ((bits % 3) as usize, (bits / 3 % 4) as usize, (bits / 12).is_multiple_of(2));
            let expected = if knows { list.len() as u64 } else { believed[who] };
            let entries = batch(turn as usize, len, expected);
            let needed = if expected == list.len() as u64 {
                list.extend_from_slice(&entries);
                Ok(())
            } else {
                Err(AppendError::Moved { expected, end: list.len() as u64 })
            };
            expect("the answer", holders[who].append(expected, &entries), needed)?;
            believed[who] = list.len() as u64;
            is(&holders[(who + 1) % 3], &list)?;
        }
    }
    Ok(())
}
