/** The event side of a workflow: its options, checked, as the core and the intake take them. */

import type { SentEvent, WorkflowOptions } from "../../types/index.js";
import { isArray, outOfRange, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { durationMs, numberOption, optionsObject } from "../options.js";
import { type Evaluated, expression, type Expression } from "./expressions.js";

/** What an expression is for, as the core numbers it. */
const KEY = 0;
const GATHER = 1;
const RATE = 2;

export interface FunctionRules {
  /** The events that start it. */
  readonly on: readonly string[];
  /** As the core takes them; see `defineWorkflow`. */
  readonly numbers: readonly number[];
  readonly expressions: ReadonlyMap<number, Expression>;
  /** Its runs begin with many events. */
  readonly batches: boolean;
  /** How long a key is used, in milliseconds; undefined without keys. */
  readonly keyWindowMs: number | undefined;
}

/** 24 hours (B14). */
const WINDOW_MS = 86_400_000;
/** Left out, for the core. */
const NONE = -1;

const OPTIONS = ["on", "idempotency", "debounce", "batch", "rateLimit", "concurrency"] as const;
export const FUNCTION_OPTIONS: readonly string[] = OPTIONS;

export function functionRules(options: WorkflowOptions, warn: (message: string) => void): FunctionRules {
  const on = names(options.on);
  for (const option of OPTIONS.slice(1, -1)) {
    if (options[option] !== undefined && on.length === 0) throw wrongType("on", `the events that start it, because it has ${option}`, options.on);
  }
  const expressions = new Map<number, Expression>();
  const note = (which: number, option: string, given: unknown): void => {
    if (given !== undefined) expressions.set(which, expression(option, given, warn));
  };
  const key = keyRule(options.idempotency);
  note(KEY, "idempotency", key.given);
  const { debounce, batch, rateLimit } = options;
  const quiet = optionsObject("debounce", debounce, ["period", "timeout", "key"]);
  const gathered = optionsObject("batch", batch, ["maxSize", "timeout", "key"]);
  const limited = optionsObject("rateLimit", rateLimit, ["limit", "period", "key"]);
  note(GATHER, "debounce.key", quiet.key);
  note(GATHER, "batch.key", gathered.key);
  note(RATE, "rateLimit.key", limited.key);
  const periodMs = debounce === undefined ? NONE : time("debounce.period", quiet.period);
  const latestMs = quiet.timeout === undefined ? NONE : time("debounce.timeout", quiet.timeout);
  // It would be over before any silence can be long enough: a delay, and no debounce.
  if (latestMs !== NONE && latestMs < periodMs) throw outOfRange("debounce.timeout", `at least debounce.period (${periodMs} ms)`, quiet.timeout);
  const numbers = [
    key.rule, key.windowMs,
    periodMs, latestMs,
    batch === undefined ? NONE : count("batch.maxSize", gathered.maxSize),
    batch === undefined ? NONE : time("batch.timeout", gathered.timeout),
    rateLimit === undefined ? NONE : count("rateLimit.limit", limited.limit),
    rateLimit === undefined ? NONE : time("rateLimit.period", limited.period),
    options.concurrency === undefined ? NONE : count("concurrency", options.concurrency),
  ];
  const plain = on.length === 0 && options.concurrency === undefined;
  return {
    on, numbers: plain ? [] : numbers, expressions, batches: batch !== undefined,
    keyWindowMs: key.given === undefined ? undefined : key.windowMs,
  };
}

/** What has to be waited for before the expressions can be evaluated; undefined if nothing. */
export function loading(all: readonly FunctionRules[]): Promise<unknown> | undefined {
  const waits = all.flatMap(({ expressions }) => Array.from(expressions.values(), (expression) => expression.loading()));
  return waits.some((wait) => wait !== undefined) ? Promise.all(waits) : undefined;
}

/** The values of a function's expressions for an event. */
export function evaluated(rules: FunctionRules, event: SentEvent): Map<number, Evaluated> {
  const values = new Map(Array.from(rules.expressions, ([which, expression]) => [which, expression.evaluate(event)]));
  // "Start without a key" is for events that have none. With a key that cannot be read no event has one, and all would start:
  // a group that cannot be told is what the core lets nobody start with.
  const refusal = rules.expressions.get(KEY)?.broken;
  if (refusal !== undefined) values.set(RATE, { refusal });
  return values;
}

function names(on: WorkflowOptions["on"]): readonly string[] {
  if (on === undefined) return [];
  const list: readonly unknown[] = isArray(on) ? on : [on];
  if (list.length === 0) throw wrongType("on", "the name of an event, or several", on);
  for (const name of list) checkKey("on", name);
  return list as readonly string[];
}

function keyRule(given: WorkflowOptions["idempotency"]): { rule: 0 | 1 | 2; windowMs: number; given: unknown } {
  if (typeof given !== "object" || given === null) return { rule: given === undefined ? 0 : 1, windowMs: WINDOW_MS, given };
  const { key, window, onMissing } = optionsObject("idempotency", given, ["key", "window", "onMissing"]);
  if (key === undefined) throw wrongType("idempotency.key", "a function of the event or an expression", key);
  if (onMissing !== undefined && onMissing !== "refuse" && onMissing !== "start") {
    throw wrongType("idempotency.onMissing", '"refuse" or "start"', onMissing);
  }
  return { rule: onMissing === "start" ? 2 : 1, windowMs: windowMs("idempotency.window", window, WINDOW_MS), given: key };
}

/** A window or retention: milliseconds, a text, or "forever". */
export function windowMs(option: string, given: unknown, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (given === "forever") return Infinity;
  const ms = durationMs(option, given);
  if (!(ms >= 0 && (ms === Infinity || ms <= Number.MAX_SAFE_INTEGER))) {
    throw outOfRange(option, 'milliseconds that are not negative, a text such as "24h", or "forever"', given);
  }
  return ms;
}

function time(option: string, given: unknown): number {
  const ms = durationMs(option, given);
  if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) throw outOfRange(option, "a finite time that is not negative", given);
  return ms;
}

/** A count; its upper bound is the core's to check. */
function count(option: string, given: unknown): number {
  const value = numberOption(option, given, Number.NaN);
  if (!(value >= 1)) throw outOfRange(option, "a whole number of at least 1", given);
  return value;
}
