// Steps behind keys (SEMANTICS A16 to A25), in every combination with retrying.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, manualClock, settled, twiceproof } from "./subject.mjs";

const { IdempotencyStore, InvalidKeyError, SimpleQueue, idempotentSteps, retryEachStep, withRetry, workflow } = twiceproof;
const RETRY = { maxAttempts: 3, sleep: () => {} };
const byUser = (job) => job.data.userId;

function recorded(names, before = () => undefined) {
  const calls = [];
  const steps = names.map((name) => ({ name, run: async (job) => {
    calls.push(`${name} ${job.data.userId}`);
    return before(name, job);
  } }));
  return { calls, steps };
}

async function runAll(handler, users) {
  const queue = new SimpleQueue(handler);
  for (const userId of users) queue.add({ userId });
  await queue.onIdle();
  return queue;
}

test("a16 a18 a19 a20 the same sign-up twice makes two jobs, and each step runs once; another user's runs too", async () => {
  const { calls, steps } = recorded(["save", "mail"]);
  const store = new IdempotencyStore(1000);
  const wrapped = idempotentSteps(steps, store, byUser);
  assert.deepEqual(wrapped.map(({ name }) => name), ["save", "mail"]);
  await runAll(workflow(wrapped), ["1", "1", "2"]);
  assert.deepEqual(calls, ["save 1", "mail 1", "save 2", "mail 2"]);
  assert.equal(store.size, 4);
});

test("a17 a24 a key of the job's number protects nothing", async () => {
  const { calls, steps } = recorded(["mail"]);
  await runAll(workflow(idempotentSteps(steps, new IdempotencyStore(1000), (job) => String(job.id))), ["1", "1"]);
  assert.equal(calls.length, 2);
});

test("a-t1 h21 (\"a:b\", \"c\") and (\"a\", \"b:c\") are two keys", async () => {
  const { calls, steps } = recorded(["a:b", "a"]);
  const store = new IdempotencyStore(1000);
  const [first, second] = idempotentSteps(steps, store, byUser);
  await first.run({ data: { userId: "c" } });
  await second.run({ data: { userId: "b:c" } });
  assert.deepEqual(calls, ["a:b c", "a b:c"]);
  assert.equal(await store.once("a:b:c", () => "apart"), "apart");
});

test("a16 the same step name and key in two workflows over one store is one key", async () => {
  const { calls, steps } = recorded(["save"]);
  const store = new IdempotencyStore(1000);
  for (let flow = 0; flow < 2; flow++) await runAll(workflow(idempotentSteps(steps, store, byUser)), ["1"]);
  assert.equal(calls.length, 1);
});

test("a23 a replay of the whole job skips what finished", async () => {
  let fails = 1;
  const { calls, steps } = recorded(["save", "mail", "crm"], (name) => { if (name === "crm" && fails-- > 0) throw new Error("503"); });
  await runAll(withRetry(workflow(idempotentSteps(steps, new IdempotencyStore(1000), byUser)), RETRY), ["1"]);
  assert.deepEqual(calls, ["save 1", "mail 1", "crm 1", "crm 1"]);
});

for (const [order, build] of Object.entries({
  "retry around the key": (steps, store) => retryEachStep(idempotentSteps(steps, store, byUser), RETRY),
  "key around the retry": (steps, store) => idempotentSteps(retryEachStep(steps, RETRY), store, byUser),
})) {
  test(`a04 a31 a failing step is retried and then remembered: ${order}`, async () => {
    let fails = 2;
    const { calls, steps } = recorded(["save", "mail"], (name) => { if (name === "mail" && fails-- > 0) throw new Error("503"); });
    const store = new IdempotencyStore(1000);
    const queue = await runAll(workflow(build(steps, store)), ["1", "1"]);
    assert.deepEqual([calls, queue.failed.length], [["save 1", "mail 1", "mail 1", "mail 1"], 0]);
  });

  test(`a04 a step that was given up is forgotten: ${order}`, async () => {
    const { steps } = recorded(["mail"], () => { throw new Error("503"); });
    const store = new IdempotencyStore(1000);
    const queue = await runAll(workflow(build(steps, store)), ["1"]);
    assert.deepEqual([queue.failed.length, store.size], [1, 0]);
  });

  test(`steps without promises: ${order}`, async () => {
    let [calls, fails] = [0, 1];
    const steps = [{ name: "s", run: () => { calls++; if (fails-- > 0) throw new Error("503"); return calls; } }];
    const queue = await runAll(workflow(build(steps, new IdempotencyStore(1000))), ["1", "1"]);
    assert.deepEqual([calls, queue.failed.length], [2, 0]);
  });

  test(`a03 two jobs at once share one run of a step: ${order}`, async () => {
    const open = gate();
    const { calls, steps } = recorded(["mail"], () => open.promise);
    const queue = new SimpleQueue(workflow(build(steps, new IdempotencyStore(1000))), { concurrency: 2 });
    queue.add({ userId: "1" });
    queue.add({ userId: "1" });
    await settled();
    open.resolve();
    await queue.onIdle();
    assert.deepEqual([calls.length, queue.failed.length], [1, 0]);
  });
}

test("a05 sharers of a step that fails get that very error", async () => {
  const error = new Error("503");
  const open = gate();
  const { steps } = recorded(["mail"], () => open.promise);
  const queue = new SimpleQueue(workflow(idempotentSteps(steps, new IdempotencyStore(1000), byUser)), { concurrency: 3 });
  for (let job = 0; job < 3; job++) queue.add({ userId: "1" });
  await settled();
  open.reject(error);
  await queue.onIdle();
  assert.deepEqual(queue.failed.map((failed) => failed.error), [error, error, error]);
});

test("a07 a22 a step's key lives 24 h from its finish: skipped 1 ms before, run at the boundary", async () => {
  const clock = manualClock();
  const { calls, steps } = recorded(["mail"]);
  const handler = workflow(idempotentSteps(steps, new IdempotencyStore(24 * 60 * 60 * 1000, clock), byUser));
  await runAll(handler, ["1"]);
  clock.now = 86_399_999;
  await runAll(handler, ["1"]);
  assert.equal(calls.length, 1);
  clock.now = 86_400_000;
  await runAll(handler, ["1"]);
  assert.equal(calls.length, 2);
});

test("h15 a key that is missing fails the job, is not retried, and skips nobody", async () => {
  const { calls, steps } = recorded(["mail"]);
  let asked = 0;
  const store = new IdempotencyStore(1000);
  const handler = workflow(retryEachStep(idempotentSteps(steps, store, () => void asked++), RETRY));
  const queue = await runAll(handler, ["1", "2"]);
  assert.deepEqual([calls.length, asked, queue.failed.length, store.size], [0, 2, 2, 0]);
  for (const { error } of queue.failed) assert.ok(error instanceof InvalidKeyError);
});

test("forget takes the step's name", async () => {
  const { calls, steps } = recorded(["mail"]);
  const store = new IdempotencyStore(1000);
  const handler = workflow(idempotentSteps(steps, store, byUser));
  await runAll(handler, ["1"]);
  assert.deepEqual([store.forget("1"), store.forget("1", "post"), store.forget("1", "mail")], [false, false, true]);
  await runAll(handler, ["1"]);
  assert.equal(calls.length, 2);
});

test("a15 a25 the fix for a lost reply: one key, unchanged on every attempt, known to the provider", async () => {
  const provider = { seen: new Set(), keys: [], sent: 0 };
  let lose = 2;
  const steps = [{ name: "mail", run: async (job) => {
    const key = `welcome:${job.data.userId}`;
    provider.keys.push(key);
    if (!provider.seen.has(key)) provider.sent++;
    provider.seen.add(key);
    if (lose-- > 0) throw new Error("timeout, reply lost");
  } }];
  await runAll(workflow(retryEachStep(steps, RETRY)), ["1"]);
  assert.deepEqual([provider.sent, new Set(provider.keys).size, provider.keys.length], [1, 1, 3]);
});

test("a-t2 a step that runs a workflow with its own key is an error, not a wait without end", async () => {
  const store = new IdempotencyStore(1000);
  const steps = idempotentSteps([{ name: "s", run: (job) => steps[0].run(job) }], store, byUser);
  const queue = await runAll(workflow(steps), ["1"]);
  assert.equal(queue.failed[0].error.name, "ReentrantKeyError");
});

test("arguments that are none are refused", () => {
  const store = new IdempotencyStore(1);
  assert.throws(() => idempotentSteps([], {}, byUser), TypeError);
  assert.throws(() => idempotentSteps([], store, "userId"), TypeError);
  assert.throws(() => idempotentSteps("steps", store, byUser), TypeError);
});

test("h32 two steps of one name are refused when they are wrapped: the second would never do its work", () => {
  const { steps } = recorded(["add-ten", "add-ten"]);
  const wrap = () => idempotentSteps(steps, new IdempotencyStore(1000), byUser);
  assert.throws(wrap, /steps needs a different name for every step, got "add-ten" twice/);
});
