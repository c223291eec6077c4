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
    for fragment in ["v2;i=3", "<img src=x>", "v1;ops=zzz", "v1;n=999999999999999999999", "v1;pf=2"] {
        let state = State::of_fragment(fragment);
        let notice = state.notice.clone().unwrap();
        assert!(notice.problem && notice.text.contains("because"), "{}", notice.text);
        assert_eq!(state.scenario(), State::default().scenario());
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
    assert!(!covered(&[Action::Bet(0)]) && !covered(&[Action::Last]) && !covered(&[Action::Edit(Edit::Again)]));
    assert!(stories::ALL.iter().filter(|story| story.bet.covers_table).count() == 1);
    assert!(!State::default().covers_table());
}
