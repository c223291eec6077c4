/**
 * Warnings for whoever develops: what will do harm later and is no error. Each is given once. In Node they go to
 * `process.emitWarning`, elsewhere to `console.warn`, and with `NODE_ENV=production` and in Deno nowhere, unless a function
 * takes them.
 */

import type { Finding } from "../types/index.js";
import { wrongType } from "./errors.js";
import { findings } from "./advice.js";
import { isThenable } from "./thenable.js";

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
    // Advice is no part of the work that it is about: who takes it may fail, and nothing else does.
    try {
      const told: unknown = this.#give(warning);
      if (isThenable(told)) Promise.resolve(told).catch(() => {});
    } catch {
      // Nobody to tell: telling is what failed.
    }
  }

  /** Whether anybody takes them; if not, nobody need look for what to warn of. */
  get heard(): boolean {
    return this.#give !== undefined;
  }

  /**
   * Looks at the keys of one source, such as the run IDs of a workflow. `share` says that a key without the name of an
   * operation is shared, or refused, where another operation uses it.
   */
  keys(source: string, share: boolean): KeyWatch | undefined {
    return this.#give === undefined ? undefined : new KeyWatch(source, share, this);
  }
}

/** Looks at the first keys of a source, and warns once of each pattern that has something suspicious. */
export class KeyWatch {
  readonly #source: string;
  readonly #share: boolean;
  readonly #warnings: Warnings;
  readonly #patterns = new Set<string>();
  #left = KEYS_LOOKED_AT;
  #named = true;

  constructor(source: string, share: boolean, warnings: Warnings) {
    this.#source = source;
    this.#share = share;
    this.#warnings = warnings;
  }

  /**
   * @param share As above, of this key alone.
   * @returns Whether further keys are looked at.
   */
  look(key: string, share = this.#share): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    const pattern = key.replace(/[0-9a-fA-F-]{20,}|\d+/g, "#");
    if (!this.#patterns.has(pattern)) {
      this.#patterns.add(pattern);
      for (const { name, advice } of findings(key)) if (name !== "no-operation" || this.#lacksName(share, pattern)) this.#warn(pattern, name, advice);
    }
    return this.#left > 0;
  }

  /**
   * Whether to warn that only a thing is named, such as `user_1001`: a key without any number (`warm the cache`) names none. Once for
   * each source, because keys that are opaque all have patterns of their own.
   */
  #lacksName(share: boolean, pattern: string): boolean {
    const first = share && this.#named && pattern.includes("#");
    if (first) this.#named = false;
    return first;
  }

  #warn(pattern: string, name: Finding["name"], advice: string): void {
    this.#warnings.warn(`${this.#source} like "${pattern.slice(0, 80)}": ${advice} (${name})`);
  }
}

function ofEnvironment(): ((warning: string) => void) | undefined {
  const { process, console, Deno } = globalThis as { process?: Process; console?: { warn(text: string): void }; Deno?: unknown };
  // To look at the environment of Deno needs a permission, which no advice is worth asking for.
  if (Deno !== undefined || process?.env?.["NODE_ENV"] === "production") return undefined;
  if (typeof process?.emitWarning === "function") {
    return (warning) => process.emitWarning!(warning, { type: "TwiceproofWarning", code: "TWICEPROOF_ADVICE" });
  }
  return (warning) => console?.warn(`twiceproof: ${warning}`);
}
