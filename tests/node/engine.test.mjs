// The engine from Node (SEMANTICS C1 to C33 as far as they are about one engine, 2.1 to 2.3, 2.10, 2.11, 2.14). Time is
// virtual, so a wait of 184 days is exact and takes a millisecond.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, settled, twiceproof } from "./subject.mjs";

const { ConflictError, Engine, InvalidKeyError, NonRetryableError, RetryAfterError, RunCancelledError, TestClock } = twiceproof;

function made(options = {}) {
  const clock = new TestClock();
  return { clock, engine: new Engine({ clock, ...options }) };
}

test("c1 c2 c3 enqueue resolves to the very ID, or to a new one; c19 the work may not have begun", async () => {
  const { engine } = made();
  let begun = 0;
  const flow = engine.workflow("sign-up", () => void begun++);
  assert.equal(await flow.enqueue({}, { id: "sign-up:user_1:2026-09" }), "sign-up:user_1:2026-09");
  const [one, two] = [await flow.enqueue({}), await flow.enqueue({})];
  assert.match(one, /^[0-9a-f-]{36}$/);
  assert.notEqual(one, two);
  await engine.idle();
  assert.equal(begun, 3);
});

test("c4 c7 c9 h03 the same ID and payload is the same run, waiting, running and over; 100 callers make one run", async () => {
  const { engine } = made();
  const open = gate();
  let calls = 0;
  const flow = engine.workflow("sign-up", async () => {
    calls++;
    await open.promise;
  });
  const ids = await Promise.all(Array.from({ length: 100 }, () => flow.enqueue({ userId: "1", tags: [1, 2] }, { id: "k" })));
  assert.deepEqual(new Set(ids), new Set(["k"]));
  await settled();
  assert.equal(await flow.enqueue({ tags: [1, 2], userId: "1" }, { id: "k" }), "k");
  open.resolve();
  await engine.idle();
  assert.equal(await flow.enqueue({ userId: "1", tags: [1.0, 2] }, { id: "k" }), "k");
  await engine.idle();
  assert.deepEqual([calls, engine.runs().length], [1, 1]);
});

test("c5 c6 c20 c21 another payload or workflow is a conflict that names what differs; the run is untouched", async () => {
  const { engine } = made();
  const seen = [];
  const flow = engine.workflow("one", (payload) => void seen.push(payload));
  const other = engine.workflow("two", () => {});
  await flow.enqueue({ user: { id: 1 }, list: [1, 2] }, { id: "k" });
  await assert.rejects(flow.enqueue({ user: { id: 2 }, list: [2, 1] }, { id: "k" }), (error) =>
    error instanceof ConflictError && error.kind === "payload" && error.key === "k" &&
    [...error.paths].sort().join() === "payload.list[0],payload.list[1],payload.user.id");
  await assert.rejects(other.enqueue({ user: { id: 1 }, list: [1, 2] }, { id: "k" }), (error) => error instanceof ConflictError && error.kind === "workflow");
  await engine.idle();
  assert.deepEqual(seen, [{ user: { id: 1 }, list: [1, 2] }]);
});

test("c12 c13 h05 h06 h15 IDs are keys, payloads are JSON, and what is refused is not stored", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", () => {});
  for (const id of ["", "a\0b", "\ud800", "a".repeat(256), "é".repeat(128), 42, null]) {
    await assert.rejects(flow.enqueue({}, { id }), InvalidKeyError);
  }
  const cyclic = {};
  cyclic.self = cyclic;
  let deep = {};
  for (let level = 0; level < 10_000; level++) deep = { deep };
  for (const payload of [{ at: new Date() }, { n: 1n }, cyclic, deep, { f() {} }, new Map(), Number.NaN]) {
    await assert.rejects(flow.enqueue(payload), TypeError);
  }
  assert.equal(engine.runs().length, 0);
  for (const id of ["a".repeat(255), "é".repeat(127), "a:b:c", "__proto__"]) assert.equal(await flow.enqueue(null, { id }), id);
  await flow.enqueue("x".repeat(5_000_000), { id: "large" });
  await flow.enqueue(42);
  await flow.enqueue(undefined);
  await engine.idle();
  assert.equal(engine.runs({ status: "succeeded" }).length, 7);
});

test("c31 c33 steps are memoised by name: another attempt of the run takes what finished", async () => {
  const { clock, engine } = made();
  const calls = [];
  const flow = engine.workflow("sign-up", { retries: 2 }, async (payload, ctx) => {
    const user = await ctx.run("save", () => (calls.push(`save ${ctx.attempt}`), { id: payload.userId, list: [1] }));
    user.list.push(2);
    await ctx.run("mail", async (step) => {
      calls.push(`mail ${step.attempt} ${step.key} ${ctx.key("mail")}`);
      if (step.attempt < 3) throw new Error("503");
    });
    return user;
  });
  await flow.enqueue({ userId: "u" }, { id: "r" });
  await clock.advance("1h");
  assert.deepEqual(calls, ["save 1", ...[1, 2, 3].map((attempt) => `mail ${attempt} r:mail r:mail`)]);
  const info = engine.run("r");
  assert.deepEqual([info.status, info.attempts, info.result], ["succeeded", 3, { id: "u", list: [1, 2] }]);
  assert.deepEqual(info.steps.map(({ name, status, attempts }) => [name, status, attempts]), [["save", "done", 1], ["mail", "done", 3]]);
});

test("c22 c24 c37 retries count after the first attempt; a run given up is dead and keeps its ID and its very error", async () => {
  const { clock, engine } = made();
  const error = Object.assign(new Error("no"), { code: "E" });
  let calls = 0;
  const flow = engine.workflow("w", { retries: 4 }, () => { calls++; throw error; });
  await flow.enqueue({}, { id: "r" });
  await clock.advance("1d");
  assert.equal(calls, 5);
  assert.ok(engine.run("r").status === "dead" && engine.run("r").error === error);
  assert.equal(await flow.enqueue({}, { id: "r" }), "r");
  await engine.idle();
  assert.equal(calls, 5);
});

test("2.7 a run's waits: 1 s doubling, exact to the millisecond without jitter; a step's of its own", async () => {
  const { clock, engine } = made();
  const at = [];
  const flow = engine.workflow("w", { retries: 2, jitter: false, steps: { maxAttempts: 2, baseDelayMs: 10, jitter: false } }, async (_, ctx) => {
    await ctx.run("s", () => { at.push(clock.now()); throw new Error("down"); });
  });
  await flow.enqueue({});
  await clock.advance(60_000);
  assert.deepEqual(at, [0, 10, 1010, 1020, 3020, 3030]);
});

test("2.7 stop early, server-told waits, retryIf", async () => {
  const { clock, engine } = made();
  const runs = { final: [], told: [], picky: [] };
  const final = engine.workflow("final", { retries: 5 }, () => { runs.final.push(clock.now()); throw new NonRetryableError("no such user"); });
  const told = engine.workflow("told", { retries: 1, jitter: false }, () => { runs.told.push(clock.now()); throw new RetryAfterError("busy", { delayMs: 90_000 }); });
  const picky = engine.workflow("picky", { retries: 5, retryIf: (error) => error.message !== "2" }, () => {
    runs.picky.push(clock.now());
    throw new Error(String(runs.picky.length));
  });
  for (const flow of [final, told, picky]) await flow.enqueue({});
  await clock.advance("1d");
  assert.deepEqual([runs.final.length, runs.told, runs.picky.length], [1, [0, 90_000], 2]);
});

test("2.10 a step's name used twice in a run is refused, with an index it is two steps", async () => {
  const { clock, engine } = made();
  const twice = engine.workflow("twice", async (_, ctx) => {
    await ctx.run("s", () => 1);
    await ctx.run("s", () => 2);
  });
  const indexed = engine.workflow("indexed", async (_, ctx) => {
    const values = [];
    for (let index = 0; index < 3; index++) values.push(await ctx.run("s", () => index, { index }));
    return values;
  });
  await twice.enqueue({}, { id: "a" });
  await indexed.enqueue({}, { id: "b" });
  await clock.advance("1d");
  assert.deepEqual([engine.run("a").status, engine.run("a").attempts], ["dead", 1]);
  assert.match(engine.run("a").error.message, /the step name "s" was used before/);
  assert.deepEqual(engine.run("b").result, [0, 1, 2]);
});

test("2.10 h33 h35 a result that cannot be saved fails the step at once, by name and path, and is not retried", async () => {
  const { clock, engine } = made();
  const cyclic = {};
  cyclic.self = cyclic;
  let calls = 0;
  const bad = { date: new Date(0), map: { tags: new Map([["a", 1]]) }, big: { n: 10n }, cyclic };
  for (const [name, value] of Object.entries(bad)) {
    const flow = engine.workflow(name, { retries: 3, steps: { maxAttempts: 3 } }, (_, ctx) => ctx.run("load", () => (calls++, value)));
    await flow.enqueue({}, { id: name });
  }
  const nothing = engine.workflow("nothing", { retries: 1 }, async (_, ctx) => {
    const value = await ctx.run("nothing", () => undefined);
    if (ctx.attempt === 1) throw new Error("again");
    return value === undefined;
  });
  await nothing.enqueue({}, { id: "nothing" });
  await clock.advance("1d");
  assert.equal(calls, 4);
  for (const name of Object.keys(bad)) assert.equal(engine.run(name).status, "dead");
  assert.match(engine.run("map").error.message, /^the step "load" returned what cannot be saved: result\.tags: Map; pass Object\.fromEntries/);
  assert.equal(engine.run("nothing").result, true);
});

test("2.14 h40 sleep and runAt: 30 days to the millisecond, never early", async () => {
  const { clock, engine } = made();
  const DAY = 86_400_000;
  const at = [];
  const flow = engine.workflow("w", async (_, ctx) => {
    at.push(clock.now());
    await ctx.sleep("month", "30d");
    at.push(clock.now());
    if (ctx.attempt === 1) throw new Error("again");
  });
  await flow.enqueue({}, { runAt: 2 * DAY });
  await clock.advance(2 * DAY - 1);
  assert.deepEqual(at, []);
  await clock.advance(1);
  await clock.advance(30 * DAY - 1);
  assert.deepEqual(at, [2 * DAY]);
  assert.equal(engine.runs()[0].steps[0].status, "sleeping");
  await clock.advance("1h");
  assert.equal(at.length, 4, "another attempt does not sleep again");
  assert.equal(at[1], 32 * DAY);
  await engine.idle();
});

test("2.14 h40 the machine's clock: a run 30 days ahead is pending after a second, and close leaves no timer", async () => {
  const engine = new Engine();
  const flow = engine.workflow("w", () => {});
  await flow.enqueue({}, { id: "r", runAt: Date.now() + 30 * 86_400_000 });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal(engine.run("r").status, "pending");
  const idle = engine.idle();
  await engine.close();
  // Nothing will run any more: whoever waits for that is let go, before and after.
  await idle;
  await engine.idle();
  assert.ok(!process.getActiveResourcesInfo().includes("Timeout"));
  await assert.rejects(flow.enqueue({}), /closed/);
});

test("2.11 cancel: waiting at once, sleeping at once, running before its next step; the ID stays taken", async () => {
  const { clock, engine } = made();
  const open = gate();
  const seen = [];
  const flow = engine.workflow("w", async (payload, ctx) => {
    if (payload === "sleeps") await ctx.sleep("long", "1d");
    ctx.signal.addEventListener("abort", () => seen.push(ctx.signal.reason.name));
    await ctx.run("a", () => open.promise);
    seen.push("after a");
    await ctx.run("b", () => seen.push("b"));
  });
  await flow.enqueue("later", { id: "waiting", runAt: 1000 });
  await flow.enqueue("sleeps", { id: "sleeping" });
  await flow.enqueue("runs", { id: "running" });
  await settled();
  assert.deepEqual(["waiting", "sleeping", "running"].map((id) => engine.cancel(id)), [true, true, true]);
  await settled();
  assert.deepEqual(["waiting", "sleeping", "running"].map((id) => engine.run(id).status), ["cancelled", "cancelled", "running"]);
  assert.deepEqual(engine.run("sleeping").steps.map(({ status }) => status), ["cancelled"], "it sleeps no more");
  open.resolve();
  await engine.idle();
  assert.deepEqual(seen, ["RunCancelledError", "after a"]);
  assert.deepEqual(engine.run("running").steps.map(({ status }) => status), ["done"]);
  assert.deepEqual([engine.run("running").status, engine.cancel("running"), engine.cancel("nobody")], ["cancelled", false, false]);
  assert.equal(await flow.enqueue("runs", { id: "running" }), "running");
  await clock.advance("2d");
  assert.equal(engine.run("running").status, "cancelled");
  assert.equal(new RunCancelledError("r").runId, "r");
});

test("steps of one run side by side", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", { steps: { maxAttempts: 3, baseDelayMs: 0 } }, async (_, ctx) => {
    let fails = 2;
    return Promise.all([
      ctx.run("a", async () => { await settled(); return 1; }),
      ctx.run("b", async () => { if (fails-- > 0) throw new Error("b"); return 2; }),
      ctx.run("c", () => 3),
    ]);
  });
  await flow.enqueue({}, { id: "r" });
  await engine.idle();
  assert.deepEqual(engine.run("r").result, [1, 2, 3]);
});

test("h43 a step and a listener may call anything of the engine", async () => {
  const { engine } = made();
  const types = [];
  engine.on("entry", ({ type }) => {
    types.push(type);
    engine.runs();
    engine.journal();
  });
  const child = engine.workflow("child", () => {});
  const parent = engine.workflow("parent", async (_, ctx) => {
    await ctx.run("spawn", async () => {
      engine.run("p");
      await child.enqueue({}, { id: "c" });
    });
  });
  await parent.enqueue({}, { id: "p" });
  await engine.idle();
  assert.deepEqual(engine.runs().map(({ id, status }) => [id, status]), [["p", "succeeded"], ["c", "succeeded"]]);
  assert.deepEqual(types, engine.journal().slice(1).map(({ type }) => type));
});

test("h42 the journal is plain objects and JSON lines, the provider's side included", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", async (payload, ctx) => {
    await ctx.run("mail", (step) => [ctx.effect(step.key), step.effect(step.key, { known: true })]);
    return JSON.stringify(payload);
  });
  await flow.enqueue({ a: { b: 1 }, list: [{ c: 2 }] }, { id: "r" });
  await engine.idle();
  assert.equal(engine.run("r").result, '{"a":{"b":1},"list":[{"c":2}]}');
  const [header, ...lines] = engine.journalText().trimEnd().split("\n");
  assert.deepEqual(JSON.parse(header), { twiceproof: "journal", version: 1 });
  assert.deepEqual(lines.map((line) => JSON.parse(line)), engine.journal());
  assert.deepEqual(engine.journal().map(({ type }) => type), [
    "opened", "workflow-defined", "run-queued", "run-started", "step-found", "attempt-started", "request-arrived", "effect-done",
    "request-arrived", "provider-knew-key", "attempt-succeeded", "run-succeeded",
  ]);
  assert.equal(engine.journal()[6].key, "r:mail");
});

test("2.13 options of the engine and of workflows are checked when they are made", () => {
  for (const bad of [{ workers: 0 }, { workers: "2" }, { seed: -1 }, { seed: 0.5 }, { clock: {} }, { worker: 1 }, { clock: { now: () => Number.NaN, wakeAt() {} } }]) {
    assert.throws(() => new Engine(bad), Error);
  }
  const { engine } = made();
  assert.throws(() => engine.workflow("", () => {}), InvalidKeyError);
  assert.throws(() => engine.workflow("w"), TypeError);
  assert.throws(() => engine.workflow("w", { retries: -1 }, () => {}), RangeError);
  assert.throws(() => engine.workflow("w", { steps: { factor: 0 } }, () => {}), RangeError);
  engine.workflow("w", () => {});
  assert.throws(() => engine.workflow("w", () => {}), /defined already/);
  assert.throws(() => engine.on("entries", () => {}), TypeError);
  assert.throws(() => new TestClock(-1), RangeError);
});

test("workers limit the runs under way", async () => {
  const { engine } = made({ workers: 2 });
  let [now, peak] = [0, 0];
  const flow = engine.workflow("w", async () => {
    peak = Math.max(peak, ++now);
    await settled();
    now--;
  });
  for (let run = 0; run < 6; run++) await flow.enqueue({});
  await engine.idle();
  assert.equal(peak, 2);
});
