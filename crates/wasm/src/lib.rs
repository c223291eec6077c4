//! The boundary to JavaScript: what the npm package `twiceproof` calls.
//!
//! Handlers, payloads, results and thrown values stay in JavaScript. What crosses is numbers: a call reports what
//! happened and returns what to do next, packed into one number. No user code ever runs inside a call into this
//! module, so a handler may use the package in any way without meeting itself. Times cross as `f64` milliseconds.
//!
//! | module | serves |
//! |---|---|
//! | `queue` | `SimpleQueue` |
//! | `retry` | `withRetry`, `retryEachStep` |
//! | `store` | `IdempotencyStore`, `idempotentSteps` |
//! | `key` | the rules for keys and IDs |
//! | `engine`, `pages`, `view` | `Engine`: runs and their steps |
//! | `intake` | its events and functions |
//! | `upkeep` | its runs that are over, and pausing |
//! | `table` | `simulate`, `theory` |
//! | `advice` | `lintKey`, `smallestSafeWindow` |
//!
//! Deliberately absent: timers, promises, anything that waits.

pub mod advice;
pub mod engine;
mod error;
pub mod intake;
pub mod key;
mod pages;
pub mod queue;
pub mod retry;
pub mod store;
pub mod table;
pub mod upkeep;
mod view;

/// What stands for "none" where a number of a key, job, run or step is expected.
pub(crate) const NONE: u32 = u32::MAX;
