//! The journal's text: every kind of entry, and every way a file can be damaged.

use twiceproof_core::{
    engine::{CallEnd, Command, Engine, NewRun},
    journal::{EngineOptions, Entry, Event, Journal, JournalError, from_json_lines, header, to_json_lines},
    retry::RetryPolicy,
    workflow::{Steps, Workflow},
};

fn entries() -> Vec<Entry> {
    let options = EngineOptions { seed: 1, workers: Some(1), key_ttl_ms: None };
    let mut engine = Engine::new(0, options, Journal::default());
    let steps = Steps::List(vec!["grüße senden ✉".into(), "b".into()]);
    let once = RetryPolicy::once();
    let workflow = Workflow {
        name: "w".into(),
        steps,
        step_retry: once,
        run_retry: once,
        memo: false,
        once: true,
        compare_data: false,
    };
    let workflow = engine.define(0, workflow).unwrap();
    engine.handle_enqueue(5, workflow, NewRun { subject: Some("ü".into()), ..NewRun::default() }).unwrap();
    while let Some(command) = engine.poll_command() {
        if let Command::Call { run, step, attempt } = command {
            engine.handle_call_ended(9, run, step, attempt, CallEnd::Succeeded).unwrap();
        }
    }
    engine.into_sink().into_entries()
}

#[test]
fn the_form_is_pinned() {
    let text = to_json_lines(&entries());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], r#"{"twiceproof":"journal","version":1}"#);
    assert_eq!(lines[1], r#"{"seq":0,"at":0,"type":"opened","options":{"seed":1,"workers":1}}"#);
    assert_eq!(lines[3], r#"{"seq":2,"at":5,"type":"run-queued","run":0,"workflow":0,"subject":"ü"}"#);
    assert_eq!(lines[6], r#"{"seq":5,"at":5,"type":"attempt-started","run":0,"step":0,"attempt":1}"#);
}

#[test]
fn what_was_written_reads_back() {
    let loaded = from_json_lines(to_json_lines(&entries()).as_bytes()).unwrap();
    assert_eq!((loaded.entries, loaded.torn), (entries(), None));
}

#[test]
fn h54_a_journal_cut_anywhere_in_its_last_line_loads_up_to_there_and_says_so() {
    // The last line gets a character of several bytes, to be cut in its middle too.
    let mut all = entries();
    all.truncate(3);
    let text = to_json_lines(&all);
    let last_line = text.trim_end().rfind('\n').unwrap() + 1;
    for end in last_line + 1..text.len() - 1 {
        let loaded = from_json_lines(&text.as_bytes()[..end]).unwrap();
        let torn = loaded.torn.expect("the last line is cut off");
        assert_eq!((loaded.entries.len(), torn.line, torn.kept, torn.bytes), (2, 4, 2, end - last_line));
        assert!(torn.to_string().contains("line 4 is cut off"));
    }
    assert_eq!(
        from_json_lines(&text.as_bytes()[..text.len() - 1]).unwrap().entries.len(),
        3,
        "only the line's end is missing"
    );
}

#[test]
fn a_damaged_line_in_the_middle_is_named() {
    let text = to_json_lines(&entries());
    let damaged = text.replacen("\"at\":5", "\"at\":", 1);
    assert!(matches!(from_json_lines(damaged.as_bytes()), Err(JournalError::Damaged { line: 4, .. })));
    let swapped = text.replacen("\"seq\":3", "\"seq\":7", 1);
    let error = from_json_lines(swapped.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "line 5 of the journal is damaged: its seq needs to be 3, got 7");
}

#[test]
fn an_entry_that_does_not_follow_is_refused_and_nothing_panics() {
    let all = entries();
    // Without its "saved" a key merely runs for ever; every other line is missed by one that follows.
    let missed = |index: &usize| !matches!(all[*index].event, Event::KeySaved { .. });
    for leave_out in (0..all.len() - 1).filter(missed) {
        let mut rest: Vec<Entry> = all.clone();
        rest.remove(leave_out);
        for (seq, entry) in rest.iter_mut().enumerate() {
            entry.seq = seq as u64;
        }
        let read = from_json_lines(to_json_lines(&rest).as_bytes());
        assert!(matches!(read, Err(JournalError::Damaged { .. })), "without entry {leave_out}: {read:?}");
    }
}

#[test]
fn a_header_alone_is_refused() {
    let header = "{\"twiceproof\":\"journal\",\"version\":1}\n";
    for rest in ["", "\n", "{\"seq\":0,"] {
        assert_eq!(from_json_lines(format!("{header}{rest}").as_bytes()), Err(JournalError::Empty));
    }
}

#[test]
fn another_text_or_version_is_refused_by_name() {
    for text in ["", "{}", "hello", "[1]\n", "{\"twiceproof\":\"scenario\",\"version\":1}\n"] {
        assert!(matches!(from_json_lines(text.as_bytes()), Err(JournalError::NotAJournal { .. })), "{text}");
    }
    let error = from_json_lines(b"{\"twiceproof\":\"journal\",\"version\":9}\n").unwrap_err();
    assert_eq!(error.to_string(), "this journal is of version 9, and this program reads versions up to 1");
}

#[test]
fn a_journal_without_its_beginning_is_refused_by_its_first_line() {
    let whole = to_json_lines(&entries());
    let (_, rest) = whole.split_once('\n').unwrap();
    assert_eq!(from_json_lines(format!("{}{rest}", header(0)).as_bytes()).map(|read| read.entries), Ok(entries()));
    let cut = format!("{}{rest}", header(4_096));
    assert!(cut.starts_with("{\"twiceproof\":\"journal\",\"version\":1,\"dropped\":4096}\n"));
    let refused = from_json_lines(cut.as_bytes()).unwrap_err();
    assert_eq!(refused, JournalError::Cut { dropped: 4_096 });
    assert!(refused.to_string().starts_with("the first 4096 entries of this journal were dropped"), "{refused}");
}
