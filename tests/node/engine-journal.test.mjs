// A journal of which only the last entries are kept: what is gone is said, nothing else depends on it, and memory stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, twiceproof } from "./subject.mjs";

const { Engine, TestClock } = twiceproof;
/** So many entries are dropped at a time. */
const PAGE = 4_096;
/** Memory has holes of other sizes from time to time. What is kept of 40,000 runs that are over would be some twenty times as much. */
const SOME_BYTES = 1 << 20;

function made(options) {
  const clock = new TestClock(5);
  return { clock, engine: new Engine({ clock, onWarning: false, ...options }) };
}

/** Runs of two steps, a hundred at a time; each writes eight entries. */
async function work(engine, runs, name = () => "a", first = 0) {
  const flow = engine.workflow(`w${first}`, async (n, ctx) => {
    await ctx.run(name(n), () => undefined);
    await ctx.run("b", async () => undefined);
  });
  for (let at = first; at < first + runs; at += 100) {
    for (let run = at; run < at + 100; run++) void flow.enqueue(run, { id: `run:${run}` });
    await settled();
  }
}

test("the last entries are kept, their places are those in the whole, and how many are gone is said", async () => {
  const { engine } = made({ journal: { keep: 1_000 } });
  const { engine: whole } = made();
  assert.equal(engine.journalDropped, 0);
  for (const one of [engine, whole]) await work(one, 2_000);
  const [all, kept] = [whole.journal(), engine.journal()];
  assert.equal(engine.journalDropped, all.length - kept.length);
  assert.ok(kept.length >= 1_000 && kept.length < 1_000 + 2 * PAGE, `${kept.length}`);
  assert.deepEqual(kept, all.slice(engine.journalDropped));
  assert.equal(kept[0].seq, engine.journalDropped);
  const [header, ...lines] = engine.journalText().split("\n");
  assert.deepEqual(JSON.parse(header), { twiceproof: "journal", version: 1, dropped: engine.journalDropped });
  assert.equal(lines.length - 1, kept.length);
  assert.deepEqual([whole.journalDropped, JSON.parse(whole.journalText().split("\n")[0])], [0, { twiceproof: "journal", version: 1 }]);
  // Runs are what they were: nothing of them is read from the journal.
  assert.deepEqual(engine.runs(), whole.runs());
});

test("who listens gets every entry, and has the whole journal in the end", async () => {
  for (const keep of [0, 1, 5_000]) {
    const { engine } = made({ journal: { keep } });
    const { engine: whole } = made();
    let text = engine.journalText();
    let late = 0;
    engine.on("entry", (entry) => { text += `${JSON.stringify(entry)}\n`; });
    engine.on("entry", () => { if (late++ === 3) void engine.workflow("late", () => {}).enqueue(1, { id: "late" }); });
    whole.on("entry", ({ seq }) => { if (seq === 4) void whole.workflow("late", () => {}).enqueue(1, { id: "late" }); });
    for (const one of [engine, whole]) {
      const flow = one.workflow("at once", (_, ctx) => ctx.run("s", () => 1));
      // All in one turn, and more than a page of it.
      for (let run = 0; run < 3_000; run++) void flow.enqueue(run, { id: `once:${run}` });
      await one.idle();
      await work(one, 500);
    }
    assert.ok(engine.journalDropped >= PAGE);
    // As values: a number such as 2.0 is written in another way by each.
    const lines = (journal) => journal.trim().split("\n").map((line) => JSON.stringify(JSON.parse(line)));
    const [heard, written] = [lines(text), lines(whole.journalText())];
    assert.equal(heard.findIndex((line, at) => line !== written[at]), -1);
    assert.equal(heard.length, written.length);
  }
});

test("what events came to stays true when the entries about them are gone", async () => {
  const histories = [];
  for (const journal of [{ keep: 10 }, {}]) {
    const { clock, engine } = made({ journal, retention: "1h" });
    engine.workflow("each", { on: "e", idempotency: (event) => event.data.key }, () => {});
    engine.workflow("batched", { on: "e", batch: { maxSize: 3, timeout: "1m" } }, () => {});
    engine.workflow("quiet", { on: "e", debounce: { period: "1s" }, rateLimit: { limit: 1, period: "1d" } }, () => {});
    for (const [at, key] of ["a", "a", "b", "c", "d"].entries()) {
      await engine.send({ id: `evt_${at}`, name: "e", data: { key } });
      await clock.advance("400ms");
    }
    // Held, and started by the clock alone, with a page of entries before anybody asks.
    await clock.advance("2m");
    await engine.send({ id: "evt_9", name: "e", data: { key: "z" } });
    await work(engine, 1_000);
    await clock.advance("2s");
    await work(engine, 1_000, undefined, 5_000);
    const seen = engine.events();
    const [paused] = await engine.replay(seen[1].number, { workflow: "each" });
    const ids = new Map(engine.runs().map(({ id, number }) => [id, number]));
    const numbered = JSON.stringify([seen, paused]).replaceAll(/"[0-9a-f-]{36}-(\d+)"/g, (_, number) => number);
    histories.push([numbered, engine.journalDropped > 3 * PAGE, ids.size]);
  }
  assert.deepEqual(histories.map(([, dropped]) => dropped), [true, false]);
  assert.equal(histories[0][0], histories[1][0]);
  assert.equal(histories[0][2], histories[1][2]);
});

test("a winner that was removed is still named", async () => {
  const { clock, engine } = made({ retention: "1m", autoPrune: false });
  engine.workflow("w", { on: "e", idempotency: (event) => event.data }, () => {});
  const { outcomes: [{ runId }] } = await engine.send({ name: "e", data: "k" });
  await engine.idle();
  await clock.advance("1h");
  assert.deepEqual(engine.prune().runs, [runId]);
  const { outcomes: [again] } = await engine.send({ name: "e", data: "k" });
  assert.deepEqual([again.reason, again.winner], ["duplicate_function_key", runId]);
});

test("a repeat that starts nothing is told to listeners too", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", () => {});
  await flow.enqueue(1, { id: "r" });
  await engine.idle();
  const seen = [];
  engine.on("entry", ({ type }) => seen.push(type));
  await flow.enqueue(1, { id: "r" });
  await flow.enqueue(2, { id: "r" }).catch(() => {});
  await null;
  assert.deepEqual(seen, ["enqueue-repeated", "enqueue-refused"]);
});

test("2.13 how much is kept is checked", () => {
  for (const keep of [-1, 1.5, Number.NaN, "5", null]) assert.throws(() => made({ journal: { keep } }), { code: "ERR_INVALID_OPTION", option: "journal.keep" });
  assert.throws(() => made({ journal: 5 }), { option: "journal" });
  assert.throws(() => made({ journal: { kep: 5 } }), /did you mean "keep"/);
});

/** An engine and the memory of its instance, which has grown when there was work. */
function measured(options) {
  const { Instance } = WebAssembly;
  const memories = [];
  WebAssembly.Instance = function (module, imports) {
    const instance = new Instance(module, imports);
    memories.push(instance.exports.memory);
    return instance;
  };
  try {
    const one = made(options);
    const bytes = () => Math.max(...memories.map(({ buffer }) => buffer.byteLength));
    const atFirst = bytes();
    return { ...one, bytes, hasGrown: () => bytes() > atFirst };
  } finally {
    WebAssembly.Instance = Instance;
  }
}

for (const [what, name] of [["steps of few names", () => "a"], ["a step's name of its own in each", (run) => `a ${run}`]]) {
  test(`a process whose runs come and go needs no more memory the longer it runs: ${what}`, async () => {
    const { clock, engine, bytes, hasGrown } = measured({ journal: { keep: 1_000 }, retention: 1, autoPrune: false });
    let after = 0;
    for (let round = 0; round < 16; round++) {
      await work(engine, 4_000, name, round * 4_000);
      await clock.advance(5);
      assert.equal(engine.prune().runs.length, 4_000);
      if (round === 5) after = bytes();
    }
    assert.equal(engine.runs().length, 0);
    assert.ok(engine.journalDropped > 600_000, `${engine.journalDropped}`);
    assert.ok(hasGrown() && bytes() <= after + SOME_BYTES, `${after} bytes, then ${bytes()}`);
  });
}

test("what was kept for its time goes beside other work, and memory with it", async () => {
  const { clock, engine, bytes, hasGrown } = measured({ journal: { keep: 0 }, retention: "1s" });
  engine.workflow("listens", { on: "e", idempotency: { key: (event) => event.data, window: "1s" } }, () => {});
  let after = 0;
  for (let round = 0; round < 120; round++) {
    for (let event = 0; event < 100; event++) void engine.send({ id: `evt_${round}_${event}`, name: "e", data: `${round}:${event}` });
    await engine.idle();
    // The windows of event IDs end after a day.
    await clock.advance("12h");
    if (round === 40) after = bytes();
  }
  assert.ok(engine.runs().length <= 300 && engine.events().length <= 300, `${engine.runs().length}, ${engine.events().length}`);
  assert.ok(hasGrown() && bytes() <= after + SOME_BYTES, `${after} bytes, then ${bytes()}`);
});
