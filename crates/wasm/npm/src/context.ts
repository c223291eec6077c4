/**
 * Which key's work is making a call, so that work that waits for itself is an error instead of a wait without end.
 *
 * During the synchronous part of a piece of work that is known exactly and costs nothing. Across awaits only an
 * `AsyncLocalStorage` knows. It is used for `once`, in runtimes where promises carry their context anyway; in Node 20
 * and 22 it would slow down every promise of the process. It is not used for steps, whose time it would double.
 */

import type { KeyTable } from "./keys.js";
import { NONE } from "./runtime.js";

type Inside = { readonly table: KeyTable; readonly key: number };
type Storage = { run<R>(inside: Inside, call: () => R): R; getStore(): Inside | undefined };

let table: KeyTable | undefined;
let key = NONE;
let storage: Storage | undefined | null = null;

/** The key of `of` whose work is running this code; `NONE` outside, or if that cannot be known. */
export function inside(of: KeyTable): number {
  if (table === of) return key;
  const context = (storage === null ? (storage = findStorage()) : storage)?.getStore();
  return context?.table === of ? context.key : NONE;
}

/** Calls `work` as the work of a key, known as that across its awaits too. */
export function callCarried<R>(of: KeyTable, its: number, work: () => R): R {
  if (storage === null) storage = findStorage();
  if (storage === undefined) return callInside(of, its, { run: work }, undefined);
  return storage.run({ table: of, key: its }, () => callInside(of, its, { run: work }, undefined));
}

/** Calls `work.run(argument)` as the work of a key, known as that until it returns. */
export function callInside<A, R>(of: KeyTable, its: number, work: { run(argument: A): R }, argument: A): R {
  const [outerTable, outerKey] = [table, key];
  table = of;
  key = its;
  try {
    return work.run(argument);
  } finally {
    table = outerTable;
    key = outerKey;
  }
}

function findStorage(): Storage | undefined {
  const process = (globalThis as { process?: { versions?: { node?: string; bun?: string }; getBuiltinModule?: (id: string) => unknown } }).process;
  const node = Number(process?.versions?.node?.split(".")[0] ?? 0);
  if (node < 24) return undefined;
  const hooks = process?.getBuiltinModule?.("node:async_hooks") as { AsyncLocalStorage?: new () => Storage } | undefined;
  return hooks?.AsyncLocalStorage === undefined ? undefined : new hooks.AsyncLocalStorage();
}
