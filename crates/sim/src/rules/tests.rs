use super::*;

fn preset(system: &str, mode: &str) -> &'static Preset {
    PRESETS.iter().find(|preset| (preset.system, preset.mode) == (system, mode)).expect("a preset of this name")
}

fn thens(system: &str, mode: &str) -> [Then; 7] {
    let verdicts = judge(preset(system, mode), &STREAM);
    core::array::from_fn(|place| verdicts[place].then)
}

/// The table of how the documents and other systems disagree, as they state it themselves.
#[test]
fn each_system_does_with_the_stream_what_it_says_of_itself() {
    use Then::{Afterwards, Ignored, Joins, Refused, Replaces, Returns, Runs};
    for (system, mode, expected) in [
        ("The article's store", "24 h", [Runs, Joins, Returns, Returns, Runs, Runs, Runs]),
        ("Inngest", "event id", [Runs, Ignored, Ignored, Ignored, Runs, Ignored, Runs]),
        ("Inngest", "function key", [Runs, Ignored, Ignored, Ignored, Runs, Ignored, Runs]),
        ("Tako", "run id", [Runs, Returns, Returns, Refused, Runs, Returns, Returns]),
        ("Stripe", "v1", [Runs, Refused, Returns, Refused, Runs, Returns, Runs]),
        ("Stripe", "v2", [Runs, Refused, Returns, Refused, Runs, Runs, Returns]),
        ("IETF draft", "Idempotency-Key", [Runs, Refused, Returns, Refused, Runs, Returns, Runs]),
        ("Temporal", "defaults", [Runs, Refused, Runs, Runs, Runs, Runs, Runs]),
        ("Temporal", "UseExisting, RejectDuplicate", [Runs, Returns, Refused, Refused, Runs, Refused, Refused]),
        ("Temporal", "Fail, AllowDuplicateFailedOnly", [Runs, Refused, Refused, Refused, Runs, Runs, Refused]),
        ("Temporal", "TerminateExisting", [Runs, Replaces, Runs, Runs, Runs, Runs, Runs]),
        ("BullMQ", "job id", [Runs, Ignored, Ignored, Ignored, Runs, Ignored, Ignored]),
        ("BullMQ", "simple", [Runs, Ignored, Runs, Runs, Runs, Runs, Runs]),
        ("BullMQ", "throttle, 5 s", [Runs, Ignored, Runs, Runs, Runs, Runs, Runs]),
        ("BullMQ", "debounce, 5 s, extended", [Runs, Ignored, Runs, Runs, Runs, Runs, Runs]),
        ("BullMQ", "keep last if active", [Runs, Afterwards, Runs, Runs, Runs, Runs, Runs]),
        ("Trigger.dev", "v4", [Runs, Returns, Returns, Returns, Runs, Runs, Returns]),
        ("AWS Lambda", "durable functions", [Runs, Returns, Returns, Refused, Runs, Returns, Returns]),
    ] {
        assert_eq!(thens(system, mode), expected, "{system}, {mode}");
    }
    assert_eq!(PRESETS.len(), 18);
}

/// The second opinion on this project's own table: same name and payload is the existing one in every state.
#[test]
fn aws_and_tako_agree_in_everything() {
    assert_eq!(thens("Tako", "run id"), thens("AWS Lambda", "durable functions"));
}

#[test]
fn every_verdict_cites_the_rule_that_fired() {
    for preset in &PRESETS {
        let verdicts = judge(preset, &STREAM);
        assert_eq!(verdicts[0], Answer { then: Then::Runs, rule: "The key is new." });
        assert!(verdicts.iter().all(|verdict| verdict.rule.ends_with('.')), "{preset:?}");
    }
    let store = judge(preset("The article's store", "24 h"), &STREAM);
    assert!(store[6].rule.contains("24 hours from the finish is over"));
}

#[test]
fn a_window_ends_at_its_very_millisecond() {
    let at = |at: u64| Ask { at, ..STREAM[0] };
    let last = |system, mode, when: u64| judge(preset(system, mode), &[at(0), at(when)])[1].then;
    let day = 24 * HOUR;
    // From the finish, which is two seconds after the start; from acceptance.
    assert_eq!(
        (last("The article's store", "24 h", day + 1_999), last("The article's store", "24 h", day + 2_000)),
        (Then::Returns, Then::Runs)
    );
    assert_eq!((last("Inngest", "event id", day - 1), last("Inngest", "event id", day)), (Then::Ignored, Then::Runs));
}

#[test]
fn only_an_extended_window_slides() {
    let stream: Vec<Ask> = (0..5).map(|place| Ask { at: place * 4_000, ..STREAM[0] }).collect();
    let runs =
        |mode| judge(preset("BullMQ", mode), &stream).iter().filter(|verdict| verdict.then == Then::Runs).count();
    assert_eq!((runs("debounce, 5 s, extended"), runs("throttle, 5 s")), (1, 3));
}
