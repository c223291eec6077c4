//! `cargo xtask test`: every test and check, in named parts, quick ones first. All parts run even if one fails. A
//! part that cannot run for want of something fails and says what; only a part whose subject does not exist is
//! skipped.

use crate::checks;
use crate::report::{self, Done, Tally};
use crate::subjects::Subjects;
use crate::suites;
use crate::workspace::Workspace;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::process::ExitCode;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct Options {
    /// Run this part alone; may be given more than once.
    #[arg(long, value_enum, value_name = "NAME")]
    only: Vec<Part>,
}

/// The parts, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Formatting as rustfmt has it.
    Fmt,
    /// No source file past its length limit.
    Lengths,
    /// No inline styles, unfinished code, registry addresses or machine paths.
    Hygiene,
    /// Which crate may know which.
    Edges,
    /// The core imports nothing when built as wasm.
    Purity,
    /// No warnings, natively and for wasm32.
    Clippy,
    /// Rust's tests, natively.
    Rust,
    /// The core's and the simulation's tests as wasm, in Node.
    Wasm,
    /// The npm package from its tarball.
    Npm,
    /// The site in a real Chromium.
    Browser,
    /// What a reader downloads, compressed.
    Sizes,
}

/// What a part comes to: counts, or one word on why there are none.
pub(crate) enum Outcome {
    Counted(Tally),
    Skipped(String),
}

/// Runs the chosen parts; the exit code says whether all is well, so that the counts stay the last thing printed.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> ExitCode {
    let chosen = |part: &Part| options.only.is_empty() || options.only.contains(part);
    let subjects = Subjects::default();
    let done: Vec<Done> = Part::value_variants()
        .iter()
        .copied()
        .filter(chosen)
        .map(|part| run_part(workspace, &subjects, part))
        .collect();
    let all = report::print(&done);
    if all.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_part(workspace: &Workspace, subjects: &Subjects, part: Part) -> Done {
    println!("\n--- {}", part.name());
    let start = Instant::now();
    let (tally, note) = match part.run(workspace, subjects) {
        Ok(Outcome::Counted(tally)) => (tally, None),
        Ok(Outcome::Skipped(why)) => (Tally::SKIPPED, Some(why)),
        Err(error) => (Tally::FAILED, Some(format!("{error:#}"))),
    };
    let done = Done { name: part.name(), tally, took: start.elapsed(), note };
    println!("{done}");
    done
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Lengths => "lengths",
            Self::Hygiene => "hygiene",
            Self::Edges => "edges",
            Self::Purity => "purity",
            Self::Clippy => "clippy",
            Self::Rust => "rust",
            Self::Wasm => "wasm",
            Self::Npm => "npm",
            Self::Browser => "browser",
            Self::Sizes => "sizes",
        }
    }

    fn run(self, workspace: &Workspace, subjects: &Subjects) -> Result<Outcome> {
        match self {
            Self::Fmt => passed(checks::lint::fmt(workspace)),
            Self::Lengths => passed(checks::lengths::check(workspace)),
            Self::Hygiene => passed(checks::hygiene::check(workspace)),
            Self::Edges => passed(checks::edges::check(workspace)),
            Self::Purity => passed(checks::purity::check(workspace)),
            Self::Clippy => passed(checks::lint::clippy(workspace)),
            Self::Rust => suites::rust(workspace),
            Self::Wasm => suites::wasm(workspace),
            Self::Npm => suites::npm(workspace, subjects),
            Self::Browser => suites::browser(workspace, subjects),
            Self::Sizes => checks::sizes::check(workspace, subjects),
        }
    }
}

/// A check is one test.
fn passed(check: Result<()>) -> Result<Outcome> {
    check.map(|()| Outcome::Counted(Tally::PASSED))
}
