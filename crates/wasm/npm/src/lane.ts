/**
 * One slot of a queue at work: one job after the other, each step by step. It is no async function, because what listens to
 * promises is made once here, where every `await` makes it anew: a step costs one promise beside its own, and a job none.
 */

import type { Fifo } from "./fifo.js";
import type { QueueJob } from "./job.js";
import { NONE } from "./runtime.js";
import { type Path, type Stage, given } from "./stages.js";
import { isThenable, listen } from "./thenable.js";

/** The queue, as its lanes see it. */
export interface Ends<T> {
  failed(job: QueueJob<T>, error: unknown): void;
  /** The lane found no more jobs; whether it goes on nevertheless. */
  goesOn(): boolean;
  /** A handler of the queue is on the stack. */
  inside: boolean;
}

export class Lane<T> {
  readonly #jobs: Fifo<QueueJob<T>>;
  readonly #ends: Ends<T>;
  readonly #path: Path<T>;
  readonly #signal: AbortSignal | undefined;
  /** There is a signal to look at before a job. */
  readonly #stoppable: boolean;
  #job: QueueJob<T> | undefined;
  /** The stage of the job. */
  #at = 0;
  /** The key whose work is under way. */
  #key = NONE;
  /** For one of what is below. */
  #waits = false;

  readonly #stepped = (value: unknown): void => {
    this.#waits = false;
    try {
      if (this.#key !== NONE) this.#finish(this.#path.stages[this.#at]!, value);
      this.#at++;
    } catch (error) {
      this.#fail(error);
    }
    this.run();
  };
  readonly #threw = (error: unknown): void => {
    this.#waits = false;
    this.#fail(error);
    this.run();
  };
  readonly #recovered = (): void => {
    this.#waits = false;
    this.#at++;
    this.run();
  };
  readonly #gaveUp = (error: unknown): void => {
    this.#waits = false;
    this.#stop(error);
    this.run();
  };
  readonly #redone = (): void => {
    this.#waits = false;
    this.#job = undefined;
    this.run();
  };
  readonly #lost = (error: unknown): void => {
    this.#waits = false;
    this.#lose(error);
    this.run();
  };

  constructor(jobs: Fifo<QueueJob<T>>, ends: Ends<T>, path: Path<T>, signal: AbortSignal | undefined) {
    this.#jobs = jobs;
    this.#ends = ends;
    this.#path = path;
    this.#signal = signal;
    this.#stoppable = signal !== undefined || path.retry?.signal !== undefined;
  }

  /** Goes on until something is to be waited for, or no job is left. */
  run(): void {
    this.#ends.inside = true;
    do {
      while (!this.#waits && (this.#job !== undefined || this.#begins())) this.#walk(this.#job!);
    } while (!this.#waits && this.#ends.goesOn());
    this.#ends.inside = false;
  }

  #begins(): boolean {
    this.#job = this.#jobs.take();
    this.#at = 0;
    return this.#job !== undefined;
  }

  /** The stages of a job that wait for nothing, and the first that does. */
  #walk(job: QueueJob<T>): void {
    const { steps } = this.#path;
    if (this.#at === 0 && this.#stoppable && this.#refuses()) return;
    if (steps === undefined) {
      this.#tread(job);
      return;
    }
    let at = this.#at;
    try {
      for (; at < steps.length; at++) {
        // Somebody may have changed it.
        if (job.attempt !== 1) {
          this.#at = at;
          this.#tread(job);
          return;
        }
        const result = steps[at]!.run(job);
        if (result !== undefined && isThenable(result)) {
          listen(result, this.#stepped, this.#threw);
          this.#at = at;
          this.#waits = true;
          return;
        }
      }
      this.#job = undefined;
    } catch (error) {
      this.#at = at;
      this.#fail(error);
    }
  }

  /** The same where something comes before a call. */
  #tread(job: QueueJob<T>): void {
    const { stages } = this.#path;
    let at = this.#at;
    try {
      for (; at < stages.length; at++) {
        const result = this.#checked(stages[at]!, job);
        if (isThenable(result)) {
          listen(result, this.#stepped, this.#threw);
          this.#at = at;
          this.#waits = true;
          return;
        }
      }
      this.#job = undefined;
    } catch (error) {
      this.#at = at;
      this.#fail(error);
    }
  }

  /** Whether nothing of a job is to be called any more. */
  #refuses(): boolean {
    const { retry } = this.#path;
    const signal = this.#signal?.aborted ? this.#signal : retry?.signal;
    if (!signal?.aborted) return false;
    this.#lose(signal.reason);
    return true;
  }

  #checked(stage: Stage<T>, job: QueueJob<T>): unknown {
    const { retry, scope, step } = stage;
    if (retry?.signal?.aborted) throw retry.signal.reason;
    const own = given(stage, job);
    if (scope === undefined) return step.run(own);
    const key = scope.begin(stage.keyOf!(own));
    if (key === NONE) return scope.shared();
    this.#key = key;
    const result = scope.call(key, step, own);
    if (!isThenable(result)) this.#finish(stage, result);
    return result;
  }

  /** The work of a key returned. */
  #finish(stage: Stage<T>, value: unknown): void {
    stage.scope!.finish(this.#key, value);
    this.#key = NONE;
  }

  /** A stage failed: it is retried, or all of the job is, or the job is lost. */
  #fail(error: unknown): void {
    const { retry, whole, scope } = this.#path.stages[this.#at]!;
    const key = this.#key;
    this.#key = NONE;
    if (key !== NONE) scope!.fail(key, error);
    if (retry === undefined) {
      this.#stop(error);
      return;
    }
    this.#waits = true;
    listen(retry.recover(this.#job!, error, (again) => whole.run(again)), this.#recovered, this.#gaveUp);
  }

  #stop(error: unknown): void {
    const { retry, whole } = this.#path;
    if (retry === undefined) {
      this.#lose(error);
      return;
    }
    this.#waits = true;
    listen(retry.recover(this.#job!, error, whole), this.#redone, this.#lost);
  }

  #lose(error: unknown): void {
    const job = this.#job!;
    this.#job = undefined;
    this.#ends.failed(job, error);
  }
}
