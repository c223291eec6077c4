//! Running other programs, with errors that name the command and what it was for.

use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, iter};

/// The cargo that runs this chore, or the one on PATH.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Has what a build makes name no folder of this machine: panics carry the places of their source.
pub(crate) fn without_own_paths(command: &mut Command, root: &Path) {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let named = [
        (home.map(|home| home.join("registry/src")), "crates"),
        (Some(root.to_owned()), "twiceproof"),
        (standard_library(), "rust"),
    ];
    let flags = named.into_iter().filter_map(|(folder, name)| {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(folder?);
        flag.push(format!("={name}"));
        Some(flag)
    });
    // Parted by a character that is in no path, as a space may be.
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.collect::<Vec<_>>().join(OsStr::new("\u{1f}")));
}

/// Where the sources of the standard library are if `rust-src` is installed, as editors have it: the compiler then writes
/// their places on this machine and not those on the one that it was built on.
fn standard_library() -> Option<PathBuf> {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = output(Command::new(compiler).args(["--print", "sysroot"])).ok()?;
    Some(Path::new(sysroot.trim()).join("lib/rustlib/src/rust"))
}

/// Says what begins now. Progress goes to the error stream: the output stream is for results.
pub(crate) fn step(what: &str) {
    eprintln!("==> {what}");
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs to the end with the terminal's streams; any other end than success is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("`{}` could not be started", shown(command)))?;
    succeed(command, status)
}

/// Runs to the end and returns what it printed; its error stream goes to the terminal.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("`{}` could not be started", shown(command)))?;
    succeed(command, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed something that is no UTF-8", shown(command)))
}

/// Runs to the end, passing every line it prints to `line` as well as to the terminal.
pub(crate) fn watch(command: &mut Command, mut line: impl FnMut(&str)) -> Result<ExitStatus> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{}` could not be started", shown(command)))?;
    let stdout = child.stdout.take().context("a piped output stream is missing")?;
    for text in BufReader::new(stdout).split(b'\n') {
        let text = text.with_context(|| format!("the output of `{}` cannot be read", shown(command)))?;
        let text = String::from_utf8_lossy(&text);
        println!("{text}");
        line(&text);
    }
    Ok(child.wait()?)
}

/// The first program called `name` on PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let file = executable(name);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// `name` with the ending that programs have here.
pub(crate) fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// PATH with `folders` before everything else.
pub(crate) fn path_with(folders: &[PathBuf]) -> Result<OsString> {
    let rest = env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(env::split_paths(&rest));
    env::join_paths(all).context("a folder's name cannot stand in PATH")
}

/// What `program --version` prints, or nothing if it cannot be run.
pub(crate) fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn succeed(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{}` ended with {status}", shown(command));
    }
    Ok(())
}
