// Retrying (SEMANTICS A31 to A33, 2.7, 2.13). Waits are the test's own, so times are exact.

import assert from "node:assert/strict";
import { test } from "node:test";
import { twiceproof } from "./subject.mjs";

const { IdempotencyStore, NonRetryableError, RetryAfterError, idempotentSteps, retryEachStep, withRetry, workflow } = twiceproof;
const JOB = { id: 1, data: {}, attempt: 1, signal: new AbortController().signal };

/** Fails so many times, then returns "ok". */
function failing(times, error = () => new Error("down")) {
  const work = async () => {
    work.calls++;
    if (work.calls <= times) throw error(work.calls);
    return "ok";
  };
  work.calls = 0;
  return work;
}

/** Options that note the waits and do not wait. */
function noted(options) {
  const waits = [];
  return { waits, options: { sleep: (ms) => void waits.push(ms), ...options } };
}

test("a31 a32 maxAttempts counts the first try: 3 attempts, 2 waits", async () => {
  const { waits, options } = noted({ maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 2000, jitter: false });
  const work = failing(2);
  assert.equal(await withRetry(work, options)(JOB), "ok");
  assert.deepEqual([work.calls, waits], [3, [100, 200]]);
  const hopeless = failing(9);
  await assert.rejects(withRetry(hopeless, options)(JOB), /down/);
  assert.equal(hopeless.calls, 3);
});

test("a31 retryEachStep retries each step alone, and tells the attempt", async () => {
  const { options } = noted({ maxAttempts: 3 });
  const seen = [];
  const step = (name, fails) => ({ name, run: async (job) => {
    seen.push(`${name} ${job.attempt}`);
    if (job.attempt <= fails) throw new Error(name);
  } });
  await workflow(retryEachStep([step("a", 1), step("b", 2), step("c", 0)], options))(JOB);
  assert.deepEqual(seen, ["a 1", "a 2", "b 1", "b 2", "b 3", "c 1"]);
});

test("2.7 the wait before retry n is min(max, base × factor^(n − 1)); h29 it stays so for 1,200 attempts", async () => {
  const { waits, options } = noted({ maxAttempts: 1201, baseDelayMs: 1000, maxDelayMs: 30_000, jitter: false });
  await assert.rejects(withRetry(failing(Infinity), options)(JOB));
  assert.deepEqual(waits.slice(0, 6), [1000, 2000, 4000, 8000, 16_000, 30_000]);
  assert.ok(waits.length === 1200 && waits.slice(5).every((wait) => wait === 30_000));
  for (const random of [0, 0.5, 0.999999]) {
    const jittered = noted({ ...options, jitter: true, random: () => random });
    await assert.rejects(withRetry(failing(Infinity), { ...jittered.options, sleep: (ms) => void jittered.waits.push(ms) })(JOB));
    assert.ok(jittered.waits.every((wait) => wait >= 0 && wait <= 30_000));
    assert.equal(jittered.waits.at(-1), Math.floor(30_001 * random));
  }
});

test("2.7 jitter: full, equal, a ratio", async () => {
  const first = async (jitter, random) => {
    const { waits, options } = noted({ maxAttempts: 2, baseDelayMs: 1000, jitter, random: () => random });
    await assert.rejects(withRetry(failing(2), options)(JOB));
    return waits[0];
  };
  assert.deepEqual([await first("full", 0), await first(true, 0.9999999)], [0, 1000]);
  assert.deepEqual([await first("equal", 0), await first("equal", 0.9999999)], [500, 1000]);
  assert.deepEqual([await first({ ratio: 0.2 }, 0), await first({ ratio: 0.2 }, 0.9999999)], [800, 1200]);
});

test("2.7 defaults: 3 attempts, 100 ms, 30 s, factor 2, full jitter", async () => {
  const { waits, options } = noted({ random: () => 0.9999999 });
  const work = failing(9);
  await assert.rejects(withRetry(work, options)(JOB));
  assert.deepEqual([work.calls, waits], [3, [100, 200]]);
});

test("2.7 retries is maxAttempts − 1; both inconsistently is an error", async () => {
  const work = failing(9);
  await assert.rejects(withRetry(work, noted({ retries: 4 }).options)(JOB));
  assert.equal(work.calls, 5);
  withRetry(work, { retries: 4, maxAttempts: 5 });
  assert.throws(() => withRetry(work, { retries: 4, maxAttempts: 4 }), /^RangeError: retries needs to be one less than maxAttempts \(4\), got 4$/);
  for (const bad of [-1, 1.5, Number.NaN]) assert.throws(() => withRetry(work, { retries: bad }), /retries needs a whole number/);
});

test("h27 attempts: Infinity works; NaN, 0, 1.5 and texts are refused before the first call", async () => {
  const work = failing(5);
  assert.equal(await withRetry(work, noted({ maxAttempts: Infinity }).options)(JOB), "ok");
  assert.equal(work.calls, 6);
  for (const bad of [Number.NaN, 0, -1, 1.5]) {
    assert.throws(() => withRetry(work, { maxAttempts: bad }), { name: "RangeError", message: `maxAttempts needs a whole number from 1 to 4294967295, or Infinity, got ${bad}` });
  }
  assert.throws(() => withRetry(work, { maxAttempts: "3" }), { name: "TypeError", message: 'maxAttempts needs a number, got "3"' });
});

test("2.13 every option is checked when the wrapper is made, by name", () => {
  const bad = {
    baseDelayMs: [-1, Infinity, Number.NaN], maxDelayMs: [-1, Infinity], factor: [0.5, Infinity, Number.NaN],
    jitter: [{ ratio: 2 }, { ratio: Number.NaN }], maxRetryAfterMs: [-1, Number.NaN],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) assert.throws(() => retryEachStep([], { [name]: value }), (error) => error instanceof RangeError && error.message.startsWith(name));
  }
  for (const [name, value] of Object.entries({ jitter: "some", sleep: 1, random: 0.5, retryIf: true, onRetry: 1, signal: {}, factor: null })) {
    assert.throws(() => retryEachStep([], { [name]: value }), (error) => error instanceof TypeError && error.message.startsWith(name), name);
  }
  assert.throws(() => withRetry(() => 1, { maxAttempt: 3 }), /no option "maxAttempt"/);
  assert.throws(() => withRetry("no"), TypeError);
  assert.throws(() => retryEachStep([{ name: "a" }]), TypeError);
});

test("h28 thrown strings and undefined are retried, and keep their identity", async () => {
  for (const thrown of ["boom", undefined, null, 0, Symbol("s"), Object.assign(new Error("e", { cause: 1 }), { code: "E" })]) {
    assert.equal(await withRetry(failing(2, () => thrown), noted({}).options)(JOB), "ok");
    const outcome = await Promise.allSettled([withRetry(failing(9, () => thrown), noted({}).options)(JOB)]);
    assert.equal(outcome[0].status, "rejected");
    assert.ok(Object.is(outcome[0].reason, thrown));
  }
});

test("a handler that returns no promise gives its value at once, and one that throws is retried", async () => {
  assert.equal(withRetry(() => 7)(JOB), 7);
  let calls = 0;
  const value = withRetry(() => { if (++calls < 3) throw new Error("sync"); return calls; }, noted({}).options)(JOB);
  assert.equal(await value, 3);
});

test("2.7 NonRetryableError and retryIf stop early, with the very error", async () => {
  const final = new NonRetryableError("no such user", { cause: 404 });
  assert.deepEqual([final.code, new RetryAfterError("busy", { delayMs: 1 }).code], ["ERR_NON_RETRYABLE", "ERR_RETRY_AFTER"]);
  const work = failing(9, () => final);
  await assert.rejects(withRetry(work, noted({}).options)(JOB), (error) => error === final && error.cause === 404);
  assert.equal(work.calls, 1);
  const picky = failing(9, (call) => new Error(`call ${call}`));
  await assert.rejects(withRetry(picky, noted({ maxAttempts: 9, retryIf: (error) => error.message !== "call 3" }).options)(JOB), /call 3/);
  assert.equal(picky.calls, 3);
});

test("h31 Retry-After: seconds, dates, nonsense", () => {
  const told = (header) => new RetryAfterError("busy", { header }).retryAfterMs;
  assert.equal(told("120"), 120_000);
  const ahead = told(new Date(Date.now() + 120_000).toUTCString());
  assert.ok(ahead > 118_000 && ahead <= 120_000, String(ahead));
  assert.equal(told("Sun, 06 Nov 1994 08:49:37 GMT"), 0);
  assert.equal(told("Sunday, 06-Nov-94 08:49:37 GMT"), 0);
  assert.equal(told("Sun Nov  6 08:49:37 1994"), 0);
  for (const nonsense of ["-5", "soon", "", "1.5", null, undefined]) assert.equal(told(nonsense), undefined);
  assert.equal(new RetryAfterError("busy", { delayMs: 5 }).retryAfterMs, 5);
  assert.throws(() => new RetryAfterError("busy", { delayMs: -5 }), RangeError);
});

test("2.7 a told wait only lengthens, and above the maximum there is no further attempt", async () => {
  const waits = async (delayMs, options) => {
    const made = noted({ maxAttempts: 2, baseDelayMs: 100, jitter: false, ...options });
    await assert.rejects(withRetry(failing(9, () => new RetryAfterError("busy", { delayMs })), made.options)(JOB), RetryAfterError);
    return made.waits;
  };
  assert.deepEqual(await waits(50), [100]);
  assert.deepEqual(await waits(5000), [5000]);
  assert.deepEqual(await waits(3_600_000), [3_600_000]);
  assert.deepEqual(await waits(3_600_001), []);
  assert.deepEqual(await waits(3_600_001, { maxRetryAfterMs: Infinity }), [3_600_001]);
});

test("h30 aborting ends a wait at once, with the reason, no further attempt and no timer left", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const work = failing(9);
  const running = withRetry(work, { baseDelayMs: 3000, jitter: false, signal: controller.signal })(JOB);
  setTimeout(() => controller.abort(reason), 20);
  const start = performance.now();
  await assert.rejects(running, (error) => error === reason);
  assert.ok(performance.now() - start < 500);
  assert.equal(work.calls, 1);
  assert.ok(!process.getActiveResourcesInfo().includes("Timeout"));
  await assert.rejects(async () => withRetry(work, { signal: controller.signal })(JOB), (error) => error === reason);
  assert.equal(work.calls, 1, "an aborted signal allows no first attempt either");
});

test("2.14 a real wait is not cut short", async () => {
  const start = performance.now();
  assert.equal(await withRetry(failing(1), { baseDelayMs: 30, jitter: false })(JOB), "ok");
  assert.ok(performance.now() - start >= 29.5);
});

test("onRetry is told the attempt, the error and the wait", async () => {
  const told = [];
  await withRetry(failing(2), noted({ jitter: false, onRetry: ({ attempt, error, delayMs }) => told.push([attempt, error.message, delayMs]) }).options)(JOB);
  assert.deepEqual(told, [[1, "down", 100], [2, "down", 200]]);
});

test("a step that is retried alone counts its own attempts, whatever the attempt of its job", async () => {
  const once = { retries: 1, baseDelayMs: 0 };
  const seen = [];
  const fails = { name: "a", run: (job) => { seen.push(job.attempt); throw new Error("no"); } };
  const kept = new IdempotencyStore(1_000);
  for (const steps of [[fails], idempotentSteps([fails], kept, () => "k")]) {
    seen.length = 0;
    const job = { id: 1, attempt: 1, data: null };
    await assert.rejects(async () => withRetry(workflow(retryEachStep(steps, once)), once)(job));
    assert.deepEqual(seen, [1, 2, 1, 2]);
  }
  // One that is not retried alone sees the job's.
  seen.length = 0;
  await assert.rejects(async () => withRetry(workflow([fails]), once)({ id: 1, attempt: 1, data: null }));
  assert.deepEqual(seen, [1, 2]);
});
