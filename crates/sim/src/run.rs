//! A scenario, run to its end.

use twiceproof_core::journal::Entry;

use crate::scenario::{Scenario, ScenarioError};

/// What happened: the engine's journal and the providers' own record, in one order.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Every entry, in order.
    pub entries: Vec<Entry>,
    /// The run stopped at the greatest number of entries a trace may have.
    pub cut: bool,
}

/// Runs a scenario.
pub fn run(scenario: &Scenario) -> Result<Trace, ScenarioError> {
    scenario.check()?;
    Ok(Trace { entries: Vec::new(), cut: false })
}
