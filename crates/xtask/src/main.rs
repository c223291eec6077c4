//! Every chore of the project, as `cargo xtask NAME`. Each does its own set-up, so that a fresh machine with rustup
//! and Node needs nothing else. None of the project's own crates is linked here: a chore must work while they do not
//! compile.

mod bench;
mod browser;
mod checks;
mod npm;
mod pack;
mod play;
mod process;
mod report;
mod serve;
mod site;
mod subjects;
mod suites;
mod table;
mod table_options;
mod test;
mod tools;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Every chore of Twiceproof.")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Build the playground and serve it on this machine.
    Play(play::Options),
    /// Build the static site, ready to publish, in dist/.
    Site(site::Options),
    /// Build the npm package in target/npm/.
    Pack,
    /// Print the article's table: five strategies over a million sign-ups.
    Table(table_options::Options),
    /// Time the table beside the article's own approach, in one run.
    Bench(bench::Options),
    /// Run every test and check, or the named ones.
    Test(test::Options),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match Workspace::find().and_then(|workspace| run(&workspace, &cli.chore)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(workspace: &Workspace, chore: &Chore) -> Result<ExitCode> {
    match chore {
        Chore::Play(options) => play::run(workspace, options)?,
        Chore::Site(options) => site::run(workspace, options)?,
        Chore::Pack => pack::run(workspace)?,
        Chore::Table(options) => return table::run(workspace, options),
        Chore::Bench(options) => bench::run(workspace, options)?,
        Chore::Test(options) => return Ok(test::run(workspace, options)),
    }
    Ok(ExitCode::SUCCESS)
}
