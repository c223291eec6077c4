//! The whole state in the address: `#v1;story=lost-reply;key=same;f=l1.2.1;ops=a1@0,a1@5;i=14`.
//!
//! People read it, so every part is a word and a value, parts that are as in the default scenario are left out, and
//! jobs, steps, attempts and users are counted from 1 as on the page. Parts that this version does not know are kept.
//! Parts that begin with `t.` are the table's, those with `k.` the function key's. `write` then
//! `read` gives the same state for every scenario that can run; of a text with parts that cannot be read the others hold, and each of
//! those is a [`LinkError`] that names it. Deliberately not here: the address bar itself (`address`).

mod address;
mod read;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use address::{Address, Change};
pub use read::read;
pub use write::write;

use twiceproof_sim::scenario::Scenario;

use crate::below::{Below, KeyField};
use crate::compare::Comparison;
use crate::compare::behind::Origin;
use crate::story::AttemptName;

/// The version this code writes and reads.
pub const VERSION: &str = "v1";

/// Longest fragment that is put into a link: chats and mail programs cut addresses beyond 2,000 characters.
pub const LENGTH_MAX: usize = 1_800;

/// What a link says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The story it started from, by name.
    pub story: Option<String>,
    /// What will happen.
    pub scenario: Scenario,
    /// How many events are shown.
    pub index: usize,
    /// The call that is looked at.
    pub selected: Option<AttemptName>,
    /// What the provider really did is hidden.
    pub worker_only: bool,
    /// The sign-up of the table that it shows.
    pub origin: Option<Origin>,
    /// What the reader bet on, by its place among the story's answers.
    pub bet: Option<usize>,
    /// What the table below the story compares.
    pub comparison: Comparison,
    /// What is set in the sections below the table.
    pub below: Below,
    /// Parts that this version does not know, in their order.
    pub unknown: Vec<(String, String)>,
}

/// A link as it is put into an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What stands behind `#`.
    pub fragment: String,
    /// The function key's texts are too long for a link, and are left out.
    pub without_key: bool,
}

/// The fragment that says `link`. What was typed into the function key's fields is the reader's own and may be as long
/// as they like: if the whole is too long with it, it is left out. `None` if it is too long without it, too.
pub fn fit(link: &Link) -> Option<Fitted> {
    let fits = |link: &Link, without_key| {
        let fragment = write(link);
        (fragment.len() <= LENGTH_MAX).then_some(Fitted { fragment, without_key })
    };
    let whole = (link.below.key.bytes() <= LENGTH_MAX).then(|| fits(link, false)).flatten();
    whole.or_else(|| {
        let key = KeyField { open: link.below.key.open, ..KeyField::default() };
        fits(&Link { below: Below { key, ..link.below.clone() }, ..link.clone() }, true)
    })
}

/// What is wrong with a link, or with a part of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// It was written by another version.
    #[error("the link is of version \"{0}\", and this page reads {VERSION}")]
    UnknownVersion(String),
    /// It begins with a part.
    #[error("the link begins with \"{0}\" where \"{VERSION};\" has to be, which says how to read it")]
    NoVersion(String),
    /// It is longer than any link this page writes.
    #[error("the link is {0} characters long, and at most {LENGTH_MAX} can be read")]
    TooLong(usize),
    /// A part has a value that it cannot have.
    #[error("\"{part}\" needs {needs}, got \"{got}\"")]
    Part {
        /// The part's name.
        part: String,
        /// What it needs.
        needs: String,
        /// What it got, shortened.
        got: String,
    },
    /// A part appears twice, and the two may differ.
    #[error("\"{0}\" appears twice")]
    Twice(String),
    /// The scenario it makes cannot be run.
    #[error("the scenario cannot be run: {0}")]
    Scenario(String),
    /// The table it makes cannot be computed.
    #[error("the table cannot be computed: {0}")]
    Table(String),
}
