//! The journal as text: JSON lines, a header with the version first. The same journal gives the same bytes on every
//! platform: field order is the declaration's, numbers are integers, nothing depends on a locale or a map's order.

use alloc::{format, string::String, vec::Vec};

use super::{Entry, read};
use crate::{
    engine::State,
    fields::{self, Fields},
};

/// The version this code writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// A journal that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its entries.
    pub entries: Vec<Entry>,
    /// The last line was cut off, and left out.
    pub torn: Option<TornTail>,
}

/// The last line was cut off in the middle, as happens when a process dies while writing: everything before it holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is cut off after {bytes} bytes; the {kept} entries before it were loaded")]
pub struct TornTail {
    /// Its number, from 1.
    pub line: usize,
    /// How much of it there is.
    pub bytes: usize,
    /// How many entries were kept.
    pub kept: usize,
}

/// A text that is no journal, or a damaged one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// There is no header.
    #[error(
        "this is not a Twiceproof journal: the first line needs {{\"twiceproof\":\"journal\",\"version\":{VERSION}}}, got {got}"
    )]
    NotAJournal {
        /// The beginning of the first line.
        got: String,
    },
    /// Its writer kept the last entries only, so that nothing tells how all began.
    #[error(
        "the first {dropped} entries of this journal were dropped by its writer, and a replay needs all of them: write each entry to a file as it happens, or keep them all"
    )]
    Cut {
        /// How many are missing.
        dropped: u64,
    },
    /// There is a header and nothing after it.
    #[error("this journal has no entries")]
    Empty,
    /// It was written by a later version.
    #[error("this journal is of version {version}, and this program reads versions up to {VERSION}")]
    UnknownVersion {
        /// Its version.
        version: u32,
    },
    /// A line in its middle is damaged.
    #[error("line {line} of the journal is damaged: {what}")]
    Damaged {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// An event that the state before it does not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Damage(pub &'static str);

/// Writes entries as text.
pub fn to_json_lines(entries: &[Entry]) -> String {
    let mut text = header(0);
    entries.iter().for_each(|entry| write_entry(&mut text, entry));
    text
}

/// The first line of a journal that begins with the entry after the first `dropped`. Only a whole one can be read again.
pub fn header(dropped: u64) -> String {
    if dropped == 0 {
        format!("{{\"twiceproof\":\"journal\",\"version\":{VERSION}}}\n")
    } else {
        format!("{{\"twiceproof\":\"journal\",\"version\":{VERSION},\"dropped\":{dropped}}}\n")
    }
}

/// Writes the line of an entry.
pub fn write_entry(text: &mut String, entry: &Entry) {
    // Integers, texts and plain enums: there is nothing that could fail.
    text.push_str(&serde_json::to_string(entry).expect("an entry is always JSON"));
    text.push('\n');
}

/// Reads a text, and checks every entry against the state that the entries before it make.
pub fn from_json_lines(bytes: &[u8]) -> Result<Loaded, JournalError> {
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate();
    check_header(lines.next().map_or(&[][..], |(_, line)| line))?;
    let (mut entries, mut state) = (Vec::new(), State::default());
    for (index, line) in lines {
        let (line_number, complete) = (index + 1, line.ends_with(b"\n"));
        if line.trim_ascii().is_empty() {
            continue;
        }
        match fields::value(line).and_then(|value| read::entry(&value)) {
            Ok(entry) => {
                let damaged = |what| JournalError::Damaged { line: line_number, what };
                if entry.seq != entries.len() as u64 {
                    return Err(damaged(format!("its seq needs to be {}, got {}", entries.len(), entry.seq)));
                }
                state.accepts(entry.at, &entry.event).map_err(|damage| damaged(format!("{damage}")))?;
                state.apply(entry.at, &entry.event);
                entries.push(entry);
            }
            // Only the very last line can be torn, and a torn one has no end.
            Err(_) if !complete => {
                if entries.is_empty() {
                    return Err(JournalError::Empty);
                }
                let torn = TornTail { line: line_number, bytes: line.len(), kept: entries.len() };
                return Ok(Loaded { entries, torn: Some(torn) });
            }
            Err(what) => return Err(JournalError::Damaged { line: line_number, what }),
        }
    }
    if entries.is_empty() { Err(JournalError::Empty) } else { Ok(Loaded { entries, torn: None }) }
}

fn check_header(line: &[u8]) -> Result<(), JournalError> {
    let header = fields::value(line).and_then(|value| {
        let fields = Fields::of(&value, "header")?;
        Ok((fields.text("twiceproof")?, fields.index("version")?, fields.maybe_number("dropped")?.unwrap_or(0)))
    });
    match header {
        Ok((what, version, dropped)) if &*what == "journal" => {
            if version == 0 || version > VERSION {
                Err(JournalError::UnknownVersion { version })
            } else if dropped > 0 {
                Err(JournalError::Cut { dropped })
            } else {
                Ok(())
            }
        }
        _ => {
            let shown: String = String::from_utf8_lossy(line).trim_end().chars().take(60).collect();
            Err(JournalError::NotAJournal { got: if shown.is_empty() { "nothing".into() } else { shown } })
        }
    }
}
