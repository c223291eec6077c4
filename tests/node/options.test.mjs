// What is refused, and how (SEMANTICS 2.13): by the option's name, with a `code`, before anything runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { twiceproof } from "./subject.mjs";

const {
  CallbackError, Engine, IdempotencyStore, RetryAfterError, SimpleQueue, TestClock, idempotentSteps, load, retryEachStep, simulate, smallestSafeWindow, theory, withRetry,
  workflow,
} = twiceproof;
const STEP = { name: "a", run: () => 1 };

const invalid = (option, message) => ({ code: "ERR_INVALID_OPTION", option, ...(message && { message }) });

test("2.13 an option that is not known is refused, with the one that was meant", () => {
  assert.throws(() => withRetry(() => 1, { maxAttempt: 3 }), invalid("maxAttempt", /^retry has no option "maxAttempt"; did you mean "maxAttempts"\? \(it has maxAttempts, retries, /));
  assert.throws(() => new SimpleQueue(() => 1, { concurency: 3 }), invalid("concurency", /did you mean "concurrency"/));
  assert.throws(() => new IdempotencyStore({ ttl: 5 }), invalid("ttl", /did you mean "ttlMs"/));
  assert.throws(() => new IdempotencyStore(5).sweep({ limits: 5 }), /did you mean "limit"/);
  assert.throws(() => theory({ job: 5 }), /did you mean "jobs"/);
  assert.throws(() => theory({ strategies: [{ retry: "each-step", keys: "same" }] }), /strategy has no option "keys"; did you mean "key"/);
  assert.throws(() => withRetry(() => 1, { jitter: { ration: 0.2 } }), /jitter has no option "ration"; did you mean "ratio"/);
  assert.throws(() => withRetry(() => 1, { retry: 3 }), invalid("retry", /did you mean "retries"/));
  assert.throws(() => withRetry(() => 1, { retry: () => true }), invalid("retry", /did you mean "retryIf"/));
  assert.throws(() => withRetry(() => 1, { colour: "red" }), (error) => !error.message.includes("did you mean"));
});

test("2.13 an option that is named by a symbol is refused", () => {
  const named = { [Symbol("ttlMs")]: 5 };
  for (const make of [() => withRetry(() => 1, named), () => new SimpleQueue(() => 1, named), () => new IdempotencyStore(5).sweep(named), () => theory(named), () => new Engine(named)]) {
    assert.throws(make, invalid("Symbol(ttlMs)", / has no option Symbol\(ttlMs\) \(it has /));
  }
});

test("2.13 a policy that is none is no default", () => {
  for (const bad of [null, 5, [], "x"]) {
    assert.throws(() => smallestSafeWindow({ retry: bad }), invalid("retry"));
    assert.throws(() => smallestSafeWindow({ steps: bad }), invalid("steps"));
  }
  assert.throws(() => smallestSafeWindow({ retry: { retry: 5 } }), invalid("retry", /did you mean "retries"/));
  assert.equal(smallestSafeWindow({ retry: undefined }), smallestSafeWindow());
});

test("classes go by their names, in stacks and wherever they are shown", () => {
  for (const [name, value] of Object.entries(twiceproof)) {
    if (/^[A-Z]/.test(name)) assert.equal(value.name, name);
  }
  const shown = { SimpleQueue: new SimpleQueue(() => 1), IdempotencyStore: new IdempotencyStore(5), TestClock: new TestClock(), Engine: new Engine() };
  for (const [name, value] of Object.entries(shown)) assert.match(inspect(value), new RegExp(`^${name} \\{`));
  const { stack } = (() => {
    try {
      return new SimpleQueue(5);
    } catch (error) {
      return error;
    }
  })();
  assert.match(stack, /at new SimpleQueue /);
});

test("2.13 where options belong, an array, a map, a date, a store, a text or null is refused", async () => {
  for (const bad of [null, [], [3], new Map(), new Date(), new IdempotencyStore(5), "x", 5, true, () => 1]) {
    assert.throws(() => withRetry(() => 1, bad), invalid("retry", /^retry needs an object of options, got /));
    assert.throws(() => retryEachStep([], bad), invalid("retry"));
    assert.throws(() => new SimpleQueue(() => 1, bad), invalid("queue"));
    assert.throws(() => theory(bad), invalid("table"));
    await assert.rejects(new IdempotencyStore(5).once("k", () => 1, bad), invalid("once"));
    await assert.rejects(simulate({}, bad), invalid("control"));
  }
  class Settings { maxAttempts = 2; }
  withRetry(() => 1, new Settings());
  withRetry(() => 1, Object.create({ maxAttempts: 2 }, {}));
});

test("2.13 nothing is coerced: null, texts and promises are not numbers, flags or nothing", async () => {
  assert.throws(() => withRetry(() => 1, { jitter: null }), invalid("jitter", /^jitter needs .* got null$/));
  assert.throws(() => withRetry(() => 1, { jitter: [0.5] }), invalid("jitter"));
  for (const ratio of [-1, -2, -3, 1.1, "0.5", null]) assert.throws(() => withRetry(() => 1, { jitter: { ratio } }), invalid("jitter.ratio"));
  for (const generator of [null, "x"]) assert.throws(() => theory({ generator }), invalid("generator"));
  assert.throws(() => theory({ strategies: null }), invalid("strategies"));
  assert.throws(() => theory({ strategies: [,] }), invalid("strategy"));
  assert.throws(() => new IdempotencyStore(5, null), invalid("now"));
  assert.throws(() => new IdempotencyStore({ ttlMs: 5, now: () => 1 }, () => 2), invalid("now", /among the options/));
  for (const keepFailed of [1.5, -1, Number.NaN]) assert.throws(() => new SimpleQueue(() => 1, { keepFailed }), invalid("keepFailed"));
  assert.throws(() => new IdempotencyStore(5).sweep({ limit: 1.5 }), invalid("limit"));
  assert.throws(() => new IdempotencyStore(`${"9".repeat(400)}d`), invalid("ttlMs"));
  await assert.rejects(new IdempotencyStore(5).once("k", () => 1, { signal: { addEventListener() {} } }), invalid("signal"));
  for (const now of ["5", 5n, Number.NaN, -1, 2 ** 53, null, Promise.resolve(5)]) {
    const store = new IdempotencyStore(5, () => now);
    await assert.rejects(store.once("k", () => 1), invalid("now", /^now needs to return /));
    assert.equal(store.size, 0);
  }
});

test("2.13 a number out of its range is told the range that it is out of", () => {
  const told = (options) => {
    try {
      theory(options);
    } catch (error) {
      return error.message;
    }
    return undefined;
  };
  for (const [option, needs, values] of [
    ["jobs", "a whole number from 0 to 1099511627776", [2 ** 41, -1, 0.5, 1e300]],
    ["steps", "a whole number from 1 to 1000", [0, 1001, 2 ** 33, 1.5]],
    ["attempts", "a whole number from 1 to 100", [0, 101, 2 ** 33]],
    ["seed", "a whole number from 0 to 4294967295", [-1, 2 ** 32, 2 ** 33, 1.5]],
  ]) {
    for (const value of values) assert.equal(told({ [option]: value }), `${option} needs ${needs}, got ${String(value)}`);
  }
  assert.equal(told({ lostStep: 11 }), "lostStep needs a whole number from 1 to 10, got 11");
});

test("a handler without a job, and arguments that are none, are refused by name", async () => {
  const steps = [STEP];
  for (const handler of [withRetry(() => 1), workflow(steps), retryEachStep(steps)[0].run.bind(retryEachStep(steps)[0]), workflow(idempotentSteps(steps, new IdempotencyStore(5), () => "k"))]) {
    for (const job of [undefined, null, 5, "x"]) assert.throws(() => handler(job), invalid("job", /^job needs a job: /));
  }
  for (const told of [undefined, null, 5, {}, [], { header: "5", delayMs: 5 }]) assert.throws(() => new RetryAfterError("x", told), invalid("told"));
  assert.throws(() => new RetryAfterError("x", { delay: 5 }), /did you mean "delayMs"/);
  for (const source of [undefined, null, 42, {}, [], () => 1]) await assert.rejects(load(source), invalid("source"));
  assert.throws(() => new IdempotencyStore(5).forget(5), { code: "ERR_INVALID_KEY" });
  assert.throws(() => new IdempotencyStore(5).forget("k", 5), invalid("step"));
});

test("a method without its object says so", async () => {
  const { add, onIdle } = new SimpleQueue(() => 1);
  const { once, forget, sweep } = new IdempotencyStore(5);
  const { now, wakeAt, advance } = new TestClock();
  const detached = (name, kind) => ({ code: "ERR_DETACHED_METHOD", message: `${name} was called without its ${kind}: call it as a method, or bind it` });
  assert.throws(() => add(1), detached("add", "queue"));
  await assert.rejects(onIdle(), detached("onIdle", "queue"));
  await assert.rejects(once("k", () => 1), detached("once", "store"));
  assert.throws(() => forget("k"), detached("forget", "store"));
  assert.throws(() => sweep(), detached("sweep", "store"));
  assert.throws(() => now(), detached("now", "clock"));
  assert.throws(() => wakeAt(1, () => {}), detached("wakeAt", "clock"));
  await assert.rejects(advance(1), detached("advance", "clock"));
});

test("retryIf may answer with a promise; what is neither yes nor no is no yes", async () => {
  const down = new Error("down");
  let calls = 0;
  const failing = async () => { calls++; throw down; };
  const run = (options) => withRetry(failing, { sleep: () => {}, maxAttempts: 3, ...options })({});
  await assert.rejects(run({ retryIf: async () => true }), (error) => error === down && calls === 3);
  calls = 0;
  await assert.rejects(run({ retryIf: async () => false }), (error) => error === down && calls === 1);
  const thrown = new Error("retryIf is broken");
  for (const retryIf of [() => undefined, () => "no", () => 0, async () => 1, () => { throw thrown; }, async () => { throw thrown; }]) {
    calls = 0;
    await assert.rejects(run({ retryIf }), (error) => error instanceof CallbackError && error.option === "retryIf" && error.cause === down && calls === 1);
  }
  await assert.rejects(run({ retryIf: () => { throw thrown; } }), { thrown, message: "retryIf failed: retryIf is broken; the attempt had failed: down" });
  const controller = new AbortController();
  const stuck = run({ retryIf: () => new Promise(() => {}), signal: controller.signal });
  setTimeout(() => controller.abort(down), 2);
  await assert.rejects(stuck, (error) => error === down);
});

test("a random that throws or is none does not hide what the attempt failed with", async () => {
  const down = new Error("down");
  for (const random of [() => { throw new Error("dice"); }, () => 1, () => "0.5", () => Number.NaN, async () => 0.5]) {
    let calls = 0;
    const failing = async () => { calls++; throw down; };
    // Nor is it tried again by a retry around it.
    const handler = withRetry(withRetry(failing, { random }), { sleep: () => {} });
    await assert.rejects(handler({}), (error) => error instanceof CallbackError && error.option === "random" && error.cause === down && calls === 1);
  }
});

test("an onRetry and an onProgress that return a promise are waited for, and their errors are nobody's loss", async () => {
  const told = new Error("told");
  await assert.rejects(withRetry(() => { throw 1; }, { sleep: () => {}, onRetry: async () => { throw told; } })({}), (error) => error === told);
  await assert.rejects(simulate({ jobs: 10 }, { onProgress: async () => { throw told; } }), (error) => error === told);
});

test("a job seen through a proxy keeps its signal", async () => {
  const controller = new AbortController();
  const seen = [];
  const queue = new SimpleQueue((job) => void seen.push(new Proxy(job, {}).signal), { signal: controller.signal });
  queue.add(1);
  await queue.onIdle();
  controller.abort();
  assert.ok(seen[0].aborted);
});

test("load: what cannot be had is an error with its cause", async () => {
  const { execFileSync } = await import("node:child_process");
  const { folder } = await import("./subject.mjs");
  const { readFileSync } = await import("node:fs");
  const { join } = await import("node:path");
  const { pathToFileURL } = await import("node:url");
  const program = `
    const { load, theory } = await import(process.argv[1]);
    const codes = [];
    const other = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    for (const source of [other, "http://127.0.0.1:1/x", "nonsense", Promise.reject(new Error("no")), new Response("x", { status: 404 }), new Response("x")]) {
      await load(source).catch((error) => codes.push([error.code, error.cause !== undefined]));
    }
    await load(new Response(process.getBuiltinModule("node:fs").readFileSync(process.argv[2])));
    console.log(JSON.stringify([codes, theory().length]));`;
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", program, pathToFileURL(join(folder, "dist/index.js")).href, join(folder, "dist/table.wasm")], { encoding: "utf8" });
  const [codes, rows] = JSON.parse(text);
  assert.deepEqual(codes, [false, true, true, true, false, true].map((cause) => ["ERR_LOAD", cause]));
  assert.equal(rows, 5);
  assert.ok(readFileSync(join(folder, "dist/table.wasm")).length > 0);
});

test("load: an error names the file or the address, or the response that has none, and what to give instead", async () => {
  const { mkdtempSync, rmSync, writeFileSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const { pathToFileURL } = await import("node:url");
  const made = mkdtempSync(join(tmpdir(), "twiceproof-load-"));
  const found = process.getBuiltinModule;
  try {
    writeFileSync(join(made, "no wasm"), "text");
    const [text, missing] = ["no wasm", "missing"].map((name) => pathToFileURL(join(made, name)));
    const said = async (source) => {
      const error = await twiceproof.load(source).then(() => assert.fail("it loads"), (thrown) => thrown);
      assert.equal(error.code, "ERR_LOAD");
      return error.message.replace("the WebAssembly core could not be loaded: ", "");
    };
    assert.equal(await said(new Response("x", { status: 404 })), "404 for the response");
    for (const type of ["text/plain", "application/wasm"]) {
      assert.equal(await said(new Response("x", { headers: { "content-type": type } })), "the response is no WebAssembly");
    }
    assert.equal(await said(missing), `${missing.href} cannot be read`);
    assert.equal(await said(text), `${text.href} is no WebAssembly`);
    assert.equal(await said(text.href.replace("file:", "FILE:")), `${text.href.replace("file:", "FILE:")} is no WebAssembly`);
    assert.match(await said("file://%"), /^file:\/\/% cannot be read$/);
    assert.equal(await said("http://127.0.0.1:1/x"), "http://127.0.0.1:1/x cannot be fetched");
    process.getBuiltinModule = undefined;
    assert.equal(await said(text), `${text.href} cannot be fetched here: pass a Response of its bytes, or the compiled WebAssembly.Module`);
  } finally {
    process.getBuiltinModule = found;
    rmSync(made, { recursive: true });
  }
});
