//! `cargo xtask pack`: the npm package, as a tarball and unpacked. The Rust half is built here; the TypeScript half
//! is the package's own script, which gets the folder of the first (`TWICEPROOF_GLUE`) and the folder to fill
//! (`TWICEPROOF_OUT`).

use crate::npm;
use crate::process::{self, cargo, step};
use crate::tools::{Toolbox, WASM};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Size first, not stripped; see the workspace's Cargo.toml.
const PROFILE: &str = "wasm-release";

/// A wasm binary of the package.
struct Module {
    what: &'static str,
    package: &'static str,
    /// The one feature of the crate that it is built with, if it has any.
    feature: Option<&'static str>,
    /// The name of its files.
    name: &'static str,
}

const BOUNDARY: &str = "twiceproof-wasm";
const MODULES: [Module; 4] = [
    Module { what: "small parts", package: BOUNDARY, feature: Some("parts"), name: "parts" },
    Module { what: "engine", package: BOUNDARY, feature: Some("engine"), name: "engine" },
    Module { what: "table", package: BOUNDARY, feature: Some("table"), name: "table" },
    Module { what: "expressions", package: "twiceproof-cel", feature: None, name: "cel" },
];

/// The finished package.
pub(crate) struct Package {
    /// The tarball that would be published.
    pub(crate) tarball: PathBuf,
    /// Its contents.
    pub(crate) unpacked: PathBuf,
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let package = build(workspace)?;
    println!("{}", workspace.relative(&package.tarball));
    Ok(())
}

/// Whether there is a package to build.
pub(crate) fn exists(workspace: &Workspace) -> bool {
    source(workspace).join("package.json").is_file()
}

/// Builds it from the start, in `target/npm`.
pub(crate) fn build(workspace: &Workspace) -> Result<Package> {
    if !exists(workspace) {
        bail!("crates/wasm/npm/package.json does not exist, so there is no package to build");
    }
    let toolbox = Toolbox::ready(workspace)?;
    let folder = workspace.target.join("npm");
    let glue = emptied(folder.join("glue"))?;
    let filled = emptied(folder.join("build"))?;
    for module in &MODULES {
        bind(workspace, &toolbox, &glue, module)?;
    }
    step("Building the npm package");
    process::run(
        npm::node(workspace)
            .arg(source(workspace).join("build.mjs"))
            .env("PATH", &toolbox.path)
            .env("TWICEPROOF_GLUE", &glue)
            .env("TWICEPROOF_OUT", &filled),
    )?;
    wrap(&folder, &filled)
}

fn source(workspace: &Workspace) -> PathBuf {
    workspace.root.join("crates/wasm/npm")
}

/// Compiles a crate, makes its JavaScript glue, and optimises the binary. One at a time: built together, each would get
/// the features that the other asks of a library.
fn bind(workspace: &Workspace, toolbox: &Toolbox, glue: &Path, module: &Module) -> Result<()> {
    step(&format!("Building the {} as wasm", module.what));
    let mut build = cargo();
    build.args(["build", "--locked", "-p", module.package, "--lib", "--target", WASM, "--profile", PROFILE]);
    if let Some(feature) = module.feature {
        build.args(["--no-default-features", "--features", feature]);
    }
    process::without_own_paths(&mut build, &workspace.root);
    process::run(build.current_dir(&workspace.root))?;
    let compiled = workspace.target.join(WASM).join(PROFILE).join(format!("{}.wasm", module.package.replace('-', "_")));
    process::run(
        Command::new(&toolbox.wasm_bindgen)
            .args(["--target", "web", "--omit-default-module-path", "--out-name", module.name, "--out-dir"])
            .arg(glue)
            .arg(&compiled),
    )?;
    let binary = glue.join(format!("{}_bg.wasm", module.name));
    step(&format!("Optimising the {}", module.what));
    process::run(
        Command::new("wasm-opt")
            .env("PATH", &toolbox.path)
            .args(["-Oz", "--converge", "--strip-debug", "--strip-producers"])
            .arg(&binary)
            .arg("-o")
            .arg(&binary),
    )
}

/// Makes the tarball and unpacks it again: what is tested is what would be published, not what it was made from.
fn wrap(folder: &Path, filled: &Path) -> Result<Package> {
    let packed = emptied(folder.join("packed"))?;
    // Taken, not shown: npm prints the file's name, and what uses this may print JSON.
    process::output(npm::npm().args(["pack", "--silent", "--pack-destination"]).arg(&packed).current_dir(filled))?;
    let only = fs::read_dir(&packed)?.next().context("npm pack made no tarball")??;
    let tarball = folder.join("twiceproof.tgz");
    fs::rename(only.path(), &tarball)?;
    fs::remove_dir(&packed)?;
    let unpacked = emptied(folder.join("package"))?;
    // Every npm tarball holds one folder called `package`.
    process::run(Command::new("tar").arg("-xzf").arg(&tarball).arg("-C").arg(folder))?;
    Ok(Package { tarball, unpacked })
}

fn emptied(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}
