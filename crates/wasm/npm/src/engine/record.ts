/** What JavaScript keeps of a run: everything the core has no use for. */

import type { RunOrigin } from "../../types/index.js";
import { READ_DEPTH_MAX, canonical } from "../canonical.js";
import { NONE } from "../runtime.js";
import type { EventRecord } from "./history.js";
import type { StepPromise } from "./promise.js";
import type { Workflow } from "./workflow.js";

/** A step that its handler waits for. */
export interface Pending {
  /** What to call, at each attempt; a sleep has nothing. */
  readonly call: ((attempt: number) => void) | undefined;
  readonly promise: StepPromise;
  /** What the last attempt threw. */
  error: unknown;
  /** How many attempts of this pass have failed: a step's attempts are numbered over all of them. */
  failures: number;
  /** An attempt is under way. */
  calling: boolean;
}

const NO_EVENTS: readonly EventRecord[] = [];

export class RunRecord {
  readonly id: string;
  readonly number: number;
  readonly workflow: Workflow;
  /** A copy of what was enqueued; each pass gets a copy of its own. */
  readonly payload: unknown;
  /** Which part of the payload is compared; 0 for all of it. */
  readonly projection: number;
  readonly origin: RunOrigin | undefined;
  /** The events that started it. */
  readonly events: readonly EventRecord[];
  /** Results of finished steps, by step; made for the first that is not `undefined`, as those of most steps are. */
  #values: unknown[] | undefined;
  /** By step; made for the first step that does not succeed at once. */
  #pending: Map<number, Pending> | undefined;
  /** The last step of this pass that has a promise, and those before it for which nobody waited when the next came. */
  #last: StepPromise | undefined;
  #earlier: StepPromise[] | undefined;
  /** By step: works under way of which a later pass takes the outcome, in place of doing them a second time at once. */
  #flights: Map<number, PromiseLike<unknown>> | undefined;
  /** By step: what a work came to between two passes. The next pass takes it, in place of doing the work a second time. */
  #landed: Map<number, Promise<unknown>> | undefined;
  /** The steps that are sleeps. */
  #sleeps: Set<number> | undefined;
  /** How many steps' works are under way. */
  calling = 0;
  /** The last that began, unless it has ended: step and attempt. */
  lastStep = NONE;
  lastAttempt = 0;
  /** The pass under way; handlers of earlier ones are not listened to. */
  pass = 0;
  /** How many passes there were before the run was last started again: those used up another budget. */
  passesBefore = 0;
  /** What the handler returned, or threw last. */
  outcome: unknown;
  #abort: AbortController | undefined;

  constructor(
    id: string, number: number, workflow: Workflow, payload: unknown, projection = 0, origin?: RunOrigin, events: readonly EventRecord[] = NO_EVENTS,
  ) {
    this.id = id;
    this.number = number;
    this.workflow = workflow;
    this.payload = payload;
    this.projection = projection;
    this.origin = origin;
    this.events = events;
  }

  /** The canonical text of its payload; empty without one. */
  get text(): string {
    return canonical("payload", this.payload, READ_DEPTH_MAX);
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

  /** The run is started again: what its handler returned or threw counts no more, nor, if `fresh`, what its steps did. */
  restart(fresh: boolean): void {
    this.outcome = undefined;
    this.passesBefore = this.pass;
    if (fresh) this.#values = this.#landed = this.#sleeps = undefined;
  }

  /** The saved result of a finished step. */
  value(step: number): unknown {
    return this.#values?.[step];
  }

  /** Saves the result of a step, which had none. */
  save(step: number, value: unknown): void {
    if (value !== undefined) (this.#values ??= [])[step] = value;
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

  /** Whoever waits for what does not come any more is told; works under way still tell what they come to. */
  refuseWaiting(error: unknown): void {
    for (const [step, { calling, promise }] of this.#pending ?? []) {
      if (calling) continue;
      this.#pending!.delete(step);
      promise.fail(error);
    }
  }

  /** All who wait. */
  allWaiting(): Iterable<Pending> {
    return this.#pending?.values() ?? [];
  }

  /** Remembers a step until it is known that somebody waits for it. */
  track(promise: StepPromise): StepPromise {
    // A handler that awaits its steps one by one never has two.
    if (this.#last?.heard === false) (this.#earlier ??= []).push(this.#last);
    this.#last = promise;
    return promise;
  }

  /** A step of this pass for which nobody waits, and which is under way or failed. */
  unheard(): StepPromise | undefined {
    return this.#earlier?.find((promise) => !promise.heard) ?? (this.#last?.heard === false ? this.#last : undefined);
  }

  began(step: number, attempt: number): void {
    this.calling++;
    this.lastStep = step;
    this.lastAttempt = attempt;
  }

  /** A work that may outlast its pass. `outcome` can be listened to more than once. */
  flies(step: number, outcome: PromiseLike<unknown>): void {
    (this.#flights ??= new Map()).set(step, outcome);
  }

  sleeps(step: number): void {
    (this.#sleeps ??= new Set()).add(step);
  }

  /** Whether the step is a sleep. */
  slept(step: number): boolean {
    return this.#sleeps?.has(step) === true;
  }

  /** What became of a work that outlasted its pass: "running", "done" if a later pass takes its success, or nothing. */
  leftOver(step: number): "running" | "done" | undefined {
    return this.#flights?.has(step) ? "running" : this.#landed?.has(step) ? "done" : undefined;
  }

  /** A step's work has succeeded, and no pass waited for it any more. */
  lands(step: number, value: unknown): void {
    // It is not the step's result until an attempt has taken it.
    if (this.#values !== undefined) this.#values[step] = undefined;
    (this.#landed ??= new Map()).set(step, Promise.resolve(value));
  }

  /** The outcome of the step's work that an earlier pass began: still under way, or a success that nobody has taken. */
  flight(step: number): PromiseLike<unknown> | undefined {
    return this.#flights?.get(step) ?? this.#landed?.get(step);
  }

  ended(step: number): void {
    this.calling--;
    this.#flights?.delete(step);
    this.#landed?.delete(step);
    if (this.lastStep === step) this.lastStep = NONE;
  }

  /** Another pass begins, or the run is over: nobody waits any more. */
  forgetWaiting(): void {
    this.#pending = undefined;
    this.#last = this.#earlier = undefined;
  }
}
