//! Strategies that never call a finished step again: a failure costs an attempt, and leaves the sign-up where it is.
//!
//! The chain's state is the step and the attempts that have failed; at the lost step also how often the email was sent.

use super::{Chances, Moments, Theory, emails_sent};
use crate::strategy::Strategy;

/// Whose attempts they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Budget {
    /// Every step begins with all of them.
    OfStep,
    /// Those that a step uses up are gone for the steps after it.
    OfJob,
}

pub(super) fn theory(chances: &Chances, strategy: Strategy, budget: Budget) -> Theory {
    let walk = Walk::new(chances, budget);
    let emails = emails_sent(walk.arrivals, strategy);
    // Nothing but the email can take effect twice.
    let again = |times: usize| times.saturating_sub(1) as f64;
    let mean: f64 = emails.iter().enumerate().map(|(times, chance)| chance * again(times)).sum();
    let variance = emails.iter().enumerate().map(|(times, chance)| chance * (again(times) - mean).powi(2)).sum();
    Theory {
        failed: walk.failed,
        succeeded: walk.succeeded,
        calls: calls(chances, budget),
        repeated_steps: Moments { mean, variance },
        two_emails: emails[2..].iter().sum(),
        emails,
    }
}

/// The chain walked forwards.
struct Walk {
    failed: f64,
    succeeded: f64,
    /// The probability of so many arrivals at the email provider.
    arrivals: Vec<f64>,
}

impl Walk {
    fn new(chances: &Chances, budget: Budget) -> Self {
        let mut walk = Self { failed: 0.0, succeeded: 0.0, arrivals: vec![0.0; chances.attempts + 1] };
        // The probability of being at the step, by failed attempts of the budget.
        let mut here = vec![0.0; chances.attempts];
        here[0] = 1.0;
        for step in 1..=chances.steps {
            if step == chances.lost_step {
                walk.arrivals[0] += walk.failed;
                here = walk.lost_step(chances, &here);
            } else {
                here = walk.other_step(chances, &here);
            }
            if budget == Budget::OfStep {
                here[0] = here.iter().sum();
                here[1..].fill(0.0);
            }
        }
        walk.succeeded = here.iter().sum();
        walk
    }

    fn other_step(&mut self, chances: &Chances, here: &[f64]) -> Vec<f64> {
        let mut failing = 0.0;
        let next = here
            .iter()
            .map(|arriving| {
                let calling = arriving + failing;
                failing = calling * chances.refused;
                calling * chances.acts
            })
            .collect();
        self.failed += failing;
        next
    }

    fn lost_step(&mut self, chances: &Chances, here: &[f64]) -> Vec<f64> {
        let emails = chances.attempts + 1;
        // Calls with one more failed attempt, by emails already sent.
        let mut failing = vec![0.0; emails];
        let mut next = vec![0.0; here.len()];
        for (arriving, next) in here.iter().zip(&mut next) {
            let mut calling = failing;
            calling[0] += arriving;
            failing = vec![0.0; emails];
            for sent in 0..emails - 1 {
                failing[sent] += calling[sent] * chances.refused;
                failing[sent + 1] += calling[sent] * chances.acts_unseen;
                self.arrivals[sent + 1] += calling[sent] * chances.acts_seen;
                *next += calling[sent] * chances.acts_seen;
            }
        }
        self.failed += failing.iter().sum::<f64>();
        for (all, failing) in self.arrivals.iter_mut().zip(&failing) {
            *all += failing;
        }
        next
    }
}

/// The chain walked backwards: the calls still to come.
fn calls(chances: &Chances, budget: Budget) -> Moments {
    // After the last step none, whatever has failed.
    let mut after = vec![Moments::default(); chances.attempts];
    for step in (1..=chances.steps).rev() {
        let (fails, succeeds) = chances.of_step(step);
        let mut here = vec![Moments::default(); chances.attempts];
        // With no attempts left, none.
        let mut again = Moments::default();
        for (attempts, here) in here.iter_mut().enumerate().rev() {
            let onward = after[if budget == Budget::OfJob { attempts } else { 0 }];
            let apart = onward.mean - again.mean;
            here.mean = 1.0 + succeeds * onward.mean + fails * again.mean;
            here.variance = succeeds * onward.variance + fails * again.variance + succeeds * fails * apart * apart;
            again = *here;
        }
        after = here;
    }
    after[0]
}
