//! What is suspicious about a key. Nothing here refuses: a key is whatever its owner says it is. Each finding is
//! something that made keys of others protect nothing, or say too much (A24 to A26, B24, C36).

use alloc::vec::Vec;

/// What is suspicious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// It counts attempts, so that each attempt has a key of its own.
    AttemptNumber,
    /// It holds a time of day, which is another one for the next request.
    Timestamp,
    /// It holds a UUID. Made once for the action and stored that is a good key; made for each call it protects nothing.
    Uuid,
    /// It holds an e-mail address. Keys are written down in many places.
    EmailAddress,
    /// It holds what a missing value looks like as text (`undefined`, `null`, `NaN`, `[object Object]`), or nothing
    /// between two separators: strangers will share it.
    MissingValue,
    /// It names something, and not what is done with it: another operation on the same thing has the same key.
    NoOperation,
    /// A part holds the separator, so that other parts give the same key (A-t1).
    AmbiguousJoin,
}

impl Finding {
    /// What to do instead, as a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::AttemptNumber => "Leave the attempt out: a key stays the same on every attempt.",
            Self::Timestamp => "Leave the time out, or store it with the action; a period such as 2026-09 is fine.",
            Self::Uuid => "Make the UUID once for the action and store it; a new one for each call protects nothing.",
            Self::EmailAddress => "Use an ID in place of the address: keys end up in logs and at providers.",
            Self::MissingValue => "A part of the key is missing; everybody without it would share the key.",
            Self::NoOperation => "Put the name of the operation in front, such as welcome-email:user_89.",
            Self::AmbiguousJoin => "A part holds the separator; encode the parts, or use another separator.",
        }
    }
}

/// Looks at a whole key.
pub fn lint(key: &str) -> Vec<Finding> {
    // Bytes: what is told apart here is ASCII, and the tables of Unicode weigh more than all of this.
    let key = key.as_bytes();
    let mut findings = Vec::new();
    let mut note = |finding, holds: bool| {
        if holds {
            findings.push(finding);
        }
    };
    note(Finding::AttemptNumber, counts_attempts(key));
    note(Finding::Timestamp, has_timestamp(key));
    note(Finding::Uuid, has_uuid(key));
    note(Finding::EmailAddress, has_email_address(key));
    note(Finding::MissingValue, has_missing_value(key));
    note(Finding::NoOperation, !names_an_operation(key));
    findings
}

/// Looks at the parts of a key that will be joined with `separator`.
pub fn lint_parts(parts: &[&str], separator: &str) -> Vec<Finding> {
    let mut findings = lint(&parts.join(separator));
    let ambiguous = separator.is_empty() && parts.len() > 1
        || !separator.is_empty() && parts.iter().any(|part| holds(part.as_bytes(), separator.as_bytes()));
    if ambiguous {
        findings.push(Finding::AmbiguousJoin);
    }
    findings
}

/// Whether `text` has `part` somewhere; `part` is not empty.
fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Whatever is no ASCII is taken for a letter.
fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

fn is_alphanumeric(byte: &u8) -> bool {
    is_letter(byte) || byte.is_ascii_digit()
}

/// The words of a key, without what stands between them.
fn words(key: &[u8]) -> impl Iterator<Item = &[u8]> {
    key.split(|byte| !is_alphanumeric(byte)).filter(|word| !word.is_empty())
}

fn counts_attempts(key: &[u8]) -> bool {
    const NAMES: [&[u8]; 4] = [b"attempt", b"try", b"retry", b"retries"];
    let named = |name: &[u8]| NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    let mut before: &[u8] = b"";
    words(key).any(|word| {
        let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        // `retry3`, or `attempt` and after it a word of digits.
        let name = if digits == word.len() { before } else { word.get(..word.len() - digits).unwrap_or(b"") };
        let counts = (1..=3).contains(&digits) && named(name);
        before = word;
        counts
    })
}

fn has_timestamp(key: &[u8]) -> bool {
    // Seconds or milliseconds from 2001 to 2096.
    let unix = |word: &[u8]| {
        matches!(word.len(), 10 | 13) && word.iter().all(u8::is_ascii_digit) && matches!(word[0], b'1'..=b'3')
    };
    // A date followed by a time of day.
    let clock = |text: &[u8]| {
        text.iter().enumerate().all(|(at, byte)| match at {
            2 => b"Tt ".contains(byte),
            5 => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
    };
    words(key).any(unix) || key.windows(8).any(clock)
}

fn has_uuid(key: &[u8]) -> bool {
    let is_uuid = |text: &[u8]| {
        text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    key.windows(36).any(is_uuid)
}

fn has_email_address(key: &[u8]) -> bool {
    let in_domain = |byte: &u8| is_alphanumeric(byte) || b".-".contains(byte);
    let in_name = |byte: &u8| in_domain(byte) || b"_+".contains(byte);
    let mut before: Option<&u8> = None;
    // What stands before each @, and what after it.
    key.iter().enumerate().any(|(at, byte)| {
        let named = before.is_some_and(in_name);
        before = Some(byte);
        *byte == b'@' && named && {
            let domain = key.iter().skip(at + 1).take_while(|byte| in_domain(byte));
            let host = domain.clone().take_while(|byte| **byte != b'.').count();
            // The dot, and a top level of at least two.
            host > 0 && domain.count() >= host + 3
        }
    })
}

fn has_missing_value(key: &[u8]) -> bool {
    let literal = words(key).any(|word| matches!(word, b"undefined" | b"null" | b"NaN"));
    let hole = b":/|".iter().any(|separator| {
        let mut parts = key.split(|byte| byte == separator);
        key.contains(separator) && parts.any(<[u8]>::is_empty)
    });
    literal || hole || holds(key, b"[object ")
}

/// Whether the key begins with words, as the name of a step does (`save the user`), and goes on after a separator that is
/// not the one inside IDs (`ord_123`).
fn names_an_operation(key: &[u8]) -> bool {
    let name = key.iter().take_while(|byte| is_letter(byte) || b"_ ".contains(byte));
    // Characters, so no byte that goes on with one.
    let characters = name.clone().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
    let mut rest = key.iter().skip(name.count());
    characters >= 3 && rest.next().is_some_and(|byte| b":-/.|#".contains(byte)) && rest.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_guides_are_fine() {
        for key in [
            "fulfill-order:ord_123",
            "vendor-payout:vendor_42:2026-09",
            "sales-report:team_7:2026-09:rev_3",
            "welcome:user_89",
            "process-event:evt_456",
            "checkout-completed-CGo5Q5ekAxilN92d27asEoDO",
            "send_email:user_1001",
            "try-on:dress_12",
            "save the user:user_1001",
        ] {
            assert_eq!(lint(key), [], "{key}");
        }
    }

    #[test]
    fn a24_b24_c36_what_makes_a_key_useless_is_found() {
        let cases: [(&str, &[Finding]); 13] = [
            ("welcome:user_89:attempt-2", &[Finding::AttemptNumber]),
            ("welcome:user_89:retry3", &[Finding::AttemptNumber]),
            ("welcome:user_89:1703275661157", &[Finding::Timestamp]),
            ("welcome:user_89:1703275661", &[Finding::Timestamp]),
            ("welcome:user_89:2026-09-30T15:30:00Z", &[Finding::Timestamp]),
            ("welcome:3f2504e0-4f89-41d3-9a0c-0305e82c3301", &[Finding::Uuid]),
            ("welcome:ana@example.org", &[Finding::EmailAddress]),
            ("welcome:undefined", &[Finding::MissingValue]),
            ("welcome::user_89", &[Finding::MissingValue]),
            ("welcome:", &[Finding::MissingValue, Finding::NoOperation]),
            ("user_89", &[Finding::NoOperation]),
            ("user 89", &[Finding::NoOperation]),
            ("3f2504e0-4f89-41d3-9a0c-0305e82c3301", &[Finding::Uuid, Finding::NoOperation]),
        ];
        for (key, expected) in cases {
            assert_eq!(lint(key), expected, "{key}");
            assert!(expected.iter().all(|finding| finding.advice().ends_with('.')));
        }
    }

    #[test]
    fn a_t1_parts_that_hold_the_separator_are_found() {
        assert_eq!(lint_parts(&["welcome", "user:89"], ":"), [Finding::AmbiguousJoin]);
        assert_eq!(lint_parts(&["welcome", "user_89"], ":"), []);
        assert!(lint_parts(&["welcome-", "89"], "").contains(&Finding::AmbiguousJoin));
    }

    #[test]
    fn nothing_panics_on_any_text() {
        for key in ["", "@", "é@é.é", "::::", "😀:😀", "attempt", "1", "a@b.", &"9".repeat(300)] {
            lint(key);
            lint_parts(&[key, key], key);
        }
    }
}
