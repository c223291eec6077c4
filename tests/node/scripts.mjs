// Runs small programs against the package, each in a process of its own, as a user would.

import { spawn } from "node:child_process";
import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folder } from "./subject.mjs";

const { transform } = createRequire(new URL("../package.json", import.meta.url))("esbuild");

/** A folder with the package installed, gone when the test is over. */
export async function project(context) {
  const made = await mkdtemp(join(tmpdir(), "twiceproof-"));
  context.after(() => rm(made, { recursive: true, force: true }));
  await mkdir(join(made, "node_modules"));
  await symlink(folder, join(made, "node_modules/twiceproof"));
  return made;
}

/** Runs a program, TypeScript or not, and returns what it printed and how it ended. */
export async function run(context, source, args = []) {
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "es2022" });
  const made = await project(context);
  await writeFile(join(made, "program.mjs"), code);
  return node([join(made, "program.mjs"), ...args], { cwd: made });
}

/** Runs Node to its end. */
export function node(args, options = {}) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const texts = { stdout: "", stderr: "" };
    for (const name of Object.keys(texts)) child[name].setEncoding("utf8").on("data", (text) => (texts[name] += text));
    child.on("error", reject).on("close", (code) => resolve({ ...texts, code, ms: performance.now() - start }));
  });
}
