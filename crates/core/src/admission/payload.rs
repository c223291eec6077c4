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
pub struct Payload {
    fingerprint: Fingerprint,
    json: Option<Arc<str>>,
}

impl Payload {
    /// Reads a payload from JSON text and takes from it what is compared.
    pub fn from_json(json: &str, projection: &Projection) -> Result<Self, InvalidPayload> {
        if json.len() > PAYLOAD_BYTES_MAX {
            return Err(InvalidPayload::TooLong { bytes: json.len() });
        }
        let text = canonical::write(&projection.apply(canonical::read(json)?));
        let fingerprint = Fingerprint::of(&text);
        Ok(Self { fingerprint, json: (text.len() <= PAYLOAD_KEPT_BYTES_MAX).then(|| text.into()) })
    }

    /// SHA-256 of the canonical text.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The canonical text, if it was small enough to be kept ([`PAYLOAD_KEPT_BYTES_MAX`]).
    pub fn json(&self) -> Option<&Arc<str>> {
        self.json.as_ref()
    }

    /// Its value, if its text was kept.
    pub(super) fn value(&self) -> Option<Value> {
        canonical::read(self.json.as_deref()?).ok()
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Payload", 1)?;
        match &self.json {
            Some(json) => fields.serialize_field("json", &**json)?,
            None => fields.serialize_field("sha256", &self.fingerprint.to_string())?,
        }
        fields.end()
    }
}

impl Payload {
    /// One whose canonical text a journal kept.
    pub(crate) fn of_canonical(json: &str) -> Result<Self, String> {
        let payload = Self::from_json(json, &Projection::default()).map_err(|invalid| invalid.to_string())?;
        match payload.json {
            Some(ref canonical) if **canonical == *json => Ok(payload),
            Some(_) => Err("its payload is not in canonical form".into()),
            None => Err("its payload is longer than what is kept".into()),
        }
    }

    /// One of which a journal kept the fingerprint.
    pub(crate) fn of_hex(hex: &str) -> Result<Self, String> {
        let fingerprint = Fingerprint::from_hex(hex).ok_or("its payload's sha256 needs 64 hexadecimal digits")?;
        Ok(Self { fingerprint, json: None })
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
    fn a_damaged_payload_of_a_journal_is_refused() {
        assert!(["{ }", "{", ""].iter().all(|json| Payload::of_canonical(json).is_err()));
        assert!(["12", "é", ""].iter().all(|hex| Payload::of_hex(hex).is_err()));
        assert!(Payload::of_hex(&"é".repeat(32)).is_err());
    }
}
