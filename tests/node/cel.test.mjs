// Function keys written as expressions (B14 to B21; H10 to H13). Their rules are tested natively, in crates/cel; here is what
// becomes of them in JavaScript.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { folder, twiceproof } from "./subject.mjs";

/** The module by itself, as the package loads it. */
const cel = await import(pathToFileURL(join(folder, "dist/cel.inline.js")).href);
const compiled = cel.compile();

test("a key, a refusal and a problem cross the boundary each in its own way", () => {
  const { check, evaluate, Problem } = cel.instantiate(compiled);
  check("event.data.id");
  assert.equal(evaluate("event.data.id", '{ "data": { "id": "é😀" } }'), "é😀");
  assert.throws(() => evaluate("event.data.id", "{}"), (thrown) => thrown === "`event.data` is missing");
  assert.throws(() => check('"é😀" + user'), (thrown) => {
    const { code, line, column, offset, excerpt } = thrown;
    assert.ok(thrown instanceof Problem);
    assert.deepEqual({ code, line, column, offset, excerpt }, { code: "unknown-name", line: 1, column: 8, offset: 8, excerpt: '"é😀" + user\n       ^' });
    assert.equal('"é😀" + user'.slice(offset), "user");
    return true;
  });
});

test("h44 an expression that takes too much memory costs its instance only", () => {
  const event = JSON.stringify({ list: Array.from({ length: 2000 }, (_, at) => at), text: "x".repeat(200_000) });
  const hostile = "event.list.map(item, event.text)[0]";
  const first = cel.instantiate(compiled);
  assert.equal(first.evaluate("event.list[5]", event), "=5");
  assert.throws(() => first.evaluate(hostile, event), WebAssembly.RuntimeError);
  const second = cel.instantiate(compiled);
  assert.equal(second.evaluate("event.list[5]", event), "=5");
});

test("h44 in an engine: that event is refused, and the next one is not", async () => {
  await twiceproof.loadExpressions();
  const engine = new twiceproof.Engine({ clock: new twiceproof.TestClock() });
  engine.workflow("w", { on: "e", idempotency: "event.data.list.map(item, event.data.text)[0]" }, () => {});
  engine.workflow("other", { on: "e", idempotency: "string(size(event.data.list))" }, () => {});
  const list = Array.from({ length: 2000 }, (_, at) => at);
  const hostile = await engine.send({ name: "e", data: { list, text: "x".repeat(200_000) } });
  const of = ({ outcomes }, workflow) => outcomes.find((outcome) => outcome.workflow === workflow);
  assert.equal(of(hostile, "w").reason, "no_key");
  assert.match(of(hostile, "w").error, /more memory or time than there is/);
  assert.equal(of(hostile, "other").outcome, "started");
  const usual = await engine.send({ name: "e", data: { list: [1], text: "t" } });
  assert.deepEqual(usual.outcomes.map(({ outcome }) => outcome), ["started", "started"]);
  await engine.idle();
});

test("more expressions than are kept compiled", () => {
  const { evaluate } = cel.instantiate(compiled);
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 300; at++) assert.equal(evaluate(`event.n + ${at}`, '{ "n": 1 }'), `=${1 + at}`);
  }
});

test("loading twice is loading once", async () => {
  const [one, other] = [twiceproof.loadExpressions(), twiceproof.loadExpressions()];
  assert.equal(one, other);
  assert.equal(await one, undefined);
});
