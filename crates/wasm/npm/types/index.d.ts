/**
 * Work that is retried can run twice; this makes that harmless.
 *
 * The small parts (`SimpleQueue`, `withRetry`, `retryEachStep`, `workflow`, `IdempotencyStore`, `idempotentSteps`) can
 * be used one by one. Steps run **at least once**: a step that did its work and lost its reply runs again. Pass a key
 * to whoever performs the side effect, and let it be the same on every attempt.
 *
 * Every error that the package makes has a `code` ({@link ErrorCode}); what your own functions throw goes through as it
 * is. Nothing is coerced in silence: a wrong option is an {@link InvalidOptionError} that names it.
 *
 * Importing does nothing. The WebAssembly core is compiled when the first object is made, synchronously, in some
 * milliseconds; {@link load} does it asynchronously, from elsewhere, if a page wants that.
 */

export * from "./errors.js";
export * from "./engine.js";
export * from "./events.js";
export * from "./journal.js";

import type { EngineRetryOptions } from "./engine.js";

/**
 * A number of milliseconds, or a text such as `"500ms"`, `"1.5s"`, `"30m"`, `"24h"`, `"184d"`: digits, with a point or not, and a unit.
 * The type says less than that, so that `` `${hours}h` `` of a number has it: `"-5s"` and `"1e3s"` compile, and are refused when the
 * program runs ({@link InvalidOptionError}).
 */
export type Duration = number | `${number}${"" | " "}${"ms" | "s" | "m" | "h" | "d"}`;

/** What a handler is given. */
export interface Job<T> {
  /** Its number in its queue, from 1. Two jobs of the same data have two numbers: never make a key of it. */
  readonly id: number;
  /** What was added. The very object, not a copy. */
  readonly data: T;
  /** Which attempt this is, from 1, of the innermost retry around the handler or step. */
  readonly attempt: number;
  /** Aborts when the queue's signal does. Made when it is first read. */
  readonly signal: AbortSignal;
}

/** Work on a job. May return a promise or not; what it returns is not kept. */
export type Handler<T> = (job: Job<T>) => Promise<unknown> | unknown;

/** One step of a workflow. */
export interface Step<T> {
  /** Names the step, in keys too: give each of a workflow's steps its own. */
  readonly name: string;
  /** Does the work. May return a promise or not. Runs **at least once**. */
  run(job: Job<T>): Promise<unknown> | unknown;
}

/** A job that was given up, and the very value that was thrown last. */
export interface FailedJob<T> {
  readonly job: Job<T>;
  readonly error: unknown;
}

export interface SimpleQueueOptions {
  /** Jobs under way at once: a whole number of at least 1, or `Infinity`. Default 1. */
  concurrency?: number;
  /** How many of the last failures `failed` keeps: a whole number from 0, or `Infinity`. Default `Infinity`. */
  keepFailed?: number;
  /** Aborting it fails every job that has not begun with its reason, and aborts `job.signal`. */
  signal?: AbortSignal;
}

/**
 * First in, first out; one job to its end at a time unless `concurrency` says otherwise. In memory.
 *
 * Handlers run in the `AsyncLocalStorage` context of whoever set the queue going, and not of whoever added the job: pass what they need, such
 * as a request ID or a tenant, in its data.
 */
export class SimpleQueue<T> {
  /** @throws {InvalidOptionError} for an option that cannot be used, naming it. */
  constructor(handler: Handler<T>, options?: SimpleQueueOptions);
  /** Jobs that failed, the last `keepFailed` of them. A failure is here and nowhere else: nothing is rejected. */
  readonly failed: FailedJob<T>[];
  /** Adds a job. It begins in a microtask, never during the call. */
  add(data: T): Job<T>;
  /**
   * Resolves when nothing waits and nothing runs; at once if that is so. What jobs fail with is in `failed`, and rejects nothing here.
   * @throws as a rejection: {@link UsageError} where it would wait for ever. Called inside a handler of this queue that is found at once;
   * after an `await` in the handler, or if a handler waits for something that never comes, Node tells when nothing else is left to do.
   * In a process that goes on, and elsewhere, it is not found.
   */
  onIdle(): Promise<void>;
}

/** How to retry. Every option is checked when the wrapper is made, before anything runs. */
export interface RetryOptions {
  /** Attempts, the first included: a whole number of at least 1, or `Infinity`. Default 3. */
  maxAttempts?: number;
  /** The same without the first: `maxAttempts - 1`. Giving both, and not matching, is an error. */
  retries?: number;
  /** The wait before the first retry, in milliseconds. Default 100. If it is above `maxDelayMs`, every wait is `maxDelayMs`. */
  baseDelayMs?: number;
  /** The longest wait, in milliseconds. It may be below `baseDelayMs`: the smaller of the two counts. Default 30,000. */
  maxDelayMs?: number;
  /** Each wait is so many times the one before; at least 1. Default 2. */
  factor?: number;
  /**
   * How waits are spread, so that many callers do not come back together. `true` and `"full"`: uniform from 0 to the
   * wait; `"equal"`: half of it and uniform over the other half; `{ ratio }`: within this share of it on either side;
   * `false`: not. Default `true`.
   */
  jitter?: boolean | "full" | "equal" | { ratio: number };
  /**
   * Whether to try again after this error, when so many attempts have failed: true or false, or a promise of that. Anything
   * else, and anything it throws, is a {@link CallbackError}. Default: after every error. Not asked where no attempt is
   * left, nor about those that are never tried again: {@link NonRetryableError}, {@link ConflictError}, {@link InvalidKeyError}, {@link ReentrantKeyError}, {@link CallbackError},
   * {@link UsageError}.
   */
  retryIf?: (error: unknown, failedAttempts: number) => boolean | PromiseLike<boolean>;
  /**
   * The longest wait that a server may ask for ({@link RetryAfterError}), in milliseconds, or `Infinity`. If it asks
   * for more, there is no further attempt. Default one hour.
   */
  maxRetryAfterMs?: number;
  /**
   * Waits. For tests and simulations. An error thrown here ends the retrying with that error. Default: a timer that the
   * signal ends and that may be longer than 24 days.
   */
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown> | unknown;
  /** Uniform from 0 up to 1, for jitter; anything else is a {@link CallbackError}. Default `Math.random`. */
  random?: () => number;
  /**
   * Aborting it ends a wait at once and allows no further attempt; the error is then its reason. A `sleep` of your own gets the
   * signal, and its wait ends when it says so.
   */
  signal?: AbortSignal;
  /** Told before each wait; a promise is waited for. An error thrown here ends the retrying with that error. */
  onRetry?: (retry: { readonly attempt: number; readonly error: unknown; readonly delayMs: number }) => unknown;
}

/**
 * The handler, retried as a whole. In the end it throws the very value that the last attempt threw.
 * @throws {InvalidOptionError} for an option that cannot be used, naming it.
 */
export function withRetry<T>(handler: Handler<T>, options?: RetryOptions): Handler<T>;

/**
 * The steps, each retried alone. In the end a step throws the very value that its last attempt threw.
 * @throws {InvalidOptionError} for an option that cannot be used, naming it.
 */
export function retryEachStep<T>(steps: readonly Step<T>[], options?: RetryOptions): Step<T>[];

/** A handler that runs the steps in order and stops at the first that fails, with its error. */
export function workflow<T>(steps: readonly Step<T>[]): Handler<T>;

export interface IdempotencyStoreOptions {
  /**
   * How long a finished key is remembered, from its finish; `Infinity` for ever. Make it outlive every retry: one that is shorter
   * than the waits of the retries that its steps are put together with is warned of, with what {@link smallestSafeWindow} gives. So is
   * 0, with which calls at the same time share a run and nothing is remembered.
   */
  ttlMs: Duration;
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number;
  /**
   * Gets warnings about suspicious keys ({@link lintKey}) of `once` and of steps (the first hundred keys of the store are looked
   * at), and about a `ttlMs` that is 0 or shorter than the retries, as `EngineOptions.onWarning` does; false for none. That a key names
   * no operation is said of `once` alone: a step's name is its operation.
   */
  onWarning?: ((warning: string) => void) | false;
}

export interface OnceOptions {
  /**
   * The data that the work is about. With the same key and other data, or data that were never stated, the call is a
   * {@link ConflictError} instead of a result of something else. A call without `input` compares nothing and takes what
   * there is; `input: undefined` is data like any other. Compared as JSON with sorted keys; what JSON cannot hold is a
   * `TypeError` with its path (`ERR_INVALID_DATA`).
   */
  input?: unknown;
  /** If the key's work is running: share it (default), reject with {@link InFlightError}, or that after a wait. */
  onInFlight?: "share" | "reject" | { waitMs: number };
  /** Aborting it rejects this call at once with its reason. The work goes on, for those who share it and the next. */
  signal?: AbortSignal;
}

/**
 * Remembers which keys have finished, so that the same key does not run its work twice. In memory, of one process.
 *
 * A key is a text of 1 to 255 bytes of UTF-8 without NUL and lone surrogates, taken as it is; anything else is an
 * {@link InvalidKeyError}. Name the business action, never the attempt, and put no personal data in it.
 */
export class IdempotencyStore {
  /**
   * @param ttl How long a finished key is remembered, in milliseconds from its finish, or options.
   * @param now The clock, in milliseconds.
   * @throws {InvalidOptionError} for an option that cannot be used, naming it.
   */
  constructor(ttl: Duration | IdempotencyStoreOptions, now?: () => number);
  /** How many keys are running or remembered, those included whose window is over and that were not swept yet. */
  readonly size: number;
  /**
   * Runs the work, unless the key has finished (then its saved result) or is running (then that run's outcome).
   *
   * - A run that throws is not remembered: all who share it get that very error, and the next call runs again. So the
   *   work runs **at least once**; pass the key on to whoever performs the side effect.
   * - The window is counted from the finish; at exactly its end the key is new again.
   * - Saved plain data is handed on as a copy; an instance of a class or a function as it is.
   * - Work that waits for its own key is a {@link ReentrantKeyError}, directly and through other keys: in the synchronous
   *   part of the work always; after an `await` in Node, Deno, Bun, Chrome and edge runtimes, as far as the call is awaited
   *   by the work. Not found, and so waiting for ever: after an `await` in Firefox and Safari; in Node 20 and 22, Chrome
   *   and edge runtimes also a call that reaches the work through a callback (`new Promise` around a timer) or
   *   `Promise.race`.
   *
   * Never throws: every error is a rejection.
   */
  once<T>(key: string, work: () => T | PromiseLike<T>, options?: OnceOptions): Promise<T>;
  /**
   * Forgets a finished key. False if it is unknown or running.
   * @param step The name of the step, for a key of {@link idempotentSteps}.
   * @throws {InvalidKeyError} for what cannot be a key.
   */
  forget(key: string, step?: string): boolean;
  /**
   * Forgets keys whose window is over, at most `limit` of them (a whole number of at least 1, or `Infinity`), and says how
   * many. Calls of `once` do so as well.
   */
  sweep(options?: { limit?: number }): number;
}

/**
 * The steps, each behind the key (its name, `keyOf(job)`): skipped where that has finished, shared where it is running.
 * The two parts stay apart: `("a:b", "c")` and `("a", "b:c")` are different keys.
 */
export function idempotentSteps<T>(
  steps: readonly Step<T>[],
  store: IdempotencyStore,
  keyOf: (job: Job<T>) => string,
): Step<T>[];

/** What is suspicious about a key. */
export interface Finding {
  /**
   * - `"attempt-number"`: it counts attempts, so that each attempt has a key of its own (B24).
   * - `"timestamp"`: it holds a time of day, which is another one for the next request.
   * - `"uuid"`: made once for the action and stored that is a good key; made for each call it protects nothing (A24, C36).
   * - `"email-address"`: keys are written down in many places (A26).
   * - `"missing-value"`: it holds `undefined`, `null`, `NaN`, `[object Object]` or nothing between two separators: strangers share it.
   * - `"no-operation"`: it names a thing and not what is done with it.
   * - `"ambiguous-join"`: a part holds the separator, so that other parts give the same key (A-t1).
   */
  readonly name: "attempt-number" | "timestamp" | "uuid" | "email-address" | "missing-value" | "no-operation" | "ambiguous-join";
  /** What to do instead, as a sentence. */
  readonly advice: string;
}

/**
 * Looks at a key, or at the parts of one that will be joined with `separator` (default `":"`). Nothing is refused for what it finds.
 * @throws {InvalidOptionError}
 */
export function lintKey(key: string): Finding[];
export function lintKey(parts: readonly string[], separator?: string): Finding[];

export interface WindowOptions {
  /** How the whole run is retried, as an engine's workflow has it, with its defaults. */
  retry?: EngineRetryOptions;
  /** How each step is retried, the same. */
  steps?: EngineRetryOptions;
  /** The longest that one call may take; one whose answer got lost takes as long. Default one minute. */
  callMax?: Duration;
  /** The longest that a request may wait before its run starts: in a queue, or with a sender that retries. Default 0. */
  queueMax?: Duration;
  /** Whether servers that ask for longer waits are heard, as an engine does. Default true. */
  hearsRetryAfter?: boolean;
}

/**
 * The smallest window that outlives every retry (A27), in milliseconds from the first time that the work was done: all calls and waits
 * at their longest, and one millisecond. `Infinity` if no window does.
 * @throws {InvalidOptionError}
 */
export function smallestSafeWindow(options?: WindowOptions): number;

/** What to simulate. The defaults are the article's. */
export interface TableOptions {
  /** Sign-ups: a whole number up to 2^40. Default 1,000,000. */
  jobs?: number;
  /** Steps of a sign-up: 1 to 1,000. Default 10. */
  steps?: number;
  /** The step whose reply can be lost (the welcome email), from 1. Default 7. */
  lostStep?: number;
  /** The probability that a call fails before it does anything. Default 0.01. */
  fail?: number;
  /** The probability that the reply of that step is lost after its work was done. Default 0.005. */
  lost?: number;
  /** Attempts, the first included: 1 to 100. Default 3. */
  attempts?: number;
  /** A whole number below 2^32. Default 1. */
  seed?: number;
  /** The article's generator, in which all rows share their draws, or one with draws of its own for every row. */
  generator?: "mulberry32" | "chacha8";
  /** The rows. Default: the article's five. */
  strategies?: readonly Strategy[];
}

/** How a sign-up is protected. */
export interface Strategy {
  /** What runs again after a failure. */
  retry: "each-step" | "whole-job";
  /** The key sent with the email. */
  key: "none" | "new-each-call" | "same";
  /** Whether finished steps are skipped. Default false. */
  skipFinished?: boolean;
  /** Whether the provider acts once per key. Default true. */
  providerRemembers?: boolean;
}

/** One strategy's numbers. */
export interface TableRow {
  /** Its name, in the article's words. */
  readonly strategy: string;
  /** The share that succeeded, as the article prints it: `"99.999%"`. */
  readonly succeeded: string;
  /** Sign-ups given up on. */
  readonly failed: number;
  /** Calls for each sign-up, to two decimals. */
  readonly callsPerJob: number;
  /** Steps that took effect again. */
  readonly repeatedSteps: number;
  /** Users with two welcome emails or more. */
  readonly twoEmails: number;
  /** All calls. */
  readonly calls: number;
  /** Calls that failed before they did anything. */
  readonly refused: number;
  /** Calls whose reply was lost. */
  readonly lostReplies: number;
  /** How many sign-ups got so many emails: none, one, … */
  readonly emails: readonly number[];
}

/** One strategy's exact expectations. */
export interface TheoryRow {
  readonly strategy: string;
  /** For one sign-up: the probability that it fails. */
  readonly failed: number;
  /** And that it does not. */
  readonly succeeded: number;
  /** Its calls on average. */
  readonly calls: number;
  /** Its steps that take effect again, on average. */
  readonly repeatedSteps: number;
  /** The probability of two emails or more. */
  readonly twoEmails: number;
  /** The probability of so many emails: none, one, … */
  readonly emails: readonly number[];
  /** Over all sign-ups: mean and standard deviation. */
  readonly expected: {
    readonly [counter in "failed" | "calls" | "repeatedSteps" | "twoEmails"]: { readonly mean: number; readonly deviation: number };
  };
}

/**
 * The strategy table, in slices of a few milliseconds between which the page or process stays alive.
 * @throws as a rejection: {RangeError | TypeError} for an option that cannot be used, naming it; the signal's reason.
 */
export function simulate(
  options?: TableOptions,
  control?: { onProgress?: (done: number, total: number) => void; signal?: AbortSignal },
): Promise<TableRow[]>;

/** The exact expectations for the same options. */
export function theory(options?: TableOptions): TheoryRow[];

/**
 * A compiled module, as `WebAssembly.compile` and `new WebAssembly.Module` give it. The compiler takes any object for one, so that these
 * types need no `lib: ["dom"]`; whether it is one is looked at when the program runs.
 */
export type CompiledModule = object;

/**
 * Compiles a binary asynchronously, from `twiceproof/parts.wasm` (the small parts and the advice), `twiceproof/engine.wasm`
 * (`Engine`) or `twiceproof/table.wasm` (`simulate`, `theory`), or takes it as a compiled module, before its first use. Needed
 * only where compiling inlined bytes is forbidden or unwanted. Which binary it is need not be said. One that is already in use
 * stays.
 * A URL, or its text, is fetched; one of a file is read where there is Node's `process.getBuiltinModule`:
 * `new URL(import.meta.resolve("twiceproof/engine.wasm"))`.
 * @throws as a rejection: {InvalidOptionError}; an error with the code `ERR_LOAD` and its cause.
 */
export function load(source: Response | Promise<Response> | URL | string | CompiledModule): Promise<void>;

/**
 * Loads what reads expressions (`idempotency: "event.data.userId"`): a module of its own that nothing else needs. The first
 * workflow with an expression loads it too; awaited before, an expression that cannot be used throws where it is written.
 * Later calls do nothing.
 */
export function loadExpressions(): Promise<void>;
