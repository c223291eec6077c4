/**
 * The names of a store's keys. A name is a row, and a row has a key in each scope that uses it. Both are numbers in flat lists,
 * because they stay as long as the store's window: objects in their places are what the garbage collector would spend
 * most of a step's time on.
 */

import { NONE } from "./runtime.js";

/** Of a key, one after the other on a page: its row, its scope, the row's next key plus one, or 0. */
const ROW = 0;
const SCOPE = 1;
const NEXT = 2;
const FIELDS = 3;
/** Keys on a page, as a power of two. */
const PAGE = 10;
const ON_PAGE = (1 << PAGE) - 1;

export class Rows {
  readonly #byName = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #free: number[] = [];
  /** By row: its key of the highest scope, plus one; 0 for none. */
  readonly #highest: number[] = [];
  /** By key, the fields above. A long list would have to move as it grows; pages stay. */
  readonly #pages: Uint32Array[] = [];
  // The steps of a job come one after the other, with one name.
  #lastName: string | undefined;
  #lastRow = NONE;

  /** The row of a name, or `NONE`. */
  find(name: string): number {
    if (name === this.#lastName) return this.#lastRow;
    const row = this.#byName.get(name);
    if (row === undefined) return NONE;
    this.#lastName = name;
    return (this.#lastRow = row);
  }

  findOrAdd(name: string): number {
    const found = this.find(name);
    if (found !== NONE) return found;
    const row = this.#free.pop() ?? this.#names.length;
    this.#names[row] = name;
    this.#byName.set(name, row);
    this.#highest[row] = 0;
    this.#lastName = name;
    return (this.#lastRow = row);
  }

  /** The key of a row in a scope, or `NONE`. */
  key(row: number, scope: number): number {
    // From the highest scope down. The steps of a job come in the order of their scopes, so that a new one is seen at once.
    for (let key = this.#highest[row]!; key !== 0; key = this.#field(key - 1, NEXT)) {
      const its = this.#field(key - 1, SCOPE);
      if (its <= scope) return its === scope ? key - 1 : NONE;
    }
    return NONE;
  }

  /** Gives a row a key in a scope where it has none. */
  add(row: number, scope: number, key: number): void {
    let before = 0;
    let next = this.#highest[row]!;
    while (next !== 0 && this.#field(next - 1, SCOPE) > scope) [before, next] = [next, this.#field(next - 1, NEXT)];
    const page = (this.#pages[key >>> PAGE] ??= new Uint32Array(FIELDS << PAGE));
    const at = (key & ON_PAGE) * FIELDS;
    page[at + ROW] = row;
    page[at + SCOPE] = scope;
    page[at + NEXT] = next;
    this.#link(row, before, key + 1);
  }

  /** Takes a key off its row. The row goes with its last. */
  remove(key: number): void {
    const row = this.#field(key, ROW);
    let before = 0;
    for (let other = this.#highest[row]!; other !== key + 1; other = this.#field(other - 1, NEXT)) before = other;
    this.#link(row, before, this.#field(key, NEXT));
    this.tidy(row);
  }

  #field(key: number, field: number): number {
    return this.#pages[key >>> PAGE]![(key & ON_PAGE) * FIELDS + field]!;
  }

  #link(row: number, before: number, next: number): void {
    if (before === 0) this.#highest[row] = next;
    else this.#pages[(before - 1) >>> PAGE]![((before - 1) & ON_PAGE) * FIELDS + NEXT] = next;
  }

  /** Drops a row that has no key. */
  tidy(row: number): void {
    if (this.#highest[row] !== 0) return;
    this.#byName.delete(this.#names[row]!);
    this.#names[row] = undefined;
    this.#free.push(row);
    if (this.#lastRow === row) [this.#lastName, this.#lastRow] = [undefined, NONE];
  }
}
