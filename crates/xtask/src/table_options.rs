//! The options of `cargo xtask table`, which checks them, and of the `table` program, which it then runs.

use clap::{Args, ValueEnum};

/// What to compute and how to print it. What is left out is as in the article.
#[derive(Args)]
pub(crate) struct Options {
    /// Print JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many sign-ups [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<u64>,
    /// The probability that a call fails [default: 0.01]
    #[arg(long, value_name = "P")]
    pub(crate) fail: Option<f64>,
    /// The probability that the email's reply is lost [default: 0.005]
    #[arg(long, value_name = "P")]
    pub(crate) lost: Option<f64>,
    /// Attempts, the first included [default: 3]
    #[arg(long, value_name = "N")]
    pub(crate) attempts: Option<u32>,
    /// The random generator's seed [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,
    /// What computes it; the numbers are the same.
    #[arg(long, value_enum, default_value_t = Engine::Kernel)]
    pub(crate) engine: Engine,
}

/// The implementations of the table.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The engine that runs real work, with a queue, a journal and a provider.
    Event,
    /// The article's loop alone: one sign-up, one step, one draw after another.
    Reference,
    /// The fast way: only the draws that matter are looked at.
    Kernel,
}
