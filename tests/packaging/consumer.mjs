// Consumers of the package: empty folders into which the tarball is unpacked as npm would, programs in them, and tools
// and runtimes from tests/node_modules to run over them.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const TESTS = fileURLToPath(new URL("..", import.meta.url));
export const TARBALL = process.env.TWICEPROOF_TARBALL ?? join(TESTS, "../target/npm/twiceproof.tgz");
export const PACKAGE = process.env.TWICEPROOF_PACKAGE ?? join(TESTS, "../target/npm/package");

/** A tool of tests/package.json. */
export const tool = createRequire(join(TESTS, "package.json"));

const exec = promisify(execFile);

/** What every consumer runs: the small parts and the engine, with one line that says whether they work. */
export const CHECK = `
import { Engine, IdempotencyStore, SimpleQueue, idempotentSteps, retryEachStep, simulate, workflow } from "twiceproof";

export async function check() {
  const store = new IdempotencyStore("24h");
  let calls = 0;
  const steps = [{ name: "step", run: async () => { if (++calls === 1) throw new Error("once"); } }];
  const handler = workflow(retryEachStep(idempotentSteps(steps, store, (job) => job.data), { baseDelayMs: 1 }));
  const queue = new SimpleQueue(handler);
  queue.add("user_1");
  queue.add("user_1");
  await queue.onIdle();
  const engine = new Engine();
  const signUp = engine.workflow("sign-up", { retries: 1, baseDelayMs: 1 }, async (payload, context) => {
    await context.run("save", () => payload);
    if (context.attempt === 1) throw new Error("once");
  });
  const ids = await Promise.all([1, 2].map(() => signUp.enqueue({ id: 1 }, { id: "sign-up:1" })));
  engine.workflow("bill", { on: "order", idempotency: 'event.data.user + "-" + string(event.data.n)' }, () => {});
  for (const n of [1, 1, 2]) await engine.send({ name: "order", data: { user: "u1", n } });
  await engine.idle();
  const [row] = await simulate({ jobs: 1000 });
  return [calls, queue.failed.length, store.size, engine.run(ids[1]).status, row.calls, engine.runs({ workflow: "bill" }).length].join(" ");
}
`;
/** That line. */
export const CHECKED = "2 0 1 succeeded 10101 2";

/** An empty folder with the package in it and these files; gone when the test is over. */
export async function consumer(context, files = {}) {
  const folder = await mkdtemp(join(tmpdir(), "twiceproof-consumer-"));
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  await mkdir(join(folder, "node_modules/twiceproof"), { recursive: true });
  await exec("tar", ["-xzf", TARBALL, "--strip-components=1", "-C", join(folder, "node_modules/twiceproof")]);
  const all = { "package.json": '{ "name": "consumer", "private": true, "type": "module" }\n', "check.js": CHECK, ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Runs a program to its end: what it printed. Fails with all of it if it fails. */
export async function runs(program, args, options = {}) {
  try {
    const { stdout, stderr } = await exec(program, args, { maxBuffer: 1 << 26, timeout: 120_000, ...options });
    return { stdout, stderr };
  } catch (error) {
    throw new Error(`${program} ${args.join(" ")} failed: ${error.message}\n${error.stdout}\n${error.stderr}`);
  }
}

/** The path of a file in tests/node_modules, or nothing: the binaries of other runtimes exist for some platforms only. */
export function optional(path) {
  const found = join(TESTS, "node_modules", path);
  return existsSync(found) ? found : undefined;
}
