/**
 * Expressions over an event: a function's key, the group in which it gathers, the group whose starts are counted. The one
 * place that knows in which languages they can be written.
 */

import type { SentEvent } from "../../types/index.js";
import { copy } from "../copy.js";
import { show, wrongType } from "../errors.js";
import { checkKey } from "../key.js";

/** What an expression gives for one event: a key, or why there is none. */
export type Evaluated = { readonly key: string } | { readonly refusal: string };

export interface Expression {
  evaluate(event: SentEvent): Evaluated;
}

/** An expression of an option, ready to be used. */
export function expression(option: string, given: unknown): Expression {
  if (typeof given === "function") return new FunctionExpression(option, given as (event: SentEvent) => unknown);
  throw wrongType(option, "a function of the event", given);
}

/** A function of JavaScript. What it throws or returns instead of a key is a refusal, never a key that strangers share. */
class FunctionExpression implements Expression {
  readonly #option: string;
  readonly #call: (event: SentEvent) => unknown;

  constructor(option: string, call: (event: SentEvent) => unknown) {
    this.#option = option;
    this.#call = call;
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
      if (value instanceof Promise) value.catch(() => {});
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

/** One text for equal values, whatever their type: 1 and "1" are one key. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined;
}

function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : show(error);
  } catch {
    return "an error that cannot be shown";
  }
}
