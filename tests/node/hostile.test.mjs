// Whatever is handed to the package: an error is one that the package documents, with a `code`, or the very value that a
// function of the caller's threw. Never an error from inside, never a wait without end, never an unhandled rejection.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, twiceproof } from "./subject.mjs";

const {
  CallbackError, Engine, IdempotencyStore, InFlightError, InvalidKeyError, NonRetryableError, RetryAfterError, SimpleQueue, TestClock,
  idempotentSteps, lintKey, load, retryEachStep, simulate, smallestSafeWindow, theory, withRetry, workflow,
} = twiceproof;

const CODES = [
  "ERR_INVALID_OPTION", "ERR_INVALID_KEY", "ERR_INVALID_DATA", "ERR_DETACHED_METHOD", "ERR_LIMIT", "ERR_LOAD", "ERR_CALLBACK",
  "ERR_REENTRANT_KEY", "ERR_IN_FLIGHT", "ERR_CONFLICT", "ERR_ENGINE_BROKEN", "ERR_ENGINE_CLOSED", "ERR_EXPRESSION", "ERR_NOT_FOUND",
  "ERR_PAUSED", "ERR_RUN_STATE", "ERR_USAGE",
];
const BINARY = new WebAssembly.Module(readFileSync(join(folder, "dist/parts.wasm")));
const SEED = 0x7c1ce;
const ROUNDS = 4_000;
const HANG_MS = 5_000;

/** Thrown by the hostile functions: it goes through as it is. */
class Own extends Error {}

/** Numbers from 0 up to `below`: xorshift, so that a failure can be had again. */
function draws(seed) {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
function isRevoked(value) {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}
/** The caller's own function may throw what it likes. */
const throwing = () => { throw new Own("own"); };
const thenable = () => ({ then: (done) => done(1) });
class Holder { maxAttempts = 2; }

/** A promise that nobody has to wait for; one that a callback returns is the package's to take care of. */
function handled(promise) {
  promise.catch(() => {});
  return promise;
}

/** Values that belong nowhere, or only by chance. */
const VALUES = [
  () => undefined, () => null, () => 0, () => -0, () => 1, () => -1, () => 1.5, () => 7, () => Number.NaN, () => Infinity, () => -Infinity,
  () => 1e300, () => 2 ** 33, () => 2 ** 53, () => 5e-324, () => "", () => "x", () => "5", () => "5s", () => "1e9d", () => `${"9".repeat(400)}d`,
  () => "\ud800", () => "a\0b", () => "k".repeat(300), () => true, () => false, () => 10n, () => Symbol("s"), () => Symbol.iterator,
  () => [], () => [undefined], () => [1, [2]], () => new Array(3), () => ({}), () => ({ ratio: -1 }), () => ({ ratio: 0.5 }), () => ({ waitMs: -1 }),
  () => ({ header: 5 }), () => ({ delayMs: "5" }), () => ({ toString: throwing }), () => Object.create(null), () => Object.create({ maxAttempts: 2 }),
  () => new Holder(), () => new Date(Number.NaN), () => new Map(), () => /x/, () => new Uint8Array(3), () => new Error("e"), () => Promise.resolve(1),
  () => handled(Promise.reject(new Own("own"))), thenable, () => revoked(), () => new Proxy({}, { get: throwing, ownKeys: throwing, getPrototypeOf: throwing }),
  () => new Proxy([], {}), () => throwing, () => () => 1, () => () => undefined, () => () => Promise.reject(new Own("own")), () => () => Promise.resolve("no"),
  () => async () => {}, () => () => 0.5, () => () => "5", () => AbortSignal.abort(new Own("own")),
  () => new AbortController().signal, () => ({ aborted: false, addEventListener() {}, removeEventListener() {} }), () => ({ addEventListener() {} }),
  () => globalThis, () => new IdempotencyStore(5), () => new SimpleQueue(() => 1), () => new TestClock(), () => new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)),
  () => [{ name: "a", run: throwing }], () => [{ name: "a", run: async () => {} }, { name: "a", run() {} }], () => ({ id: 1, data: {}, attempt: 1 }),
];
const NAMES = [
  "maxAttempts", "retries", "baseDelayMs", "maxDelayMs", "factor", "jitter", "retryIf", "maxRetryAfterMs", "random", "signal", "onRetry",
  "concurrency", "keepFailed", "ttlMs", "now", "input", "onInFlight", "limit", "steps", "lostStep", "fail", "lost", "attempts", "seed",
  "generator", "strategies", "retry", "key", "skipFinished", "providerRemembers", "onProgress", "ration", "__proto__", "maxAttempt",
  "clock", "workers", "retention", "autoPrune", "journal", "keep", "onWarning", "on", "idempotency", "debounce", "batch", "rateLimit", "fingerprint",
  "id", "runAt", "onExisting", "fresh", "name", "data", "ts", "payload", "workflow", "reason", "duplicate", "status", "dedupe", "newId", "note",
  "period", "timeout", "maxSize", "window", "onMissing", "omit", "pick", "callMax", "queueMax", "hearsRetryAfter", "known", "index", Symbol("name"),
];

function hostile(draw) {
  const value = () => VALUES[draw(VALUES.length)]();
  const options = (always = {}) => {
    const made = { ...always };
    for (let left = draw(3); left > 0; left--) {
      Object.defineProperty(made, NAMES[draw(NAMES.length)], { value: value(), enumerable: true, configurable: true, writable: true });
    }
    return made;
  };
  const maybe = (made) => (draw(3) === 0 ? value() : made());
  // What work returns is the caller's, and is awaited as any value is: one that no `await` survives is left out.
  const result = () => {
    const made = value();
    return typeof made === "object" && isRevoked(made) ? undefined : made;
  };
  const steps = () => Array.from({ length: draw(3) }, (_, at) => ({ name: `step ${at}`, run: draw(2) ? result : throwing }));
  const work = () => (draw(2) ? result : throwing);
  const job = () => ({ id: 1, data: value(), attempt: 1 });
  // Endless by request is not the package's to end: attempts without limit are left out.
  const bounded = (given) => {
    if (given === null || typeof given !== "object") return given;
    try {
      for (const name of ["maxAttempts", "retries"]) if (typeof given[name] === "number" && given[name] > 50) given[name] = 50;
      for (const name of ["baseDelayMs", "maxDelayMs", "maxRetryAfterMs"]) if (typeof given[name] === "number" && given[name] > 2) given[name] = 2;
      if (typeof given.jobs === "number" && given.jobs > 1e6) given.jobs = 10;
    } catch {
      // One that throws when it is touched.
    }
    return given;
  };
  return { draw, value, maybe, steps, work, job, options: (always) => bounded(maybe(() => options(always))), retry: () => bounded(maybe(() => options({ sleep: () => {}, maxDelayMs: 2 }))) };
}

const ACTIONS = {
  queue: async (h) => {
    const queue = new SimpleQueue(h.maybe(h.work), h.options());
    const job = queue.add(h.value());
    void [job.signal, { ...job }, new Proxy(job, {}).signal];
    await queue.onIdle();
  },
  withRetry: (h) => withRetry(h.maybe(h.work), h.retry())(h.maybe(h.job)),
  retryEachStep: (h) => workflow(retryEachStep(h.maybe(h.steps), h.retry()))(h.maybe(h.job)),
  retryEachStepRun: (h) => Promise.allSettled(retryEachStep(h.maybe(h.steps), h.retry()).map((step) => attempt(() => step.run(h.maybe(h.job))))),
  workflow: (h) => workflow(h.maybe(h.steps))(h.maybe(h.job)),
  idempotentSteps: (h) => {
    const keyOf = h.maybe(() => () => h.value());
    return workflow(idempotentSteps(h.maybe(h.steps), h.maybe(() => new IdempotencyStore(5)), keyOf))(h.maybe(h.job));
  },
  store: async (h) => {
    const store = new IdempotencyStore(h.maybe(() => 5), h.maybe(() => Date.now));
    for (let call = 0; call < 3; call++) await attempt(() => store.once(h.maybe(() => "k"), h.maybe(h.work), h.options()));
    await attempt(() => store.forget(h.maybe(() => "k"), h.value()));
    await attempt(() => store.sweep(h.options()));
    void store.size;
  },
  storeOptions: (h) => new IdempotencyStore(h.options()),
  detached: (h) => {
    const [queue, store, clock] = [new SimpleQueue(() => 1), new IdempotencyStore(5), new TestClock()];
    const methods = [queue.add, queue.onIdle, store.once, store.forget, store.sweep, clock.advance, clock.now, clock.wakeAt];
    return methods[h.draw(methods.length)].call(h.value(), h.value(), h.value());
  },
  clock: async (h) => {
    const clock = new TestClock(h.maybe(() => 0));
    const off = await attempt(() => clock.wakeAt(h.value(), () => {}));
    await Promise.allSettled([attempt(() => clock.advance(h.value())), attempt(() => clock.advance(h.value()))]);
    if (typeof off === "function") off();
    assert.equal(typeof clock.now(), "number");
  },
  engineOptions: (h) => new Engine(h.options()).close(),
  engine: async (h) => {
    const clock = new TestClock();
    const engine = new Engine({ clock, onWarning: false });
    const does = async (_, ctx) => {
      await attempt(() => ctx.run(h.maybe(() => "s"), h.maybe(h.work), h.options()));
      await attempt(() => ctx.run("effect", (step) => step.effect(h.maybe(() => "k"), h.options())));
      await attempt(() => ctx.key(h.maybe(() => "s"), h.options()));
      await attempt(() => ctx.sleep(h.maybe(() => "n"), h.maybe(() => 5), h.options()));
    };
    const first = await attempt(() => engine.workflow(h.maybe(() => "w"), h.options(), h.maybe(() => does)));
    const flow = first ?? engine.workflow("again", { on: "e" }, does);
    const grouped = () => engine.workflow(h.maybe(() => "g"), h.options({ on: h.maybe(() => "e"), [["idempotency", "debounce", "batch", "rateLimit"][h.draw(4)]]: h.options() }), does);
    await attempt(grouped);
    await attempt(() => flow.enqueue(h.value(), h.options()));
    await attempt(() => flow.enqueueDetailed(h.value(), h.options()));
    for (const { reason } of (await attempt(() => flow.enqueueMany(h.maybe(() => [h.value(), h.options(), { payload: 1 }])))) ?? []) if (reason !== undefined) fits(reason);
    await attempt(() => engine.send(h.maybe(() => h.options({ name: "e" }))));
    for (const { reason } of (await attempt(() => engine.sendMany(h.maybe(() => [h.value(), h.options()])))) ?? []) if (reason !== undefined) fits(reason);
    await attempt(() => clock.advance(5));
    const [one] = engine.runs();
    const id = () => h.maybe(() => one?.id ?? "nobody");
    const calls = [
      () => engine.run(id()), () => engine.runs(h.options()), () => engine.cancel(id()), () => engine.redrive(id(), h.options()),
      () => engine.forget(id(), h.options()), () => engine.prune(h.options()), () => engine.pause(h.maybe(() => "w")), () => engine.resume(h.maybe(() => "w")),
      () => engine.events(h.options()), () => engine.replay(h.maybe(() => 0), h.options()), () => engine.on(h.maybe(() => "entry"), h.maybe(() => () => {})),
    ];
    for (const call of calls) await attempt(call);
    assert.ok(engine.journal().length > 0);
    await engine.close();
    await attempt(() => flow.enqueue(1));
  },
  advice: async (h) => {
    await attempt(() => lintKey(h.value(), h.value()));
    await attempt(() => smallestSafeWindow(h.maybe(() => [h.options(), { retry: h.options() }, { steps: h.options() }][h.draw(3)])));
  },
  simulate: (h) => simulate(tableOptions(h), h.options()),
  theory: (h) => void theory(tableOptions(h)),
  load: (h) => load(h.maybe(() => BINARY)),
  retryAfter: (h) => {
    throw attemptNow(() => new RetryAfterError(h.maybe(() => "m"), h.value())) ?? new Own("made");
  },
};

/** Small tables: what is right is worked off, and that takes its time. */
function tableOptions(h) {
  const options = h.options();
  if (typeof options !== "object" || options === null) return options;
  try {
    options.jobs ??= 10;
  } catch {
    // One that throws when it is touched.
  }
  return options;
}

/** What the call throws, if it does. */
function attemptNow(call) {
  try {
    call();
    return undefined;
  } catch (error) {
    fits(error);
    return error;
  }
}

/** Does it, and checks what it throws or rejects with; hands on what it returned. */
async function attempt(call) {
  try {
    return await call();
  } catch (error) {
    fits(error);
    return undefined;
  }
}

function fits(error) {
  if (error instanceof Own || error instanceof assert.AssertionError) {
    if (error instanceof Own) return;
    throw error;
  }
  const [code, message] = [error?.code, error?.message];
  // A job's values are the caller's, and may be thrown as they are: only errors are the package's.
  if (!(error instanceof Error)) assert.fail(`something else than an error was thrown: ${typeof error}`);
  assert.ok(CODES.includes(code), `${error.name} without a known code: ${code} ${message}\n${error.stack}`);
  assert.ok(message.length > 0 && message.length < 600 && !/\[object|undefined \(|is not a function|private member|Cannot read/.test(message), message);
}

test("2.13 hostile values: every error is a documented one, nothing hangs, nothing is unhandled", async () => {
  const draw = draws(SEED);
  const made = hostile(draw);
  const actions = Object.entries(ACTIONS);
  const seen = {};
  for (let round = 0; round < ROUNDS; round++) {
    const [name, action] = actions[draw(actions.length)];
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new assert.AssertionError({ message: `${name} hangs in round ${round}` })), HANG_MS); });
    try {
      await Promise.race([action(made), late]);
      seen[name] = (seen[name] ?? 0) + 1;
    } catch (error) {
      try {
        fits(error);
      } catch (unfit) {
        unfit.message = `round ${round}, ${name}: ${unfit.message}`;
        throw unfit;
      }
    } finally {
      clearTimeout(timer);
    }
  }
  // Node's runner counts an unhandled rejection as a failure, if the test is there when it comes.
  await new Promise((resolve) => setTimeout(resolve, 20));
  // Not everything may be refused, or nothing was tested behind the checks.
  assert.ok(Object.keys(seen).length >= actions.length - 2, JSON.stringify(seen));
});
