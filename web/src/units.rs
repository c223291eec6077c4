//! Values as people write them: "0.5 %", "260 ms", "0.2–2 s", "24 h", "never"; and read back again.

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];

/// A duration in the largest unit that needs at most one decimal.
pub fn duration(ms: u64) -> String {
    let fits = |unit: u64| ms >= unit && (unit == 1 || ms.is_multiple_of(unit / 10));
    // A day is said as hours: windows of 24 h are usual, and of 1 d are not.
    let found = UNITS.iter().find(|&&(_, unit)| fits(unit) && !(unit == 86_400_000 && ms < 2 * unit));
    let (name, unit) = found.copied().unwrap_or(("ms", 1));
    format!("{} {name}", in_unit(ms, unit))
}

/// A duration rounded so that it can be taken in: "forgets in 23.9 h".
pub fn rough_duration(ms: u64) -> String {
    let (_, unit) = UNITS.iter().find(|&&(_, unit)| ms >= unit && unit != 86_400_000).copied().unwrap_or(("ms", 1));
    let tenth = (unit / 10).max(1);
    duration((ms + tenth / 2) / tenth * tenth)
}

/// Two durations in one unit: "0.2–2 s".
pub fn range(from: u64, to: u64) -> String {
    let whole = duration(to);
    let (name, unit) =
        UNITS.iter().find(|(name, _)| whole.ends_with(&format!(" {name}"))).copied().unwrap_or(("ms", 1));
    if unit > 1 && !from.is_multiple_of(unit / 10) {
        return format!("{from}–{to} ms");
    }
    format!("{}–{} {name}", in_unit(from, unit), in_unit(to, unit))
}

/// A window; without an end it is never over.
pub fn window(ms: Option<u64>) -> String {
    ms.map_or_else(|| "never".to_owned(), duration)
}

/// A probability in per cent, in as few digits as read back the same: "0.5 %", "0.00001 %", "1e-20 %".
pub fn percent(probability: f64) -> String {
    format!("{} %", shifted(&format!("{probability:e}"), 2))
}

/// A number in as few characters as read back the same: "0.005", "1e-10".
pub fn shortest(number: f64) -> String {
    shifted(&format!("{number:e}"), 0)
}

/// Zeros that are written out before the first digit of a small number; beyond that its exponent is written.
const ZEROS_MAX: i32 = 6;

/// A number in scientific notation, times a power of ten, without a rounding between: "5e-3" and 2 make "0.5".
fn shifted(scientific: &str, tens: i32) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or(0) + tens;
    let plain: String = digits.chars().filter(|character| *character != '.').collect();
    let after = plain.len() as i32 - 1 - exponent;
    if plain == "0" || after <= 0 && exponent < 20 {
        // A whole number.
        plain.clone() + &"0".repeat(if plain == "0" { 0 } else { -after as usize })
    } else if (0..20).contains(&exponent) {
        let (whole, rest) = plain.split_at(exponent as usize + 1);
        format!("{whole}.{rest}")
    } else if (-ZEROS_MAX..0).contains(&exponent) {
        format!("0.{}{plain}", "0".repeat((-exponent - 1) as usize))
    } else {
        format!("{digits}e{exponent}")
    }
}

fn in_unit(ms: u64, unit: u64) -> String {
    let (whole, tenths) = (ms / unit, ms % unit * 10 / unit);
    if tenths == 0 { whole.to_string() } else { format!("{whole}.{tenths}") }
}

/// Reads a duration; a bare number is milliseconds.
pub fn read_duration(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = split_unit(text);
    let unit = if unit.is_empty() { 1 } else { UNITS.iter().find(|(name, _)| *name == unit)?.1 };
    to_ms(number, unit)
}

/// Reads a range like "0.2–2 s"; one number is both ends.
pub fn read_range(text: &str) -> Option<(u64, u64)> {
    let (number, unit) = split_unit(text.trim());
    let number = number.replace(['–', '—'], "-");
    let (from, to) = number.split_once('-').unwrap_or((&number, &number));
    Some((read_duration(&format!("{from}{unit}"))?, read_duration(&format!("{to}{unit}"))?))
}

/// Reads a window.
pub fn read_window(text: &str) -> Option<Option<u64>> {
    if text.trim().eq_ignore_ascii_case("never") { Some(None) } else { read_duration(text).map(Some) }
}

/// Reads a percentage, with or without its sign, as the probability nearest to it.
pub fn read_percent(text: &str) -> Option<f64> {
    let number = text.trim().trim_end_matches('%').trim().replace(',', ".");
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((&number, "0"));
    // Divided by a hundred in the text: a division would round once more, and 0.29 % would not be 0.0029.
    let probability: f64 = format!("{digits}e{}", exponent.parse::<i32>().ok()?.checked_sub(2)?).parse().ok()?;
    (0.0..=1.0).contains(&probability).then_some(probability.abs())
}

/// Reads a whole number, with or without commas or spaces between its thousands.
pub fn read_whole<T: core::str::FromStr>(text: &str) -> Option<T> {
    let text: String = text.chars().filter(|character| *character != ',' && !character.is_whitespace()).collect();
    text.parse().ok()
}

fn split_unit(text: &str) -> (&str, &str) {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (number.trim(), &text[number.len()..])
}

fn to_ms(number: &str, unit: u64) -> Option<u64> {
    let value: f64 = number.trim().replace(',', ".").parse().ok()?;
    let ms = value * unit as f64;
    (0.0..1e15).contains(&ms).then(|| ms.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_short_and_read_back() {
        let cases = [
            (0, "0 ms"),
            (260, "260 ms"),
            (1_000, "1 s"),
            (1_500, "1.5 s"),
            (1_234, "1234 ms"),
            (90_000, "1.5 min"),
            (86_400_000, "24 h"),
            (172_800_000, "2 d"),
        ];
        for (ms, text) in cases {
            assert_eq!(duration(ms), text);
            assert_eq!(read_duration(text), Some(ms));
        }
        assert_eq!(rough_duration(86_399_279), "24 h");
        assert_eq!(rough_duration(721), "721 ms");
    }

    #[test]
    fn ranges_share_a_unit() {
        assert_eq!(range(200, 2_000), "0.2–2 s");
        assert_eq!(range(250, 2_000), "250–2000 ms");
        assert_eq!(range(0, 0), "0–0 ms");
        for text in ["0.2–2 s", "0.2-2s", "200-2000", "200 - 2000 ms"] {
            assert_eq!(read_range(text), Some((200, 2_000)), "{text}");
        }
    }

    #[test]
    fn percentages_have_no_binary_digits() {
        let cases = [
            (0.0, "0 %"),
            (0.07, "7 %"),
            (0.005, "0.5 %"),
            (0.0029, "0.29 %"),
            (1.0, "100 %"),
            (0.125, "12.5 %"),
            (1e-7, "0.00001 %"),
            (1e-10, "1e-8 %"),
            (5e-324, "5e-322 %"),
            (0.1 + 0.2, "30.000000000000004 %"),
        ];
        for (probability, text) in cases {
            assert_eq!(percent(probability), text);
            assert_eq!(read_percent(text), Some(probability));
        }
        assert_eq!((read_percent("101"), read_percent("x"), read_window("Never")), (None, None, Some(None)));
        assert_eq!(
            (read_percent("-1"), read_percent("NaN"), read_percent("inf"), read_percent("")),
            (None, None, None, None)
        );
    }

    #[test]
    fn numbers_are_as_short_as_can_be_read_back() {
        let cases = [(0.0, "0"), (1.0, "1"), (0.01, "0.01"), (0.3, "0.3"), (1e-10, "1e-10"), (1e-6, "0.000001")];
        for (number, text) in cases {
            assert_eq!(shortest(number), text);
        }
        assert_eq!(read_whole::<u64>("1,000 000"), Some(1_000_000));
    }

    proptest::proptest! {
        #[test]
        fn every_probability_reads_back(probability in 0.0..=1.0_f64, exponent in 0..300_i32) {
            let small = probability * 10_f64.powi(-exponent);
            proptest::prop_assert_eq!(read_percent(&percent(small)), Some(small));
            proptest::prop_assert_eq!(shortest(small).parse(), Ok(small));
        }
    }
}
