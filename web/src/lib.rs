//! The playground and the widget: one Yew app, drawn from (scenario, index).
//!
//! | module | what |
//! |---|---|
//! | [`app`] | the state, its one reducer, and the page around everything |
//! | [`story`] | one fold of a trace into what is drawn and said, asked "as of index i" |
//! | [`words`] | one sentence for every entry, the transcript, the names of marks |
//! | [`timeline`], [`legend`], [`icons`] | what is drawn |
//! | [`function_key`], [`expressions`] | an expression tried out, and the module that reads it |
//!
//! Deliberately not here: any rule of the engine or of the providers. What happens is `twiceproof_sim::run`'s to say;
//! this crate draws it.

pub mod app;
pub mod below;
pub mod caption;
pub mod compare;
pub mod controls;
pub mod doors;
pub mod edit;
pub mod embed;
pub mod expressions;
pub mod field;
pub mod files;
pub mod function_key;
pub mod icons;
pub mod legend;
pub mod link;
mod order;
pub mod panels;
pub mod picture;
pub mod rules;
pub mod stories;
pub mod story;
pub mod timeline;
pub mod transport;
pub mod units;
pub mod words;

/// Draws the page into `#app`, in place of the still page.
#[cfg(target_arch = "wasm32")]
pub fn start() {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"))
        .expect("index.html has an element #app");
    yew::Renderer::<app::App>::with_root(root).render();
}

/// Natively there is no page to draw into.
#[cfg(not(target_arch = "wasm32"))]
pub fn start() {}
