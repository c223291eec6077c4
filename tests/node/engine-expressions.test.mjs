// Function keys written in CEL, in the engine (SEMANTICS B19, B20; BUG-REPORTS H10 to H13).

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./scripts.mjs";
import { twiceproof } from "./subject.mjs";

const { Engine, ExpressionError, loadExpressions, TestClock } = twiceproof;

const NAME = "cart/checkout.completed";
const reasons = ({ outcomes }) => outcomes.map(({ outcome, reason }) => reason ?? outcome);

test("b19 b20 an expression loads what reads it: the first events wait for that, in order", async (context) => {
  const { stdout, stderr } = await run(context, `
    import { Engine } from "twiceproof";
    const engine = new Engine();
    engine.workflow("bill", { on: "order", idempotency: 'event.data.userId + "-" + event.data.orgId' }, () => {});
    const all = await Promise.all([["u1", "o1"], ["u1", "o1"], ["u1", "o2"]].map(([userId, orgId]) => engine.send({ name: "order", data: { userId, orgId } })));
    console.log(all.map(({ number, outcomes: [{ outcome, reason }] }) => number + " " + (reason ?? outcome)).join());
    console.log(engine.runs().map(({ origin }) => origin.key).join());`);
  assert.deepEqual([stdout, stderr], ["0 started,1 duplicate_function_key,2 started\nu1-o1,u1-o2\n", ""]);
});

test("an expression that turns out to be wrong after it was loaded: every event says so, and a warning does", async (context) => {
  const { stdout, stderr } = await run(context, `
    import { Engine } from "twiceproof";
    const engine = new Engine();
    engine.workflow("bill", { on: "order", idempotency: "event.data." }, () => {});
    engine.workflow("other", { on: "order" }, () => {});
    // "Start" is for events without a key, not for a key that cannot be read.
    engine.workflow("lenient", { on: "order", idempotency: { key: "event.data.", onMissing: "start" } }, () => {});
    const { outcomes } = await engine.send({ name: "order", data: {} });
    console.log(outcomes.map(({ outcome, reason }) => reason ?? outcome).join());
    console.log(/line 1, column \\d+/.test(outcomes[0].error));`);
  assert.equal(stdout, "no_key,started,no_key\ntrue\n");
  assert.match(stderr, /TwiceproofWarning: workflow "bill": idempotency: /);
});

test("h12 a wrong expression throws where it is written once they are loaded, with its place; the engine works on", async () => {
  await loadExpressions();
  const engine = new Engine({ clock: new TestClock() });
  const before = engine.journal().length;
  for (const idempotency of ["1 +", "(", ")", "", "   ", "event.data."]) {
    assert.throws(() => engine.workflow("w", { on: NAME, idempotency }, () => {}), (error) =>
      error instanceof ExpressionError && error.code === "ERR_EXPRESSION" && error.option === "idempotency" && error.line >= 1);
  }
  assert.equal(engine.journal().length, before);
  engine.workflow("w", { on: NAME, idempotency: "event.data.id" }, () => {});
  assert.deepEqual(reasons(await engine.send({ name: NAME, data: { id: "a" } })), ["started"]);
  await engine.idle();
});

test("h10 h11 h13 numbers, missing fields: a key or a visible refusal, never a key that strangers share", async () => {
  await loadExpressions();
  const engine = new Engine({ clock: new TestClock() });
  const data = { userId: 42, orgId: "o1", n: 80, neg: -3, port: 80 };
  const expressions = {
    string: 'string(event.data.userId) + "-" + event.data.orgId', plus: "event.data.n + 1", minus: "event.data.neg + 1",
    equal: "event.data.port == 80", has: "has(event.data.a)", missing: "event.data.cartId",
  };
  for (const [name, idempotency] of Object.entries(expressions)) engine.workflow(name, { on: NAME, idempotency }, () => {});
  const { outcomes } = await engine.send({ name: NAME, data });
  const key = (name) => {
    const outcome = outcomes.find(({ workflow }) => workflow === name);
    return outcome.outcome === "started" ? engine.run(outcome.runId).origin.key : outcome.reason;
  };
  assert.deepEqual(Object.keys(expressions).map(key), ["42-o1", "=81", "=-2", "=true", "=false", "no_key"]);
  const strangers = await engine.send({ name: NAME, data: { userId: 43 } });
  assert.equal(strangers.outcomes.find(({ workflow }) => workflow === "missing").reason, "no_key");
});

test("groups are expressions too, and a replay evaluates them again", async () => {
  await loadExpressions();
  const clock = new TestClock();
  const engine = new Engine({ clock });
  engine.workflow("w", { on: NAME, rateLimit: { limit: 1, period: "1h", key: "event.data.user" } }, () => {});
  engine.workflow("d", { on: NAME, debounce: { period: 10, key: "event.data.user" } }, () => {});
  const sent = [];
  for (const user of ["a", "a", "b"]) sent.push(reasons(await engine.send({ name: NAME, data: { user } })));
  assert.deepEqual(sent, [["started", "held"], ["rate_limited", "held"], ["started", "held"]]);
  await clock.advance("1h");
  assert.deepEqual((await engine.replay(1, { workflow: "w", dedupe: true })).map(({ outcome }) => outcome), ["started"]);
  assert.equal(engine.runs({ workflow: "d" }).length, 2);
});
