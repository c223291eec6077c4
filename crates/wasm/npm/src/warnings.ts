/**
 * Warnings for whoever develops: what will do harm later and is no error. Each is given once. In Node they go to
 * `process.emitWarning`, elsewhere to `console.warn`, and with `NODE_ENV=production` and in Deno nowhere, unless a function
 * takes them.
 */

import type { Finding } from "../types/index.js";
import { wrongType } from "./errors.js";
import { findings } from "./advice.js";

/** Keys that are looked at, for each source of keys: those of one source are made alike, and looking takes time. */
const KEYS_LOOKED_AT = 100;

export type Warn = ((warning: string) => void) | false | undefined;

type Process = { env?: Record<string, string | undefined>; emitWarning?(warning: string, options: { type: string; code: string }): void };

export class Warnings {
  readonly #give: ((warning: string) => void) | undefined;
  readonly #given = new Set<string>();

  /** @param given A function that takes them, false for none, or undefined for what the environment says. */
  constructor(given: Warn) {
    if (given !== undefined && given !== false && typeof given !== "function") throw wrongType("onWarning", "a function or false", given);
    this.#give = given === undefined ? ofEnvironment() : given === false ? undefined : given;
  }

  warn(warning: string): void {
    if (this.#give === undefined || this.#given.has(warning)) return;
    this.#given.add(warning);
    this.#give(warning);
  }

  /** Looks at the keys of one source, such as the run IDs of a workflow. */
  keys(source: string): KeyWatch | undefined {
    return this.#give === undefined ? undefined : new KeyWatch(source, this);
  }
}

/** Looks at the first keys of a source, and warns once of each pattern that has something suspicious. */
export class KeyWatch {
  readonly #source: string;
  readonly #warnings: Warnings;
  #left = KEYS_LOOKED_AT;
  readonly #patterns = new Set<string>();

  constructor(source: string, warnings: Warnings) {
    this.#source = source;
    this.#warnings = warnings;
  }

  look(key: string): void {
    if (this.#left === 0) return;
    this.#left--;
    const pattern = key.replace(/[0-9a-fA-F-]{20,}|\d+/g, "#");
    if (this.#patterns.has(pattern)) return;
    this.#patterns.add(pattern);
    for (const { name, advice } of findings(key)) {
      if (QUIET.includes(name)) continue;
      this.#warnings.warn(`${this.#source} like "${pattern.slice(0, 80)}": ${advice} (${name})`);
    }
  }
}

/** Too many good keys have this for a warning: `lintKey` tells it. */
const QUIET: readonly Finding["name"][] = ["no-operation"];

function ofEnvironment(): ((warning: string) => void) | undefined {
  const { process, console, Deno } = globalThis as { process?: Process; console?: { warn(text: string): void }; Deno?: unknown };
  // To look at the environment of Deno needs a permission, which no advice is worth asking for.
  if (Deno !== undefined || process?.env?.["NODE_ENV"] === "production") return undefined;
  if (typeof process?.emitWarning === "function") {
    return (warning) => process.emitWarning!(warning, { type: "TwiceproofWarning", code: "TWICEPROOF_ADVICE" });
  }
  return (warning) => console?.warn(`twiceproof: ${warning}`);
}
