// Work that outlasts what began it: a pass that failed, an engine that was closed. It is never done twice at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, settled, twiceproof } from "./subject.mjs";

const { Engine, EngineClosedError, TestClock } = twiceproof;

const failing = (step) => {
  if (step.attempt < 3) throw new Error("503");
  return "reserved";
};

test("2.10 a step beside one that failed is not begun again while it is under way: the next pass takes its outcome", async () => {
  const engine = new Engine();
  const open = gate();
  let charges = 0;
  const order = engine.workflow("order", { retries: 2, baseDelayMs: 1 }, (payload, ctx) => Promise.all([
    ctx.run("reserve", failing),
    ctx.run("charge", async () => { charges++; await open.promise; return `charge ${charges}`; }),
  ]));
  await order.enqueue({}, { id: "o" });
  await new Promise((done) => setTimeout(done, 60));
  assert.equal(charges, 1);
  open.resolve();
  await engine.idle();
  assert.equal(engine.run("o").status, "succeeded");
  assert.deepEqual(engine.run("o").result, ["reserved", "charge 1"]);
  assert.equal(charges, 1);
});

test("2.10 a step that succeeds after its pass failed and before the next one begins is not done again", async () => {
  for (const result of ["charged", undefined, { id: 7 }]) {
    const clock = new TestClock(0);
    const engine = new Engine({ clock });
    const open = gate();
    let charges = 0;
    const order = engine.workflow("order", { retries: 2, baseDelayMs: 1_000, jitter: false }, (payload, ctx) => Promise.all([
      ctx.run("reserve", failing),
      ctx.run("charge", async () => { charges++; await open.promise; return result; }),
    ]));
    await order.enqueue({}, { id: "o" });
    await settled();
    open.resolve();
    await settled();
    assert.equal(engine.journal().at(-1).type, "retry-scheduled");
    await clock.advance("1h");
    await engine.idle();
    assert.equal(charges, 1);
    assert.deepEqual(engine.run("o").result, ["reserved", result]);
    assert.deepEqual(engine.run("o").steps.map(({ name, status }) => [name, status]), [["reserve", "done"], ["charge", "done"]]);
  }
});

test("2.10 a step that fails after its pass failed is tried again in the next", async () => {
  const clock = new TestClock(0);
  const engine = new Engine({ clock });
  const open = gate();
  let charges = 0;
  const order = engine.workflow("order", { retries: 2, baseDelayMs: 1_000, jitter: false }, (payload, ctx) => Promise.all([
    ctx.run("reserve", failing),
    ctx.run("charge", () => (++charges === 1 ? open.promise : undefined)),
  ]));
  await order.enqueue({}, { id: "o" });
  await settled();
  open.reject(new Error("refused"));
  await settled();
  await clock.advance("1h");
  await engine.idle();
  assert.equal(charges, 2);
  assert.deepEqual(engine.run("o").result, ["reserved", undefined]);
});

test("a step that outlives its dead run is shown as running, and as done once it has succeeded: doing the run again does not do it again", async () => {
  const engine = new Engine();
  const open = gate();
  let [passes, charges] = [0, 0];
  const flow = engine.workflow("w", { retries: 0 }, async (payload, ctx) => {
    const charge = ctx.run("charge", async () => { charges++; await open.promise; return "charged"; });
    charge.catch(() => {});
    if (++passes === 1) throw new Error("something else failed");
    return charge;
  });
  await flow.enqueue({}, { id: "r" });
  await settled();
  const shown = () => [engine.run("r").status, ...engine.run("r").steps.map(({ status }) => status)];
  assert.deepEqual(shown(), ["dead", "running"]);
  open.resolve();
  await settled();
  assert.deepEqual(shown(), ["dead", "done"]);
  await flow.enqueue({}, { id: "r", onExisting: "restartFailed" });
  await engine.idle();
  assert.deepEqual([engine.run("r").result, charges], ["charged", 1]);
});

for (const [shape, handler] of [
  ["raced with what throws", (ctx, work) => Promise.race([ctx.run("charge", work), Promise.reject(new Error("timeout"))])],
  ["that nobody awaits", async (ctx, work) => { void ctx.run("charge", work); throw new Error("503"); }],
  ["among three at once", (ctx, work) => Promise.all([ctx.run("a", () => settled()), ctx.run("charge", work), Promise.reject(new Error("503"))])],
  ["of a thenable of its own", (ctx, work) => Promise.race([ctx.run("charge", () => ({ then: (...two) => work().then(...two) })), Promise.reject(new Error("503"))])],
]) {
  test(`2.10 a step ${shape}: one work at a time, and its failure is tried again`, async () => {
    const engine = new Engine();
    let [under, most, begun] = [0, 0, 0];
    const work = async () => {
      begun++;
      most = Math.max(most, ++under);
      await new Promise((done) => setTimeout(done, 20));
      under--;
      if (begun === 1) throw new Error("the first fails");
      return "charged";
    };
    let passes = 0;
    const flow = engine.workflow("w", { retries: 4, baseDelayMs: 1, jitter: false }, async (payload, ctx) => {
      if (++passes < 4) return handler(ctx, work);
      return ctx.run("charge", work);
    });
    await flow.enqueue({}, { id: "r" });
    await engine.idle();
    assert.equal(engine.run("r").result, "charged");
    assert.equal(most, 1, "never two at once");
    assert.equal(begun, 2);
    assert.equal(under, 0);
  });
}

test("after close a handler that goes on begins no step, no sleep, and its run ends unheard", async () => {
  const engine = new Engine();
  const open = gate();
  const seen = [];
  const flow = engine.workflow("w", async (payload, ctx) => {
    await ctx.run("first", () => open.promise);
    for (const ask of [() => ctx.run("second", () => seen.push("ran")), () => ctx.sleep("nap", 5)]) {
      await ask().catch((error) => seen.push(error));
    }
    return "done";
  });
  await flow.enqueue({}, { id: "r" });
  await settled();
  await engine.close();
  open.resolve();
  await settled();
  const entries = engine.journal().length;
  await settled();
  assert.equal(seen.length, 2);
  assert.ok(seen.every((error) => error instanceof EngineClosedError), String(seen));
  assert.equal(engine.journal().length, entries);
  assert.ok(!engine.journal().some((entry) => entry.type === "run-succeeded"));
});

test("neither idle nor close waits for work that outlives its run; a handler that awaits all its steps leaves none behind", async () => {
  for (const [way, left] of [["all", true], ["allSettled", false]]) {
    const engine = new Engine();
    const open = gate();
    let signal;
    const order = engine.workflow("order", { retries: 0 }, async (payload, ctx) => {
      const steps = [ctx.run("charge", (step) => { signal = step.signal; return open.promise; }), ctx.run("reserve", () => { throw new Error("503"); })];
      for (const { reason } of await Promise[way](steps)) if (reason !== undefined) throw reason;
    });
    await order.enqueue({}, { id: "order:1" });
    let idle = false;
    const idling = engine.idle().then(() => { idle = true; });
    await settled();
    assert.equal(idle, left, way);
    assert.equal(engine.run("order:1").steps[0].status, "running");
    if (left) await engine.close();
    assert.equal(signal.aborted, left);
    open.resolve();
    await idling;
    assert.deepEqual([engine.run("order:1").status, engine.run("order:1").error.message], ["dead", "503"]);
  }
});

test("an attempt that took over work under way has a number, and the work that is begun after it the next", async () => {
  const engine = new Engine();
  const open = gate();
  const begun = [];
  let passes = 0;
  const order = engine.workflow("order", { retries: 2, baseDelayMs: 1 }, async (payload, ctx) => {
    passes++;
    await Promise.all([
      ctx.run("charge", async ({ attempt }) => {
        begun.push(attempt);
        if (attempt > 1) return;
        await open.promise;
        throw new Error("lost");
      }),
      ctx.run("reserve", () => { if (ctx.attempt === 1) throw new Error("503"); }),
    ]);
  });
  await order.enqueue({}, { id: "order:1" });
  while (passes < 2) await new Promise((done) => setTimeout(done, 1));
  await settled();
  open.resolve();
  await engine.idle();
  assert.deepEqual(begun, [1, 3]);
  assert.equal(engine.run("order:1").steps[0].attempts, 3);
});

test("A-t3 what views show is a copy: changing it changes neither a replay nor a later look", async () => {
  const clock = new TestClock(0);
  const engine = new Engine({ clock });
  const got = [];
  engine.workflow("w", { on: "paid" }, (payload, ctx) => { got.push(ctx.event.data.amount); return { list: [1] }; });
  await engine.send({ id: "e", name: "paid", data: { amount: 1 } });
  await engine.idle();
  engine.events()[0].data.amount = 9;
  assert.equal(engine.events()[0].data.amount, 1);
  const [run] = engine.runs();
  run.result.list.push(2);
  assert.deepEqual(engine.run(run.id).result, { list: [1] });
  await engine.replay(0);
  await engine.idle();
  assert.deepEqual(got, [1, 1]);
});

test("a handler that returns what throws when it is looked at, or throws what forbids a look, fails its run and no more", async () => {
  const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; };
  const wicked = new Proxy({}, { getPrototypeOf() { throw new Error("no look"); }, get() { throw new Error("no look"); } });
  for (const [name, handler] of [
    ["getter", () => ({ get then() { throw new Error("no then"); } })],
    ["second look", () => { let looks = 0; return { get then() { if (looks++) throw new Error("no then"); return (done) => done(1); } }; }],
    ["revoked", () => { throw revoked(); }],
    ["async revoked", async () => { throw revoked(); }],
    ["wicked", () => { throw wicked; }],
  ]) {
    const engine = new Engine();
    const flow = engine.workflow("w", { retries: 0 }, handler);
    await flow.enqueue({}, { id: name });
    await engine.idle();
    assert.equal(engine.run(name).status, "dead", name);
    await engine.close();
  }
});

test("data that is nested too deeply for the engine is refused as that, before anything is stored", async () => {
  const nested = (levels) => Array.from({ length: levels }).reduce((inner) => [inner], 1);
  const engine = new Engine();
  const flow = engine.workflow("w", { on: "e" }, () => "done");
  await flow.enqueue(nested(127), { id: "deep" });
  await engine.send({ name: "e", data: nested(127) });
  const entries = engine.journal().length;
  const refused = (what) => ({ message: new RegExp(`${what}.*more than 127 levels deep`) });
  await assert.rejects(async () => flow.enqueue(nested(128)), refused("payload"));
  await assert.rejects(async () => engine.send({ name: "e", data: nested(128) }), refused("data"));
  assert.equal(engine.journal().length, entries);
  // And the same data asked for again is compared, not refused.
  await flow.enqueue(nested(127), { id: "deep" });
});

test("2.2 a dead run that is started afresh drops its results, and does not double the work that is still going", async () => {
  const engine = new Engine();
  const open = gate();
  const begun = { first: 0, charge: 0 };
  let life = 0;
  const flow = engine.workflow("w", { retries: 0 }, async (payload, ctx) => {
    await ctx.run("first", () => { begun.first++; });
    const charge = ctx.run("charge", () => { begun.charge++; return open.promise; });
    return ++life === 1 ? Promise.race([charge, Promise.reject(new Error("timeout"))]) : charge;
  });
  await flow.enqueue({}, { id: "r" });
  await engine.idle();
  assert.equal(engine.run("r").status, "dead");
  await flow.enqueue({}, { id: "r", onExisting: "restartFailed", fresh: true });
  await settled();
  assert.deepEqual(begun, { first: 2, charge: 1 });
  open.resolve("charged");
  await engine.idle();
  assert.equal(engine.run("r").result, "charged");
});
