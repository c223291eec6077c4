//! The one reducer. Actions say what the reader means ("step forward"), never what the state should become: several
//! may arrive before the page is drawn again, and each has to count.

use std::rc::Rc;

use twiceproof_core::journal::Event;
use yew::Reducible;

use super::page;
use super::state::{Difference, State};
use super::view::{Speed, Theme, View};
use crate::below::Change;
use crate::caption::ASK;
use crate::compare::Comparison;
use crate::edit::{self, Edit};
use crate::stories::{self, Telling};
use crate::story::{AttemptName, Kind};

/// What the reader, the clock or the host page asks for.
#[derive(Clone, Debug)]
pub enum Action {
    /// One entry forward, and stop playing.
    Forward,
    /// One entry back, and stop playing.
    Back,
    /// To the next start or end of an attempt.
    ForwardAttempt,
    /// To the start or end of an attempt before.
    BackAttempt,
    /// To the caption before.
    BackCaption,
    /// To the next caption.
    ForwardCaption,
    /// To the beginning.
    First,
    /// To the end.
    Last,
    /// To an index.
    Seek(usize),
    /// To an index, past the question too: who tells the story around this one wants it there.
    Put(usize),
    /// Play, from the beginning if all has been played.
    Play,
    /// Stop playing.
    Pause,
    /// Play or stop.
    Toggle,
    /// The clock of the playback: some entries forward.
    Tick(usize),
    /// Another speed.
    Speed(Speed),
    /// Look at a call, or at none.
    Select(Option<AttemptName>),
    /// Change the scenario.
    Edit(Edit),
    /// Bet on an answer to the story's question, by its place; the place after the last is no bet.
    Bet(usize),
    /// Open a named story.
    Open(&'static stories::Entry),
    /// Take over a state made elsewhere: a file, a sign-up of the table.
    Load(Box<State>),
    /// Take over what an address says that was typed or gone back to, the comparison and what is below it included.
    Follow(Box<State>),
    /// Compare otherwise, or look at it otherwise.
    Compare(Comparison),
    /// Change something in the sections below the comparison.
    Below(Change),
    /// Show or hide what the provider did.
    WorkerOnly(bool),
    /// Let marks of some kinds stand out, or all.
    Pick(Rc<[Kind]>),
    /// Light or dark.
    Theme(Theme),
    /// Turn single keys on or off.
    Keys(bool),
    /// Open or close the set-up on small screens.
    SetUp(bool),
    /// Put a line into the message bar.
    Say {
        /// The line.
        text: String,
        /// It tells of something that went wrong.
        problem: bool,
    },
    /// Clear the message bar.
    Dismiss,
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = Rc::unwrap_or_clone(self);
        next.act(action);
        Rc::new(next)
    }
}

impl State {
    /// Does one action.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::Forward => self.go(self.index.saturating_add(1)),
            Action::Back => self.go(self.index.saturating_sub(1)),
            Action::ForwardAttempt => self.go(self.story.next_stop(self.index)),
            Action::BackAttempt => self.go(self.story.previous_stop(self.index)),
            Action::BackCaption => self.go_to_caption(|telling, index| telling.around(index).0),
            Action::ForwardCaption => self.go_to_caption(|telling, index| telling.around(index).1),
            Action::First => self.go(0),
            Action::Last => self.go(self.story.len()),
            Action::Seek(index) => self.go(index),
            Action::Put(index) => (self.playing, self.index) = (false, index.min(self.story.len())),
            Action::Play => self.play(),
            Action::Pause => self.playing = false,
            Action::Toggle if self.playing => self.playing = false,
            Action::Toggle => self.play(),
            Action::Tick(entries) => self.tick(entries),
            Action::Select(call) => self.selected = call.filter(|call| self.story.attempt(*call).is_some()),
            Action::Edit(edit) => self.edit(&edit),
            Action::Bet(choice) => {
                self.bet = Some(choice);
                self.play();
            }
            Action::Open(named) => {
                self.take(Self::of_story(named));
                self.opened += 1;
            }
            Action::Load(loaded) => {
                self.take(*loaded);
                self.opened += 1;
            }
            Action::Follow(followed) => {
                let (comparison, below) = (followed.comparison, followed.below.clone());
                self.take(*followed);
                (self.comparison, self.below) = (comparison, below);
            }
            Action::Compare(comparison) => {
                // The sign-up is one of a table that is no longer there.
                if comparison.params != self.comparison.params
                    && let Some(origin) = self.origin.take()
                {
                    // Nor does what was said of it hold any more.
                    let said = origin.sentence();
                    self.notice = self.notice.take().filter(|notice| notice.text.trim_end() != said);
                }
                self.comparison = comparison;
            }
            Action::Below(change) => self.below.change(change),
            Action::Say { text, problem } => self.say(&text, problem, !problem),
            Action::Dismiss => self.notice = None,
            Action::Speed(_)
            | Action::WorkerOnly(_)
            | Action::Pick(_)
            | Action::Theme(_)
            | Action::Keys(_)
            | Action::SetUp(_) => self.look(action),
        }
        self.keep_secret();
    }

    fn look(&mut self, action: Action) {
        let view = &mut self.view;
        match action {
            Action::Speed(speed) => view.speed = speed,
            Action::WorkerOnly(on) => view.worker_only = on,
            Action::Pick(kinds) => view.picked = kinds,
            Action::Theme(theme) => view.theme = theme,
            Action::Keys(on) => view.keys = on,
            Action::SetUp(open) => view.set_up_open = open,
            _ => {}
        }
    }

    fn go(&mut self, index: usize) {
        if self.asks() && index > self.index {
            page::focus(ASK);
        }
        self.playing = false;
        self.index = self.before_question(index);
    }

    /// The index as far as the story goes before its question is answered.
    fn before_question(&self, index: usize) -> usize {
        let asked = self.telling.as_ref().filter(|_| self.bet.is_none()).map(|telling| telling.bet_at());
        // Whoever was put beyond it, by a link or an article, has seen the answer.
        let stop = asked.filter(|at| self.index <= *at).unwrap_or(usize::MAX);
        index.min(stop).min(self.story.len())
    }

    fn go_to_caption(&mut self, which: fn(&Telling, usize) -> Option<usize>) {
        if let Some(index) = self.telling.as_ref().and_then(|telling| which(telling, self.index)) {
            self.go(index);
        }
    }

    fn play(&mut self) {
        if self.story.is_empty() {
            return;
        }
        if self.at_end() {
            self.index = 0;
        }
        if self.asks() {
            return page::focus(ASK);
        }
        self.playing = true;
    }

    fn tick(&mut self, entries: usize) {
        if self.playing {
            self.index = self.before_question(self.index.saturating_add(entries));
            self.playing = !self.at_end() && !self.asks();
        }
    }

    fn edit(&mut self, edit: &Edit) {
        let Some(scenario) = self.scenario().cloned() else {
            return self.problem("A journal can be played, not changed. Open a story to change something.");
        };
        let workers = scenario.workers;
        let now = self.now();
        let edited = edit::apply(&scenario, edit, now).and_then(|scenario| self.change(scenario));
        match edited {
            Err(error) => self.problem(&format!("This cannot be done: {error}.")),
            Ok(()) if *edit == Edit::TwoAtOnce && workers < 2 => {
                self.remark("Two workers now, so that both can be under way at once.");
            }
            // It happens now: the sentence tells of it at once, wherever that is.
            Ok(()) if *edit == Edit::Restart => {
                let ahead = self.story.entries.iter().skip(self.index);
                let restart =
                    ahead.take_while(|entry| entry.at <= now).position(|entry| entry.event == Event::ProcessRestarted);
                self.index += restart.map_or(0, |at| at + 1);
            }
            Ok(()) => {}
        }
    }

    /// Takes over another state; how the reader looks, what is compared and what is set below that stays, but for what a
    /// link says about it.
    fn take(&mut self, loaded: State) {
        let (view, opened, comparison, below) = (self.view.clone(), self.opened, self.comparison, self.below.clone());
        let worker_only = loaded.view.worker_only;
        *self = loaded;
        self.view = View { worker_only, picked: Rc::default(), set_up_open: false, ..view };
        (self.opened, self.comparison, self.below) = (opened, comparison, below);
    }

    /// What the last change came to, in words, as far as the reader is to know.
    pub fn difference_text(&self) -> Option<String> {
        let emails = |difference: Difference| if self.view.worker_only { 0 } else { difference.emails };
        let known = self.difference.map(|difference| Difference { emails: emails(difference), ..difference });
        known.filter(|difference| !difference.is_nothing()).map(Difference::text)
    }
}
