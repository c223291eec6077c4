//! twiceproof-sim
