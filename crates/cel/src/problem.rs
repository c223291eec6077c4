//! Why an expression cannot be used, and where in it.

use std::fmt;

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Nothing but white space.
    Empty,
    /// More than [`SOURCE_BYTES_MAX`](crate::SOURCE_BYTES_MAX).
    TooLong,
    /// More than [`NESTING_MAX`](crate::NESTING_MAX).
    TooDeep,
    /// No CEL.
    Syntax,
    /// A variable other than `event`.
    UnknownName,
    /// A function that there is not, here.
    UnknownFunction,
}

impl Code {
    /// Its name in JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too-long",
            Self::TooDeep => "too-deep",
            Self::Syntax => "syntax",
            Self::UnknownName => "unknown-name",
            Self::UnknownFunction => "unknown-function",
        }
    }
}

/// Why an expression cannot be used. Shown, it is a sentence, the line in question and a mark below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is.
    pub code: Code,
    /// What is wrong, without where.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The place in the whole expression, from 0, in UTF-16 units: an index of a JavaScript string.
    pub offset: u32,
    /// The line in question, cut to what a terminal shows, and a mark below the place.
    pub excerpt: String,
}

/// Characters of an excerpt on either side of its place.
const EXCERPT_REACH: usize = 36;

impl Problem {
    /// A problem at a byte of the source. A place past the end, or inside a character, is moved to where it makes sense.
    pub(crate) fn at_byte(code: Code, message: String, source: &str, byte: usize) -> Self {
        let mut byte = byte.min(source.len());
        while !source.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &source[..byte];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = source[line_start..byte].chars().count() + 1;
        Self {
            code,
            message,
            line: line as u32,
            column: column as u32,
            offset: before.encode_utf16().count() as u32,
            excerpt: excerpt(source[line_start..].lines().next().unwrap_or_default(), column - 1),
        }
    }

    /// A problem at a line and column as the parser counts them: characters, both from 1. Zeros stand for nowhere, taken to
    /// be the end: that is where a parser is that has no place to name.
    pub(crate) fn at_place(code: Code, message: String, source: &str, line: usize, column: usize) -> Self {
        let mut start = 0;
        for (index, text) in source.split_inclusive('\n').enumerate() {
            if index + 1 == line {
                let byte = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
                return Self::at_byte(code, message, source, start + byte);
            }
            start += text.len();
        }
        Self::at_byte(code, message, source, source.len())
    }
}

fn excerpt(line: &str, at: usize) -> String {
    let from = at.saturating_sub(EXCERPT_REACH);
    let shown: String =
        line.chars().skip(from).take(2 * EXCERPT_REACH).map(|it| if it == '\t' { ' ' } else { it }).collect();
    format!("{shown}\n{}^", " ".repeat(at - from))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {}, column {})\n{}", self.message, self.line, self.column, self.excerpt)
    }
}

impl std::error::Error for Problem {}
