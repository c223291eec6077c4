//! The module's face in JavaScript. Texts cross and nothing else: an expression and events as JSON in, keys out. A refusal
//! is a thrown string, a problem a thrown object of numbers and texts; anything else that is thrown is a trap, after which the
//! instance is not to be used again.

use crate::Expression;
use wasm_bindgen::prelude::*;

/// An expression, held in this module's memory.
#[wasm_bindgen(js_name = Expression)]
pub struct Held(Expression);

/// See [`crate::Problem`].
#[wasm_bindgen(js_name = Problem, getter_with_clone)]
pub struct Shown {
    /// A name such as `unknown-function`.
    pub code: String,
    /// What is wrong, without where.
    pub message: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// From 0, in UTF-16 units.
    pub offset: u32,
    /// The line and a mark below it.
    pub excerpt: String,
}

#[wasm_bindgen(js_class = Expression)]
impl Held {
    /// Reads an expression; throws a `Problem`.
    pub fn compile(source: &str) -> Result<Held, JsValue> {
        Expression::compile(source).map(Held).map_err(|problem| {
            Shown {
                code: problem.code.name().into(),
                message: problem.message,
                line: problem.line,
                column: problem.column,
                offset: problem.offset,
                excerpt: problem.excerpt,
            }
            .into()
        })
    }

    /// The key of an event's JSON; throws the reason why it has none.
    pub fn evaluate(&self, event: &str) -> Result<String, String> {
        self.0.evaluate(event)
    }
}
