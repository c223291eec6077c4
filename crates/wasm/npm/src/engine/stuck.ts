/**
 * Waits that can never end. In Node a process whose event loop is empty says so before it exits: whoever still waits for
 * an engine or a queue then waits for ever. Elsewhere nothing says so.
 */

import { UsageError } from "./errors.js";

/** Who is told, and in which words what would wait. */
export type Waiting = { readonly why: string; readonly give: (error: UsageError) => void };
type Process = { on?(event: "beforeExit", listener: () => void): void; off?(event: "beforeExit", listener: () => void): void };

const waiting = new Set<Waiting>();
/** Marked as pure: read plainly, it would keep this file in every bundle. */
const host = /* @__PURE__ */ (() => (globalThis as { process?: Process }).process)();

/** Tells `give` if the process is about to exit. One listener for all, and none while nobody waits. */
export function watch(of: Waiting): void {
  if (waiting.size === 0) host?.on?.("beforeExit", tell);
  waiting.add(of);
}

/** The wait is over. */
export function unwatch(of: Waiting): void {
  if (waiting.delete(of) && waiting.size === 0) host?.off?.("beforeExit", tell);
}

function tell(): void {
  for (const { why, give } of [...waiting]) give(new UsageError(why));
}
