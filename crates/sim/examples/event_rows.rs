//! Times the rows of the table through the event engine, one by one, to profile them:
//! `cargo run --release -p twiceproof-sim --example event_rows [ROW] [JOBS]`.

use std::time::Instant;

use twiceproof_sim::table::{TableParams, article_strategies, event::EventRow};

fn main() {
    let wanted: Option<usize> = std::env::args().nth(1).and_then(|row| row.parse().ok());
    let jobs = std::env::args().nth(2).and_then(|jobs| jobs.parse().ok()).unwrap_or(200_000);
    let params = TableParams { jobs, ..TableParams::default() };
    for (index, strategy) in article_strategies().into_iter().enumerate() {
        if wanted.is_some_and(|wanted| wanted != index) {
            continue;
        }
        let start = Instant::now();
        let mut row = EventRow::new(&params, index, strategy);
        row.advance(u64::MAX);
        let row = row.finish();
        println!(
            "row {index}  {:7.1} ms  {:6.1} ns a call",
            start.elapsed().as_secs_f64() * 1e3,
            start.elapsed().as_secs_f64() * 1e9 / row.calls as f64
        );
    }
}
