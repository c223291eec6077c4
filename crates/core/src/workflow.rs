//! The progress of a run through its steps: a list that was known before, or steps found as a handler runs.
//!
//! A saved result belongs to a step's name, never to its position (SEMANTICS 2.10); a name used twice is refused.

use alloc::{string::String, sync::Arc, vec::Vec};

use serde::Serialize;

use crate::{
    ids::{KeyId, StepId},
    limits::STEPS_PER_RUN_MAX,
    options::InvalidOption,
    retry::RetryPolicy,
};

/// What kind of list a workflow's steps are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// Known before the run, done one after the other, each at most once unless the whole run is retried.
    List(Vec<Arc<str>>),
    /// Named by a handler as it runs, several at a time if it likes.
    Found,
}

/// A workflow: its steps, how each is retried, how the whole is retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Workflow {
    /// Its name.
    pub name: Arc<str>,
    /// Its steps.
    pub steps: Steps,
    /// After a step failed.
    pub step_retry: RetryPolicy,
    /// After a step was given up, or the handler failed.
    pub run_retry: RetryPolicy,
    /// Another pass over the whole run takes the result of a finished step instead of doing it again.
    pub memo: bool,
    /// Each step asks the key store first, under (step name, subject of the run), and skips what is saved there.
    pub once: bool,
    /// The key store compares the run's data too, and refuses a key that was used with other data.
    pub compare_data: bool,
}

impl Workflow {
    /// Checks the definition: step names are not empty and not used twice (BUG H32).
    pub fn check(&self) -> Result<(), InvalidOption> {
        let Steps::List(names) = &self.steps else {
            return if self.once {
                Err(InvalidOption::new("once", "a list of steps known before the run", "steps found by a handler"))
            } else {
                Ok(())
            };
        };
        if names.len() > STEPS_PER_RUN_MAX {
            return Err(InvalidOption::new("steps", "at most 10000 steps", names.len()));
        }
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(InvalidOption::new("steps", "a name for every step", "an empty name"));
            }
            if names[..index].contains(name) {
                return Err(InvalidOption::new(
                    "steps",
                    "a different name for every step",
                    alloc::format!("\"{name}\" twice"),
                ));
            }
        }
        Ok(())
    }
}

/// What a step is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepPhase {
    /// Not asked for yet in this pass.
    Idle,
    /// An attempt is under way.
    Running,
    /// The attempt is somebody else's run of the same key.
    Joined(KeyId),
    /// Between two attempts.
    Waiting {
        /// When the next one starts.
        until: u64,
    },
    /// A sleep that the handler asked for.
    Sleeping {
        /// When it ends.
        until: u64,
    },
    /// Finished.
    Done,
    /// Given up in this pass.
    GaveUp,
}

/// One step of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepState {
    /// What it is doing.
    pub phase: StepPhase,
    /// Attempts started so far, over all passes: the number of the current or last attempt.
    pub attempts: u32,
    /// Attempts that failed in this pass; the retry policy counts these.
    pub failures: u32,
    /// The key it holds in the store, if any.
    pub key: Option<KeyId>,
    /// The pass in which a handler last asked for it.
    pub asked_in: u32,
}

impl StepState {
    const NEW: Self = Self { phase: StepPhase::Idle, attempts: 0, failures: 0, key: None, asked_in: 0 };
}

/// The names of a workflow's steps in the order in which a run first found them. Most of its runs find the same ones in
/// the same order: they share these, and have no names of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Trail(Vec<Arc<str>>);

/// For so many steps a run has room from the beginning, if its workflow's trail has as many.
const EXPECTED_STEPS_MAX: usize = 32;

/// The steps of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Progress {
    states: Vec<StepState>,
    /// Names of found steps, if they are not the first of its workflow's trail. Empty for a list, whose names stand in
    /// the workflow.
    own_names: Vec<Arc<str>>,
    /// No step before this one needs doing.
    next: u32,
}

/// A step name that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepNameError {
    /// The name is in use in this pass of the run.
    #[error("the step name \"{name}\" was used before in this run; give each use an index of its own")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// The name is no key.
    #[error("a step name {0}")]
    Invalid(#[from] crate::key::InvalidKey),
    /// The run has too many steps.
    #[error("a run has at most {STEPS_PER_RUN_MAX} steps")]
    TooMany,
}

impl Progress {
    /// The progress of a list of `length` steps.
    pub fn of_list(length: usize) -> Self {
        Self { states: alloc::vec![StepState::NEW; length], own_names: Vec::new(), next: 0 }
    }

    /// The state of a step.
    #[inline]
    pub fn get(&self, step: StepId) -> Option<&StepState> {
        self.states.get(step.index())
    }

    /// The state of a step that exists.
    #[inline]
    pub(crate) fn state_mut(&mut self, step: StepId) -> &mut StepState {
        &mut self.states[step.index()]
    }

    /// All states, in the order of the steps.
    pub fn states(&self) -> &[StepState] {
        &self.states
    }

    /// The names of found steps; the trail is that of the run's workflow.
    pub(crate) fn found_names<'a>(&'a self, trail: &'a Trail) -> &'a [Arc<str>] {
        if self.own_names.is_empty() { trail.0.get(..self.states.len()).unwrap_or(&[]) } else { &self.own_names }
    }

    /// The number of the found step of this name.
    pub(crate) fn find(&self, name: &str, trail: &Trail) -> Option<StepId> {
        // A handler has few steps, and each is found once per pass: a list beats a map up to hundreds.
        let place = self.found_names(trail).iter().position(|found| &**found == name);
        place.map(|index| StepId(index as u32))
    }

    /// Whether this is the very text of the name that comes next on the trail. Then no step that was found has it, and it
    /// need not be looked at.
    #[inline]
    pub(crate) fn is_next_on(&self, trail: &Trail, name: &str) -> bool {
        let next = trail.0.get(self.states.len());
        self.own_names.is_empty() && next.is_some_and(|next| core::ptr::eq::<str>(&**next, name))
    }

    /// Adds a found step.
    pub(crate) fn add_found(&mut self, name: &Arc<str>, trail: &mut Trail) {
        let length = self.states.len();
        let Trail(names) = trail;
        if !self.own_names.is_empty() {
            self.own_names.push(name.clone());
        } else if length == names.len() {
            names.push(name.clone());
        } else if !Arc::ptr_eq(&names[length], name) && names[length] != *name {
            self.own_names = names[..length].to_vec();
            self.own_names.push(name.clone());
        }
        if length == 0 {
            self.states.reserve_exact(names.len().min(EXPECTED_STEPS_MAX));
        }
        self.states.push(StepState::NEW);
    }

    /// The first step of a list that is not finished.
    #[inline]
    pub fn next_in_list(&self) -> Option<StepId> {
        (self.next as usize..self.states.len())
            .find(|&index| self.states[index].phase != StepPhase::Done)
            .map(|index| StepId(index as u32))
    }

    /// Marks a step as finished.
    #[inline]
    pub(crate) fn finish(&mut self, step: StepId) {
        let state = &mut self.states[step.index()];
        state.phase = StepPhase::Done;
        state.key = None;
        if step.0 == self.next {
            self.next += 1;
        }
    }

    /// Begins another pass: failures count anew, and unless results are kept every step is to be done again.
    pub(crate) fn begin_pass(&mut self, keep_finished: bool) {
        for state in &mut self.states {
            state.failures = 0;
            if !(keep_finished && state.phase == StepPhase::Done) {
                state.phase = StepPhase::Idle;
                state.key = None;
            }
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn list(names: &[&str]) -> Workflow {
        Workflow {
            name: "sign-up".into(),
            steps: Steps::List(names.iter().map(|&name| name.into()).collect()),
            step_retry: RetryPolicy::once(),
            run_retry: RetryPolicy::once(),
            memo: false,
            once: false,
            compare_data: false,
        }
    }

    #[test]
    fn s2_10_runs_share_the_names_of_a_trail_until_they_find_others() {
        let (mut trail, mut runs) = (Trail::default(), [(); 3].map(|()| Progress::default()));
        let found = [["a", "b", "c"], ["a", "b", "d"], ["b", "a", "c"]];
        for (run, names) in runs.iter_mut().zip(found) {
            for (index, name) in names.into_iter().enumerate() {
                assert_eq!(run.find(name, &trail), None);
                run.add_found(&name.into(), &mut trail);
                assert_eq!(run.find(name, &trail), Some(StepId(index as u32)));
            }
        }
        for (run, names) in runs.iter().zip(found) {
            let known: Vec<&str> = run.found_names(&trail).iter().map(|name| &**name).collect();
            assert_eq!(known, names);
        }
        assert_eq!(runs.map(|run| run.own_names.len()), [0, 3, 3]);
    }

    #[test]
    fn h32_a_step_name_used_twice_is_refused_at_definition() {
        assert!(list(&["a", "b"]).check().is_ok());
        assert_eq!(
            list(&["a", "b", "a"]).check().unwrap_err().to_string(),
            "steps needs a different name for every step, got \"a\" twice"
        );
        assert!(list(&["a", ""]).check().is_err());
    }

    #[test]
    fn a30_a_list_is_done_in_order() {
        let mut progress = Progress::of_list(3);
        let mut order = Vec::new();
        while let Some(step) = progress.next_in_list() {
            order.push(step.0);
            progress.finish(step);
        }
        assert_eq!(order, [0, 1, 2]);
    }

    #[test]
    fn s2_10_another_pass_keeps_finished_steps_only_if_told() {
        let mut progress = Progress::of_list(2);
        progress.finish(StepId(0));
        let mut again = progress.clone();
        progress.begin_pass(true);
        again.begin_pass(false);
        assert_eq!((progress.next_in_list(), again.next_in_list()), (Some(StepId(1)), Some(StepId(0))));
    }
}
