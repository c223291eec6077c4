// What a whole process shows: no unhandled rejection, no timer that keeps it alive, nothing printed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./scripts.mjs";

test("h26 no unhandled rejection: failing once, sharers, jobs, workflows, aborts", async (context) => {
  const { stdout, stderr, code } = await run(context, `
    import { IdempotencyStore, SimpleQueue, idempotentSteps, retryEachStep, withRetry, workflow } from "twiceproof";
    let unhandled = 0;
    process.on("unhandledRejection", () => unhandled++);
    const fail = async () => { throw new Error("down"); };
    const failLater = () => new Promise((_, reject) => setTimeout(() => reject(new Error("down")), 5));
    const store = new IdempotencyStore(1000);
    await store.once("k", fail).catch(() => {});
    await Promise.allSettled([1, 2, 3].map(() => store.once("k", failLater)));
    const controller = new AbortController();
    const aborted = store.once("k", failLater, { signal: controller.signal }).catch(() => {});
    const impatient = store.once("k", failLater, { onInFlight: { waitMs: 1 } }).catch(() => {});
    controller.abort();
    await Promise.all([aborted, impatient]);
    const retry = { maxAttempts: 3, baseDelayMs: 1 };
    const steps = [{ name: "a", run: async () => {} }, { name: "b", run: failLater }];
    const handlers = [fail, failLater, () => { throw 1; }, withRetry(fail, retry), workflow(steps), workflow(retryEachStep(steps, retry)),
      workflow(idempotentSteps(retryEachStep(steps, retry), store, () => "u")), workflow(retryEachStep(idempotentSteps(steps, store, () => "u"), retry))];
    for (const handler of handlers) {
      const queue = new SimpleQueue(handler, { concurrency: 3 });
      for (let job = 0; job < 3; job++) queue.add(job);
      await queue.onIdle();
      if (queue.failed.length !== 3) throw new Error("expected three failures");
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    console.log(unhandled);
  `);
  assert.deepEqual([stdout, stderr, code], ["0\n", "", 0]);
});

test("h41 a script that is done ends by itself within a second, and nothing is printed", async (context) => {
  const { stdout, stderr, code, ms } = await run(context, `
    import { IdempotencyStore, SimpleQueue } from "twiceproof";
    const store = new IdempotencyStore("24h");
    const queue = new SimpleQueue(() => {});
    await store.once("k", async () => 1);
  `);
  assert.deepEqual([stdout, stderr, code], ["", "", 0]);
  assert.ok(ms < 1000 * (process.env.CI ? 5 : 3), `${ms} ms`);
});

test("h41 pending work does keep it alive", async (context) => {
  const { stdout } = await run(context, `
    import { withRetry } from "twiceproof";
    let calls = 0;
    withRetry(async () => { if (++calls < 2) throw new Error("down"); console.log("done"); }, { baseDelayMs: 50, jitter: false })({});
  `);
  assert.equal(stdout, "done\n");
});

test("importing compiles nothing", async (context) => {
  const { stdout, code, stderr } = await run(context, `
    let compiled = 0;
    WebAssembly.Module = class extends WebAssembly.Module { constructor(bytes) { super(bytes); compiled++; } };
    const { IdempotencyStore } = await import("twiceproof");
    const before = compiled;
    new IdempotencyStore(1); new IdempotencyStore(1);
    console.log(before, compiled);
  `);
  assert.deepEqual([stdout, stderr, code], ["0 1\n", "", 0]);
});
