//! The stories the page can open by name: each a scenario, what it is about, the captions that tell it, a bet, and
//! something to try at the end.
//!
//! | module | what |
//! |---|---|
//! | `list` | the stories |
//! | `telling` | where in a story its captions stand, and what stands there now |

mod list;
mod telling;

use twiceproof_sim::scenario::Scenario;

pub use list::ALL;
pub use telling::Telling;

use crate::edit::Edit;
use crate::story::{Kind, Story};

/// A story.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in links and embeds.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    make: fn(&mut Scenario),
    captions: &'static [Caption],
    /// What the reader is asked on the way.
    pub bet: Bet,
    /// What to try once it is told.
    pub now_you: NowYou,
}

/// A caption and its place.
#[derive(Clone, Copy, Debug)]
struct Caption {
    at: At,
    text: &'static str,
}

/// A place in a story, by what happens there: it stays right when times change.
#[derive(Clone, Copy, Debug)]
enum At {
    /// Before anything has happened.
    Start,
    /// Right after something happened, for the first time, the second, and so on.
    Nth(usize, Kind),
    /// When all has been played.
    End,
}

/// A question to the reader before the story answers it.
#[derive(Clone, Copy, Debug)]
pub struct Bet {
    /// The caption at which it is asked, from 0.
    at: usize,
    /// The table would answer it: it stays covered until the reader has bet.
    pub covers_table: bool,
    /// The question.
    pub question: &'static str,
    /// The answers to choose from.
    pub choices: &'static [&'static str],
    /// The choice that the story itself proves right.
    pub right: fn(&Story) -> usize,
}

/// One change to make, and what to look for.
#[derive(Clone, Copy, Debug)]
pub struct NowYou {
    /// What to look for.
    pub text: &'static str,
    /// What the button says.
    pub button: &'static str,
    /// The change.
    pub edit: fn() -> Edit,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Entry {
    /// Its scenario.
    pub fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::default();
        (self.make)(&mut scenario);
        scenario
    }

    /// Its place in [`ALL`], from 0.
    pub fn place(&self) -> usize {
        ALL.iter().position(|entry| entry == self).unwrap_or(0)
    }
}

/// A story by its name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests;
