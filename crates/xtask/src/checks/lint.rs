//! rustfmt and clippy: both with no complaint at all.

use crate::process::{cargo, run};
use crate::tools::{self, WASM};
use crate::workspace::Workspace;
use anyhow::Result;

pub(crate) fn fmt(workspace: &Workspace) -> Result<()> {
    run(cargo().args(["fmt", "--all", "--check"]).current_dir(&workspace.root))
}

/// Everything natively, and for wasm32 what ships as wasm: much of it is compiled only there.
pub(crate) fn clippy(workspace: &Workspace) -> Result<()> {
    tools::target_ready(WASM)?;
    let natively = ["--workspace", "--all-targets", "--features", "xtask/table"];
    let as_wasm = [
        "-p",
        "twiceproof-core",
        "-p",
        "twiceproof-sim",
        "-p",
        "twiceproof-wasm",
        "-p",
        "twiceproof-cel",
        "-p",
        "twiceproof-web",
        "--target",
        WASM,
    ];
    for scope in [&natively[..], &as_wasm[..]] {
        run(cargo()
            .args(["clippy", "--quiet", "--locked"])
            .args(scope)
            .args(["--", "-D", "warnings"])
            .current_dir(&workspace.root))?;
    }
    Ok(())
}
