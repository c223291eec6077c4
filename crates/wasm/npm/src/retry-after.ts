/** What a server says about when to come again. */

import { outOfRange, wrongType } from "./errors.js";
import { optionsObject } from "./options.js";

type Told = { delayMs: number } | { header: string | null | undefined };

/** See the public types. */
export class RetryAfterError extends Error {
  override readonly name = "RetryAfterError";
  readonly code = "ERR_RETRY_AFTER";
  /** The wait that was asked for, in milliseconds; undefined if the hint could not be read. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, told: Told, options?: ErrorOptions) {
    if (typeof message !== "string") throw wrongType("message", "a string", message);
    super(message, options);
    const { delayMs, header } = optionsObject<{ delayMs?: unknown; header?: unknown }>("told", told, ["delayMs", "header"]);
    const isDelay = delayMs !== undefined;
    if (isDelay === (told !== undefined && "header" in told)) throw wrongType("told", "one of { delayMs } and { header }", told);
    this.retryAfterMs = isDelay ? checkedDelay(delayMs) : parseRetryAfter(header, Date.now());
  }
}

function checkedDelay(delayMs: unknown): number {
  if (typeof delayMs !== "number") throw wrongType("delayMs", "a number of milliseconds", delayMs);
  if (!(delayMs >= 0 && delayMs < Infinity)) {
    throw outOfRange("delayMs", "a finite number of milliseconds that is not negative", delayMs);
  }
  return delayMs;
}

/**
 * The wait that a `Retry-After` asks for, in milliseconds: whole seconds, or one of the three HTTP dates; a date in the
 * past is 0. Anything else is no hint. Digits are looked at first, because `Date.parse` takes "120" for a year.
 */
export function parseRetryAfter(header: unknown, now: number): number | undefined {
  const text = typeof header === "string" ? header.trim() : "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
