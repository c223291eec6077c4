//! What is said of the doors and of what came to them.

use twiceproof_core::ids::EventId;
use twiceproof_sim::doors::{Came, Door, Scene, Sent, Window};

use super::draw::name;
use crate::words;

/// What the switch of a door is called, and how its memory is told.
pub(super) fn told(door: Door) -> (&'static str, &'static str) {
    match door {
        Door::EventId => ("Events carry an ID", "Remembered from the first event on, for"),
        Door::FunctionKey => ("The function has a key", "Here the user. Remembered from the first start on, for"),
        Door::RunId => ("Requests carry a run ID", "Remembered until pruned: from the end of the run, for"),
        Door::StepKey => ("The step has a key", "In our store. Remembered once its result is saved, for"),
        Door::ProviderKey => ("Calls carry a key", "Remembered by the provider, here for"),
    }
}

/// The time of something, where its description does not say it.
pub(super) fn when(at: u64) -> String {
    if at < 60_000 { format!("{}: ", words::duration(at)) } else { String::new() }
}

/// What came of something that was sent; `place` is its place in the scene, from 0.
pub(super) fn outcome(place: usize, sent: &Sent) -> String {
    let first = sent.emails == 1;
    match &sent.came {
        Came::Began if first => "It begins, and an email leaves.".to_owned(),
        Came::Began => "Work begins again: another email.".to_owned(),
        Came::NotStarted(why) => words::not_started(EventId(place as u32), why),
        Came::Existing => "The run that has this ID is handed back. Nothing new is made.".to_owned(),
        Came::Refused(mismatch) => words::refused("the first run", Some(mismatch)),
        Came::Skipped => "Our store has the result of this step. No call is made.".to_owned(),
        Came::ReplyLost if first => "The email leaves. The reply is lost.".to_owned(),
        Came::ReplyLost => "Another email leaves. The reply is lost.".to_owned(),
        Came::Known { reply_lost: false } => {
            "The provider knows the key, sends nothing, and answers as it did before.".to_owned()
        }
        Came::Known { reply_lost: true } => {
            "The provider knows the key and sends nothing. This reply is lost as well.".to_owned()
        }
    }
}

/// The axis of a scene in words: every window, what it stopped, and the prune passes.
pub(super) fn axis(scene: &Scene) -> String {
    let mut said = vec!["Time axis.".to_owned()];
    let open =
        scene.doors.iter().filter(|door| !scene.sent.iter().any(|sent| sent.keys.iter().any(|(of, _)| of == *door)));
    said.extend(open.map(|door| format!("No {}: nothing is remembered.", name(*door))));
    said.extend(scene.windows.iter().enumerate().map(|(place, window)| said_of(scene, place, window)));
    said.extend(scene.passes.iter().map(|pass| {
        let removed = words::count(pass.runs, "run", "runs");
        format!("A prune pass at {} removes {removed}.", words::duration(pass.at))
    }));
    said.join(" ")
}

fn said_of(scene: &Scene, place: usize, window: &Window) -> String {
    let (name, key, from) = (name(window.door), &window.key, words::duration(window.from));
    let last = scene.sent.last().map_or(0, |sent| sent.at);
    let until = match (window.until, window.pruned) {
        (_, Some(pruned)) if window.until.is_some_and(|until| until < pruned) => {
            let until = words::duration(window.until.unwrap_or_default());
            format!("until {until} for sure, and then until it is pruned at {}", words::duration(pruned))
        }
        (Some(until), None) if until <= last => format!("until {}", words::duration(until)),
        _ => "beyond what is shown".to_owned(),
    };
    let stopped = scene.sent.iter().enumerate().filter(|(_, sent)| sent.stopped_by == Some(place));
    let numbers: Vec<String> = stopped.map(|(at, _)| (at + 1).to_string()).collect();
    let stops = match numbers.split_last() {
        None => "stops nothing".to_owned(),
        Some((last, [])) => format!("stops number {last}"),
        Some((last, others)) => format!("stops numbers {} and {last}", others.join(", ")),
    };
    format!("The {name} {key} counts from {from} {until}, and {stops}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use twiceproof_sim::doors::{Doors, scenes};

    #[test]
    fn every_line_says_what_came_of_it_and_a_conflict_names_the_place() {
        let [events, runs, calls] = scenes(Doors::SHUT);
        let texts: Vec<String> = runs.sent.iter().map(|sent| outcome(0, sent)).collect();
        assert!(texts[2].contains("payload.receivedAt has another value"), "{texts:?}");
        assert!(outcome(1, &events.sent[1]).contains("event 2 repeats the ID of event 1"));
        assert!(outcome(2, &events.sent[2]).contains("event 3 has the key of job 1"));
        assert!(outcome(1, &calls.sent[1]).contains("knows the key"));
    }

    #[test]
    fn b06_c07_the_axis_says_from_when_to_when_each_key_counts_and_what_it_stops() {
        let [events, runs, _] = scenes(Doors::default());
        assert_eq!(
            axis(&events),
            "Time axis. No function key: nothing is remembered. \
             The event ID evt_1 counts from 0 ms until 24 h, and stops numbers 2 and 4. \
             The event ID evt_2 counts from 2 s beyond what is shown, and stops nothing. \
             The event ID evt_1 counts from 24 h beyond what is shown, and stops nothing."
        );
        assert_eq!(
            axis(&runs),
            "Time axis. The run ID welcome:user_1001 counts from 0 ms until 184 d 70 ms for sure, and then until it is \
             pruned at 184 d 2 h, and stops numbers 2, 3 and 4. \
             The run ID welcome:user_1001 counts from 184 d 3 h beyond what is shown, and stops nothing. \
             A prune pass at 184 d 2 h removes 1 run."
        );
    }
}
