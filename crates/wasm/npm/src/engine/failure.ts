/** What a failure means for what follows. */

import { CallbackError, RetryAfterError, show, wrongType } from "../errors.js";
import { isFinal } from "./errors.js";
import type { RetryNumbers } from "../retry.js";
import type { RunRecord } from "./record.js";

export interface Failure {
  /** What was thrown, or what is to be told instead. */
  readonly error: unknown;
  /** It for the journal. */
  readonly text: string;
  /** Trying again is useless. */
  readonly final: boolean;
  /** The wait that the server asked for, in milliseconds; -1 for none. */
  readonly told: number;
}

/** What is known of a failure; of a predicate that fails itself, that, and there is no further attempt. Where none is left it is not asked. */
export function failureOf(record: RunRecord, thrown: unknown, failed: number, [attemptsMax]: RetryNumbers): Failure {
  let error = thrown;
  let final = looked(() => isFinal(thrown)) ?? false;
  try {
    const again: unknown = final ? false : failed >= attemptsMax || (record.workflow.options.retryIf?.(thrown, failed) ?? true);
    if (typeof again !== "boolean") throw wrongType("retryIf", "to return true or false", again);
    final = !again;
  } catch (broken) {
    error = new CallbackError("retryIf", broken, thrown);
    final = true;
  }
  const told = looked(() => (error instanceof RetryAfterError ? error.retryAfterMs : undefined)) ?? -1;
  return { error, text: errorText(error), final, told };
}

/** What a look at something thrown gives; nothing if it cannot be looked at, as a proxy may forbid. */
function looked<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** An error for the journal: its name and message. */
function errorText(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
    return typeof error === "string" ? error : show(error);
  } catch {
    return "an error that cannot be shown";
  }
}
