//! Canonical JSON (SEMANTICS 2.3): one text for all that is equal. Object keys in the order of their code points,
//! arrays in theirs, numbers by value in the form of ECMAScript, strings as they are, no spaces.
//!
//! Not here: what is no JSON (dates, maps, cycles). Who has the objects refuses those, and can name them.

use alloc::{format, string::String, vec::Vec};

use serde_json::Value;

/// A text that is no JSON, or more deeply nested than 128 levels, or with a number beyond what JavaScript holds, or
/// with a lone surrogate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("payload needs JSON, got a text that is none: {0}")]
pub struct InvalidJson(pub String);

/// Reads JSON. Of a key used twice in one object the last use counts, as in JavaScript.
pub(super) fn read(json: &str) -> Result<Value, InvalidJson> {
    serde_json::from_str(json).map_err(|error| InvalidJson(format!("{error}")))
}

/// The canonical text.
pub(super) fn write(value: &Value) -> String {
    let mut text = String::new();
    append(value, &mut text);
    text
}

fn append(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        // Without arbitrary precision every number of JSON is held as one that converts.
        Value::Number(number) => text.push_str(&number_text(number.as_f64().unwrap_or_default())),
        Value::String(string) => append_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                append(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            // Said here and not left to the map: its order hangs on a feature that any crate may switch on.
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                append_string(key, text);
                text.push(':');
                append(member, text);
            }
            text.push('}');
        }
    }
}

fn append_string(string: &str, text: &mut String) {
    // A string of Rust is always well-formed, so there is nothing that could fail.
    text.push_str(&serde_json::to_string(string).expect("a string is always JSON"));
}

/// A finite number as JavaScript writes it: the shortest digits that read back to it (ECMA-262, Number::toString).
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // Where the point stands, counted from the first digit.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = digits.len() as i32;
    if count <= point && point <= 21 {
        format!("{sign}{digits}{}", "0".repeat((point - count) as usize))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{sign}{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("{sign}0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{dot}{rest}e{:+}", point - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        write(&read(json).unwrap())
    }

    #[test]
    fn s2_3_numbers_are_written_as_javascript_writes_them() {
        let cases = [
            ("1", "1"),
            ("1.0", "1"),
            ("1e0", "1"),
            ("100E-2", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("1.5e-9", "1.5e-9"),
            ("123456789012345680000", "123456789012345680000"),
            ("1e21", "1e+21"),
            ("1.25e22", "1.25e+22"),
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709552000"),
            ("0.1", "0.1"),
            ("-123.456", "-123.456"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("4.35", "4.35"),
            ("2.2250738585072011e-308", "2.225073858507201e-308"),
        ];
        for (json, expected) in cases {
            assert_eq!(canonical(json), expected, "{json}");
        }
    }

    #[test]
    fn s2_3_keys_are_sorted_at_every_depth_and_arrays_keep_their_order() {
        assert_eq!(canonical(r#" { "b" : [2, 1], "a" : {"d":1,"c":2} } "#), r#"{"a":{"c":2,"d":1},"b":[2,1]}"#);
        // Code points, not UTF-16 units: U+FF61 before U+1F600.
        assert_eq!(canonical(r#"{"😀":1,"｡":2}"#), r#"{"｡":2,"😀":1}"#);
    }

    #[test]
    fn s2_3_strings_are_not_normalised() {
        assert_ne!(canonical("\"\u{e9}\""), canonical("\"e\u{301}\""));
        assert_eq!(canonical(r#""\u00e9\/""#), "\"\u{e9}/\"");
        assert_eq!(canonical(r#""x\u0000y""#), r#""x\u0000y""#);
    }

    #[test]
    fn s2_3_what_is_no_json_is_refused() {
        let deep = "[".repeat(10_000);
        for json in ["", "{", "NaN", "undefined", "'a'", "1e400", r#""\ud800""#, "[1,]", &deep] {
            assert!(read(json).is_err(), "{json:.20}");
        }
    }
}
