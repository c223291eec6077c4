/**
 * Function keys written as expressions: the WebAssembly module behind them, loaded when it is first wanted. It is a file of
 * its own, as large as the engine, which whoever writes keys as functions never loads.
 *
 * An instance that trapped (out of memory or stack) is left behind and another made of the same module. What asked for it
 * gets an error or a refusal, and everybody else goes on.
 */

import type { Cel } from "#cel";
import { show, wrongType } from "../errors.js";
import { ExpressionError } from "./error.js";

/** What an expression gives for one event: a key, or why there is none. */
export type Evaluated = { readonly key: string } | { readonly refusal: string };

let loading: Promise<void> | undefined;
/** Makes an instance, once the module is there. */
let instantiate: (() => Cel) | undefined;
let instance: Cel | undefined;

/** See the public types. */
export function loadExpressions(): Promise<void> {
  return (loading ??= import("#cel").then(
    (loaded) => {
      const module = loaded.compile();
      instantiate = () => loaded.instantiate(module);
    },
  ).catch((cause: unknown) => {
    // A network that failed once may work the next time.
    loading = undefined;
    throw Object.assign(new Error(`expressions could not be loaded: ${cause instanceof Error ? cause.message : show(cause)}`, { cause }), { code: "ERR_LOAD" });
  }));
}

/** Whether `KeyExpression`s can be made at once. */
export function expressionsLoaded(): boolean {
  return instantiate !== undefined;
}

/** An expression over an event that gives a key. */
export class KeyExpression {
  readonly #source: string;

  /**
   * @param option What the expression is for, in messages.
   * @throws {ExpressionError} for one that cannot be used; {Error} before `loadExpressions` is done.
   */
  constructor(option: string, source: string) {
    if (typeof source !== "string") throw wrongType(option, "an expression", source);
    this.#source = source;
    attempt(
      (cel) => cel.check(source),
      (thrown) => {
        throw isProblem(thrown) ? problemOf(option, thrown) : new ExpressionError(option, `${option}: ${trapText(thrown)}`, { problem: "trap" });
      },
    );
  }

  /** The key of an event, or why it has none. Never throws for what is in an event. */
  evaluate(event: object): Evaluated {
    let json: string;
    try {
      json = JSON.stringify(event);
    } catch (error) {
      return { refusal: `the event is no JSON: ${(error as Error).message}` };
    }
    return attempt<Evaluated>(
      (cel) => ({ key: cel.evaluate(this.#source, json) }),
      (thrown) => ({ refusal: typeof thrown === "string" ? thrown : trapText(thrown) }),
    );
  }
}

/** Calls the instance. What it throws of its own accord leaves it whole; after anything else it is gone. */
function attempt<R>(call: (cel: Cel) => R, failed: (thrown: unknown) => R): R {
  if (instantiate === undefined) throw new Error("expressions are not loaded: await loadExpressions() first");
  try {
    return call((instance ??= instantiate()));
  } catch (thrown) {
    if (typeof thrown !== "string" && !isProblem(thrown)) instance = undefined;
    return failed(thrown);
  }
}

type Problem = Cel["Problem"]["prototype"];

function isProblem(thrown: unknown): thrown is Problem {
  return instance !== undefined && thrown instanceof instance.Problem;
}

function problemOf(option: string, problem: Problem): ExpressionError {
  const { code, line, column, offset, excerpt } = problem;
  const message = `${option}: ${problem.message} (line ${line}, column ${column})\n${excerpt}`;
  problem.free();
  return new ExpressionError(option, message, { problem: code as ExpressionError["problem"], line, column, offset, excerpt });
}

function trapText(thrown: unknown): string {
  return `the expression needs more memory or time than there is (${thrown instanceof Error ? thrown.message : String(thrown)})`;
}
