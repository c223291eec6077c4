// An engine's memory grows in steps: each growth is a new buffer for JavaScript, which V8 takes for as much garbage.

import assert from "node:assert/strict";
import { test } from "node:test";
import { twiceproof } from "./subject.mjs";

const { Engine } = twiceproof;

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
