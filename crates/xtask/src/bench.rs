//! `cargo xtask bench`: the article's table, natively by each engine and by the article's own program in Node, over
//! its own parts and over the package's, in one run on one machine: only the ratios mean anything elsewhere. All must
//! agree on every number, or there is nothing to compare. Then the package's parts beside libraries of the same kind.
//! The programs in Node count the processor's time, so that other work on the machine changes little.

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
    /// How often each engine runs; the quickest run counts. The article's program runs at most three times.
    #[arg(long, default_value_t = 5, value_name = "N")]
    runs: u32,
}

/// A million sign-ups take half a minute in Node.
const NODE_RUNS_MAX: u32 = 3;
/// What the package's parts under the article's own program have to reach: so many times its speed.
const PARTS_GOAL: f64 = 2.5;
/// And its `simulate()`.
const TABLE_GOAL: f64 = 1_000.0;

/// One way to compute the table, and what it took.
struct Timed {
    name: &'static str,
    elapsed_ms: f64,
    rows: Value,
    /// How many times as fast as the article it has to be, if that is a goal.
    goal: Option<f64>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    npm::node_ready()?;
    let article = in_node(workspace, options, "the article, in Node", None)?;
    let bare = workspace.tests().join("bench/bare.mjs");
    let mut faster = vec![in_node(workspace, options, "the same in bare loops", Some(&bare))?];
    let parts = if pack::exists(workspace) { Some(entry(&pack::build(workspace)?.unpacked)?) } else { None };
    if let Some(parts) = &parts {
        let with_parts = in_node(workspace, options, "the same with the package's parts", Some(parts))?;
        faster.push(Timed { goal: Some(PARTS_GOAL), ..with_parts });
        faster.push(Timed { goal: Some(TABLE_GOAL), ..by_simulate(workspace, options, parts)? });
    }
    step("Building the table program");
    let program = table::build(workspace, Build::Release)?;
    faster.push(natively(&program, options, "event engine", Engine::Event)?);
    faster.push(natively(&program, options, "reference loop", Engine::Reference)?);
    faster.push(natively(&program, options, "fast kernel", Engine::Kernel)?);
    for way in &faster {
        if !agree(&way.rows, &article.rows) {
            bail!("{} and {} differ:\n{}\n{}", way.name, article.name, way.rows, article.rows);
        }
    }
    let parts = parts.map(|parts| speed(workspace, options, &parts)).transpose()?.flatten();
    print(options, &article, &faster, parts.as_ref());
    Ok(())
}

/// Whether all that `rows` say stands in `others` too.
fn agree(rows: &Value, others: &Value) -> bool {
    let (Some(rows), Some(others)) = (rows.as_array(), others.as_array()) else { return false };
    let same = |row: &Value, other: &Value| {
        row.as_object()
            .is_some_and(|fields| !fields.is_empty() && fields.iter().all(|(name, value)| other[name] == *value))
    };
    rows.len() == others.len() && rows.iter().zip(others).all(|(row, other)| same(row, other))
}

/// The package's parts beside libraries of the same kind. As JSON, or shown as it comes.
fn speed(workspace: &Workspace, options: &Options, parts: &Path) -> Result<Option<Value>> {
    npm::ready(workspace)?;
    step("Timing the package's parts (some minutes)");
    let mut program = npm::node(workspace);
    program.arg(workspace.tests().join("bench/speed.mjs")).arg(parts).arg("--runs").arg(options.runs.to_string());
    if options.json {
        return Ok(Some(serde_json::from_str(&output(program.arg("--json"))?)?));
    }
    run_command(&mut program)?;
    Ok(None)
}

fn print(options: &Options, article: &Timed, faster: &[Timed], parts: Option<&Value>) {
    let ways = || [article].into_iter().chain(faster).map(|way| (way, article.elapsed_ms / way.elapsed_ms));
    if options.json {
        let ways = ways().map(
            |(way, ratio)| json!({ "name": way.name, "elapsedMs": way.elapsed_ms, "ratio": ratio, "goal": way.goal }),
        );
        println!("{:#}", json!({ "jobs": options.jobs, "table": ways.collect::<Vec<_>>(), "parts": parts }));
        return;
    }
    println!("Five strategies over {} sign-ups each, all with the same numbers", options.jobs);
    for (way, ratio) in ways() {
        let goal = way
            .goal
            .map(|goal| format!("  {} of {goal}", if ratio >= goal { "reached, goal" } else { "missed, goal" }));
        println!("{:<36} {:>11.1} ms {ratio:>9.1} x{}", way.name, way.elapsed_ms, goal.unwrap_or_default());
    }
}

/// The table as the package gives it.
fn by_simulate(workspace: &Workspace, options: &Options, parts: &Path) -> Result<Timed> {
    let name = "the package's simulate()";
    step(&format!("Timing: {name}"));
    let program = workspace.tests().join("bench/table.mjs");
    let runs = options.runs.max(1).to_string();
    let mut node = npm::node(workspace);
    read(name, &output(node.arg(program).arg(options.jobs.to_string()).arg(parts).arg(runs))?)
}

fn natively(program: &Path, options: &Options, name: &'static str, engine: Engine) -> Result<Timed> {
    step(&format!("Timing: {name}"));
    quickest(options.runs, || {
        read(name, &output(Command::new(program).args(table::words(&table::article(engine, options.jobs))))?)
    })
}

/// The article's program, over its own parts or over those of the module `parts`.
fn in_node(workspace: &Workspace, options: &Options, name: &'static str, parts: Option<&Path>) -> Result<Timed> {
    step(&format!("Timing: {name} (half a minute or so for a million sign-ups)"));
    let program = workspace.tests().join("bench/article/simulate.mjs");
    quickest(options.runs.min(NODE_RUNS_MAX), || {
        read(name, &output(npm::node(workspace).arg(&program).arg(options.jobs.to_string()).args(parts))?)
    })
}

/// The quickest of some runs: whatever disturbs one makes it slower.
fn quickest(runs: u32, mut timed: impl FnMut() -> Result<Timed>) -> Result<Timed> {
    let mut best = timed()?;
    for _ in 1..runs {
        let next = timed()?;
        if next.elapsed_ms < best.elapsed_ms {
            best = next;
        }
    }
    Ok(best)
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
    Ok(Timed { name, elapsed_ms, rows: value["rows"].take(), goal: None })
}
