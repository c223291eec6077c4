//! twiceproof-wasm
