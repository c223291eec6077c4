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
 * Importing does nothing. The WebAssembly core is compiled when the first object is made, synchronously, in about a
 * millisecond; {@link load} does it asynchronously, from elsewhere, if a page wants that.
 */

export * from "./errors.js";

/** A number of milliseconds, or a text such as `"500ms"`, `"1.5s"`, `"30m"`, `"24h"`, `"184d"`. */
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

/** First in, first out; one job to its end at a time unless `concurrency` says otherwise. In memory. */
export class SimpleQueue<T> {
  /** @throws {InvalidOptionError} for an option that cannot be used, naming it. */
  constructor(handler: Handler<T>, options?: SimpleQueueOptions);
  /** Jobs that failed, the last `keepFailed` of them. A failure is here and nowhere else: nothing is rejected. */
  readonly failed: FailedJob<T>[];
  /** Adds a job. It begins in a microtask, never during the call. */
  add(data: T): Job<T>;
  /** Resolves when nothing waits and nothing runs; at once if that is so. Never rejects. */
  onIdle(): Promise<void>;
}

/** How to retry. Every option is checked when the wrapper is made, before anything runs. */
export interface RetryOptions {
  /** Attempts, the first included: a whole number of at least 1, or `Infinity`. Default 3. */
  maxAttempts?: number;
  /** The same without the first: `maxAttempts - 1`. Giving both, and not matching, is an error. */
  retries?: number;
  /** The wait before the first retry, in milliseconds. Default 100. */
  baseDelayMs?: number;
  /** The longest wait, in milliseconds. Default 30,000. */
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
   * Whether to try again after this error: true or false, or a promise of that. Anything else, and anything it throws, is
   * a {@link CallbackError}. Default: after every error but {@link NonRetryableError}.
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
  /** Aborting it ends a wait at once and allows no further attempt; the error is then its reason. */
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
  /** How long a finished key is remembered, from its finish; `Infinity` for ever. Make it outlive every retry. */
  ttlMs: Duration;
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number;
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

/** A retry policy of an engine: numbers only, because its waits and draws are the engine's. */
export type EngineRetryOptions = Pick<
  RetryOptions,
  "maxAttempts" | "retries" | "baseDelayMs" | "maxDelayMs" | "factor" | "jitter" | "maxRetryAfterMs"
>;

export interface EngineOptions {
  /** The clock. Default: the machine's. {@link TestClock} for tests. */
  clock?: Clock;
  /**
   * Runs under way at once: a whole number of at least 1, or `Infinity`. A run that waits or sleeps counts as under way.
   * Default `Infinity`.
   */
  workers?: number;
  /** The seed of every draw of the engine (jitter): a whole number below 2^53. Default 0. */
  seed?: number;
}

/** Where an engine gets the time from, and is woken by. */
export interface Clock {
  /** Milliseconds, finite and not negative. If it jumps back, the engine takes it to stand still. */
  now(): number;
  /** Calls `wake` once `at` is reached; earlier does no harm. The returned function calls it off. */
  wakeAt(at: number, wake: () => void): () => void;
}

/** A clock that a test moves: 184 days take a millisecond. */
export class TestClock implements Clock {
  /** @param start Its first time, in milliseconds. Default 0. */
  constructor(start?: number);
  now(): number;
  wakeAt(at: number, wake: () => void): () => void;
  /**
   * Moves time forward, stopping at every time at which something is due and letting it run, as far as it waits for
   * nothing but this clock. Advances that are asked for at the same time add up, one after the other.
   * @throws as a rejection: {InvalidOptionError} for what is no time, is negative, or ends beyond 2^53.
   */
  advance(by: Duration): Promise<void>;
}

export interface WorkflowOptions extends EngineRetryOptions {
  /**
   * How each step is retried within one pass of its run. Default: not. (The options beside this one say how the whole
   * run is retried; its finished steps are not run again. Default: 3 attempts, 1 s doubling to 1 h, jitter of a fifth.)
   */
  steps?: EngineRetryOptions;
  /** Whether to try again after this error. Default: after every error but {@link NonRetryableError}. */
  retryIf?: (error: unknown, failedAttempts: number) => boolean;
}

/**
 * A workflow's code. It is run again from its beginning for each attempt of a run, so keep what has an effect inside
 * `context.run`.
 */
export type WorkflowHandler<T> = (payload: T, context: RunContext) => Promise<unknown> | unknown;

/** What a handler is given beside its payload. */
export interface RunContext {
  /** The run's ID: the same on every attempt. */
  readonly runId: string;
  /** Which attempt of the run this is, from 1. */
  readonly attempt: number;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
  /** `<run ID>:<step>`: the key to pass to whoever performs the step's effect. The same on every attempt. */
  key(step: string): string;
  /**
   * Runs a step, or hands on what it returned in an earlier attempt of this run. The result must be plain JSON data or
   * `undefined`; anything else fails the step for good. What is handed on is a copy of it.
   *
   * **At least once**: work that did its effect and was cut off before its result was saved runs again.
   *
   * @throws as a rejection: what the work threw last, once it is given up; {@link RunCancelledError}.
   */
  run<R>(name: string, work: (step: StepContext) => R | PromiseLike<R>, options?: StepOptions): Promise<R>;
  /** Waits, in the engine's time. Like a step it has a name, and is not waited for again in another attempt. */
  sleep(name: string, duration: Duration, options?: StepOptions): Promise<void>;
  /** As {@link StepContext.effect}, for the one step that is under way. */
  effect(key?: string, options?: { known?: boolean }): number;
}

/** What a step's work is given. */
export interface StepContext {
  readonly name: string;
  /** Which attempt of the step this is, from 1, over all attempts of its run. */
  readonly attempt: number;
  /** The key to pass to whoever performs the effect: `<run ID>:<step>`. */
  readonly key: string;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Notes in the journal that a request with this key reached a provider and took effect, or, with `known`, that the
   * provider knew the key and did nothing. Changes nothing else. Returns how often this key has taken effect.
   */
  effect(key?: string, options?: { known?: boolean }): number;
}

export interface StepOptions {
  /** Tells two uses of one name apart, as in a loop. */
  index?: number | string;
}

export interface EnqueueOptions {
  /**
   * The run's ID: a key as {@link IdempotencyStore} has them, unique in its engine. The same ID with the same workflow and
   * payload is the same run, whether it waits, runs or is over; with another it is a {@link ConflictError}. Default: a
   * random UUID, which makes a new run of every call.
   */
  id?: string;
  /** Not to start before. Plays no part in the comparison. */
  runAt?: Date | number;
}

/** A workflow of an engine. */
export interface Workflow<T> {
  readonly name: string;
  /**
   * Accepts a run, or finds the one that has its ID. Resolves to the ID once it is stored; the work may not have begun.
   * @throws as a rejection: {@link ConflictError}, {@link InvalidKeyError}, a `TypeError` with the path of what JSON
   * cannot hold.
   */
  enqueue(payload: T, options?: EnqueueOptions): Promise<string>;
}

export type RunStatus = "pending" | "running" | "succeeded" | "cancelled" | "dead";
export type StepStatus = "idle" | "running" | "waiting" | "sleeping" | "done" | "gave-up";

export interface StepInfo {
  readonly name: string;
  readonly status: StepStatus;
  /** Attempts begun so far, over all attempts of the run. */
  readonly attempts: number;
}

/** A run as it stands. */
export interface RunInfo {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  /** Attempts of the run begun so far. */
  readonly attempts: number;
  /** When it was accepted, in milliseconds. */
  readonly queuedAt: number;
  /** When it was over, in milliseconds. */
  readonly endedAt?: number;
  readonly steps: readonly StepInfo[];
  /** What the handler returned, if it succeeded. */
  readonly result?: unknown;
  /** What the handler threw last, if it is dead. */
  readonly error?: unknown;
}

export interface RunFilter {
  status?: RunStatus;
  workflow?: string;
}

/** One line of the journal. */
export interface JournalEntry {
  /** Its place, from 0. */
  readonly seq: number;
  /** When, in milliseconds. */
  readonly at: number;
  /** What: `"run-queued"`, `"attempt-failed"`, … The fields beside it depend on it. */
  readonly type: string;
  readonly [field: string]: unknown;
}

export type EntryListener = (entry: JournalEntry) => void;

/** Runs with identity, memoised steps, retries and virtual time, over one journal. In memory, of one process. */
export class Engine {
  /** @throws {InvalidOptionError} for an option that cannot be used, naming it. */
  constructor(options?: EngineOptions);
  /** Defines a workflow. Its name is not in use. */
  workflow<T>(name: string, handler: WorkflowHandler<T>): Workflow<T>;
  workflow<T>(name: string, options: WorkflowOptions, handler: WorkflowHandler<T>): Workflow<T>;
  /** Resolves when nothing waits, sleeps or runs, or the engine is closed. Rejects only with {@link EngineBrokenError}. */
  idle(): Promise<void>;
  /** A run, if there is one of this ID. */
  run(id: string): RunInfo | undefined;
  /** All runs, in the order of acceptance. */
  runs(filter?: RunFilter): RunInfo[];
  /**
   * Cancels a run: at once while it waits, else before its next step; `context.signal` aborts. Its ID stays taken. False if
   * it is over or unknown.
   */
  cancel(id: string): boolean;
  /** All that happened, in order. Plain objects. */
  journal(): JournalEntry[];
  /** The same as JSON lines: what the playground opens. */
  journalText(): string;
  /**
   * Calls the listener with every entry from now on, after it happened. What a listener throws surfaces as an uncaught
   * error. The returned function stops it.
   */
  on(event: "entry", listener: EntryListener): () => void;
  /** Starts nothing any more, aborts the signals of what runs, and leaves no timer. */
  close(): Promise<void>;
}

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
 * Compiles the engine asynchronously, from `twiceproof/engine.wasm` or a compiled module, before its first use. Needed
 * only where compiling inlined bytes is forbidden or unwanted. Later calls do nothing.
 * @throws as a rejection: {InvalidOptionError}; an error with the code `ERR_LOAD` and its cause.
 */
export function load(source: Response | Promise<Response> | URL | string | WebAssembly.Module): Promise<void>;

/**
 * Loads what reads expressions (`idempotency: "event.data.userId"`): a module of its own that nothing else needs. The first
 * workflow with an expression loads it too; awaited before, an expression that cannot be used throws where it is written.
 * Later calls do nothing.
 */
export function loadExpressions(): Promise<void>;
