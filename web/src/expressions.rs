//! The module that reads expressions: a file of its own, loaded when it is first wanted. What it throws of its own accord is a
//! problem or a refusal; anything else is a trap, after which its instance is dead and another one is loaded.
//!
//! The loader comes from `boot.js`, which alone may import a file by a name that the build gave it.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// An instance of the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module(Exports);

/// What an expression gives for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The key.
    Key(String),
    /// Why there is none.
    Refused(String),
}

impl Answer {
    /// Whether there is no key.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// Why there is no answer at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is no expression.
    Problem {
        /// What is wrong with it.
        message: String,
        /// The line in question, and a mark below the place.
        excerpt: String,
    },
    /// It took more memory or stack than there is. The module is not to be used again.
    Trap,
}

#[wasm_bindgen]
extern "C" {
    #[derive(Clone, Debug, PartialEq)]
    type Exports;

    #[wasm_bindgen(method, catch)]
    fn check(this: &Exports, source: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn evaluate(this: &Exports, source: &str, event: &str) -> Result<String, JsValue>;
}

/// Loads the module, or another instance of it.
pub async fn load() -> Result<Module, String> {
    let said = |error: JsValue| format!("expressions did not load: {}", text(&error, "message").unwrap_or_default());
    let loader = Reflect::get(&js_sys::global(), &"twiceproofExpressions".into()).unwrap_or_default();
    let Some(loader) = loader.dyn_ref::<Function>() else {
        return Err("expressions cannot be loaded here".into());
    };
    let loading: Promise = loader.call0(&JsValue::UNDEFINED).map_err(said)?.unchecked_into();
    JsFuture::from(loading).await.map(|exports| Module(exports.unchecked_into())).map_err(said)
}

impl Module {
    /// Whether a text is an expression.
    pub fn check(&self, source: &str) -> Result<(), Failure> {
        self.0.check(source).map_err(failure)
    }

    /// The key of an event, given as JSON.
    pub fn evaluate(&self, source: &str, event: &str) -> Result<Answer, Failure> {
        match self.0.evaluate(source, event) {
            Ok(key) => Ok(Answer::Key(key)),
            Err(thrown) => thrown.as_string().map(Answer::Refused).ok_or_else(|| failure(thrown)),
        }
    }
}

fn failure(thrown: JsValue) -> Failure {
    match (text(&thrown, "message"), text(&thrown, "excerpt")) {
        (Some(message), Some(excerpt)) => Failure::Problem { message, excerpt },
        _ => Failure::Trap,
    }
}

fn text(of: &JsValue, name: &str) -> Option<String> {
    Reflect::get(of, &name.into()).ok()?.as_string()
}
