// Advice (SEMANTICS A24 to A27, B24, C36): the linter of keys, the smallest safe window, and warnings for whoever develops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./scripts.mjs";
import { settled, twiceproof } from "./subject.mjs";

const { Engine, IdempotencyStore, idempotentSteps, lintKey, retryEachStep, smallestSafeWindow, TestClock, withRetry, workflow } = twiceproof;

const names = (findings) => findings.map(({ name }) => name);
/** What warnings of keys found. */
const kinds = (warnings) => warnings.map((warning) => /\((.*)\)$/.exec(warning)[1]);

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
  const safe = smallestSafeWindow({ retry: { retries: 1, baseDelayMs: 1_000, jitter: false } });
  assert.match(warnings[0], /^workflow "short": idempotency\.window is 1000 ms, and the retries alone can take 1000 ms: a duplicate can start another run /);
  assert.ok(warnings[0].includes(` ${safe} ms would be safe`), warnings[0]);
  assert.match(warnings[1], /^workflow "endless": .* the retries have no end, so it needs to be for ever: /);
  engine.workflow("nothing", { ...options(0), retries: 0 }, () => {});
  engine.workflow("a moment", { ...options(1), retries: 0 }, () => {});
  assert.deepEqual(warnings.slice(2), ['workflow "nothing": idempotency.window is 0 ms, so that no key is ever in use: every event starts a run']);
});

test("a27 a store that forgets before the retries around it end is warned of once, however they are put together", async () => {
  const retry = { maxAttempts: 3, baseDelayMs: 100, jitter: false };
  const steps = ["a", "b"].map((name) => ({ name, run: () => 1 }));
  const keyed = (store, inner = steps) => idempotentSteps(inner, store, () => "k");
  const ways = {
    "each step retried": (store) => workflow(retryEachStep(keyed(store), retry)),
    "each step retried inside": (store) => workflow(keyed(store, retryEachStep(steps, retry))),
    "the whole job retried": (store) => withRetry(workflow(keyed(store)), retry),
  };
  for (const [way, made] of Object.entries(ways)) {
    const warnings = [];
    const store = (ttlMs) => new IdempotencyStore({ ttlMs, onWarning: (warning) => warnings.push(warning) });
    for (const ttlMs of [301, Infinity]) made(store(ttlMs));
    await null;
    assert.deepEqual(warnings, [], way);
    const short = store(300);
    for (let time = 0; time < 2; time++) made(short);
    await null;
    made(short);
    await null;
    assert.equal(warnings.length, 1, way);
    assert.match(warnings[0], /^ttlMs of a store is 300 ms, and the retries alone can take 300 ms: a step that has finished /);
    assert.ok(warnings[0].includes(` ${smallestSafeWindow({ retry: { ...retry, maxDelayMs: 30_000 } })} ms would be safe`), warnings[0]);
  }
  const warnings = [];
  const store = (ttlMs) => new IdempotencyStore({ ttlMs, onWarning: (warning) => warnings.push(warning) });
  const both = (ttlMs) => withRetry(workflow(keyed(store(ttlMs), retryEachStep(steps, retry))), retry);
  both(3 * 300 + 300 + 1);
  keyed(store(1));
  withRetry(workflow(keyed(store(1))), { maxAttempts: 1 });
  withRetry(() => 1, retry);
  await null;
  assert.deepEqual(warnings, []);
  both(3 * 300 + 300);
  await null;
  assert.equal(warnings.length, 1, "retries within retries add up");
  // Too short for either retry alone: one warning, with the time of both.
  const inner = keyed(store(100), retryEachStep(steps, retry));
  withRetry(workflow(retryEachStep(inner, retry)), retry);
  await null;
  assert.equal(warnings.length, 2);
  assert.match(warnings[1], /^ttlMs of a store is 100 ms, and the retries alone can take 1200 ms: /);
  withRetry(workflow(keyed(store("24h"))), { retries: Infinity });
  await null;
  assert.match(warnings[2], /^ttlMs of a store is 86400000 ms, and the retries have no end/);
});

test("a store that remembers nothing is warned of when it is made, and not again for its retries", async () => {
  const warnings = [];
  const made = (ttlMs) => new IdempotencyStore({ ttlMs, onWarning: (warning) => void warnings.push(warning) });
  made(1);
  made("1ms");
  assert.deepEqual(warnings, []);
  const steps = idempotentSteps([{ name: "a", run: () => 1 }], made(0), () => "k");
  withRetry(workflow(steps), { retries: 2 });
  await null;
  assert.deepEqual(warnings, ["ttlMs of a store is 0 ms, so that no key that has finished is remembered: only calls at the same time share a run"]);
  made("0s");
  assert.equal(warnings.length, 2);
  const store = made(0);
  let runs = 0;
  const work = async () => ++runs;
  assert.deepEqual(await Promise.all([store.once("send:1", work), store.once("send:1", work)]), [1, 1]);
  assert.equal(await store.once("send:1", work), 2);
  assert.throws(() => made(-1), { option: "ttlMs" });
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
  assert.deepEqual(kinds(warnings), ["attempt-number", "missing-value", "email-address", "timestamp"]);
  assert.match(warnings[0], /^run IDs of "w" like "welcome:user_#:attempt-#"/);
  for (let n = 0; n < 200; n++) await flow.enqueue(n, { id: `welcome:${"x".repeat(n + 1)}` });
  await flow.enqueue(1, { id: "late:null" });
  assert.equal(warnings.length, 4);
  assert.throws(() => new Engine({ onWarning: 7 }), { option: "onWarning" });
});

test("keys of steps are looked at like those of once, when they are first seen; the step is their operation", async () => {
  const warnings = [];
  const store = new IdempotencyStore({ ttlMs: 1_000, onWarning: (warning) => void warnings.push(warning) });
  const keys = ["user_1", "user_1:attempt-1", "user_1:attempt-2", "user_1:1703275661157", "ana@example.org", "undefined", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"];
  let at = 0;
  const steps = idempotentSteps([{ name: "a", run: () => 1 }, { name: "b", run: () => 1 }], store, () => keys[at]);
  const walk = workflow(steps);
  for (at = 0; at < keys.length; at++) {
    await walk({ id: at, attempt: 1, data: {} });
    await steps[0].run({ id: at, attempt: 1, data: {} });
  }
  assert.deepEqual(kinds(warnings), ["attempt-number", "timestamp", "email-address", "missing-value", "uuid"]);
  assert.match(warnings[0], /^keys of a store like "user_#:attempt-#"/);
  for (let n = 0; n < 200; n++) {
    keys[at] = `user_${"x".repeat(n + 1)}`;
    await walk({ id: 1, attempt: 1, data: {} });
  }
  keys[at] = "late:null";
  await walk({ id: 1, attempt: 1, data: {} });
  assert.equal(warnings.length, 5, "the first hundred are looked at");
});

test("a missing operation is warned of once for each source that can share keys; an event's ID is its sender's", async () => {
  const warnings = [];
  const onWarning = (warning) => void warnings.push(warning);
  const store = new IdempotencyStore({ ttlMs: 1_000, onWarning });
  for (const key of ["save the user:user_1001", "welcome-email:user_1001", "user_1001", "V1StGXR8_Z5jdHi6B"]) await store.once(key, () => 1);
  const engine = new Engine({ clock: new TestClock(), onWarning });
  for (const name of ["fulfil", "refund"]) {
    const flow = engine.workflow(name, () => {});
    for (const id of ["ord_1", "ord_2", "cart_1"]) await flow.enqueue(1, { id: `${id}${name === "fulfil" ? "" : "_back"}` });
    await flow.enqueue(1);
  }
  await engine.send({ name: "e", id: "evt_1" });
  assert.deepEqual(kinds(warnings), ["no-operation", "no-operation", "no-operation"]);
  assert.deepEqual(warnings.map((warning) => warning.slice(0, warning.indexOf(":"))), [
    'keys of a store like "user_#"', 'run IDs of "fulfil" like "ord_#"', 'run IDs of "refund" like "ord_#_back"',
  ]);
});

test("who takes warnings can fail, or use what warned, and nothing that is warned of becomes another", async () => {
  let store;
  const takers = {
    throws: () => { throw new Error("the taker broke"); },
    rejects: () => Promise.reject(new Error("the taker broke later")),
    strange: () => ({ get then() { throw new Error("no then"); } }),
    enters: () => void store?.once("welcome:undefined", () => "the taker's").catch(() => {}),
    others: () => void store?.once("other:user_1", () => "another's").catch(() => {}),
  };
  for (const [name, onWarning] of Object.entries(takers)) {
    store = new IdempotencyStore({ ttlMs: 1_000, onWarning });
    const own = name === "enters" ? "the taker's" : "mine";
    assert.equal(await store.once("welcome:undefined", () => "mine"), own, name);
    assert.equal(await store.once("welcome:undefined", () => "again"), own, name);
    assert.equal(await store.once("welcome:user_1:attempt-1", async () => "mine"), "mine", name);
    const ran = [];
    const [step] = idempotentSteps([{ name: "a", run: () => ran.push(name) }], store, () => "ana@example.org");
    await step.run({ id: 1, attempt: 1, data: {} });
    await step.run({ id: 2, attempt: 1, data: {} });
    assert.deepEqual(ran, [name]);

    const engine = new Engine({ clock: new TestClock(), onWarning });
    const flow = engine.workflow("w", { on: "e", retries: 1, idempotency: { key: () => "k", window: 0 } }, () => name);
    assert.equal(await flow.enqueue(1, { id: "welcome:undefined" }), "welcome:undefined");
    assert.equal((await engine.send({ name: "e", id: "mail:ana@example.org" })).outcomes.length, 1);
    await engine.idle();
    assert.equal(engine.run("welcome:undefined").result, name);
  }
  await settled();
});

test("an expression that turns out to be none is refused event by event, also where the warning of it fails", async () => {
  const told = [];
  const engine = new Engine({ clock: new TestClock(), onWarning: (warning) => { told.push(warning); throw new Error("the taker broke"); } });
  engine.workflow("broken", { on: "e", idempotency: "event.(" }, () => {});
  const { outcomes } = await engine.send({ name: "e" });
  assert.deepEqual([outcomes[0].outcome, outcomes[0].reason, told.length], ["skipped", "no_key", 1]);
});

test("a console.warn and a process.emitWarning that throw change nothing", async (context) => {
  for (const broken of ["process.emitWarning = () => { throw new Error('broken'); };", "process.emitWarning = undefined; console.warn = () => { throw new Error('broken'); };"]) {
    const { stdout, stderr } = await run(context, `
      import { IdempotencyStore } from "twiceproof";
      ${broken}
      const store = new IdempotencyStore(1_000);
      console.log(await store.once("welcome:null", () => "first"), await store.once("welcome:null", () => "second"));`);
    assert.deepEqual([stdout, stderr], ["first first\n", ""]);
  }
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
