/** Options: nothing is coerced in silence (SEMANTICS 2.13). The ranges of most numbers are the core's to check. */

import { isPlainPrototype } from "./copy.js";
import { isObject, outOfRange, refusal, show, wrongType } from "./errors.js";

/** A number, or `otherwise` if it was left out. */
export function numberOption(name: string, value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number") throw wrongType(name, "a number", value);
  return value;
}

/** A whole number of at least `least`, or `Infinity`; that, too, if it was left out. */
export function countOption(name: string, value: unknown, least: number): number {
  const count = numberOption(name, value, Infinity);
  if (count === Infinity || (Number.isInteger(count) && count >= least)) return count;
  throw outOfRange(name, `a whole number of at least ${least}, or Infinity`, count);
}

/** A function, or nothing. */
export function functionOption<F>(name: string, value: F | undefined): F | undefined {
  if (value !== undefined && typeof value !== "function") throw wrongType(name, "a function", value);
  return value;
}

/** An `AbortSignal`, or nothing. Not by `instanceof`: signals of other realms and of polyfills are signals. */
export function signalOption(name: string, value: AbortSignal | undefined): AbortSignal | undefined {
  if (value === undefined) return undefined;
  const signal = value as Partial<AbortSignal> | null;
  const fits =
    isObject(signal) &&
    typeof signal.aborted === "boolean" &&
    typeof signal.addEventListener === "function" &&
    typeof signal.removeEventListener === "function";
  if (!fits) throw wrongType(name, "an AbortSignal", value);
  return value;
}

/** The options object itself; a left-out one is empty. An unknown option is refused: a misspelt one must not be silent. */
export function optionsObject<O extends object>(what: string, value: O | undefined, known: readonly string[]): O {
  if (value === undefined) return {} as O;
  if (!holdsOptions(value)) throw wrongType(what, "an object of options", value);
  // What is inherited counts: options may be made over others with `Object.create`.
  for (const name in value) {
    if (known.includes(name)) continue;
    const near = nearest(name, known, typeof (value as Record<string, unknown>)[name]);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    throw unknownOption(what, name, show(name) + hint, known);
  }
  const [symbol] = Object.getOwnPropertySymbols(value).map(String);
  if (symbol !== undefined) throw unknownOption(what, symbol, symbol, known);
  return value;
}

function unknownOption(what: string, name: string, shown: string, known: readonly string[]): TypeError {
  return refusal(new TypeError(`${what} has no option ${shown} (it has ${known.join(", ")})`), name);
}

/** A plain object, or an instance of a class that has properties: not an array, a date, a map, a store. */
function holdsOptions(value: unknown): boolean {
  if (!isObject(value) || Object.prototype.toString.call(value) !== "[object Object]") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isInstance = prototype !== null && !isPlainPrototype(prototype) && Object.hasOwn(prototype as object, "constructor");
  return !isInstance || Object.keys(value).length > 0;
}

/** The known name that was most likely meant, if one is near: it begins so, or a third of it may be wrong. */
function nearest(name: string, known: readonly string[], type: string): string | undefined {
  // The name that begins so takes a function, and is not what somebody means who gives a number.
  if (name === "retry" && type === "number" && known.includes("retries")) return "retries";
  const typed = name.slice(0, 40).toLowerCase();
  const begun = typed.length >= 3 ? known.find((word) => word.toLowerCase().startsWith(typed)) : undefined;
  if (begun !== undefined) return begun;
  const [best] = known
    .map((word) => ({ word, edits: edits(typed, word.toLowerCase()) }))
    .filter(({ word, edits }) => edits <= Math.max(1, word.length / 3))
    .sort((a, b) => a.edits - b.edits);
  return best?.word;
}

/** How many letters have to be inserted, dropped or replaced to make one word of the other. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1];
    for (let at = 1; at <= to.length; at++) {
      next.push(Math.min(row[at]! + 1, next[at - 1]! + 1, row[at - 1]! + (to[at - 1] === letter ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds from a number or a text such as "500ms", "1.5s", "30m", "24h", "184d". */
export function durationMs(name: string, value: unknown): number {
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(value) : null;
  if (match === null) throw wrongType(name, 'milliseconds or a text such as "500ms", "30m", "24h"', value);
  const ms = Math.round(Number(match[1]) * UNITS[match[2]!]!);
  if (!(ms <= Number.MAX_SAFE_INTEGER)) throw outOfRange(name, "less than 285,000 years", value);
  return ms;
}

/** What a clock said, checked: `name` is what was asked. */
export function timeMs(name: string, now: unknown): number {
  if (typeof now !== "number") throw wrongType(name, "to return a number of milliseconds", now);
  if (now >= 0 && now <= Number.MAX_SAFE_INTEGER) return now;
  throw outOfRange(name, "to return milliseconds that are finite, not negative and below 2^53", now);
}
