//! The computation: a kernel that is taken up again in every free moment, never for longer than a few milliseconds.

use std::rc::Rc;

use twiceproof_sim::table::{Table, TableParams};
use yew::prelude::*;

use super::Read;
use crate::controls::Go;

/// How the computation stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    /// Under way: sign-ups done, and of how many.
    Running { done: u64, total: u64 },
    /// Finished.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
    Done { table: Rc<Table>, elapsed_ms: f64 },
    /// The reader stopped it.
    Cancelled,
}

/// The computation's state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) params: TableParams,
    pub(super) progress: Progress,
    /// Counts the starts, so that an old computation cannot report to a new one.
    pub(super) start: u32,
}

impl Default for Run {
    fn default() -> Self {
        Self { params: TableParams::default(), progress: Progress::Running { done: 0, total: 1 }, start: 0 }
    }
}

/// What can happen to it.
pub(super) enum Action {
    /// Compute, with the parameters that hold.
    Start,
    /// Stop.
    Cancel,
    /// Another parameter was typed; if it can be used, compute with it.
    Change { typed: String, read: Read, go: Go },
    /// The computation with this start reports.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
    Report { start: u32, progress: Progress },
}

impl Reducible for Run {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = Rc::unwrap_or_clone(self);
        match action {
            Action::Start => next.begin(),
            Action::Cancel => next.progress = Progress::Cancelled,
            Action::Change { typed, read, go } => next.change(&typed, read, &go),
            Action::Report { start, progress } if start == next.start && next.is_running() => next.progress = progress,
            Action::Report { .. } => {}
        }
        Rc::new(next)
    }
}

impl Run {
    fn is_running(&self) -> bool {
        matches!(self.progress, Progress::Running { .. })
    }

    fn begin(&mut self) {
        self.start += 1;
        self.progress = Progress::Running { done: 0, total: 1 };
    }

    fn change(&mut self, typed: &str, read: Read, go: &Go) {
        let mut params = self.params;
        let problem = match read(typed, &mut params).map(|()| params.validate()) {
            Some(Ok(())) => {
                self.params = params;
                return self.begin();
            }
            Some(Err(error)) => format!("The table cannot be computed: {error}."),
            None => format!("The table cannot be computed with \u{201c}{typed}\u{201d}."),
        };
        go.dispatch(crate::app::action::Action::Say { text: problem, problem: true });
    }
}

/// Computes whenever there is a new start.
#[hook]
pub(super) fn use_run(run: &UseReducerHandle<Run>) {
    let dispatcher = run.dispatcher();
    use_effect_with((run.start, run.is_running(), run.params), move |&(start, running, params)| {
        let report = Callback::from(move |progress| dispatcher.dispatch(Action::Report { start, progress }));
        let work = running.then(|| work::begin(&params, report));
        // A new start, or a stop, ends what was under way.
        move || {
            let _ended = work;
        }
    });
}

#[cfg(target_arch = "wasm32")]
mod work {
    //! Slices in the browser's free moments.

    use std::cell::RefCell;
    use std::rc::Rc;

    use gloo_timers::callback::Timeout;
    use twiceproof_sim::table::kernel::Kernel;
    use twiceproof_sim::table::{TableParams, article_strategies};
    use yew::Callback;

    use super::Progress;
    use crate::app::page::now_ms;

    /// Longest slice, in milliseconds: half a frame.
    const SLICE_MS: f64 = 8.0;
    /// Sign-ups between two looks at the clock.
    const STEP_JOBS: u64 = 8_192;

    /// A computation under way; dropping it ends it.
    pub(super) struct Work {
        _timer: Rc<RefCell<Option<Timeout>>>,
    }

    struct Job {
        kernel: Kernel,
        report: Callback<Progress>,
        worked_ms: f64,
    }

    pub(super) fn begin(params: &TableParams, report: Callback<Progress>) -> Work {
        let timer = Rc::new(RefCell::new(None));
        // Parameters are checked before a start; should one slip through, nothing is computed and Cancel is there.
        if let Ok(kernel) = Kernel::new(params, &article_strategies()) {
            schedule(&timer, Job { kernel, report, worked_ms: 0.0 });
        }
        Work { _timer: timer }
    }

    fn schedule(timer: &Rc<RefCell<Option<Timeout>>>, mut job: Job) {
        let weak = Rc::downgrade(timer);
        let next = Timeout::new(0, move || {
            let Some(timer) = weak.upgrade() else { return };
            if !slice(&mut job) {
                schedule(&timer, job);
            }
        });
        timer.replace(Some(next));
    }

    /// Works for one slice and reports. True once all is done.
    fn slice(job: &mut Job) -> bool {
        let began = now_ms();
        let mut finished = false;
        while !finished && now_ms() - began < SLICE_MS {
            finished = job.kernel.advance(STEP_JOBS);
        }
        job.worked_ms += now_ms() - began;
        job.report.emit(match job.kernel.table() {
            Some(table) => Progress::Done { table: Rc::new(table), elapsed_ms: job.worked_ms },
            None => Progress::Running { done: job.kernel.done_jobs(), total: job.kernel.total_jobs() },
        });
        finished
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod work {
    //! Natively a page is only drawn, and nothing is computed for it.

    use twiceproof_sim::table::TableParams;
    use yew::Callback;

    pub(super) struct Work;

    pub(super) fn begin(_: &TableParams, _: Callback<super::Progress>) -> Work {
        Work
    }
}
