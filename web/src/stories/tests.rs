use std::rc::Rc;

use super::*;
use crate::compare::behind;
use crate::edit;
use twiceproof_sim::table::{TableParams, article::PRINTED, format};

fn told(scenario: &Scenario) -> Story {
    let trace = twiceproof_sim::run::run(scenario).unwrap();
    Story::new(scenario, trace.entries.into())
}

fn emails(story: &Story) -> usize {
    story.people.iter().map(|person| person.emails.len()).sum()
}

#[test]
fn every_story_ends_with_the_emails_its_captions_speak_of_and_its_bet_is_decided_by_it() {
    let ends = ALL.map(|entry| {
        let story = told(&entry.scenario());
        (entry.name, emails(&story), entry.bet.choices[(entry.bet.right)(&story)])
    });
    let expected = [
        ("lost-reply", 2, "2 emails"),
        ("same-twice", 2, "Nothing"),
        ("both-at-once", 1, "Share the first one's"),
        ("store-still-doubles", 2, "No, two emails"),
        ("provider-key", 1, "1 email"),
        ("new-key", 2, "No key at all"),
        ("whole-job", 1, "Saving the user"),
        ("skip-finished", 1, "No"),
        ("forgotten-too-soon", 2, "Nothing"),
        ("other-data", 1, "The first result"),
        ("restart", 2, "Nothing of the store"),
        ("a-million", 2, "About 5,000"),
    ];
    assert_eq!(ends, expected);
}

#[test]
fn every_caption_has_a_place_of_its_own_in_the_order_they_are_told() {
    for entry in &ALL {
        let story = told(&entry.scenario());
        let telling = Telling::new(entry, &Rc::new(story.clone()));
        let stops: Vec<usize> = telling.stops().collect();
        assert_eq!(stops.len(), entry.captions.len(), "{}", entry.name);
        assert!(stops.is_sorted_by(|a, b| a < b), "{}: {stops:?}", entry.name);
        assert!((4..=9).contains(&stops.len()) && stops[0] == 0 && stops[stops.len() - 1] == story.len());
        assert!(telling.bet_at() < story.len(), "{}: nothing is left to bet on", entry.name);
        for (number, at) in stops.iter().enumerate() {
            assert_eq!((telling.current(*at), telling.text_at(*at)), (number, Some(entry.captions[number].text)));
        }
    }
}

#[test]
fn captions_fit_their_place() {
    for entry in &ALL {
        for text in entry.captions.iter().map(|caption| caption.text).chain([entry.bet.question, entry.now_you.text]) {
            assert!(text.len() <= 140, "{}: {text}", entry.name);
        }
    }
}

#[test]
fn what_is_to_be_tried_changes_something() {
    let ends = ALL.map(|entry| {
        let scenario = entry.scenario();
        let before = told(&scenario);
        let after = told(&edit::apply(&scenario, &(entry.now_you.edit)(), before.time(before.len())).unwrap());
        (entry.name, emails(&after), after.counts.total(Kind::Conflict), after.counts.total(Kind::GaveUp))
    });
    let expected = [
        ("lost-reply", 1, 0, 0),
        ("same-twice", 3, 0, 0),
        ("both-at-once", 2, 0, 0),
        ("store-still-doubles", 1, 0, 0),
        ("provider-key", 2, 0, 0),
        ("new-key", 1, 0, 0),
        ("whole-job", 1, 0, 0),
        ("skip-finished", 1, 0, 0),
        ("forgotten-too-soon", 1, 0, 0),
        ("other-data", 1, 1, 1),
        ("restart", 1, 0, 0),
        ("a-million", 1, 0, 0),
    ];
    assert_eq!(ends, expected);
}

#[test]
fn a34_a36_the_million_s_captions_say_what_its_table_and_theory_say() {
    let million = named("a-million").unwrap();
    let says = |caption: usize, what: String| {
        assert!(million.captions[caption].text.contains(&what), "{what}: {}", million.captions[caption].text);
    };
    let (number, scenario) = behind::first_two_emails(0).unwrap();
    assert_eq!(scenario, million.scenario());
    says(0, format!("sign-up {number} of the table's million"));
    says(1, format!("None of the {} sign-ups before", number - 1));
    says(5, format!("Row 1 below counts {} of a million", format::grouped(PRINTED[0].two_emails)));
    says(5, format!("theory expects {}.", format::grouped(list::two_emails_expected(0).round() as u64)));
    says(5, format!("Row 3 counts {}:", PRINTED[2].two_emails));
    assert_eq!(behind::first_two_emails(2), None, "nobody in row 3 gets two");
    // The settings that the first caption tells.
    let params = TableParams::default();
    assert_eq!((params.steps, params.fail, params.lost, params.jobs), (10, 0.01, 0.005, 1_000_000));
    let without_retries = 1.0 - (1.0 - params.fail).powi(10);
    assert!((0.09..0.1).contains(&without_retries), "{without_retries}");
}

#[test]
fn the_whole_job_again_repeats_the_step_without_a_key_and_a_store_spares_it() {
    let whole_job = named("whole-job").unwrap();
    assert_eq!(told(&whole_job.scenario()).counts.total(Kind::DoneAgain), 1);
    let spared = edit::apply(&whole_job.scenario(), &(whole_job.now_you.edit)(), 0).unwrap();
    assert_eq!(told(&spared).counts.total(Kind::DoneAgain), 0);
}
