/** What JavaScript keeps of a run: everything the core has no use for. */

import { NONE } from "../runtime.js";
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
  /** By step; made for the first step that does not succeed at once. */
  #pending: Map<number, Pending> | undefined;
  /** How many steps' works are under way. */
  calling = 0;
  /** The last that began, unless it has ended: step and attempt. */
  lastStep = NONE;
  lastAttempt = 0;
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

  /** Whether anybody asked for the signal. */
  get listening(): boolean {
    return this.#abort !== undefined;
  }

  abort(reason: unknown): void {
    (this.#abort ??= new AbortController()).abort(reason);
  }

  wait(step: number, pending: Pending): void {
    (this.#pending ??= new Map()).set(step, pending);
  }

  waiting(step: number): Pending | undefined {
    return this.#pending?.get(step);
  }

  /** Takes out who waits for the step. */
  settle(step: number): Pending | undefined {
    const pending = this.#pending?.get(step);
    this.#pending?.delete(step);
    return pending;
  }

  /** All who wait. */
  allWaiting(): Iterable<Pending> {
    return this.#pending?.values() ?? [];
  }

  began(step: number, attempt: number): void {
    this.calling++;
    this.lastStep = step;
    this.lastAttempt = attempt;
  }

  ended(step: number): void {
    this.calling--;
    if (this.lastStep === step) this.lastStep = NONE;
  }

  /** Another pass begins, or the run is over: nobody waits any more. */
  forgetWaiting(): void {
    this.#pending = undefined;
  }
}
