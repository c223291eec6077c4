//! Where two payloads differ: the places and the kind of difference, never a value of either.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::Serialize;
use serde_json::Value;

use super::canonical;
use crate::limits::{DIFFERENCE_PATH_BYTES_MAX, DIFFERENCES_MAX};

/// How a place differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// The first request had something there, and this one has nothing.
    Missing,
    /// This request has something there, and the first had nothing.
    Extra,
    /// Both have something there, of different types.
    Type,
    /// Both have something of one type there, and not the same.
    Value,
}

/// One place at which two payloads differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Difference {
    /// The place, as JavaScript would write it (`payload.items[2].name`).
    pub path: String,
    /// How.
    pub kind: DifferenceKind,
}

/// The places at which `now` differs from `first`, in order, at most [`DIFFERENCES_MAX`] of them, and how many more
/// there are.
pub(super) fn differences(first: &Value, now: &Value) -> (Vec<Difference>, u32) {
    let mut found = Found::default();
    found.compare(first, now, "payload");
    (found.listed, found.more)
}

#[derive(Default)]
struct Found {
    listed: Vec<Difference>,
    more: u32,
}

impl Found {
    fn note(&mut self, path: &str, kind: DifferenceKind) {
        if self.listed.len() < DIFFERENCES_MAX {
            self.listed.push(Difference { path: shorten(path), kind });
        } else {
            self.more += 1;
        }
    }

    fn compare(&mut self, first: &Value, now: &Value, path: &str) {
        match (first, now) {
            (Value::Object(first), Value::Object(now)) => {
                let (mut of_first, mut of_now) = (first.keys().peekable(), now.keys().peekable());
                while let Some(&name) = of_first.peek().into_iter().chain(of_now.peek()).min() {
                    of_first.next_if_eq(&name);
                    of_now.next_if_eq(&name);
                    self.compare_part(first.get(name), now.get(name), &member(path, name));
                }
            }
            (Value::Array(first), Value::Array(now)) => {
                for index in 0..first.len().max(now.len()) {
                    self.compare_part(first.get(index), now.get(index), &format!("{path}[{index}]"));
                }
            }
            (Value::Null, Value::Null) => {}
            (Value::Bool(a), Value::Bool(b)) if a == b => {}
            (Value::String(a), Value::String(b)) if a == b => {}
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
            (Value::Bool(_), Value::Bool(_))
            | (Value::String(_), Value::String(_))
            | (Value::Number(_), Value::Number(_)) => self.note(path, DifferenceKind::Value),
            (
                Value::Null | Value::Bool(_) | Value::String(_) | Value::Number(_) | Value::Array(_) | Value::Object(_),
                _,
            ) => self.note(path, DifferenceKind::Type),
        }
    }

    fn compare_part(&mut self, first: Option<&Value>, now: Option<&Value>, path: &str) {
        match (first, now) {
            (Some(first), Some(now)) => self.compare(first, now, path),
            (Some(_), None) => self.note(path, DifferenceKind::Missing),
            (None, Some(_)) => self.note(path, DifferenceKind::Extra),
            (None, None) => {}
        }
    }
}

fn member(path: &str, name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if name.chars().all(plain) && name.starts_with(|c: char| plain(c) && !c.is_ascii_digit()) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{}]", canonical::write(&Value::String(name.to_string())))
    }
}

fn shorten(path: &str) -> String {
    if path.len() <= DIFFERENCE_PATH_BYTES_MAX {
        return path.into();
    }
    let mut end = DIFFERENCE_PATH_BYTES_MAX;
    while !path.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: &str, now: &str) -> Vec<(String, DifferenceKind)> {
        let read = |json| serde_json::from_str(json).unwrap();
        let (listed, _) = differences(&read(first), &read(now));
        listed.into_iter().map(|difference| (difference.path, difference.kind)).collect()
    }

    #[test]
    fn s2_3_the_places_and_kinds_are_named() {
        let first = r#"{"amount":1,"to":{"name":"Ana","zip":1},"list":[1,2,3],"a b":1,"same":[1.0]}"#;
        let now = r#"{"amount":"1","to":{"name":"Ben","city":1},"list":[2,1],"a b":null,"same":[1]}"#;
        use DifferenceKind::{Extra, Missing, Type, Value};
        let expected = [
            ("payload[\"a b\"]", Type),
            ("payload.amount", Type),
            ("payload.list[0]", Value),
            ("payload.list[1]", Value),
            ("payload.list[2]", Missing),
            ("payload.to.city", Extra),
            ("payload.to.name", Value),
            ("payload.to.zip", Missing),
        ];
        assert_eq!(found(first, now), expected.map(|(path, kind)| (path.to_string(), kind)));
    }

    #[test]
    fn s2_3_missing_is_not_null_and_a_root_has_a_name() {
        assert_eq!(found(r#"{"a":null}"#, "{}"), [("payload.a".to_string(), DifferenceKind::Missing)]);
        assert_eq!(found("1", "[]"), [("payload".to_string(), DifferenceKind::Type)]);
        assert_eq!(found("true", "true"), []);
    }

    #[test]
    fn the_list_is_bounded_and_says_how_many_more() {
        let list = |value: &str| serde_json::from_str(&format!("[{}]", [value; 50].join(","))).unwrap();
        let (listed, more) = differences(&list("1"), &list("2"));
        assert_eq!((listed.len(), more as usize), (DIFFERENCES_MAX, 50 - DIFFERENCES_MAX));
    }
}
