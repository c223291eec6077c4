/**
 * The errors of the package that a caller may want to tell apart. All that the package makes itself have a `code`; what
 * the caller's own functions throw goes through as it is.
 */

import type { Difference } from "../types/index.js";

export { RetryAfterError } from "./retry-after.js";

/** See the public types. */
export class NonRetryableError extends Error {
  override readonly name = "NonRetryableError";
  readonly code = "ERR_NON_RETRYABLE";
}

/** See the public types. */
export class InvalidKeyError extends TypeError {
  override readonly name = "InvalidKeyError";
  readonly code = "ERR_INVALID_KEY";
}

/** See the public types. */
export class ReentrantKeyError extends Error {
  override readonly name = "ReentrantKeyError";
  readonly code = "ERR_REENTRANT_KEY";
  readonly key: string;

  constructor(key: string) {
    super(`the work of the key "${key}", directly or through others, waits for itself`);
    this.key = key;
  }
}

/** See the public types. */
export class InFlightError extends Error {
  override readonly name = "InFlightError";
  readonly code = "ERR_IN_FLIGHT";
  readonly key: string;

  constructor(key: string) {
    super(`the work of the key "${key}" is running`);
    this.key = key;
  }
}

/** See the public types. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly code = "ERR_CONFLICT";
  readonly key: string;
  readonly kind: "payload" | "workflow" | "exists";
  readonly differences: readonly Difference[];
  readonly more: number;

  constructor(key: string, kind: ConflictError["kind"], differences: readonly Difference[], message: string, more = 0) {
    super(message);
    this.key = key;
    this.kind = kind;
    this.differences = differences;
    this.more = more;
  }

  get paths(): readonly string[] {
    return this.differences.map(({ path }) => path);
  }
}

/** The places of a conflict, as the end of its message. */
export function shownPlaces(differences: readonly Difference[], more: number): string {
  if (differences.length === 0) return "";
  return `: ${differences.map(({ path }) => path).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

/** See the public types. */
export class RunCancelledError extends Error {
  override readonly name = "RunCancelledError";
  readonly code = "ERR_RUN_CANCELLED";
  readonly runId: string;

  constructor(runId: string) {
    super(`the run "${runId}" was cancelled`);
    this.runId = runId;
  }
}

/** See the public types. */
export class EngineBrokenError extends Error {
  override readonly name = "EngineBrokenError";
  readonly code = "ERR_ENGINE_BROKEN";
  readonly journalText: string;

  constructor(journalText: string, options?: ErrorOptions) {
    // A trap's own words ("unreachable") say nothing to anybody.
    const why = options?.cause instanceof Error && !(options.cause instanceof WebAssembly.RuntimeError) ? ` (${options.cause.message})` : "";
    super(`the engine broke${why} and does nothing any more; its journal is in this error, and a new engine can be made`, options);
    this.journalText = journalText;
  }
}

/** See the public types. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";
  readonly code = "ERR_CALLBACK";
  readonly option: string;
  readonly thrown: unknown;
  declare readonly cause: unknown;

  /** `cause` is what the attempt had failed with: a broken callback must not hide it. */
  constructor(option: string, thrown: unknown, cause: unknown) {
    super(`${option} failed: ${wordsOf(thrown)}; the attempt had failed: ${wordsOf(cause)}`, { cause });
    this.option = option;
    this.thrown = thrown;
  }
}

function wordsOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : show(thrown);
  } catch {
    return "something that cannot be read";
  }
}

/** An option's value of the wrong type, in the words of the core's own errors. */
export function wrongType(option: string, needs: string, got: unknown): TypeError {
  refuse(got);
  return refusal(new TypeError(`${option} needs ${needs}, got ${show(got)}`), option);
}

/** A number out of the option's range. */
export function outOfRange(option: string, needs: string, got: unknown): RangeError {
  refuse(got);
  return refusal(new RangeError(`${option} needs ${needs}, got ${show(got)}`), option);
}

/** A promise where none belongs is not waited for, and must not end the process either when it rejects. */
export function refuse(got: unknown): void {
  try {
    if (got instanceof Promise) got.catch(() => {});
  } catch {
    // It only looked like one.
  }
}

/** `instanceof`, for which a revoked proxy is nothing at all. */
export function isInstance<T>(value: unknown, kind: abstract new (...given: never[]) => T): value is T {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}

/** The error, as one about an option. */
export function refusal<E extends Error>(error: E, option: string): E {
  return Object.assign(error, { code: "ERR_INVALID_OPTION", option });
}

/** Data that JSON would change in silence, or not hold. */
export function badData(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: "ERR_INVALID_DATA" });
}

/** A method that was called without the object it belongs to: `const { add } = queue`. */
export function detached(kind: string, method: string): TypeError {
  const message = `${method} was called without its ${kind}: call it as a method, or bind it`;
  return Object.assign(new TypeError(message), { code: "ERR_DETACHED_METHOD" });
}

/** The WebAssembly core is not to be had. */
export function loadError(why: string, cause?: unknown): Error {
  const error = new Error(`the WebAssembly core could not be loaded: ${why}`, cause === undefined ? undefined : { cause });
  return Object.assign(error, { code: "ERR_LOAD" });
}

/** A value for a message: short, and never throwing. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
    case "object":
      return value === null ? "null" : isArray(value) ? "an array" : "an object";
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "bigint":
      return `${value}n`;
    default:
      return Object.is(value, -0) ? "-0" : String(value);
  }
}

/** Whether it is an object that can be looked into: not null, and no revoked proxy. Arrays are none. */
export function isObject(value: unknown): value is object {
  try {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** `Array.isArray`, for which a revoked proxy is nothing at all. */
export function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
