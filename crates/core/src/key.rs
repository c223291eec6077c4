//! Keys and IDs (SEMANTICS 2.4): UTF-8 of 1 to 255 bytes, no NUL, taken verbatim. One rule for run IDs, event IDs,
//! store keys and function values. Joined parts keep their borders, so that no two sets of parts give one key (A-t1).

mod lint;

use alloc::{string::String, vec::Vec};

pub use lint::{Finding, lint, lint_parts};

use crate::limits::KEY_BYTES_MAX;

/// Why a text cannot be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// An empty key would be shared by everybody who forgot theirs.
    #[error("needs 1 to 255 bytes, got an empty string")]
    Empty,
    /// Longer than [`KEY_BYTES_MAX`].
    #[error("needs at most 255 bytes of UTF-8, got {bytes}")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// Several stores cut a text at NUL.
    #[error("needs a text without NUL, got one at byte {at}")]
    Nul {
        /// Where, in bytes from 0.
        at: usize,
    },
    /// A lone surrogate would turn into U+FFFD, and so into somebody else's key.
    #[error("needs well-formed Unicode, got a lone surrogate at UTF-16 unit {at}")]
    LoneSurrogate {
        /// Where, in UTF-16 units from 0.
        at: usize,
    },
}

/// Checks a key. It is never trimmed, folded or normalised.
pub fn check(key: &str) -> Result<&str, InvalidKey> {
    match key.len() {
        0 => Err(InvalidKey::Empty),
        bytes if bytes > KEY_BYTES_MAX => Err(InvalidKey::TooLong { bytes }),
        _ => match key.bytes().position(|byte| byte == 0) {
            Some(at) => Err(InvalidKey::Nul { at }),
            None => Ok(key),
        },
    }
}

/// Checks a key that arrives as UTF-16, as a string of JavaScript does.
pub fn check_utf16(units: &[u16]) -> Result<String, InvalidKey> {
    let mut at = 0;
    let mut text = String::with_capacity(units.len());
    for unit in char::decode_utf16(units.iter().copied()) {
        let Ok(character) = unit else { return Err(InvalidKey::LoneSurrogate { at }) };
        at += character.len_utf16();
        text.push(character);
    }
    check(&text)?;
    Ok(text)
}

/// Joins parts into one internal key: each part with its length before it, so that `("a:b", "c")` and `("a", "b:c")`
/// differ. The form `step:key` is for display only.
pub fn join(parts: &[&str]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(parts.iter().map(|part| part.len() + 4).sum());
    for part in parts {
        // A part is at most a key or a name; u32 holds any of them.
        joined.extend_from_slice(&(part.len() as u32).to_be_bytes());
        joined.extend_from_slice(part.as_bytes());
    }
    joined
}

/// The key to send to a provider for a step of a run: `<run ID>:<step>` (C33), the same on every attempt. For the
/// provider only; inside, the parts keep their borders ([`join`]).
///
/// The last colon is the border: a run ID may have colons, and most have. A step name with colons would move the
/// border, so that step `b` of run `r:a` and step `a:b` of run `r` shared a key (A-t1). Therefore a colon in a step
/// name is written `%3A`; and so that nothing else is written like that, the `%` of a `%3A` or `%25` in it is written
/// `%25`. Every other name stays as it is.
pub fn of_step(run_id: &str, step: &str) -> String {
    let mut key = alloc::format!("{run_id}:");
    for (at, c) in step.char_indices() {
        match c {
            ':' => key.push_str("%3A"),
            '%' if step[at..].starts_with("%3A") || step[at..].starts_with("%25") => key.push_str("%25"),
            c => key.push(c),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn a_t1_h21_parts_keep_their_borders() {
        assert_ne!(join(&["a:b", "c"]), join(&["a", "b:c"]));
        assert_ne!(join(&["ab", ""]), join(&["a", "b"]));
        assert_eq!(join(&["a", "b"]), join(&["a", "b"]));
    }

    #[test]
    fn c33_a_t1_no_two_steps_share_a_providers_key() {
        assert_eq!(
            of_step("sign-up:user_1:2026-09", "send the mail (100 %)"),
            "sign-up:user_1:2026-09:send the mail (100 %)"
        );
        assert_eq!((of_step("r:a", "b"), of_step("r", "a:b")), ("r:a:b".into(), "r:a%3Ab".into()));
        let parts = ["%", ":", "3", "A", "2", "5", "a"];
        let mut names: Vec<String> = alloc::vec![String::new()];
        for _ in 0..4 {
            names = names.iter().flat_map(|name| parts.map(|part| format!("{name}{part}"))).collect();
        }
        let runs = ["r", "r:a", "r:%3A"];
        let all = runs.iter().flat_map(|run| names.iter().map(move |step| of_step(run, step)));
        let keys: alloc::collections::BTreeSet<String> = all.collect();
        assert_eq!(keys.len(), runs.len() * names.len());
    }

    #[test]
    fn s2_4_length_is_counted_in_bytes() {
        assert!(check(&"a".repeat(255)).is_ok());
        assert_eq!(check(&"a".repeat(256)), Err(InvalidKey::TooLong { bytes: 256 }));
        assert!(check(&"é".repeat(127)).is_ok());
        assert_eq!(check(&"é".repeat(128)), Err(InvalidKey::TooLong { bytes: 256 }));
        assert!(check(&format!("{}abc", "\u{1F600}".repeat(63))).is_ok());
        assert_eq!(check(&"\u{1F600}".repeat(64)), Err(InvalidKey::TooLong { bytes: 256 }));
        assert_eq!(check(""), Err(InvalidKey::Empty));
    }

    #[test]
    fn s2_4_no_nul_no_lone_surrogate_nothing_normalised() {
        assert_eq!(check("a\0b"), Err(InvalidKey::Nul { at: 1 }));
        assert_eq!(check_utf16(&[0x61, 0xD800]), Err(InvalidKey::LoneSurrogate { at: 1 }));
        assert_eq!(check_utf16(&[0xD83D, 0xDE00]).as_deref(), Ok("\u{1F600}"));
        assert_eq!(check(" Key "), Ok(" Key "));
        for name in ["__proto__", "a:b:c", "constructor"] {
            assert_eq!(check(name), Ok(name));
        }
    }
}
