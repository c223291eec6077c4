// What a program does wrong: refused where it is done, by name, and never tried again as if the moment were at fault.

import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./scripts.mjs";
import { gate, settled, twiceproof } from "./subject.mjs";

const { CallbackError, ConflictError, Engine, EngineBrokenError, InvalidKeyError, NotFoundError, RunCancelledError, TestClock, UsageError, withRetry } = twiceproof;

function made(options) {
  const clock = new TestClock(5);
  return { clock, engine: new Engine({ clock, ...options }) };
}

test("2.11 cancel in the last step, and after it: the end of the handler is a step boundary", async () => {
  const { engine } = made();
  const open = gate();
  const flow = engine.workflow("w", async (payload, ctx) => {
    if (payload === "in its last step") await ctx.run("only", () => open.promise);
    else await open.promise;
    return "done";
  });
  for (const payload of ["in its last step", "between steps"]) await flow.enqueue(payload, { id: payload });
  await settled();
  for (const payload of ["in its last step", "between steps"]) assert.equal(engine.cancel(payload), true);
  open.resolve();
  await engine.idle();
  assert.deepEqual(engine.runs().map(({ status, result }) => [status, result]), [["cancelled", undefined], ["cancelled", undefined]]);
});

test("a mistake in a handler ends its run at once, with that very error", async () => {
  const { clock, engine } = made();
  const mistakes = {
    "ctx.run(42)": [(ctx) => ctx.run(42, () => 1), InvalidKeyError],
    "no work": [(ctx) => ctx.run("s"), /^TypeError: work needs a function, got undefined$/],
    "bad sleep": [(ctx) => ctx.sleep("s", "soon"), /duration needs/],
    "endless sleep": [(ctx) => ctx.sleep("s", 1e300), /^RangeError: duration needs/],
    "negative sleep": [(ctx) => ctx.sleep("s", -1), /^RangeError: duration needs/],
    "sleep beyond time": [(ctx) => ctx.sleep("s", Number.MAX_SAFE_INTEGER), /^RangeError: duration needs/],
    "bad index": [(ctx) => ctx.run("s", () => 1, { index: Number.NaN }), /^RangeError: index needs a finite number, got NaN$/],
    "unknown option": [(ctx) => ctx.run("s", () => 1, { indx: 1 }), /index/],
    "empty name": [(ctx) => ctx.run("", () => 1), InvalidKeyError],
    "long key": [(ctx) => void ctx.key("x".repeat(255)), InvalidKeyError],
    "no key": [(ctx) => void ctx.key(undefined), InvalidKeyError],
    "twice": [async (ctx) => { await ctx.run("s", () => 1); await ctx.run("s", () => 1); }, UsageError],
    "effect with a number": [(ctx) => ctx.run("s", (step) => step.effect("k", 5)), /^TypeError: effect needs an object of options, got 5$/],
    "effect with a slip": [(ctx) => ctx.run("s", () => ctx.effect("k", { know: true })), /effect has no option "know"; did you mean "known"\?/],
    "effect with a text": [(ctx) => ctx.run("s", () => ctx.effect("k", { known: "no" })), /^TypeError: known needs true or false, got "no"$/],
    "in a step": [(ctx) => ctx.run("s", () => withRetry(() => {}, { factor: 0 })), /^RangeError: factor needs/],
  };
  let handled = 0;
  for (const [name, [work]] of Object.entries(mistakes)) {
    const flow = engine.workflow(name, { retries: 5, steps: { maxAttempts: 5 } }, (_, ctx) => { handled++; return work(ctx); });
    await flow.enqueue({}, { id: name });
  }
  await clock.advance("30d");
  for (const [name, [, expected]] of Object.entries(mistakes)) {
    const { status, attempts, reason, error } = engine.run(name);
    assert.deepEqual([status, attempts, reason], ["dead", 1, "not-retryable"], name);
    if (expected instanceof RegExp) assert.match(String(error), expected, name);
    else assert.ok(error instanceof expected, name);
  }
  assert.equal(handled, Object.keys(mistakes).length);
});

test("another run's conflict is final in a handler; errors of its own code, a TypeError too, are not", async () => {
  const { clock, engine } = made();
  const child = engine.workflow("child", () => {});
  await child.enqueue(1, { id: "c" });
  const flow = engine.workflow("conflicts", { retries: 3 }, (_, ctx) => ctx.run("s", () => child.enqueue(2, { id: "c" })));
  let calls = 0;
  const own = engine.workflow("own", { retries: 3 }, () => { calls++; null.x; });
  await flow.enqueue({}, { id: "f" });
  await own.enqueue({}, { id: "o" });
  await clock.advance("1d");
  assert.ok(engine.run("f").attempts === 1 && engine.run("f").error instanceof ConflictError);
  assert.deepEqual([calls, engine.run("o").attempts, engine.run("o").reason], [4, 4, "attempts-used"]);
});

test("a retryIf that throws or answers nonsense ends the run with that, and does not hide the handler's error", async () => {
  const { clock, engine } = made();
  const boom = new Error("the handler's");
  const broken = { throws: () => { throw new Error("mine"); }, nonsense: () => "maybe", promise: async () => true };
  for (const [name, retryIf] of Object.entries(broken)) {
    await engine.workflow(name, { retries: 5, retryIf }, () => { throw boom; }).enqueue({}, { id: name });
  }
  await clock.advance("1d");
  for (const name of Object.keys(broken)) {
    const { attempts, error } = engine.run(name);
    assert.ok(attempts === 1 && error instanceof CallbackError && error.option === "retryIf" && error.cause === boom, name);
  }
});

test("a step that nobody waits for is waited for by its run, and its failure is the run's", async () => {
  const { clock, engine } = made();
  const open = gate();
  const flow = engine.workflow("w", { retries: 0 }, async (payload, ctx) => {
    if (payload === "open") ctx.run("s", () => open.promise);
    if (payload === "fails later") ctx.run("s", async () => { await open.promise; throw new Error("unheard"); });
    if (payload === "failed before") {
      ctx.run("s", () => { throw new Error("unheard"); });
      await ctx.run("other", () => settled());
    }
    if (payload === "refused") ctx.run("s");
    if (payload === "sleeps") ctx.sleep("s", 1_000);
    if (payload === "heard") ctx.run("s", async () => { throw new Error("heard"); }).catch(() => {});
    if (payload === "race") await Promise.race([ctx.run("s", () => 1), ctx.sleep("t", "1d")]);
    return payload;
  });
  const all = ["open", "fails later", "failed before", "refused", "sleeps", "heard", "race"];
  for (const payload of all) await flow.enqueue(payload, { id: payload });
  let idle = false;
  void engine.idle().then(() => (idle = true));
  await settled();
  await settled();
  const status = () => Object.fromEntries(all.map((id) => [id, engine.run(id).status]));
  assert.deepEqual([status(), idle], [{
    open: "running", "fails later": "running", "failed before": "dead", refused: "dead", sleeps: "running", heard: "succeeded", race: "succeeded",
  }, false]);
  open.resolve("late");
  await clock.advance(1_000);
  await engine.idle();
  assert.deepEqual(status(), {
    open: "succeeded", "fails later": "dead", "failed before": "dead", refused: "dead", sleeps: "succeeded", heard: "succeeded", race: "succeeded",
  });
  assert.deepEqual([engine.run("fails later").error.message, engine.run("open").result], ["unheard", "open"]);
});

test("no unhandled rejection comes of steps, whatever becomes of their run", async (context) => {
  const { stdout, stderr, code } = await run(context, `
    import { Engine } from "twiceproof";
    const engine = new Engine();
    let goOn;
    const open = new Promise((resolve) => (goOn = resolve));
    const flow = engine.workflow("w", { retries: 0 }, async (payload, ctx) => {
      const failing = () => { throw new Error("step"); };
      ctx.run("a", failing);
      ctx.run("b", async () => failing());
      ctx.run("c");
      if (payload === "throws") throw new Error("handler");
      await open;
    });
    await flow.enqueue("throws", { id: "task:1" });
    await flow.enqueue("returns", { id: "task:2" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    engine.cancel("task:2");
    goOn();
    await engine.idle();
    console.log(engine.runs().map(({ status }) => status).join());`);
  assert.deepEqual([stdout, stderr, code], ["dead,cancelled\n", "", 0]);
});

test("idle() inside a step or handler of the same engine is an error at once; of another engine it is none", async () => {
  const { clock, engine } = made();
  const { engine: other } = made();
  const flow = engine.workflow("w", { retries: 3 }, async (payload, ctx) => {
    if (payload === "step") await ctx.run("s", () => engine.idle());
    else if (payload === "handler") await engine.idle();
    else await ctx.run("s", () => other.idle());
  });
  for (const payload of ["step", "handler", "other"]) await flow.enqueue(payload, { id: payload });
  await clock.advance("1d");
  assert.ok(engine.run("step").error instanceof UsageError && engine.run("step").attempts === 1);
  assert.ok(engine.run("handler").error instanceof UsageError);
  assert.equal(engine.run("other").status, "succeeded");
});

test("idle() inside a step after an await: Node tells, once nothing is left to do", async (context) => {
  const { stdout } = await run(context, `
    import { Engine } from "twiceproof";
    const engine = new Engine();
    const flow = engine.workflow("w", { retries: 0 }, (_, ctx) => ctx.run("s", async () => { await null; await engine.idle(); }));
    await flow.enqueue({}, { id: "r" });
    const outside = engine.idle().catch((error) => console.log("outside:", error.code, /inside a step/.test(error.message)));
    await outside;
    console.log(engine.run("r").status);`);
  assert.match(stdout, /^outside: ERR_USAGE true\n/);
});

test("a clock that throws or tells no time: one clear error, nothing uncaught", async (context) => {
  for (const [bad, message] of [[() => { throw new Error("no battery"); }, /no battery/], [() => "now", /clock\.now needs to return a number/], [() => Number.NaN, /clock\.now needs/], [() => -1, /clock\.now needs/]]) {
    const real = new TestClock();
    let broken = false;
    const engine = new Engine({ clock: { now: () => (broken ? bad() : real.now()), wakeAt: (at, wake) => real.wakeAt(at, wake) } });
    const flow = engine.workflow("w", (_, ctx) => ctx.sleep("s", 1_000));
    await flow.enqueue({}, { id: "r" });
    await settled();
    const idle = engine.idle();
    broken = true;
    await Promise.all([real.advance(1_000), assert.rejects(idle, (error) => error instanceof EngineBrokenError && message.test(error.message) && message.test(error.cause.message))]);
    await assert.rejects(flow.enqueue({}), EngineBrokenError);
    assert.match(engine.journalText(), /"sleep-started"/);
    await engine.close();
    assert.throws(() => new Engine({ clock: { now: bad, wakeAt() {} } }), message);
  }
  for (const wakeAt of [() => { throw new Error("no alarm"); }, () => undefined]) {
    const engine = new Engine({ clock: { now: () => 0, wakeAt } });
    await engine.workflow("w", (_, ctx) => ctx.sleep("s", 1_000)).enqueue({});
    await assert.rejects(engine.idle(), (error) => error instanceof EngineBrokenError && /no alarm|wakeAt/.test(error.message));
  }
  void context;
});

test("2.13 what is asked for is checked, and the error names it", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", () => {});
  assert.throws(() => engine.runs({ status: "bogus" }), { code: "ERR_INVALID_OPTION", option: "status" });
  assert.throws(() => engine.runs({ workflow: "nobody" }), NotFoundError);
  assert.throws(() => engine.workflow("x"), { code: "ERR_INVALID_OPTION", option: "handler" });
  assert.throws(() => engine.workflow("w", () => {}), UsageError);
  for (const runAt of [-5, Number.NaN, Infinity, 1e300, new Date(Number.NaN), "tomorrow"]) await assert.rejects(flow.enqueue({}, { runAt }), { code: "ERR_INVALID_OPTION", option: "runAt" });
  await assert.rejects(flow.enqueue({}, { ruNat: 5 }), /runAt/);
  assert.throws(() => new Engine({ retention: -1 }), { option: "retention" });
  assert.throws(() => new Engine({ autoPrune: 1 }), { option: "autoPrune" });
  assert.equal(engine.runs().length, 0);
});

test("functions can be taken off a context and a workflow", async () => {
  const { clock, engine } = made();
  const { enqueue, enqueueDetailed } = engine.workflow("w", async (_, { run, sleep, key, effect, runId, signal }) => {
    await sleep("nap", 5);
    return run("s", () => [key("s"), effect(), runId, signal.aborted]);
  });
  assert.equal(await enqueue({}, { id: "r" }), "r");
  assert.equal((await enqueueDetailed({}, { id: "r" })).outcome, "existing");
  await clock.advance(5);
  assert.deepEqual(engine.run("r").result, ["r:s", 1, "r", false]);
});

test("c33 a-t1 no two steps share a provider's key: a colon in a step's name is written %3A", async () => {
  const { engine } = made();
  const keys = [];
  const flow = engine.workflow("w", async (steps, ctx) => {
    for (const step of steps) await ctx.run(step, (own) => void keys.push([own.key, own.key === ctx.key(step)]));
    keys.push([ctx.key("item", { index: 1 }), true]);
  });
  await flow.enqueue(["b", "100 % sure"], { id: "r:a" });
  await flow.enqueue(["a:b", "a%3Ab", "%25"], { id: "r" });
  await engine.idle();
  assert.ok(keys.every(([, same]) => same));
  const expected = ["r:a:b", "r:a:100 % sure", "r:a:item [1]", "r:a%3Ab", "r:a%253Ab", "r:%2525", "r:item [1]"];
  assert.deepEqual(keys.map(([key]) => key).sort(), expected.sort());
});

test("what an abandoned handler still asks for is refused, and the run that is left is right", async () => {
  const { engine } = made();
  const open = gate();
  const late = [];
  const flow = engine.workflow("w", async (_, ctx) => {
    ctx.run("a", () => open.promise).catch(() => {});
    setImmediate(() => ctx.run("b", () => 1).catch((error) => late.push(error)));
  });
  await flow.enqueue({}, { id: "r" });
  await engine.idle();
  await settled();
  assert.ok(late[0] instanceof UsageError);
  assert.equal(engine.run("r").status, "succeeded");
  assert.equal(new RunCancelledError("r").code, "ERR_RUN_CANCELLED");
});

test("2.13 what is sent in place of an event is named", async () => {
  const engine = new Engine({ onWarning: false });
  const wrong = { code: "ERR_INVALID_OPTION", option: "event", message: 'event needs an object with a name, such as { name, data }, got "a"' };
  await assert.rejects(engine.send("a"), wrong);
  await engine.close();
});

test("2.13 an ID that can be none is refused wherever a run is asked for", async () => {
  const { engine } = made();
  for (const id of [5, undefined, null, {}, "", "a\0b", "k".repeat(300)]) {
    assert.throws(() => engine.run(id), InvalidKeyError);
    assert.throws(() => engine.cancel(id), InvalidKeyError);
    await assert.rejects(engine.forget(id), InvalidKeyError);
    if (typeof id === "string") await assert.rejects(engine.redrive(id), InvalidKeyError);
    const [{ reason }] = await engine.redrive([id]);
    assert.ok(reason instanceof InvalidKeyError, String(reason));
  }
  assert.deepEqual([engine.run("nobody"), engine.cancel("nobody")], [undefined, false]);
  for (const ids of [5, undefined, null, {}]) await assert.rejects(engine.redrive(ids), { option: "ids" });
});

test("2.13 an item of a list that is none is its own refusal, and the others are done", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", () => {});
  const results = await flow.enqueueMany([5, null, undefined, "x", [1], { payload: 1, id: "a" }, { payload: 1, idd: "b" }, { payload: 1, [Symbol("id")]: "c" }]);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "rejected", "rejected", "rejected", "rejected", "fulfilled", "rejected", "rejected"]);
  for (const { reason } of results.slice(0, 5)) assert.match(reason.message, /^items needs objects such as \{ payload, id \}, got /);
  assert.deepEqual(results.map(({ reason }) => reason?.option), ["items", "items", "items", "items", "items", undefined, "idd", "Symbol(id)"]);
  for (const items of [5, null, undefined, "ab", {}]) await assert.rejects(flow.enqueueMany(items), { option: "items" });
});

test("a run without a payload is another than one of null", async () => {
  const { engine } = made();
  const seen = [];
  const flow = engine.workflow("w", (payload) => void seen.push(payload));
  await flow.enqueue(undefined, { id: "none" });
  await flow.enqueue(null, { id: "null" });
  assert.equal((await flow.enqueueDetailed(undefined, { id: "none" })).outcome, "existing");
  const differs = (kind) => (error) => error instanceof ConflictError && error.differences.length === 1 && error.differences[0].path === "payload" && error.differences[0].kind === kind;
  await assert.rejects(flow.enqueue(null, { id: "none" }), differs("extra"));
  await assert.rejects(flow.enqueue(undefined, { id: "null" }), differs("missing"));
  await engine.idle();
  assert.deepEqual(seen, [undefined, null]);
  const queued = engine.journal().filter(({ type }) => type === "run-queued");
  assert.deepEqual(queued.map(({ payload }) => payload), [undefined, { json: "null" }]);
});

test("what would be left aside in silence is refused: a handler before its options, a newId of the other kind", async () => {
  const { engine } = made();
  assert.throws(() => engine.workflow("w", () => {}, { retries: 5 }), { option: "handler", message: /to come last, after the options/ });
  const flow = engine.workflow("w", { retries: 0 }, () => { throw new Error("no"); });
  await flow.enqueue(1, { id: "r" });
  await engine.idle();
  await assert.rejects(engine.redrive("r", { newId: () => "x" }), { option: "newId", message: /^newId needs a text, the ID of the new run .*, got a function$/ });
  await assert.rejects(engine.redrive(["r"], { newId: "x" }), { option: "newId", message: /^newId needs a function that makes the new ID of each old one, because several runs are done again, got "x"$/ });
  const [made_] = await engine.redrive(["r"], { newId: (id) => `${id}:again` });
  assert.equal(made_.value.id, "r:again");
});

test("one name for a step and for a sleep is refused, also where another pass used it", async () => {
  for (const [first, then] of [["sleep", "run"], ["run", "sleep"]]) {
    const { clock, engine } = made();
    let done = 0;
    const ask = { sleep: (ctx) => ctx.sleep("pause", "1s"), run: (ctx) => ctx.run("pause", () => { done++; return 5; }) };
    const flow = engine.workflow("w", { retries: 3, baseDelayMs: 1, jitter: false }, async (payload, ctx) => {
      if (ctx.attempt > 1) return ask[then](ctx);
      await ask[first](ctx);
      throw new Error("the first pass fails");
    });
    await flow.enqueue({}, { id: "r" });
    await clock.advance("1h");
    await engine.idle();
    const { status, error, attempts } = engine.run("r");
    assert.deepEqual([status, attempts, done], ["dead", 2, first === "run" ? 1 : 0], first);
    assert.ok(error instanceof UsageError && /"pause".*step and of a sleep/.test(error.message), String(error));
  }
});

test("a key that is too long for a provider names the step and the run that make it", async () => {
  const { engine } = made();
  const flow = engine.workflow("w", (payload, ctx) => ctx.run("s".repeat(100), (step) => step.key));
  await flow.enqueue({}, { id: "r".repeat(200) });
  await engine.idle();
  const { error } = engine.run("r".repeat(200));
  assert.ok(error instanceof InvalidKeyError);
  assert.match(error.message, /key of step "s{60}…" in run "r{60}…": .*at most 255 bytes.*got 301.*shorten/);
});

test("retryIf is not asked where no attempt is left: what failed last is what is told", async () => {
  const asked = [];
  const retryIf = (error, failed) => { asked.push(failed); if (failed === 2) throw new Error("never asked"); return true; };
  const boom = new Error("real");
  for (const maxAttempts of [1, 2]) {
    await assert.rejects(withRetry(() => { throw boom; }, { maxAttempts, retryIf, sleep: () => {} })({ id: 1, data: 1, attempt: 1 }), (error) => error === boom);
  }
  const { clock, engine } = made();
  await engine.workflow("w", { retries: 1, baseDelayMs: 1, retryIf }, () => { throw boom; }).enqueue({}, { id: "r" });
  await clock.advance("1h");
  await engine.idle();
  assert.deepEqual([engine.run("r").reason, engine.run("r").error], ["attempts-used", boom]);
  assert.deepEqual(asked, [1, 1]);
});
