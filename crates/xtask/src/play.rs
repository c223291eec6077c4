//! `cargo xtask play`: builds the playground and serves it on this machine, for a reader. With `--watch`, for a
//! developer: every saved change is built again, and a reload of the page shows it.

use crate::site::{self, Quality};
use crate::tools::Toolbox;
use crate::workspace::Workspace;
use crate::{process, serve};
use anyhow::{Context, Result};
use clap::Args;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

#[derive(Args)]
pub(crate) struct Options {
    /// Build it as it is published: small and fast, but a minute or two slower to build.
    #[arg(long)]
    release: bool,
    /// Build again whenever a source file is saved.
    #[arg(long)]
    watch: bool,
    /// The port to serve on, and no other [default: 8080 or the next free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let listener = serve::listen(options.port)?;
    let quality = if options.release { Quality::Release } else { Quality::Draft };
    // Not dist/: what is there may be about to be published.
    let folder = workspace.target.join("play");
    site::build(workspace, quality, &folder, "./")?;
    let address = format!("http://{}/", listener.local_addr()?);
    println!("The playground is at {address} (Ctrl+C ends it)");
    if !options.no_open {
        open(&address);
    }
    if options.watch {
        rebuild_on_save(workspace, quality, &folder)?;
    }
    serve::serve(&listener, &folder);
    Ok(())
}

/// Leaves trunk running beside the server; both end with this process's group.
fn rebuild_on_save(workspace: &Workspace, quality: Quality, folder: &Path) -> Result<()> {
    let mut trunk = Toolbox::ready(workspace)?.trunk(workspace)?;
    trunk.arg("watch").args(site::flags(quality, folder, "./"));
    for watched in ["web", "crates/core", "crates/sim", "crates/cel"] {
        trunk.arg("--watch").arg(workspace.root.join(watched));
    }
    let mut child = trunk.stdin(Stdio::null()).spawn().context("trunk could not be started")?;
    thread::spawn(move || {
        if let Ok(status) = child.wait() {
            eprintln!("trunk ended with {status}: saved changes are no longer built");
        }
    });
    Ok(())
}

/// Asks the desktop to show the address; where there is none, the printed address has to do.
fn open(address: &str) {
    let program = match env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ if env::var_os("DISPLAY").is_none() && env::var_os("WAYLAND_DISPLAY").is_none() => return,
        _ => "xdg-open",
    };
    if process::on_path(program).is_some() {
        Command::new(program)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok();
    }
}
