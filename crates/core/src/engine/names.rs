//! Names that the engine holds as numbers: subjects, and the keys of the store made of a subject and a step's name.
//!
//! A subject's keys are with the subject, so that a key is found without a search over all keys there are.

use alloc::{sync::Arc, vec::Vec};

use super::Table;
use crate::{ids::KeyId, index::Names};

/// Subjects and their numbers. A subject is kept while a run or a key of the store uses it; a run without one has a
/// number of its own and no name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subjects {
    numbers: Names,
    subjects: Table<Subject>,
    /// By key: which subject and which step name. A key that is free stands here as it last was.
    keys: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Subject {
    name: Option<Arc<str>>,
    users: u32,
    /// Step names and their keys, by step name.
    keys: Vec<(u32, KeyId)>,
}

impl Subjects {
    pub(crate) fn get(&self, subject: &str) -> Option<u32> {
        self.numbers.get(subject).map(|number| number as u32)
    }

    /// The number of a subject, for one more user of it.
    pub(crate) fn number(&mut self, name: Option<&Arc<str>>) -> u32 {
        let next = self.subjects.next() as u32;
        let number = name.map_or(next, |name| self.numbers.number(name, next.into()) as u32);
        if number == next {
            self.subjects.push(Subject { name: name.cloned(), users: 0, keys: Vec::new() });
        }
        self.subjects[number as usize].users += 1;
        number
    }

    /// One user less.
    pub(crate) fn release(&mut self, number: u32) {
        let subject = &mut self.subjects[number as usize];
        subject.users -= 1;
        if subject.users == 0 {
            let removed = self.subjects.remove(number as usize);
            if let Some(name) = removed.name {
                self.numbers.remove(&name);
            }
        }
    }

    /// The key of a subject, which is in use, and a step's name.
    #[inline]
    pub(crate) fn key(&self, subject: u32, step_name: u32) -> Option<KeyId> {
        let keys = &self.subjects[subject as usize].keys;
        place(keys, step_name).ok().map(|place| keys[place].1)
    }

    /// A subject, which is in use, has one more key, and one more user by it.
    #[inline]
    pub(crate) fn add_key(&mut self, number: u32, step_name: u32, key: KeyId) {
        let subject = &mut self.subjects[number as usize];
        let place = place(&subject.keys, step_name).expect_err("an action got a second key");
        subject.keys.insert(place, (step_name, key));
        subject.users += 1;
        let use_of_key = (number, step_name);
        match self.keys.get_mut(key.index()) {
            Some(last) => *last = use_of_key,
            None => self.keys.push(use_of_key),
        }
    }

    /// A key that a subject had is free.
    pub(crate) fn remove_key(&mut self, key: KeyId) {
        let (number, step_name) = self.keys[key.index()];
        let keys = &mut self.subjects[number as usize].keys;
        if let Ok(place) = place(keys, step_name)
            && keys[place].1 == key
        {
            keys.remove(place);
            self.release(number);
        }
    }

    /// All keys are free.
    pub(crate) fn remove_all_keys(&mut self) {
        for number in 0..self.subjects.next() {
            let keys = self.subjects.get(number).map_or(0, |subject| subject.keys.len());
            for _ in 0..keys {
                self.subjects[number].keys.pop();
                self.release(number as u32);
            }
        }
        self.keys.clear();
    }
}

/// Where the key of a step's name is, or would be. Most are added in the order of the steps and looked for right after.
#[inline]
fn place(keys: &[(u32, KeyId)], step_name: u32) -> Result<usize, usize> {
    match keys.last() {
        Some(&(last, _)) if last >= step_name => keys.binary_search_by_key(&step_name, |&(name, _)| name),
        _ => Err(keys.len()),
    }
}
