//! The strategy table and its exact expectations, in plain numbers. Words and percentages are made outside.

use twiceproof_core::options;
use twiceproof_sim::{
    strategy::{RetryScope, SentKey, Strategy},
    table::{Generator, OptionError, Row, TableParams, kernel::Kernel, theory::Theory},
};
use wasm_bindgen::prelude::*;

use crate::error;

/// Bits of a strategy: the whole job is retried.
const WHOLE_JOB: u32 = 1;
/// Finished steps are skipped.
const SKIP_FINISHED: u32 = 2;
/// The provider remembers keys.
const PROVIDER_REMEMBERS: u32 = 4;
/// Above them: the key, 0 none, 1 a new one on each call, 2 the same.
const KEY_SHIFT: u32 = 3;

fn strategy(bits: u32) -> Strategy {
    Strategy {
        retry: if bits & WHOLE_JOB == 0 { RetryScope::EachStep } else { RetryScope::WholeJob },
        key: match bits >> KEY_SHIFT {
            0 => SentKey::None,
            1 => SentKey::NewEachCall,
            _ => SentKey::Same,
        },
        skip_finished: bits & SKIP_FINISHED != 0,
        provider_remembers: bits & PROVIDER_REMEMBERS != 0,
    }
}

/// `[jobs, steps, lostStep, fail, lost, attempts, seed, generator]`, the last 0 for mulberry32 and 1 for ChaCha8.
fn params(numbers: &[f64]) -> Result<TableParams, JsValue> {
    let &[jobs, steps, lost_step, fail, lost, attempts, seed, generator] = numbers else {
        return Err(error::range("a table needs eight numbers"));
    };
    let params = TableParams {
        jobs: whole("jobs", "a whole number from 0 to 1099511627776", jobs)?,
        steps: whole("steps", "a whole number from 1 to 1000", steps)?,
        lost_step: whole("lostStep", "a whole number from 1 to the number of steps", lost_step)?,
        fail: options::probability("fail", fail).map_err(error::option)?,
        lost: options::probability("lost", lost).map_err(error::option)?,
        attempts: whole("attempts", "a whole number from 1 to 100", attempts)?,
        seed: whole("seed", "a whole number from 0 to 4294967295", seed)?,
        rng: if generator == 0.0 { Generator::Mulberry32 } else { Generator::ChaCha8 },
    };
    params.validate().map_err(table_option)?;
    Ok(params)
}

/// A whole number. What its type cannot hold is told the type's range, unless the table has one of its own.
fn whole<T: TryFrom<u64>>(option: &str, needs: &'static str, value: f64) -> Result<T, JsValue> {
    let refused = || error::option(options::InvalidOption::number(option, needs, value));
    let integer = value as u64;
    if integer as f64 != value {
        return Err(refused());
    }
    T::try_from(integer).map_err(|_| refused())
}

fn table_option(error: OptionError) -> JsValue {
    error::out_of_range(error.option, &error.needs, &error.got)
}

/// The name of a strategy, as the article has it.
#[wasm_bindgen(js_name = strategyName)]
pub fn strategy_name(bits: u32) -> String {
    strategy(bits).name()
}

/// A table under way: slices of work, so that a page stays alive and a caller can stop.
#[wasm_bindgen]
pub struct TableRun {
    kernel: Kernel,
}

#[wasm_bindgen]
impl TableRun {
    /// A table before its first sign-up.
    #[wasm_bindgen(constructor)]
    pub fn new(numbers: &[f64], strategies: &[u32]) -> Result<TableRun, JsValue> {
        let strategies: Vec<Strategy> = strategies.iter().map(|&bits| strategy(bits)).collect();
        let kernel = Kernel::new(&params(numbers)?, &strategies).map_err(table_option)?;
        Ok(Self { kernel })
    }

    /// Runs about so many sign-ups more of every row; true once all are done.
    pub fn advance(&mut self, jobs: f64) -> bool {
        self.kernel.advance(jobs as u64)
    }

    /// Sign-ups done, all rows together.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.kernel.done_jobs() as f64
    }

    /// The finished rows, one after the other: `[jobs, failed, calls, refused, lostReplies, draws, repeatedSteps,
    /// twoEmails, emails…]`, of `emails` one more than there are attempts. Empty before the end.
    pub fn rows(&self) -> Vec<f64> {
        let rows = self.kernel.table().map(|table| table.rows).unwrap_or_default();
        let mut numbers = Vec::new();
        for row in &rows {
            add_numbers(row, &mut numbers);
        }
        numbers
    }
}

fn add_numbers(row: &Row, numbers: &mut Vec<f64>) {
    let counters =
        [row.jobs, row.failed, row.calls, row.refused, row.lost_replies, row.draws, row.repeated_steps, row.two_emails];
    for &count in counters.iter().chain(&row.emails) {
        numbers.push(count as f64);
    }
}

/// One strategy's exact expectations: for one sign-up `[failed, succeeded, calls, calls' variance, repeatedSteps, its
/// variance, twoEmails]`, then mean and deviation over all for failed, calls, repeatedSteps and twoEmails, then the
/// probabilities of the numbers of emails.
#[wasm_bindgen]
pub fn theory(numbers: &[f64], strategy_bits: u32) -> Result<Vec<f64>, JsValue> {
    let params = params(numbers)?;
    let theory = Theory::new(&params, strategy(strategy_bits)).map_err(table_option)?;
    let mut all = vec![
        theory.failed,
        theory.succeeded,
        theory.calls.mean,
        theory.calls.variance,
        theory.repeated_steps.mean,
        theory.repeated_steps.variance,
        theory.two_emails,
    ];
    let jobs = params.jobs;
    let over_all =
        [theory.failed_of(jobs), theory.calls_of(jobs), theory.repeated_steps_of(jobs), theory.two_emails_of(jobs)];
    for expected in over_all {
        all.extend([expected.mean, expected.deviation]);
    }
    all.extend(&theory.emails);
    Ok(all)
}
