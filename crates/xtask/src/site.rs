//! `cargo xtask site`: the static site, optimised, in a folder that works at any path of any static host.

use crate::process::{self, step};
use crate::tools::Toolbox;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::ffi::OsString;
use std::fs;
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
    if quality == Quality::Release { minify(&toolbox, dist) } else { Ok(()) }
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
