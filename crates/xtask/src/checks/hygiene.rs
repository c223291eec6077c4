//! What must not stand in any file: styles that the page's Content-Security-Policy blocks, unfinished code, and
//! traces of one machine (its folders, its package registry).

use crate::checks::{ending, files, none};
use crate::workspace::Workspace;
use anyhow::Result;
use std::fs;
use std::path::Path;

/// Markers of unfinished code, in halves, so that this file passes its own check.
const UNFINISHED: [[&str; 2]; 3] = [["todo", "!("], ["unimplemented", "!("], ["FIX", "ME"]];
/// Folders that only one machine has, in halves as well.
const MACHINE_FOLDERS: [[&str; 2]; 4] = [["/ho", "me/"], ["/Us", "ers/"], ["/ro", "ot/"], ["/wo", "rk/"]];
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut complaints = Vec::new();
    for path in files(workspace)? {
        // What is no text (pictures) is not read.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let name = workspace.relative(&path);
        for (index, line) in text.lines().enumerate() {
            complaints.extend(complain(&name, &path, line).map(|what| format!("{name}:{}: {what}", index + 1)));
        }
    }
    none(&complaints, "found what must not be in the tree")
}

/// What is wrong with one line of one file.
fn complain(name: &str, path: &Path, line: &str) -> Option<String> {
    if let Some(folder) = halves(&MACHINE_FOLDERS, line) {
        return Some(format!("names a folder of one machine ({folder})"));
    }
    match (ending(path), path.file_name()?.to_str()?) {
        (_, "Cargo.lock") => foreign_source(line),
        (_, "package-lock.json") => {
            line.contains("\"resolved\"").then(|| "names the registry it was installed from".into())
        }
        (_, ".npmrc") | ("toml", "config.toml") => names_registry(line),
        ("rs" | "ts" | "js" | "mjs" | "css" | "html", _) => {
            if let Some(marker) = halves(&UNFINISHED, line) {
                return Some(format!("unfinished ({marker})"));
            }
            (name.starts_with("web/") && inline_style(line))
                .then(|| "an inline style, which the page's policy blocks".into())
        }
        _ => None,
    }
}

fn halves(words: &[[&str; 2]], line: &str) -> Option<String> {
    words.iter().map(|word| word.concat()).find(|word| line.contains(word))
}

fn foreign_source(line: &str) -> Option<String> {
    let source = line.strip_prefix("source = ")?.trim_matches('"');
    (source != CRATES_IO).then(|| format!("a package from {source}, not from crates.io"))
}

fn names_registry(line: &str) -> Option<String> {
    let key = line.split('=').next()?.trim();
    let names = key == "registry" || key.ends_with(":registry") || line.trim_start().starts_with("[source");
    names.then(|| "names a package registry".into())
}

/// A `style` attribute or element. `let style = …` in Rust has a space before its sign, and attributes have none.
fn inline_style(line: &str) -> bool {
    let attribute = line.match_indices("style=").any(|(at, _)| line[..at].ends_with(char::is_whitespace));
    let element = line.match_indices("<style").any(|(at, word)| line[at + word.len()..].starts_with([' ', '>', '{']));
    attribute || element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_inline_styles_from_names() {
        assert!(inline_style(r#"<div style="top: 0">"#));
        assert!(inline_style(r#"    style={format!("top: {y}")}"#));
        assert!(inline_style("<style>"));
        assert!(!inline_style("let style = node.style();"));
        assert!(!inline_style(r#"<link rel="stylesheet" data-style="x">"#));
    }

    #[test]
    fn knows_foreign_registries() {
        assert_eq!(foreign_source(&format!("source = \"{CRATES_IO}\"")), None);
        assert!(foreign_source("source = \"sparse+https://mirror.example/\"").is_some());
        assert!(names_registry("registry=https://mirror.example/").is_some());
        assert!(names_registry("omit-lockfile-registry-resolved=true").is_none());
    }
}
