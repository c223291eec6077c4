//! Expressions that cannot be used: what is wrong and where (H12), and nothing that a stack or a memory could not bear.

use twiceproof_cel::{Code, Expression, NESTING_MAX, Problem, SOURCE_BYTES_MAX, TURNS_MAX};

fn problem(source: &str) -> Problem {
    Expression::compile(source).expect_err(source)
}

#[test]
fn h12_unfinished_expressions_are_errors_with_a_position() {
    // The source, the code, and where: line, column, offset.
    let cases = [
        ("1 +", Code::Syntax, (1, 4, 3)),
        ("(", Code::Syntax, (1, 2, 1)),
        (")", Code::Syntax, (1, 1, 0)),
        ("", Code::Empty, (1, 1, 0)),
        ("   ", Code::Empty, (1, 1, 0)),
        ("event.data.", Code::Syntax, (1, 12, 11)),
        ("event.a ++ event.b", Code::Syntax, (1, 10, 9)),
        ("event\n  .data[", Code::Syntax, (2, 9, 14)),
        ("\"é😀\" + user", Code::UnknownName, (1, 8, 8)),
        ("'abc", Code::Syntax, (1, 1, 0)),
        ("99999999999999999999", Code::Syntax, (1, 1, 0)),
        ("event.?id", Code::Syntax, (1, 6, 5)),
    ];
    for (source, code, place) in cases {
        let found = problem(source);
        assert_eq!((found.code, (found.line, found.column, found.offset)), (code, place), "{source:?}: {found}");
    }
}

#[test]
fn h12_the_excerpt_marks_the_place() {
    assert_eq!(problem("event.id +\n  user.id").excerpt, "  user.id\n  ^");
    let long = format!("{} + user", ["event.id"; 12].join(" + "));
    let excerpt = problem(&long).excerpt;
    let (line, mark) = excerpt.split_once('\n').unwrap();
    assert!(line.chars().count() <= 72, "{excerpt}");
    assert_eq!(line.chars().nth(mark.chars().count() - 1), Some('u'), "{excerpt}");
}

#[test]
fn b19_only_the_event_is_known() {
    for (source, name, offset) in [
        ("user.id", "user", 0),
        ("event.data.user + user.id", "user", 18),
        ("event.data.tags.map(tag, tag + it)", "it", 31),
        ("event.data.tags.map(tag, tag)[0] + tag", "tag", 20),
        ("Account{id: 1}", "Account", 0),
    ] {
        let found = problem(source);
        assert_eq!((found.code, found.offset), (Code::UnknownName, offset), "{source}");
        assert!(found.message.contains(&format!("`{name}` is not known")), "{found}");
    }
    for source in ["event.event", "event.data.tags.map(user, user)[0]", ".event.id", "has(event.data.user)"] {
        assert!(Expression::compile(source).is_ok(), "{source}");
    }
}

#[test]
fn functions_that_there_are_not_are_named() {
    for (source, name, offset) in [
        ("hash(event.id)", "hash", 0),
        ("event.id.matches('a')", "matches", 9),
        ("event.lower()", "lower", 6),
        ("timestamp('x')", "timestamp", 0),
        ("optional.of(1)", "of", 9),
    ] {
        let found = problem(source);
        assert_eq!((found.code, found.offset), (Code::UnknownFunction, offset), "{source}");
        assert!(found.message.contains(&format!("the function `{name}` is not known")), "{found}");
    }
    for source in ["event.map(x)", "size()", "size(1, 2)", "string()", "contains('a')", "event.string()"] {
        let found = problem(source);
        assert_eq!(found.code, Code::UnknownFunction, "{source}");
        assert!(found.message.contains("is not called like this"), "{found}");
    }
}

#[test]
fn limits_hold_before_the_parser() {
    let longest = format!("'{}'", "a".repeat(SOURCE_BYTES_MAX - 2));
    assert!(Expression::compile(&longest).is_ok());
    assert_eq!(problem(&format!("{longest} ")).code, Code::TooLong);
    for open in ["(", "[", "{1:", "size(", "event.a(["] {
        let found = problem(&open.repeat(NESTING_MAX + 1));
        assert_eq!(found.code, Code::TooDeep, "{open}: {found}");
    }
}

/// What is deep without a bracket.
#[test]
fn h12_long_chains_are_refused_and_harm_nothing() {
    for (start, more) in
        [("1", "+1"), ("1", "-1"), ("event", ".a"), ("event", "[0]"), ("true", "&&true"), ("1", "?1:1")]
    {
        let hostile = format!("{start}{}", more.repeat((SOURCE_BYTES_MAX - start.len()) / more.len()));
        match Expression::compile(&hostile) {
            Ok(fits) => drop(fits.evaluate("{}")),
            Err(found) => assert_eq!(found.code, Code::TooDeep, "{more}: {found}"),
        }
    }
    for sign in ["!", "-", "- ", "! "] {
        let hostile = format!("{}1", sign.repeat((SOURCE_BYTES_MAX - 1) / sign.len()));
        drop(Expression::compile(&hostile).map(|fits| fits.evaluate("{}")));
    }
    let fits = format!("event.a{}", " + event.a".repeat(NESTING_MAX - 2));
    assert!(Expression::compile(&fits).unwrap().evaluate(r#"{ "a": 1 }"#).is_ok());
}

#[test]
fn loops_in_loops_are_bounded() {
    let list = format!("[{}]", vec!["1"; 1_000].join(","));
    let event = format!(r#"{{ "l": {list} }}"#);
    for source in [
        "event.l.map(a, event.l.map(b, a + b))[0][0]",
        "event.l.all(a, event.l.all(b, event.l.all(c, event.l.all(d, a + b + c + d > 0))))",
        "event.l.exists(a, event.l.exists(b, event.l.exists(c, event.l.exists(d, a + b + c + d < 0))))",
        "event.l.filter(a, event.l.exists_one(b, event.l.exists_one(c, a == b))).size()",
    ] {
        let begun = std::time::Instant::now();
        let reason = Expression::compile(source).unwrap().evaluate(&event).expect_err(source);
        assert!(reason.contains(&format!("more than {TURNS_MAX} turns")), "{source}: {reason}");
        assert!(begun.elapsed().as_secs() < 5, "{source} took {:?}", begun.elapsed());
    }
    let one_loop = Expression::compile("event.l.map(a, a + 1)[999]").unwrap();
    for _ in 0..20 {
        assert_eq!(one_loop.evaluate(&event).as_deref(), Ok("=2"), "every evaluation has its turns");
    }
}

#[test]
fn texts_do_not_grow_without_bound() {
    let event = format!(r#"{{ "s": "{}" }}"#, "x".repeat(10_000));
    let reason = Expression::compile("event.s + event.s").unwrap().evaluate(&event).unwrap_err();
    assert!(reason.contains("more than 4096 bytes"), "{reason}");
}
