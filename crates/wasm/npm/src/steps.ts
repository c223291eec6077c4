/** Steps that ask the store first: a step that finished for a key is skipped, one that is running is shared. */

import type { IdempotencyStore as PublicStore, Job, Step } from "../types/index.js";
import { refusal, show, wrongType } from "./errors.js";
import { checkJob } from "./job.js";
import { JOIN, type KeyTable, RUN } from "./keys.js";
import { checkedSteps } from "./retry.js";
import { NONE } from "./runtime.js";
import { tableOf } from "./store.js";
import { isThenable } from "./thenable.js";
import { keyedStep } from "./windows.js";

export type KeyOf<T> = (job: Job<T>) => string;

/** The keys of one step name in one store. */
export class Scope {
  readonly #table: KeyTable;
  readonly #scope: number;
  #shared: unknown;

  constructor(table: KeyTable, step: string) {
    this.#table = table;
    this.#scope = table.scope(step);
  }

  /** The number of the key if its work is to be called now; else `NONE`, and `shared` has its outcome. */
  begin(key: string): number {
    const answer = this.#table.begin(this.#scope, key);
    if (answer === RUN) return this.#table.key;
    this.#shared = answer === JOIN ? this.#table.wait(this.#table.key) : this.#table.saved(this.#table.key);
    return NONE;
  }

  /** The outcome that the last `begin` found: a value, or a promise of one. */
  shared(): unknown {
    const shared = this.#shared;
    this.#shared = undefined;
    return shared;
  }

  call<T>(number: number, step: Step<T>, job: Job<T>): unknown {
    return this.#table.call(number, step, job);
  }

  finish(number: number, value: unknown): void {
    this.#table.finish(number, value);
  }

  fail(number: number, error: unknown): void {
    this.#table.fail(number, error);
  }
}

/** A step behind a key. */
export class IdempotentStep<T> implements Step<T> {
  readonly name: string;
  readonly step: Step<T>;
  readonly scope: Scope;
  readonly keyOf: KeyOf<T>;

  constructor(step: Step<T>, scope: Scope, keyOf: KeyOf<T>) {
    this.name = step.name;
    this.step = step;
    this.scope = scope;
    this.keyOf = keyOf;
  }

  run(job: Job<T>): unknown {
    checkJob(job);
    const number = this.scope.begin(this.keyOf(job));
    if (number === NONE) return this.scope.shared();
    let result: unknown;
    try {
      result = this.scope.call(number, this.step, job);
      if (!isThenable(result)) {
        this.scope.finish(number, result);
        return result;
      }
    } catch (error) {
      this.scope.fail(number, error);
      throw error;
    }
    return this.#settle(number, result);
  }

  async #settle(number: number, running: PromiseLike<unknown>): Promise<unknown> {
    try {
      const value = await running;
      this.scope.finish(number, value);
      return value;
    } catch (error) {
      this.scope.fail(number, error);
      throw error;
    }
  }
}

/** See the public types. */
export function idempotentSteps<T>(steps: readonly Step<T>[], store: PublicStore, keyOf: KeyOf<T>): Step<T>[] {
  if (typeof keyOf !== "function") throw wrongType("keyOf", "a function", keyOf);
  const table = tableOf(store);
  refuseDoubleNames(checkedSteps(steps));
  return steps.map((step) => {
    const made = new IdempotentStep(step, new Scope(table, step.name), keyOf);
    keyedStep(made, step, table);
    return made;
  });
}

/** Two steps of one name would share a key, and the second would never do its work. */
function refuseDoubleNames<T>(steps: readonly Step<T>[]): void {
  const names = new Set<string>();
  for (const { name } of steps) {
    if (names.has(name)) throw refusal(new TypeError(`steps needs a different name for every step, got ${show(name)} twice`), "steps");
    names.add(name);
  }
}
