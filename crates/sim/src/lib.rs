//! Virtual time, providers with their own truth, faults, scenarios, strategies, the table and its exact theory.
//!
//! [`run::run`] turns a [`scenario::Scenario`] into a [`run::Trace`]: the journal of the engine and of the
//! providers, in one order. There is no other state: playing, stepping back, links, captions and tests are
//! functions of (scenario, index).

pub mod doors;
pub mod mulberry;
pub mod provider;
pub mod rules;
pub mod run;
pub mod scenario;
pub mod strategy;
pub mod table;
