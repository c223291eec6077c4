//! The core is pure: built for wasm32, with every function of it kept, it imports nothing. A clock, a random source,
//! a log or a call into JavaScript would be an import.

use crate::checks::ending;
use crate::process::{cargo, output, run};
use crate::tools::{self, WASM};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    tools::target_ready(WASM)?;
    let module = link_whole_core(workspace, &compile(workspace)?)?;
    let imports = imports(&fs::read(&module)?).with_context(|| format!("{} cannot be understood", module.display()))?;
    if !imports.is_empty() {
        bail!("twiceproof-core needs from outside, where it may need nothing: {}", imports.join(", "));
    }
    Ok(())
}

/// The core and what it depends on, compiled for wasm32.
struct Libraries {
    core: PathBuf,
    below: Vec<PathBuf>,
}

fn compile(workspace: &Workspace) -> Result<Libraries> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--locked", "-p", "twiceproof-core", "--lib", "--target", WASM]);
    let messages = output(command.args(["--message-format", "json-render-diagnostics"]).current_dir(&workspace.root))?;
    let mut core = None;
    let mut below = Vec::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let names = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from);
        // Procedural macros and build scripts are compiled too, but for this machine.
        let for_wasm =
            |path: &PathBuf| ending(path) == "rlib" && path.components().any(|part| part.as_os_str() == WASM);
        match names.into_iter().find(for_wasm) {
            Some(library) if message["target"]["name"] == "twiceproof_core" => core = Some(library),
            Some(library) => below.push(library),
            None => {}
        }
    }
    Ok(Libraries { core: core.context("cargo built no library of twiceproof-core")?, below })
}

/// Links all of the core into a module, not only what something uses: it has no entry point of its own. What it
/// depends on is linked as far as the core uses it. The standard library comes along for its allocator and panic
/// handler; on this target it imports nothing.
fn link_whole_core(workspace: &Workspace, libraries: &Libraries) -> Result<PathBuf> {
    let folder = workspace.target.join("purity");
    fs::create_dir_all(&folder)?;
    let source = folder.join("whole_core.rs");
    fs::write(&source, "//! Nothing of its own: the linker is told what to put in.\n")?;
    let module = folder.join("whole_core.wasm");
    let mut command = Command::new("rustc");
    command.args(["--edition", "2024", "--crate-type", "cdylib", "--target", WASM]);
    let flag = |text: &str| OsString::from(text);
    let whole =
        [flag("--no-gc-sections"), flag("--whole-archive"), libraries.core.clone().into(), flag("--no-whole-archive")];
    for word in whole.into_iter().chain(libraries.below.iter().map(OsString::from)) {
        let mut argument = flag("link-arg=");
        argument.push(word);
        command.arg("-C").arg(argument);
    }
    run(command.arg("-o").arg(&module).arg(&source))?;
    Ok(module)
}

/// `module.name` of everything that a wasm binary imports.
fn imports(binary: &[u8]) -> Result<Vec<String>> {
    const IMPORT_SECTION: u8 = 2;
    let mut rest = binary.strip_prefix(b"\0asm\x01\0\0\0").context("no wasm binary of version 1")?;
    while !rest.is_empty() {
        let id = byte(&mut rest)?;
        let size = number(&mut rest)?;
        let mut section = take(&mut rest, size)?;
        if id == IMPORT_SECTION {
            let count = number(&mut section)?;
            // The kinds of import differ in length; the first name of several says enough.
            return if count == 0 { Ok(Vec::new()) } else { Ok(vec![first_of(count, &mut section)?]) };
        }
    }
    Ok(Vec::new())
}

fn first_of(count: usize, section: &mut &[u8]) -> Result<String> {
    let module = name(section)?;
    let field = name(section)?;
    let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
    Ok(format!("{module}.{field}{more}"))
}

fn name(rest: &mut &[u8]) -> Result<String> {
    let length = number(rest)?;
    Ok(String::from_utf8(take(rest, length)?.to_vec())?)
}

fn byte(rest: &mut &[u8]) -> Result<u8> {
    Ok(take(rest, 1)?[0])
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length).context("it ends too early")?;
    *rest = left;
    Ok(taken)
}

/// An unsigned LEB128 number.
fn number(rest: &mut &[u8]) -> Result<usize> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let next = byte(rest)?;
        value |= usize::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return Ok(value);
        }
    }
    bail!("a number of more than 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_import_section() {
        let empty = b"\0asm\x01\0\0\0";
        assert_eq!(imports(empty).unwrap(), Vec::<String>::new());
        // A type section with one function type, then an import of `env.now` of that type.
        let binary = [&empty[..], b"\x01\x04\x01\x60\0\0", b"\x02\x0b\x01\x03env\x03now\0\0"].concat();
        assert_eq!(imports(&binary).unwrap(), ["env.now"]);
        assert!(imports(&binary[..binary.len() - 3]).is_err());
        assert!(imports(b"no wasm").is_err());
    }
}
