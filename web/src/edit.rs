//! What the reader changes in a scenario. Pure: a scenario and an edit make another scenario, or a reason why not.

use twiceproof_sim::scenario::{Action, Fault, FaultKind, Operation, Scenario, ScenarioError};
use twiceproof_sim::strategy::{RetryScope, SentKey, Strategy};

use crate::order;
use crate::story::AttemptName;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A sign-up of this user, by number from 0.
    Add(u32),
    /// The last sign-up once more.
    Again,
    /// The last sign-up twice, at the same moment, and workers enough to take both.
    TwoAtOnce,
    /// The last sign-up once more, with other data under the same key.
    OtherData,
    /// Takes away an operation, by its place in the list.
    Remove(usize),
    /// Stops and starts the process.
    Restart,
    /// The store forgets what it saved for these users.
    ForgetKeys(Vec<u32>),
    /// A call goes wrong by name, or goes well; without a kind it is left to chance.
    Fate(AttemptName, Option<FaultKind>),
    /// What runs again.
    Retry(RetryScope),
    /// Which key is sent.
    Key(SentKey),
    /// Our store skips finished steps.
    SkipFinished(bool),
    /// The provider acts once per key.
    ProviderRemembers(bool),
    /// All four at once: a row of the table.
    Protect(Strategy),
    /// Attempts at most.
    Attempts(u32),
    /// Probability that a call fails.
    Fail(f64),
    /// Probability that an email's reply is lost.
    Lost(f64),
    /// First and longest wait.
    Wait(u64, u64),
    /// Whether waits are drawn.
    Jitter(bool),
    /// How long a worker waits for a reply.
    Timeout(u64),
    /// How long our store remembers.
    KeyTtl(Option<u64>),
    /// Jobs at once.
    Workers(u32),
    /// Seed of all draws.
    Seed(u64),
    /// How long the provider remembers.
    ProviderWindow(Option<u64>),
    /// Our store refuses a key with other data.
    StoreCompares(bool),
    /// The provider refuses a key with other data.
    ProviderCompares(bool),
}

/// The scenario with one change; what the reader does is done at `now`.
///
/// # Errors
/// The change makes a scenario that cannot run: too many sign-ups, a value out of range.
pub fn apply(scenario: &Scenario, edit: &Edit, now: u64) -> Result<Scenario, ScenarioError> {
    let mut next = scenario.clone();
    match edit {
        Edit::Add(user) => insert(&mut next, now, Action::Add { user: *user, data: 0 }),
        Edit::Again => {
            let (user, data) = last_sign_up(scenario, now);
            insert(&mut next, now, Action::Add { user, data });
        }
        Edit::TwoAtOnce => {
            let (user, data) = last_sign_up(scenario, now);
            insert(&mut next, now, Action::Add { user, data });
            insert(&mut next, now, Action::Add { user, data });
            next.workers = next.workers.max(2);
        }
        Edit::OtherData => {
            let (user, data) = last_sign_up(scenario, now);
            insert(&mut next, now, Action::Add { user, data: data + 1 });
        }
        Edit::Remove(place) => remove(&mut next, *place),
        Edit::Restart => insert(&mut next, now, Action::Restart),
        Edit::ForgetKeys(users) => {
            users.iter().for_each(|user| insert(&mut next, now, Action::ForgetKeys { user: *user }));
        }
        Edit::Fate(call, kind) => decide(&mut next, *call, *kind),
        Edit::Retry(retry) => next.strategy.retry = *retry,
        Edit::Key(key) => next.strategy.key = *key,
        Edit::SkipFinished(on) => next.strategy.skip_finished = *on,
        Edit::ProviderRemembers(on) => next.strategy.provider_remembers = *on,
        Edit::Protect(strategy) => next.strategy = *strategy,
        _ => set_limit(&mut next, edit),
    }
    next.check()?;
    Ok(next)
}

fn set_limit(next: &mut Scenario, edit: &Edit) {
    match *edit {
        Edit::Attempts(attempts) => next.retry.attempts = attempts,
        Edit::Fail(fail) => next.fail = fail,
        Edit::Lost(lost) => next.lost = lost,
        Edit::Wait(base, max) => (next.retry.base_delay_ms, next.retry.max_delay_ms) = (base, max),
        Edit::Jitter(on) => next.retry.jitter = on,
        Edit::Timeout(ms) => next.timeout_ms = ms,
        Edit::KeyTtl(ms) => next.key_ttl_ms = ms,
        Edit::Workers(workers) => next.workers = workers,
        Edit::Seed(seed) => next.seed = seed,
        Edit::ProviderWindow(ms) => next.provider_window_ms = ms,
        Edit::StoreCompares(on) => next.store_compares_data = on,
        Edit::ProviderCompares(on) => next.provider_compares_data = on,
        _ => {}
    }
}

/// The user and data of the last sign-up that has been sent, or of the first one of all.
fn last_sign_up(scenario: &Scenario, now: u64) -> (u32, u32) {
    let add = |operation: &Operation| match operation.action {
        Action::Add { user, data } => Some((user, data)),
        _ => None,
    };
    let sent = scenario.operations.iter().rev().filter(|operation| operation.at <= now).find_map(add);
    sent.or_else(|| scenario.operations.iter().find_map(add)).unwrap_or((0, 0))
}

/// Puts an operation behind all that happen until `now`. Faults name jobs by number, so those of later jobs move on.
fn insert(next: &mut Scenario, now: u64, action: Action) {
    let place = next.operations.partition_point(|operation| operation.at <= now);
    if let Action::Add { .. } = action {
        let number = jobs_before(next, place) + 1;
        next.faults.iter_mut().filter(|fault| fault.job >= number).for_each(|fault| fault.job += 1);
    }
    next.operations.insert(place, Operation { at: now, action });
}

/// Takes an operation away, with the faults of its job.
fn remove(next: &mut Scenario, place: usize) {
    if place >= next.operations.len() {
        return;
    }
    let number = jobs_before(next, place) + 1;
    if let Action::Add { .. } = next.operations.remove(place).action {
        next.faults.retain(|fault| fault.job != number);
        next.faults.iter_mut().filter(|fault| fault.job > number).for_each(|fault| fault.job -= 1);
    }
}

/// How many sign-ups stand before a place of the list.
fn jobs_before(scenario: &Scenario, place: usize) -> u32 {
    let adds = |operation: &&Operation| matches!(operation.action, Action::Add { .. });
    scenario.operations[..place].iter().filter(adds).count() as u32
}

fn decide(next: &mut Scenario, call: AttemptName, kind: Option<FaultKind>) {
    let is_it = |fault: &Fault| (fault.job, fault.step, fault.attempt) == (call.job, call.step, call.attempt);
    next.faults.retain(|fault| !is_it(fault));
    if let Some(kind) = kind {
        next.faults.push(Fault { job: call.job, step: call.step, attempt: call.attempt, kind });
        order::sort_by_place(&mut next.faults, |fault| {
            (u64::from(fault.job) << 32 | u64::from(fault.step), u64::from(fault.attempt))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: AttemptName = AttemptName { job: 1, step: 2, attempt: 1 };

    fn edited(edits: &[(Edit, u64)]) -> Scenario {
        edits.iter().fold(Scenario::default(), |scenario, (edit, now)| apply(&scenario, edit, *now).unwrap())
    }

    #[test]
    fn the_same_again_is_the_last_one_sent() {
        let scenario = edited(&[(Edit::Add(1), 50), (Edit::Again, 20), (Edit::Again, 60)]);
        let sent: Vec<_> = scenario.operations.iter().map(|o| (o.at, o.action.clone())).collect();
        let add = |user| Action::Add { user, data: 0 };
        assert_eq!(sent, [(0, add(0)), (20, add(0)), (50, add(1)), (60, add(1))]);
    }

    #[test]
    fn two_at_once_need_two_workers() {
        let scenario = edited(&[(Edit::TwoAtOnce, 7)]);
        assert_eq!((scenario.operations.len(), scenario.workers), (3, 2));
    }

    #[test]
    fn faults_keep_to_their_jobs() {
        let lost = Edit::Fate(CALL, Some(FaultKind::LoseReply));
        let second = Edit::Fate(AttemptName { job: 2, ..CALL }, Some(FaultKind::Fail));
        let scenario = edited(&[(Edit::Add(1), 50), (lost, 0), (second, 0), (Edit::Again, 10)]);
        assert_eq!(scenario.faults.iter().map(|fault| fault.job).collect::<Vec<_>>(), [1, 3]);
        let fewer = apply(&scenario, &Edit::Remove(0), 0).unwrap();
        assert_eq!(fewer.faults.iter().map(|fault| fault.job).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_fate_replaces_the_one_before_and_can_be_left_to_chance() {
        let with = |kind| Edit::Fate(CALL, kind);
        let scenario = edited(&[(with(Some(FaultKind::Fail)), 0), (with(Some(FaultKind::LoseReply)), 0)]);
        assert_eq!(scenario.faults.len(), 1);
        assert_eq!(apply(&scenario, &with(None), 0).unwrap(), Scenario::default());
    }

    #[test]
    fn a_value_out_of_range_is_refused_by_name() {
        let error = apply(&Scenario::default(), &Edit::Attempts(0), 0).unwrap_err();
        assert_eq!(error.to_string(), "retry.attempts needs a whole number from 1 to 20, got 0");
    }
}
