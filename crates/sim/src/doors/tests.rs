use twiceproof_core::{
    admission::Mismatch,
    events::{NoStart, WINDOW_MS},
    ids::{EventId, RunId},
    limits::RETENTION_MS_DEFAULT,
};

use super::*;

fn came(scene: &Scene) -> Vec<(&Came, u32)> {
    scene.sent.iter().map(|sent| (&sent.came, sent.emails)).collect()
}

fn every_set() -> impl Iterator<Item = Doors> {
    (0..1 << Door::ALL.len()).map(|set: u32| {
        let shut = |doors: Doors, (bit, door): (usize, Door)| doors.with(door, set & (1 << bit) != 0);
        Door::ALL.into_iter().enumerate().fold(Doors::SHUT, shut)
    })
}

#[test]
fn b02_b06_the_event_door_stops_repeats_for_24_hours_and_not_one_millisecond_longer() {
    let [events, ..] = scenes(Doors::default());
    let stopped = |left_ms| Came::NotStarted(NoStart::DuplicateEvent { winner: EventId(0), left_ms });
    let (soon, late, began) = (stopped(WINDOW_MS - 248), stopped(1), &Came::Began);
    assert_eq!(came(&events), [(began, 1), (&soon, 1), (began, 2), (&late, 2), (began, 3)]);
}

#[test]
fn b14_b18_the_function_key_stops_a_second_click_under_another_event_id() {
    let [events, ..] = scenes(Doors { event_id: false, ..Doors::SHUT });
    let stopped =
        |at| Came::NotStarted(NoStart::DuplicateFunctionKey { winner: RunId(0), left_ms: Some(WINDOW_MS - at) });
    let (again, click, late, began) = (stopped(248), stopped(2_000), stopped(WINDOW_MS - 1), &Came::Began);
    assert_eq!(came(&events), [(began, 1), (&again, 1), (&click, 1), (&late, 1), (began, 2)]);
}

#[test]
fn c04_c06_c07_c30_the_run_door_returns_the_run_refuses_other_work_and_opens_with_the_prune() {
    let [_, runs, _] = scenes(Doors::SHUT);
    let kinds: Vec<(bool, u32)> = runs.sent.iter().map(|sent| (sent.came == Came::Began, sent.emails)).collect();
    assert_eq!(kinds, [(true, 1), (false, 1), (false, 1), (false, 1), (true, 2)]);
    let Came::Refused(Mismatch::Payload { differences, .. }) = &runs.sent[2].came else { panic!("{runs:?}") };
    assert_eq!(differences[0].path, "payload.receivedAt");
    // What may be forgotten is not forgotten yet: from the end of the run 184 days, and then until a pass comes by.
    let first = &runs.windows[0];
    assert_eq!((first.from, first.over, first.until), (0, Some(70), Some(RETENTION_MS_DEFAULT + 70)));
    assert_eq!(runs.sent[3].came, Came::Existing);
    assert!(first.until.is_some_and(|until| until < runs.sent[3].at));
    assert_eq!(first.pruned, Some(runs.passes[0].at));
    assert_eq!(runs.passes.iter().map(|pass| pass.runs).collect::<Vec<_>>(), [1]);
}

#[test]
fn a15_a27_the_provider_s_door_stops_retries_until_it_forgets_in_the_midst_of_them() {
    let [.., calls] = scenes(Doors::SHUT);
    let (lost, began, known) = (&Came::ReplyLost, &Came::Began, &Came::Known { reply_lost: true });
    assert_eq!(came(&calls), [(lost, 1), (known, 1), (known, 1), (began, 2), (&Came::Skipped, 2)]);
    let [.., calls] = scenes(Doors::default());
    assert_eq!(calls.sent[4].came, Came::Known { reply_lost: false });
}

#[test]
fn a04_a15_a_step_s_key_stops_a_second_step_and_no_second_effect() {
    let open = Doors::default().with(Door::ProviderKey, false);
    let [.., calls] = scenes(open.with(Door::StepKey, true));
    let (lost, began) = (&Came::ReplyLost, &Came::Began);
    assert_eq!(came(&calls), [(lost, 1), (lost, 2), (lost, 3), (began, 4), (&Came::Skipped, 4)]);
    // What was saved: the one result that came back.
    let saved: Vec<_> = calls.windows.iter().map(|window| (&*window.key, window.from)).collect();
    assert_eq!(saved, [("welcome-email:user_1001", calls.sent[3].at)]);
    let [.., calls] = scenes(open);
    assert_eq!(calls.emails(), 5);
}

#[test]
fn each_door_stops_its_own_duplicate_and_no_other() {
    let emails = |doors| scenes(doors).map(|scene| scene.emails());
    assert_eq!(emails(Doors::default()), [3, 2, 2]);
    assert_eq!(emails(Doors::SHUT), [2, 2, 2]);
    assert_eq!(emails(Doors { event_id: false, ..Doors::default() }), [5, 2, 2]);
    assert_eq!(emails(Doors::default().with(Door::RunId, false)), [3, 5, 2]);
    assert_eq!(emails(Doors::default().with(Door::ProviderKey, false)), [3, 2, 5]);
}

/// The windows are read from the journal, the answers come from the engine and the provider: they must be of one mind.
#[test]
fn b02_c07_a15_whatever_was_stopped_came_within_a_window_and_what_began_within_none() {
    for doors in every_set() {
        for scene in scenes(doors) {
            for (place, sent) in scene.sent.iter().enumerate() {
                let of_its_own = |window: &&Window| sent.keys.contains(&(window.door, window.key.clone()));
                let before = |window: &&Window| window.from < sent.at;
                let held = scene.windows.iter().filter(of_its_own).filter(before).any(|window| window.holds(sent.at));
                assert_eq!(held, !sent.came.is_effect(), "{doors:?}: number {} of {scene:#?}", place + 1);
                match sent.stopped_by.map(|window| &scene.windows[window]) {
                    Some(window) => assert!(window.holds(sent.at) && of_its_own(&window), "{sent:?}, {window:?}"),
                    None => assert!(sent.came.is_effect(), "{sent:?}"),
                }
                if let Came::NotStarted(NoStart::DuplicateEvent { left_ms, .. }) = sent.came {
                    let window = &scene.windows[sent.stopped_by.unwrap()];
                    assert_eq!(window.until, Some(sent.at + left_ms));
                }
            }
            assert!(
                scene.windows.iter().all(|window| doors.is_shut(window.door) && scene.doors.contains(&window.door))
            );
        }
    }
}

#[test]
fn b06_c30_a15_the_end_of_every_door_s_first_window_is_seen_and_what_comes_then_begins_anew() {
    for scene in scenes(Doors::SHUT) {
        let ended = scene.windows.iter().find_map(Window::end).unwrap();
        let next = scene.sent.iter().find(|sent| ended <= sent.at).unwrap();
        assert!(next.came.is_effect(), "{scene:#?}");
        assert!(scene.windows.iter().any(|window| window.from == next.at), "it opens a window of its own: {scene:#?}");
    }
}
