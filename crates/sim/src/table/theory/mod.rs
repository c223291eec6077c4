//! What the table would show on average, exactly.
//!
//! Sign-ups are independent, and each is a Markov chain that ends after finitely many calls. So every figure comes from a
//! recursion over the steps and the attempts, for every strategy, whether the article has it or not. Nothing is sampled and
//! nothing is approximated.
//!
//! Two habits keep the digits at tiny and at large probabilities: a probability is a sum of products of positive numbers,
//! never one minus something close to one; and a variance is a sum of squares (the law of total variance), never the difference
//! of two moments.
//!
//! The probabilities are taken as given. A generator of 2^32 values can only approximate them, by less than 2^-32.

mod step_by_step;
mod whole_job;

use serde::Serialize;

use super::{OptionError, TableParams};
use crate::strategy::{RetryScope, Strategy};

/// Mean and variance of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
}

/// Mean and standard deviation of a counter of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expected {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// One sign-up's exact expectations.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Theory {
    /// The probability that the sign-up is given up on.
    pub failed: f64,
    /// The probability that it is not; with more digits than one minus the other has, if that is tiny.
    pub succeeded: f64,
    /// Its calls.
    pub calls: Moments,
    /// Its steps that take effect again.
    pub repeated_steps: Moments,
    /// The probability that it gets two welcome emails or more.
    pub two_emails: f64,
    /// The probability that it gets exactly so many welcome emails: from none to one for every attempt.
    pub emails: Vec<f64>,
}

impl Theory {
    /// The expectations for a strategy.
    ///
    /// # Errors
    /// Parameters out of range. Sign-ups, seed and generator play no part.
    pub fn new(params: &TableParams, strategy: Strategy) -> Result<Self, OptionError> {
        params.validate()?;
        let chances = Chances::new(params);
        Ok(match (strategy.retry, strategy.skip_finished) {
            (RetryScope::WholeJob, false) => whole_job::theory(&chances, strategy),
            (RetryScope::WholeJob, true) => step_by_step::theory(&chances, strategy, step_by_step::Budget::OfJob),
            (RetryScope::EachStep, _) => step_by_step::theory(&chances, strategy, step_by_step::Budget::OfStep),
        })
    }

    /// How many of so many sign-ups fail.
    pub fn failed_of(&self, jobs: u64) -> Expected {
        count(jobs, self.failed, self.succeeded)
    }

    /// Calls in so many sign-ups.
    pub fn calls_of(&self, jobs: u64) -> Expected {
        sum(jobs, self.calls)
    }

    /// Steps done again in so many sign-ups.
    pub fn repeated_steps_of(&self, jobs: u64) -> Expected {
        sum(jobs, self.repeated_steps)
    }

    /// How many of so many users get two emails or more.
    pub fn two_emails_of(&self, jobs: u64) -> Expected {
        count(jobs, self.two_emails, self.emails[..2].iter().sum())
    }
}

fn count(jobs: u64, chance: f64, other: f64) -> Expected {
    sum(jobs, Moments { mean: chance, variance: chance * other })
}

fn sum(jobs: u64, one: Moments) -> Expected {
    let jobs = jobs as f64;
    Expected { mean: jobs * one.mean, deviation: (jobs * one.variance).sqrt() }
}

/// What can happen to one call.
#[derive(Clone, Copy, Debug)]
struct Chances {
    steps: usize,
    lost_step: usize,
    attempts: usize,
    /// The call fails before it does anything.
    refused: f64,
    /// It does its work.
    acts: f64,
    /// The lost step's call does its work and its reply is lost.
    acts_unseen: f64,
    /// The lost step's call does its work and its reply arrives.
    acts_seen: f64,
}

impl Chances {
    fn new(params: &TableParams) -> Self {
        let acts = 1.0 - params.fail;
        Self {
            steps: params.steps as usize,
            lost_step: params.lost_step as usize,
            attempts: params.attempts as usize,
            refused: params.fail,
            acts,
            acts_unseen: acts * params.lost,
            acts_seen: acts * (1.0 - params.lost),
        }
    }

    /// The probabilities that a call to this step fails, and that it succeeds, as its caller sees it.
    fn of_step(&self, step: usize) -> (f64, f64) {
        if step == self.lost_step {
            (self.refused + self.acts_unseen, self.acts_seen)
        } else {
            (self.refused, self.acts)
        }
    }
}

/// Emails as the provider sends them, from how often it was asked to.
fn emails_sent(arrivals: Vec<f64>, strategy: Strategy) -> Vec<f64> {
    if !strategy.provider_recognises_repeats() {
        return arrivals;
    }
    let mut emails = vec![0.0; arrivals.len()];
    emails[0] = arrivals[0];
    emails[1] = arrivals[1..].iter().sum();
    emails
}
