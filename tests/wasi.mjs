// Runs a test binary that was compiled for wasm32-wasip1, as `cargo test` would run a native one. Rust's harness
// needs arguments, a terminal, and files: golden files are read by their absolute paths, and proptest keeps the seeds
// of failures.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [binary, ...words] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [binary, ...words],
  env: process.env,
  preopens: { "/": "/" },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(binary));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
try {
  process.exitCode = wasi.start(instance);
} catch (trap) {
  // A panic aborts on this target: the harness cannot report the test, and the tests after it do not run.
  console.log("test result: FAILED. 0 passed; 1 failed; 0 ignored; the module trapped");
  console.error(trap);
  process.exitCode = 101;
}
