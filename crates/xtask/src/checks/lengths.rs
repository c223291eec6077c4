//! A source file is mostly some 200 lines; past the limit it wants splitting.

use crate::checks::{ending, files, none};
use crate::workspace::Workspace;
use anyhow::Result;
use std::fs;

const LINES_MAX: usize = 600;
const ENDINGS: [&str; 7] = ["rs", "ts", "js", "mjs", "css", "html", "toml"];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut long = Vec::new();
    for path in files(workspace)? {
        if ENDINGS.contains(&ending(&path)) {
            let lines = fs::read_to_string(&path)?.lines().count();
            if lines > LINES_MAX {
                long.push(format!("{}: {lines} lines", workspace.relative(&path)));
            }
        }
    }
    none(&long, &format!("a source file may have {LINES_MAX} lines"))
}
