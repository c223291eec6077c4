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

/// A probability in per cent, without the digits that only binary fractions have.
pub fn percent(probability: f64) -> String {
    let text = format!("{:.6}", probability * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
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

/// Reads a percentage, with or without its sign, as a probability.
pub fn read_percent(text: &str) -> Option<f64> {
    let number: f64 = text.trim().trim_end_matches('%').trim().replace(',', ".").parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number / 100.0)
}

/// Reads a whole number.
pub fn read_whole<T: core::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
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
        for (probability, text) in [(0.0, "0 %"), (0.07, "7 %"), (0.005, "0.5 %"), (1.0, "100 %")] {
            assert_eq!(percent(probability), text);
            assert_eq!(read_percent(text), Some(probability));
        }
        assert_eq!((read_percent("101"), read_percent("x"), read_window("Never")), (None, None, Some(None)));
    }
}
