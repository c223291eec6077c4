/** What a handler is given. */

import type { Job } from "../types/index.js";
import { isObject, wrongType } from "./errors.js";
import { onAbort } from "./timer.js";

/**
 * Where a job has the signal of its queue, if that has one. A symbol and no private field: what watches objects through
 * proxies, as views do, finds it too.
 */
const PARENT = Symbol("the queue's signal");

/** The signals of the jobs that were asked for one. */
const signals = new WeakMap<object, AbortSignal>();

/** A job of a queue, or of an attempt of one. */
export class QueueJob<T> implements Job<T> {
  readonly id: number;
  readonly data: T;
  readonly attempt: number;
  declare readonly [PARENT]?: AbortSignal;

  constructor(id: number, data: T, attempt: number, parent: AbortSignal | undefined) {
    this.id = id;
    this.data = data;
    this.attempt = attempt;
    if (parent !== undefined) Object.defineProperty(this, PARENT, { value: parent });
  }

  /** Made when it is asked for: most jobs never do, and a signal costs more than the rest of a job. */
  get signal(): AbortSignal {
    let signal = signals.get(this);
    if (signal === undefined) signals.set(this, (signal = follower(this[PARENT])));
    return signal;
  }
}

/** A signal that aborts when `parent` does. Of its own, so that listeners of a job go with the job. */
function follower(parent: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  if (parent === undefined) return controller.signal;
  if (Object(parent) instanceof AbortSignal) return AbortSignal.any([parent]);
  // A signal of another realm or of a polyfill, which `any` does not take.
  if (parent.aborted) controller.abort(parent.reason);
  else onAbort(parent, () => controller.abort(parent.reason));
  return controller.signal;
}

function isQueueJob<T>(job: Job<T>): job is QueueJob<T> {
  return job instanceof QueueJob;
}

/** `job` as its attempt of that number: itself if it is, else a copy. */
export function jobWithAttempt<T>(job: Job<T>, attempt: number): Job<T> {
  if (job.attempt === attempt) return job;
  if (isQueueJob(job)) return new QueueJob(job.id, job.data, attempt, job[PARENT]);
  // A job that somebody made by hand, as a test does. It may have no attempt, and then the first one goes unsaid.
  if (attempt === 1 && job.attempt === undefined) return job;
  return { ...job, attempt };
}

/** The signal that ends a wait of this job, if somebody could abort it. */
export function jobSignal<T>(job: Job<T>): AbortSignal | undefined {
  if (isQueueJob(job)) return job[PARENT];
  const signal: unknown = (job as Partial<Job<T>>).signal;
  return typeof (signal as Partial<AbortSignal> | null | undefined)?.addEventListener === "function" ? (signal as AbortSignal) : undefined;
}

/** Throws unless a handler was given something that could be a job. */
export function checkJob(job: unknown): void {
  if (!isObject(job)) throw wrongType("job", "a job: an object with data, as a queue makes it", job);
}
