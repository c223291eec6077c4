//! Where in a story its captions stand, and what stands there now.

use std::rc::Rc;

use super::{At, Entry};
use crate::story::Story;

/// A named story, told: its captions at their indices. Only of the story as it was written; one that the reader has
/// changed is the reader's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Telling {
    entry: &'static Entry,
    captions: Vec<(usize, &'static str)>,
    right: usize,
    whole: Rc<Story>,
    /// What of it may be known before the bet.
    before: Rc<Story>,
}

impl Telling {
    /// The telling of `entry`, whose scenario made `story`.
    pub fn new(entry: &'static Entry, story: &Rc<Story>) -> Self {
        let place = |at| match at {
            At::Start => Some(0),
            At::Nth(nth, kind) => story.counts.entries(kind).get(nth - 1).map(|entry| entry + 1),
            At::End => Some(story.len()),
        };
        let captions: Vec<_> =
            entry.captions.iter().filter_map(|caption| Some((place(caption.at)?, caption.text))).collect();
        let asked = captions.get(entry.bet.at).map_or(0, |(index, _)| *index);
        let before = Rc::new(Story::before(&entry.scenario(), story, asked));
        Self { entry, captions, right: (entry.bet.right)(story), whole: story.clone(), before }
    }

    /// What of the story may be known: all of it, or what is before the question.
    pub fn known(&self, secret: bool) -> &Rc<Story> {
        if secret { &self.before } else { &self.whole }
    }

    /// The story.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// How many captions there are.
    pub fn count(&self) -> usize {
        self.captions.len()
    }

    /// The indices of all captions, in order.
    pub fn stops(&self) -> impl Iterator<Item = usize> + '_ {
        self.captions.iter().map(|(index, _)| *index)
    }

    /// The number of the caption that was passed last, from 0.
    pub fn current(&self, index: usize) -> usize {
        self.captions.partition_point(|(at, _)| *at <= index).saturating_sub(1)
    }

    /// The caption that stands at this very index.
    pub fn text_at(&self, index: usize) -> Option<&'static str> {
        self.captions.iter().rfind(|(at, _)| *at == index).map(|(_, text)| *text)
    }

    /// The index of the caption before this index, and of the one after it.
    pub fn around(&self, index: usize) -> (Option<usize>, Option<usize>) {
        (self.stops().filter(|at| *at < index).last(), self.stops().find(|at| *at > index))
    }

    /// The index at which the bet is asked.
    pub fn bet_at(&self) -> usize {
        self.captions.get(self.entry.bet.at).map_or(0, |(index, _)| *index)
    }

    /// The choice that the story proves right.
    pub fn right(&self) -> usize {
        self.right
    }

    /// The choice's words; none for who did not bet.
    pub fn choice(&self, choice: usize) -> Option<&'static str> {
        self.entry.bet.choices.get(choice).copied()
    }
}
