// The package under test: unpacked from the tarball that would be published, not the sources it was made from.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of the unpacked package. */
export const folder = process.env.TWICEPROOF_PACKAGE ?? new URL("../../target/npm/package", import.meta.url).pathname;

/** What `import * from "twiceproof"` gives. */
export const twiceproof = await import(pathToFileURL(join(folder, "dist/index.js")).href);

/** A clock that a test moves. */
export function manualClock(start = 0) {
  const clock = () => clock.now;
  clock.now = start;
  return clock;
}

/** A promise and what settles it. */
export function gate() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** Lets every microtask that is due run. */
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}
