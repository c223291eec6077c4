/**
 * Names, values and waiting callers of an idempotency store. The core holds who runs and what is remembered until
 * when, by number; here the numbers get their names, and the slab by number holds what the work returned.
 *
 * A name is looked up together with a scope (0 for `once`, one for each step name), never joined with it into one
 * text: so `("a:b", "c")` and `("a", "b:c")` stay apart, and ten steps of one user hash one text.
 */

import { awaiting, callCarried, callInside, carried, inside } from "./context.js";
import { copy } from "./copy.js";
import { ReentrantKeyError } from "./errors.js";
import { checkKey } from "./key.js";
import { timeMs } from "./options.js";
import { Rows } from "./rows.js";
import { NONE, type Parts, parts } from "./runtime.js";
import type { KeyWatch, Warnings } from "./warnings.js";
import type { Short } from "./windows.js";

/** The scope of keys that no step has. */
export const ONCE = 0;

/** The answers of the core, in the lowest bits. */
export const RUN = 0;
export const JOIN = 1;
export const SAVED = 2;
export const CONFLICT = 3;
const KIND_MASK = 3;
const SWEPT = 4;
const NUMBER_SHIFT = 3;

/** The data that a running or finished key was used with, and the number by which the core compares it. */
type Input = { readonly text: string | undefined; readonly print: number };
/** The number of no data. */
const NO_DATA = 0;

/** Callers that wait for a run of somebody else. */
type Waiter = { resolve: (value: unknown) => void; reject: (error: unknown) => void };

export class KeyTable {
  readonly #machine: InstanceType<Parts["KeyStore"]>;
  readonly #now: () => number;
  readonly #rows = new Rows();
  readonly #scopes = new Map<string, number>();
  // By the key's number:
  readonly #values: unknown[] = [];
  readonly #waiters = new Map<number, Waiter[]>();
  readonly #inputs = new Map<number, Input>();
  #lastPrint = 0;
  #lastTime = 0;
  /** Looks at names when they are first seen, until it has seen enough. */
  #watch: KeyWatch | undefined;

  readonly ttlMs: number;
  readonly warnings: Warnings;
  /** What its window is too short for, if that is known. */
  short: Short | undefined;
  /** The number that the last `begin` was about. */
  key = NONE;

  constructor(ttlMs: number, now: () => number, warnings: Warnings) {
    this.#machine = new (parts().KeyStore)(ttlMs);
    this.#now = now;
    this.ttlMs = ttlMs;
    this.warnings = warnings;
    this.#watch = warnings.keys("keys of a store", true);
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
    let row = this.#row(scope, name);
    let known = this.#rows.key(row, scope);
    let now = this.#lastTime;
    // A new key has no window to be looked at, so it need not know the time exactly.
    if (known !== NONE) {
      now = this.#time();
      // The clock is the caller's, and may have used this very store.
      row = this.#row(scope, name);
      known = this.#rows.key(row, scope);
    }
    const print = this.#print(known, input);
    const packed = this.#machine.begin(now, known, print, inside(this));
    if (packed < 0) {
      this.#rows.tidy(row);
      throw new ReentrantKeyError(name);
    }
    const number = packed >>> NUMBER_SHIFT;
    const answer = packed & KIND_MASK;
    if (answer === RUN) this.#claim(scope, row, known, number, input, print);
    this.key = number;
    if ((packed & SWEPT) !== 0) this.#dropSwept();
    return answer;
  }

  /** The key is its caller's to work on. */
  #claim(scope: number, row: number, known: number, number: number, input: string | undefined, print: number): void {
    if (known === NONE) this.#rows.add(row, scope, number);
    if (number < this.#values.length) this.#values[number] = undefined;
    if (print !== NO_DATA) this.#inputs.set(number, { text: input, print });
    else if (this.#inputs.size > 0) this.#inputs.delete(number);
  }

  /**
   * The number of a call's data. Without data a call compares nothing: its number is the one that is there. With data
   * it is another, unless the key was used with the very text: so data are never answered with a result of data unknown.
   */
  #print(known: number, input: string | undefined): number {
    const first = this.#inputs.size > 0 ? this.#inputs.get(known) : undefined;
    if (input === undefined) return first === undefined ? NO_DATA : first.print;
    return first !== undefined && first.text === input ? first.print : ++this.#lastPrint;
  }

  /**
   * The call of the last `begin` runs its key or is about to wait for it. If work of other keys makes it, across their
   * awaits, those wait for it too; if that could never end, it is refused.
   */
  connect(number: number, name: string): void {
    if (inside(this) !== NONE) return;
    for (const outer of awaiting(this)) {
      // Once more for a key that is running: to the core this is a call that joins it from inside the other.
      if (this.#machine.begin(this.#lastTime, number, this.#print(number, undefined), outer) < 0) throw new ReentrantKeyError(name);
    }
  }

  /** Calls the work of a running key, and knows it again across its awaits where the runtime helps. */
  callCarried<R>(number: number, work: () => R): R {
    return callCarried(this, number, work);
  }

  /** Waits for what it returned, if that is a promise. */
  carried(number: number, running: PromiseLike<unknown>): PromiseLike<unknown> {
    return carried(this, number, running);
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

  /** The canonical text of the data that the key was used with, if it was with any. */
  input(number: number): string | undefined {
    return this.#inputs.get(number)?.text;
  }

  /** Forgets a finished key; false if it is unknown or running. */
  forget(scope: number, name: string): boolean {
    const row = this.#rows.find(name);
    const number = row === NONE ? NONE : this.#rows.key(row, scope);
    if (number === NONE || !this.#machine.isSaved(number)) return false;
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

  #row(scope: number, name: string): number {
    const row = this.#rows.find(name);
    if (row !== NONE) return row;
    checkKey("key", name);
    // A step's name is the operation: its keys need not name one. Nothing is under way yet when somebody is warned.
    if (this.#watch?.look(name, scope === ONCE) === false) this.#watch = undefined;
    // Whoever is warned may use this very store.
    return this.#rows.findOrAdd(name);
  }

  #dropSwept(): void {
    for (const number of this.#machine.takeSwept()) this.#drop(number);
  }

  /** The number is free: so are its name and its value. */
  #drop(number: number): void {
    this.#rows.remove(number);
    if (number < this.#values.length) this.#values[number] = undefined;
    this.#inputs.delete(number);
  }

  #time(): number {
    const now: unknown = this.#now();
    return (this.#lastTime = typeof now === "number" && now >= 0 && now <= Number.MAX_SAFE_INTEGER ? now : timeMs("now", now));
  }
}
