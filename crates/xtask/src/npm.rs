//! The Node side of the set-up: Node itself, and the npm tools of tests/package.json, installed again whenever their
//! lock file differs.

use crate::process::{output, run, step};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const NODE_MAJOR_MIN: u32 = 20;

/// Makes sure of the npm tools and returns the folder of their programs.
pub(crate) fn ready(workspace: &Workspace) -> Result<PathBuf> {
    node_ready()?;
    let tests = workspace.tests();
    let lock = fs::read(tests.join("package-lock.json")).context("tests/package-lock.json cannot be read")?;
    // A copy of the lock file that was installed, written last: an interrupted installation does not count.
    let installed = tests.join("node_modules/.installed-lock.json");
    if fs::read(&installed).is_ok_and(|before| before == lock) {
        return Ok(tests.join("node_modules/.bin"));
    }
    step("Installing the npm tools of tests/package.json");
    run(npm().args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&tests))?;
    fs::write(&installed, lock).context("tests/node_modules cannot be written")?;
    Ok(tests.join("node_modules/.bin"))
}

/// npm, which is a script with another name on Windows.
pub(crate) fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// A command that runs Node in the repository.
pub(crate) fn node(workspace: &Workspace) -> Command {
    let mut command = Command::new("node");
    command.current_dir(&workspace.root);
    command
}

/// Refuses to go on without a Node that is new enough.
pub(crate) fn node_ready() -> Result<()> {
    let found = output(Command::new("node").arg("--version")).with_context(|| {
        format!(
            "Node {NODE_MAJOR_MIN} or later is needed and `node` cannot be run; \
             nodejs.org and every package manager have it"
        )
    })?;
    let major = found.trim().trim_start_matches('v').split('.').next().and_then(|digits| digits.parse::<u32>().ok());
    match major {
        Some(major) if major >= NODE_MAJOR_MIN => Ok(()),
        Some(_) | None => bail!("Node {NODE_MAJOR_MIN} or later is needed; `node --version` says {}", found.trim()),
    }
}
