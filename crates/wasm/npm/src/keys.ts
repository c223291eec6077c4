/**
 * Names, values and waiting callers of an idempotency store. The core holds who runs and what is remembered until
 * when, by number; here the numbers get their names, and the slab by number holds what the work returned.
 *
 * A name is looked up together with a scope (0 for `once`, one for each step name), never joined with it into one
 * text: so `("a:b", "c")` and `("a", "b:c")` stay apart, and ten steps of one user hash one text.
 */

import { callCarried, callInside, inside } from "./context.js";
import { copy } from "./copy.js";
import { ReentrantKeyError } from "./errors.js";
import { checkKey } from "./key.js";
import { type Glue, NONE, parts } from "./runtime.js";

/** The answers of the core, in the lowest bits. */
export const RUN = 0;
export const JOIN = 1;
export const SAVED = 2;
export const CONFLICT = 3;
const KIND_MASK = 3;
const SWEPT = 4;
const NUMBER_SHIFT = 3;

/** A name, and its number in each scope. */
class Row {
  readonly name: string;
  readonly numbers: (number | undefined)[] = [];
  live = 0;

  constructor(name: string) {
    this.name = name;
  }
}

/** Callers that wait for a run of somebody else. */
type Waiter = { resolve: (value: unknown) => void; reject: (error: unknown) => void };

export class KeyTable {
  readonly #machine: InstanceType<Glue["KeyStore"]>;
  readonly #now: () => number;
  readonly #rows = new Map<string, Row>();
  readonly #scopes = new Map<string, number>();
  // By the key's number:
  readonly #rowOf: Row[] = [];
  readonly #values: unknown[] = [];
  readonly #waiters = new Map<number, Waiter[]>();
  readonly #inputs = new Map<number, string>();
  #lastRow: Row | undefined;
  #lastTime = 0;

  /** The number that the last `begin` was about. */
  key = NONE;

  constructor(ttlMs: number, now: () => number) {
    this.#machine = new (parts().KeyStore)(ttlMs);
    this.#now = now;
  }

  get size(): number {
    return this.#machine.size;
  }

  /** The scope of a step's name. */
  scope(step: string): number {
    let scope = this.#scopes.get(step);
    if (scope === undefined) this.#scopes.set(step, (scope = this.#scopes.size + 1));
    return scope;
  }

  /** One call with a key: `RUN`, `JOIN`, `SAVED` or `CONFLICT`; `this.key` is its number. */
  begin(scope: number, name: string, input?: string): number {
    const last = this.#lastRow;
    const row = last !== undefined && last.name === name ? last : this.#row(name);
    const known = row.numbers[scope] ?? NONE;
    // Texts are compared whole: their "fingerprint" is which of the texts seen for this key they are.
    const first = input === undefined ? undefined : this.#inputs.get(known);
    const data = input === undefined ? -1 : first === undefined || first === input ? 0 : 1;
    // A new key has no window to be looked at, so it need not know the time exactly.
    const now = known === NONE ? this.#lastTime : this.#time();
    const packed = this.#machine.begin(now, known, data, inside(this));
    if (packed < 0) throw this.#refuse(row);
    const number = packed >>> NUMBER_SHIFT;
    this.key = number;
    this.#lastRow = row;
    if ((packed & KIND_MASK) === RUN) {
      if (known === NONE) {
        row.numbers[scope] = number;
        row.live++;
      }
      this.#rowOf[number] = row;
      if (number < this.#values.length) this.#values[number] = undefined;
      // A record that had expired was compared with data of its own; the new one starts with this.
      if (input !== undefined) this.#inputs.set(number, input);
      else if (this.#inputs.size > 0) this.#inputs.delete(number);
    }
    if ((packed & SWEPT) !== 0) this.#dropSwept();
    return packed & KIND_MASK;
  }

  /** Calls the work of a running key, and knows it again across its awaits where the runtime helps. */
  callCarried<R>(number: number, work: () => R): R {
    return callCarried(this, number, work);
  }

  /** Calls the work of a running key. */
  call<A, R>(number: number, work: { run(argument: A): R }, argument: A): R {
    return callInside(this, number, work, argument);
  }

  /** The work returned: remember it, and hand copies to all who waited. Returns nothing, because it was the original. */
  finish(number: number, value: unknown): void {
    const swept = this.#machine.finish(this.#time(), number);
    const saved = copy(value);
    if (saved !== undefined) this.#values[number] = saved;
    if (swept) this.#dropSwept();
    if (this.#waiters.size > 0) this.#settle(number, saved);
  }

  #settle(number: number, saved: unknown): void {
    const waiters = this.#waiters.get(number);
    this.#waiters.delete(number);
    for (const waiter of waiters ?? []) waiter.resolve(copy(saved));
  }

  /** The work threw: forget it, and hand the very error to all who waited. */
  fail(number: number, error: unknown): void {
    const waiters = this.#waiters.get(number);
    this.#waiters.delete(number);
    this.#machine.forget(number);
    this.#drop(number);
    if (waiters !== undefined) for (const waiter of waiters) waiter.reject(error);
  }

  /** The outcome of the run that is at this key. */
  wait(number: number): Promise<unknown> {
    let waiters = this.#waiters.get(number);
    if (waiters === undefined) this.#waiters.set(number, (waiters = []));
    const waiting = waiters;
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  }

  /** A copy of what the key's work returned. */
  saved(number: number): unknown {
    return copy(this.#values[number]);
  }

  /** The canonical text of the data that the key was first used with. */
  input(number: number): string | undefined {
    return this.#inputs.get(number);
  }

  /** Forgets a finished key; false if it is unknown or running. */
  forget(scope: number, name: string): boolean {
    const number = this.#rows.get(name)?.numbers[scope];
    if (number === undefined || !this.#machine.isSaved(number)) return false;
    this.#machine.forget(number);
    this.#drop(number);
    return true;
  }

  sweep(limit: number): number {
    const swept = this.#machine.sweep(this.#time(), limit);
    this.#dropSwept();
    return swept;
  }

  /** The scope of a step's name, if any step has it. */
  knownScope(step: string): number | undefined {
    return this.#scopes.get(step);
  }

  #row(name: string): Row {
    let row = this.#rows.get(name);
    if (row === undefined) {
      checkKey("key", name);
      this.#rows.set(name, (row = new Row(name)));
    }
    return row;
  }

  #refuse(row: Row): ReentrantKeyError {
    if (row.live === 0) this.#rows.delete(row.name);
    return new ReentrantKeyError(row.name);
  }

  #dropSwept(): void {
    for (const number of this.#machine.takeSwept()) this.#drop(number);
  }

  /** The number is free: so are its name and its value. */
  #drop(number: number): void {
    const row = this.#rowOf[number]!;
    row.numbers[row.numbers.indexOf(number)] = undefined;
    if (number < this.#values.length) this.#values[number] = undefined;
    this.#inputs.delete(number);
    if (--row.live > 0) return;
    this.#rows.delete(row.name);
    if (this.#lastRow === row) this.#lastRow = undefined;
  }

  #time(): number {
    const now = this.#now();
    if (!(now >= 0 && now <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`now needs to return milliseconds that are finite and not negative, got ${String(now)}`);
    }
    this.#lastTime = now;
    return now;
  }
}
