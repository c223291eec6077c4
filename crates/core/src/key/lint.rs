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
        || !separator.is_empty() && parts.iter().any(|part| part.contains(separator));
    if ambiguous {
        findings.push(Finding::AmbiguousJoin);
    }
    findings
}

/// The words of a key, without what stands between them.
fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn counts_attempts(key: &str) -> bool {
    const NAMES: [&str; 4] = ["attempt", "try", "retry", "retries"];
    let is_number = |word: &str| !word.is_empty() && word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut before = "";
    words(key).any(|word| {
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let named = |name: &str| NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
        let counts = named(name) && is_number(&word[name.len()..]) || named(before) && is_number(word);
        before = word;
        counts
    })
}

fn has_timestamp(key: &str) -> bool {
    // Seconds or milliseconds from 2001 to 2096.
    let unix = |word: &str| {
        let plausible = |digits: &str| matches!(digits.as_bytes()[0], b'1'..=b'3');
        word.bytes().all(|byte| byte.is_ascii_digit()) && matches!(word.len(), 10 | 13) && plausible(word)
    };
    // A date followed by a time of day.
    let bytes = key.as_bytes();
    let clock = |at: usize| {
        let digit = |offset: usize| bytes.get(at + offset).is_some_and(u8::is_ascii_digit);
        let is = |offset: usize, expected: &[u8]| bytes.get(at + offset).is_some_and(|byte| expected.contains(byte));
        digit(0) && digit(1) && is(2, b"Tt ") && digit(3) && digit(4) && is(5, b":") && digit(6) && digit(7)
    };
    words(key).any(unix) || (0..bytes.len()).any(clock)
}

fn has_uuid(key: &str) -> bool {
    let bytes = key.as_bytes();
    let is_uuid = |text: &[u8]| {
        text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    bytes.windows(36).any(is_uuid)
}

fn has_email_address(key: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    key.match_indices('@').any(|(at, _)| {
        let (before, after) = (&key[..at], &key[at + 1..]);
        let domain = after.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-')).next().unwrap_or("");
        let dotted = domain.split_once('.').is_some_and(|(host, top)| !host.is_empty() && top.len() >= 2);
        before.ends_with(in_name) && dotted
    })
}

fn has_missing_value(key: &str) -> bool {
    let literal = words(key).any(|word| matches!(word, "undefined" | "null" | "NaN"));
    let hole =
        [":", "/", "|"].iter().any(|separator| key.contains(separator) && key.split(separator).any(str::is_empty));
    literal || hole || key.contains("[object ")
}

/// Whether the key begins with words, as the name of a step does (`save the user`), and goes on after a separator that is
/// not the one inside IDs (`ord_123`).
fn names_an_operation(key: &str) -> bool {
    let end = key.find(|c: char| !(c.is_alphabetic() || matches!(c, '_' | ' '))).unwrap_or(key.len());
    let (first, rest) = key.split_at(end);
    first.chars().count() >= 3 && rest.starts_with([':', '-', '/', '.', '|', '#']) && rest.len() > 1
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
