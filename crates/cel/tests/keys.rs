//! What an expression gives for an event: a key, or a refusal that names the field (SEMANTICS B14 to B21, 2.4; H10, H11, H13).

use twiceproof_cel::{EVENT_BYTES_MAX, Expression};

fn key(source: &str, event: &str) -> Result<String, String> {
    Expression::compile(source).unwrap_or_else(|problem| panic!("{problem}")).evaluate(event)
}

/// The key of an event with this data.
fn of(source: &str, data: &str) -> Result<String, String> {
    key(source, &format!(r#"{{ "id": "e1", "name": "user/signed.up", "ts": 7200001, "data": {data} }}"#))
}

fn refused(source: &str, data: &str, words: &str) {
    let reason = of(source, data).expect_err(source);
    assert!(reason.contains(words), "{source} over {data}: {reason}");
}

#[test]
fn b14_b17_the_value_decides_and_not_the_event() {
    let expression = Expression::compile("event.data.userId").unwrap();
    let first = expression.evaluate(r#"{ "id": "e1", "ts": 1, "data": { "userId": "u1", "plan": "a" } }"#);
    let second = expression.evaluate(r#"{ "id": "e2", "ts": 2, "data": { "plan": "b", "userId": "u1" } }"#);
    assert_eq!(first.as_deref(), Ok("u1"));
    assert_eq!(first, second);
    assert_ne!(first, expression.evaluate(r#"{ "data": { "userId": "u2" } }"#));
}

#[test]
fn b16_an_event_needs_no_id() {
    assert_eq!(key("event.data.userId", r#"{ "name": "n", "data": { "userId": "u1" } }"#).as_deref(), Ok("u1"));
    assert_eq!(key("event.name", r#"{ "name": "n" }"#).as_deref(), Ok("n"));
    assert!(key("event.id", r#"{ "name": "n" }"#).unwrap_err().contains("`event.id` is missing"));
}

#[test]
fn b19_dot_paths_and_plus_joins_texts() {
    let data = r#"{ "user": { "profile": { "email": "a@b.c" } }, "odd name": "x" }"#;
    assert_eq!(of("event.data.user.profile.email", data).as_deref(), Ok("a@b.c"));
    assert_eq!(of(r#"event.data["odd name"] + "/" + event.name"#, data).as_deref(), Ok("x/user/signed.up"));
}

#[test]
fn b20_composite_values_separate_valid_repeats() {
    let source = r#"event.data.user + "-" + event.data.organisation"#;
    assert_eq!(of(source, r#"{ "user": "u1", "organisation": "o1" }"#).as_deref(), Ok("u1-o1"));
    assert_eq!(of(source, r#"{ "user": "u1", "organisation": "o2" }"#).as_deref(), Ok("u1-o2"));
}

#[test]
fn b21_one_key_for_each_prompt_and_user() {
    let source = r#"event.data.promptHash + ":" + event.data.user"#;
    assert_eq!(of(source, r#"{ "promptHash": "9f", "user": "u1" }"#).as_deref(), Ok("9f:u1"));
}

#[test]
fn h10_h13_numbers_of_json_are_one_kind() {
    for one in ["1", "1.0", "1e0", "10e-1"] {
        let data = format!(r#"{{ "n": {one} }}"#);
        assert_eq!(of("event.data.n", &data).as_deref(), Ok("=1"), "{one}");
        assert_eq!(of("event.data.n + 1", &data).as_deref(), Ok("=2"), "{one}");
        assert_eq!(of("1.5 + event.data.n", &data).as_deref(), Ok("=2.5"), "{one}");
        assert_eq!(of("string(event.data.n)", &data).as_deref(), Ok("1"), "{one}");
        assert_eq!(of("event.data.n == 1 && event.data.n == 1.0", &data).as_deref(), Ok("=true"), "{one}");
    }
    let data = r#"{ "n": 80, "half": 80.5, "neg": -3, "zero": -0.0 }"#;
    let cases = [
        ("event.data.n + 1", "=81"),
        ("event.data.neg + 1", "=-2"),
        ("event.data.half + 1", "=81.5"),
        ("event.data.half - 0.5", "=80"),
        ("event.data.half * 2", "=161"),
        ("event.data.half % 1", "=0.5"),
        ("event.data.half == 80", "=false"),
        ("event.data.half > 80", "=true"),
        ("event.data.zero == 0", "=true"),
        ("event.data.zero", "=0"),
        ("-event.data.neg", "=3"),
        ("event.data.n + 1u", "=81"),
        ("event.ts / 3600000", "=2"),
    ];
    for (source, expected) in cases {
        assert_eq!(of(source, data).as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn h10_a_number_is_joined_to_a_text_by_its_own_text_only() {
    let data = r#"{ "userId": 42, "orgId": "o1", "share": 0.1, "tiny": 0.0000001 }"#;
    refused(r#"event.data.userId + "-" + event.data.orgId"#, data, "`+` is not for a number and a text; string(…)");
    assert_eq!(of(r#"string(event.data.userId) + "-" + event.data.orgId"#, data).as_deref(), Ok("42-o1"));
    assert_eq!(of("string(event.data.share + 0.2)", data).as_deref(), Ok("0.30000000000000004"));
    assert_eq!(of("string(event.data.tiny)", data).as_deref(), Ok("1e-7"));
}

#[test]
fn s2_3_a_text_a_number_and_a_truth_never_share_a_key() {
    let of_value = |value: &str| of("event.data.v", &format!(r#"{{ "v": {value} }}"#)).unwrap();
    let values = [r#""1""#, "1", "true", r#""true""#, r#""=1""#, r#""=true""#, r#""==1""#, "1.5", r#""1.5""#];
    let keys: Vec<String> = values.iter().map(|value| of_value(value)).collect();
    assert_eq!(keys, ["1", "=1", "=true", "true", "==1", "==true", "===1", "=1.5", "1.5"]);
}

#[test]
fn h10_numbers_that_stand_for_their_neighbours_are_no_keys() {
    for id in ["9007199254740992", "9007199254740993", "1e300", "-9007199254740993"] {
        let data = format!(r#"{{ "id": {id} }}"#);
        refused("event.data.id", &data, "beyond 2^53");
        refused("string(event.data.id)", &data, "beyond 2^53");
    }
    assert_eq!(of("event.data.id", r#"{ "id": 9007199254740991 }"#).as_deref(), Ok("=9007199254740991"));
    // Whole numbers of the expression's own are exact.
    assert_eq!(of("9007199254740992 + 1", "{}").as_deref(), Ok("=9007199254740993"));
}

#[test]
fn h11_what_is_missing_or_null_is_refused_and_named() {
    refused("event.data.cartId", "{}", "`event.data.cartId` is missing");
    refused(r#"event.data.cartId + "-x""#, "{}", "`event.data.cartId` is missing");
    refused("event.data.a.b.c", "{}", "`event.data.a` is missing");
    refused("event.data.a.b", r#"{ "a": "text" }"#, "`event.data.a` is a text and has no fields");
    refused("event.data.a", r#"{ "a": null }"#, "`event.data.a`: the result is null");
    refused(r#"event.data.a + "-x""#, r#"{ "a": null }"#, "`event.data.a` is null");
    refused(r#"event.data["a"]"#, "{}", "`event.data.a` is missing");
    assert_eq!(of("has(event.data.a)", "{}").as_deref(), Ok("=false"));
    refused("has(event.data.a.b)", "{}", "`event.data.a` is missing");
    assert_eq!(of(r#"has(event.data.a) ? event.data.a : "none""#, "{}").as_deref(), Ok("none"));
}

#[test]
fn s2_13_lists_objects_bytes_and_types_are_no_keys() {
    let data = r#"{ "list": [1], "object": { "a": 1 } }"#;
    refused("event.data.list", data, "is a list");
    refused("event.data.object", data, "is an object");
    refused("event", data, "is an object");
    refused("b'abc'", data, "is bytes");
    refused("type(event)", data, "is a type");
    refused("1.0 / 0.0", data, "infinite");
    refused("0.0 / 0.0", data, "not a number");
}

#[test]
fn s2_4_the_rules_of_every_key_hold() {
    refused("event.data.v", r#"{ "v": "" }"#, "got an empty string");
    refused("event.data.v", r#"{ "v": "a\u0000b" }"#, "without NUL");
    let long = |bytes: usize| format!(r#"{{ "v": "{}" }}"#, "a".repeat(bytes));
    assert!(of("event.data.v", &long(255)).is_ok());
    refused("event.data.v", &long(256), "at most 255 bytes");
    assert_eq!(of("event.data.v", r#"{ "v": " É " }"#).as_deref(), Ok(" É "));
}

#[test]
fn loops_and_functions_work() {
    let data = r#"{ "tags": ["a", "b"], "s": "text" }"#;
    let cases = [
        (r#"event.data.tags.map(tag, tag + "!")[1]"#, "b!"),
        (r#"event.data.tags.filter(tag, tag != "a")[0]"#, "b"),
        (r#"event.data.tags.exists(tag, tag == "b")"#, "=true"),
        (r#"event.data.tags.exists_one(tag, tag == "b")"#, "=true"),
        ("event.data.tags.all(tag, size(tag) == 1)", "=true"),
        (r#""a" in event.data.tags"#, "=true"),
        (r#"event.data.s.startsWith("te") && event.data.s.endsWith("xt") && event.data.s.contains("ex")"#, "=true"),
        ("event.data.tags.size() + size(event.data.s)", "=6"),
        ("type(event.data.s) == string", "=true"),
        ("(event.data.tags + [\"c\"])[2]", "c"),
        ("{\"a\": event.data.s}.a", "text"),
        ("int(\"5\") + int(1.9) + uint(2)", "=8"),
        ("double(1) + 1", "=2"),
        ("string(bool(\"true\"))", "true"),
        ("dyn(event.data.s)", "text"),
        ("size(bytes(event.data.s))", "=4"),
    ];
    for (source, expected) in cases {
        assert_eq!(of(source, data).as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn what_cannot_be_evaluated_says_why() {
    let data = r#"{ "s": "text", "n": 1, "tags": ["a"] }"#;
    let cases = [
        ("event.data.n / 0", "divides by zero"),
        ("event.data.n % 0", "divides by zero"),
        ("event.data.n % 0.0", "divides by zero"),
        ("9223372036854775807 + event.data.n", "64 bits"),
        ("event.data.tags[5]", "no item at that place"),
        ("event.data.s < 1", "`<` is not for a text and a number"),
        ("!event.data.s", "`!` is not for a text"),
        ("-event.data.s", "`-` is not for a text"),
        ("event.data.s - event.data.s", "`-` is not for a text and a text"),
        ("event.data.s ? 1 : 2", "true or false is needed, and it is a text"),
        ("event.data.n.map(x, x)", "a list or an object is needed, and it is a number"),
        ("int(event.data.s)", "int()"),
        ("string(event.data.tags)", "string() makes no text of a list"),
        ("event.data.n.contains(\"a\")", "contains() is not for a number and a text"),
        ("{\"a\": 1, \"a\": 2}.a", "a name twice"),
    ];
    for (source, words) in cases {
        refused(source, data, words);
    }
}

#[test]
fn an_event_that_is_no_json_or_too_large_is_refused() {
    for event in ["", "{", "{\"a\": NaN}", r#"{ "a": "\ud800" }"#] {
        assert!(key("event.a", event).unwrap_err().contains("no JSON"), "{event}");
    }
    let large = format!(r#"{{ "a": "x", "b": "{}" }}"#, "b".repeat(EVENT_BYTES_MAX));
    assert!(key("event.a", &large).unwrap_err().contains("at most 262144 are read"));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(key("size(event)", &deep).is_err());
}
