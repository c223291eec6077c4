//! The machines and the engine of Twiceproof.
//!
//! Everything here is a pure state machine: `now` is always an argument and the first, times are whole
//! milliseconds, and nothing reads a clock, does I/O, starts a thread or draws a number that was not asked for
//! by name. The small machines ([`retry`], [`idempotency`], [`queue`], [`workflow`]) are usable alone; the
//! [`engine`] composes them over the [`journal`], the one list of what happened.
//!
//! Deliberately absent: async, JS, user code, payloads. Handlers, results and thrown values stay with the caller;
//! the core sees small integers and, where a person will read them, names.
#![no_std]

extern crate alloc;

pub mod admission;
mod chunks;
pub mod draws;
pub mod engine;
pub mod events;
pub mod fields;
pub mod idempotency;
pub mod ids;
pub mod index;
pub mod journal;
pub mod key;
pub mod limits;
pub mod options;
pub mod queue;
pub mod retry;
pub mod window;
pub mod workflow;
