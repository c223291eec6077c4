//! Names that the engine holds as numbers: subjects, and the keys of the store made of a subject and a step's name.

use alloc::{collections::BTreeMap, sync::Arc};

use crate::ids::KeyId;

/// Subjects and their numbers. A name is kept while a run or a key of the store uses it; a run without a subject has a
/// number and no name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subjects {
    numbers: BTreeMap<Arc<str>, u32>,
    named: BTreeMap<u32, (Arc<str>, u32)>,
    count: u32,
}

impl Subjects {
    pub(crate) fn get(&self, subject: &str) -> Option<u32> {
        self.numbers.get(subject).copied()
    }

    /// The number of a subject, for one more user of it.
    pub(crate) fn number(&mut self, subject: Option<&Arc<str>>) -> u32 {
        let next = self.count;
        let Some(subject) = subject else {
            self.count += 1;
            return next;
        };
        let number = *self.numbers.entry(subject.clone()).or_insert(next);
        if number == next {
            self.count += 1;
            self.named.insert(number, (subject.clone(), 0));
        }
        self.hold(number);
        number
    }

    /// One more user.
    #[inline]
    pub(crate) fn hold(&mut self, number: u32) {
        if let Some((_, users)) = self.named.get_mut(&number) {
            *users += 1;
        }
    }

    /// One user less.
    #[inline]
    pub(crate) fn release(&mut self, number: u32) {
        let Some((name, users)) = self.named.get_mut(&number) else { return };
        *users -= 1;
        if *users == 0 {
            self.numbers.remove(name);
            self.named.remove(&number);
        }
    }
}

/// Which key is which record of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    by_name: BTreeMap<(u32, u32), KeyId>,
    names: BTreeMap<KeyId, (u32, u32)>,
}

impl Keys {
    #[inline]
    pub(crate) fn get(&self, subject: u32, name: u32) -> Option<KeyId> {
        self.by_name.get(&(subject, name)).copied()
    }

    pub(crate) fn insert(&mut self, subject: u32, name: u32, key: KeyId) {
        self.by_name.insert((subject, name), key);
        self.names.insert(key, (subject, name));
    }

    /// Removes a key; its subject, if it was there.
    pub(crate) fn remove(&mut self, key: KeyId) -> Option<u32> {
        let name = self.names.remove(&key)?;
        self.by_name.remove(&name);
        Some(name.0)
    }

    /// Removes all keys; their subjects.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = u32> + use<> {
        let names = core::mem::take(self).names;
        names.into_values().map(|(subject, _)| subject)
    }
}
