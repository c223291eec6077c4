//! What a reader downloads, compressed as a good host would, against its bars. What does not exist yet is named and
//! left out.

use crate::checks;
use crate::npm;
use crate::process::output;
use crate::report::Tally;
use crate::site;
use crate::subjects::{self, Subjects};
use crate::test::Outcome;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy)]
enum Compression {
    Brotli,
    Gzip,
}

/// One bar: the files whose sizes are added up, and what they may come to.
struct Bar {
    what: &'static str,
    files: Vec<PathBuf>,
    compression: Compression,
    bytes_max: u64,
}

pub(crate) fn check(workspace: &Workspace, subjects: &Subjects) -> Result<Outcome> {
    let mut bars = Vec::new();
    match subjects.site(workspace)? {
        Some(site) => bars.extend(site_bars(site)?),
        None => println!("{}", subjects::NO_SITE),
    }
    match subjects.package(workspace)? {
        Some(package) => bars.extend(package_bars(&package.unpacked)),
        None => println!("{}", subjects::NO_PACKAGE),
    }
    let mut tally = Tally::default();
    for bar in bars {
        tally.add(measure(workspace, &bar)?);
    }
    if tally == Tally::default() {
        return Ok(Outcome::Skipped("there is neither a site nor a package yet".into()));
    }
    Ok(Outcome::Counted(tally))
}

/// The playground's page alone, without stories and posters, which other pages load.
fn site_bars(site: &Path) -> Result<Vec<Bar>> {
    let mut top = Vec::new();
    for entry in fs::read_dir(site).with_context(|| format!("{} cannot be read", site.display()))? {
        top.push(entry?.path());
    }
    let of = |endings: &[&str]| -> Vec<PathBuf> {
        top.iter().filter(|path| endings.contains(&checks::ending(path)) && !is_apart(path)).cloned().collect()
    };
    let named = |name: &str| -> Vec<PathBuf> { top.iter().filter(|path| path.ends_with(name)).cloned().collect() };
    // The goals are 115 kB of wasm and 150 kB in all. What is above them: Yew and its views are half of it; floats are written
    // and read in three ways. These bars hold what is reached, and only go down.
    Ok(vec![
        Bar { what: "site wasm", files: of(&["wasm"]), compression: Compression::Brotli, bytes_max: 357_000 },
        Bar {
            what: "site page",
            files: of(&["html", "css", "js", "wasm"]),
            compression: Compression::Brotli,
            bytes_max: 377_000,
        },
        // Not part of the page: loaded when the reader opens the section that needs it.
        Bar {
            what: "site expressions",
            files: site_expressions(site)?,
            compression: Compression::Brotli,
            bytes_max: 145_000,
        },
        Bar { what: "embed loader", files: named(LOADER), compression: Compression::Gzip, bytes_max: 3_000 },
        // Loaded when the first picture is saved.
        Bar { what: "site pictures", files: named(PICTURE), compression: Compression::Brotli, bytes_max: 3_000 },
    ])
}

/// The files of the module that reads expressions.
fn site_expressions(site: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(site)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(site::EXPRESSIONS_FOLDER) {
            for file in fs::read_dir(entry.path())? {
                files.push(file?.path());
            }
        }
    }
    Ok(files)
}

/// The script that a host page includes.
const LOADER: &str = "twiceproof-play.js";
/// What makes picture files.
const PICTURE: &str = "picture.js";

/// Whether the playground starts without it.
fn is_apart(path: &Path) -> bool {
    [LOADER, PICTURE].iter().any(|name| path.ends_with(name))
}

/// The binaries. What a bundle holds of the package, by what it imports, is a test of the package.
fn package_bars(package: &Path) -> Vec<Bar> {
    let files = |names: &[&str]| -> Vec<PathBuf> { names.iter().map(|name| package.join("dist").join(name)).collect() };
    let gzip = Compression::Gzip;
    // The goal was 35 kB for all. The small parts are below it. What the engine has above it: runs and their journal, the rules of
    // events and run IDs, JSON with exact numbers and its hash. As above, these bars only go down.
    vec![
        Bar { what: "npm parts", files: files(&["parts.wasm"]), compression: gzip, bytes_max: 28_000 },
        Bar { what: "npm engine", files: files(&["engine.wasm"]), compression: gzip, bytes_max: 112_000 },
        Bar { what: "npm table", files: files(&["table.wasm"]), compression: gzip, bytes_max: 27_000 },
        // Loaded by whoever writes a key as an expression, and by nobody else. The library is most of it.
        Bar { what: "npm expressions", files: files(&["cel.inline.js"]), compression: gzip, bytes_max: 180_000 },
    ]
}

fn measure(workspace: &Workspace, bar: &Bar) -> Result<Tally> {
    if bar.files.is_empty() {
        println!("{:<16} does not exist yet", bar.what);
        return Ok(Tally::SKIPPED);
    }
    if let Some(missing) = bar.files.iter().find(|file| !file.is_file()) {
        bail!("{} needs {}, which was not built", bar.what, workspace.relative(missing));
    }
    let mut bytes = 0;
    for file in &bar.files {
        bytes += compressed(workspace, file, bar.compression)?;
    }
    let fits = bytes <= bar.bytes_max;
    let verdict = if fits { "" } else { "  TOO LARGE" };
    println!("{:<16} {bytes:>8} bytes of {:>8}{verdict}", bar.what, bar.bytes_max);
    Ok(if fits { Tally::PASSED } else { Tally::FAILED })
}

/// Node brings both compressions, so that this program need not.
fn compressed(workspace: &Workspace, file: &Path, compression: Compression) -> Result<u64> {
    const BROTLI: &str = "zlib.brotliCompressSync(bytes)";
    const GZIP: &str = "zlib.gzipSync(bytes, { level: 9 })";
    let call = match compression {
        Compression::Brotli => BROTLI,
        Compression::Gzip => GZIP,
    };
    let program = format!("const bytes = require('fs').readFileSync(process.argv[1]); console.log({call}.length)");
    let text = output(npm::node(workspace).arg("-e").arg(program).arg(file))?;
    let bytes: Value = serde_json::from_str(text.trim()).context("Node printed something else than a number")?;
    bytes.as_u64().context("Node printed something else than a number")
}
