//! The strategy that begins again at the first step, whatever had finished.
//!
//! Attempts are independent, and an attempt is described by how far it got. Steps done again need one thing more: how far the
//! attempts before it got, at most.

use super::{Chances, Moments, Theory, emails_sent};
use crate::strategy::Strategy;

pub(super) fn theory(chances: &Chances, strategy: Strategy) -> Theory {
    let attempt = Attempt::new(chances);
    let fails = attempt.fails();
    let mut still_failing = 1.0;
    let mut succeeded = 0.0;
    for _ in 0..chances.attempts {
        succeeded += still_failing * attempt.succeeds;
        still_failing *= fails;
    }
    let emails = emails_sent(attempt.arrivals(chances), strategy);
    Theory {
        failed: still_failing,
        succeeded,
        calls: attempt.calls(chances),
        repeated_steps: attempt.repeated_steps(chances, strategy),
        two_emails: emails[2..].iter().sum(),
        emails,
    }
}

/// One attempt's ways to end.
struct Attempt {
    /// The probability that it fails by a refused call after so many steps.
    refused_after: Vec<f64>,
    /// The probability that it fails by the lost reply.
    reply_lost: f64,
    succeeds: f64,
}

/// One way for an attempt to end.
#[derive(Clone, Copy)]
struct End {
    chance: f64,
    calls: usize,
    /// Steps that took effect.
    effects: usize,
    fails: bool,
}

impl Attempt {
    fn new(chances: &Chances) -> Self {
        let mut attempt = Self { refused_after: Vec::with_capacity(chances.steps), reply_lost: 0.0, succeeds: 0.0 };
        let mut here = 1.0;
        for step in 1..=chances.steps {
            attempt.refused_after.push(here * chances.refused);
            if step == chances.lost_step {
                attempt.reply_lost = here * chances.acts_unseen;
                here *= chances.acts_seen;
            } else {
                here *= chances.acts;
            }
        }
        attempt.succeeds = here;
        attempt
    }

    fn fails(&self) -> f64 {
        self.refused_after.iter().sum::<f64>() + self.reply_lost
    }

    fn ends(&self, chances: &Chances) -> impl Iterator<Item = End> + Clone {
        let refused = self.refused_after.iter().enumerate();
        let refused =
            refused.map(|(effects, chance)| End { chance: *chance, calls: effects + 1, effects, fails: true });
        let lost = End { chance: self.reply_lost, calls: chances.lost_step, effects: chances.lost_step, fails: true };
        let success = End { chance: self.succeeds, calls: chances.steps, effects: chances.steps, fails: false };
        refused.chain([lost, success])
    }

    /// The probability of so many arrivals at the email provider.
    fn arrivals(&self, chances: &Chances) -> Vec<f64> {
        let (before, after) = self.refused_after.split_at(chances.lost_step);
        let fails_before: f64 = before.iter().sum();
        let fails_after = after.iter().sum::<f64>() + self.reply_lost;
        let mut ended = vec![0.0; chances.attempts + 1];
        let mut trying = vec![0.0; chances.attempts + 1];
        trying[0] = 1.0;
        for _ in 0..chances.attempts {
            let mut again = vec![0.0; chances.attempts + 1];
            for sent in 0..chances.attempts {
                again[sent] += trying[sent] * fails_before;
                again[sent + 1] += trying[sent] * fails_after;
                ended[sent + 1] += trying[sent] * self.succeeds;
            }
            trying = again;
        }
        ended.iter().zip(&trying).map(|(ended, given_up)| ended + given_up).collect()
    }

    fn calls(&self, chances: &Chances) -> Moments {
        let mut after = Moments::default();
        for _ in 0..chances.attempts {
            let value = |end: End| end.calls as f64 + if end.fails { after.mean } else { 0.0 };
            let mean: f64 = self.ends(chances).map(|end| end.chance * value(end)).sum();
            let spread: f64 = self.ends(chances).map(|end| end.chance * (value(end) - mean).powi(2)).sum();
            after = Moments { mean, variance: spread + self.fails() * after.variance };
        }
        after
    }

    /// Walked backwards, the state being how many steps have taken effect in some attempt.
    ///
    /// The ends of an attempt fall into two groups. Those that got no further than the state all go on from it, and differ in
    /// what they did again. Those that got further all did the same again, and differ in where they go on; so does success,
    /// which goes on nowhere. The groups of one state are those of the state beside it and an end more or less.
    fn repeated_steps(&self, chances: &Chances, strategy: Strategy) -> Moments {
        // The email is not sent again if the provider recognises its key.
        let email = strategy.provider_recognises_repeats();
        let again = |steps: usize| (steps - usize::from(email && steps >= chances.lost_step)) as f64;
        let ends: Vec<End> = self.ends(chances).filter(|end| end.fails).collect();
        // In the order of their effects. There are a few dozen, and the library's sort would be 5 kB of wasm.
        let of = |effects| ends.iter().filter(move |end| end.effects == effects);
        let ends: Vec<&End> = (0..=chances.steps).flat_map(of).collect();
        let mut nearer = vec![Group::default()];
        for end in &ends {
            let group = *nearer.last().expect("there is always the empty group");
            nearer.push(group.and(end.chance, Moments { mean: again(end.effects), variance: 0.0 }));
        }
        let mut after = vec![Moments::default(); chances.steps + 1];
        for _ in 0..chances.attempts {
            let mut further = Group::default().and(self.succeeds, Moments::default());
            let mut near = ends.len();
            let mut here = after.clone();
            for reached in (0..=chances.steps).rev() {
                while near > 0 && ends[near - 1].effects > reached {
                    near -= 1;
                    further = further.and(ends[near].chance, after[ends[near].effects]);
                }
                let Group { chance, moments } = nearer[near];
                let onward = after[reached];
                let nearer = Moments { mean: moments.mean + onward.mean, variance: moments.variance + onward.variance };
                let further = Group {
                    moments: Moments { mean: further.moments.mean + again(reached), ..further.moments },
                    ..further
                };
                here[reached] = further.and(chance, nearer).moments;
            }
            after = here;
        }
        after[0]
    }
}

/// Some of the ways to go on: the probability of any of them, and the moments if it is one of them.
#[derive(Clone, Copy, Default)]
struct Group {
    chance: f64,
    moments: Moments,
}

impl Group {
    /// The group with one way, or another group, more.
    fn and(self, chance: f64, moments: Moments) -> Self {
        if chance == 0.0 {
            return self;
        }
        let all = self.chance + chance;
        let (old, new) = (self.chance / all, chance / all);
        let apart = moments.mean - self.moments.mean;
        let mean = self.moments.mean + new * apart;
        let variance = old * self.moments.variance + new * moments.variance + old * new * apart * apart;
        Self { chance: all, moments: Moments { mean, variance } }
    }
}
