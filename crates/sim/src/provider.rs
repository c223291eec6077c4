//! The providers' own truth: what they really did, and which keys they remember. No worker ever sees this.

use twiceproof_core::index::Names;

use crate::scenario::Scenario;

/// What a provider did with a request that reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It did the work; for this subject now `count` times.
    Did {
        /// How many times, this one included.
        count: u32,
    },
    /// It knew the key, did nothing, and answers as it did the first time.
    KnewKey,
    /// It knew the key with other data and refuses.
    Refused,
}

/// A request as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The step, from 0; each step has a provider of its own.
    pub step: u32,
    /// Whom it is about.
    pub subject: &'a str,
    /// The idempotency key sent with it.
    pub key: Option<&'a str>,
    /// Which version of the data it brings.
    pub data: u32,
}

#[derive(Clone, Copy, Debug)]
struct Remembered {
    since: u64,
    data: u32,
}

/// What the provider of one step knows.
#[derive(Clone, Debug, Default)]
struct Provider {
    /// Keys, and where what is known of them stands.
    keys: Names,
    remembered: Vec<Remembered>,
    /// How often the work was done, by subject.
    effects: Names,
}

/// The providers of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    remembers: bool,
    compares_data: bool,
    window_ms: Option<u64>,
    /// By step.
    steps: Vec<Provider>,
}

impl Providers {
    /// Providers by the rules of a scenario, which have done nothing yet.
    pub fn new(scenario: &Scenario) -> Self {
        Self {
            remembers: scenario.strategy.provider_remembers,
            compares_data: scenario.provider_compares_data,
            window_ms: scenario.provider_window_ms,
            ..Self::default()
        }
    }

    /// Handles a request that arrives at `now`. A key counts from its first acceptance, and repeats do not extend it.
    pub fn handle(&mut self, now: u64, request: Request<'_>) -> Deed {
        let step = request.step as usize;
        if self.steps.len() <= step {
            self.steps.resize_with(step + 1, Provider::default);
        }
        let provider = &mut self.steps[step];
        if let Some(key) = request.key.filter(|_| self.remembers) {
            let first = provider.keys.get(key).map(|known| provider.remembered[known as usize]);
            match first {
                Some(first) if self.window_ms.is_none_or(|window| first.since + window > now) => {
                    let other = self.compares_data && first.data != request.data;
                    return if other { Deed::Refused } else { Deed::KnewKey };
                }
                Some(_) | None => {
                    provider.keys.insert(key.into(), provider.remembered.len() as u64);
                    provider.remembered.push(Remembered { since: now, data: request.data });
                }
            }
        }
        let count = provider.effects.get(request.subject).unwrap_or(0) + 1;
        provider.effects.insert(request.subject.into(), count);
        Deed::Did { count: count as u32 }
    }

    /// How many times the work of a step was done for a subject.
    pub fn effects(&self, step: u32, subject: &str) -> u32 {
        self.steps.get(step as usize).and_then(|provider| provider.effects.get(subject)).unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(providers: &mut Providers, now: u64, key: Option<&str>, data: u32) -> Deed {
        providers.handle(now, Request { step: 1, subject: "user_1001", key, data })
    }

    fn providers(change: impl FnOnce(&mut Scenario)) -> Providers {
        let mut scenario = Scenario { provider_window_ms: Some(1000), ..Scenario::default() };
        change(&mut scenario);
        Providers::new(&scenario)
    }

    #[test]
    fn a15_a_provider_that_remembers_the_key_acts_once() {
        let mut them = providers(|_| ());
        assert_eq!(send(&mut them, 0, Some("k"), 0), Deed::Did { count: 1 });
        assert_eq!(send(&mut them, 999, Some("k"), 0), Deed::KnewKey);
        assert_eq!(them.effects(1, "user_1001"), 1);
    }

    #[test]
    fn s2_8_its_window_counts_from_the_first_acceptance() {
        let mut them = providers(|_| ());
        send(&mut them, 0, Some("k"), 0);
        send(&mut them, 999, Some("k"), 0);
        assert_eq!(send(&mut them, 1000, Some("k"), 0), Deed::Did { count: 2 }, "a repeat does not extend it");
        let mut for_ever = providers(|scenario| scenario.provider_window_ms = None);
        send(&mut for_ever, 0, Some("k"), 0);
        assert_eq!(send(&mut for_ever, 1 << 50, Some("k"), 0), Deed::KnewKey);
    }

    #[test]
    fn a24_no_key_or_a_new_key_protects_nothing() {
        let mut them = providers(|_| ());
        for (count, key) in [(1, None), (2, None), (3, Some("k:1")), (4, Some("k:2"))] {
            assert_eq!(send(&mut them, 0, key, 0), Deed::Did { count });
        }
        let mut forgetful = providers(|scenario| scenario.strategy.provider_remembers = false);
        send(&mut forgetful, 0, Some("k"), 0);
        assert_eq!(send(&mut forgetful, 0, Some("k"), 0), Deed::Did { count: 2 });
    }

    #[test]
    fn a_provider_that_compares_refuses_other_data() {
        let mut them = providers(|scenario| scenario.provider_compares_data = true);
        send(&mut them, 0, Some("k"), 0);
        assert_eq!(send(&mut them, 1, Some("k"), 1), Deed::Refused);
        assert_eq!(send(&mut them, 1, Some("k"), 0), Deed::KnewKey);
    }
}
