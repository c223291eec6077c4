//! The windows of a scene, and what each stopped: a fold over its journal.

use std::sync::Arc;

use twiceproof_core::{
    events::{NoStart, WINDOW_MS},
    ids::{EventId, KeyId, RunId},
    journal::{Entry, Event, Origin},
    limits::RETENTION_MS_DEFAULT,
    workflow::Steps,
};

use super::{Door, PROVIDER_WINDOW_MS, Window};

/// What opened a window, as the journal names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    Event(EventId),
    Run(RunId),
    Key(KeyId),
}

/// The windows, and what they stopped.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// In the order in which they opened.
    pub(super) all: Vec<Window>,
    openers: Vec<Opener>,
    /// For each thing that was stopped its entry's place, and its window's.
    pub(super) stops: Vec<(usize, usize)>,
    keep_ms: Option<u64>,
    /// The key of the request that reached the provider last.
    asked: Option<(RunId, Arc<str>)>,
    /// The names of the steps, and whom each run is about: together they are a step's key.
    steps: Vec<Arc<str>>,
    subjects: Vec<Option<Arc<str>>>,
    /// The keys that were claimed in our store.
    claimed: Vec<(KeyId, Arc<str>)>,
}

impl Windows {
    /// Of these entries.
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut windows = Self {
            all: Vec::new(),
            openers: Vec::new(),
            stops: Vec::new(),
            keep_ms: Some(RETENTION_MS_DEFAULT),
            asked: None,
            steps: Vec::new(),
            subjects: Vec::new(),
            claimed: Vec::new(),
        };
        for (place, entry) in entries.iter().enumerate() {
            windows.read(place, entry);
        }
        windows
    }

    fn read(&mut self, place: usize, entry: &Entry) {
        let at = entry.at;
        match &entry.event {
            Event::WorkflowDefined { definition, .. } => {
                if let Steps::List(steps) = &definition.steps {
                    self.steps.clone_from(steps);
                }
            }
            Event::RetentionSet { keep_ms, .. } => self.keep_ms = *keep_ms,
            Event::EventAccepted { event, id: Some(id), duplicate_of: None, .. } => {
                self.open(Door::EventId, id, at, Some(at + WINDOW_MS), Opener::Event(*event));
            }
            Event::RunQueued { run, id, subject, origin, .. } => {
                self.subjects.push(subject.clone());
                if let Some(Origin::Events { key: Some(key), key_until, .. }) = origin.as_deref() {
                    self.open(Door::FunctionKey, key, at, *key_until, Opener::Run(*run));
                }
                if let Some(id) = id {
                    self.open(Door::RunId, id, at, None, Opener::Run(*run));
                }
            }
            Event::RunSucceeded { run } | Event::RunGaveUp { run, .. } | Event::RunCancelled { run } => {
                let keep_ms = self.keep_ms;
                if let Some(window) = self.of_run(*run) {
                    window.over = Some(at);
                    window.until = keep_ms.map(|keep_ms| at + keep_ms);
                }
            }
            Event::RunPruned { run } => {
                if let Some(window) = self.of_run(*run) {
                    window.pruned = Some(at);
                }
            }
            Event::StartSkipped { why: NoStart::DuplicateEvent { winner, .. }, .. } => {
                self.stop(place, Door::EventId, Opener::Event(*winner));
            }
            Event::StartSkipped { why: NoStart::DuplicateFunctionKey { winner, .. }, .. } => {
                self.stop(place, Door::FunctionKey, Opener::Run(*winner));
            }
            Event::EnqueueRepeated { run, .. } | Event::EnqueueRefused { run, .. } => {
                self.stop(place, Door::RunId, Opener::Run(*run));
            }
            Event::KeyClaimed { run, step, key } => {
                let step = self.steps.get(step.index()).map_or("", |name| name);
                let subject = self.subjects.get(run.index()).and_then(Option::as_deref).unwrap_or_default();
                self.claimed.push((*key, format!("{step}:{subject}").into()));
            }
            Event::KeySaved { key, expires_at } => {
                let name = self.claimed.iter().rfind(|(of, _)| of == key).map(|(_, name)| name.clone());
                if let Some(name) = name {
                    self.open(Door::StepKey, &name, at, *expires_at, Opener::Key(*key));
                }
            }
            Event::StepSkipped { key, .. } => self.stop(place, Door::StepKey, Opener::Key(*key)),
            Event::RequestArrived { run, key, .. } => self.asked = key.clone().map(|key| (*run, key)),
            Event::EffectDone { .. } => {
                if let Some((run, key)) = self.asked.take() {
                    self.open(Door::ProviderKey, &key, at, Some(at + PROVIDER_WINDOW_MS), Opener::Run(run));
                }
            }
            Event::ProviderKnewKey { .. } => {
                let known = self.asked.take().and_then(|(_, key)| {
                    self.all.iter().rposition(|window| window.door == Door::ProviderKey && window.key == key)
                });
                self.stops.extend(known.map(|window| (place, window)));
            }
            // The rest opens no window and is stopped by none.
            _ => {}
        }
    }

    fn open(&mut self, door: Door, key: &Arc<str>, from: u64, until: Option<u64>, opener: Opener) {
        self.all.push(Window { door, key: key.clone(), from, over: None, until, pruned: None });
        self.openers.push(opener);
    }

    fn find(&self, door: Door, opener: Opener) -> Option<usize> {
        // The last: numbers of keys are used again.
        (0..self.all.len()).rfind(|&at| self.all[at].door == door && self.openers[at] == opener)
    }

    fn of_run(&mut self, run: RunId) -> Option<&mut Window> {
        self.find(Door::RunId, Opener::Run(run)).map(|at| &mut self.all[at])
    }

    fn stop(&mut self, place: usize, door: Door, opener: Opener) {
        let window = self.find(door, opener);
        self.stops.extend(window.map(|window| (place, window)));
    }
}
