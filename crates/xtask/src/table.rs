//! `cargo xtask table`: the article's table, from the event engine or from the fast kernel.

use crate::workspace::Workspace;
use anyhow::{Result, bail};
use clap::Args;

#[derive(Args)]
pub(crate) struct Options {
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(_workspace: &Workspace, options: &Options) -> Result<()> {
    bail!("the table is not there yet (asked for JSON: {})", options.json)
}
