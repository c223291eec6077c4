// The clock that a test moves (SEMANTICS 2.14).

import assert from "node:assert/strict";
import { test } from "node:test";
import { twiceproof } from "./subject.mjs";

const { TestClock } = twiceproof;

test("advances that are asked for at the same time add up, and wake in order", async () => {
  const clock = new TestClock(1_000);
  const woken = [];
  for (const at of [1_005, 1_012, 1_020, 1_021]) clock.wakeAt(at, () => woken.push([at, clock.now()]));
  await Promise.all([clock.advance(5), clock.advance("10ms"), clock.advance(5)]);
  assert.equal(clock.now(), 1_020);
  assert.deepEqual(woken, [[1_005, 1_005], [1_012, 1_012], [1_020, 1_020]]);
});

test("an advance from inside one is not lost and waits for nothing that waits for it", async () => {
  const clock = new TestClock();
  let inner;
  clock.wakeAt(5, () => { inner = clock.advance(3); });
  await clock.advance(10);
  await inner;
  assert.equal(clock.now(), 13);
});

test("what wake throws ends its advance, and the next one goes on", async () => {
  const clock = new TestClock();
  const error = new Error("wake");
  clock.wakeAt(5, () => { throw error; });
  const [first, second] = await Promise.allSettled([clock.advance(10), clock.advance(10)]);
  assert.deepEqual([first.reason, second.status, clock.now()], [error, "fulfilled", 20]);
});

test("2.13 what is no time is refused, and moves nothing", async () => {
  const clock = new TestClock(7);
  for (const by of [null, undefined, Number.NaN, -1, Infinity, 1e300, 2 ** 53, "soon", "-5s", [], {}, 5n, true]) {
    await assert.rejects(clock.advance(by), { code: "ERR_INVALID_OPTION", option: "advance" });
  }
  for (const at of ["x", "5", null, undefined, Number.NaN, {}]) assert.throws(() => clock.wakeAt(at, () => {}), { code: "ERR_INVALID_OPTION", option: "at" });
  for (const wake of [undefined, null, 5]) assert.throws(() => clock.wakeAt(5, wake), { option: "wake" });
  for (const start of [null, "5", -1, Number.NaN, Infinity, 2 ** 53, {}]) assert.throws(() => new TestClock(start), { option: "start" });
  assert.equal(clock.now(), 7);
});
