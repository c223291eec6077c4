// A queue walks the steps of a handler that the package made by itself. It must do what calling the handler does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { twiceproof } from "./subject.mjs";

const { IdempotencyStore, SimpleQueue, idempotentSteps, retryEachStep, withRetry, workflow } = twiceproof;
const RETRY = { maxAttempts: 3, baseDelayMs: 0, sleep: () => {} };

/** Small and the same every time. */
function draws(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

/** A handler whose steps succeed and fail in every way, and what was called. */
function made(seed) {
  const draw = draws(seed);
  const calls = [];
  const outcomes = [
    () => undefined,
    () => "value",
    async () => {},
    () => { throw new Error("thrown"); },
    async () => { throw new Error("rejected"); },
    () => ({ then: (resolve) => resolve("thenable") }),
    () => ({ then: (_, reject) => reject(new Error("thenable")) }),
    () => ({ get then() { throw new Error("getter"); } }),
    () => Object.assign(Promise.resolve(), { then: () => { throw new Error("nobody asks it"); } }),
    () => class extends Promise {}.resolve("subclass"),
  ];
  let steps = Array.from({ length: 1 + draw(4) }, (_, index) => {
    const script = Array.from({ length: 12 }, () => outcomes[draw(3) === 0 ? draw(outcomes.length) : draw(3)]);
    return {
      name: `step ${index}`,
      run(job) {
        calls.push([job.data.user, job.id, job.attempt, index]);
        return (script.shift() ?? outcomes[0])();
      },
    };
  });
  const store = new IdempotencyStore({ ttlMs: 1000, now: () => 0, onWarning: false });
  if (draw(2) === 0) steps = idempotentSteps(steps, store, (job) => (job.data.user === "none" ? "" : job.data.user));
  if (draw(2) === 0) steps = retryEachStep(steps, draw(2) === 0 ? RETRY : { ...RETRY, signal: new AbortController().signal });
  let handler = workflow(steps);
  for (let times = draw(3); times > 0; times--) handler = withRetry(handler, RETRY);
  return { handler, calls, store };
}

test("a queue does what calling the handler does, for steps of every outcome, keys and retries", async () => {
  const users = ["a", "b", "a", "none"];
  let failures = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const queued = made(seed);
    const queue = new SimpleQueue(queued.handler);
    for (const user of users) queue.add({ user });
    await queue.onIdle();

    const called = made(seed);
    const failed = [];
    for (const [at, user] of users.entries()) {
      const job = { id: at + 1, data: { user }, attempt: 1 };
      try {
        await called.handler(job);
      } catch (error) {
        failed.push([job.id, String(error)]);
      }
    }
    assert.deepEqual(queued.calls, called.calls, `seed ${seed}`);
    assert.deepEqual(queue.failed.map(({ job, error }) => [job.id, String(error)]), failed, `seed ${seed}`);
    assert.equal(queued.store.size, called.store.size, `seed ${seed}`);
    failures += failed.length;
  }
  assert.ok(failures > 100, "failures are among them");
});

test("a signal that is aborted calls nothing more of a job: of a step's retry, and of the whole job's", async () => {
  for (const wrap of [(steps, retry) => workflow(retryEachStep(steps, retry)), (steps, retry) => withRetry(workflow(steps), retry)]) {
    const controller = new AbortController();
    const reason = new Error("closing");
    const calls = [];
    const steps = [{ name: "a", run: async () => { calls.push("a"); controller.abort(reason); } }, { name: "b", run: () => void calls.push("b") }];
    const queue = new SimpleQueue(wrap(steps, { ...RETRY, signal: controller.signal }));
    queue.add(1);
    queue.add(2);
    await queue.onIdle();
    const whole = calls.length === 2;
    assert.deepEqual([calls, queue.failed.map(({ job }) => job.data)], whole ? [["a", "b"], [2]] : [["a"], [1, 2]]);
    for (const { error } of queue.failed) assert.equal(error, reason);
  }
});

test("a step that changes the job's attempt changes nothing for the retried steps after it", async () => {
  const attempts = [];
  const steps = [
    { name: "a", run: (job) => void (job.attempt = 7) },
    { name: "b", run: (job) => void attempts.push(job.attempt) },
  ];
  const handler = workflow(retryEachStep(steps, RETRY));
  const queue = new SimpleQueue(handler);
  queue.add(1);
  await queue.onIdle();
  await handler({ id: 1, data: 1, attempt: 1 });
  assert.deepEqual(attempts, [1, 1]);
});
