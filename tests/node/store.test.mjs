// The idempotency store (SEMANTICS A1 to A15, 2.3 to 2.6, 2.8). The clock is the test's, so times are exact.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, manualClock, settled, twiceproof } from "./subject.mjs";

const { ConflictError, IdempotencyStore, InFlightError, InvalidKeyError, ReentrantKeyError } = twiceproof;

function counted(value) {
  const work = () => {
    work.calls++;
    return typeof value === "function" ? value(work.calls) : value;
  };
  work.calls = 0;
  return work;
}

test("a01 a02 the first call runs the work, a later one takes its value", async () => {
  const store = new IdempotencyStore(1000, manualClock());
  const work = counted((call) => Promise.resolve(`result ${call}`));
  assert.equal(await store.once("k", work), "result 1");
  assert.equal(await store.once("k", work), "result 1");
  assert.equal(work.calls, 1);
});

test("a03 a call made while the key runs joins that run", async () => {
  const store = new IdempotencyStore(1000, manualClock());
  const open = gate();
  const work = counted(() => open.promise);
  const calls = Array.from({ length: 100 }, () => store.once("k", work));
  open.resolve("shared");
  assert.deepEqual(await Promise.all(calls), Array(100).fill("shared"));
  assert.equal(work.calls, 1);
});

test("a04 a05 h23 a run that throws is not remembered, and all who shared it get that very error", async () => {
  const store = new IdempotencyStore(1000, manualClock());
  const error = new Error("down");
  const work = counted(() => Promise.reject(error));
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.once("k", work)));
  for (const { reason } of outcomes) assert.equal(reason, error);
  assert.equal(work.calls, 1);
  assert.equal(await store.once("k", () => "good"), "good");
  assert.equal(store.size, 1);
});

test("a06 h22 the window starts at the finish: 5000 + 1000, saved at 5500, run again at 6000", async () => {
  const clock = manualClock();
  const store = new IdempotencyStore(1000, clock);
  const open = gate();
  const work = counted((call) => (call === 1 ? open.promise : "second"));
  const first = store.once("k", work);
  clock.now = 3000;
  const joined = store.once("k", work);
  clock.now = 5000;
  open.resolve("first");
  assert.deepEqual(await Promise.all([first, joined]), ["first", "first"]);
  clock.now = 5500;
  assert.equal(await store.once("k", work), "first");
  clock.now = 6000;
  assert.equal(await store.once("k", work), "second");
  assert.equal(work.calls, 2);
});

test("a07 h18 a key is dead at exactly its expiry: saved at 999, run at 1000, the second result at 1001", async () => {
  const clock = manualClock();
  const store = new IdempotencyStore(1000, clock);
  const work = counted((call) => call);
  await store.once("k", work);
  clock.now = 999;
  assert.equal(await store.once("k", work), 1);
  clock.now = 1000;
  assert.equal(await store.once("k", work), 2);
  clock.now = 1001;
  assert.equal(await store.once("k", work), 2);
});

test("a08 h19 100,000 keys that expired leave the store, and their names the memory", async () => {
  const clock = manualClock();
  const store = new IdempotencyStore(1, clock);
  for (let index = 0; index < 100_000; index++) void store.once(`key ${index}`, () => index);
  assert.equal(store.size, 100_000);
  clock.now = 10;
  await store.once("one more", () => 0);
  assert.equal(store.size, 1);
  assert.equal(await store.once("key 5", () => "anew"), "anew");
});

test("a08 sweep takes a limit", () => {
  const clock = manualClock();
  const store = new IdempotencyStore(1, clock);
  for (let index = 0; index < 10; index++) void store.once(`key ${index}`, () => index);
  assert.equal(store.sweep(), 0);
  clock.now = 1;
  assert.deepEqual([store.sweep({ limit: 4 }), store.size, store.sweep(), store.size], [4, 6, 6, 0]);
  assert.throws(() => store.sweep({ limit: 0 }), RangeError);
});

test("a09 without a clock of its own the store takes Date.now", async () => {
  const store = new IdempotencyStore(60_000);
  assert.equal(await store.once("k", () => 1), 1);
  assert.equal(await store.once("k", () => 2), 1);
});

test("a11 h16 undefined, null, 0, empty, false and NaN are results", async () => {
  const store = new IdempotencyStore(1000, manualClock());
  for (const [index, value] of [undefined, null, 0, "", false, Number.NaN].entries()) {
    const work = counted(() => value);
    for (let call = 0; call < 2; call++) assert.ok(Object.is(await store.once(`k${index}`, work), value));
    assert.equal(work.calls, 1);
  }
});

test("a12 2.3 other data with the same key is the first result, or a conflict if the data is given", async () => {
  const store = new IdempotencyStore(1000, manualClock());
  await store.once("k", () => "first", { input: { user: { id: 1, name: "a" }, list: [1, 2] } });
  assert.equal(await store.once("k", () => "second"), "first");
  assert.equal(await store.once("k", () => "x", { input: { list: [1, 2], user: { name: "a", id: 1.0, gone: undefined } } }), "first");
  await assert.rejects(
    store.once("k", () => "x", { input: { user: { id: 2, name: "a" }, list: [2, 1] } }),
    (error) => error instanceof ConflictError && error.kind === "payload" && error.key === "k" &&
      assert.deepEqual([...error.paths].sort(), ["input.list[0]", "input.list[1]", "input.user.id"]) === undefined,
  );
});

test("2.3 data are never answered with a result of data unknown; a call without data compares nothing", async () => {
  const clock = manualClock();
  const store = new IdempotencyStore(1000, clock);
  await store.once("unstated", () => "first");
  await assert.rejects(store.once("unstated", () => "x", { input: 1 }), { code: "ERR_CONFLICT", paths: ["input"], message: 'the key "unstated" was used without input before' });
  assert.equal(await store.once("unstated", () => "x"), "first");
  await store.once("stated", () => "first", { input: 1 });
  assert.equal(await store.once("stated", () => "x"), "first");
  await assert.rejects(store.once("stated", () => "x", { input: undefined }), ConflictError);
  const open = gate();
  const running = store.once("running", () => open.promise);
  await assert.rejects(store.once("running", () => "x", { input: 1 }), ConflictError);
  open.resolve("late");
  assert.equal(await running, "late");
  // What takes a key over after its window brings data of its own, or none.
  clock.now = 2000;
  assert.equal(await store.once("stated", () => "anew", { input: 2 }), "anew");
  assert.equal(await store.once("stated", () => "x", { input: 2 }), "anew");
  await assert.rejects(store.once("stated", () => "x", { input: 1 }), ConflictError);
  clock.now = 4000;
  assert.equal(await store.once("stated", () => "plain"), "plain");
  assert.equal(await store.once("stated", () => "x"), "plain");
  await assert.rejects(store.once("stated", () => "x", { input: 2 }), ConflictError);
  clock.now = 6000;
  assert.equal(await store.once("stated", () => "back", { input: 2 }), "back");
  assert.equal(await store.once("stated", () => "x", { input: 2 }), "back");
});

test("2.3 data that JSON would change in silence is refused, with its path and what to pass", async () => {
  const store = new IdempotencyStore(1000, manualClock());
  const refused = async (input, message) => assert.rejects(store.once("k", () => 1, { input }), { name: "TypeError", message });
  await refused({ at: new Date(0) }, /^input\.at: Date; pass input\.at\.toISOString\(\)$/);
  await refused({ a: [new Map()] }, /^input\.a\[0\]: Map; pass Object\.fromEntries\(input\.a\[0\]\)$/);
  await refused({ n: 10n }, /^input\.n: a bigint/);
  await refused({ n: Number.NaN }, /^input\.n: NaN/);
  await refused([undefined], /^input\[0\]: undefined; pass null$/);
  const cyclic = { name: "c" };
  cyclic.self = cyclic;
  await refused(cyclic, /^input\.self: a value that contains itself/);
  let deep = {};
  for (let level = 0; level < 10_000; level++) deep = { deep };
  await refused(deep, /levels deep/);
  assert.equal(await store.once("k", () => 1, { input: null }), 1);
});

test("a13 two stores share nothing", async () => {
  const [one, other] = [new IdempotencyStore(1000), new IdempotencyStore(1000)];
  assert.deepEqual([await one.once("k", () => 1), await other.once("k", () => 2)], [1, 2]);
});

test("a14 the store cannot see a lost reply: the effect happens twice", async () => {
  const store = new IdempotencyStore(1000);
  let sent = 0;
  const send = async () => {
    sent++;
    if (sent === 1) throw new Error("timeout");
  };
  await assert.rejects(store.once("k", send));
  await store.once("k", send);
  assert.equal(sent, 2);
});

test("a-t2 work that waits for its own key is an error, directly and through another", async () => {
  const store = new IdempotencyStore(1000);
  await assert.rejects(store.once("k", () => store.once("k", () => 1)), ReentrantKeyError);
  await assert.rejects(store.once("a", () => store.once("b", () => store.once("a", () => 1))), ReentrantKeyError);
  assert.equal(store.size, 0);
  assert.equal(await store.once("a", () => store.once("b", () => 7)), 7);
});

test("a-t2 after an await too, directly, through others, and round two that wait for each other", async () => {
  const store = new IdempotencyStore(1000);
  const later = () => new Promise((resolve) => setTimeout(resolve, 2));
  const once = (key, ...then) => async () => {
    await later();
    for (const work of then) await work();
    return store.once(key, () => 1);
  };
  const refused = (promise) => assert.rejects(promise, { code: "ERR_REENTRANT_KEY" });
  await refused(store.once("k", once("k")));
  await refused(store.once("a", async () => { await later(); return store.once("b", once("a")); }));
  await refused(store.once("a", async () => { await later(); return await store.once("b", async () => { await later(); return Promise.all([1, once("a")()]); }); }));
  await refused(store.once("a", () => later().then(() => store.once("b", () => later().then(once("a"))))));
  const open = gate();
  const outcomes = ["x", "y"].map((key) => store.once(key, async () => { await open.promise; return store.once(key === "x" ? "y" : "x", () => 1); }));
  open.resolve();
  for (const outcome of await Promise.allSettled(outcomes)) assert.equal(outcome.reason?.code, "ERR_REENTRANT_KEY");
  assert.equal(store.size, 0);
});

test("a-t2 work that waits for others' work, many at once, is nobody's own", async () => {
  const store = new IdempotencyStore(1000);
  const work = async (level) => {
    await settled();
    return level === 0 ? 1 : 1 + (await store.once(`level ${level - 1}`, () => work(level - 1)));
  };
  const sums = await Promise.all(Array.from({ length: 50 }, (_, at) => store.once(`level ${at}`, () => work(at))));
  assert.deepEqual(sums, Array.from({ length: 50 }, (_, at) => at + 1));
  // Named like the marks on the stack of another copy of the package.
  const odd = { async "once x 0"() { await settled(); return store.once("odd", () => 7); } };
  assert.equal(await store.once("other", () => odd["once x 0"]()), 7);
});

test("a-t3 plain data is handed on as a copy: nobody changes what another sees", async () => {
  const store = new IdempotencyStore(1000);
  const open = gate();
  const runner = store.once("k", () => open.promise);
  const joiner = store.once("k", () => 0);
  const original = { list: [1], at: new Date(5), tags: new Map([["a", 1]]), ["__proto__"]: "own" };
  open.resolve(original);
  assert.equal(await runner, original);
  const joined = await joiner;
  original.list.push(2);
  joined.list.push(3);
  const saved = await store.once("k", () => 0);
  assert.deepEqual(saved, { list: [1], at: new Date(5), tags: new Map([["a", 1]]), ["__proto__"]: "own" });
  assert.notEqual(saved.at, original.at);
});

test("a-t3 what cannot be copied goes by reference and never turns finished work into a failure", async () => {
  class Session {}
  const value = { session: new Session(), call: () => 1, get bad() { return this.session; } };
  value.self = value;
  const store = new IdempotencyStore(1000);
  await store.once("k", () => value);
  const saved = await store.once("k", () => 0);
  assert.ok(saved !== value && saved.self === saved && saved.session === value.session && saved.call === value.call);
  const proxy = new Proxy({}, { ownKeys() { throw new Error("no"); } });
  await store.once("p", () => proxy);
  assert.equal(await store.once("p", () => 0), proxy);
});

test("a-t4 2.13 a window that is none is refused when the store is made, by name", () => {
  for (const bad of [Number.NaN, -1, -Infinity]) {
    assert.throws(() => new IdempotencyStore(bad), { name: "RangeError", message: /^ttlMs needs a number of milliseconds .* got / });
  }
  assert.throws(() => new IdempotencyStore("soon"), { name: "TypeError", message: /^ttlMs needs / });
  assert.throws(() => new IdempotencyStore(), TypeError);
  assert.throws(() => new IdempotencyStore({ ttl: 5 }), { message: /no option "ttl"/ });
  assert.throws(() => new IdempotencyStore(5, "clock"), { message: /^now needs a function/ });
  new IdempotencyStore(Infinity);
  new IdempotencyStore("24h");
});

test("h15 2.4 a key that is missing, empty or no string is an error, never a shared key", async () => {
  const store = new IdempotencyStore(1000);
  for (const bad of [undefined, null, "", 42, {}, "a\0b", "\ud800", "a".repeat(256), "é".repeat(128), "😀".repeat(64)]) {
    const work = counted(1);
    await assert.rejects(store.once(bad, work), InvalidKeyError);
    assert.equal(work.calls, 0);
  }
  for (const good of ["a".repeat(255), "é".repeat(127), `${"😀".repeat(63)}abc`, " k ", "a:b:c"]) {
    assert.equal(await store.once(good, () => good), good);
  }
  assert.equal(store.size, 5);
});

test("h20 names of Object.prototype are keys like any other", async () => {
  const store = new IdempotencyStore(1000);
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    const work = counted(() => key);
    assert.deepEqual([await store.once(key, work), await store.once(key, work), work.calls], [key, key, 1]);
  }
  assert.equal({}.polluted, undefined);
});

test("h24 work that throws or returns before it makes a promise", async () => {
  const store = new IdempotencyStore(1000);
  const error = new Error("sync");
  await assert.rejects(store.once("k", () => { throw error; }), (thrown) => thrown === error);
  assert.equal(await store.once("k", async () => "ok"), "ok");
  assert.equal(await store.once("k2", () => 42), 42);
  assert.equal(await store.once("k2", () => 43), 42);
  await assert.rejects(store.once("k3", "no function"), TypeError);
});

test("h25 who aborts leaves at once, the other gets the value, the work goes on", async () => {
  for (const aborting of ["first", "second"]) {
    const store = new IdempotencyStore(1000);
    const open = gate();
    const work = counted(() => open.promise);
    const controller = new AbortController();
    const reason = new Error("enough");
    const calls = ["first", "second"].map((who) => store.once("k", work, who === aborting ? { signal: controller.signal } : {}));
    const left = calls[aborting === "first" ? 0 : 1];
    const stays = calls[aborting === "first" ? 1 : 0];
    controller.abort(reason);
    await assert.rejects(left, (error) => error === reason);
    open.resolve("value");
    assert.equal(await stays, "value");
    assert.equal(work.calls, 1);
  }
  await assert.rejects(new IdempotencyStore(1).once("k", () => 1, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("2.5 onInFlight: share, reject, or wait so long", async () => {
  const store = new IdempotencyStore(1000);
  const open = gate();
  const runner = store.once("k", () => open.promise);
  await assert.rejects(store.once("k", () => 0, { onInFlight: "reject" }), InFlightError);
  await assert.rejects(store.once("k", () => 0, { onInFlight: { waitMs: 5 } }), InFlightError);
  const patient = store.once("k", () => 0, { onInFlight: { waitMs: 60_000 } });
  open.resolve(1);
  assert.deepEqual([await runner, await patient], [1, 1]);
  await assert.rejects(store.once("k", () => 0, { onInFlight: "maybe" }), TypeError);
});

test("forget: a finished key, not a running one", async () => {
  const store = new IdempotencyStore(1000);
  const open = gate();
  const runner = store.once("k", () => open.promise);
  assert.equal(store.forget("k"), false);
  open.resolve(1);
  await runner;
  assert.deepEqual([store.forget("k"), store.forget("k"), store.size], [true, false, 0]);
  assert.equal(await store.once("k", () => 2), 2);
});

test("h43 work may call anything of the store from anywhere", async () => {
  const store = new IdempotencyStore(1000);
  const value = await store.once("outer", async () => {
    store.sweep();
    const inner = await store.once("inner", () => store.size);
    await settled();
    return inner + (await store.once("later", () => store.size));
  });
  assert.equal(value, 2 + 3);
});
