//! Names as they can be shown. A journal from elsewhere may hold any text as a name; on the page it is to be seen, and to
//! leave alone what stands around it.

use std::sync::Arc;

/// A name that can stand in a sentence: what has no shape or turns the direction of writing is written as its code, and a name in a
/// script from right to left is kept apart from what stands beside it.
pub(super) fn shown(name: &Arc<str>) -> Arc<str> {
    if name.chars().all(|character| !disturbs(character) && !from_right(character)) {
        return name.clone();
    }
    let visible = visible(name);
    if name.chars().any(from_right) { format!("\u{2068}{visible}\u{2069}").into() } else { visible.into() }
}

/// A text in which nothing is without a shape: `a\u{202e}b` is written with its backslash.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if disturbs(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// Controls, and marks of direction but the two that keep a name apart. Joiners stay: emoji and some scripts need them.
fn disturbs(character: char) -> bool {
    let direction =
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}' | '\u{2067}');
    let shapeless = matches!(character, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    character.is_control() || direction || shapeless
}

fn from_right(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leaves_alone_what_stands_around_it() {
        let cases = [
            ("send the email", "send the email"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("two\nlines\t", "two\\u{a}lines\\u{9}"),
            ("\u{5e9}\u{5dc}", "\u{2068}\u{5e9}\u{5dc}\u{2069}"),
            ("👩‍💻", "👩‍💻"),
        ];
        for (name, expected) in cases {
            assert_eq!(&*shown(&name.into()), expected);
        }
    }
}
