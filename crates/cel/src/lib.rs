//! Function keys (SEMANTICS B14 to B21): an expression over an event, in CEL, gives the value by which a function's
//! duplicates are told, or a refusal that says why there is none.
//!
//! ```
//! use twiceproof_cel::Expression;
//!
//! let key = Expression::compile(r#"event.data.user + "-" + event.data.organisation"#).unwrap();
//! assert_eq!(key.evaluate(r#"{ "data": { "user": "u1", "organisation": "o1" } }"#).unwrap(), "u1-o1");
//! assert!(key.evaluate(r#"{ "data": { "user": "u1" } }"#).is_err());
//! ```
//!
//! | module | what |
//! |---|---|
//! | `problem` | why an expression cannot be used, and where in it |
//! | `compile` | limits, parser, names; what is rewritten before evaluation |
//! | `event` | the event's JSON as values of CEL |
//! | `numbers` | one kind of numbers, and their text |
//! | `functions` | what an expression calls in place of CEL's own |
//! | `key` | which results are keys |
//! | `refusal` | errors of an evaluation in words |
//! | `boundary` | the same for JavaScript |
//!
//! The engine is given keys and knows nothing of expressions. Deliberately absent: regular expressions, dates, optional
//! values, and every variable but `event`.

pub mod boundary;
mod compile;
mod event;
mod functions;
mod key;
mod numbers;
mod problem;
mod refusal;

pub use compile::Expression;
pub use problem::{Code, Problem};

/// Longest expression, in bytes of UTF-8. The parser's memory and stack grow with it; the longest key is 255 bytes.
pub const SOURCE_BYTES_MAX: usize = 2_048;

/// Deepest nesting of an expression, in brackets as in operators. Each level takes a piece of a stack that cannot grow.
pub const NESTING_MAX: usize = 48;

/// Largest event, in bytes of JSON: what larger data a function needs belongs in a store of its own.
pub const EVENT_BYTES_MAX: usize = 256 << 10;

/// Turns that all loops (`map`, `filter`, `all`, `exists`, `exists_one`) of one evaluation may take together. Loops in loops
/// over a long list would otherwise take hours.
pub const TURNS_MAX: u32 = 10_000;

/// Longest text that `+` makes, in bytes. A key is at most 255.
pub const JOINED_BYTES_MAX: usize = 4 << 10;
