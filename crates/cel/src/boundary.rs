//! The module's face in JavaScript. Texts cross and nothing else: expressions and events as JSON in, keys out. A refusal is a
//! thrown string, a problem a thrown object of numbers and texts; anything else that is thrown is a trap, after which the
//! instance is not to be used again. Nobody outside holds anything of this module, so that nothing has to be freed in one that is
//! broken.

use crate::Expression;
use std::cell::RefCell;
use std::collections::HashMap;
use wasm_bindgen::prelude::*;

/// Expressions that are kept compiled. Programs have a handful; a page in which somebody types has one for each key stroke.
const KEPT_MAX: usize = 256;

thread_local! {
    static KEPT: RefCell<HashMap<String, Expression>> = RefCell::default();
}

/// See [`crate::Problem`].
#[wasm_bindgen(js_name = Problem, getter_with_clone)]
pub struct Shown {
    /// A name such as `unknown-function`.
    #[wasm_bindgen(readonly)]
    pub code: String,
    /// What is wrong, without where.
    #[wasm_bindgen(readonly)]
    pub message: String,
    /// From 1.
    #[wasm_bindgen(readonly)]
    pub line: u32,
    /// From 1, in characters.
    #[wasm_bindgen(readonly)]
    pub column: u32,
    /// From 0, in UTF-16 units.
    #[wasm_bindgen(readonly)]
    pub offset: u32,
    /// The line and a mark below it.
    #[wasm_bindgen(readonly)]
    pub excerpt: String,
}

/// Throws a `Problem` if the text is no expression.
#[wasm_bindgen]
pub fn check(source: &str) -> Result<(), JsValue> {
    keep(source, |_| ()).map_err(|problem| {
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
#[wasm_bindgen]
pub fn evaluate(source: &str, event: &str) -> Result<String, String> {
    keep(source, |expression| expression.evaluate(event)).map_err(|problem| problem.message)?
}

fn keep<R>(source: &str, with: impl FnOnce(&Expression) -> R) -> Result<R, crate::Problem> {
    KEPT.with_borrow_mut(|kept| {
        if let Some(expression) = kept.get(source) {
            return Ok(with(expression));
        }
        let expression = Expression::compile(source)?;
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        Ok(with(kept.entry(source.to_owned()).or_insert(expression)))
    })
}
