/** What a handler is given: its run's identity and its steps. */

import type { RunContext, SentEvent, StepContext, StepOptions } from "../../types/index.js";
import { canonical } from "../canonical.js";
import { copy } from "../copy.js";
import { InvalidKeyError, NonRetryableError, outOfRange, show, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { durationMs, optionsObject } from "../options.js";
import { NONE } from "../runtime.js";
import type { Line } from "./calls.js";
import type { Driver } from "./driver.js";
import { UsageError } from "./errors.js";
import type { RunRecord } from "./record.js";

/** One pass over a run. Its functions can be taken off it: `const { run } = context`. */
export class Context implements RunContext {
  readonly attempt: number;
  readonly run: RunContext["run"];
  readonly #driver: Driver;
  readonly #record: RunRecord;
  #sleep: RunContext["sleep"] | undefined;
  #key: RunContext["key"] | undefined;
  #effect: RunContext["effect"] | undefined;
  #events: readonly SentEvent[] | undefined;

  constructor(driver: Driver, record: RunRecord, pass: number, line: Line) {
    this.#driver = driver;
    this.#record = record;
    this.attempt = pass;
    this.run = (name, work, options) => step(driver, record, pass, line, name, work as Work, options) as ReturnType<typeof this.run<never>>;
  }

  get sleep(): RunContext["sleep"] {
    return (this.#sleep ??= (name, duration, options) => sleep(this.#driver, this.#record, this.attempt, name, duration, options));
  }

  get key(): RunContext["key"] {
    return (this.#key ??= (name, options) => providerKey(this.#record.id, stepName(name, options)));
  }

  get effect(): RunContext["effect"] {
    return (this.#effect ??= (key, options) => effect(this.#driver, this.#record, key, options));
  }

  get runId(): string {
    return this.#record.id;
  }

  get signal(): AbortSignal {
    return this.#record.signal;
  }

  get event(): SentEvent | undefined {
    return this.events.at(-1);
  }

  get events(): readonly SentEvent[] {
    return (this.#events ??= this.#record.events.map((record) => copy(record.sent)));
  }
}

/** A step's work. */
export type Work = (step: StepContext) => unknown;

function step(driver: Driver, record: RunRecord, pass: number, line: Line, given: string, work: Work, options: StepOptions | undefined): Promise<unknown> {
  try {
    const name = stepName(given, options);
    if (typeof work !== "function") throw wrongType("work", "a function", work);
    return driver.step(record, pass, line, name, work);
  } catch (error) {
    return driver.refused(record, error);
  }
}

function sleep(driver: Driver, record: RunRecord, pass: number, given: string, duration: number | string, options: StepOptions | undefined): Promise<void> {
  try {
    const name = stepName(given, options);
    const ms = durationMs("duration", duration);
    if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) throw outOfRange("duration", "a finite time that is not negative", duration);
    return driver.sleep(record, pass, name, ms);
  } catch (error) {
    return driver.refused(record, error);
  }
}

function effect(driver: Driver, record: RunRecord, key: string | undefined, options: { known?: boolean } | undefined): number {
  const { calling, lastStep, lastAttempt } = record;
  if (calling !== 1 || lastStep === NONE) {
    throw new UsageError(`effect needs exactly one step under way, and there are ${calling}; use the step's own`);
  }
  return driver.effect(record, lastStep, lastAttempt, key, options);
}

function stepName(name: string, given: StepOptions | undefined): string {
  if (given === undefined) return name;
  checkKey("step", name);
  const { index } = optionsObject("step", given, ["index"]);
  if (index === undefined) return name;
  if (typeof index !== "number" && typeof index !== "string") throw wrongType("index", "a number or a text", index);
  if (typeof index === "number" && !Number.isFinite(index)) throw outOfRange("index", "a finite number", index);
  return `${name} [${index}]`;
}

/**
 * `<run ID>:<step>`. The last colon is the border, as most run IDs have some: so a colon in a step's name is written
 * `%3A`, and the `%` of what would look like that `%25`. As the core's `key::of_step`.
 */
export function providerKey(runId: string, step: string): string {
  checkKey("step", step);
  const key = `${runId}:${/[:%]/.test(step) ? step.replace(/%(?=3A|25)/g, "%25").replaceAll(":", "%3A") : step}`;
  try {
    checkKey("key", key);
  } catch (error) {
    throw new InvalidKeyError(`the key of step ${show(step)} in run ${show(runId)}: ${(error as Error).message}; shorten one of them`);
  }
  return key;
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
    return providerKey(this.#record.id, this.name);
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
