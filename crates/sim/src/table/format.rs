//! A table as text: what the article's program prints, JSON, Markdown, CSV.
//!
//! Deliberately not here: colours and widths of terminals, and how long a table took, which is the caller's to measure.

use core::fmt::Write;

use serde::Serialize;

use super::{Row, Table};

const HEADINGS: [&str; 6] = ["strategy", "succeeded", "failed", "callsPerJob", "repeatedSteps", "twoEmails"];

/// What the article's program prints, line for line: a sentence about the parameters, then the table as Node 22 draws it.
pub fn text(table: &Table) -> String {
    let index = (0..table.rows.len()).map(|index| index.to_string());
    let cells = table.rows.iter().map(|row| {
        let [strategy, succeeded, rest @ ..] = cells(row);
        [&[format!("'{strategy}'"), format!("'{succeeded}'")], &rest[..]].concat()
    });
    let mut lines: Vec<Vec<String>> =
        vec![["(index)"].iter().chain(&HEADINGS).map(|heading| (*heading).to_owned()).collect()];
    lines.extend(index.zip(cells).map(|(index, cells)| [vec![index], cells].concat()));
    format!("{}\n{}", sentence(table), boxed(&lines))
}

/// The parameters in the article's words.
pub fn sentence(table: &Table) -> String {
    let params = &table.params;
    format!(
        "{} signups, {} steps, each call fails {}% of the time, the email reply is lost {}% of the time",
        grouped(params.jobs),
        params.steps,
        percent(params.fail),
        percent(params.lost),
    )
}

/// The table as JSON: `{ "rows": [{ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails, calls, draws }],
/// "elapsedMs" }`. `callsPerJob` is null if there were no sign-ups.
pub fn json(table: &Table, elapsed_ms: f64) -> String {
    let rows = table.rows.iter().map(JsonRow::from).collect();
    serde_json::to_string_pretty(&JsonTable { rows, elapsed_ms }).expect("strings and numbers always serialise")
}

/// The table as Markdown, with the article's headings.
pub fn markdown(table: &Table) -> String {
    let mut out = String::from(
        "| Strategy | Succeeded | Failed jobs | Calls per job | Steps done again | Users with 2+ welcome emails |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for row in &table.rows {
        let [strategy, succeeded, _, calls_per_job, ..] = cells(row);
        let counts = [row.failed, row.repeated_steps, row.two_emails].map(grouped);
        let [failed, repeated, two_emails] = counts;
        let _ = writeln!(out, "| {strategy} | {succeeded} | {failed} | {calls_per_job} | {repeated} | {two_emails} |");
    }
    out
}

/// The table as CSV (RFC 4180), with the JSON's names as header.
pub fn csv(table: &Table) -> String {
    let mut out = format!("{},calls,draws\r\n", HEADINGS.join(","));
    for row in &table.rows {
        let [strategy, rest @ ..] = cells(row);
        let _ = write!(out, "\"{strategy}\",{},{},{}\r\n", rest.join(","), row.calls, row.draws);
    }
    out
}

/// A whole number with a comma at every thousand, as the article writes it.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonTable {
    rows: Vec<JsonRow>,
    elapsed_ms: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonRow {
    strategy: String,
    succeeded: String,
    failed: u64,
    calls_per_job: f64,
    repeated_steps: u64,
    two_emails: u64,
    calls: u64,
    draws: u64,
}

impl From<&Row> for JsonRow {
    fn from(row: &Row) -> Self {
        Self {
            strategy: row.strategy.name(),
            succeeded: row.succeeded_percent(),
            failed: row.failed,
            calls_per_job: row.calls_per_job(),
            repeated_steps: row.repeated_steps,
            two_emails: row.two_emails,
            calls: row.calls,
            draws: row.draws,
        }
    }
}

fn cells(row: &Row) -> [String; 6] {
    [
        row.strategy.name(),
        row.succeeded_percent(),
        row.failed.to_string(),
        row.calls_per_job().to_string(),
        row.repeated_steps.to_string(),
        row.two_emails.to_string(),
    ]
}

/// A probability in per cent, without the digits that only binary fractions have.
fn percent(probability: f64) -> String {
    let rounded: f64 =
        format!("{:.12e}", probability * 100.0).parse().expect("what was formatted as a number parses as one");
    rounded.to_string()
}

/// Lines of cells with a frame, the first line being the headings, as `console.table` draws them.
fn boxed(lines: &[Vec<String>]) -> String {
    let columns = lines[0].len();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let rule = |left: &str, middle: &str, right: &str| {
        let dashes: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        format!("{left}{}{right}\n", dashes.join(middle))
    };
    let mut out = rule("┌", "┬", "┐");
    for (index, line) in lines.iter().enumerate() {
        let padded: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} ")).collect();
        let _ = writeln!(out, "│{}│", padded.join("│"));
        if index == 0 {
            out += &rule("├", "┼", "┤");
        }
    }
    out + &rule("└", "┴", "┘")
}
