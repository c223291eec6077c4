/**
 * Which key's work is making a call, so that work that waits for itself is an error instead of a wait without end.
 *
 * During the synchronous part of a piece of work that is known exactly and costs nothing. Across the awaits of `once`:
 *
 * - where promises carry their context anyway (Node 24 and later, Deno, Bun), an `AsyncLocalStorage` knows;
 * - elsewhere that would make every promise of the process several times as slow, so the stack is asked, and only when
 *   another run is under way and may be where the call comes from. That takes some microseconds. V8 (Node 20 and 22, Chrome, edge runtimes) puts the functions that await
 *   the caller on it, each run of `once` is awaited in a function with a name of its own, and so its key is found.
 *
 * Not used for steps, whose time either would double.
 */

import type { KeyTable } from "./keys.js";
import { NONE } from "./runtime.js";

type Inside = { readonly table: KeyTable; readonly key: number };
type Storage = { run<R>(inside: Inside, call: () => R): R; getStore(): Inside | undefined };
type Waiting = (running: PromiseLike<unknown>) => Promise<unknown>;

/** Functions that await the caller are looked for so far down. */
const FRAMES_MAX = 200;
const NOBODY: readonly number[] = [];

let table: KeyTable | undefined;
let key = NONE;
let storage: Storage | undefined | null = null;

/** The runs of `once` under way, by place; each place has a function of its own name that awaits them. */
const runs: (Inside | undefined)[] = [];
const waiters: Waiting[] = [];
const free: number[] = [];
let underWay = 0;
/** Begins every such name. Of this copy of the package: another in the same process has places of its own. */
let prefix = "";

/** The key of `of` whose work is running this code; `NONE` outside, or if that cannot be known. */
export function inside(of: KeyTable): number {
  if (table === of) return key;
  const context = (storage === null ? (storage = findStorage()) : storage)?.getStore();
  return context?.table === of ? context.key : NONE;
}

/** The keys of `of` whose work, across its awaits, makes this call, innermost first; as far as the stack tells. */
export function awaiting(of: KeyTable): readonly number[] {
  if (storage !== undefined || underWay === 0) return NOBODY;
  const keys: number[] = [];
  for (const name of callers()) {
    const run = typeof name === "string" && name.startsWith(prefix) ? runs[Number(name.slice(prefix.length))] : undefined;
    if (run?.table === of) keys.push(run.key);
  }
  return keys;
}

/** Calls `work` as the work of a key, known as that across its awaits too. */
export function callCarried<R>(of: KeyTable, its: number, work: () => R): R {
  if (storage === null) storage = findStorage();
  if (storage === undefined) return callInside(of, its, { run: work }, undefined);
  return storage.run({ table: of, key: its }, () => callInside(of, its, { run: work }, undefined));
}

/** Waits for what the work of a key returned. */
export function carried(of: KeyTable, its: number, running: PromiseLike<unknown>): PromiseLike<unknown> {
  if (storage !== undefined || !tracesAwaits()) return running;
  const place = free.pop() ?? newPlace();
  runs[place] = { table: of, key: its };
  underWay++;
  return waiters[place]!(running);
}

function newPlace(): number {
  const place = waiters.length;
  if (prefix === "") prefix = `once ${Math.random().toString(36).slice(2)} `;
  const name = `${prefix}${place}`;
  const { [name]: waiter } = {
    async [name](running: PromiseLike<unknown>): Promise<unknown> {
      try {
        return await running;
      } finally {
        runs[place] = undefined;
        underWay--;
        free.push(place);
      }
    },
  };
  waiters.push(waiter!);
  return place;
}

/** Calls `work.run(argument)` as the work of a key, known as that until it returns. */
export function callInside<A, R>(of: KeyTable, its: number, work: { run(argument: A): R }, argument: A): R {
  const outerTable = table;
  const outerKey = key;
  table = of;
  key = its;
  try {
    return work.run(argument);
  } finally {
    table = outerTable;
    key = outerKey;
  }
}

type Site = { getFunctionName(): string | null };
type Traces = { captureStackTrace?: (target: object) => void; stackTraceLimit?: number; prepareStackTrace?: unknown };

/** Whether a stack says who awaits, as V8's does. */
function tracesAwaits(): boolean {
  const { captureStackTrace, stackTraceLimit } = Error as Traces;
  return captureStackTrace !== undefined && stackTraceLimit !== undefined;
}

/** The names of the functions that led here, those that await included. */
function callers(): readonly (string | null)[] {
  const errors = Error as Traces;
  const { stackTraceLimit, prepareStackTrace } = errors;
  const holder: { stack?: unknown } = {};
  try {
    errors.stackTraceLimit = FRAMES_MAX;
    errors.prepareStackTrace = (_: unknown, sites: Site[]) => sites.map((site) => site.getFunctionName());
    errors.captureStackTrace?.(holder);
    return Array.isArray(holder.stack) ? (holder.stack as (string | null)[]) : [];
  } catch {
    // Where the built-ins are frozen nothing can be known.
    return [];
  } finally {
    try {
      errors.stackTraceLimit = stackTraceLimit as number;
      errors.prepareStackTrace = prepareStackTrace;
    } catch {
      // The same.
    }
  }
}

function findStorage(): Storage | undefined {
  const process = (globalThis as { process?: { versions?: { node?: string; bun?: string }; getBuiltinModule?: (id: string) => unknown } }).process;
  const node = Number(process?.versions?.node?.split(".")[0] ?? 0);
  if (node < 24) return undefined;
  const hooks = process?.getBuiltinModule?.("node:async_hooks") as { AsyncLocalStorage?: new () => Storage } | undefined;
  return hooks?.AsyncLocalStorage === undefined ? undefined : new hooks.AsyncLocalStorage();
}
