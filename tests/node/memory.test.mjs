// Memory grows in steps: each growth is a new buffer for JavaScript, which V8 takes for as much garbage.

import assert from "node:assert/strict";
import { test } from "node:test";
import { twiceproof } from "./subject.mjs";

const { Engine, IdempotencyStore } = twiceproof;

/** What `make` makes, and how its memory grows: `look` is to be called often, and `grown` says how many buffers it saw. */
function watched(make) {
  const { Instance } = WebAssembly;
  const memories = [];
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, given) {
      const instance = Reflect.construct(target, given);
      memories.push(instance.exports.memory);
      return instance;
    },
  });
  try {
    const made = make();
    const memory = memories.at(-1);
    const buffers = new Set();
    return { made, look: () => void buffers.add(memory.buffer), grown: () => buffers.size, megabytes: () => memory.buffer.byteLength / 2 ** 20 };
  } finally {
    WebAssembly.Instance = Instance;
  }
}

test("an engine that keeps 5,000 runs has asked for memory a few times", async () => {
  const { made: engine, look, grown, megabytes } = watched(() => new Engine({ workers: 10, onWarning: false }));
  const job = engine.workflow("job", async (_, { run }) => {
    for (let step = 0; step < 10; step++) await run(`step ${step}`, async () => look());
  });
  for (let run = 0; run < 5_000; run++) {
    void job.enqueue({ run }, { id: `job:${run}` });
    look();
  }
  await engine.idle();
  await engine.close();
  assert.ok(megabytes() > 5, `${megabytes()} MB`);
  assert.ok(grown() < 24, `${grown()} times`);
});

test("a store that keeps 100,000 keys has asked for memory a few times", async () => {
  const { made: store, look, grown, megabytes } = watched(() => new IdempotencyStore({ ttlMs: 1000, now: () => 0, onWarning: false }));
  for (let key = 0; key < 100_000; key++) {
    await store.once(`user:${key}`, () => {});
    look();
  }
  assert.equal(store.size, 100_000);
  assert.ok(megabytes() > 3, `${megabytes()} MB`);
  assert.ok(megabytes() < 8, `${megabytes()} MB`);
  assert.ok(grown() < 8, `${grown()} times`);
});
