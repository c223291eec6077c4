/** Events and functions: workflows that events start. */

import type { Duration } from "./index.js";

/** An event to be sent. */
export interface NewEvent {
  /**
   * The sender's ID: a key as `IdempotencyStore` has them. An event whose ID was accepted in the last 24 hours is kept in the
   * history and starts nothing (B2, B3), but for functions that debounce, batch or are paused (B10 to B12).
   */
  id?: string;
  /** `"cart/checkout.completed"` */
  name: string;
  /** Plain JSON data. Default null. */
  data?: unknown;
  /** When it happened, as a date or in milliseconds. Default: now. */
  ts?: Date | number;
}

/** An event as functions and handlers see it. */
export interface SentEvent {
  readonly id?: string;
  readonly name: string;
  readonly data: any;
  /** When it happened, in milliseconds. */
  readonly ts: number;
}

/** An event of the history: its number, from 0, and its ID if it has one. */
export interface EventRef {
  readonly event: number;
  readonly id?: string;
}

/**
 * What gives a key for an event: a function, or an expression in CEL over `event` (`"event.data.userId"`, B19), which loads a module
 * of its own (see `loadExpressions`). A text of 1 to 255 bytes, a finite number or a boolean is a key; 1 (written `=1`) and "1" are two.
 * Anything else, and what it throws, is none: a start that is refused, visibly, and never a key that strangers share.
 */
export type EventExpression = ((event: SentEvent) => string | number | boolean | null | undefined) | string;

/** How events start a workflow. */
export interface FunctionOptions {
  /** The names of the events that start it. Its payload is then `event.data`, or a list of them if it batches. */
  on?: string | readonly string[];
  /**
   * One start for each value in 24 hours, counted from the start and not extended by repeats (B14 to B21); for this function
   * only. With `window` for another time (0 uses no key at all, and is warned of), and with `onMissing: "start"` for a start without a key where there is none.
   */
  idempotency?: EventExpression | { key: EventExpression; window?: Duration | "forever"; onMissing?: "refuse" | "start" };
  /**
   * Start once no event of the group has come for `period`, with the last one; at the latest `timeout` after the first, which needs
   * to be at least `period`.
   */
  debounce?: { period: Duration; timeout?: Duration; key?: EventExpression };
  /** Start once with all events of the group, when there are `maxSize` or `timeout` after the first. Not with `idempotency`. */
  batch?: { maxSize: number; timeout: Duration; key?: EventExpression };
  /** At most so many starts of a group in any stretch of `period`; events beyond them are refused, visibly. */
  rateLimit?: { limit: number; period: Duration; key?: EventExpression };
}

interface OutcomeOf {
  /** The name of the function. */
  readonly workflow: string;
  /** When, in milliseconds. */
  readonly at: number;
  /** Somebody replayed the event. */
  readonly replay: boolean;
}

/**
 * What an event came to for one function. Every event that did not start a run says why, who did instead, and what is left of
 * the window in milliseconds (`Infinity` if it has no end).
 */
export type EventOutcome =
  /** It started this run. Of a batch that is the first event of the group: the others are `batched`. */
  | (OutcomeOf & { readonly outcome: "started"; readonly runId: string; readonly reason?: undefined })
  /** It waits for others of its group, until then at the latest. */
  | (OutcomeOf & { readonly outcome: "held"; readonly until: number; readonly leftMs: number; readonly reason?: undefined })
  /** An event with the same ID was accepted before. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "duplicate_event"; readonly winner: EventRef; readonly leftMs: number })
  /** A run, the winner, was started with the same key. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "duplicate_function_key"; readonly winner: string; readonly leftMs: number })
  /** The function is paused. It can be replayed. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "paused" })
  /** A later event of its group, the winner, took its place. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "debounced"; readonly winner: EventRef })
  /** A run, the winner, was started by the first event of its group, and this one is in it too. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "batched"; readonly winner: string })
  /** There were as many starts as the limit allows; that of the winner must grow old first. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "rate_limited"; readonly winner: string; readonly leftMs: number })
  /** It has no key that could be used, or no group. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "no_key"; readonly error: string })
  /** The engine holds as many runs as it can. */
  | (OutcomeOf & { readonly outcome: "skipped"; readonly reason: "full" });

/** What became of an event that was sent. */
export interface SendResult {
  /** Its number in the history, from 0. */
  readonly number: number;
  readonly id?: string;
  readonly acceptedAt: number;
  /** An event with its ID was accepted before, within the window. */
  readonly duplicate: boolean;
  /** That event. */
  readonly duplicateOf?: EventRef;
  /** What it came to at once, for each function that listens, in the order of their definition. */
  readonly outcomes: readonly EventOutcome[];
}

/** An event of the history. */
export interface EventInfo extends SentEvent {
  /** From 0. */
  readonly number: number;
  readonly acceptedAt: number;
  /** The event that had its ID first: this one is a repeat. */
  readonly duplicateOf?: EventRef;
  /** All that it came to, in the order in which that happened. */
  readonly outcomes: readonly EventOutcome[];
}

export interface EventFilter {
  name?: string;
  id?: string;
  /** Repeats only, or all but repeats. */
  duplicate?: boolean;
  /** The name of a function: events that came to something for it. */
  workflow?: string;
  /** Events that in the end did not start a run, of that function or of any, for this reason. */
  reason?: Extract<EventOutcome, { readonly outcome: "skipped" }>["reason"];
}

export interface ReplayOptions {
  /** The function to start. Default: all that listen to the event. */
  workflow?: string;
  /**
   * Whether a replay respects event IDs and function keys. Default false: an event that came while its function was paused
   * meets its function key but no event ID (B13), so that runs may be made that a repeat would not have; any other event is
   * a repeat that somebody wants, and starts.
   */
  dedupe?: boolean;
}
