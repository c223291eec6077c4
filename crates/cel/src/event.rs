//! The event's JSON as values of CEL, read in one pass.
//!
//! JSON has one kind of numbers, CEL has three. A whole number that a double holds exactly becomes an `int`, whether it is
//! written 1, 1.0 or 1e0, so that `event.data.n + 1` and `event.data.n == 1` say what they seem to say (H10, H13). Any other is a
//! `double`.

use crate::numbers;
use cel::common::types::{CelBool, CelList, CelMap, CelMapKey, CelNull, CelString};
use cel::common::value::Val;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;

/// A value that owns all it holds.
pub(crate) struct Event(pub(crate) Box<dyn Val>);

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

fn value<E>(value: impl Val + 'static) -> Result<Event, E> {
    Ok(Event(Box::new(value)))
}

impl<'de> Visitor<'de> for Reader {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Event, E> {
        value(CelNull)
    }

    fn visit_bool<E: Error>(self, it: bool) -> Result<Event, E> {
        value(CelBool::from(it))
    }

    fn visit_i64<E: Error>(self, it: i64) -> Result<Event, E> {
        self.visit_f64(it as f64)
    }

    fn visit_u64<E: Error>(self, it: u64) -> Result<Event, E> {
        self.visit_f64(it as f64)
    }

    fn visit_f64<E: Error>(self, it: f64) -> Result<Event, E> {
        Ok(Event(numbers::of_json(it)))
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<Event, E> {
        value(CelString::from(it.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Event, A::Error> {
        let mut list: Vec<Box<dyn Val>> = Vec::new();
        while let Some(Event(item)) = items.next_element()? {
            list.push(item);
        }
        value(CelList::from(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Event, A::Error> {
        let mut map: HashMap<CelMapKey<'static>, Box<dyn Val>> = HashMap::new();
        // Of a name used twice in one object the last use counts, as in JavaScript.
        while let Some((name, Event(member))) = members.next_entry::<String, Event>()? {
            map.insert(CelMapKey::from(name), member);
        }
        value(CelMap::from(map))
    }
}
