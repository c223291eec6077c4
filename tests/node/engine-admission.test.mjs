// Requests for runs from Node (SEMANTICS 1C, 2.1 to 2.4): the table of four rows and five states, and what a request may want
// of a run that exists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, settled, twiceproof } from "./subject.mjs";

const { ConflictError, Engine, InvalidKeyError, RunCancelledError, TestClock } = twiceproof;

const DAY = 86_400_000;
const STATES = ["pending", "running", "succeeded", "cancelled", "dead"];
const PAYLOAD = { order: { id: "ord_1", items: [1, 2] } };

/** An engine with a run "r" in a state, and what its handler did. */
async function withRun(state, options = {}) {
  const clock = new TestClock();
  const engine = new Engine({ clock, autoPrune: false });
  const open = gate();
  const calls = { handler: 0, first: 0, second: 0 };
  const flow = engine.workflow("fulfil", { retries: 0, ...options }, async (_, ctx) => {
    calls.handler++;
    await ctx.run("first", () => void calls.first++);
    await ctx.run("second", async () => {
      calls.second++;
      if (state === "running" && calls.second === 1) await open.promise;
      if (state === "dead" && calls.second === 1) throw new Error("no");
    });
  });
  const other = engine.workflow("other", () => {});
  await flow.enqueue(PAYLOAD, { id: "r", ...(["pending", "cancelled"].includes(state) ? { runAt: DAY } : {}) });
  if (state === "cancelled") engine.cancel("r");
  await clock.advance(1);
  assert.equal(engine.run("r").status, state);
  return { clock, engine, flow, other, calls, open };
}

for (const state of STATES) {
  test(`2.15 c3 a new ID beside a ${state} run makes a run`, async () => {
    const { engine, flow } = await withRun(state);
    const result = await flow.enqueueDetailed(PAYLOAD, { id: "r2" });
    assert.deepEqual([result.id, result.created, result.outcome, engine.runs().length], ["r2", true, "created", 2]);
  });

  test(`2.15 c4 c7 c14 c15 c16 c17 c18 c22 the same ID, workflow and payload returns the ${state} run, unchanged`, async () => {
    const { clock, engine, flow, calls } = await withRun(state);
    const before = engine.run("r");
    const again = { order: { items: [1, 2], id: "ord_1" } };
    const result = await flow.enqueueDetailed(again, { id: "r", runAt: 5 });
    assert.deepEqual(result, {
      id: "r", workflow: "fulfil", outcome: "existing", created: false, status: state, attempts: before.attempts,
      ...(before.endedAt === undefined ? {} : { retainedUntil: before.endedAt + 184 * DAY }),
    });
    assert.equal(await flow.enqueue(again, { id: "r" }), "r");
    await settled();
    assert.deepEqual(engine.run("r"), before);
    assert.equal(engine.runs().length, 1);
    const handled = calls.handler;
    if (before.endedAt !== undefined) await clock.advance("30d");
    assert.equal(calls.handler, handled);
  });

  test(`2.15 c5 c6 2.1 another workflow or payload conflicts with the ${state} run, before its state is looked at`, async () => {
    const { engine, flow, other } = await withRun(state);
    const before = engine.run("r");
    for (const onExisting of ["return", "restartFailed", "reject", "replaceRunning"]) {
      await assert.rejects(other.enqueue(PAYLOAD, { id: "r", onExisting }), (error) => error instanceof ConflictError && error.kind === "workflow" && error.code === "ERR_CONFLICT");
      const secret = "the earlier value is nobody's business";
      await assert.rejects(flow.enqueue({ order: { id: secret, items: [1, "2", 3] }, more: 1 }, { id: "r", onExisting }), (error) => {
        assert.deepEqual(error.differences, [
          { path: "payload.more", kind: "extra" }, { path: "payload.order.id", kind: "value" }, { path: "payload.order.items[1]", kind: "type" },
          { path: "payload.order.items[2]", kind: "extra" },
        ]);
        assert.deepEqual([error.kind, error.more, error.key], ["payload", 0, "r"]);
        assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /ord_1/);
        return true;
      });
    }
    assert.deepEqual(engine.run("r"), before);
    assert.equal(engine.runs().length, 1);
  });

  test(`2.15 2.2 onExisting reject refuses the ${state} run`, async () => {
    const { engine, flow } = await withRun(state);
    await assert.rejects(flow.enqueue(PAYLOAD, { id: "r", onExisting: "reject" }), (error) =>
      error instanceof ConflictError && error.kind === "exists" && error.message.endsWith(`is ${state}`));
    assert.equal(engine.runs().length, 1);
    assert.equal(await flow.enqueue(PAYLOAD, { id: "new", onExisting: "reject" }), "new");
  });

  test(`2.15 2.2 onExisting restartFailed with a ${state} run: only a dead one is started again, its finished steps kept`, async () => {
    const { engine, flow, calls, open } = await withRun(state);
    const result = await flow.enqueueDetailed(PAYLOAD, { id: "r", onExisting: "restartFailed" });
    assert.deepEqual([result.outcome, result.created], [state === "dead" ? "restarted" : "existing", false]);
    open.resolve();
    if (state === "dead") {
      assert.equal(result.status, "running");
      await engine.idle();
      assert.deepEqual([engine.run("r").status, engine.run("r").attempts, calls], ["succeeded", 2, { handler: 2, first: 1, second: 2 }]);
    }
    assert.equal(engine.runs().length, 1);
  });

  test(`2.15 2.2 onExisting replaceRunning with a ${state} run: one that waits or runs is cancelled, and a new one has its ID`, async () => {
    const { engine, flow, calls, open } = await withRun(state);
    const result = await flow.enqueueDetailed(PAYLOAD, { id: "r", onExisting: "replaceRunning" });
    const replaces = state === "pending" || state === "running";
    assert.deepEqual([result.outcome, result.created], replaces ? ["replaced", true] : ["existing", false]);
    if (!replaces) return;
    await settled();
    open.resolve();
    await engine.idle();
    assert.deepEqual(engine.runs().map(({ id, status }) => [id, status]), [["r", "cancelled"], ["r", "succeeded"]]);
    assert.deepEqual(engine.run("r").origin, { kind: "replacement", of: 0 });
    assert.equal(calls.handler, state === "running" ? 2 : 1);
    assert.equal(calls.second, state === "running" ? 2 : 1);
  });
}

test("2.2 a replaced run's handler is told, and nothing that it still does counts", async () => {
  const clock = new TestClock();
  const engine = new Engine({ clock });
  const open = gate();
  const reasons = [];
  let handlers = 0;
  const flow = engine.workflow("w", async (_, ctx) => {
    const mine = handlers++;
    ctx.signal.addEventListener("abort", () => reasons.push(ctx.signal.reason));
    await ctx.run("a", () => (mine === 0 ? open.promise : "second"));
    return ctx.run("b", () => mine);
  });
  await flow.enqueue(1, { id: "r" });
  await settled();
  await flow.enqueue(1, { id: "r", onExisting: "replaceRunning" });
  open.resolve("first");
  await engine.idle();
  assert.ok(reasons.length === 1 && reasons[0] instanceof RunCancelledError);
  assert.deepEqual(engine.run("r").result, 1);
});

test("2.2 restartFailed with fresh does finished steps again, and has a new budget of attempts", async () => {
  const { clock, engine, flow, calls } = await withRun("dead", { retries: 0 });
  await flow.enqueue(PAYLOAD, { id: "r", onExisting: "restartFailed", fresh: true });
  await clock.advance("1d");
  assert.deepEqual([engine.run("r").status, calls], ["succeeded", { handler: 2, first: 2, second: 2 }]);
  await assert.rejects(flow.enqueue(PAYLOAD, { id: "r", fresh: true }), { option: "fresh" });
  await assert.rejects(flow.enqueue(PAYLOAD, { id: "r", onExisting: "restartFailed", fresh: 1 }), { option: "fresh" });
  await assert.rejects(flow.enqueue(PAYLOAD, { id: "r", onExisting: "restart afresh" }), { option: "onExisting" });
});

test("2.2 2.7 a dead run that is started again has its whole budget; its attempts, and its steps', are numbered on", async () => {
  const clock = new TestClock();
  const engine = new Engine({ clock });
  const asked = [];
  const begun = [];
  const options = {
    retries: 2, baseDelayMs: 100, jitter: false, steps: { retries: 1, baseDelayMs: 10, jitter: false },
    retryIf: (_, failed) => { asked.push(failed); return failed <= 3; },
  };
  const flow = engine.workflow("w", options, async (_, ctx) => {
    begun.push([clock.now(), "run", ctx.attempt]);
    await ctx.run("a", (step) => {
      begun.push([clock.now(), "step", step.attempt]);
      throw new Error("no");
    });
  });
  const passes = (at, pass) => [0, 1, 2].flatMap((n) => {
    // Each pass takes the 10 ms that its step waits; before the second and third come 100 and 200.
    const start = at + [0, 110, 320][n];
    return [[start, "run", pass + n], [start, "step", 2 * (pass + n) - 1], [start + 10, "step", 2 * (pass + n)]];
  });
  await flow.enqueue(1, { id: "r" });
  await clock.advance(1_000);
  assert.deepEqual([engine.run("r").status, engine.run("r").reason, engine.run("r").attempts], ["dead", "attempts-used", 3]);
  assert.deepEqual(begun, passes(0, 1));
  const failures = asked.splice(0);
  begun.length = 0;
  const again = await flow.enqueueDetailed(1, { id: "r", onExisting: "restartFailed" });
  assert.deepEqual([again.outcome, again.attempts], ["restarted", 4]);
  await clock.advance(1_000);
  assert.deepEqual([engine.run("r").status, engine.run("r").reason, engine.run("r").attempts], ["dead", "attempts-used", 6]);
  assert.deepEqual(begun, passes(1_000, 4), "three passes of two calls, with the same waits");
  assert.deepEqual(asked, failures, "retryIf is told how many attempts of the budget have failed");
  assert.deepEqual(engine.run("r").steps.map(({ attempts }) => attempts), [12]);
});

test("h01 colons in IDs are characters like others", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const flow = engine.workflow("w", (payload) => payload);
  const ids = ["a:b", "a:b:c", "a:b:c:d", "fulfill-order:ord_123"];
  for (const id of ids) assert.equal(await flow.enqueue(id, { id }), id);
  await engine.idle();
  assert.deepEqual(ids.map((id) => engine.run(id).result), ids);
});

test("h04 two workflows with one ID: the second is refused and the first runs with its own payload", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const ran = [];
  const one = engine.workflow("task_1", (payload) => void ran.push(["task_1", payload]));
  const two = engine.workflow("task_2", (payload) => void ran.push(["task_2", payload]));
  await one.enqueue({ foo: "bar" }, { id: "1" });
  await assert.rejects(two.enqueue({ foo: "bar" }, { id: "1" }), { kind: "workflow", message: 'the ID "1" belongs to a run of "task_1", not of "task_2"' });
  await engine.idle();
  assert.deepEqual(ran, [["task_1", { foo: "bar" }]]);
});

test("h05 the ID's length is counted in bytes, before anything is stored", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const flow = engine.workflow("w", () => {});
  const ids = [["a".repeat(255), true], ["a".repeat(256), false], ["é".repeat(127), true], ["é".repeat(128), false],
    [`${"\u{1F600}".repeat(63)}abc`, true], ["\u{1F600}".repeat(64), false], ["", false], ["\ud800", false]];
  for (const [id, good] of ids) {
    if (good) assert.equal(await flow.enqueue(1, { id }), id);
    else await assert.rejects(flow.enqueue(1, { id }), InvalidKeyError);
  }
  assert.equal(engine.runs().length, 3);
});

test("h06 NUL: refused in an ID, whole in a payload", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const flow = engine.workflow("w", (payload) => payload);
  await assert.rejects(flow.enqueue(1, { id: "a\0b" }), InvalidKeyError);
  await flow.enqueue({ t: "x\0y" }, { id: "r" });
  await engine.idle();
  assert.deepEqual(engine.run("r").result, { t: "x\0y" });
});

test("h14 c20 keys in another order at any depth are the same payload, lists in another order are not", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const flow = engine.workflow("w", () => {});
  await flow.enqueue({ name: "A", age: 1, address: { street: "S", number: 2 }, list: [1, 2] }, { id: "x" });
  assert.equal(await flow.enqueue({ list: [1, 2], address: { number: 2, street: "S" }, age: 1, name: "A" }, { id: "x" }), "x");
  await assert.rejects(flow.enqueue({ name: "A", age: 1, address: { street: "S", number: 2 }, list: [2, 1] }, { id: "x" }), { kind: "payload" });
});

test("2.3 c21 fingerprint: volatile fields are left out of the comparison, by workflow or by call", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const seen = [];
  const flow = engine.workflow("w", { fingerprint: { omit: ["receivedAt", "items.*.seenAt"] } }, (payload) => void seen.push(payload.receivedAt));
  const at = (receivedAt, n = 1) => ({ receivedAt, items: [{ n, seenAt: receivedAt }] });
  await flow.enqueue(at(1), { id: "r" });
  assert.equal((await flow.enqueueDetailed(at(2), { id: "r" })).created, false);
  await assert.rejects(flow.enqueue(at(2, 5), { id: "r" }), (error) => error.paths.join() === "payload.items[0].n");
  const plain = engine.workflow("plain", () => {});
  await plain.enqueue({ a: 1, b: 1 }, { id: "p", fingerprint: { pick: ["a"] } });
  assert.equal((await plain.enqueueDetailed({ a: 1, b: 2 }, { id: "p", fingerprint: { pick: ["a"] } })).outcome, "existing");
  await engine.idle();
  assert.deepEqual(seen, [1], "the handler gets all of it");
  const empty = { option: "fingerprint.omit", message: 'fingerprint.omit needs a path such as "meta.traceId" at every place of its list, got ""' };
  assert.throws(() => engine.workflow("bad", { fingerprint: { omit: ["a", ""] } }, () => {}), empty);
  for (const [fingerprint, option] of [[{ omit: ["a..b"] }, "fingerprint.omit"], [{ pick: "a" }, "fingerprint.pick"], [{ omit: [7] }, "fingerprint.omit"]]) {
    assert.throws(() => engine.workflow("bad", { fingerprint }, () => {}), { option });
  }
  const both = { option: "fingerprint", message: "fingerprint needs one of omit and pick, got both" };
  assert.throws(() => engine.workflow("bad", { fingerprint: { omit: ["a"], pick: ["b"] } }, () => {}), both);
  await assert.rejects(plain.enqueue(1, { id: "q", fingerprint: { omit: [], pick: [] } }), both);
  assert.equal(engine.run("q"), undefined);
});

test("2.3 a payload too long to be kept in the journal is compared all the same, and its places are named", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const flow = engine.workflow("w", () => {});
  const payload = (tail) => ({ text: "x".repeat(20_000), tail, list: Array.from({ length: 50 }, () => tail) });
  await flow.enqueue(payload(1), { id: "r" });
  assert.equal(await flow.enqueue(payload(1), { id: "r" }), "r");
  await assert.rejects(flow.enqueue(payload(2), { id: "r" }), (error) => error.differences.length === 20 && error.more === 31);
});

test("a batch is the single form in a loop: one result for each item", async () => {
  const engine = new Engine({ clock: new TestClock() });
  const flow = engine.workflow("w", () => {});
  const results = await flow.enqueueMany([{ payload: 1, id: "a" }, { payload: 1, id: "a" }, { payload: 2, id: "a" }, { payload: 3, id: "" }, { payload: 4 }]);
  assert.deepEqual(results.map(({ status, value, reason }) => value?.outcome ?? reason.code ?? status), ["created", "existing", "ERR_CONFLICT", "ERR_INVALID_KEY", "created"]);
  assert.equal(engine.runs().length, 2);
  await assert.rejects(flow.enqueueMany("no"), { option: "items" });
});

test("c26 c31 retainedUntil: absent until it is over, then its end and 184 days; Infinity for ever", async () => {
  const clock = new TestClock();
  const engine = new Engine({ clock });
  const flow = engine.workflow("w", (_, ctx) => ctx.sleep("s", 1_000));
  const ever = engine.workflow("ever", { retention: "forever" }, () => {});
  assert.equal("retainedUntil" in (await flow.enqueueDetailed(1, { id: "r" })), false);
  await ever.enqueue(1, { id: "e" });
  await clock.advance(1_000);
  assert.deepEqual([engine.run("r").retainedUntil, engine.run("e").retainedUntil], [1_000 + 184 * DAY, Infinity]);
});

test("s2.3 of what is picked or omitted, a conflict names the member that is missing, and an omitted list may differ", async () => {
  const engine = new Engine();
  const flow = engine.workflow("w", () => {});
  const picked = { id: "p", fingerprint: { pick: ["id"] } };
  await flow.enqueue({ id: 1, x: 1 }, picked);
  await assert.rejects(async () => flow.enqueue({ x: 1 }, picked), (error) => {
    assert.deepEqual(error.differences, [{ path: "payload.id", kind: "missing" }]);
    return true;
  });
  const omitted = { id: "o", fingerprint: { omit: ["a.*"] } };
  await flow.enqueue({ a: [1, 2] }, omitted);
  assert.equal((await flow.enqueueDetailed({ a: [3] }, omitted)).outcome, "existing");
});
