//! Where things are. Found when a chore runs, so that no path of the machine that compiled it stays in the binary.

use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// The folders of the repository.
pub(crate) struct Workspace {
    /// The folder with the workspace's Cargo.toml.
    pub(crate) root: PathBuf,
    /// Cargo's target folder; everything that is made and not published goes below it.
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Finds the repository from what `cargo run` sets, or from the current folder upwards.
    pub(crate) fn find() -> Result<Self> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().context("the current folder cannot be read")?,
        };
        let Some(root) = start.ancestors().find(|folder| folder.join("crates/xtask/Cargo.toml").is_file()) else {
            bail!("no Twiceproof repository at or above {}: run `cargo xtask` inside one", start.display());
        };
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        Ok(Self { root: root.to_path_buf(), target })
    }

    /// The one folder of npm tools.
    pub(crate) fn tests(&self) -> PathBuf {
        self.root.join("tests")
    }

    /// `path` as a reader of the repository would write it: from the root, with forward slashes.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}
