// Runtimes other than Node, where npm has a binary for this platform.

import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { CHECKED, consumer, optional, runs, TESTS } from "./consumer.mjs";

const MAIN = 'import { check } from "./check.js"; console.log(await check());\n';
const deno = optional("@deno/linux-x64-glibc/deno");
const bun = optional("@oven/bun-linux-x64/bin/bun");

const REENTRANT = `
import { IdempotencyStore } from "twiceproof";
const store = new IdempotencyStore(1000);
const inner = async () => { await null; return store.once("k", () => 1); };
await store.once("k", inner).catch((error) => console.log(error.name));
console.log(await store.once("a", async () => { await null; return store.once("b", () => 2); }));
`;

for (const [name, program, args] of [["Deno", deno, ["run", "--no-remote", "--node-modules-dir=manual"]], ["Bun", bun, ["run", "--no-install"]]]) {
  test(`a-t2 ${name}: work that waits for itself after an await is found`, { skip: program === undefined && "no binary for this platform" }, async (context) => {
    const folder = await consumer(context, { "main.js": REENTRANT });
    const { stdout } = await runs(program, [...args, "main.js"], { cwd: folder, env: { ...process.env, DENO_DIR: join(folder, ".deno") } });
    assert.equal(stdout, "ReentrantKeyError\n2\n");
  });
}

test("Deno", { skip: deno === undefined && "no binary for this platform" }, async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  const { stdout } = await runs(deno, ["run", "--no-remote", "--node-modules-dir=manual", "main.js"], { cwd: folder, env: { ...process.env, DENO_DIR: join(folder, ".deno") } });
  assert.equal(stdout, `${CHECKED}\n`);
});

test("Bun", { skip: bun === undefined && "no binary for this platform" }, async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  const { stdout } = await runs(bun, ["run", "--no-install", "main.js"], { cwd: folder });
  assert.equal(stdout, `${CHECKED}\n`);
});

test("Vitest", async (context) => {
  const folder = await consumer(context, {
    "check.test.js": `
      import { expect, test, vi } from "vitest";
      import { withRetry } from "twiceproof";
      import { check } from "./check.js";
      test("works", async () => expect(await check()).toBe("${CHECKED}"));
      test("its waits follow the test's clock", async () => {
        vi.useFakeTimers();
        let calls = 0;
        const running = withRetry(async () => { if (++calls < 3) throw new Error("down"); return calls; }, { baseDelayMs: 60_000, maxDelayMs: 1e6, jitter: false })({});
        await vi.advanceTimersByTimeAsync(60_000);
        expect(calls).toBe(2);
        await vi.advanceTimersByTimeAsync(120_000);
        expect(await running).toBe(3);
        vi.useRealTimers();
      });
      test("a wait longer than a timer can be is not over at once", async () => {
        vi.useFakeTimers();
        let calls = 0;
        const DAY = 86_400_000;
        const running = withRetry(async () => { if (++calls < 2) throw new Error("down"); return calls; }, { baseDelayMs: 30 * DAY, maxDelayMs: 30 * DAY, jitter: false })({});
        await vi.advanceTimersByTimeAsync(30 * DAY - 1);
        expect(calls).toBe(1);
        await vi.advanceTimersByTimeAsync(1);
        expect(await running).toBe(2);
        vi.useRealTimers();
      });
    `,
  });
  const { symlink } = await import("node:fs/promises");
  await symlink(join(TESTS, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  const { stdout } = await runs(process.execPath, [join(TESTS, "node_modules/vitest/vitest.mjs"), "run", "--root", folder, "--reporter", "json"], { cwd: folder });
  const { numPassedTests, numFailedTests } = JSON.parse(stdout.slice(stdout.indexOf("{")));
  assert.deepEqual([numPassedTests, numFailedTests], [3, 0]);
});
