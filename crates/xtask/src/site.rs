//! `cargo xtask site`: the static site, optimised, in a folder that works at any path of any static host.

use crate::process::{self, step};
use crate::tools::Toolbox;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

#[derive(Args)]
pub(crate) struct Options {
    /// Where the site will stand. The default is relative and fits every place.
    #[arg(long, default_value = "./", value_name = "URL")]
    public_url: String,
}

/// How well a site is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quality {
    /// Ready in seconds, large, with debug assertions.
    Draft,
    /// Small and fast, takes a minute or two.
    Release,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let dist = workspace.root.join("dist");
    build(workspace, Quality::Release, &dist, &options.public_url)?;
    println!("{}", workspace.relative(&dist));
    Ok(())
}

/// Whether there is a page to build.
pub(crate) fn exists(workspace: &Workspace) -> bool {
    workspace.root.join("web/index.html").is_file()
}

/// Builds the site into `dist`.
pub(crate) fn build(workspace: &Workspace, quality: Quality, dist: &Path, public_url: &str) -> Result<()> {
    if !exists(workspace) {
        bail!("web/index.html does not exist, so there is no page to build");
    }
    let toolbox = Toolbox::ready(workspace)?;
    let mut trunk = toolbox.trunk(workspace)?;
    step("Building the site");
    process::run(trunk.arg("build").args(flags(quality, dist, public_url)))?;
    if quality == Quality::Release {
        minify(&toolbox, dist)?;
    }
    name_expressions(dist)
}

/// The files of the module that reads expressions, as trunk names them: without a hash.
const EXPRESSIONS: [&str; 2] = ["twiceproof-cel.js", "twiceproof-cel_bg.wasm"];
/// Start of the folder in which they are published.
pub(crate) const EXPRESSIONS_FOLDER: &str = "expressions-";

/// Puts the module that reads expressions into a folder that is named after what is in it, so that an old page never gets a new
/// module, and tells the boot script. The script finds the binary beside itself, so neither is changed.
fn name_expressions(dist: &Path) -> Result<()> {
    step("Naming the module that reads expressions");
    let mut hasher = DefaultHasher::new();
    for file in EXPRESSIONS {
        let path = dist.join(file);
        hasher.write(&fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?);
    }
    let name = format!("{EXPRESSIONS_FOLDER}{:016x}", hasher.finish());
    fs::create_dir(dist.join(&name))?;
    for file in EXPRESSIONS {
        fs::rename(dist.join(file), dist.join(&name).join(file))?;
    }
    let page = dist.join("index.html");
    let text = fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
    let Some((before, after)) = text.split_once(" data-wasm=\"") else {
        bail!("{} has no boot script with data-wasm", page.display());
    };
    // Beside the program's own address, whatever it is relative to.
    let base = after.split('"').next().and_then(|address| address.rsplit_once('/')).map_or("", |(base, _)| base);
    let address = format!("{base}/{name}/{}", EXPRESSIONS[0]);
    fs::write(&page, format!("{before} data-expressions=\"{address}\" data-wasm=\"{after}"))?;
    Ok(())
}

/// Makes scripts and styles smaller in their places. Trunk can minify too, but leaves wasm-bindgen's script, which is
/// most of it, as it is.
fn minify(toolbox: &Toolbox, dist: &Path) -> Result<()> {
    step("Minifying scripts and styles");
    let mut esbuild = toolbox.npm_program("esbuild");
    esbuild.args(["--minify", "--charset=utf8", "--legal-comments=none", "--log-level=warning", "--allow-overwrite"]);
    esbuild.arg("--outdir=.").current_dir(dist);
    for entry in fs::read_dir(dist).with_context(|| format!("{} cannot be read", dist.display()))? {
        let name = entry?.file_name();
        if name.to_string_lossy().ends_with(".js") || name.to_string_lossy().ends_with(".css") {
            esbuild.arg(name);
        }
    }
    process::run(&mut esbuild)
}

/// What `trunk build` and `trunk watch` are told alike.
pub(crate) fn flags(quality: Quality, dist: &Path, public_url: &str) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec!["--skip-version-check".into(), "--public-url".into(), public_url.into()];
    flags.extend(["--dist".into(), dist.into()]);
    if quality == Quality::Release {
        flags.extend(["--release", "--cargo-profile", "wasm-release"].map(OsString::from));
    }
    flags
}
