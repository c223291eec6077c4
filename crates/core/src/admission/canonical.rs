//! Canonical JSON (SEMANTICS 2.3): one text for all that is equal. Object keys in the order of their code points,
//! arrays in theirs, numbers by value in the form of ECMAScript, strings as they are, no spaces.
//!
//! Not here: what is no JSON (dates, maps, cycles). Who has the objects refuses those, and can name them.

use alloc::{format, string::String};

use serde_json::Value;

use crate::fields;

/// A text that is no JSON, or more deeply nested than 128 levels, or with a number beyond what JavaScript holds, or
/// with a lone surrogate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("payload needs JSON, got a text that is none: {0}")]
pub struct InvalidJson(pub String);

/// Reads JSON. Of a key used twice in one object the last use counts, as in JavaScript.
pub(super) fn read(json: &str) -> Result<Value, InvalidJson> {
    fields::value(json.as_bytes()).map_err(InvalidJson)
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
            // The map is in this order, unless some crate switches a feature of its crate on.
            debug_assert!(members.keys().is_sorted());
            text.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
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
    // The JSON writer finds the shortest digits too, and is linked anyhow; `{}` would bring another one with it.
    let written = serde_json::Number::from_f64(number).map_or(String::new(), |number| format!("{number}"));
    let (sign, written) = written.strip_prefix('-').map_or(("", &*written), |rest| ("-", rest));
    let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    // Where the point stands, counted from the first digit that is not 0.
    let leading = (all.len() - digits.len()) as i32;
    let point = exponent.parse::<i32>().unwrap_or_default() + whole.len() as i32 - leading;
    let digits = digits.trim_end_matches('0');
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

    proptest::proptest! {
        /// Read back it is the same number, and its digits are as few as another writer needs.
        #[test]
        fn s2_3_a_number_has_the_fewest_digits_that_read_back(bits: u64) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                let text = number_text(number);
                proptest::prop_assert_eq!(text.parse::<f64>(), Ok(number));
                let digits = |text: &str| {
                    let mantissa = text.split('e').next().unwrap_or_default();
                    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                    all.trim_matches('0').len()
                };
                proptest::prop_assert_eq!(digits(&text), digits(&format!("{number:e}")), "{}", text);
            }
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
