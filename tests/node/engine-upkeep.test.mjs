// Runs that are over (SEMANTICS C25 to C30, 2.8, 2.11): how long they are kept, removing them, doing dead ones again, pausing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, settled, twiceproof } from "./subject.mjs";

const { ConflictError, Engine, InvalidKeyError, NotFoundError, RunStateError, TestClock } = twiceproof;

const DAY = 86_400_000;

function made(options = {}) {
  const clock = new TestClock();
  return { clock, engine: new Engine({ clock, autoPrune: false, ...options }) };
}

for (const [at, pruned] of [[-1, []], [0, ["r"]], [1, ["r"]]]) {
  test(`c25 c26 c30 a run at ${at} ms from 184 days after its end: ${pruned.length} removed`, async () => {
    const { clock, engine } = made();
    const calls = [];
    const flow = engine.workflow("w", async (_, ctx) => {
      await ctx.run("s", () => void calls.push(clock.now()));
      await ctx.sleep("late", 1_000);
    });
    await flow.enqueue(1, { id: "r" });
    await clock.advance(1_000);
    await clock.advance(184 * DAY + at);
    const { outcome } = await flow.enqueueDetailed(1, { id: "r" });
    assert.equal(outcome, "existing", "until a prune really removes it");
    assert.deepEqual(engine.prune(), { runs: pruned, events: [], more: false });
    assert.equal((await flow.enqueueDetailed(1, { id: "r" })).created, pruned.length > 0);
    await clock.advance(1_000);
    assert.equal(calls.length, 1 + pruned.length, "a fresh run has no old steps");
  });
}

test("c27 c28 prune is bounded, the oldest end first, and touches nothing that waits or runs", async () => {
  const { clock, engine } = made({ retention: "1h" });
  const open = gate();
  const flow = engine.workflow("w", (payload) => (payload === "runs" ? open.promise : undefined));
  await flow.enqueue("runs", { id: "running" });
  await flow.enqueue("waits", { id: "pending", runAt: 400 * DAY });
  for (const id of ["a", "b", "c"]) {
    await flow.enqueue(id, { id });
    await clock.advance(1);
  }
  await clock.advance("2h");
  assert.deepEqual(engine.prune({ limit: 2 }), { runs: ["a", "b"], events: [], more: true });
  assert.deepEqual(engine.prune({ limit: 2 }), { runs: ["c"], events: [], more: false });
  assert.deepEqual(engine.prune(), { runs: [], events: [], more: false });
  assert.deepEqual(engine.runs().map(({ id, status }) => [id, status]), [["running", "running"], ["pending", "pending"]]);
  for (const limit of [0, -1, 1.5, "2", Number.NaN]) assert.throws(() => engine.prune({ limit }), { option: "limit" });
  open.resolve();
  await settled();
});

test("c27 c30 an ID that only repeats ask for is free again after its time", async () => {
  const { clock, engine } = made({ retention: "1h", autoPrune: true });
  let ran = 0;
  const digest = engine.workflow("digest", () => { ran++; });
  const outcomes = [];
  for (let day = 0; day < 4; day++) {
    for (const payload of [day, day]) outcomes.push((await digest.enqueueDetailed(payload, { id: "digest:7" })).outcome);
    await engine.idle();
    await clock.advance("1d");
  }
  assert.deepEqual(outcomes, Array(4).fill(["created", "existing"]).flat());
  assert.equal(ran, 4);
});

test("c29 retention: for ever, and of a workflow's own", async () => {
  const { clock, engine } = made({ retention: "10d" });
  const ever = engine.workflow("ever", { retention: "forever" }, () => {});
  const short = engine.workflow("short", { retention: 1_000 }, () => {});
  const plain = engine.workflow("plain", () => {});
  for (const flow of [ever, short, plain]) await flow.enqueue(1, { id: flow.name });
  await engine.idle();
  assert.deepEqual(["ever", "short", "plain"].map((id) => engine.run(id).retainedUntil), [Infinity, 1_000, 10 * DAY]);
  await clock.advance(1_000);
  assert.deepEqual(engine.prune().runs, ["short"]);
  await clock.advance("3650d");
  assert.deepEqual(engine.prune().runs, ["plain"]);
  assert.equal(engine.run("ever").status, "succeeded");
});

test("c27 what was kept for its time goes beside other work, a hundred at a time, and keeps nobody awake", async () => {
  const { clock, engine } = made({ retention: "1h", autoPrune: true });
  const flow = engine.workflow("w", () => {});
  for (let run = 0; run < 150; run++) await flow.enqueue(run, { id: `r${run}` });
  await clock.advance("2h");
  assert.equal(engine.runs().length, 150, "nothing happens by itself");
  await flow.enqueue(1, { id: "x" });
  const left = [];
  engine.on("entry", ({ type }) => type === "run-pruned" && left.push(type));
  await engine.idle();
  await clock.advance(1);
  assert.deepEqual([engine.runs().length, left.length], [1, 50], "a hundred went in the pass before");
  await clock.advance(10);
  assert.equal(engine.runs().length, 1, "the new one is kept for its time");
});

test("events are removed with the runs they began, the history stays right", async () => {
  const { clock, engine } = made({ retention: "1h" });
  engine.workflow("w", { on: "e" }, (_, ctx) => ctx.sleep("s", "1d"));
  await engine.send({ name: "e", data: 1 });
  await engine.send({ name: "nobody", data: 2 });
  await clock.advance("2h");
  assert.deepEqual(engine.prune(), { runs: [], events: [1], more: false });
  assert.deepEqual(engine.events().map(({ number }) => number), [0]);
  const { number } = await engine.send({ name: "nobody" });
  assert.equal(number, 2, "numbers are never used again");
});

test("c23 2.11 redrive: a dead run is done again as a new one; of several, one result for each", async () => {
  const { clock, engine } = made();
  let fails = true;
  const seen = [];
  const flow = engine.workflow("w", { retries: 0 }, async (payload, ctx) => {
    await ctx.run("s", () => void seen.push([ctx.runId, payload]));
    if (fails) throw new Error("no");
  });
  for (const id of ["a", "b"]) await flow.enqueue({ id }, { id });
  await engine.idle();
  fails = false;
  await flow.enqueue({ id: "c" }, { id: "c" });
  await engine.idle();
  const one = await engine.redrive("a", { newId: "a:2" });
  assert.deepEqual([one.id, one.created], ["a:2", true]);
  const all = await engine.redrive(["a", "b", "c", "nobody"], { newId: (id) => `${id}:2` });
  assert.deepEqual(all.map(({ value, reason }) => value?.id ?? reason.constructor), [ConflictError, "b:2", RunStateError, NotFoundError]);
  const [{ value: unnamed }] = await engine.redrive(["a"]);
  assert.match(unnamed.id, /^[0-9a-f-]{36}$/);
  await assert.rejects(engine.redrive("a", { newId: "" }), InvalidKeyError);
  await assert.rejects(engine.redrive("c"), (error) => error instanceof RunStateError && error.status === "succeeded" && error.code === "ERR_RUN_STATE");
  await clock.advance("1d");
  assert.deepEqual(engine.run("a:2").origin, { kind: "redrive", from: "a" });
  assert.deepEqual([engine.run("a").status, engine.run("a:2").status, engine.run("b:2").status], ["dead", "succeeded", "succeeded"]);
  assert.deepEqual(seen.filter(([id]) => id === "a:2"), [["a:2", { id: "a" }]], "its payload, and its steps anew");
  const handled = (await flow.enqueueDetailed({ id: "a" }, { id: "a:2" })).outcome;
  assert.equal(handled, "existing", "the payload is compared as that of any run");
});

test("a run that an event started and that died is done again with its event", async () => {
  const { engine } = made();
  let fails = true;
  const seen = [];
  engine.workflow("w", { on: "e", retries: 0 }, (_, { event }) => {
    seen.push(event.id);
    if (fails) throw new Error("no");
  });
  const { outcomes: [{ runId }] } = await engine.send({ name: "e", id: "evt_1" });
  await engine.idle();
  fails = false;
  await engine.redrive(runId);
  await engine.idle();
  assert.deepEqual(seen, ["evt_1", "evt_1"]);
});

test("forget removes a run that is over, frees its ID and stays in the journal; h02 only its own", async () => {
  const { engine } = made();
  const open = gate();
  const flow = engine.workflow("w", (payload) => (payload === "open" ? open.promise : undefined));
  await flow.enqueue(1, { id: "r" });
  await flow.enqueue("open", { id: "o" });
  await settled();
  await assert.rejects(engine.forget("o"), (error) => error instanceof RunStateError && error.status === "running");
  await assert.rejects(engine.forget("nobody"), NotFoundError);
  await assert.rejects(engine.forget("r", { note: 7 }), { option: "note" });
  await assert.rejects(engine.forget("r", { note: "x".repeat(1_001) }), { option: "note" });
  await engine.forget("r", { note: "asked by the customer" });
  assert.equal(engine.run("r"), undefined);
  const { type, run, note } = engine.journal().at(-1);
  assert.deepEqual([type, run, note], ["run-forgotten", 0, "asked by the customer"]);
  assert.equal((await flow.enqueueDetailed(2, { id: "r" })).created, true);
  const replaced = await flow.enqueueDetailed("open", { id: "o", onExisting: "replaceRunning" });
  assert.equal(replaced.outcome, "replaced");
  open.resolve();
  await engine.idle();
  await engine.forget("o");
  assert.deepEqual(engine.runs().map(({ id, status }) => [id, status]), [["o", "cancelled"], ["r", "succeeded"]]);
});

test("h02 pruning an old run does not free the ID that a newer one has", async () => {
  const { clock, engine } = made({ retention: 10 });
  const flow = engine.workflow("w", (_, ctx) => ctx.sleep("s", 1_000));
  await flow.enqueue(1, { id: "d" });
  await settled();
  await flow.enqueue(1, { id: "d", onExisting: "replaceRunning" });
  await clock.advance(20);
  assert.deepEqual(engine.prune().runs, ["d"]);
  assert.equal((await flow.enqueueDetailed(1, { id: "d" })).outcome, "existing");
  assert.deepEqual(engine.runs().map(({ number, status }) => [number, status]), [[1, "running"]]);
});

test("2.11 pause: nothing new starts, what runs goes on, others too; idle does not wait for it", async () => {
  const { clock, engine } = made();
  const open = gate();
  const ran = [];
  const flow = engine.workflow("w", async (payload) => {
    if (payload === 1) await open.promise;
    ran.push(payload);
  });
  const other = engine.workflow("other", () => void ran.push("other"));
  await flow.enqueue(1);
  await settled();
  assert.equal(engine.pause("w"), true);
  assert.equal(flow.paused, true);
  await flow.enqueue(2, { id: "two" });
  await flow.enqueue(3, { id: "three", runAt: 50 });
  await other.enqueue(0);
  open.resolve();
  await engine.idle();
  await clock.advance(100);
  assert.deepEqual([ran, engine.run("two").status], [["other", 1], "pending"]);
  assert.deepEqual([flow.resume(), flow.resume(), flow.paused], [true, false, false]);
  await engine.idle();
  assert.deepEqual(ran, ["other", 1, 2, 3]);
  assert.throws(() => engine.pause("nobody"), NotFoundError);
});

test("h34 a saved result belongs to a step's name: renamed and new steps run, removed ones are ignored", async () => {
  for (const later of [["a", "b2", "c"], ["a", "new", "b", "c"], ["a", "c"]]) {
    const { clock, engine } = made();
    const calls = [];
    const flow = engine.workflow("w", { retries: 1 }, async (_, ctx) => {
      const results = [];
      for (const step of ctx.attempt === 1 ? ["a", "b"] : later) {
        results.push(await ctx.run(step, () => (calls.push(`${ctx.attempt}${step}`), `${step} of ${ctx.attempt}`)));
      }
      if (ctx.attempt === 1) throw new Error("stopped before c");
      return results;
    });
    await flow.enqueue(1, { id: "r" });
    await clock.advance("1h");
    const finished = ["a", "b"];
    assert.deepEqual(engine.run("r").result, later.map((step) => `${step} of ${finished.includes(step) ? 1 : 2}`));
    assert.deepEqual(calls, ["1a", "1b", ...later.filter((step) => !finished.includes(step)).map((step) => `2${step}`)]);
  }
});
