/** The errors of the package that a caller may want to tell apart. */

/** See the public types. */
export class NonRetryableError extends Error {
  override readonly name = "NonRetryableError";
}

/** See the public types. */
export class RetryAfterError extends Error {
  override readonly name = "RetryAfterError";
  /** The wait that was asked for, in milliseconds; undefined if the hint could not be read. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, told: { delayMs: number } | { header: string | null | undefined }, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = "delayMs" in told ? checkedDelay(told.delayMs) : parseRetryAfter(told.header, Date.now());
  }
}

function checkedDelay(delayMs: unknown): number {
  if (typeof delayMs !== "number") throw wrongType("delayMs", "a number of milliseconds", delayMs);
  if (!(delayMs >= 0 && delayMs < Infinity)) {
    throw new RangeError(`delayMs needs a finite number of milliseconds that is not negative, got ${delayMs}`);
  }
  return delayMs;
}

/**
 * The wait that a `Retry-After` asks for, in milliseconds: whole seconds, or one of the three HTTP dates; a date in the
 * past is 0. Anything else is no hint. Digits are looked at first, because `Date.parse` takes "120" for a year.
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  const text = typeof header === "string" ? header.trim() : "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** See the public types. */
export class InvalidKeyError extends TypeError {
  override readonly name = "InvalidKeyError";
}

/** See the public types. */
export class ReentrantKeyError extends Error {
  override readonly name = "ReentrantKeyError";
  readonly key: string;

  constructor(key: string) {
    super(`the work of the key "${key}", directly or through others, waits for itself`);
    this.key = key;
  }
}

/** See the public types. */
export class InFlightError extends Error {
  override readonly name = "InFlightError";
  readonly key: string;

  constructor(key: string) {
    super(`the work of the key "${key}" is running`);
    this.key = key;
  }
}

/** See the public types. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly key: string;
  readonly kind: "payload" | "workflow";
  readonly paths: readonly string[];

  constructor(key: string, kind: "payload" | "workflow", paths: readonly string[], message: string) {
    super(message);
    this.key = key;
    this.kind = kind;
    this.paths = paths;
  }
}

/** See the public types. */
export class RunCancelledError extends Error {
  override readonly name = "RunCancelledError";
  readonly runId: string;

  constructor(runId: string) {
    super(`the run "${runId}" was cancelled`);
    this.runId = runId;
  }
}

/** See the public types. */
export class EngineBrokenError extends Error {
  override readonly name = "EngineBrokenError";
  readonly journalText: string;

  constructor(journalText: string, options?: ErrorOptions) {
    super("the engine broke and does nothing any more; its journal is in this error, and a new engine can be made", options);
    this.journalText = journalText;
  }
}

/** A value of the wrong type, in the words of the core's own errors. */
export function wrongType(option: string, needs: string, got: unknown): TypeError {
  return new TypeError(`${option} needs ${needs}, got ${show(got)}`);
}

/** A value for a message: short, and never throwing. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : "an object";
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "bigint":
      return `${value}n`;
    default:
      return String(value);
  }
}
