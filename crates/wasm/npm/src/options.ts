/** Types of options. Their numbers are checked by the core. */

import { wrongType } from "./errors.js";

/** A number, or `otherwise` if it was left out. */
export function numberOption(name: string, value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number") throw wrongType(name, "a number", value);
  return value;
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
  if (typeof signal !== "object" || signal === null || typeof signal.addEventListener !== "function") {
    throw wrongType(name, "an AbortSignal", value);
  }
  return value;
}

/** The options object itself; a left-out one is empty. An unknown option is refused: a misspelt one must not be silent. */
export function optionsObject<O extends object>(what: string, value: O | undefined, known: readonly string[]): O {
  if (value === undefined) return {} as O;
  if (typeof value !== "object" || value === null) throw wrongType(what, "an object", value);
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) throw new TypeError(`${what} has no option "${name}"; it has ${known.join(", ")}`);
  }
  return value;
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds from a number or a text such as "500ms", "1.5s", "30m", "24h", "184d". */
export function durationMs(name: string, value: unknown): number {
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(value) : null;
  if (match === null) throw wrongType(name, 'milliseconds or a text such as "500ms", "30m", "24h"', value);
  return Math.round(Number(match[1]) * UNITS[match[2]!]!);
}
