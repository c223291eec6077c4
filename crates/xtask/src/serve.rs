//! A static file server for this machine only: right MIME types (wasm is compiled while it streams only under its
//! own), directory indexes, nothing cached. No compression, no ranges, no other method than GET and HEAD.

use anyhow::{Context, Result};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The port that is tried first; the next ones follow if it is taken.
const PORT_FIRST: u16 = 8080;
const PORTS_TRIED: u16 = 20;
/// A browser's request head is some 1 kB; this bounds what one connection can make us hold.
const HEAD_BYTES_MAX: u64 = 64 * 1024;
const READ_WAIT: Duration = Duration::from_secs(10);

/// Takes `port`, or without one the first that is free.
pub(crate) fn listen(port: Option<u16>) -> Result<TcpListener> {
    if let Some(port) = port {
        return TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| format!("port {port} cannot be used"));
    }
    let free = (PORT_FIRST..PORT_FIRST + PORTS_TRIED)
        .chain([0])
        .find_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
    free.context("no port of this machine can be listened on")
}

/// Answers requests with the files below `folder` until the process is ended.
pub(crate) fn serve(listener: &TcpListener, folder: &Path) {
    let folder: Arc<Path> = Arc::from(folder);
    for connection in listener.incoming() {
        let Ok(stream) = connection else { continue };
        let folder = Arc::clone(&folder);
        thread::spawn(move || answer(&stream, &folder));
    }
}

/// One request, one answer; a connection that breaks is the browser's business.
fn answer(stream: &TcpStream, folder: &Path) {
    stream.set_read_timeout(Some(READ_WAIT)).ok();
    let Some((method, address)) = request(stream) else {
        return;
    };
    let reply = match method.as_str() {
        "GET" | "HEAD" => find(folder, &address),
        _ => Reply::NotAllowed,
    };
    send(stream, &reply, method == "GET").ok();
}

/// The method and the address of a request; the headers are read and dropped.
fn request(stream: &TcpStream) -> Option<(String, String)> {
    let mut lines = BufReader::new(stream.take(HEAD_BYTES_MAX)).lines();
    let first = lines.next()?.ok()?;
    for line in lines {
        if line.ok()?.is_empty() {
            break;
        }
    }
    let mut words = first.split(' ');
    Some((words.next()?.to_owned(), words.next()?.to_owned()))
}

#[derive(Debug, PartialEq, Eq)]
enum Reply {
    File(PathBuf),
    /// A folder asked for without its last slash: relative links would point beside it.
    Moved(String),
    NotFound,
    NotAllowed,
}

/// What lies at `address` below `folder`.
fn find(folder: &Path, address: &str) -> Reply {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let Some(path) = decode(path) else {
        return Reply::NotFound;
    };
    let mut found = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return Reply::NotFound;
        }
        found.push(part);
    }
    if found.is_dir() {
        if !path.ends_with('/') {
            // Of the address's own last part, so that `//elsewhere` never becomes another host.
            let name = address.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            return Reply::Moved(format!("./{name}/"));
        }
        found.push("index.html");
    }
    if found.is_file() { Reply::File(found) } else { Reply::NotFound }
}

/// Undoes percent encoding; nothing if it is broken.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn send(mut stream: &TcpStream, reply: &Reply, with_body: bool) -> std::io::Result<()> {
    let (status, kind, place, body) = match reply {
        Reply::File(path) => match fs::read(path) {
            Ok(body) => ("200 OK", mime(path), None, body),
            Err(_) => {
                ("404 Not Found", "text/plain; charset=utf-8", None, b"This file was there and is gone.\n".to_vec())
            }
        },
        Reply::Moved(place) => ("301 Moved Permanently", "text/plain; charset=utf-8", Some(place), Vec::new()),
        Reply::NotFound => ("404 Not Found", "text/plain; charset=utf-8", None, b"There is no such file.\n".to_vec()),
        Reply::NotAllowed => {
            ("405 Method Not Allowed", "text/plain; charset=utf-8", None, b"Only GET and HEAD.\n".to_vec())
        }
    };
    let place = place.map(|place| format!("Location: {place}\r\n")).unwrap_or_default();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{place}Cache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if with_body {
        stream.write_all(&body)?;
    }
    stream.flush()
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn finds_files_and_ignores_queries() {
        assert_eq!(find(&here(), "/src/serve.rs?v=1"), Reply::File(here().join("src").join("serve.rs")));
        assert_eq!(find(&here(), "/src/%73erve.rs"), Reply::File(here().join("src").join("serve.rs")));
    }

    #[test]
    fn sends_folders_to_their_slash() {
        assert_eq!(find(&here(), "/src"), Reply::Moved("./src/".into()));
        assert_eq!(find(&here(), "//src"), Reply::Moved("./src/".into()));
    }

    #[test]
    fn never_leaves_the_folder() {
        for address in [
            "/../Cargo.toml",
            "/src/../../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "/src%5c..%5c",
            "/%",
            "/%zz",
            "/.hidden",
            "/C:/",
        ] {
            assert_eq!(find(&here(), address), Reply::NotFound, "{address}");
        }
    }

    #[test]
    fn names_wasm_as_wasm() {
        assert_eq!(mime(Path::new("a_bg.wasm")), "application/wasm");
        assert_eq!(mime(Path::new("a")), "application/octet-stream");
    }
}
