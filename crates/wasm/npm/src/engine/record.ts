/** What JavaScript keeps of a run: everything the core has no use for. */

import type { Workflow } from "./workflow.js";

/** A step that its handler waits for. */
export interface Pending {
  /** What to call, at each attempt; a sleep has nothing. */
  readonly call: ((attempt: number) => void) | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** What the last attempt threw. */
  error: unknown;
}

export class RunRecord {
  readonly id: string;
  readonly number: number;
  readonly workflow: Workflow;
  /** A copy of what was enqueued; each pass gets a copy of its own. */
  readonly payload: unknown;
  /** The canonical text of it. */
  readonly text: string;
  /** Results of finished steps, by step. */
  readonly values: unknown[] = [];
  /** By step. */
  readonly pending = new Map<number, Pending>();
  /** Steps whose work is under way, with their attempts. */
  readonly calling = new Map<number, number>();
  /** The pass under way; handlers of earlier ones are not listened to. */
  pass = 0;
  /** What the handler returned, or threw last. */
  outcome: unknown;
  #abort: AbortController | undefined;

  constructor(id: string, number: number, workflow: Workflow, payload: unknown, text: string) {
    this.id = id;
    this.number = number;
    this.workflow = workflow;
    this.payload = payload;
    this.text = text;
  }

  /** Aborts when the run is cancelled or the engine closes. */
  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  abort(reason: unknown): void {
    (this.#abort ??= new AbortController()).abort(reason);
  }

  /** The run is over: nobody waits any more. */
  end(): void {
    this.pending.clear();
    this.calling.clear();
  }
}
