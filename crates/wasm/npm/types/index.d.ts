/**
 * Work that is retried can run twice; this makes that harmless.
 *
 * The small parts (`SimpleQueue`, `withRetry`, `retryEachStep`, `workflow`, `IdempotencyStore`, `idempotentSteps`) can
 * be used one by one. Steps run **at least once**: a step that did its work and lost its reply runs again. Pass a key
 * to whoever performs the side effect, and let it be the same on every attempt.
 *
 * Importing does nothing. The WebAssembly core is compiled when the first object is made, synchronously, in about a
 * millisecond; {@link load} does it asynchronously, from elsewhere, if a page wants that.
 */

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
  /** How many of the last failures `failed` keeps. Default `Infinity`. */
  keepFailed?: number;
  /** Aborting it fails every job that has not begun with its reason, and aborts `job.signal`. */
  signal?: AbortSignal;
}

/** First in, first out; one job to its end at a time unless `concurrency` says otherwise. In memory. */
export class SimpleQueue<T> {
  /** @throws {RangeError | TypeError} for an option that cannot be used, naming it. */
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
  /** Whether to try again after this error. Default: after every error but {@link NonRetryableError}. */
  retryIf?: (error: unknown, failedAttempts: number) => boolean;
  /**
   * The longest wait that a server may ask for ({@link RetryAfterError}), in milliseconds, or `Infinity`. If it asks
   * for more, there is no further attempt. Default one hour.
   */
  maxRetryAfterMs?: number;
  /** Waits. For tests and simulations. Default: a timer that the signal ends and that may be longer than 24 days. */
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown> | unknown;
  /** Uniform from 0 up to 1, for jitter. Default `Math.random`. */
  random?: () => number;
  /** Aborting it ends a wait at once and allows no further attempt; the error is then its reason. */
  signal?: AbortSignal;
  /** Told before each wait. An error thrown here ends the retrying with that error. */
  onRetry?: (retry: { readonly attempt: number; readonly error: unknown; readonly delayMs: number }) => void;
}

/**
 * The handler, retried as a whole. In the end it throws the very value that the last attempt threw.
 * @throws {RangeError | TypeError} for an option that cannot be used, naming it.
 */
export function withRetry<T>(handler: Handler<T>, options?: RetryOptions): Handler<T>;

/**
 * The steps, each retried alone. In the end a step throws the very value that its last attempt threw.
 * @throws {RangeError | TypeError} for an option that cannot be used, naming it.
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
   * The data that the work is about. With the same key and other data the call is a {@link ConflictError} instead of
   * the first data's result. Compared as JSON with sorted keys; what JSON cannot hold is a `TypeError` with its path.
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
   * @throws {RangeError | TypeError} for an option that cannot be used, naming it.
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
   * - Work that waits for its own key is a {@link ReentrantKeyError}: always found during the synchronous part of the
   *   work; after an `await` where the runtime carries context with promises (Node 24 and later).
   *
   * Never throws: every error is a rejection.
   */
  once<T>(key: string, work: () => T | PromiseLike<T>, options?: OnceOptions): Promise<T>;
  /**
   * Forgets a finished key. False if it is unknown or running.
   * @param step The name of the step, for a key of {@link idempotentSteps}.
   */
  forget(key: string, step?: string): boolean;
  /** Forgets keys whose window is over, at most `limit` of them, and says how many. Calls of `once` do so as well. */
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

/** Throw it to stop the retrying: trying again is useless. */
export class NonRetryableError extends Error {
  constructor(message?: string, options?: ErrorOptions);
  readonly name: "NonRetryableError";
}

/** Throw it to make the next attempt wait at least as long as the server asked for. */
export class RetryAfterError extends Error {
  /**
   * @param told `{ delayMs }`, or `{ header }` with the text of a `Retry-After` (seconds or an HTTP date). A text that is
   * neither is no hint.
   */
  constructor(message: string, told: { delayMs: number } | { header: string | null | undefined }, options?: ErrorOptions);
  readonly name: "RetryAfterError";
  /** The wait that was asked for, in milliseconds; undefined if the hint could not be read. */
  readonly retryAfterMs: number | undefined;
}

/** A key or an ID that is none. Never retried. */
export class InvalidKeyError extends TypeError {
  constructor(message?: string, options?: ErrorOptions);
  readonly name: "InvalidKeyError";
}

/** Work, directly or through others, waits for itself. Never retried. */
export class ReentrantKeyError extends Error {
  constructor(key: string);
  readonly name: "ReentrantKeyError";
  readonly key: string;
}

/** The key's work is running, and the call did not want to wait. */
export class InFlightError extends Error {
  constructor(key: string);
  readonly name: "InFlightError";
  readonly key: string;
}

/** The key or ID was used before for something else. Never retried. */
export class ConflictError extends Error {
  constructor(key: string, kind: "payload" | "workflow", paths: readonly string[], message: string);
  readonly name: "ConflictError";
  readonly key: string;
  /** What differs: the data, or the workflow. */
  readonly kind: "payload" | "workflow";
  /** Where the data differ, at most eight places. */
  readonly paths: readonly string[];
}

/**
 * Compiles the engine asynchronously, from `twiceproof/engine.wasm` or a compiled module, before its first use. Needed
 * only where compiling inlined bytes is forbidden or unwanted. Later calls do nothing.
 */
export function load(source: Response | Promise<Response> | URL | string | WebAssembly.Module): Promise<void>;
