//! What the address of an embedded page asks for: `?embed&story=lost-reply&step=12&theme=dark&controls=mini`.
//!
//! What is not known, or has a value that cannot be, is ignored and reported to the host page.

use crate::app::state::State;
use crate::app::view::Theme;
use crate::link;
use crate::stories;

/// How much of the transport is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controls {
    /// All of it.
    #[default]
    Full,
    /// Back, play, forward.
    Mini,
    /// None: the host page has its own.
    None,
}

impl Controls {
    /// Its word in the address.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Mini => "mini",
            Self::None => "none",
        }
    }
}

/// What an embedding page wishes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// It is an embed at all.
    pub embed: bool,
    /// The story, by name; the first one otherwise.
    pub story: Option<&'static stories::Entry>,
    /// How many events are shown at first.
    pub step: usize,
    /// Light or dark.
    pub theme: Theme,
    /// How much of the transport is shown.
    pub controls: Controls,
    /// Only what the worker saw.
    pub worker_only: bool,
    /// The table of strategies stands below the story; otherwise where the story speaks of it.
    pub table: Option<bool>,
    /// Single keys do nothing.
    pub keys_off: bool,
    /// Changes of the story's scenario, as parts of a link.
    pub parts: Vec<(String, String)>,
    /// What was ignored.
    pub ignored: Vec<String>,
}

/// Parameters that change the scenario, and what they are called in links.
const PARTS: [(&str, &str); 16] = [
    ("seed", "seed"),
    ("pf", "pf"),
    ("lr", "lr"),
    ("attempts", "n"),
    ("ttl", "ttl"),
    ("concurrency", "c"),
    ("ops", "ops"),
    ("f", "f"),
    ("retry", "retry"),
    ("key", "key"),
    ("store", "store"),
    ("remembers", "remembers"),
    ("wait", "wait"),
    ("jitter", "jitter"),
    ("timeout", "timeout"),
    ("window", "window"),
];

impl Wish {
    /// Reads the query of an address, without its `?`.
    pub fn of_query(query: &str) -> Self {
        let mut wish = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            if wish.take(name, &value).is_none() {
                wish.ignored.push(name.chars().take(40).collect());
            }
        }
        wish
    }

    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "embed" => self.embed = true,
            "story" => self.story = Some(stories::named(value)?),
            "step" => self.step = value.parse().ok()?,
            "theme" => self.theme = Theme::named(value)?,
            "view" => self.worker_only = one_of(value, &[("both", false), ("worker", true)])?,
            "keys" => self.keys_off = one_of(value, &[("on", false), ("off", true)])?,
            "compare" => self.table = one_of(value, &[("0", Some(false)), ("1", Some(true))])?,
            "controls" => {
                let all = [Controls::Full, Controls::Mini, Controls::None];
                self.controls = all.into_iter().find(|controls| controls.word() == value)?;
            }
            // English is what there is, and the height is the loader's.
            "lang" if value == "en" => {}
            "id" | "height" => {}
            _ => {
                let (_, part) = PARTS.iter().find(|(parameter, _)| *parameter == name)?;
                // A part that cannot be read is left out alone, and does not take the others with it.
                link::read(&format!("{};{part}={value}", link::VERSION)).1.is_empty().then_some(())?;
                self.parts.push(((*part).to_owned(), value.to_owned()));
            }
        }
        Some(())
    }

    /// Whether the table of strategies stands below the story.
    pub fn has_table(&self) -> bool {
        self.table.unwrap_or_else(|| self.story.is_some_and(|story| story.bet.covers_table))
    }

    /// The state it asks for.
    pub fn state(&self) -> State {
        let named = self.story.unwrap_or(&stories::ALL[0]);
        let mut state = self.changed(named).unwrap_or_else(|| State::of_story(named));
        state.index = self.step.min(state.story.len());
        state.view.theme = self.theme;
        state.view.worker_only = self.worker_only;
        state.view.keys = !self.keys_off;
        state
    }

    /// The story with the parts of this address in place of its own; none if they do not go together.
    fn changed(&self, named: &'static stories::Entry) -> Option<State> {
        let story = link::write(&link::Link {
            story: Some(named.name.to_owned()),
            scenario: named.scenario(),
            ..link::Link::default()
        });
        let is_own = |part: &&str| self.parts.iter().all(|(name, _)| part.split('=').next() != Some(name));
        let mut parts: Vec<String> = story.split(';').filter(is_own).map(str::to_owned).collect();
        parts.extend(self.parts.iter().map(|(name, value)| format!("{name}={value}")));
        State::of_link(link::read(&parts.join(";")).0).ok()
    }
}

fn one_of<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

/// Undoes the escapes of a query; broken ones stay as they are.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
                continue;
            }
            (b'+', ..) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embed_is_what_its_address_says() {
        let wish = Wish::of_query("embed&story=both-at-once&step=5&theme=dark&controls=mini&view=worker&attempts=2");
        let state = wish.state();
        assert!(wish.embed && wish.ignored.is_empty());
        assert_eq!((state.index, state.view.theme, wish.controls), (5, Theme::Dark, Controls::Mini));
        assert!(state.view.worker_only);
        assert_eq!(state.scenario().unwrap().retry.attempts, 2);
        assert_eq!(state.scenario().unwrap().workers, 2);
    }

    #[test]
    fn what_is_unknown_or_impossible_is_ignored_and_reported() {
        let wish = Wish::of_query("embed&story=nope&step=-1&glow=9&attempts=0&ops=%3Cscript%3E&theme=dark");
        assert_eq!(wish.ignored, ["story", "step", "glow", "attempts", "ops"]);
        assert_eq!(wish.state().named, Some(&stories::ALL[0]));
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(decode("a1%400%2Ca1%405"), "a1@0,a1@5");
        assert_eq!(decode("%zz%4+"), "%zz%4 ");
    }
}
