// What a closed engine leaves behind: nobody who waits for ever, and nothing that is still accepted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, settled, twiceproof } from "./subject.mjs";

const { Engine, EngineClosedError, TestClock } = twiceproof;

const isClosed = (error) => error instanceof EngineClosedError && error.code === "ERR_ENGINE_CLOSED";

for (const [what, ask] of [
  ["sleeps", (ctx) => ctx.sleep("nap", "1d")],
  ["waits for a step to be tried again", (ctx) => ctx.run("call", () => { throw new Error("503"); })],
]) {
  test(`a handler that ${what} when the engine closes is told so, and cleans up`, async () => {
    const engine = new Engine({ clock: new TestClock(0) });
    const seen = [];
    const flow = engine.workflow("w", { steps: { maxAttempts: 3 } }, async (payload, ctx) => {
      try {
        await ask(ctx);
      } catch (error) {
        seen.push(error);
        throw error;
      } finally {
        seen.push("cleaned up");
      }
    });
    await flow.enqueue({}, { id: "r" });
    await settled();
    const entries = engine.journal().length;
    await engine.close();
    await settled();
    assert.equal(seen.length, 2);
    assert.ok(isClosed(seen[0]), String(seen[0]));
    assert.equal(engine.journal().length, entries, "nothing is written any more");
  });
}

test("a step under way when the engine closes hands its result on; one that fails then is not tried again, and says why", async () => {
  for (const first of [true, false]) {
    for (const ends of ["resolve", "reject"]) {
      const clock = new TestClock(0);
      const engine = new Engine({ clock });
      const open = gate();
      const cause = new Error("503");
      let seen;
      const flow = engine.workflow("w", { steps: { maxAttempts: 5, baseDelayMs: 1, jitter: false } }, async (payload, ctx) => {
        seen = await ctx.run("call", ({ attempt }) => {
          if (!first && attempt === 1) throw new Error("the first fails");
          return open.promise;
        }).catch((error) => error);
      });
      await flow.enqueue({}, { id: "r" });
      await settled();
      await clock.advance(10);
      await engine.close();
      await settled();
      assert.equal(seen, undefined, "it is still under way");
      open[ends](ends === "resolve" ? "done" : cause);
      await settled();
      if (ends === "resolve") assert.equal(seen, "done");
      else assert.ok(isClosed(seen) && seen.cause === cause, String(seen));
    }
  }
});

test("a closed engine accepts nothing, and is read as it was", async () => {
  const engine = new Engine({ clock: new TestClock(0) });
  const flow = engine.workflow("w", { on: "e" }, (payload, ctx) => ctx.sleep("nap", "1d"));
  await flow.enqueue({}, { id: "r" });
  await settled();
  await engine.close();
  const entries = engine.journal().length;
  for (const ask of [() => engine.cancel("r"), () => engine.pause("w"), () => engine.resume("w"), () => flow.pause()]) assert.throws(ask, isClosed);
  await assert.rejects(engine.forget("r"), isClosed);
  await assert.rejects(engine.redrive("r"), isClosed);
  await assert.rejects(flow.enqueue({}, { id: "s" }), isClosed);
  await assert.rejects(engine.send({ name: "e", data: {} }), isClosed);
  assert.equal(engine.run("r").status, "running");
  assert.equal(engine.journal().length, entries);
});
