//! `cargo xtask table`: the article's table. Computed by the `table` program of this package, which is built with
//! optimisation: the same code without it is some thirty times slower.

use crate::process;
use crate::table_options::{Engine, Options};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::process::{Command, ExitCode};

/// Builds and runs the program; what it prints and how it ends is what this chore prints and how it ends.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let status = program(workspace, options).status().context("cargo could not be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The command that builds and runs it with these options.
pub(crate) fn program(workspace: &Workspace, options: &Options) -> Command {
    let mut command = process::cargo();
    command.args([
        "run",
        "--quiet",
        "--locked",
        "--release",
        "-p",
        "xtask",
        "--features",
        "table",
        "--bin",
        "table",
        "--",
    ]);
    command.args(words(options)).current_dir(&workspace.root);
    command
}

/// The options as they were typed.
fn words(options: &Options) -> Vec<String> {
    let mut words = Vec::new();
    if options.json {
        words.push("--json".to_owned());
    }
    let mut add = |name: &str, value: Option<String>| words.extend(value.map(|value| format!("--{name}={value}")));
    add("jobs", options.jobs.map(|jobs| jobs.to_string()));
    add("fail", options.fail.map(|fail| fail.to_string()));
    add("lost", options.lost.map(|lost| lost.to_string()));
    add("attempts", options.attempts.map(|attempts| attempts.to_string()));
    add("seed", options.seed.map(|seed| seed.to_string()));
    add("engine", options.engine.to_possible_value().map(|value| value.get_name().to_owned()));
    words
}

/// The article's parameters, as JSON.
pub(crate) fn article(engine: Engine, jobs: u64) -> Options {
    Options { json: true, jobs: Some(jobs), fail: None, lost: None, attempts: None, seed: None, engine }
}
