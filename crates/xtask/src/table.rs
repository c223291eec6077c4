//! `cargo xtask table`: the article's table, computed by the `table` program of this package.

use crate::process::{self, executable, run as run_to_end};
use crate::table_options::{Engine, Options};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// How the program is built.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// Soon there, with the checks of a debug build; the crates that count are optimised in both.
    Quick,
    /// To be measured.
    Release,
}

/// Builds and runs the program; what it prints and how it ends is what this chore prints and how it ends.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let program = build(workspace, Build::Quick)?;
    let status = Command::new(&program).args(words(options)).status();
    let status = status.with_context(|| format!("{} could not be started", program.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The program, built now if need be.
pub(crate) fn build(workspace: &Workspace, build: Build) -> Result<PathBuf> {
    let mut command = process::cargo();
    command.args(["build", "--quiet", "--locked", "-p", "xtask", "--features", "table", "--bin", "table"]);
    let folder = match build {
        Build::Quick => "debug",
        Build::Release => {
            command.arg("--release");
            "release"
        }
    };
    run_to_end(command.current_dir(&workspace.root))?;
    Ok(workspace.target.join(folder).join(executable("table")))
}

/// The options as they were typed.
pub(crate) fn words(options: &Options) -> Vec<String> {
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
