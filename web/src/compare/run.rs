//! The computation: once a frame while there is something to compute, never for longer than a slice, and always
//! towards the latest settings.

use std::rc::Rc;

use twiceproof_sim::table::kernel::Kernel;
use twiceproof_sim::table::theory::Theory;
use twiceproof_sim::table::{Table, TableParams, article_strategies};
use yew::prelude::*;

use super::behind::Wanted;
use super::setting::Setting;
use super::{Comparison, Tab};
use crate::app::frames;
use crate::app::page::now_ms;

/// A table to be shown, whole or as far as it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shown {
    pub(super) table: Table,
    /// What is expected of a sign-up in each row.
    pub(super) theory: Rc<[Theory]>,
    /// Whether all sign-ups are done.
    pub(super) whole: bool,
    /// How long the kernel has worked for it.
    pub(super) worked_ms: f64,
}

/// The comparison's state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// What the reader has set.
    pub(super) wanted: Comparison,
    /// The latest table; it may be one of settings before these.
    pub(super) shown: Option<Rc<Shown>>,
    /// Whether these settings are still to be computed.
    pub(super) running: bool,
    /// The sign-up that is looked for.
    pub(super) seeking: Option<Wanted>,
}

/// What can happen to it.
pub(super) enum Action {
    /// A slider was moved to a place.
    Place(Setting, u32),
    /// A slider is to be moved by so many places.
    Step(Setting, i32),
    /// A value was typed.
    Typed(Setting, String),
    /// Back to the article's settings.
    Article,
    /// Another way to look at it.
    Look(Tab),
    /// Settings from elsewhere: an address.
    Adopt(Comparison),
    /// Compute once more.
    Start,
    /// Stop.
    Cancel,
    /// The computation reports.
    Report(Rc<Shown>),
    /// Look for a sign-up, or no longer.
    Seek(Option<Wanted>),
}

impl Reducible for Run {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = Rc::unwrap_or_clone(self);
        let params = next.wanted.params;
        match action {
            Action::Place(setting, place) => next.set(setting.at(place, &params)),
            Action::Step(setting, by) => {
                let place = setting.place(&params).saturating_add_signed(by);
                next.set(setting.at(place, &params));
            }
            Action::Typed(setting, text) => next.set(setting.typed(&text, &params).unwrap_or(params)),
            Action::Article => next.set(TableParams::default()),
            Action::Look(tab) => next.wanted.tab = tab,
            Action::Adopt(wanted) => {
                next.wanted.tab = wanted.tab;
                next.set(wanted.params);
            }
            Action::Start => next.running = true,
            Action::Cancel => next.running = false,
            Action::Report(shown) => next.report(shown),
            Action::Seek(wanted) => next.seeking = wanted,
        }
        Rc::new(next)
    }
}

impl Run {
    pub(super) fn new(wanted: Comparison) -> Self {
        Self { wanted, shown: None, running: true, seeking: None }
    }

    fn set(&mut self, params: TableParams) {
        if params != self.wanted.params {
            self.wanted.params = params;
            self.running = true;
            self.seeking = None;
        }
    }

    fn report(&mut self, shown: Rc<Shown>) {
        self.running &= !(shown.whole && shown.table.params == self.wanted.params);
        self.shown = Some(shown);
    }
}

/// Computes while there is something to compute.
#[hook]
pub(super) fn use_run(run: &UseReducerHandle<Run>) {
    let wanted = use_mut_ref(|| run.wanted.params);
    *wanted.borrow_mut() = run.wanted.params;
    let dispatcher = run.dispatcher();
    use_effect_with(run.running, move |running| {
        let frames = running.then(|| {
            let worker = std::cell::RefCell::new(Worker::default());
            frames::each(move || {
                if let Some(shown) = worker.borrow_mut().frame(*wanted.borrow()) {
                    dispatcher.dispatch(Action::Report(Rc::new(shown)));
                }
            })
        });
        move || {
            let _ended = frames;
        }
    });
}

/// Longest work in one frame, in milliseconds: what drawing leaves of it.
const SLICE_MS: f64 = 12.0;
/// A table under way is finished, though the settings have changed, unless it takes longer than this. Otherwise none would ever be
/// finished while a slider moves. From then on it is shown as far as it is.
const KEEP_MS: f64 = 100.0;

/// Works at one table after the other.
#[derive(Default)]
struct Worker {
    work: Option<Work>,
    finished: Option<TableParams>,
}

struct Work {
    params: TableParams,
    kernel: Kernel,
    theory: Rc<[Theory]>,
    worked_ms: f64,
    /// Sign-ups between two looks at the clock.
    stride: u64,
}

impl Worker {
    /// Works for one frame, and gives what is to be shown then.
    fn frame(&mut self, wanted: TableParams) -> Option<Shown> {
        let superseded = |work: &Work| work.params != wanted && work.worked_ms >= KEEP_MS;
        if self.work.as_ref().is_none_or(superseded) {
            if self.finished == Some(wanted) {
                return None;
            }
            self.work = Work::new(wanted);
        }
        let work = self.work.as_mut()?;
        let whole = work.slice();
        let shown = (whole || work.worked_ms >= KEEP_MS).then(|| work.shown(whole));
        if whole {
            self.finished = Some(work.params);
            self.work = None;
        }
        shown
    }
}

impl Work {
    /// Nothing if the parameters cannot be used, which the settings do not let happen.
    fn new(params: TableParams) -> Option<Self> {
        let strategies = article_strategies();
        let theory = strategies.iter().map(|strategy| Theory::new(&params, *strategy)).collect::<Result<_, _>>();
        Some(Self {
            params,
            kernel: Kernel::new(&params, &strategies).ok()?,
            theory: theory.ok()?,
            worked_ms: 0.0,
            // Some tens of thousands of draws to begin with, whatever the sign-ups are.
            stride: (65_536 / u64::from(params.steps)).max(1),
        })
    }

    /// Works for one slice. True once all is done.
    fn slice(&mut self) -> bool {
        let began = now_ms();
        let mut now = began;
        loop {
            let whole = self.kernel.advance(self.stride);
            let took = now_ms() - now;
            now += took;
            if took < 1.0 {
                self.stride = self.stride.saturating_mul(2);
            } else if took > 3.0 {
                self.stride = (self.stride / 2).max(1);
            }
            if whole || now - began >= SLICE_MS {
                self.worked_ms += now - began;
                return whole;
            }
        }
    }

    fn shown(&self, whole: bool) -> Shown {
        let table = Table { params: self.params, rows: self.kernel.rows_so_far() };
        Shown { table, theory: self.theory.clone(), whole, worked_ms: self.worked_ms }
    }
}

/// The settings in the address, once they have been left alone for a moment; and those of an address that was followed.
#[hook]
pub(super) fn use_address(run: &UseReducerHandle<Run>, outside: Comparison, put: &Callback<Comparison>) {
    const SETTLED_AFTER_MS: u32 = 300;
    let agreed = use_mut_ref(|| outside);
    {
        let (run, agreed) = (run.dispatcher(), agreed.clone());
        use_effect_with(outside, move |outside| {
            if agreed.replace(*outside) != *outside {
                run.dispatch(Action::Adopt(*outside));
            }
        });
    }
    let put = put.clone();
    use_effect_with(run.wanted, move |inside| {
        let inside = *inside;
        let timer = (*agreed.borrow() != inside).then(|| {
            let agreed = agreed.clone();
            crate::app::effects::timer::after(SETTLED_AFTER_MS, move || {
                *agreed.borrow_mut() = inside;
                put.emit(inside);
            })
        });
        move || {
            let _stopped = timer;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use twiceproof_sim::table::article;

    fn run(actions: impl IntoIterator<Item = Action>) -> Run {
        let first = Rc::new(Run::new(Comparison::default()));
        Rc::unwrap_or_clone(actions.into_iter().fold(first, |run, action| run.reduce(action)))
    }

    fn table(params: TableParams) -> Rc<Shown> {
        let mut worker = Worker::default();
        Rc::new(std::iter::from_fn(|| Some(worker.frame(params))).flatten().find(|shown| shown.whole).unwrap())
    }

    #[test]
    fn the_articles_table_comes_out_whole() {
        let shown = table(TableParams::default());
        let rows = article::compare(&shown.table).unwrap();
        assert!(rows.iter().all(|row| row.unwrap().all()));
        assert_eq!(shown.theory.len(), 5);
    }

    #[test]
    fn settings_changed_before_the_page_is_drawn_again_all_count() {
        let run = run([
            Action::Place(Setting::Fail, 0),
            Action::Typed(Setting::Seed, "9".into()),
            Action::Step(Setting::Attempts, 1),
            Action::Step(Setting::Steps, -4),
        ]);
        let expected =
            TableParams { fail: 0.0, seed: 9, attempts: 4, steps: 6, lost_step: 6, ..TableParams::default() };
        assert_eq!(run.wanted.params, expected);
        assert!(run.running);
    }

    #[test]
    fn the_latest_settings_win() {
        let old = table(TableParams { jobs: 100, ..TableParams::default() });
        let new = TableParams { jobs: 200, ..TableParams::default() };
        let between = run([Action::Typed(Setting::SignUps, "200".into()), Action::Report(old)]);
        assert!(between.running, "what is shown is of the settings before");
        assert!(!Rc::new(between).reduce(Action::Report(table(new))).running);
    }

    #[test]
    fn a_worker_does_each_settings_once_and_a_short_table_to_its_end() {
        let (old, new) = (TableParams { jobs: 100, ..TableParams::default() }, TableParams::default());
        let mut worker = Worker::default();
        assert_eq!(worker.frame(old).unwrap().table.params, old);
        assert_eq!(worker.frame(old), None);
        worker.work = Work::new(old);
        assert_eq!(worker.frame(new).unwrap().table.params, old);
    }
}
