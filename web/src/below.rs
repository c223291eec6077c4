//! What the reader has set in the sections below the comparison: the doors, the rules, the function key.

use std::rc::Rc;

use twiceproof_sim::doors::{Door, Doors};

/// A composite key, tried first.
pub const SOURCE: &str = r#"event.data.user + "-" + event.data.organisation"#;
/// Two events that differ in everything but the parts of that key.
const EVENTS: [&str; 2] = [
    r#"{
  "id": "evt_1",
  "data": {
    "user": "u1",
    "organisation": "o1",
    "pages": 3
  }
}"#,
    r#"{
  "id": "evt_2",
  "data": {
    "user": "u1",
    "organisation": "o1",
    "pages": 7
  }
}"#,
];

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Below {
    /// Which doors for duplicates are shut.
    pub doors: Doors,
    /// The system whose rules are open, by its place in the table.
    pub rules: Option<usize>,
    /// The function key that is tried out.
    pub key: KeyField,
}

/// A function key that is tried out.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyField {
    /// Its section is open.
    pub open: bool,
    /// The expression.
    pub source: Rc<str>,
    /// The two events, as JSON, or what the reader has typed of it.
    pub events: [Rc<str>; 2],
}

impl Default for KeyField {
    fn default() -> Self {
        Self { open: false, source: SOURCE.into(), events: EVENTS.map(Into::into) }
    }
}

impl KeyField {
    /// The length of its texts, in bytes.
    pub fn bytes(&self) -> usize {
        self.source.len() + self.events.iter().map(|event| event.len()).sum::<usize>()
    }
}

/// A change of it.
#[derive(Clone, Debug)]
pub enum Change {
    /// A door is shut, or opened.
    Door(Door, bool),
    /// The rules of a system are opened, by its place in the table, or those that are open are closed.
    Rules(Option<usize>),
    /// The section of the function key is opened or closed.
    KeyOpen(bool),
    /// Another expression.
    Source(Rc<str>),
    /// Another event, by its place.
    Event(usize, Rc<str>),
}

impl Below {
    /// Does one change.
    pub fn change(&mut self, change: Change) {
        match change {
            Change::Door(door, shut) => self.doors = self.doors.with(door, shut),
            Change::Rules(open) => self.rules = open,
            Change::KeyOpen(open) => self.key.open = open,
            Change::Source(source) => self.key.source = source,
            Change::Event(place, text) => {
                if let Some(event) = self.key.events.get_mut(place) {
                    *event = text;
                }
            }
        }
    }
}
