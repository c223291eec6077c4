//! The playground and the widget: one Yew app, drawn from (scenario, index).
//!
//! | module | what |
//! |---|---|
//! | [`app`] | the state, its one reducer, and the page around everything |
//! | [`story`] | one fold of a trace into what is drawn and said, asked "as of index i" |
//! | [`words`] | one sentence for every entry, the transcript, the names of marks |
//! | [`timeline`], [`legend`], [`icons`] | what is drawn |
//!
//! Deliberately not here: any rule of the engine or of the providers. What happens is `twiceproof_sim::run`'s to say;
//! this crate draws it.

pub mod app;
pub mod edit;
pub mod link;
pub mod stories;
