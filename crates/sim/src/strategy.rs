//! How a job is protected against failure: what is retried, which key is sent, what is skipped.
//!
//! Five of the combinations are rows of the article's table ([`ARTICLE_ROWS`]); the others are the reader's to try.
//! Deliberately not here: how often and how long to wait between attempts. That is the retry policy's.

use serde::{Deserialize, Serialize};

/// What runs again after a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryScope {
    /// Only the step whose call failed; every step has all the attempts for itself.
    EachStep,
    /// The job from its first step; the whole job shares one budget of attempts.
    WholeJob,
}

/// The idempotency key the effect's call carries to its provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentKey {
    /// No key at all.
    None,
    /// A key that changes with every call, and therefore is no key (A24).
    NewEachCall,
    /// One key per business action, the same on every attempt (A25).
    Same,
}

/// A way to retry a job, together with what its provider does with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Strategy {
    /// What runs again after a failed call.
    pub retry: RetryScope,
    /// The key sent along with the step whose reply can be lost.
    pub key: SentKey,
    /// Whether a store in the caller's process skips steps that already finished (A16). It cannot see a lost reply (A14).
    pub skip_finished: bool,
    /// Whether the provider acts once per key (A15). In the article it always does.
    pub provider_remembers: bool,
}

impl Strategy {
    /// Whether a second arrival at the provider is recognised as a repeat and has no effect.
    pub const fn provider_recognises_repeats(self) -> bool {
        self.provider_remembers && matches!(self.key, SentKey::Same)
    }

    /// The strategy in words. For the article's rows these are the article's own.
    pub fn name(self) -> String {
        let retry = match self.retry {
            RetryScope::EachStep => "retry each step",
            RetryScope::WholeJob => "retry the whole job",
        };
        let key = match (self.key, self.retry) {
            (SentKey::None, _) => "no key",
            (SentKey::NewEachCall, _) => "new key on every call",
            (SentKey::Same, RetryScope::EachStep) => "same key every time",
            (SentKey::Same, RetryScope::WholeJob) => "same key",
        };
        let skip = if self.skip_finished { ", skip finished steps" } else { "" };
        let provider = if self.provider_remembers { "" } else { ", provider forgets keys" };
        format!("{retry}, {key}{skip}{provider}")
    }
}

/// One row of the article's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArticleRow {
    /// The row's name, as the article's program prints it.
    pub name: &'static str,
    /// What the row does.
    pub strategy: Strategy,
}

const fn row(name: &'static str, retry: RetryScope, key: SentKey, skip_finished: bool) -> ArticleRow {
    ArticleRow { name, strategy: Strategy { retry, key, skip_finished, provider_remembers: true } }
}

/// The article's five rows, in its order (A34 to A38).
pub const ARTICLE_ROWS: [ArticleRow; 5] = [
    row("retry each step, no key", RetryScope::EachStep, SentKey::None, false),
    row("retry each step, new key on every call", RetryScope::EachStep, SentKey::NewEachCall, false),
    row("retry each step, same key every time", RetryScope::EachStep, SentKey::Same, false),
    row("retry the whole job, same key", RetryScope::WholeJob, SentKey::Same, false),
    row("retry the whole job, same key, skip finished steps", RetryScope::WholeJob, SentKey::Same, true),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a34_to_a38_the_rows_are_named_as_in_the_article() {
        for row in ARTICLE_ROWS {
            assert_eq!(row.strategy.name(), row.name);
        }
    }

    #[test]
    fn variants_travel_in_kebab_case() {
        let json = serde_json::to_string(&ARTICLE_ROWS[1].strategy).unwrap();
        let expected = r#"{"retry":"each-step","key":"new-each-call","skipFinished":false,"providerRemembers":true}"#;
        assert_eq!(json, expected);
    }
}
