//! Theory against an enumeration of everything that can happen, against the simulation, and at the edges.

use std::ops::ControlFlow;

use twiceproof_sim::strategy::{ARTICLE_ROWS, RetryScope, SentKey, Strategy};
use twiceproof_sim::table::theory::{Expected, Moments, Theory};
use twiceproof_sim::table::{Generator, TableParams, kernel};

fn all_strategies() -> Vec<Strategy> {
    let mut all = Vec::new();
    for retry in [RetryScope::EachStep, RetryScope::WholeJob] {
        for key in [SentKey::None, SentKey::NewEachCall, SentKey::Same] {
            for (skip_finished, provider_remembers) in [(false, false), (false, true), (true, false), (true, true)] {
                all.push(Strategy { retry, key, skip_finished, provider_remembers });
            }
        }
    }
    all
}

/// One sign-up, with chance taken from a list. Written once more, apart from the crate's own two, and closer to the article:
/// it counts what each step did, remembers keys in a list, and asks nothing else.
struct Trial<'a> {
    params: &'a TableParams,
    strategy: Strategy,
    /// What is decided already; beyond it nothing bad happens.
    decided: &'a [bool],
    /// The chances of everything asked, in order.
    asked: Vec<f64>,
    done: Vec<u32>,
    finished: Vec<bool>,
    keys: Vec<u64>,
    calls: u64,
}

impl Trial<'_> {
    fn chance(&mut self, of: f64) -> bool {
        self.asked.push(of);
        self.decided.get(self.asked.len() - 1).copied().unwrap_or(false)
    }

    fn call(&mut self, step: usize) -> bool {
        if self.strategy.skip_finished && self.finished[step] {
            return true;
        }
        self.calls += 1;
        if self.chance(self.params.fail) {
            return false;
        }
        let email = step + 1 == self.params.lost_step as usize;
        let key = match self.strategy.key {
            SentKey::None => None,
            SentKey::NewEachCall => Some(self.calls),
            SentKey::Same => Some(0),
        };
        let seen = email && self.strategy.provider_remembers && key.is_some_and(|key| self.keys.contains(&key));
        self.keys.extend(key.filter(|_| email));
        self.done[step] += u32::from(!seen);
        self.finished[step] = !(email && self.chance(self.params.lost));
        self.finished[step]
    }

    fn run(&mut self) -> bool {
        let (steps, attempts) = (self.done.len(), self.params.attempts);
        match self.strategy.retry {
            RetryScope::EachStep => (0..steps).all(|step| (0..attempts).any(|_| self.call(step))),
            RetryScope::WholeJob => (0..attempts).any(|_| (0..steps).all(|step| self.call(step))),
        }
    }
}

/// The figures of one sign-up: failed, calls, repeated steps, emails.
type Figures = (bool, u64, u64, usize);

/// Everything that can happen, with its probability.
fn enumerate(params: &TableParams, strategy: Strategy) -> Vec<(f64, Figures)> {
    let steps = params.steps as usize;
    let mut outcomes = Vec::new();
    let mut open: Vec<(f64, Vec<bool>)> = vec![(1.0, Vec::new())];
    while let Some((probability, decided)) = open.pop() {
        let mut trial = Trial {
            params,
            strategy,
            decided: &decided,
            asked: Vec::new(),
            done: vec![0; steps],
            finished: vec![false; steps],
            keys: Vec::new(),
            calls: 0,
        };
        let succeeded = trial.run();
        let Trial { asked, done, calls, .. } = trial;
        let mut rest = probability;
        for (index, chance) in asked.iter().enumerate().skip(decided.len()) {
            let mut other = decided.clone();
            other.resize(index, false);
            other.push(true);
            open.push((rest * chance, other));
            rest *= 1.0 - chance;
        }
        let repeated = done.iter().map(|times| u64::from(times.saturating_sub(1))).sum();
        outcomes.push((rest, (!succeeded, calls, repeated, done[params.lost_step as usize - 1] as usize)));
    }
    outcomes
}

fn moments(outcomes: &[(f64, Figures)], value: impl Fn(&Figures) -> f64) -> Moments {
    let mean: f64 = outcomes.iter().map(|(probability, figures)| probability * value(figures)).sum();
    let spread = |(probability, figures): &(f64, Figures)| probability * (value(figures) - mean).powi(2);
    Moments { mean, variance: outcomes.iter().map(spread).sum() }
}

fn assert_near(name: &str, got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{name}: {got}, enumerated {expected}");
}

#[test]
fn theory_equals_an_enumeration_of_everything_that_can_happen() {
    let mut compared = 0;
    for (steps, attempts) in [(1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)] {
        for lost_step in 1..=steps {
            for (fail, lost) in
                [(0.01, 0.005), (0.3, 0.6), (0.5, 0.5), (0.9, 0.1), (0.0, 0.4), (0.2, 0.0), (1.0, 0.5), (0.1, 1.0)]
            {
                let params = TableParams { steps, attempts, lost_step, fail, lost, ..TableParams::default() };
                for strategy in all_strategies() {
                    let theory = Theory::new(&params, strategy).unwrap();
                    let outcomes = enumerate(&params, strategy);
                    assert_near("everything", outcomes.iter().map(|(probability, _)| probability).sum(), 1.0);
                    let calls = moments(&outcomes, |figures| figures.1 as f64);
                    let repeated = moments(&outcomes, |figures| figures.2 as f64);
                    let chance = |of: &dyn Fn(&Figures) -> bool| {
                        moments(&outcomes, |figures| f64::from(u8::from(of(figures)))).mean
                    };
                    assert_near("failed", theory.failed, chance(&|figures| figures.0));
                    assert_near("succeeded", theory.succeeded, chance(&|figures| !figures.0));
                    assert_near("calls", theory.calls.mean, calls.mean);
                    assert_near("calls, variance", theory.calls.variance, calls.variance);
                    assert_near("repeated", theory.repeated_steps.mean, repeated.mean);
                    assert_near("repeated, variance", theory.repeated_steps.variance, repeated.variance);
                    assert_near("two emails", theory.two_emails, chance(&|figures| figures.3 > 1));
                    for (emails, expected) in theory.emails.iter().enumerate() {
                        assert_near("emails", *expected, chance(&|figures| figures.3 == emails));
                    }
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 18 * 8 * 24);
}

/// What the golden table's file gives, to the digits given there.
#[test]
fn a34_to_a38_the_articles_expectations() {
    let digits = |got: f64, expected: f64, digits: f64| {
        assert!((got / expected - 1.0).abs() < digits, "{got}, golden {expected}")
    };
    let rows = ARTICLE_ROWS.map(|row| Theory::new(&TableParams::default(), row.strategy).unwrap());
    for row in &rows[..2] {
        digits(row.two_emails, 4.99848e-3, 1e-5);
        digits(row.repeated_steps.mean, 5.02274e-3, 1e-5);
    }
    for row in &rows[..3] {
        digits(row.failed, 1.23413e-5, 1e-5);
        digits(row.calls.mean, 10.106_021, 1e-7);
    }
    for row in &rows[2..] {
        assert_eq!(row.two_emails, 0.0);
    }
    digits(rows[3].failed, 1.00420e-3, 1e-5);
    digits(rows[3].calls.mean, 10.599_828, 1e-7);
    digits(rows[4].failed, 2.38257e-4, 1e-5);
    digits(rows[4].calls.mean, 10.105_298, 1e-7);
    assert_eq!((rows[2].repeated_steps.mean, rows[4].repeated_steps.mean), (0.0, 0.0));
}

/// A small generator for the tests' own parameters, so that they are the same on every run.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn pick(&mut self, from: u32, to: u32) -> u32 {
        from + (self.unit() * f64::from(to - from + 1)) as u32
    }
}

#[test]
fn simulation_stays_within_five_sigma_of_theory() {
    let mut dice = Dice(1);
    let strategies = all_strategies();
    let (mut squares, mut counted) = (0.0, 0.0);
    for set in 0..400 {
        let steps = dice.pick(1, 20);
        let power = |dice: &mut Dice| 10_f64.powf(-3.0 * dice.unit());
        let params = TableParams {
            jobs: 20_000,
            steps,
            lost_step: dice.pick(1, steps),
            fail: power(&mut dice),
            lost: power(&mut dice),
            attempts: dice.pick(1, 6),
            seed: (dice.unit() * 4e9) as u32,
            rng: if set % 2 == 0 { Generator::Mulberry32 } else { Generator::ChaCha8 },
        };
        let strategy = strategies[set % strategies.len()];
        let table = kernel::run(&params, &[strategy], &mut |_, _| ControlFlow::Continue(())).unwrap();
        let row = &table.rows[0];
        let theory = Theory::new(&params, strategy).unwrap();
        let mut check = |name: &str, got: u64, expected: Expected, unit: f64| {
            let off = got as f64 - expected.mean;
            // A rare event is not normally distributed; a few of them are allowed for.
            assert!(
                off.abs() <= 5.0 * expected.deviation + 5.0 * unit,
                "{name}: {got}, {expected:?}, {params:?}, {strategy:?}"
            );
            if expected.deviation > 10.0 * unit {
                squares += (off / expected.deviation).powi(2);
                counted += 1.0;
            }
        };
        check("failed", row.failed, theory.failed_of(params.jobs), 1.0);
        check("two emails", row.two_emails, theory.two_emails_of(params.jobs), 1.0);
        check("calls", row.calls, theory.calls_of(params.jobs), f64::from(steps));
        check("repeated", row.repeated_steps, theory.repeated_steps_of(params.jobs), f64::from(steps));
    }
    // The deviations are right too: squared and in units of their own, the differences average one.
    assert!(counted > 500.0, "{counted}");
    assert!((squares / counted - 1.0).abs() < 0.2, "{}", squares / counted);
}

#[test]
fn tiny_and_large_probabilities_keep_their_digits() {
    let near = |got: f64, expected: f64| assert!((got / expected - 1.0).abs() < 1e-9, "{got:e}, expected {expected:e}");
    let each = |params: &TableParams| Theory::new(params, ARTICLE_ROWS[0].strategy).unwrap();
    let tiny = TableParams { fail: 1e-60, lost: 1e-70, ..TableParams::default() };
    let theory = each(&tiny);
    // Ten steps, three failures in a row at one of them.
    near(theory.failed, 10.0 * 1e-180);
    near(theory.calls.variance, 10.0 * 1e-60);
    near(theory.two_emails, 1e-70);
    near(theory.repeated_steps.variance, 1e-70);
    let job = Theory::new(&tiny, ARTICLE_ROWS[3].strategy).unwrap();
    near(job.failed, (10.0 * 1e-60_f64).powi(3));
    // A call refused after n steps: they are done again, n being 0 to 9, but for the email.
    near(job.repeated_steps.mean, 1e-60 * f64::from((0..7).sum::<u32>() + (6..9).sum::<u32>()));
    let hopeless = TableParams { fail: 1.0 - 2_f64.powi(-50), ..TableParams::default() };
    near(each(&hopeless).succeeded, (3.0 * 2_f64.powi(-50)).powi(10) * 0.995);
    near(each(&TableParams { fail: 1.0, ..hopeless }).calls.mean, 3.0);
}

#[test]
fn the_largest_parameters_are_quick_enough() {
    let params = TableParams { steps: 1_000, lost_step: 500, attempts: 100, fail: 0.002, ..TableParams::default() };
    for row in &ARTICLE_ROWS[2..] {
        let theory = Theory::new(&params, row.strategy).unwrap();
        assert!((theory.failed + theory.succeeded - 1.0).abs() < 1e-9);
    }
}
