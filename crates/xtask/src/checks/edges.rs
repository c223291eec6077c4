//! Which crate may know which. The shape of the workspace is one table here; a crate that is not in it is refused too.

use crate::checks::none;
use crate::process::{cargo, output};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::Value;

/// A crate of ours, and the crates of ours that it may know.
const MAY_KNOW: [(&str, &[&str]); 6] = [
    ("twiceproof-core", &[]),
    ("twiceproof-sim", &["twiceproof-core"]),
    ("twiceproof-wasm", &["twiceproof-core", "twiceproof-sim"]),
    ("twiceproof-cel", &["twiceproof-core"]),
    ("twiceproof-web", &["twiceproof-core", "twiceproof-sim"]),
    ("xtask", &["twiceproof-core", "twiceproof-sim", "twiceproof-web"]),
];

/// A foreign crate that only some of ours may name. A last `*` stands for any ending.
const ONLY_KNOWN_BY: [(&str, &[&str]); 7] = [
    ("wasm-bindgen*", &["twiceproof-wasm", "twiceproof-cel", "twiceproof-web"]),
    ("js-sys", &["twiceproof-wasm", "twiceproof-web"]),
    ("web-sys", &["twiceproof-web"]),
    ("serde-wasm-bindgen", &["twiceproof-wasm"]),
    ("yew*", &["twiceproof-web"]),
    ("gloo*", &["twiceproof-web"]),
    ("cel*", &["twiceproof-cel"]),
];

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--no-deps", "--locked"]).current_dir(&workspace.root);
    let metadata: Value =
        serde_json::from_str(&output(&mut command)?).context("`cargo metadata` printed something else than JSON")?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut complaints = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package without a name")?;
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let known = dependency["name"].as_str().context("a dependency without a name")?;
            complaints.extend(complain(name, known, ours.contains(&known)));
        }
        if !MAY_KNOW.iter().any(|(listed, _)| *listed == name) {
            complaints.push(format!("{name} is not in the table of crates"));
        }
    }
    none(&complaints, "edges that the design does not have")
}

/// What is wrong with `name` depending on `known`.
fn complain(name: &str, known: &str, known_is_ours: bool) -> Option<String> {
    if known_is_ours {
        let allowed =
            MAY_KNOW.iter().find(|(listed, _)| *listed == name).is_some_and(|(_, allowed)| allowed.contains(&known));
        return (!allowed).then(|| format!("{name} must not know {known}"));
    }
    let (_, owners) = ONLY_KNOWN_BY.iter().find(|(pattern, _)| fits(pattern, known))?;
    (!owners.contains(&name)).then(|| format!("{name} must not know {known}"))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name == start || name.starts_with(&format!("{start}-")),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_the_design_does_not_have() {
        assert!(complain("twiceproof-core", "twiceproof-sim", true).is_some());
        assert!(complain("twiceproof-web", "twiceproof-wasm", true).is_some());
        assert!(complain("twiceproof-sim", "twiceproof-core", true).is_none());
        assert!(complain("twiceproof-core", "js-sys", false).is_some());
        assert!(complain("twiceproof-wasm", "yew", false).is_some());
        assert!(complain("twiceproof-web", "wasm-bindgen-futures", false).is_none());
        assert!(complain("twiceproof-core", "serde", false).is_none());
        assert!(complain("twiceproof-web", "cel", false).is_some());
        assert!(complain("twiceproof-web", "twiceproof-cel", true).is_some());
    }
}
