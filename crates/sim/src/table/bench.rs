//! How long the table takes by each road, for benchmarks.
//!
//! Deliberately not here: a clock (it is passed in, so that the same code measures natively and as wasm), and any verdict.

use core::hint::black_box;
use core::ops::ControlFlow;

use super::kernel::{Backend, Kernel, scan_only};
use super::{OptionError, TableParams, article_strategies, reference};

/// One road's time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The road: `reference`, the name of a backend, or that with ` scan` for the draws alone.
    pub name: String,
    /// The median over the repeats, after one run that is not counted.
    pub median_ms: f64,
    /// The quickest repeat.
    pub least_ms: f64,
}

/// Times the article's five rows by every backend of this machine, with the time of the draws alone beside each: no
/// table can be quicker than that. `now_ms` is a clock in milliseconds.
///
/// # Errors
/// Parameters out of range.
pub fn kernel(params: &TableParams, repeats: usize, now_ms: &dyn Fn() -> f64) -> Result<Vec<Timing>, OptionError> {
    let mut timings = Vec::new();
    for backend in Backend::all() {
        let mut kernel = Kernel::with_backend(params, &article_strategies(), backend)?;
        let fresh = kernel.clone();
        timings.push(time(backend.name().to_owned(), repeats, now_ms, || {
            kernel.clone_from(&fresh);
            while !kernel.advance(u64::MAX) {}
        }));
        let draws = kernel.table().into_iter().flat_map(|table| table.rows).map(|row| row.draws).max();
        timings.push(time(format!("{} scan", backend.name()), repeats, now_ms, || {
            black_box(scan_only(params, backend, draws.unwrap_or(0)));
        }));
    }
    Ok(timings)
}

/// Times the reference, which takes some hundred times as long.
///
/// # Errors
/// Parameters out of range.
pub fn reference(params: &TableParams, repeats: usize, now_ms: &dyn Fn() -> f64) -> Result<Timing, OptionError> {
    params.validate()?;
    Ok(time("reference".to_owned(), repeats, now_ms, || {
        black_box(reference::run(params, &article_strategies(), &mut |_, _| ControlFlow::Continue(()))).ok();
    }))
}

fn time(name: String, repeats: usize, now_ms: &dyn Fn() -> f64, mut work: impl FnMut()) -> Timing {
    work();
    let once = |_| {
        let start = now_ms();
        work();
        now_ms() - start
    };
    let mut times: Vec<f64> = (0..repeats.max(1)).map(once).collect();
    times.sort_by(f64::total_cmp);
    Timing { name, median_ms: times[times.len() / 2], least_ms: times[0] }
}
