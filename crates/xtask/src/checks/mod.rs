//! The checks: what must hold for the tree itself, each in a file of its own, each counted as one test.

pub(crate) mod edges;
pub(crate) mod hygiene;
pub(crate) mod lengths;
pub(crate) mod lint;
pub(crate) mod purity;
pub(crate) mod sizes;

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// What was made, not written. In a linked work tree `.git` is a file.
const MADE: [&str; 4] = ["target", "dist", "node_modules", ".git"];

/// Every written file of the repository, sorted.
fn files(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![workspace.root.clone()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            if MADE.iter().any(|made| entry.file_name() == *made) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_file() {
                found.push(entry.path());
            } else if kind.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The ending of a file's name, or nothing.
fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

/// Fails with all complaints at once, one a line.
fn none(complaints: &[String], what: &str) -> Result<()> {
    if !complaints.is_empty() {
        bail!("{what}:\n{}", complaints.join("\n"));
    }
    Ok(())
}
