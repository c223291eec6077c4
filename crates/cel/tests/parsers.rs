//! The parser in use is not the library's default one: on whatever is written, both make the same of it, or both refuse.

use cel::parser::{Parser, PrattParser};
use proptest::prelude::*;
use twiceproof_cel::Expression;

/// A parse without the numbers of its nodes, which each parser gives in an order of its own.
fn shape(parsed: &cel::IdedExpr) -> String {
    let text = format!("{parsed:?}");
    let mut parts = text.split("id: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |made, part| made + part.trim_start_matches(|it: char| it.is_ascii_digit()))
}

/// What the default parser reads, ours reads the same.
fn compare(source: &str) -> Result<(), TestCaseError> {
    let ours = PrattParser::new().parse(source);
    let other = Parser::new().parse(source);
    match (ours, other) {
        (Ok(ours), Ok(other)) => prop_assert_eq!(shape(&ours), shape(&other), "{}", source),
        (Err(_), Err(_)) => {}
        (Err(ours), Ok(_)) => prop_assert!(false, "{source}: ours alone refuses it: {ours}"),
        // Signs of two kinds in a row: no value has both, so that all such are refused over any event.
        (Ok(_), Err(other)) => prop_assert!(source.contains("- !") || source.contains("! -"), "{source}: {other}"),
    }
    Ok(())
}

const WORDS: [&str; 52] = [
    "event",
    ".",
    "data",
    ".id",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "in",
    " ",
    "\n",
    "1",
    "1.5",
    "0x1F",
    "2u",
    "1e3",
    "\"a\"",
    "'b'",
    "b'c'",
    "r'\\d'",
    "\"\\n\"",
    "true",
    "false",
    "null",
    "size",
    "string",
    "has(event.a)",
    ".map(x, x)",
    ".all(x, true)",
    ".exists(x, x == 1)",
    ".filter(x, x > 1)",
    "x",
    "é",
];

#[test]
fn both_parsers_agree_on_what_people_write() {
    for source in [
        "event.data.userId",
        "event.data.user + \"-\" + event.data.organisation",
        "string(event.data.userId) + '-' + event.data.orgId",
        "has(event.data.a) ? event.data.a : event.id",
        "event.data.tags.filter(t, t.startsWith('a')).map(t, t + '!')[0]",
        "event.data['a'].b[0]",
        "-event.data.n * 2 + 1 - 3 % 2 / 4",
        "!(event.a && event.b || !event.c) == true",
        "event.a in ['x', 'y'] && event.n >= 1 && event.n <= 2.5",
        "{'a': 1, 'b': [1, 2, 3]}.b[1]",
        "\"a\\u00e9\\x41\\n\" + r'\\d' + '''three'''",
        "// a comment\nevent.id",
        ".event.id",
    ] {
        compare(source).unwrap();
        assert!(Expression::compile(source).is_ok(), "{source}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_parsers_agree(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..14)) {
        // Apart: a digit and a letter without anything between them are a word to the one and two to the other.
        compare(&words.join(" "))?;
    }

    #[test]
    fn h12_nothing_panics(source in "\\PC{0,60}", event in "\\PC{0,20}") {
        if let Ok(fits) = Expression::compile(&source) {
            drop(fits.evaluate(&event));
        }
    }

    #[test]
    fn h12_words_in_any_order_never_panic(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..40)) {
        if let Ok(fits) = Expression::compile(&words.concat()) {
            drop(fits.evaluate(r#"{ "a": [1, 2.5, "x", null], "data": { "id": "u1" }, "id": 3 }"#));
        }
    }
}
