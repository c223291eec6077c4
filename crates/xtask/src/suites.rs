//! The parts of a test run that are suites of their own: Rust's tests, natively and as wasm, and Node's over the
//! package and the site. Each suite's own output is shown as it comes, and its counts are read from it.

use crate::process::{cargo, run, step, watch};
use crate::report::Tally;
use crate::subjects::{self, Subjects};
use crate::test::Outcome;
use crate::tools::{self, WASI};
use crate::workspace::Workspace;
use crate::{browser, npm};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rust's tests, natively.
pub(crate) fn rust(workspace: &Workspace) -> Result<Outcome> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--locked", "--workspace", "--no-fail-fast"]);
    cargo_tests(workspace, &mut command)
}

/// The same tests of what ships as wasm, compiled to wasm and run in Node: integer widths, floats and SIMD may differ
/// there.
pub(crate) fn wasm(workspace: &Workspace) -> Result<Outcome> {
    tools::target_ready(WASI)?;
    npm::node_ready()?;
    let mut command = cargo();
    command.args(["test", "--quiet", "--locked", "--no-fail-fast", "--target", WASI]);
    command.args(["-p", "twiceproof-core", "-p", "twiceproof-sim", "--lib", "--tests"]);
    // From the crate's folder, where cargo runs tests: an absolute path with a space in it would be two words.
    command.env("CARGO_TARGET_WASM32_WASIP1_RUNNER", "node --no-warnings ../../tests/wasi.mjs");
    cargo_tests(workspace, &mut command)
}

fn cargo_tests(workspace: &Workspace, command: &mut Command) -> Result<Outcome> {
    let mut tally = Tally::default();
    let status = watch(command.current_dir(&workspace.root), |line| tally.add(of_cargo(line).unwrap_or_default()))?;
    if !status.success() && tally.failed == 0 {
        bail!("cargo test ended with {status}; its output above says why");
    }
    Ok(Outcome::Counted(tally))
}

/// Counts from a closing line: `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn of_cargo(line: &str) -> Option<Tally> {
    let (_, counts) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    let count = |what: &str| {
        let part = counts.split(';').find(|part| part.trim().ends_with(what))?;
        part.split_whitespace().next()?.parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
}

/// The npm package, from the tarball that would be published.
pub(crate) fn npm(workspace: &Workspace, subjects: &Subjects) -> Result<Outcome> {
    let Some(package) = subjects.package(workspace)? else {
        return Ok(Outcome::Skipped(subjects::NO_PACKAGE.into()));
    };
    let mut files = node_files(&workspace.tests().join("node"))?;
    files.extend(node_files(&workspace.tests().join("packaging"))?);
    if files.is_empty() {
        bail!("the package has no tests: none was found in tests/node and tests/packaging");
    }
    let mut node = npm::node(workspace);
    node.env("TWICEPROOF_TARBALL", &package.tarball).env("TWICEPROOF_PACKAGE", &package.unpacked);
    node.env("TWICEPROOF_CHROMIUM", browser::ready(workspace)?);
    node_tests(workspace, "npm", &mut node, &files)
}

/// The finished site in a real browser.
pub(crate) fn browser(workspace: &Workspace, subjects: &Subjects) -> Result<Outcome> {
    let Some(site) = subjects.site(workspace)? else {
        return Ok(Outcome::Skipped(subjects::NO_SITE.into()));
    };
    let chromium = browser::ready(workspace)?;
    let files = node_files(&workspace.tests().join("browser"))?;
    if files.is_empty() {
        bail!("the site has no tests: none was found in tests/browser");
    }
    let mut node = npm::node(workspace);
    node.env("TWICEPROOF_SITE", site).env("TWICEPROOF_CHROMIUM", chromium);
    // One file after another: timings and screenshots of two browsers on two cores disturb each other.
    node.arg("--test-concurrency=1");
    node_tests(workspace, "browser", &mut node, &files)
}

/// The test files of a folder, sorted; none if there is no such folder.
fn node_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Runs test files with Node's own runner: readable on the terminal, and in a form to count in a file.
fn node_tests(workspace: &Workspace, name: &str, node: &mut Command, files: &[PathBuf]) -> Result<Outcome> {
    npm::ready(workspace)?;
    let folder = workspace.target.join("test-reports");
    fs::create_dir_all(&folder)?;
    let report = folder.join(format!("{name}.tap"));
    node.arg("--test").args(["--test-reporter=spec", "--test-reporter-destination=stdout"]);
    node.arg("--test-reporter=tap").arg(format!("--test-reporter-destination={}", report.display())).args(files);
    step(&format!("Running {} test files", files.len()));
    let ended = run(node);
    let text = fs::read_to_string(&report).with_context(|| format!("Node left no report in {}", report.display()))?;
    let tally = of_tap(&text).with_context(|| format!("{} has no counts", report.display()))?;
    match ended {
        Err(error) if tally.failed == 0 => Err(error),
        Err(_) | Ok(()) => Ok(Outcome::Counted(tally)),
    }
}

/// Counts from the end of Node's TAP report: `# pass 3`, `# fail 0`, …
fn of_tap(text: &str) -> Option<Tally> {
    let count = |what: &str| text.lines().rev().find_map(|line| line.strip_prefix(what)?.trim().parse::<u64>().ok());
    Some(Tally {
        passed: count("# pass ")?,
        failed: count("# fail ")? + count("# cancelled ")?,
        skipped: count("# skipped ")? + count("# todo ")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_cargo_tests() {
        let line = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 3 filtered out; finished in 0.02s";
        assert_eq!(of_cargo(line), Some(Tally { passed: 12, failed: 1, skipped: 2 }));
        assert_eq!(of_cargo("test kept ... ok"), None);
    }

    #[test]
    fn counts_node_tests() {
        let text = "1..2\n# tests 5\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 0\n# todo 0\n# duration_ms 9.1\n";
        assert_eq!(of_tap(text), Some(Tally { passed: 3, failed: 2, skipped: 0 }));
        assert_eq!(of_tap("TAP version 13\n"), None);
    }
}
