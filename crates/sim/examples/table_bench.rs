//! Times the article's table: `cargo run --release -p twiceproof-sim --example table_bench`.
//!
//! As wasm, with the optimisation that is shipped:
//!
//! ```text
//! cargo build --profile wasm-release --target wasm32-wasip1 -p twiceproof-sim --example table_bench
//! node --no-warnings tests/wasi.mjs target/wasm32-wasip1/wasm-release/examples/table_bench.wasm
//! ```

use std::time::Instant;

use twiceproof_sim::table::{TableParams, bench};

fn main() {
    let start = Instant::now();
    let now_ms = || start.elapsed().as_secs_f64() * 1e3;
    let params = TableParams::default();
    let kernel = bench::kernel(&params, 51, &now_ms).expect("the article's parameters are valid");
    let reference = bench::reference(&params, 3, &now_ms).expect("the article's parameters are valid");
    for timing in kernel.iter().chain([&reference]) {
        println!("{:>16}  median {:8.2} ms  least {:8.2} ms", timing.name, timing.median_ms, timing.least_ms);
    }
}
