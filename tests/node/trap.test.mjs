// An engine that breaks: a panic is provoked by handing its instance a report that no handler could make.

import assert from "node:assert/strict";
import { test } from "node:test";
import { twiceproof } from "./subject.mjs";

const { Engine, EngineBrokenError, IdempotencyStore, TestClock } = twiceproof;

/** Engines made in `body` have instances in which this export traps, for real, while `trapping.now` is true. */
function withTrap(name, body) {
  const trapping = { now: false };
  const { Instance } = WebAssembly;
  // A module with one function that does nothing but trap.
  const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 116, 0, 0, 10, 5, 1, 3, 0, 0, 11);
  const { t: trap } = new Instance(new WebAssembly.Module(bytes)).exports;
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const changed = { ...exports, [name]: (...args) => (trapping.now ? trap() : exports[name](...args)) };
    return Object.create(Instance.prototype, { exports: { value: changed } });
  };
  try {
    body();
  } finally {
    WebAssembly.Instance = Instance;
  }
  return trapping;
}

for (const name of ["askStep", "callSucceeded", "enqueue", "handlerReturned", "nextCommand"]) {
  test(`h44 a trap in ${name}: one documented error that carries the journal, and a new engine works`, async () => {
    const clock = new TestClock();
    let broken;
    const trapping = withTrap(name, () => { broken = new Engine({ clock }); });
    const run = (engine) => {
      const flow = engine.workflow("w", async (_, ctx) => ctx.run("s", () => 1));
      return { flow, enqueue: (id) => flow.enqueue({}, { id }) };
    };
    const { enqueue } = run(broken);
    await enqueue("before");
    await broken.idle();
    trapping.now = true;
    const idle = enqueue("after").then(() => broken.idle());
    await assert.rejects(idle, EngineBrokenError);
    trapping.now = false;
    await assert.rejects(enqueue("later"), EngineBrokenError);
    await assert.rejects(broken.idle(), (error) => {
      assert.ok(error instanceof EngineBrokenError && error.cause instanceof WebAssembly.RuntimeError);
      assert.match(error.journalText, /^{"twiceproof":"journal","version":1}\n.*"run-succeeded"/s);
      return true;
    });
    assert.match(broken.journalText(), /"run-succeeded"/);
    await broken.close();

    const engine = new Engine({ clock });
    await run(engine).enqueue("r");
    await engine.idle();
    assert.equal(engine.run("r").status, "succeeded");
    assert.equal(await new IdempotencyStore(1).once("k", () => 1), 1);
  });
}
