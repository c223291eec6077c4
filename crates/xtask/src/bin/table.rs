//! The article's table as a program: `cargo xtask table` builds and runs it.

#[path = "../table_options.rs"]
mod table_options;

use clap::Parser;
use std::io::{IsTerminal, Write, stderr};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use table_options::{Engine, Options};
use twiceproof_sim::table::{self, TableParams, event, format, reference};

/// Work shorter than this shows no progress.
const QUIET: Duration = Duration::from_millis(500);

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let options = Cli::parse().options;
    let params = params(&options);
    let strategies = table::article_strategies();
    let compute = match options.engine {
        Engine::Event => event::run,
        Engine::Reference => reference::run,
        Engine::Kernel => table::run,
    };
    let start = Instant::now();
    let mut shown = Shown::new(start);
    let result = compute(&params, &strategies, &mut |done, total| shown.progress(done, total));
    let elapsed = start.elapsed();
    shown.clear();
    match result {
        Ok(table) if options.json => println!("{}", format::json(&table, elapsed.as_secs_f64() * 1000.0)),
        Ok(table) => print!("{}", format::text(&table)),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn params(options: &Options) -> TableParams {
    let article = TableParams::default();
    TableParams {
        jobs: options.jobs.unwrap_or(article.jobs),
        fail: options.fail.unwrap_or(article.fail),
        lost: options.lost.unwrap_or(article.lost),
        attempts: options.attempts.unwrap_or(article.attempts),
        seed: options.seed.unwrap_or(article.seed),
        ..article
    }
}

/// The progress on a terminal: one line that is written over, and gone at the end.
struct Shown {
    next: Instant,
    any: bool,
}

impl Shown {
    fn new(start: Instant) -> Self {
        Self { next: start + QUIET, any: false }
    }

    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        let now = Instant::now();
        if now >= self.next && stderr().is_terminal() {
            self.next = now + QUIET / 5;
            self.any = true;
            let percent = u128::from(done) * 100 / u128::from(total.max(1));
            let filled = percent as usize / 4;
            eprint!("\r[{}{}] {percent:>3} %", "#".repeat(filled), ".".repeat(25 - filled));
            stderr().flush().ok();
        }
        ControlFlow::Continue(())
    }

    fn clear(&self) {
        if self.any {
            eprint!("\r{}\r", " ".repeat(40));
        }
    }
}
