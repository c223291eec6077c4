/** What a handler is given: its run's identity and its steps. */

import type { RunContext, StepContext, StepOptions } from "../../types/index.js";
import { canonical } from "../canonical.js";
import { copy } from "../copy.js";
import { NonRetryableError, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { durationMs, optionsObject } from "../options.js";
import { NONE } from "../runtime.js";
import type { Driver } from "./driver.js";
import type { RunRecord } from "./record.js";

/** One pass over a run. */
export class Context implements RunContext {
  readonly attempt: number;
  readonly #driver: Driver;
  readonly #record: RunRecord;

  constructor(driver: Driver, record: RunRecord, pass: number) {
    this.#driver = driver;
    this.#record = record;
    this.attempt = pass;
  }

  get runId(): string {
    return this.#record.id;
  }

  get signal(): AbortSignal {
    return this.#record.signal;
  }

  key(step: string): string {
    const key = `${this.#record.id}:${step}`;
    checkKey("key", key);
    return key;
  }

  run<R>(name: string, work: (step: StepContext) => R | PromiseLike<R>, options?: StepOptions): Promise<R> {
    try {
      if (typeof work !== "function") throw wrongType("work", "a function", work);
      return this.#driver.step(this.#record, this.attempt, options === undefined ? name : indexed(name, options), work) as Promise<R>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  sleep(name: string, duration: number | string, options?: StepOptions): Promise<void> {
    try {
      const ms = durationMs("duration", duration);
      if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`duration needs a finite time that is not negative, got ${ms}`);
      return this.#driver.sleep(this.#record, this.attempt, options === undefined ? name : indexed(name, options), ms);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  effect(key?: string, options?: { known?: boolean }): number {
    const { calling, lastStep, lastAttempt } = this.#record;
    if (calling !== 1 || lastStep === NONE) {
      throw new Error(`effect needs exactly one step under way, and there are ${calling}; use the step's own`);
    }
    return this.#driver.effect(this.#record, lastStep, lastAttempt, key, options);
  }
}

function indexed(name: string, given: StepOptions): string {
  const { index } = optionsObject("step", given, ["index"]);
  if (index === undefined) return name;
  if (typeof index !== "number" && typeof index !== "string") throw wrongType("index", "a number or a text", index);
  return `${name} [${index}]`;
}

/** One attempt of a step. */
export class Attempt implements StepContext {
  readonly name: string;
  readonly attempt: number;
  readonly #driver: Driver;
  readonly #record: RunRecord;
  readonly #step: number;

  constructor(driver: Driver, record: RunRecord, step: number, name: string, attempt: number) {
    this.name = name;
    this.attempt = attempt;
    this.#driver = driver;
    this.#record = record;
    this.#step = step;
  }

  get key(): string {
    return `${this.#record.id}:${this.name}`;
  }

  get signal(): AbortSignal {
    return this.#record.signal;
  }

  effect(key?: string, options?: { known?: boolean }): number {
    return this.#driver.effect(this.#record, this.#step, this.attempt, key, options);
  }
}

/**
 * A step's result as it is saved, and as every pass gets it: data that a later process could read back. Anything else
 * fails the step for good, with the path of what is wrong.
 */
export function savedResult(step: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    if (value === undefined || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  try {
    return JSON.parse(canonical("result", value));
  } catch (error) {
    throw new NonRetryableError(`the step "${step}" returned what cannot be saved: ${(error as Error).message}`, { cause: error });
  }
}

/** The saved result, to be handed on: a copy, so that nobody changes what the next pass gets. */
export function handedOn(value: unknown): unknown {
  return typeof value === "object" ? copy(value) : value;
}
