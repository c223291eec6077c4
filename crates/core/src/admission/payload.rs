//! What is compared of a payload: its fingerprint, and while it is small its canonical text, so that a conflict can
//! name the places that differ. Schedule, retries, priority and tags are no part of it (C18).

use alloc::{
    string::{String, ToString},
    sync::Arc,
};
use core::fmt;

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    canonical::{self, InvalidJson},
    projection::Projection,
};
use crate::limits::{PAYLOAD_BYTES_MAX, PAYLOAD_KEPT_BYTES_MAX};

/// A payload that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPayload {
    /// It is no JSON.
    #[error(transparent)]
    NotJson(#[from] InvalidJson),
    /// It is longer than [`PAYLOAD_BYTES_MAX`].
    #[error("payload needs at most {PAYLOAD_BYTES_MAX} bytes of JSON, got {bytes}")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
}

/// Data nested less deeply than this can be read.
const DEPTH_MAX: usize = 128;

/// SHA-256 of a canonical text. Shown in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    fn from_hex(hex: &str) -> Option<Self> {
        let hex = hex.as_bytes();
        let digit = |at: usize| char::from(hex[at]).to_digit(16).map(|digit| digit as u8);
        if hex.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = digit(2 * index)? << 4 | digit(2 * index + 1)?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fingerprint({self})")
    }
}

/// The part of a payload that is compared. In a journal it is its text if that is kept, else its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Payload(Compared);

/// Which of them is kept is a matter of the text's length alone, so equal payloads are equal here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Compared {
    Text(Arc<str>),
    Print(Fingerprint),
}

impl Payload {
    /// Reads a payload from JSON text and takes from it what is compared.
    pub fn from_json(json: &str, projection: &Projection) -> Result<Self, InvalidPayload> {
        if json.len() > PAYLOAD_BYTES_MAX {
            return Err(InvalidPayload::TooLong { bytes: json.len() });
        }
        Ok(Self::of_text(&canonical::write(&projection.apply(canonical::read(json)?))))
    }

    /// The same from a text that its caller has just written in canonical form, with the keys in the order of UTF-16 units
    /// that JavaScript has. Nearly all are taken as they are.
    pub fn from_written(json: &str, projection: &Projection) -> Result<Self, InvalidPayload> {
        // Beyond ASCII the order of keys can be another, and what is nested too deeply is refused when it is read.
        let is_shallow = || json.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() < DEPTH_MAX;
        if projection.is_all() && json.len() <= PAYLOAD_BYTES_MAX && json.is_ascii() && is_shallow() {
            let payload = Self::of_text(json);
            debug_assert_eq!(Self::from_json(json, projection).as_ref(), Ok(&payload), "{json}");
            return Ok(payload);
        }
        Self::from_json(json, projection)
    }

    fn of_text(text: &str) -> Self {
        let is_kept = text.len() <= PAYLOAD_KEPT_BYTES_MAX;
        Self(if is_kept { Compared::Text(text.into()) } else { Compared::Print(Fingerprint::of(text)) })
    }

    /// SHA-256 of the canonical text. Computed here if the text is kept: to compare two payloads needs none.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.0 {
            Compared::Text(text) => Fingerprint::of(text),
            Compared::Print(fingerprint) => *fingerprint,
        }
    }

    /// The canonical text, if it was small enough to be kept ([`PAYLOAD_KEPT_BYTES_MAX`]).
    pub fn json(&self) -> Option<&Arc<str>> {
        match &self.0 {
            Compared::Text(text) => Some(text),
            Compared::Print(_) => None,
        }
    }

    /// Its value, if its text was kept.
    pub(super) fn value(&self) -> Option<Value> {
        canonical::read(self.json()?).ok()
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Payload", 1)?;
        match &self.0 {
            Compared::Text(json) => fields.serialize_field("json", &**json)?,
            Compared::Print(fingerprint) => fields.serialize_field("sha256", &fingerprint.to_string())?,
        }
        fields.end()
    }
}

impl Payload {
    /// One whose canonical text a journal kept.
    pub(crate) fn of_canonical(json: &str) -> Result<Self, String> {
        let payload = Self::from_json(json, &Projection::default()).map_err(|invalid| invalid.to_string())?;
        match payload.json() {
            Some(canonical) if **canonical == *json => Ok(payload),
            Some(_) => Err("its payload is not in canonical form".into()),
            None => Err("its payload is longer than what is kept".into()),
        }
    }

    /// One of which a journal kept the fingerprint.
    pub(crate) fn of_hex(hex: &str) -> Result<Self, String> {
        let fingerprint = Fingerprint::from_hex(hex).ok_or("its payload's sha256 needs 64 hexadecimal digits")?;
        Ok(Self(Compared::Print(fingerprint)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(json: &str) -> Payload {
        Payload::from_json(json, &Projection::default()).unwrap()
    }

    #[test]
    fn s2_3_the_fingerprint_is_sha256_of_the_canonical_text() {
        let empty = payload("{ }");
        assert_eq!(empty.fingerprint().to_string(), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
        assert_eq!(payload("{\"a\":1.0}"), payload("{ \"a\" : 1 }"));
    }

    #[test]
    fn s2_3_a_large_payload_keeps_its_fingerprint_only_and_reads_back() {
        let large = payload(&alloc::format!("\"{}\"", "x".repeat(PAYLOAD_KEPT_BYTES_MAX)));
        assert_eq!(large.json(), None);
        assert_eq!(Payload::of_hex(&large.fingerprint().to_string()), Ok(large));
        let small = payload("{\"b\":[1,null],\"a\":\"\\u0000\"}");
        assert_eq!(Payload::of_canonical(small.json().unwrap()), Ok(small.clone()));
        let too_long = Payload::from_json(&" ".repeat(PAYLOAD_BYTES_MAX + 1), &Projection::default());
        assert_eq!(too_long, Err(InvalidPayload::TooLong { bytes: PAYLOAD_BYTES_MAX + 1 }));
    }

    #[test]
    fn s2_3_a_text_that_was_just_written_is_the_payload_that_it_would_be_read_as() {
        let nested = |levels: usize| alloc::format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let written = [
            "{}",
            "null",
            r#"{"a":[1,0.1,1e+21,"\u0000\b\"\\"],"b":{}}"#,
            r#"{"😀":1,"｡":2}"#,
            &nested(127),
            &nested(200),
        ];
        let omit = Projection::new(&["a"], None).unwrap();
        for json in written {
            for projection in [&Projection::default(), &omit] {
                let read = Payload::from_json(json, projection);
                assert_eq!(Payload::from_written(json, projection), read, "{json}");
                assert_eq!(read.is_err(), json == nested(200), "{json}");
            }
        }
    }

    #[test]
    fn a_damaged_payload_of_a_journal_is_refused() {
        assert!(["{ }", "{", ""].iter().all(|json| Payload::of_canonical(json).is_err()));
        assert!(["12", "é", ""].iter().all(|hex| Payload::of_hex(hex).is_err()));
        assert!(Payload::of_hex(&"é".repeat(32)).is_err());
    }
}
