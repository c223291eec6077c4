//! The Rust side of the set-up: wasm targets, and the two command line tools in the one version that fits the lock
//! file.

use crate::npm;
use crate::process::{self, cargo, executable, on_path, output, path_with, run, step, version};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Browsers, Node and edge workers: no system interface at all.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";
/// The same instructions with files and a terminal, so that Rust's own test harness can run and report in Node.
pub(crate) const WASI: &str = "wasm32-wasip1";

/// A program that `cargo install` brings.
struct Tool {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    /// Flags for `cargo install`. Debug builds work as well on code of this size and are there in half the time.
    flags: &'static [&'static str],
}

// Not `--locked`: its lock file names a crate version that is no longer served.
const WASM_BINDGEN: Tool =
    Tool { name: "wasm-bindgen", package: "wasm-bindgen-cli", version: "0.2.130", flags: &["--debug"] };
const TRUNK: Tool = Tool {
    name: "trunk",
    package: "trunk",
    version: "0.21.14",
    flags: &["--locked", "--no-default-features", "--features", "rustls", "--debug"],
};

/// The programs that turn crates into a site or a package.
pub(crate) struct Toolbox {
    /// wasm-bindgen, of the lock file's version.
    pub(crate) wasm_bindgen: PathBuf,
    /// PATH with wasm-bindgen, wasm-opt and the other npm tools first: trunk takes what it finds there and downloads
    /// nothing.
    pub(crate) path: OsString,
}

impl Toolbox {
    /// Makes sure of the wasm target, wasm-bindgen and the npm tools.
    pub(crate) fn ready(workspace: &Workspace) -> Result<Self> {
        target_ready(WASM)?;
        let wasm_bindgen = ready(workspace, &WASM_BINDGEN)?;
        let npm_tools = npm::ready(workspace)?;
        let folder = wasm_bindgen.parent().context("wasm-bindgen lies in no folder")?.to_path_buf();
        let path = path_with(&[folder, npm_tools])?;
        Ok(Self { wasm_bindgen, path })
    }

    /// A program of the npm tools.
    pub(crate) fn npm_program(&self, name: &str) -> Command {
        let mut command = Command::new(if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() });
        command.env("PATH", &self.path);
        command
    }

    /// trunk, with PATH as it needs it.
    pub(crate) fn trunk(&self, workspace: &Workspace) -> Result<Command> {
        let mut command = Command::new(ready(workspace, &TRUNK)?);
        command.current_dir(&workspace.root).env("PATH", &self.path);
        // Trunk reads NO_COLOR as a Boolean and stops at the customary `1`.
        command.env_remove("NO_COLOR");
        // A failed build shows the compiler's errors; where in trunk that came up is of no use.
        command.env("RUST_BACKTRACE", "0");
        process::without_own_paths(&mut command, &workspace.root);
        Ok(command)
    }
}

/// Adds a compilation target if it is missing.
pub(crate) fn target_ready(target: &str) -> Result<()> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir() {
        return Ok(());
    }
    step(&format!("Adding the Rust target {target}"));
    run(Command::new("rustup").args(["target", "add", target])).with_context(|| {
        format!(
            "Rust's target {target} is missing and rustup did not add it; \
             without rustup, install the target with what brought Rust"
        )
    })
}

/// The program of exactly the pinned version: from PATH, or from target/tools, or built there now.
fn ready(workspace: &Workspace, tool: &Tool) -> Result<PathBuf> {
    if let Some(found) = on_path(tool.name).filter(|found| is_pinned(found, tool)) {
        return Ok(found);
    }
    let folder = workspace.target.join("tools").join(format!("{}-{}", tool.name, tool.version));
    let program = folder.join("bin").join(executable(tool.name));
    if is_pinned(&program, tool) {
        return Ok(program);
    }
    step(&format!("Building {} {} (once, some minutes)", tool.name, tool.version));
    // A target folder of its own: an interrupted build goes on where it stopped. It is of no use afterwards.
    let build = workspace.target.join("tools/build");
    run(cargo()
        .args(["install", tool.package, "--version", tool.version, "--root"])
        .arg(&folder)
        .args(tool.flags)
        .env("CARGO_TARGET_DIR", &build))?;
    if !is_pinned(&program, tool) {
        bail!(
            "{} should be {} {}, but says {}",
            program.display(),
            tool.name,
            tool.version,
            version(&program).unwrap_or_else(|| "nothing".into())
        );
    }
    fs::remove_dir_all(&build).ok();
    Ok(program)
}

fn is_pinned(program: &Path, tool: &Tool) -> bool {
    version(program).is_some_and(|text| text == format!("{} {}", tool.name, tool.version))
}
