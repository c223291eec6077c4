//! What goes out of the page and comes into it: the clipboard, saved files, opened files.

use js_sys::{Array, Uint8Array};
use twiceproof_core::journal;
use twiceproof_sim::scenario::{Scenario, ScenarioError};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, File, HtmlAnchorElement, Url};
use yew::Callback;
use yew::platform::spawn_local;

use crate::app::action::Action;
use crate::app::page;
use crate::app::state::{Source, State};
use crate::controls::Go;
use crate::link::{self, Address, Fitted, Link};
use crate::story::{Story, visible};
use crate::words;

/// Largest file that is opened: a journal of some 500,000 entries.
pub const FILE_BYTES_MAX: f64 = 64.0 * 1024.0 * 1024.0;

/// Puts a text on the clipboard; tells whether the browser allowed it.
pub fn copy(text: String, done: Callback<bool>) {
    let Some(window) = page::window() else { return };
    let navigator = window.navigator();
    // Outside secure contexts there is no clipboard at all.
    let exists = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard")).is_ok_and(|value| value.is_object());
    if !exists {
        return done.emit(false);
    }
    let written = navigator.clipboard().write_text(&text);
    spawn_local(async move { done.emit(JsFuture::from(written).await.is_ok()) });
}

/// Copies a text, and says so in the message bar.
pub fn copy_and_say(go: &Go, text: String, what: &str) {
    let (go, what) = (go.clone(), what.to_owned());
    copy(
        text,
        Callback::from(move |copied| {
            let text = if copied { format!("{what} copied.") } else { "The browser did not allow copying.".to_owned() };
            go.dispatch(Action::Say { text, problem: !copied });
        }),
    );
}

/// Copies the link to a state, and says what it came to.
pub fn copy_link(state: &State, go: &Go) {
    let problem = |text: &str| go.dispatch(Action::Say { text: text.to_owned(), problem: true });
    match (state.link(), Address::of_page()) {
        (None, _) => problem("A journal does not fit into a link. Export, Save journal makes a file of it."),
        (Some(link), Some(address)) => match link::fit(&link) {
            None => problem("This is too much for a link. Export, Save scenario makes a file of it."),
            Some(Fitted { fragment, without_key }) => {
                let what =
                    if without_key { "Link without the function key's texts, too long for one," } else { "Link" };
                copy_and_say(go, address.link(&fragment), what);
            }
        },
        (Some(_), None) => {}
    }
}

/// Saves a text as a file.
pub fn save(name: &str, media_type: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let text = Array::of1(&JsValue::from_str(text));
    let _ = Blob::new_with_str_sequence_and_options(&text, &options).ok().and_then(|blob| save_blob(name, &blob));
}

/// Saves a file. Nothing if the browser has no way to.
pub fn save_blob(name: &str, blob: &Blob) -> Option<()> {
    let document = page::window()?.document()?;
    let url = Url::create_object_url_with_blob(blob).ok()?;
    let anchor: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&url).ok()
}

/// Saves the scenario of a state, or the journal if there is none.
pub fn save_scenario(state: &State) {
    match &state.source {
        Source::Scenario(scenario) => save(&file_name(state, "scenario.json"), "application/json", &scenario.to_json()),
        Source::Journal { .. } => save_journal(state),
    }
}

/// Saves all entries as JSON lines.
pub fn save_journal(state: &State) {
    save(&file_name(state, "journal.jsonl"), "application/x-ndjson", &journal::to_json_lines(&state.story.entries));
}

/// What a file of a state is called.
pub fn file_name(state: &State, ending: &str) -> String {
    format!("{}.{ending}", state.named.map_or("twiceproof", |named| named.name))
}

/// The whole story as Markdown.
pub fn transcript(story: &Story) -> String {
    let line = |line: words::Line| format!("{}. **{}** {}\n", line.index, words::clock(line.at), line.text);
    words::transcript(story).into_iter().map(line).collect()
}

/// Opens a file that the reader chose or dropped.
pub fn open(file: File, go: Go) {
    let name = visible(&file.name());
    if file.size() > FILE_BYTES_MAX {
        return go.dispatch(Action::Say {
            text: format!("{name} is larger than the 64 MB that can be opened."),
            problem: true,
        });
    }
    spawn_local(async move {
        let Ok(buffer) = JsFuture::from(file.array_buffer()).await else {
            return go.dispatch(Action::Say { text: format!("{name} could not be read."), problem: true });
        };
        match read(&name, &Uint8Array::new(&buffer).to_vec()) {
            Ok(state) => go.dispatch(Action::Load(Box::new(state))),
            Err(text) => go.dispatch(Action::Say { text, problem: true }),
        }
    });
}

/// A file as a state: a journal if its first line says so, else a scenario.
///
/// # Errors
/// What is wrong with it, in a sentence that names the file.
pub fn read(name: &str, bytes: &[u8]) -> Result<State, String> {
    // Some editors begin a file with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(format!("{name} is empty: there is neither a scenario nor a journal in it."));
    }
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_journal = first_line.windows(14).take(40).any(|part| part == b"\"twiceproof\":\"".as_slice());
    if is_journal {
        return State::of_journal(name, bytes).map_err(|error| format!("{name}: {error}."));
    }
    let text = core::str::from_utf8(bytes).map_err(|_| format!("{name} is no text."))?;
    let neither = |error| match error {
        ScenarioError::Syntax(_) if text.trim_start().starts_with('[') => {
            format!(
                "{name} is a list. If it is of an engine's entries: the journal that can be opened is the text that journalText() gives."
            )
        }
        ScenarioError::Syntax(what) => format!("{name} is neither a scenario nor a journal of Twiceproof ({what})."),
        ScenarioError::UnknownVersion(_) | ScenarioError::Invalid(_) => format!("{name}: {error}."),
    };
    let scenario = Scenario::from_json(text).map_err(neither)?;
    State::of_link(Link { scenario, ..Link::default() }).map_err(|error| format!("{name}: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_opens_again() {
        let state = State::default();
        let journal = journal::to_json_lines(&state.story.entries);
        assert_eq!(read("a.jsonl", journal.as_bytes()).unwrap().story.entries, state.story.entries);
        let scenario = state.scenario().unwrap().to_json();
        assert_eq!(read("a.json", scenario.as_bytes()).unwrap().source, state.source);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        let marked = |text: &str| read("a", format!("\u{FEFF}{text}").as_bytes());
        let state = State::default();
        let journal = journal::to_json_lines(&state.story.entries);
        assert_eq!(marked(&journal).unwrap().story.entries, state.story.entries);
        assert_eq!(marked(&state.scenario().unwrap().to_json()).unwrap().source, state.source);
        assert_eq!(marked("").unwrap_err(), "a is empty: there is neither a scenario nor a journal in it.");
    }

    #[test]
    fn a_journal_of_which_a_script_kept_the_end_is_refused_with_what_to_do() {
        let cut = format!("{}{{\"seq\":4096,\"at\":5,\"type\":\"run-succeeded\",\"run\":7}}\n", journal::header(4_096));
        let message = read("run.jsonl", cut.as_bytes()).unwrap_err();
        assert!(message.starts_with("run.jsonl: the first 4096 entries of this journal were dropped"), "{message}");
        assert!(message.ends_with("write each entry to a file as it happens, or keep them all."), "{message}");
    }

    #[test]
    fn a_bad_file_is_refused_by_name_and_field() {
        let message = |text: &str| read("x.json", text.as_bytes()).unwrap_err();
        let changed = |from: &str, to: &str| message(&Scenario::default().to_json().replace(from, to));
        assert_eq!(changed("\"version\":1", "\"version\":7"), "x.json: version needs 1, got 7.");
        assert!(
            changed("\"attempts\":3", "\"attempts\":0").contains("retry.attempts needs a whole number from 1 to 20")
        );
        assert_eq!(message(""), "x.json is empty: there is neither a scenario nor a journal in it.");
        assert!(message("no json").starts_with("x.json is neither a scenario nor a journal of Twiceproof ("));
        assert!(message("{\"twiceproof\":\"journal\",\"version\":99}\n").contains("version 99"));
        assert!(message("[{\"seq\":0}]").starts_with("x.json is a list. "), "{}", message("[{\"seq\":0}]"));
    }
}
