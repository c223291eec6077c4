//! The boundary to JavaScript: what the npm package `twiceproof` calls.
//!
//! Handlers, payloads, results and thrown values stay in JavaScript. What crosses is numbers: a call reports what
//! happened and returns what to do next, packed into one number. No user code ever runs inside a call into this
//! module, so a handler may use the package in any way without meeting itself. Times cross as `f64` milliseconds.
//!
//! | feature | module | serves |
//! |---|---|---|
//! | `parts` | `queue` | `SimpleQueue` |
//! | | `retry` | `withRetry`, `retryEachStep` |
//! | | `store` | `IdempotencyStore`, `idempotentSteps` |
//! | `engine` | `engine`, `pages`, `view` | `Engine`: runs and their steps |
//! | | `intake` | its events and functions |
//! | | `upkeep` | its runs that are over, and pausing |
//! | both | `key`, `policy` | the rules for keys, IDs and retries |
//! | | `memory` | their memory, which grows in steps |
//! | | `advice` | `lintKey`, `smallestSafeWindow` |
//! | `table` | `table` | `simulate`, `theory` |
//!
//! It is built three times, as three binaries, so that nobody downloads what they do not import. A feature says which
//! part of the boundary a binary has; none changes what a part does.
//!
//! Deliberately absent: timers, promises, anything that waits.

// What the binaries share is not all needed by each.
#![cfg_attr(not(all(feature = "parts", feature = "engine", feature = "table")), allow(dead_code))]

mod error;

#[cfg(any(feature = "parts", feature = "engine"))]
pub mod advice;
#[cfg(any(feature = "parts", feature = "engine"))]
pub mod key;
#[cfg(any(feature = "parts", feature = "engine"))]
mod memory;
#[cfg(any(feature = "parts", feature = "engine"))]
pub mod policy;

#[cfg(feature = "parts")]
pub mod queue;
#[cfg(feature = "parts")]
pub mod retry;
#[cfg(feature = "parts")]
pub mod store;

#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "engine")]
pub mod intake;
#[cfg(feature = "engine")]
mod pages;
#[cfg(feature = "engine")]
pub mod upkeep;
#[cfg(feature = "engine")]
mod view;

#[cfg(feature = "table")]
pub mod table;

/// What stands for "none" where a number of a key, job, run or step is expected.
pub(crate) const NONE: u32 = u32::MAX;
