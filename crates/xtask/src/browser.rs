//! A Chromium for the browser tests: one that is installed, else from the system's package manager where that may be
//! used.

use crate::process::{on_path, run, step};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Names a browser's program by hand, before any search.
const VARIABLE: &str = "TWICEPROOF_CHROMIUM";
const NAMES: [&str; 6] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];
const PLACES: [&str; 5] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
];

/// The browser's program.
pub(crate) fn ready(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        let named = workspace.root.join(named);
        if !named.is_file() {
            bail!("{VARIABLE} names {}, where no program is", named.display());
        }
        return Ok(named);
    }
    if let Some(found) = installed() {
        return Ok(found);
    }
    let missing = format!(
        "the browser tests need Chromium or Chrome, and none was found: \
         install one (Debian: apt-get install chromium), \
         or name its program in {VARIABLE}"
    );
    if !may_use_apt() {
        bail!(missing);
    }
    install().context(missing.clone())?;
    installed().context(missing)
}

fn installed() -> Option<PathBuf> {
    let named = NAMES.iter().find_map(|name| on_path(name));
    named.or_else(|| PLACES.iter().map(PathBuf::from).find(|place| place.is_file()))
}

/// apt-get is here and this user is root: a container or a CI machine. Nobody's own machine is changed without asking.
fn may_use_apt() -> bool {
    let user = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    on_path("apt-get").is_some() && user.is_ok_and(|user| user.stdout.trim_ascii() == b"0")
}

fn install() -> Result<()> {
    step("Installing Chromium with apt-get");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        run(&mut command)
    };
    apt(&["update", "-q"])?;
    apt(&["install", "-q", "-y", "--no-install-recommends", "chromium"])
}
