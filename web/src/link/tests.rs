use std::rc::Rc;

use proptest::prelude::*;
use twiceproof_sim::doors::{Door, Doors};
use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation, Retry, Scenario, Step};
use twiceproof_sim::strategy::{RetryScope, SentKey, Strategy as Protection};
use twiceproof_sim::table::{JOBS_MAX, TableParams};

use super::*;
use crate::below::{Below, KeyField};
use crate::compare::{Tab, behind, with_steps};
use crate::story::AttemptName;

/// A link that can be read whole.
fn whole(link: Link) -> (Link, Vec<LinkError>) {
    (link, vec![])
}

fn good(fragment: &str) -> Link {
    let (link, wrong) = read(fragment);
    assert_eq!(wrong, [], "{fragment}");
    link
}

#[test]
fn what_is_wrong_with_one_part_leaves_the_others() {
    let says = |fragment: &str| read(fragment).1.iter().map(ToString::to_string).collect::<Vec<_>>();
    let fragment = "v1;key=same;n=0;f=l1.9.1;ops=zzz;i=3;sel=1;t.jobs=0;t.n=0;t.pf=0.5;k.open=1;rules=nobody;key=new";
    let (link, wrong) = read(fragment);
    let kept = good("v1;key=same;i=3;t.pf=0.5;k.open=1");
    assert_eq!((link, wrong.len()), (kept, 8), "{:?}", says(fragment));
    // A story with a part that cannot be is that story, and a part may stand before the one that it needs.
    assert_eq!(read("v1;story=restart;n=0;i=4").0, good("v1;story=restart;i=4"));
    let early = read("v1;f=x1.4.1;steps=a~p~a~d~1~0,b~p~b~d~1~0,c~p~c~d~1~0,d~p~d~d~1~1");
    assert_eq!((early.0.scenario.steps.len(), early.0.scenario.faults.len(), early.1), (4, 1, vec![]));
    assert_eq!(says("v1;t.jobs=0"), ["\"t.jobs\" needs a whole number from 1, got \"0\""]);
}

#[test]
fn a_sign_up_of_the_table_is_written_in_one_way() {
    for origin in ["1.emails.26", "4.again.1", "5.failed.1000000000"] {
        let fragment = format!("v1;steps=article;of={origin}");
        assert_eq!(write(&good(&fragment)), fragment);
    }
    for wrong in [
        "0.emails.1",
        "6.emails.1",
        "1.emails.0",
        "1.cats.1",
        "1.emails",
        "1.emails.01",
        "+1.emails.1",
        "1.emails.1.1",
        "",
    ] {
        assert_eq!(read(&format!("v1;of={wrong}")).1.len(), 1, "{wrong}");
    }
}

#[test]
fn an_empty_fragment_is_the_default_state_and_the_other_way_round() {
    assert_eq!(read(""), whole(Link::default()));
    assert_eq!(read("#"), whole(Link::default()));
    assert_eq!(write(&Link::default()), "v1");
}

#[test]
fn a_typical_link_can_be_read_by_people_and_is_short() {
    let fragment = "v1;story=lost-reply;key=same;store=1;pf=0.01;ttl=never;f=l1.2.1,x2.1.1;ops=a1@0,a1@5,k1@90,r@120;i=14;sel=1.2.1";
    let link = good(fragment);
    assert_eq!(link.scenario.faults[0], Fault { job: 1, step: 2, attempt: 1, kind: FaultKind::LoseReply });
    assert_eq!(link.scenario.operations[2], Operation { at: 90, action: Action::ForgetKeys { user: 0 } });
    assert_eq!((link.index, link.scenario.key_ttl_ms), (14, None));
    assert_eq!(write(&link), fragment);
    assert!(fragment.len() <= 300);
}

#[test]
fn the_table_stands_in_the_link_in_the_shortest_numbers() {
    let fragment = "v1;pf=1e-10;t.jobs=100000000;t.pf=0.0029;t.lr=1e-9;t.n=4;t.steps=5;t.seed=9;t.tab=chart";
    let link = good(fragment);
    assert_eq!((link.comparison.params.lost_step, link.comparison.tab), (5, Tab::Chart));
    assert_eq!(write(&link), fragment);
}

#[test]
fn the_sections_below_and_the_bet_stand_in_the_link() {
    let fragment = "v1;story=lost-reply;f=l1.2.1;i=3;bet=2;doors=event,function,provider;rules=stripe-v1;k.open=1;k.key=event%2Eid";
    let link = good(fragment);
    assert_eq!((link.bet, link.below.rules), (Some(1), crate::rules::named("stripe-v1")));
    assert_eq!(link.below.doors, Doors { run_id: false, step_key: false, ..Doors::SHUT });
    assert_eq!((link.below.key.open, &*link.below.key.source), (true, "event.id"));
    assert_eq!(link.below.key.events, KeyField::default().events);
    assert_eq!(write(&link), fragment);
    assert_eq!(write(&good("v1;doors=none")), "v1;doors=none");
}

#[test]
fn what_says_nothing_of_the_sections_below_leaves_them_as_they_are_at_first() {
    let link = good("v1;story=lost-reply;key=same;f=l1.2.1;i=14;t.tab=chart");
    assert_eq!((link.below, link.bet), (Below::default(), None));
}

#[test]
fn a_text_that_is_too_long_for_a_link_is_left_out_and_the_rest_stays() {
    for length in [1_000, 300_000] {
        let mut link = good("v1;i=3;rules=stripe-v1;k.open=1");
        link.below.key.events[1] = "{\"".repeat(length / 2).into();
        let fitted = fit(&link).unwrap();
        assert_eq!((&*fitted.fragment, fitted.without_key), ("v1;i=3;rules=stripe-v1;k.open=1", true));
    }
    let link = good("v1;i=3;k.1=%7B%7D");
    assert_eq!(fit(&link), Some(Fitted { fragment: "v1;i=3;k.1=%7B%7D".into(), without_key: false }));
    let mut link = Link::default();
    link.unknown.push(("x".into(), "y".repeat(LENGTH_MAX)));
    assert_eq!(fit(&link), None);
}

#[test]
fn the_link_of_every_story_is_short_and_the_article_s_steps_are_a_word_in_it() {
    for story in &crate::stories::ALL {
        let link = Link { story: Some(story.name.into()), scenario: story.scenario(), index: 50, ..Link::default() };
        let fragment = write(&link);
        assert!(fragment.len() <= 300, "{fragment}");
        assert_eq!(read(&fragment), whole(link));
    }
    let link = Link { scenario: crate::stories::named("a-million").unwrap().scenario(), ..Link::default() };
    assert_eq!(write(&link), "v1;seed=1;timeout=80;steps=article;f=l1.7.1");
    // As earlier links wrote them.
    let steps =
        link.scenario.steps.iter().map(|step| {
            format!("{}~{}~{}~{}~20~{}", step.name, step.provider, step.key, step.done, u8::from(step.email))
        });
    let long = format!("v1;seed=1;timeout=80;steps={};f=l1.7.1", steps.collect::<Vec<_>>().join(","));
    assert_eq!(read(&long), whole(link));
}

#[test]
fn parts_of_later_versions_are_kept() {
    let fragment = "v1;i=3;glow=1;odd";
    assert_eq!(write(&good(fragment)), "v1;i=3;glow=1;odd=");
}

#[test]
fn a_broken_link_names_its_part() {
    let message = |fragment: &str| read(fragment).1.remove(0).to_string();
    assert_eq!(message("v9;i=1"), "the link is of version \"v9\", and this page reads v1");
    assert_eq!(message("<script>"), "the link is of version \"<script>\", and this page reads v1");
    assert_eq!(
        message("story=lost-reply"),
        "the link begins with \"story=lost-reply\" where \"v1;\" has to be, which says how to read it"
    );
    assert_eq!(message("v1;n=lots"), "\"n\" needs a whole number, got \"lots\"");
    assert_eq!(
        message("v1;n=0"),
        "the scenario cannot be run: retry.attempts needs a whole number from 1 to 20, got 0"
    );
    assert_eq!(message("v1;pf=NaN"), "\"pf\" needs a probability from 0 to 1, got \"NaN\"");
    assert_eq!(message("v1;i=1;i=2"), "\"i\" appears twice");
    assert!(message("v1;ops=a0@0").starts_with("\"ops\" needs operations like a1@0"));
    assert!(message("v1;f=l1.2").starts_with("\"f\" needs faults like l1.2.1"));
    assert!(message(&format!("v1;x={}", "a".repeat(5000))).contains("5005 characters"));
    assert_eq!(
        message("v1;t.n=0"),
        "the table cannot be computed: `attempts` needs to be a whole number from 1 to 100, got 0"
    );
    for wrong in ["doors=", "doors=cat", "doors=run,event", "doors=run,run", "doors=none,run", "doors=%00"] {
        assert!(
            message(&format!("v1;{wrong}")).contains("\"doors\" needs none, or those of event, function"),
            "{wrong}"
        );
    }
    assert!(message("v1;rules=nobody").contains("\"rules\" needs a system of the table"));
    assert!(message("v1;k.open=2").contains("\"k.open\" needs 0 or 1"));
    assert!(message("v1;k.key=%FF").contains("\"k.key\" needs a text"));
    assert_eq!(message("v1;bet=11"), "\"bet\" needs an answer from 1 to 10, got \"11\"");
    for wrong in ["0", "-1", "+1", "99999999999999999999", "<b>"] {
        assert!(message(&format!("v1;bet={wrong}")).contains("\"bet\" needs the number of an answer"), "{wrong}");
    }
    assert_eq!(message("v1;story=lost-reply;f=l1.2.1;bet=5"), "\"bet\" needs an answer from 1 to 4, got \"5\"");
    assert!(message("v1;t.tab=pie").contains("needs table, chart or text"));
    assert!(message("v1;ops=a1@9,a1@5").contains("operations[1].at"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_state_survives_its_link(link in links()) {
        let fragment = write(&link);
        // Longer ones are not put into links.
        if fragment.chars().count() <= LENGTH_MAX {
            prop_assert_eq!(read(&fragment), whole(link));
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in ".{0,200}", tail in "[a-z]{1,8}=[0-9a-z.,@~%_-]{0,40}") {
        let _ = read(&text);
        let _ = read(&format!("v1;{text}"));
        let _ = read(&format!("v1;{tail}"));
    }
}

fn links() -> impl Strategy<Value = Link> {
    let selected = proptest::option::of((1..9u32, 1..9u32, 1..9u32))
        .prop_map(|some| some.map(|(job, step, attempt)| AttemptName { job, step, attempt }));
    let bet = proptest::option::of(0..9usize);
    let looks = (0..5000usize, selected, any::<bool>(), bet);
    (proptest::option::of("[a-z-]{1,20}"), scenarios(), looks, comparisons(), belows()).prop_map(
        |(story, scenario, (index, selected, worker_only, bet), comparison, below)| Link {
            story,
            scenario,
            index,
            selected,
            worker_only,
            origin: None,
            bet,
            comparison,
            below,
            unknown: vec![],
        },
    )
}

fn belows() -> impl Strategy<Value = Below> {
    let doors = proptest::array::uniform5(any::<bool>()).prop_map(|shut| {
        Door::ALL.into_iter().zip(shut).fold(Doors::default(), |doors, (door, shut)| doors.with(door, shut))
    });
    let text = |default: Rc<str>| prop_oneof![2 => Just(default), 1 => "\\PC{0,60}".prop_map(Rc::from)];
    let KeyField { source, events: [one, two], .. } = KeyField::default();
    let key = (any::<bool>(), text(source), text(one), text(two)).prop_map(|(open, source, one, two)| KeyField {
        open,
        source,
        events: [one, two],
    });
    let rules = proptest::option::of(0..twiceproof_sim::rules::PRESETS.len());
    (doors, rules, key).prop_map(|(doors, rules, key)| Below { doors, rules, key })
}

fn comparisons() -> impl Strategy<Value = Comparison> {
    let tabs = proptest::sample::select(Tab::ALL.to_vec());
    let params = (1..=JOBS_MAX, 0.0..=1.0_f64, 0.0..1e-9_f64, 1..=100u32, 1..=1000u32, any::<u32>());
    (params, tabs).prop_map(|((jobs, fail, lost, attempts, steps, seed), tab)| {
        let params = TableParams { jobs, fail, lost, attempts, seed, ..TableParams::default() };
        Comparison { params: with_steps(steps, &params), tab }
    })
}

fn scenarios() -> impl Strategy<Value = Scenario> {
    let windows = || proptest::option::of(0..=34_560_000_000u64);
    let retry = (1..=20u32, 0..10_000u64, 0..100_000u64, any::<bool>()).prop_map(
        |(attempts, base_delay_ms, max_delay_ms, jitter)| Retry { attempts, base_delay_ms, max_delay_ms, jitter },
    );
    let rules = (1..=50u32, 1..=3_600_000u64, windows(), windows(), any::<bool>(), any::<bool>());
    (any::<u64>(), protections(), retry, rules, 0.0..=1.0f64, 0.0..=1.0f64, steps(), operations()).prop_flat_map(
        |(seed, strategy, retry, rules, fail, lost, steps, operations)| {
            let (workers, timeout_ms, key_ttl_ms, provider_window_ms, store_compares_data, provider_compares_data) =
                rules;
            faults(steps.len() as u32).prop_map(move |faults| Scenario {
                version: twiceproof_sim::scenario::VERSION,
                seed,
                strategy,
                retry,
                workers,
                timeout_ms,
                key_ttl_ms,
                store_compares_data,
                provider_window_ms,
                provider_compares_data,
                fail,
                lost,
                steps: steps.clone(),
                faults,
                operations: operations.clone(),
            })
        },
    )
}

fn protections() -> impl Strategy<Value = Protection> {
    let retry = prop_oneof![Just(RetryScope::EachStep), Just(RetryScope::WholeJob)];
    let key = prop_oneof![Just(SentKey::None), Just(SentKey::NewEachCall), Just(SentKey::Same)];
    (retry, key, any::<bool>(), any::<bool>()).prop_map(|(retry, key, skip_finished, provider_remembers)| Protection {
        retry,
        key,
        skip_finished,
        provider_remembers,
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let own = proptest::collection::vec((".{1,12}", ".{0,12}", ".{0,12}", 0..=3_600_000u64, any::<bool>()), 1..5)
        .prop_map(|drawn| {
            let number = |index: usize, text: String| format!("{index} {text}");
            let step = |(index, (text, provider, done, latency_ms, email))| Step {
                name: number(index, text),
                provider,
                key: format!("key-{index}"),
                done,
                latency_ms,
                email,
            };
            drawn.into_iter().enumerate().map(step).collect()
        });
    prop_oneof![3 => Just(Scenario::default().steps), 1 => Just(behind::article_steps()), 1 => own]
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let action = prop_oneof![
        4 => (0..6u32, 0..3u32).prop_map(|(user, data)| Action::Add { user, data }),
        1 => Just(Action::Restart),
        1 => (0..6u32).prop_map(|user| Action::ForgetKeys { user }),
    ];
    proptest::collection::vec((0..500u64, action), 0..12).prop_map(|drawn| {
        let mut at = 0;
        let place = |(gap, action)| {
            at += gap;
            Operation { at, action }
        };
        drawn.into_iter().map(place).collect()
    })
}

fn faults(steps: u32) -> impl Strategy<Value = Vec<Fault>> {
    let kind = prop_oneof![Just(FaultKind::Fail), Just(FaultKind::LoseReply), Just(FaultKind::Succeed)];
    let fault = (1..=200u32, 1..=steps, 1..60u32, kind).prop_map(|(job, step, attempt, kind)| Fault {
        job,
        step,
        attempt,
        kind,
    });
    proptest::collection::vec(fault, 0..8)
}
