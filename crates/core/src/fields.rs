//! The members of a JSON object, each asked for by name and form. An error says which, what it needs and what it got.
//!
//! In place of derived readers: an event has some fifty kinds, and a derived reader of one enum of that size is a hundred
//! kilobytes of wasm.

use alloc::{format, string::String, sync::Arc, vec::Vec};

use serde_json::{Map, Value};

/// What was read, or what is wrong.
pub type Read<T> = Result<T, String>;

/// Reads JSON. Nothing else does: each kind of source that serde_json is given has a parser of its own, which is ten
/// kilobytes of wasm.
pub fn value(json: &[u8]) -> Read<Value> {
    serde_json::from_slice(json).map_err(|error| format!("{error}"))
}

/// The members of an object.
#[derive(Clone, Copy)]
pub struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The members of a value, which is called `what` if it is no object.
    pub fn of(value: &'a Value, what: &str) -> Read<Self> {
        value.as_object().map(Self).ok_or_else(|| wrong(what, "an object", value))
    }

    /// Refuses members of other names than these.
    pub fn only(self, names: &[&str]) -> Read<()> {
        match self.0.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(()),
            Some(other) => {
                let shown: String = other.chars().take(40).collect();
                Err(format!("there is a member that it has none of: \"{shown}\""))
            }
        }
    }

    /// A member that may be absent. So is one that is null.
    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A member that must be there.
    pub fn need(self, name: &str) -> Read<&'a Value> {
        self.get(name).ok_or_else(|| format!("its {name} is missing"))
    }

    /// A whole number.
    pub fn number(self, name: &str) -> Read<u64> {
        self.maybe_number(name)?.ok_or_else(|| format!("its {name} is missing"))
    }

    /// A whole number, or none.
    pub fn maybe_number(self, name: &str) -> Read<Option<u64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| wrong(name, "a whole number", value))
    }

    /// A number that names something, or counts: at most 2^32 - 1.
    pub fn index(self, name: &str) -> Read<u32> {
        self.maybe_index(name)?.ok_or_else(|| format!("its {name} is missing"))
    }

    /// The same, or none.
    pub fn maybe_index(self, name: &str) -> Read<Option<u32>> {
        match self.maybe_number(name)? {
            None => Ok(None),
            Some(number) => match u32::try_from(number) {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("its {name} needs a whole number of at most {}, got {number}", u32::MAX)),
            },
        }
    }

    /// Any number.
    pub fn fraction(self, name: &str) -> Read<f64> {
        let value = self.need(name)?;
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    /// A text, to keep.
    pub fn text(self, name: &str) -> Read<Arc<str>> {
        self.word(name).map(Arc::from)
    }

    /// A text, or none.
    pub fn maybe_text(self, name: &str) -> Read<Option<Arc<str>>> {
        if self.get(name).is_some() { self.text(name).map(Some) } else { Ok(None) }
    }

    /// A text that is compared and not kept.
    pub fn word(self, name: &str) -> Read<&'a str> {
        let value = self.need(name)?;
        value.as_str().ok_or_else(|| wrong(name, "a text", value))
    }

    /// True or false.
    pub fn flag(self, name: &str) -> Read<bool> {
        let value = self.need(name)?;
        value.as_bool().ok_or_else(|| wrong(name, "true or false", value))
    }

    /// A flag that is false if it is absent.
    pub fn maybe_flag(self, name: &str) -> Read<bool> {
        if self.get(name).is_some() { self.flag(name) } else { Ok(false) }
    }

    /// An object.
    pub fn object(self, name: &str) -> Read<Fields<'a>> {
        Fields::of(self.need(name)?, name)
    }

    /// An object, or none.
    pub fn maybe_object(self, name: &str) -> Read<Option<Fields<'a>>> {
        if self.get(name).is_some() { self.object(name).map(Some) } else { Ok(None) }
    }

    /// A list.
    pub fn list(self, name: &str) -> Read<&'a Vec<Value>> {
        let value = self.need(name)?;
        value.as_array().ok_or_else(|| wrong(name, "a list", value))
    }

    /// A list of texts.
    pub fn texts(self, name: &str) -> Read<Vec<Arc<str>>> {
        let mut texts = Vec::new();
        for value in self.list(name)? {
            texts.push(value.as_str().ok_or_else(|| wrong(name, "texts only", value))?.into());
        }
        Ok(texts)
    }
}

/// A text that is none of those that are known.
pub fn unknown(name: &str, got: &str) -> String {
    let shown: String = got.chars().take(40).collect();
    format!("its {name} is unknown: \"{shown}\"")
}

fn wrong(name: &str, needs: &str, got: &Value) -> String {
    let text = format!("{got}");
    let shown: String = text.chars().take(40).collect();
    format!("its {name} needs {needs}, got {shown}")
}
