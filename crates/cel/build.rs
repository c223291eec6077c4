//! Bounds the module's memory, so that a hostile expression runs into its end instead of the machine's: 128 MiB, of which an
//! event of the largest size takes some ten.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--max-memory={}", 128 << 20);
    }
}
