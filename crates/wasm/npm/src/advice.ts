/** Advice that can be asked for: what is suspicious about a key, and how long a window must be. */

import type { Finding, WindowOptions } from "../types/index.js";
import { runRetry, stepPolicy } from "./engine/options.js";
import { isArray, outOfRange, wrongType } from "./errors.js";
import { durationMs, optionsObject } from "./options.js";
import { parts, rules } from "./runtime.js";

const KNOWN = ["retry", "steps", "callMax", "queueMax", "hearsRetryAfter"] as const;

/** See the public types. */
export function lintKey(key: string | readonly string[], separator?: string): Finding[] {
  parts();
  if (typeof key === "string") {
    if (separator !== undefined) throw wrongType("separator", "a list of parts beside it", key);
    return findings(key);
  }
  if (!isArray(key) || key.length === 0 || !key.every((part) => typeof part === "string")) {
    throw wrongType("key", "a text, or a list of its parts", key);
  }
  if (separator !== undefined && typeof separator !== "string") throw wrongType("separator", "a text", separator);
  return key.length === 1 ? findings(key[0]!) : read(key.map(withoutNul).join("\0"), separator ?? ":");
}

/** What is suspicious about a whole key. */
export function findings(key: string): Finding[] {
  return read(withoutNul(key), "");
}

/** NUL parts the parts on their way to the core; no key has one, and none of the findings is about it. */
function withoutNul(part: string): string {
  return part.replaceAll("\0", "\u2400");
}

function read(text: string, separator: string): Finding[] {
  const lines = rules().lintKey(text, separator).split("\n").slice(0, -1);
  return lines.map((line) => {
    const [name, advice] = line.split("\t") as [Finding["name"], string];
    return { name, advice };
  });
}

/** See the public types. */
export function smallestSafeWindow(given?: WindowOptions): number {
  parts();
  const { retry, steps, callMax, queueMax, hearsRetryAfter = true } = optionsObject("window", given, KNOWN);
  if (typeof hearsRetryAfter !== "boolean") throw wrongType("hearsRetryAfter", "true or false", hearsRetryAfter);
  const [step, run] = [new Float64Array(stepPolicy(steps)), new Float64Array(runRetry(retry))];
  return rules().smallestSafeWindow(step, run, time("callMax", callMax, 60_000), time("queueMax", queueMax, 0), hearsRetryAfter);
}

function time(option: string, given: unknown, otherwise: number): number {
  const ms = given === undefined ? otherwise : durationMs(option, given);
  if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) throw outOfRange(option, "a finite time that is not negative", given);
  return ms;
}
