// Advice (SEMANTICS A24 to A27, B24, C36): the linter of keys, the smallest safe window, and warnings for whoever develops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./scripts.mjs";
import { twiceproof } from "./subject.mjs";

const { Engine, IdempotencyStore, lintKey, smallestSafeWindow, TestClock } = twiceproof;

const names = (findings) => findings.map(({ name }) => name);

test("a24 a26 b24 c36 lintKey finds what makes a key useless, and says what to do instead", () => {
  const cases = {
    "fulfill-order:ord_123": [],
    "vendor-payout:vendor_42:2026-09": [],
    "welcome:user_89:attempt-2": ["attempt-number"],
    "welcome:user_89:1703275661157": ["timestamp"],
    "welcome:3f2504e0-4f89-41d3-9a0c-0305e82c3301": ["uuid"],
    "welcome:ana@example.org": ["email-address"],
    "welcome:undefined": ["missing-value"],
    "welcome:a\0b": [],
    user_89: ["no-operation"],
  };
  for (const [key, expected] of Object.entries(cases)) assert.deepEqual(names(lintKey(key)), expected, key);
  assert.ok(lintKey("user_89")[0].advice.endsWith("."));
  for (const bad of [7, null, [], [7], undefined]) assert.throws(() => lintKey(bad), { option: "key" });
  assert.throws(() => lintKey("a", ":"), { option: "separator" });
});

test("a-t1 parts that hold the separator", () => {
  assert.deepEqual(names(lintKey(["welcome", "user:89"])), ["ambiguous-join"]);
  assert.deepEqual(names(lintKey(["welcome", "user:89"], "/")), []);
  assert.deepEqual(names(lintKey(["welcome", "user_89"])), []);
});

test("a27 the smallest safe window: all calls and waits at their longest, and a millisecond", () => {
  const retry = { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 30_000, jitter: false };
  const options = { retry, callMax: "1s", hearsRetryAfter: false };
  assert.equal(smallestSafeWindow(options), 3 * 1_000 + 100 + 200 + 1);
  assert.equal(smallestSafeWindow({ ...options, queueMax: 60_000 }), 3_301 + 60_000);
  assert.equal(smallestSafeWindow({ ...options, hearsRetryAfter: true }), 3_000 + 2 * 3_600_000 + 1);
  assert.equal(smallestSafeWindow({ ...options, steps: { maxAttempts: 2, baseDelayMs: 10, jitter: false } }), 3 * (2 * 1_000 + 10) + 300 + 1);
  assert.equal(smallestSafeWindow({ retry: { retries: Infinity } }), Infinity);
  assert.throws(() => smallestSafeWindow({ callMax: -1 }), { option: "callMax" });
  assert.throws(() => smallestSafeWindow({ retry: { factor: 0 } }), { option: "factor" });
});

test("a27 a window shorter than the retries is warned of, at exactly one millisecond less", () => {
  const warnings = [];
  const engine = new Engine({ clock: new TestClock(), onWarning: (warning) => warnings.push(warning) });
  const options = (window) => ({ on: "e", retries: 1, baseDelayMs: 1_000, jitter: false, idempotency: { key: () => "k", window } });
  engine.workflow("long enough", options(1_001), () => {});
  engine.workflow("ever", options("forever"), () => {});
  assert.deepEqual(warnings, []);
  engine.workflow("short", options(1_000), () => {});
  engine.workflow("endless", { ...options("24h"), retries: Infinity }, () => {});
  assert.equal(warnings.length, 2);
  assert.match(warnings[0], /^workflow "short": idempotency\.window is 1000 ms, and its retries alone can take 1000 ms/);
});

test("suspicious keys are warned of once for each pattern, of the first hundred", async () => {
  const warnings = [];
  const onWarning = (warning) => void warnings.push(warning);
  const engine = new Engine({ clock: new TestClock(), onWarning });
  const flow = engine.workflow("w", () => {});
  for (let n = 0; n < 3; n++) await flow.enqueue(n, { id: `welcome:user_${n}:attempt-${n}` });
  await flow.enqueue(1, { id: "welcome:undefined" });
  await engine.send({ name: "e", id: "mail:ana@example.org" });
  const store = new IdempotencyStore({ ttlMs: 1_000, onWarning });
  await store.once("welcome:user_1:1703275661157", () => 1);
  assert.deepEqual(warnings.map((warning) => /\((.*)\)$/.exec(warning)[1]), ["attempt-number", "missing-value", "email-address", "timestamp"]);
  assert.match(warnings[0], /^run IDs of "w" like "welcome:user_#:attempt-#"/);
  for (let n = 0; n < 200; n++) await flow.enqueue(n, { id: `welcome:${"x".repeat(n + 1)}` });
  await flow.enqueue(1, { id: "late:null" });
  assert.equal(warnings.length, 4);
  assert.throws(() => new Engine({ onWarning: 7 }), { option: "onWarning" });
});

test("they go to process.emitWarning, and not in production or where they are switched off", async (context) => {
  const program = (options) => `
    import { Engine, IdempotencyStore } from "twiceproof";
    const engine = new Engine(${options});
    const flow = engine.workflow("w", () => {});
    for (const id of ["welcome:null", "welcome:null"]) await flow.enqueue(1, { id });
    await engine.idle();`;
  const loud = await run(context, program(""));
  assert.match(loud.stderr, /\[TWICEPROOF_ADVICE\] TwiceproofWarning: run IDs of "w" like "welcome:null": .* \(missing-value\)/);
  assert.equal(loud.stderr.match(/TwiceproofWarning/g).length, 1);
  assert.equal((await run(context, program("{ onWarning: false }"))).stderr, "");
  assert.equal((await run(context, `process.env.NODE_ENV = "production"; ${program("").replace(/import.*;/, "")}`.replace("", 'import { Engine } from "twiceproof";'))).stderr, "");
});
