//! What a test run says at its end: a line for every part, and the counts of single tests.

use std::fmt;
use std::time::Duration;

/// Counts of single tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    pub(crate) const PASSED: Self = Self { passed: 1, failed: 0, skipped: 0 };
    pub(crate) const FAILED: Self = Self { passed: 0, failed: 1, skipped: 0 };
    pub(crate) const SKIPPED: Self = Self { passed: 0, failed: 0, skipped: 1 };

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The closing line: `N passed, N failed`, and `, N skipped` only if some were.
impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(out, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// One part that has run.
pub(crate) struct Done {
    pub(crate) name: &'static str,
    pub(crate) tally: Tally,
    pub(crate) took: Duration,
    /// Why it failed or was skipped, where its own output does not say.
    pub(crate) note: Option<String>,
}

impl Done {
    fn verdict(&self) -> &'static str {
        match self.tally {
            Tally { failed: 1.., .. } => "FAILED",
            Tally { passed: 0, .. } => "skipped",
            _ => "ok",
        }
    }
}

impl fmt::Display for Done {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<9} {:<8} {:>6.1} s  {}", self.name, self.verdict(), self.took.as_secs_f64(), self.tally)?;
        match &self.note {
            Some(note) => write!(out, "\n          {}", note.trim().replace('\n', "\n          ")),
            None => Ok(()),
        }
    }
}

/// The whole run; the counts stand alone on the last line.
pub(crate) fn print(parts: &[Done]) -> Tally {
    let mut all = Tally::default();
    println!();
    for part in parts {
        println!("{part}");
        all.add(part.tally);
    }
    println!("\n{all}");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_with_the_counts() {
        let mut all = Tally { passed: 7, ..Tally::default() };
        assert_eq!(all.to_string(), "7 passed, 0 failed");
        all.add(Tally::FAILED);
        all.add(Tally::SKIPPED);
        assert_eq!(all.to_string(), "7 passed, 1 failed, 1 skipped");
    }
}
