/** The article's store: which keys are running, which have finished, and what that returned. */

import type { Duration, IdempotencyStoreOptions, OnceOptions } from "../types/index.js";
import { canonical, differences } from "./canonical.js";
import { ConflictError, InFlightError, detached, isObject, outOfRange, shownPlaces, wrongType } from "./errors.js";
import { checkKey } from "./key.js";
import { CONFLICT, JOIN, KeyTable, ONCE, RUN } from "./keys.js";
import { countOption, durationMs, functionOption, optionsObject, signalOption } from "./options.js";
import { isThenable } from "./thenable.js";
import { after, orAbort } from "./timer.js";
import { Warnings } from "./warnings.js";

/** The tables of the stores. Handed out of a private field by a static block, they would keep the class in every bundle. */
const tables = new WeakMap<object, KeyTable>();

/** The table of a store, for the steps of this package. */
export function tableOf(store: unknown): KeyTable {
  const table = tables.get(Object(store) as object);
  if (table === undefined) throw wrongType("store", "an IdempotencyStore", store);
  return table;
}

/** See the public types. */
export class IdempotencyStore {
  readonly #table: KeyTable;

  constructor(ttl: Duration | IdempotencyStoreOptions, now?: () => number) {
    const inOptions = typeof ttl === "object" && ttl !== null;
    // A clock in both places would be one of them, and who reads the code would have to know which.
    if (inOptions && now !== undefined) throw wrongType("now", "a place among the options when there are options", now);
    const options: IdempotencyStoreOptions = inOptions ? optionsObject("store", ttl, ["ttlMs", "now", "onWarning"]) : { ttlMs: ttl };
    const clock = functionOption("now", now === undefined ? options.now : now);
    const warnings = new Warnings(options.onWarning);
    this.#table = new KeyTable(durationMs("ttlMs", options.ttlMs), clock ?? Date.now, warnings);
    if (this.#table.ttlMs === 0) warnings.warn("ttlMs of a store is 0 ms, so that no key that has finished is remembered: only calls at the same time share a run");
    tables.set(this, this.#table);
  }

  get size(): number {
    if (!(#table in Object(this))) throw detached("store", "size");
    return this.#table.size;
  }

  once<T>(key: string, work: () => T | PromiseLike<T>, options?: OnceOptions): Promise<T> {
    try {
      if (!(#table in Object(this))) throw detached("store", "once");
      return this.#once(key, work, options) as Promise<T>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  forget(key: string, step?: string): boolean {
    if (!(#table in Object(this))) throw detached("store", "forget");
    checkKey("key", key);
    if (step !== undefined && typeof step !== "string") throw wrongType("step", "the name of a step", step);
    const scope = step === undefined ? ONCE : this.#table.knownScope(step);
    return scope !== undefined && this.#table.forget(scope, key);
  }

  sweep(options?: { limit?: number }): number {
    if (!(#table in Object(this))) throw detached("store", "sweep");
    return this.#table.sweep(countOption("limit", optionsObject("sweep", options, ["limit"]).limit, 1));
  }

  #once(key: string, work: () => unknown, given: OnceOptions | undefined): Promise<unknown> {
    if (typeof work !== "function") throw wrongType("work", "a function", work);
    if (given === undefined) return this.#outcome(key, work, undefined, undefined);
    const options = optionsObject("once", given, ["input", "onInFlight", "signal"]);
    const signal = signalOption("signal", options.signal);
    const waitMs = inFlightWait(options.onInFlight);
    const input = "input" in options ? canonical("input", options.input) : undefined;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const outcome = this.#outcome(key, work, input, waitMs);
    return signal === undefined ? outcome : orAbort(outcome, signal);
  }

  #outcome(key: string, work: () => unknown, input: string | undefined, waitMs: number | undefined): Promise<unknown> {
    const table = this.#table;
    const answer = table.begin(ONCE, key, input);
    const number = table.key;
    if (answer === RUN || answer === JOIN) table.connect(number, key);
    if (answer === RUN) return runOnce(table, number, work);
    if (answer === CONFLICT) throw conflict(key, table.input(number), input!);
    if (answer !== JOIN) return Promise.resolve(table.saved(number));
    if (waitMs === 0) throw new InFlightError(key);
    return waitMs === undefined ? table.wait(number) : within(waitMs, table.wait(number), key);
  }
}

function runOnce(table: KeyTable, number: number, work: () => unknown): Promise<unknown> {
  let result: unknown;
  try {
    result = table.callCarried(number, work);
    if (!isThenable(result)) {
      table.finish(number, result);
      return Promise.resolve(result);
    }
  } catch (error) {
    table.fail(number, error);
    return Promise.reject(error);
  }
  return settle(table, number, result);
}

async function settle(table: KeyTable, number: number, running: PromiseLike<unknown>): Promise<unknown> {
  try {
    const value = await table.carried(number, running);
    table.finish(number, value);
    return value;
  } catch (error) {
    table.fail(number, error);
    throw error;
  }
}

/** How long to wait for somebody else's run: undefined to its end, 0 not at all. */
function inFlightWait(option: OnceOptions["onInFlight"]): number | undefined {
  if (option === undefined || option === "share") return undefined;
  if (option === "reject") return 0;
  if (!isObject(option)) {
    throw wrongType("onInFlight", '"share", "reject" or { waitMs }', option);
  }
  const { waitMs } = optionsObject<{ waitMs?: number }>("onInFlight", option, ["waitMs"]);
  if (typeof waitMs !== "number") throw wrongType("waitMs", "a number of milliseconds", waitMs);
  if (!(waitMs >= 0)) throw outOfRange("waitMs", "milliseconds that are not negative, or Infinity", waitMs);
  return waitMs;
}

function within(waitMs: number, promise: Promise<unknown>, key: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = after(waitMs, () => reject(new InFlightError(key)));
    promise.then(resolve, reject).finally(cancel);
  });
}

function conflict(key: string, first: string | undefined, second: string): ConflictError {
  if (first === undefined) {
    return new ConflictError(key, "payload", [{ path: "input", kind: "extra" }], `the key "${key}" was used without input before`);
  }
  const { list, more } = differences("input", first, second);
  return new ConflictError(key, "payload", list, `the key "${key}" was used with other data before${shownPlaces(list, more)}`, more);
}
