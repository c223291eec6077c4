/**
 * Expressions over an event: a function's key, the group in which it gathers, the group whose starts are counted. The one
 * place that knows in which languages they can be written.
 */

import type { SentEvent } from "../../types/index.js";
import { type Evaluated, expressionsLoaded, KeyExpression, loadExpressions } from "../cel/expressions.js";
import { copy } from "../copy.js";
import { refuse, show, wrongType } from "../errors.js";
import { checkKey } from "../key.js";

export type { Evaluated };

export interface Expression {
  /** What has to be waited for before it can be evaluated; undefined if nothing. Rejects if it cannot be loaded. */
  loading(): Promise<void> | undefined;
  evaluate(event: SentEvent): Evaluated;
  /** What is wrong with it, if it is no expression at all. */
  readonly broken: string | undefined;
}

/** An expression of an option, ready to be used or about to be; `warn` is told if it turns out that it cannot be. */
export function expression(option: string, given: unknown, warn: (message: string) => void): Expression {
  if (typeof given === "function") return new FunctionExpression(option, given as (event: SentEvent) => unknown);
  if (typeof given === "string") return new TextExpression(option, given, warn);
  throw wrongType(option, "a function of the event or an expression", given);
}

/** An expression in CEL. What reads it is loaded with the first one; until then a wrong one cannot be told from a right one. */
class TextExpression implements Expression {
  readonly #option: string;
  readonly #source: string;
  readonly #warn: (message: string) => void;
  #read: KeyExpression | { evaluate(): Evaluated } | undefined;
  broken: string | undefined;

  constructor(option: string, source: string, warn: (message: string) => void) {
    this.#option = option;
    this.#source = source;
    this.#warn = warn;
    if (expressionsLoaded()) this.#read = new KeyExpression(option, source);
    // Who sends an event is told if it fails.
    else this.loading()!.catch(() => {});
  }

  loading(): Promise<void> | undefined {
    return this.#read === undefined ? loadExpressions().then(() => this.#compile()) : undefined;
  }

  evaluate(event: SentEvent): Evaluated {
    return this.#read!.evaluate(event);
  }

  /** It is too late to throw where it is written: every event says what is wrong with it, and a warning does. */
  #compile(): void {
    if (this.#read !== undefined) return;
    try {
      this.#read = new KeyExpression(this.#option, this.#source);
    } catch (error) {
      const refusal = (error as Error).message;
      this.#read = { evaluate: () => ({ refusal }) };
      this.broken = refusal;
      this.#warn(refusal);
    }
  }
}

/** A function of JavaScript. What it throws or returns instead of a key is a refusal, never a key that strangers share. */
class FunctionExpression implements Expression {
  readonly broken = undefined;
  readonly #option: string;
  readonly #call: (event: SentEvent) => unknown;

  constructor(option: string, call: (event: SentEvent) => unknown) {
    this.#option = option;
    this.#call = call;
  }

  loading(): undefined {
    return undefined;
  }

  evaluate(event: SentEvent): Evaluated {
    let value: unknown;
    try {
      value = this.#call(copy(event));
    } catch (error) {
      return { refusal: `${this.#option} threw ${thrownText(error)}` };
    }
    const text = scalarText(value);
    if (text === undefined) {
      refuse(value);
      return { refusal: `${this.#option} needs to return a string, a finite number or a boolean, got ${show(value)}` };
    }
    try {
      checkKey(`the value of ${this.#option}`, text);
    } catch (error) {
      return { refusal: (error as Error).message };
    }
    return { key: text };
  }
}

/**
 * A text is its own key. Numbers and booleans have `=` before their text, and a text that begins with `=` gets another: so
 * 1 and "1" never share a key. As expressions have it (`crates/cel/src/key.rs`).
 */
function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value.startsWith("=") ? `=${value}` : value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return `=${value}`;
  return undefined;
}

function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : show(error);
  } catch {
    return "an error that cannot be shown";
  }
}
