use proptest::prelude::*;

use super::*;
use crate::app::action::Action;
use crate::edit::Edit;

fn acted(actions: impl IntoIterator<Item = Action>) -> State {
    let mut state = State::default();
    actions.into_iter().for_each(|action| state.act(action));
    state
}

#[test]
fn it_starts_paused_at_the_beginning() {
    let state = State::default();
    assert!(!state.playing && state.index == 0 && state.notice.is_none());
}

#[test]
fn a_hostile_fragment_opens_the_default_scenario_and_says_why() {
    for (fragment, says) in [
        ("v2;i=3", "This is the default scenario, because"),
        ("<img src=x>", "This is the default scenario, because"),
        ("v1;ops=zzz", "Not all of the link can be read: \"ops\" needs"),
        ("v1;n=999999999999999999999", "Not all of the link can be read: \"n\" needs"),
        ("v1;pf=2", "Not all of the link can be read: \"pf\" needs"),
    ] {
        let state = State::of_fragment(fragment);
        let notice = state.notice.clone().unwrap();
        assert!(notice.problem && notice.text.starts_with(says), "{}", notice.text);
        assert_eq!(state.scenario(), State::default().scenario());
    }
    let both = State::of_fragment("v1;story=nope;n=0;key=same").notice.unwrap();
    assert!(both.text.contains("got 0") && both.text.contains("no story called"), "{}", both.text);
}

#[test]
fn a_sign_up_of_the_table_says_which_it_is_as_long_as_neither_is_changed() {
    let (_, scenario) = crate::compare::behind::first_two_emails(0).unwrap();
    let link = link::write(&Link { scenario, ..Link::default() }) + ";of=1.emails.26";
    let mut state = State::of_fragment(&link);
    assert!(
        state
            .notice
            .as_ref()
            .unwrap()
            .text
            .starts_with("Sign-up 26 of row 1 (retry each step, no key): the first whose")
    );
    let written = |state: &State| link::write(&state.link().unwrap()).contains("of=1.emails.26");
    assert!(written(&state));
    let looked_at = Comparison { tab: crate::compare::Tab::Chart, ..state.comparison };
    state.act(Action::Compare(looked_at));
    assert!(written(&state));
    let mut other = state.clone();
    other.act(Action::Compare(crate::link::read("v1;t.n=4").0.comparison));
    assert!(!written(&other) && other.notice.is_none());
    state.act(Action::Edit(Edit::Again));
    assert!(!written(&state));
}

#[test]
fn nothing_steps_past_a_question_that_has_no_answer() {
    for named in &stories::ALL {
        let mut state = State::of_story(named);
        let question = state.telling.as_ref().unwrap().bet_at();
        for action in [Action::Last, Action::Seek(999), Action::Forward, Action::ForwardAttempt, Action::ForwardCaption]
        {
            (0..60).for_each(|_| state.act(action.clone()));
            assert_eq!((state.index, state.asks()), (question, true), "{} {action:?}", named.name);
        }
        state.act(Action::Play);
        assert!(!state.playing);
        // No bet is an answer too, and says nothing of itself.
        state.act(Action::Bet(named.bet.choices.len()));
        state.act(Action::Last);
        assert!(state.at_end());
        assert_eq!(crate::caption::bet(&state), None);
        assert_eq!(State::of_fragment(&link::write(&state.link().unwrap())).bet, state.bet);
        // Whoever tells the story around it may put it anywhere.
        let mut put = State::of_story(named);
        put.act(Action::Put(999));
        assert!(put.at_end());
    }
}

#[test]
fn the_first_paragraph_of_the_story() {
    let mut state = acted([Action::Edit(Edit::Again)]);
    let reply = state.story.next_reply(state.index).unwrap();
    state.act(Action::Edit(Edit::Fate(reply, Some(twiceproof_sim::scenario::FaultKind::LoseReply))));
    assert_eq!(state.index, 0);
    assert!(state.difference.is_some());
}

#[test]
fn a_change_ahead_keeps_what_has_been_played() {
    let mut state = acted([Action::Seek(9)]);
    let played = state.story.entries[..9].to_vec();
    state.act(Action::Edit(Edit::Again));
    assert_eq!((state.index, &state.story.entries[..9]), (9, &played[..]));
    assert_eq!(state.difference_text().as_deref(), Some("+1 email, +3 calls"));
}

#[test]
fn a_change_behind_keeps_the_time() {
    let mut state = acted([Action::Seek(12)]);
    let now = state.now();
    state.act(Action::Edit(Edit::Seed(99)));
    assert_eq!(state.now(), now);
}

#[test]
fn a_torn_journal_loads_up_to_there_and_says_so() {
    let mut text = journal::to_json_lines(&State::default().story.entries).into_bytes();
    text.truncate(text.len() - 20);
    let state = State::of_journal("run.jsonl", &text).unwrap();
    assert_eq!(state.story.len(), State::default().story.len() - 1);
    assert!(state.notice.unwrap().text.contains("is cut off after"));
}

proptest! {
    #[test]
    fn a_step_back_undoes_a_step_forward(index in 0usize..60) {
        let state = acted([Action::Seek(index)]);
        if !state.at_end() {
            let mut there_and_back = state.clone();
            there_and_back.act(Action::Forward);
            prop_assert_eq!(there_and_back.index, state.index + 1);
            there_and_back.act(Action::Back);
            prop_assert_eq!(there_and_back, state);
        }
    }
}

#[test]
fn a_bet_and_what_is_set_below_survive_the_link_and_another_story_keeps_what_is_below() {
    use crate::below::Change;
    use twiceproof_sim::doors::Door;
    let mut state = State::of_story(&stories::ALL[0]);
    state.act(Action::Bet(1));
    state.act(Action::Pause);
    state.act(Action::Below(Change::Door(Door::RunId, false)));
    state.act(Action::Below(Change::Rules(Some(3))));
    state.act(Action::Below(Change::Event(1, "{}".into())));
    let again = State::of_fragment(&link::write(&state.link().unwrap()));
    assert_eq!((again.bet, &again.below, again.link()), (Some(1), &state.below, state.link()));
    state.act(Action::Open(&stories::ALL[1]));
    assert_eq!((state.bet, &state.below), (None, &again.below));
    // A bet is on the story as it was told.
    let mut changed = again;
    changed.act(Action::Edit(Edit::Again));
    assert_eq!(changed.link().unwrap().bet, None);
    state.act(Action::Follow(Box::default()));
    assert_eq!(state.below, crate::below::Below::default());
}

#[test]
fn the_table_is_covered_until_the_bet_that_it_would_answer() {
    let covered = |actions: &[Action]| {
        let mut state = State::of_story(stories::named("a-million").unwrap());
        actions.iter().for_each(|action| state.act(action.clone()));
        state.covers_table()
    };
    assert!(covered(&[]) && covered(&[Action::Forward]));
    assert!(covered(&[Action::Last]));
    assert!(!covered(&[Action::Bet(0)]) && !covered(&[Action::Edit(Edit::Again)]));
    assert!(stories::ALL.iter().filter(|story| story.bet.covers_table).count() == 1);
    assert!(!State::default().covers_table());
}

#[test]
fn a_restart_is_told_of_at_once() {
    for at in [0, 7, 999] {
        let mut state = acted([Action::Seek(at)]);
        let before = crate::words::caption(&state.story, state.index);
        state.act(Action::Edit(Edit::Restart));
        let last = state.story.last_played(state.index).unwrap();
        assert_eq!(last.event, twiceproof_core::journal::Event::ProcessRestarted, "from {at}");
        assert_ne!(crate::words::caption(&state.story, state.index), before);
    }
}
