//! twiceproof-sim

pub mod mulberry;
pub mod strategy;
pub mod table;
