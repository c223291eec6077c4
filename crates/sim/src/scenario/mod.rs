//! A scenario: everything that decides what will happen, as plain data. The same scenario always gives the same
//! trace, on every platform.
//!
//! Jobs, steps and attempts are named by people's numbers, from 1: "job 1, step 2, attempt 1". Times are whole
//! virtual milliseconds.

mod read;

use serde::Serialize;
use twiceproof_core::fields;
use twiceproof_core::options::{self, InvalidOption};
use twiceproof_core::retry::{Jitter, RetryOptions, RetryPolicy};

use crate::strategy::{SentKey, Strategy};

/// The version of the scenario's form.
pub const VERSION: u32 = 1;

/// Most operations in one scenario: a page that draws more is no longer a story.
pub const OPERATIONS_MAX: usize = 200;
/// Most steps of a job.
pub const STEPS_MAX: usize = 30;
/// Most named faults.
pub const FAULTS_MAX: usize = 500;
/// Most attempts, so that a call that always fails still ends.
pub const ATTEMPTS_MAX: u32 = 20;
/// Most workers.
pub const WORKERS_MAX: u32 = 50;

/// Everything that decides what will happen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scenario {
    /// [`VERSION`].
    pub version: u32,
    /// Seed of all draws: failures, lost replies, jitter.
    pub seed: u64,
    /// What is retried, which key is sent, who remembers.
    pub strategy: Strategy,
    /// How a failed call is retried.
    pub retry: Retry,
    /// Jobs that may be under way at once.
    pub workers: u32,
    /// How long a worker waits for a reply, in milliseconds.
    pub timeout_ms: u64,
    /// How long our store remembers a finished step, in milliseconds from its finish; absent for ever.
    pub key_ttl_ms: Option<u64>,
    /// Our store compares the job's data too, and refuses a key that was used with other data.
    pub store_compares_data: bool,
    /// How long a provider that remembers keys does so, in milliseconds from the first request; absent for ever.
    pub provider_window_ms: Option<u64>,
    /// A provider that remembers keys refuses a key that was used with other data.
    pub provider_compares_data: bool,
    /// Probability that a call fails before anything happened.
    pub fail: f64,
    /// Probability that the reply to the email step is lost after the work was done.
    pub lost: f64,
    /// What a job does, in order.
    pub steps: Vec<Step>,
    /// Calls that go wrong by name, whatever the probabilities say.
    pub faults: Vec<Fault>,
    /// What the reader does, in order of time.
    pub operations: Vec<Operation>,
}

/// How a failed call is retried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// Attempts at most, the first included.
    pub attempts: u32,
    /// Wait before the first retry, in milliseconds; it doubles each time.
    pub base_delay_ms: u64,
    /// The longest wait, in milliseconds.
    pub max_delay_ms: u64,
    /// Whether the wait is drawn between 0 and the delay.
    pub jitter: bool,
}

/// One step of the job.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its name: "send the welcome email".
    pub name: String,
    /// Who performs it: "email provider".
    pub provider: String,
    /// The name of the action in keys: "welcome-email".
    pub key: String,
    /// The provider's word for having done it: "sent".
    pub done: String,
    /// How long a call takes that is answered, in milliseconds.
    pub latency_ms: u64,
    /// Whether its effect is an email that reaches the user; such a step may also lose its reply by chance.
    pub email: bool,
}

/// A call that goes wrong by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// The job, from 1 in the order of the sign-ups.
    pub job: u32,
    /// The step, from 1.
    pub step: u32,
    /// The attempt, from 1, counted over all passes of the job.
    pub attempt: u32,
    /// What goes wrong.
    pub kind: FaultKind,
}

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It fails before anything happened.
    Fail,
    /// The work is done and the reply is lost.
    LoseReply,
    /// It goes well, whatever the probabilities say.
    Succeed,
}

/// Something the reader does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// When, in virtual milliseconds.
    pub at: u64,
    /// What.
    #[serde(rename = "do")]
    pub action: Action,
}

/// What the reader does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Adds a sign-up. The same user again is the same sign-up again.
    Add {
        /// The user's number in [`USERS`], from 0.
        user: u32,
        /// Which version of the data it brings; another number under the same user is other data.
        data: u32,
    },
    /// Stops and starts the process: keys in memory are lost, unfinished jobs start over.
    Restart,
    /// Makes our store forget everything it has saved for a user, as if the window were over.
    ForgetKeys {
        /// The user's number, from 0.
        user: u32,
    },
}

/// A person who signs up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    /// The first name.
    pub name: &'static str,
    /// The stable ID of the sign-up.
    pub id: &'static str,
}

/// The people of the playground.
pub const USERS: [User; 6] = [
    User { name: "Ana", id: "user_1001" },
    User { name: "Ben", id: "user_1002" },
    User { name: "Caro", id: "user_1003" },
    User { name: "Dev", id: "user_1004" },
    User { name: "Eli", id: "user_1005" },
    User { name: "Fay", id: "user_1006" },
];

impl Default for Scenario {
    /// Ana signs up once; each step is retried, no key is sent, and nothing goes wrong yet.
    fn default() -> Self {
        let step = |name: &str, provider: &str, key: &str, done: &str, latency_ms, email| Step {
            name: name.into(),
            provider: provider.into(),
            key: key.into(),
            done: done.into(),
            latency_ms,
            email,
        };
        Self {
            version: VERSION,
            // With this seed the first wait of an email is 186 of up to 200 ms: long enough to be seen as a wait.
            seed: 38,
            strategy: Strategy {
                retry: crate::strategy::RetryScope::EachStep,
                key: SentKey::None,
                skip_finished: false,
                provider_remembers: true,
            },
            retry: Retry { attempts: 3, base_delay_ms: 200, max_delay_ms: 2000, jitter: true },
            workers: 1,
            timeout_ms: 260,
            key_ttl_ms: Some(24 * 60 * 60 * 1000),
            store_compares_data: false,
            provider_window_ms: Some(24 * 60 * 60 * 1000),
            provider_compares_data: false,
            fail: 0.0,
            lost: 0.0,
            steps: vec![
                step("save the user", "database", "save-user", "saved", 60, false),
                step("send the welcome email", "email provider", "welcome-email", "sent", 70, true),
                step("schedule the day-3 email", "scheduler", "day-3-email", "scheduled", 76, false),
            ],
            faults: vec![],
            operations: vec![Operation { at: 0, action: Action::Add { user: 0, data: 0 } }],
        }
    }
}

/// A scenario that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// It was written for another version.
    #[error("version needs {VERSION}, got {0}")]
    UnknownVersion(u32),
    /// A field is out of range; the error names its path.
    #[error(transparent)]
    Invalid(#[from] InvalidOption),
    /// The text is no scenario.
    #[error("this is not a scenario: {0}")]
    Syntax(String),
}

impl Scenario {
    /// Reads a scenario from JSON and checks it.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let value = fields::value(text.as_bytes()).map_err(ScenarioError::Syntax)?;
        // The version first: another version may have other fields, and its error should say so.
        let version = read::version(&value).map_err(ScenarioError::Syntax)?;
        if version != VERSION {
            return Err(ScenarioError::UnknownVersion(version));
        }
        let scenario = read::scenario(&value).map_err(ScenarioError::Syntax)?;
        scenario.check()?;
        Ok(scenario)
    }

    /// The scenario as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a scenario is always JSON")
    }

    /// The retry policy.
    pub fn retry_policy(&self) -> Result<RetryPolicy, InvalidOption> {
        RetryPolicy::new(RetryOptions {
            max_attempts: f64::from(self.retry.attempts),
            base_delay_ms: self.retry.base_delay_ms as f64,
            max_delay_ms: self.retry.max_delay_ms as f64,
            jitter: if self.retry.jitter { Jitter::Full } else { Jitter::None },
            ..RetryOptions::default()
        })
        .map_err(|error| error.within("retry"))
    }

    /// Checks every field; the error names its path, what it needs and what it got.
    pub fn check(&self) -> Result<(), ScenarioError> {
        if self.version != VERSION {
            return Err(ScenarioError::UnknownVersion(self.version));
        }
        options::probability("fail", self.fail)?;
        options::probability("lost", self.lost)?;
        within("retry.attempts", "a whole number from 1 to 20", self.retry.attempts.into(), 1, ATTEMPTS_MAX.into())?;
        within("workers", "a whole number from 1 to 50", self.workers.into(), 1, WORKERS_MAX.into())?;
        self.check_times()?;
        self.check_steps()?;
        within("faults.length", "at most 500 faults", self.faults.len() as u64, 0, FAULTS_MAX as u64)?;
        for (index, fault) in self.faults.iter().enumerate() {
            within(
                &format!("faults[{index}].job"),
                "a job's number, from 1",
                fault.job.into(),
                1,
                OPERATIONS_MAX as u64,
            )?;
            within(
                &format!("faults[{index}].step"),
                "a step's number, from 1",
                fault.step.into(),
                1,
                self.steps.len() as u64,
            )?;
            within(
                &format!("faults[{index}].attempt"),
                "an attempt's number, from 1",
                fault.attempt.into(),
                1,
                1 << 20,
            )?;
        }
        self.check_operations()
    }

    fn check_times(&self) -> Result<(), ScenarioError> {
        let longest = 400 * 24 * 60 * 60 * 1000;
        const NEEDS: &str = "a number of milliseconds, at most 400 days";
        for (path, ms) in [
            ("retry.baseDelayMs", self.retry.base_delay_ms),
            ("retry.maxDelayMs", self.retry.max_delay_ms),
            ("keyTtlMs", self.key_ttl_ms.unwrap_or(0)),
            ("providerWindowMs", self.provider_window_ms.unwrap_or(0)),
        ] {
            within(path, NEEDS, ms, 0, longest)?;
        }
        within("timeoutMs", "a number of milliseconds from 1 to 3600000", self.timeout_ms, 1, 3_600_000)?;
        Ok(())
    }

    fn check_steps(&self) -> Result<(), ScenarioError> {
        within("steps.length", "1 to 30 steps", self.steps.len() as u64, 1, STEPS_MAX as u64)?;
        for (index, step) in self.steps.iter().enumerate() {
            within(
                &format!("steps[{index}].latencyMs"),
                "a number of milliseconds from 0 to 3600000",
                step.latency_ms,
                0,
                3_600_000,
            )?;
            for (field, text) in [("name", &step.name), ("key", &step.key)] {
                let path = format!("steps[{index}].{field}");
                if text.is_empty() || text.len() > 100 {
                    return Err(
                        InvalidOption::new(&path, "a text of 1 to 100 bytes", format!("{} bytes", text.len())).into()
                    );
                }
                if self.steps[..index]
                    .iter()
                    .any(|other| if field == "name" { other.name == *text } else { other.key == *text })
                {
                    return Err(InvalidOption::new(
                        &path,
                        "a text that no other step has",
                        format!("\"{text}\" twice"),
                    )
                    .into());
                }
            }
        }
        Ok(())
    }

    fn check_operations(&self) -> Result<(), ScenarioError> {
        within("operations.length", "at most 200 operations", self.operations.len() as u64, 0, OPERATIONS_MAX as u64)?;
        let mut before = 0;
        for (index, operation) in self.operations.iter().enumerate() {
            let path = format!("operations[{index}]");
            within(
                &format!("{path}.at"),
                "a time in milliseconds, not before the operation above it, at most 400 days",
                operation.at,
                before,
                400 * 24 * 60 * 60 * 1000,
            )?;
            before = operation.at;
            match operation.action {
                Action::Add { user, .. } | Action::ForgetKeys { user } => {
                    within(
                        &format!("{path}.do.user"),
                        "a user's number from 0 to 5",
                        user.into(),
                        0,
                        USERS.len() as u64 - 1,
                    )?;
                }
                Action::Restart => {}
            }
        }
        Ok(())
    }
}

fn within(path: &str, needs: &'static str, value: u64, least: u64, most: u64) -> Result<(), InvalidOption> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(InvalidOption::new(path, needs, value)) }
}
