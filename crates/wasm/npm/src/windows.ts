/** Windows that are shorter than the retries around them (A27): found when steps and handlers are put together. */

import type { RetryNumbers } from "./retry.js";
import type { KeyTable } from "./keys.js";
import { rules } from "./runtime.js";

/** The store that a step asks, and how it is retried within one pass of its job. */
interface Kept {
  readonly table: KeyTable | undefined;
  readonly step: RetryNumbers;
}

/** One attempt: no retry at all. */
const NO_RETRY: RetryNumbers = [1, 0, 0, 1, 0, 0];
/** What the advice takes for the longest that a call takes: the calculator's default. */
const CALL_MS_MAX = 60_000;

/** By the steps and handlers that this package made. */
const known = new WeakMap<object, readonly Kept[]>();

/** A step was put behind a key: what it retries inside is over before its window begins, but its job may be sent again. */
export function keyedStep(outer: object, inner: object, table: KeyTable): void {
  note(outer, [{ table, step: known.get(inner)?.[0]?.step ?? NO_RETRY }], NO_RETRY);
}

/** A step is retried alone. */
export function retriedStep(outer: object, inner: object, step: RetryNumbers): void {
  note(outer, [{ table: known.get(inner)?.[0]?.table, step }], NO_RETRY);
}

/** Steps are a handler. */
export function stepsOf(handler: object, steps: readonly object[]): void {
  const kept = steps.flatMap((step) => known.get(step) ?? []);
  if (kept.length > 0) known.set(handler, kept);
}

/** A handler is retried as a whole. */
export function retriedHandler(outer: object, inner: object, run: RetryNumbers): void {
  const kept = known.get(inner);
  if (kept !== undefined) note(outer, kept, run);
}

function note(made: object, kept: readonly Kept[], run: RetryNumbers): void {
  known.set(made, kept);
  for (const { table, step } of kept) {
    // Of a store that remembers nothing it was said when it was made.
    if (table === undefined || table.ttlMs === 0 || !table.warnings.heard) continue;
    const short = tooShort("ttlMs of a store", table.ttlMs, step, run, "a step that has finished can run again meanwhile");
    if (short !== undefined) warnSoon(table, short);
  }
}

/**
 * Steps are put together from the inside: of the warnings on the way the one about the longest retries says all, so it is given at
 * the end of the turn. After it none is: another number would say the same again.
 */
function warnSoon(table: KeyTable, short: Short): void {
  const before = table.short;
  if (before === undefined) {
    queueMicrotask(() => {
      table.warnings.warn(table.short!.text);
      table.short = { retriesMs: Infinity, text: "" };
    });
  }
  if (before === undefined || before.retriesMs < short.retriesMs) table.short = short;
}

/** What is wrong with a window, and how long the retries take that outlast it. */
export interface Short {
  readonly retriesMs: number;
  readonly text: string;
}

/** What is wrong with a window that ends before the retries do, and which would not; undefined if nothing is. */
export function tooShort(option: string, windowMs: number, step: RetryNumbers, run: RetryNumbers, harm: string): Short | undefined {
  if (windowMs === Infinity) return undefined;
  const smallest = (callMsMax: number, hearsRetryAfter: boolean): number =>
    rules().smallestSafeWindow(new Float64Array(step), new Float64Array(run), callMsMax, 0, hearsRetryAfter);
  const retriesMs = smallest(0, false) - 1;
  // Without retries any window outlives them.
  if (windowMs > retriesMs || retriesMs === 0) return undefined;
  if (retriesMs === Infinity) return { retriesMs, text: `${option} is ${windowMs} ms, and the retries have no end, so it needs to be for ever: ${harm}` };
  const safeMs = smallest(CALL_MS_MAX, true);
  const safe = safeMs === Infinity ? "no window" : `${safeMs} ms`;
  const text =
    `${option} is ${windowMs} ms, and the retries alone can take ${retriesMs} ms: ${harm}. With calls of up to a minute, and servers that ` +
    `ask for longer waits, ${safe} would be safe (smallestSafeWindow)`;
  return { retriesMs, text };
}
