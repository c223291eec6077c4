/** What a handler is given. */

import type { Job } from "../types/index.js";

/** A job of a queue, or of an attempt of one. */
export class QueueJob<T> implements Job<T> {
  readonly id: number;
  readonly data: T;
  readonly attempt: number;
  readonly #parent: AbortSignal | undefined;
  #signal: AbortSignal | undefined;

  constructor(id: number, data: T, attempt: number, parent: AbortSignal | undefined) {
    this.id = id;
    this.data = data;
    this.attempt = attempt;
    this.#parent = parent;
  }

  /** Made when it is asked for: most jobs never do, and a signal costs more than the rest of a job. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.#parent === undefined ? new AbortController().signal : AbortSignal.any([this.#parent]));
  }

  /** The signal, unless nobody could abort it. */
  static abortable<T>(job: QueueJob<T>): AbortSignal | undefined {
    return job.#parent;
  }

  /** The same job with another attempt number. */
  static again<T>(job: QueueJob<T>, attempt: number): QueueJob<T> {
    return new QueueJob(job.id, job.data, attempt, job.#parent);
  }
}

/** `job` as its attempt of that number: itself if it is, else a copy. */
export function jobWithAttempt<T>(job: Job<T>, attempt: number): Job<T> {
  if (job.attempt === attempt) return job;
  if (job instanceof QueueJob) return QueueJob.again(job as QueueJob<T>, attempt);
  // A job that somebody made by hand, as a test does. It may have no attempt, and then the first one goes unsaid.
  if (attempt === 1 && job.attempt === undefined) return job;
  return { ...job, attempt };
}

/** The signal that ends a wait of this job, if somebody could abort it. */
export function jobSignal<T>(job: Job<T>): AbortSignal | undefined {
  return job instanceof QueueJob ? QueueJob.abortable(job as QueueJob<T>) : (job as Partial<Job<T>> | undefined)?.signal;
}
