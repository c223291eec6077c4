/**
 * Waits that can never end. In Node a process whose event loop is empty says so before it exits: whoever still waits for
 * an engine or a queue then waits for ever. Elsewhere nothing says so.
 */

import { UsageError } from "./errors.js";

/** Who is told, and in which words what would wait. */
export type Waiting = { readonly why: string; readonly give: (error: UsageError) => void };
type Process = Partial<Record<"on" | "off", (event: "beforeExit", listener: () => void) => void>>;

const waiting = new Set<Waiting>();

/** Tells `give` if the process is about to exit. One listener for all, and none while nobody waits. */
export function watch(of: Waiting): void {
  if (waiting.size === 0) listen("on");
  waiting.add(of);
}

/** The wait is over. */
export function unwatch(of: Waiting): void {
  if (waiting.delete(of) && waiting.size === 0) listen("off");
}

function listen(how: keyof Process): void {
  (globalThis as { process?: Process }).process?.[how]?.("beforeExit", tell);
}

function tell(): void {
  for (const { why, give } of [...waiting]) give(new UsageError(why));
}
