// The queue and the workflow (SEMANTICS A29, A30), and what may never happen: an unhandled rejection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./scripts.mjs";
import { gate, settled, twiceproof } from "./subject.mjs";

const { SimpleQueue, UsageError, withRetry, workflow } = twiceproof;

test("a29 one job to its end at a time, first in, first out", async () => {
  const seen = [];
  const queue = new SimpleQueue(async (job) => {
    seen.push(`begin ${job.data}`);
    await settled();
    seen.push(`end ${job.data}`);
  });
  const jobs = ["a", "b", "c"].map((data) => queue.add(data));
  assert.deepEqual(seen, [], "nothing begins during add");
  await queue.onIdle();
  assert.deepEqual(seen, ["begin a", "end a", "begin b", "end b", "begin c", "end c"]);
  assert.deepEqual(jobs.map(({ id, data, attempt }) => [id, data, attempt]), [[1, "a", 1], [2, "b", 1], [3, "c", 1]]);
});

test("a29 h38 a failing job nobody awaits: the process lives, failed holds job and error, the next one runs", async () => {
  const error = new Error("boom");
  const ran = [];
  const queue = new SimpleQueue(async (job) => {
    if (job.data === "bad") throw error;
    ran.push(job.data);
  });
  const bad = queue.add("bad");
  queue.add("good");
  await queue.onIdle();
  assert.deepEqual(ran, ["good"]);
  assert.equal(queue.failed.length, 1);
  assert.ok(queue.failed[0].job === bad && queue.failed[0].error === error);
});

test("h28 a thrown string stands in failed as it is, after every attempt", async () => {
  let calls = 0;
  const queue = new SimpleQueue(withRetry(() => { calls++; throw "boom"; }, { sleep: () => {} }));
  queue.add(1);
  await queue.onIdle();
  assert.deepEqual([calls, queue.failed[0].error], [3, "boom"]);
});

test("a30 a workflow stops at the first failing step, with that very error", async () => {
  const error = new Error("b");
  const ran = [];
  const steps = ["a", "b", "c"].map((name) => ({ name, run: async () => { ran.push(name); if (name === "b") throw error; } }));
  await assert.rejects(async () => workflow(steps)({ id: 1, data: 0, attempt: 1 }), (thrown) => thrown === error);
  assert.deepEqual(ran, ["a", "b"]);
});

test("a30 steps with and without promises, and foreign thenables, in order", async () => {
  const ran = [];
  const step = (name, result) => ({ name, run: () => (ran.push(name), result()) });
  const thenable = () => ({ then: (done) => setTimeout(() => (ran.push("then"), done()), 2) });
  await workflow([step("a", () => 1), step("b", () => Promise.resolve()), step("c", thenable), step("d", () => null)])({});
  assert.deepEqual(ran, ["a", "b", "c", "then", "d"]);
  assert.equal(workflow([step("e", () => 1)])({}), undefined, "nothing to wait for, no promise");
});

test("h36 idle: never used; with work that work added; again and again", async () => {
  await new SimpleQueue(() => {}).onIdle();
  const ran = [];
  const queue = new SimpleQueue(async (job) => {
    ran.push(job.data);
    if (job.data === "parent") queue.add("child");
  });
  queue.add("parent");
  await queue.onIdle();
  assert.deepEqual(ran, ["parent", "child"]);
  queue.add("one");
  queue.add("two");
  await queue.onIdle();
  queue.add("three");
  await Promise.all([queue.onIdle(), queue.onIdle()]);
  assert.deepEqual(ran, ["parent", "child", "one", "two", "three"]);
});

test("h37 concurrency: 0, -1, NaN, 1.5 and \"2\" are refused, 2 runs two, Infinity all", async () => {
  for (const bad of [0, -1, Number.NaN, 1.5]) {
    assert.throws(() => new SimpleQueue(() => {}, { concurrency: bad }), { name: "RangeError", message: /^concurrency needs a whole number/ });
  }
  assert.throws(() => new SimpleQueue(() => {}, { concurrency: "2" }), { name: "TypeError", message: 'concurrency needs a number, got "2"' });
  for (const [concurrency, most] of [[1, 1], [2, 2], [Infinity, 5]]) {
    let [now, peak] = [0, 0];
    const queue = new SimpleQueue(async () => {
      peak = Math.max(peak, ++now);
      await settled();
      now--;
    }, { concurrency });
    for (let job = 0; job < 5; job++) queue.add(job);
    await queue.onIdle();
    assert.equal(peak, most);
  }
});

test("jobs that return no promise run without waiting, however many", async () => {
  let sum = 0;
  const queue = new SimpleQueue((job) => void (sum += job.data));
  for (let job = 1; job <= 100_000; job++) queue.add(job);
  await queue.onIdle();
  assert.equal(sum, 5_000_050_000);
});

test("hundreds of jobs run in the order in which they were added, those added meanwhile too", async () => {
  for (const first of [1, 255, 256, 257, 512, 513, 700]) {
    const ran = [];
    const queue = new SimpleQueue((job) => {
      ran.push(job.data);
      if (job.data < 600) queue.add(job.data + first);
    });
    for (let number = 0; number < first; number++) queue.add(number);
    await queue.onIdle();
    assert.deepEqual(ran, Array.from({ length: 600 + first }, (_, number) => number), `${first} at first`);
    queue.add(1_000);
    await queue.onIdle();
    assert.equal(ran.at(-1), 1_000);
  }
});

test("keepFailed keeps the last failures", async () => {
  const queue = new SimpleQueue((job) => { throw job.data; }, { keepFailed: 2 });
  for (let job = 1; job <= 5; job++) queue.add(job);
  await queue.onIdle();
  assert.deepEqual(queue.failed.map(({ error }) => error), [4, 5]);
});

test("the queue's signal fails what has not begun, with its reason, and aborts what runs", async () => {
  const controller = new AbortController();
  const open = gate();
  const queue = new SimpleQueue(async (job) => {
    job.signal.addEventListener("abort", () => open.resolve());
    await open.promise;
  }, { signal: controller.signal });
  queue.add("running");
  queue.add("waiting");
  await settled();
  const reason = new Error("closing");
  controller.abort(reason);
  await queue.onIdle();
  assert.deepEqual(queue.failed.map(({ job, error }) => [job.data, error]), [["waiting", reason]]);
});

test("h30 the queue's signal ends the wait of a retry in a job", async () => {
  const controller = new AbortController();
  const queue = new SimpleQueue(withRetry(async () => { throw new Error("down"); }, { baseDelayMs: 60_000, jitter: false }), { signal: controller.signal });
  queue.add(1);
  await settled();
  const reason = new Error("closing");
  controller.abort(reason);
  await queue.onIdle();
  assert.equal(queue.failed[0].error, reason);
});

test("h43 a handler may use the queue, from anywhere", async () => {
  const inner = [];
  const queue = new SimpleQueue(async (job) => {
    if (job.data > 3) return;
    queue.add(job.data + 1);
    const other = new SimpleQueue((nested) => void inner.push(nested.data));
    other.add(job.data);
    await other.onIdle();
  }, { concurrency: 2 });
  queue.add(1);
  await queue.onIdle();
  assert.deepEqual(inner, [1, 2, 3]);
});

test("onIdle() inside a handler of its own queue is an error at once, and the queue goes on", async () => {
  const other = new SimpleQueue(() => {});
  const queue = new SimpleQueue(async (job) => {
    if (job.data === "again") await withRetry(() => { calls++; return queue.onIdle(); })(job);
    else await (job.data === "own" ? queue.onIdle() : other.onIdle());
  });
  let calls = 0;
  for (const data of ["own", "other", "again"]) queue.add(data);
  await queue.onIdle();
  assert.deepEqual(queue.failed.map(({ job, error }) => [job.data, error instanceof UsageError && /inside a handler of its queue/.test(error.message)]), [["own", true], ["again", true]]);
  assert.equal(calls, 1, "a mistake of the program is not tried again");
  // A handler that threw, or has returned, is none any more.
  const failing = new SimpleQueue(() => { throw new Error("no"); });
  failing.add(1);
  await failing.onIdle();
  failing.add(2);
  await failing.onIdle();
  assert.equal(failing.failed.length, 2);
});

test("onIdle() inside a handler after an await: Node tells, once nothing is left to do", async (context) => {
  const { stdout, stderr, code } = await run(context, `
    import { SimpleQueue } from "twiceproof";
    const queue = new SimpleQueue(async () => { await null; await queue.onIdle(); });
    queue.add(1);
    await queue.onIdle().catch((error) => console.log(error.code, /inside a handler/.test(error.message)));
    await queue.onIdle();
    console.log(queue.failed.length, queue.failed[0].error.code);`);
  assert.deepEqual([stdout, stderr, code], ["ERR_USAGE true\n1 ERR_USAGE\n", "", 0]);
});
