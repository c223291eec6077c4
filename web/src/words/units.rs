//! Numbers as people read them.

const SECOND_MS: u64 = 1000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// A length of time, exact: "187 ms", "1.25 s", "1 min 30 s", "24 h", "2 d 4 h".
pub fn duration(ms: u64) -> String {
    match ms {
        0..SECOND_MS => format!("{ms} ms"),
        SECOND_MS..MINUTE_MS => format!("{} s", seconds(ms)),
        MINUTE_MS..HOUR_MS => two(ms / MINUTE_MS, "min", ms % MINUTE_MS),
        // Days begin after the first: a window of one day is called "24 h".
        HOUR_MS..=DAY_MS => two(ms / HOUR_MS, "h", ms % HOUR_MS),
        _ => two(ms / DAY_MS, "d", ms % DAY_MS),
    }
}

fn two(units: u64, unit: &str, rest: u64) -> String {
    if rest == 0 { format!("{units} {unit}") } else { format!("{units} {unit} {}", duration(rest)) }
}

/// Seconds with as many decimals as it takes.
fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / SECOND_MS, ms % SECOND_MS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A time of the story: "721 ms", "1.25 s"; a long one in its two greatest units: "2 min 5 s", "1 d 3 h".
pub fn clock(ms: u64) -> String {
    match ms {
        0..MINUTE_MS => duration(ms),
        MINUTE_MS..HOUR_MS => duration(ms / SECOND_MS * SECOND_MS),
        HOUR_MS..=DAY_MS => duration(ms / MINUTE_MS * MINUTE_MS),
        _ => duration(ms / HOUR_MS * HOUR_MS),
    }
}

/// A number with its noun: "1 call", "4 calls".
pub fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// "1st", "2nd", "3rd", "11th".
pub fn nth(n: u32) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// "first", "second", and so on to "tenth"; then digits.
pub fn nth_word(n: u32) -> String {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let word = (n as usize).checked_sub(1).and_then(|n| WORDS.get(n));
    word.map_or_else(|| nth(n), |word| (*word).into())
}
