//! The engine.
use crate::journal::Event;
/// State.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {}
impl State {
    /// Whether an event from outside fits.
    pub fn accepts(&self, _at: u64, _event: &Event) -> Result<(), crate::journal::Damage> {
        Ok(())
    }
    /// Applies.
    pub fn apply(&mut self, _at: u64, _event: &Event) {}
}
