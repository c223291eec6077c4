//! `cargo xtask bench`: the article's table, natively by both engines and by the article's own approach in Node, in
//! one run on one machine: only the ratios mean anything elsewhere. The three must agree on every number, or there is
//! nothing to compare.

use crate::npm;
use crate::process::{output, step};
use crate::table::{self, Build};
use crate::table_options::Engine;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

#[derive(Args)]
pub(crate) struct Options {
    /// Print JSON instead of lines.
    #[arg(long)]
    json: bool,
    /// How many sign-ups.
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    jobs: u64,
    /// How often each engine runs; the quickest run counts. The article's approach runs once: it takes long enough.
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
    step("Building the table program");
    let program = table::build(workspace, Build::Release)?;
    let timed = [
        engine(&program, options, "fast kernel", Engine::Kernel)?,
        engine(&program, options, "event engine", Engine::Event)?,
        article(workspace, options)?,
    ];
    let [kernel, event, article] = &timed;
    for other in [event, article] {
        if other.rows != kernel.rows {
            bail!("{} and {} differ:\n{}\n{}", kernel.name, other.name, kernel.rows, other.rows);
        }
    }
    if options.json {
        let ways = timed.iter().map(|way| json!({ "name": way.name, "elapsedMs": way.elapsed_ms, "ratio": article.elapsed_ms / way.elapsed_ms }));
        println!("{:#}", json!({ "jobs": options.jobs, "table": ways.collect::<Vec<_>>() }));
        return Ok(());
    }
    println!("Five strategies over {} sign-ups each, all with the same numbers", options.jobs);
    for way in &timed {
        println!("{:<22} {:>11.1} ms {:>9.1} x", way.name, way.elapsed_ms, article.elapsed_ms / way.elapsed_ms);
    }
    Ok(())
}

/// The quickest of some runs.
fn engine(program: &Path, options: &Options, name: &'static str, engine: Engine) -> Result<Timed> {
    step(&format!("Timing the {name}"));
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

fn article(workspace: &Workspace, options: &Options) -> Result<Timed> {
    step("Timing the article's approach in Node (about half a minute for a million sign-ups)");
    let program = workspace.tests().join("bench/article/simulate.mjs");
    read("the article, in Node", &output(npm::node(workspace).arg(program).arg(options.jobs.to_string()))?)
}

fn read(name: &'static str, text: &str) -> Result<Timed> {
    let mut value: Value =
        serde_json::from_str(text).with_context(|| format!("{name} printed something else than JSON"))?;
    let elapsed_ms = value["elapsedMs"].as_f64().with_context(|| format!("{name} did not say how long it took"))?;
    Ok(Timed { name, elapsed_ms, rows: value["rows"].take() })
}
