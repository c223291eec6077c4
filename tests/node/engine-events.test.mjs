// Events and functions from Node (SEMANTICS 1B, 2.9): what starts, what does not and why, at the edges of every window.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, settled, twiceproof } from "./subject.mjs";

const { Engine, InvalidKeyError, NotFoundError, PausedError, TestClock } = twiceproof;

const DAY = 86_400_000;
const NAME = "cart/checkout.completed";

/** An engine whose functions note the data that they were started with. */
function made(functions, engineOptions = {}) {
  const clock = new TestClock();
  const engine = new Engine({ clock, ...engineOptions });
  const started = [];
  const flows = Object.entries(functions).map(([name, options]) => [
    name,
    engine.workflow(name, { on: NAME, ...options }, (payload) => void started.push([name, payload])),
  ]);
  return { clock, engine, started, flows: Object.fromEntries(flows) };
}

const event = (data, id) => ({ name: NAME, data, ...(id === undefined ? {} : { id }) });
const brief = ({ outcome, reason, workflow }) => [workflow, reason ?? outcome];
const reasons = (result) => result.outcomes.map(brief).map(([, reason]) => reason);

test("b01 b26 without an ID every event starts its functions; the handler gets its data, and the event in its context", async () => {
  const clock = new TestClock(1_000);
  const engine = new Engine({ clock });
  const seen = [];
  engine.workflow("w", { on: [NAME, "other"] }, (payload, { event, events, attempt }) => void seen.push([payload, event, events.length, attempt]));
  const { number, acceptedAt, duplicate, outcomes } = await engine.send(event({ a: 1 }));
  await engine.send({ name: "other", ts: new Date(5) });
  await engine.send({ name: "nobody listens" });
  await engine.idle();
  assert.deepEqual([number, acceptedAt, duplicate, outcomes.map(brief)], [0, 1_000, false, [["w", "started"]]]);
  assert.deepEqual(seen, [
    [{ a: 1 }, { name: NAME, data: { a: 1 }, ts: 1_000 }, 1, 1],
    [null, { name: "other", data: null, ts: 5 }, 1, 1],
  ]);
  assert.deepEqual(engine.run(outcomes[0].runId).origin, { kind: "events", events: [{ event: 0 }], replay: false });
  assert.deepEqual(engine.events().map(({ number, name, outcomes }) => [number, name, outcomes.length]), [[0, NAME, 1], [1, "other", 1], [2, "nobody listens", 0]]);
});

test("b02 b03 b04 b05 b07 a repeated ID stands in the history, marked, and starts nothing, however many listen", async () => {
  const { clock, engine, started } = made({ one: {}, two: {} });
  assert.deepEqual(reasons(await engine.send(event(1, "evt_1"))), ["started", "started"]);
  await clock.advance(248);
  const repeat = await engine.send(event(1, "evt_1"));
  await engine.idle();
  assert.equal(started.length, 2);
  assert.deepEqual([repeat.duplicate, repeat.duplicateOf], [true, { event: 0, id: "evt_1" }]);
  assert.deepEqual(repeat.outcomes, ["one", "two"].map((workflow) => ({
    workflow, at: 248, replay: false, outcome: "skipped", reason: "duplicate_event", winner: { event: 0, id: "evt_1" }, leftMs: DAY - 248,
  })));
  assert.deepEqual(engine.events().map(({ id, duplicateOf }) => [id, duplicateOf?.event]), [["evt_1", undefined], ["evt_1", 0]]);
  assert.deepEqual(engine.events({ duplicate: true }).map(({ number }) => number), [1]);
});

for (const [at, expected] of [[DAY - 1, "duplicate_event"], [DAY, "started"], [DAY + 1, "started"]]) {
  test(`b06 an event ID at ${at - DAY} ms from the end of its 24 hours: ${expected}`, async () => {
    const { clock, engine } = made({ one: {} });
    await engine.send(event(1, "evt_1"));
    await clock.advance(at);
    assert.deepEqual(reasons(await engine.send(event(1, "evt_1"))), [expected]);
  });
}

test("h07 b25 the same ID three times: awaited, at once, and as one list", async () => {
  const ways = [
    async (engine, events) => { for (const one of events) await engine.send(one); },
    async (engine, events) => Promise.all(events.map((one) => engine.send(one))),
    async (engine, events) => assert.deepEqual((await engine.sendMany(events)).map(({ status, value }) => [status, value.duplicate]), [["fulfilled", false], ["fulfilled", true], ["fulfilled", true]]),
  ];
  for (const send of ways) {
    const { engine, started } = made({ one: {}, two: {} });
    await send(engine, [1, 2, 3].map(() => event("x", "cal-1")));
    await engine.idle();
    assert.deepEqual([started.length, engine.events().length, engine.events({ duplicate: true }).length], [2, 3, 2]);
  }
});

test("h08 a wanted repeat starts each time with a run of its own, an accidental one does not", async () => {
  const { engine, started } = made({ one: {} });
  const first = await engine.send(event(1, "e1"));
  const [again] = await engine.replay(first.number);
  const [more] = await engine.replay({ number: first.number }, { workflow: "one" });
  assert.deepEqual(reasons(await engine.send(event(1, "e1"))), ["duplicate_event"]);
  await engine.idle();
  const ids = [first.outcomes[0].runId, again.runId, more.runId];
  assert.deepEqual([new Set(ids).size, again.replay, started.length], [3, true, 3]);
  assert.equal((await engine.replay(first.number, { dedupe: true }))[0].outcome, "started", "the first of its ID");
  assert.equal((await engine.replay(1, { dedupe: true }))[0].reason, "duplicate_event");
  assert.equal(engine.run(again.runId).origin.replay, true);
});

test("b10 h09 debounce: one run at t=8 s with the latest data, whatever the IDs", async () => {
  const { clock, engine, started } = made({ one: { debounce: { period: "5s" } } });
  const first = await engine.send(event("old", "e1"));
  assert.deepEqual(first.outcomes, [{ workflow: "one", at: 0, replay: false, outcome: "held", until: 5_000, leftMs: 5_000 }]);
  await clock.advance("3s");
  await engine.send(event("new", "e1"));
  await clock.advance(4_999);
  assert.deepEqual([started, engine.runs().length], [[], 0]);
  await clock.advance(1);
  assert.deepEqual(started, [["one", "new"]]);
  assert.deepEqual(engine.events().map(({ outcomes }) => outcomes.map(brief).map(([, what]) => what)), [["held", "debounced"], ["held", "started"]]);
  assert.deepEqual(engine.events()[0].outcomes[1].winner, { event: 1, id: "e1" });
  assert.equal(engine.runs()[0].queuedAt, 8_000);
});

test("debounced groups are apart, end at their timeout, and idle waits for them", async () => {
  const { clock, engine, started } = made({ one: { debounce: { period: 100, timeout: 150, key: ({ data }) => data.user } } });
  await engine.send(event({ user: "a", n: 1 }));
  await clock.advance(90);
  await engine.send(event({ user: "a", n: 2 }));
  await engine.send(event({ user: "b", n: 3 }));
  let idle = false;
  void engine.idle().then(() => (idle = true));
  await clock.advance(60);
  assert.deepEqual(started, [["one", { user: "a", n: 2 }]]);
  assert.equal(idle, false);
  await clock.advance(40);
  await settled();
  assert.deepEqual([started.length, idle], [2, true]);
});

test("b11 batch: starts when full or when its time is over, with all the data, whatever the IDs", async () => {
  const { clock, engine, started } = made({ one: { batch: { maxSize: 3, timeout: "1s" } } });
  const sent = [];
  for (const data of ["a", "b", "c"]) sent.push(await engine.send(event(data, "same")));
  await engine.send(event("d"));
  await clock.advance(999);
  assert.deepEqual(started, [["one", ["a", "b", "c"]]]);
  await clock.advance(1);
  assert.deepEqual(started[1], ["one", ["d"]]);
  assert.deepEqual(sent.map(reasons), [["held"], ["held"], ["batched"]]);
  // One event started each run; the others say in which they are, and nothing else.
  const [{ id }, { id: alone }] = engine.runs();
  const came = engine.events().map(({ outcomes }) => outcomes.map(({ outcome, reason, runId, winner }) => [reason ?? outcome, runId ?? winner]));
  const held = ["held", undefined];
  assert.deepEqual(came, [[held, ["started", id]], [held, ["batched", id]], [held, ["batched", id]], [held, ["started", alone]]]);
  assert.deepEqual(engine.events({ reason: "batched" }).map(({ data }) => data), ["b", "c"]);
});

test("b12 b13 a paused function starts nothing and claims nothing; its events can be replayed, and then ignore event IDs", async () => {
  const { engine, started, flows } = made({ one: { idempotency: ({ data }) => data.cart }, two: {} });
  assert.equal(flows.one.pause(), true);
  assert.deepEqual([flows.one.pause(), flows.one.paused], [false, true]);
  await engine.send(event({ cart: "c1" }, "evt_1"));
  await engine.send(event({ cart: "c2" }, "evt_1"));
  const missed = engine.events({ workflow: "one", reason: "paused" });
  assert.deepEqual(missed.map(({ number }) => number), [0, 1]);
  await assert.rejects(engine.replay(missed), PausedError);
  assert.equal(engine.events()[0].outcomes.length, 2, "nothing was stored");
  assert.equal(engine.resume("one"), true);
  assert.deepEqual((await engine.replay(missed, { workflow: "one" })).map(({ outcome }) => outcome), ["started", "started"], "though their IDs are one");
  await engine.idle();
  assert.deepEqual(started.filter(([name]) => name === "one").length, 2);
  assert.deepEqual(engine.events({ workflow: "one", reason: "paused" }), []);
});

test("2.9 replay with dedupe respects event IDs and function keys", async () => {
  const { engine, flows } = made({ one: { idempotency: ({ data }) => data } });
  flows.one.pause();
  for (const [data, id] of [["k", "a"], ["k", "a"], ["k", "b"], ["m", "c"]]) await engine.send(event(data, id));
  flows.one.resume();
  const outcomes = await engine.replay(engine.events({ workflow: "one", reason: "paused" }), { dedupe: true });
  assert.deepEqual(outcomes.map(({ outcome, reason }) => reason ?? outcome), ["started", "duplicate_event", "duplicate_function_key", "started"]);
});

for (const [at, expected] of [[DAY - 1, "duplicate_function_key"], [DAY, "started"], [DAY + 1, "started"]]) {
  test(`b14 b16 b17 b18 a function key at ${at - DAY} ms from the end of its 24 hours: ${expected}`, async () => {
    const { clock, engine } = made({ one: { idempotency: ({ data }) => data.cart } });
    const first = await engine.send(event({ cart: "c1", at: 1 }));
    await clock.advance(1);
    const repeat = await engine.send(event({ cart: "c1", at: 2 }));
    assert.deepEqual(repeat.outcomes, [{
      workflow: "one", at: 1, replay: false, outcome: "skipped", reason: "duplicate_function_key", winner: first.outcomes[0].runId, leftMs: DAY - 1,
    }]);
    await clock.advance(at - 1);
    assert.deepEqual(reasons(await engine.send(event({ cart: "c1", at: 3 }))), [expected], "repeats do not extend it");
  });
}

test("b15 b21 fan-out: track runs every time, generate once per prompt hash and user", async () => {
  const { engine, started } = made({ track: {}, generate: { idempotency: ({ data }) => `${data.promptHash}-${data.userId}` } });
  for (const [promptHash, userId] of [["p1", "u1"], ["p1", "u1"], ["p1", "u2"], ["p2", "u1"]]) await engine.send(event({ promptHash, userId }));
  await engine.idle();
  const count = (name) => started.filter(([of]) => of === name).length;
  assert.deepEqual([count("track"), count("generate")], [4, 3]);
});

test("b19 b20 the value decides: texts verbatim, a number or boolean and its text apart", async () => {
  const { engine } = made({ one: { idempotency: ({ data }) => data } });
  const what = [];
  for (const value of ["1", 1, 1.0, "=1", "a", "A", "a ", true, "true", -0, 0, "0"]) what.push(...reasons(await engine.send(event(value))));
  const [start, same] = ["started", "duplicate_function_key"];
  assert.deepEqual(what, [start, start, same, start, start, start, start, start, start, start, same, start]);
});

test("h11 a missing, null or other key is refused visibly, and never one that strangers share; or it starts without", async () => {
  const refusing = made({ one: { idempotency: ({ data }) => data.cartId } });
  const bad = [{}, { cartId: null }, { cartId: {} }, { cartId: [] }, { cartId: "" }, { cartId: "x".repeat(256) }];
  for (const data of bad) {
    const { outcomes } = await refusing.engine.send(event(data));
    assert.equal(outcomes[0].reason, "no_key");
    assert.match(outcomes[0].error, /idempotency/);
  }
  const thrower = made({ one: { idempotency: ({ data }) => data.deep.er } });
  assert.match((await thrower.engine.send(event({}))).outcomes[0].error, /^idempotency threw TypeError: /);
  const late = made({ one: { idempotency: async () => { throw new Error("late"); } } });
  assert.match((await late.engine.send(event({}))).outcomes[0].error, /needs to return a string/);
  const starting = made({ one: { idempotency: { key: ({ data }) => data.cartId, onMissing: "start" } } });
  for (const data of bad) assert.deepEqual(reasons(await starting.engine.send(event(data))), ["started"]);
  assert.deepEqual([refusing.engine.runs().length, starting.engine.runs().length], [0, bad.length]);
});

test("a key's window of its own: to the millisecond, and for ever", async () => {
  const functions = { short: { idempotency: { key: () => "k", window: "1s" } }, ever: { idempotency: { key: () => "k", window: "forever" } } };
  const { clock, engine } = made(functions, { onWarning: false });
  await engine.send(event(1));
  await clock.advance(999);
  assert.deepEqual(reasons(await engine.send(event(1))), ["duplicate_function_key", "duplicate_function_key"]);
  await clock.advance(1);
  assert.deepEqual(reasons(await engine.send(event(1))), ["started", "duplicate_function_key"]);
  await clock.advance("3650d");
  const { outcomes } = await engine.send(event(1));
  assert.deepEqual([outcomes[1].reason, outcomes[1].leftMs], ["duplicate_function_key", Infinity]);
});

test("b22 a rate limit refuses what is too much, with the run that must grow old and how long", async () => {
  const { clock, engine } = made({ one: { rateLimit: { limit: 2, period: "1m", key: ({ data }) => data } } });
  const first = await engine.send(event("a"));
  await clock.advance(10_000);
  await engine.send(event("a"));
  const refused = await engine.send(event("a"));
  assert.deepEqual(reasons(await engine.send(event("b"))), ["started"], "another group");
  const { reason, winner, leftMs } = refused.outcomes[0];
  assert.deepEqual([reason, winner, leftMs], ["rate_limited", first.outcomes[0].runId, 50_000]);
  await clock.advance(49_999);
  assert.deepEqual(reasons(await engine.send(event("a"))), ["rate_limited"]);
  await clock.advance(1);
  assert.deepEqual(reasons(await engine.send(event("a"))), ["started"]);
});

test("2.9 a key is not used up by a run that was not made", async () => {
  const { clock, engine } = made({ one: { idempotency: ({ data }) => data, rateLimit: { limit: 1, period: 100 } } });
  assert.deepEqual(reasons(await engine.send(event("a"))), ["started"]);
  assert.deepEqual(reasons(await engine.send(event("b"))), ["rate_limited"]);
  await clock.advance(100);
  assert.deepEqual(reasons(await engine.send(event("b"))), ["started"]);
});

test("concurrency: further runs wait and none is lost, for workflows that no event starts too", async () => {
  const clock = new TestClock();
  const engine = new Engine({ clock });
  const open = gate();
  let [now, peak] = [0, 0];
  const work = async () => {
    peak = Math.max(peak, ++now);
    await open.promise;
    now--;
  };
  engine.workflow("function", { on: NAME, concurrency: 2 }, work);
  const plain = engine.workflow("plain", { concurrency: 1 }, work);
  for (let run = 0; run < 4; run++) {
    await engine.send(event(run));
    await plain.enqueue(run);
  }
  await settled();
  assert.equal(now, 3);
  open.resolve();
  await engine.idle();
  assert.deepEqual([peak, engine.runs({ status: "succeeded" }).length], [3, 8]);
});

test("b23 b24 c33 a step's provider key is the run's, and runs of other engines have other ones", async () => {
  const keys = new Set();
  for (let process = 0; process < 2; process++) {
    const engine = new Engine({ clock: new TestClock() });
    engine.workflow("w", { on: NAME, retries: 1, baseDelayMs: 0 }, async (_, ctx) => {
      keys.add(ctx.key("charge"));
      if (ctx.attempt === 1) throw new Error("again");
    });
    await engine.send(event(1));
    await engine.idle();
  }
  assert.equal(keys.size, 2);
});

test("what is no event is refused before anything is stored", async () => {
  const { engine } = made({ one: {} });
  const cyclic = {};
  cyclic.self = cyclic;
  for (const bad of [{ name: "" }, { name: 7 }, { name: NAME, id: "" }, { name: NAME, id: null }, {}]) await assert.rejects(engine.send(bad), InvalidKeyError);
  for (const bad of [{ name: NAME, data: cyclic }, { name: NAME, data: { at: new Date() } }, { name: NAME, ts: "now" }, { name: NAME, nmae: 1 }, "event", null]) {
    await assert.rejects(engine.send(bad), TypeError);
  }
  for (const ts of [-1, Number.NaN, 1e300]) await assert.rejects(engine.send({ name: NAME, ts }), { code: "ERR_INVALID_OPTION", option: "ts" });
  const mixed = await engine.sendMany([event(1), { name: "" }, event(2)]);
  assert.deepEqual(mixed.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.equal(engine.events().length, 2);
  await assert.rejects(engine.replay(99), NotFoundError);
  await assert.rejects(engine.replay([0, 99]), NotFoundError);
  await assert.rejects(engine.replay(0, { workflow: "nobody" }), NotFoundError);
  assert.throws(() => engine.events({ reason: "because" }), { option: "reason" });
  assert.equal(engine.runs().length, 2);
  await engine.close();
  await assert.rejects(engine.send(event(1)), { code: "ERR_ENGINE_CLOSED" });
});

test("2.13 the options of functions are checked when they are defined, by name, and nothing is stored", () => {
  const engine = new Engine({ clock: new TestClock() });
  const before = engine.journal().length;
  const key = () => "k";
  const bad = {
    on: [{ on: [] }, { on: [NAME, NAME] }, { on: 7 }, { idempotency: key }, { debounce: { period: 1 } }, { on: "" }],
    idempotency: [{ on: NAME, idempotency: 7 }],
    "idempotency.window": [{ on: NAME, idempotency: { key, window: -1 } }, { on: NAME, idempotency: { key, window: Number.NaN } }],
    "idempotency.onMissing": [{ on: NAME, idempotency: { key, onMissing: "maybe" } }],
    "debounce.period": [{ on: NAME, debounce: {} }, { on: NAME, debounce: { period: -1 } }, { on: NAME, debounce: { period: Infinity } }],
    "debounce.timeout": [{ on: NAME, debounce: { period: "1s", timeout: 999 } }, { on: NAME, debounce: { period: 1, timeout: -1 } }],
    debounce: [{ on: NAME, debounce: { period: 1 }, batch: { maxSize: 1, timeout: 1 } }],
    batch: [{ on: NAME, idempotency: key, batch: { maxSize: 1, timeout: 1 } }],
    "batch.maxSize": [{ on: NAME, batch: { timeout: 1 } }, { on: NAME, batch: { maxSize: 1.5, timeout: 1 } }, { on: NAME, batch: { maxSize: 10_001, timeout: 1 } }],
    "rateLimit.limit": [{ on: NAME, rateLimit: { limit: 0, period: 1 } }],
    concurrency: [{ concurrency: 0 }, { concurrency: 1.5 }, { concurrency: "2" }],
    retention: [{ retention: -1 }, { retention: "long" }],
  };
  for (const [option, all] of Object.entries(bad)) {
    for (const options of all) {
      assert.throws(() => engine.workflow("w", options, () => {}), (error) => error.code === "ERR_INVALID_KEY" || error.option === option, `${option} ${JSON.stringify(options)}`);
    }
  }
  assert.equal(engine.journal().length, before);
});
