//! `cargo xtask bench`: the article's table, natively by each engine and by the article's own program in Node, over
//! its own parts and over the package's, in one run on one machine: only the ratios mean anything elsewhere. All must
//! agree on every number, or there is nothing to compare.

use crate::npm;
use crate::pack;
use crate::process::{output, run as run_command, step};
use crate::table::{self, Build};
use crate::table_options::Engine;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub(crate) struct Options {
    /// Print JSON instead of lines.
    #[arg(long)]
    json: bool,
    /// How many sign-ups.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    jobs: u64,
    /// How often each engine runs; the quickest run counts. The programs in Node run once: they take long enough.
    #[arg(long, default_value_t = 5, value_name = "N")]
    runs: u32,
}

/// One way to compute the table, and what it took.
struct Timed {
    name: &'static str,
    elapsed_ms: f64,
    rows: Value,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    npm::node_ready()?;
    let article = in_node(workspace, options, "the article, in Node", None)?;
    let bare = workspace.tests().join("bench/bare.mjs");
    let mut faster = vec![in_node(workspace, options, "the same in bare loops", Some(&bare))?];
    let parts = if pack::exists(workspace) { Some(entry(&pack::build(workspace)?.unpacked)?) } else { None };
    if let Some(parts) = &parts {
        faster.push(in_node(workspace, options, "the same with the package's parts", Some(parts))?);
    }
    step("Building the table program");
    let program = table::build(workspace, Build::Release)?;
    faster.push(natively(&program, options, "event engine", Engine::Event)?);
    faster.push(natively(&program, options, "reference loop", Engine::Reference)?);
    faster.push(natively(&program, options, "fast kernel", Engine::Kernel)?);
    for way in &faster {
        if way.rows != article.rows {
            bail!("{} and {} differ:\n{}\n{}", way.name, article.name, way.rows, article.rows);
        }
    }
    print(options, &article, &faster);
    match parts {
        // Its own lines, after the table's: queue, retry, keys and engine beside their peers.
        Some(parts) if !options.json => speed(workspace, options, &parts),
        Some(_) | None => Ok(()),
    }
}

/// The package's parts beside libraries of the same kind.
fn speed(workspace: &Workspace, options: &Options, parts: &Path) -> Result<()> {
    npm::ready(workspace)?;
    step("Timing the package's parts (a minute or two)");
    let program = workspace.tests().join("bench/speed.mjs");
    run_command(npm::node(workspace).arg(program).arg(parts).arg("--runs").arg(options.runs.to_string()))
}

fn print(options: &Options, article: &Timed, faster: &[Timed]) {
    let ways = || [article].into_iter().chain(faster).map(|way| (way, article.elapsed_ms / way.elapsed_ms));
    if options.json {
        let ways = ways().map(|(way, ratio)| json!({ "name": way.name, "elapsedMs": way.elapsed_ms, "ratio": ratio }));
        println!("{:#}", json!({ "jobs": options.jobs, "table": ways.collect::<Vec<_>>() }));
        return;
    }
    println!("Five strategies over {} sign-ups each, all with the same numbers", options.jobs);
    for (way, ratio) in ways() {
        println!("{:<36} {:>11.1} ms {ratio:>9.1} x", way.name, way.elapsed_ms);
    }
}

/// The quickest of some runs.
fn natively(program: &Path, options: &Options, name: &'static str, engine: Engine) -> Result<Timed> {
    step(&format!("Timing: {name}"));
    let mut best: Option<Timed> = None;
    for _ in 0..options.runs.max(1) {
        let text = output(Command::new(program).args(table::words(&table::article(engine, options.jobs))))?;
        let timed = read(name, &text)?;
        if best.as_ref().is_none_or(|best| timed.elapsed_ms < best.elapsed_ms) {
            best = Some(timed);
        }
    }
    best.context("no run was timed")
}

/// The article's program, over its own parts or over those of the module `parts`.
fn in_node(workspace: &Workspace, options: &Options, name: &'static str, parts: Option<&Path>) -> Result<Timed> {
    step(&format!("Timing: {name} (half a minute or so for a million sign-ups)"));
    let program = workspace.tests().join("bench/article/simulate.mjs");
    read(name, &output(npm::node(workspace).arg(program).arg(options.jobs.to_string()).args(parts))?)
}

/// The module that `import "twiceproof"` means.
fn entry(package: &Path) -> Result<PathBuf> {
    let manifest: Value = serde_json::from_str(&fs::read_to_string(package.join("package.json"))?)?;
    let file =
        manifest["exports"]["."]["default"].as_str().context("the package's `exports` name no default module")?;
    Ok(package.join(file))
}

fn read(name: &'static str, text: &str) -> Result<Timed> {
    let mut value: Value =
        serde_json::from_str(text).with_context(|| format!("{name} printed something else than JSON"))?;
    let elapsed_ms = value["elapsedMs"].as_f64().with_context(|| format!("{name} did not say how long it took"))?;
    Ok(Timed { name, elapsed_ms, rows: value["rows"].take() })
}
