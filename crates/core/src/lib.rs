//! twiceproof-core
#![no_std]
