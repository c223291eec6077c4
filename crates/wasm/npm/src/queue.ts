/** The article's queue: one job to its end at a time unless told otherwise, first in, first out. */

import type { FailedJob, Handler, SimpleQueueOptions } from "../types/index.js";
import { detached, wrongType } from "./errors.js";
import { QueueJob } from "./job.js";
import { countOption, numberOption, optionsObject, signalOption } from "./options.js";
import { type Glue, NONE, parts } from "./runtime.js";
import { isThenable } from "./thenable.js";

/** The core knows lanes, each with a slot; jobs wait here. All lanes are alike. */
const LANE = 0;
/** So many jobs that are done with may be held before the list is tidied. */
const TIDY_AFTER = 1_024;

/** See the public types. */
export class SimpleQueue<T> {
  readonly failed: FailedJob<T>[] = [];
  readonly #machine: InstanceType<Glue["Queue"]>;
  readonly #handler: Handler<T>;
  readonly #keepFailed: number;
  readonly #signal: AbortSignal | undefined;
  // First in, first out: those from `#first` on wait. A lane that is done with one takes the next without asking, because
  // it has its slot; the core is asked when a lane begins and when it finds nothing more to do.
  #jobs: (QueueJob<T> | undefined)[] = [];
  #first = 0;
  /** A lane waits in the core for a slot. */
  #wantsSlot = false;
  #lastId = 0;
  #starting = false;
  #idle: (() => void)[] = [];

  constructor(handler: Handler<T>, given?: SimpleQueueOptions) {
    if (typeof handler !== "function") throw wrongType("handler", "a function", handler);
    const options = optionsObject("queue", given, ["concurrency", "keepFailed", "signal"]);
    this.#handler = handler;
    this.#keepFailed = countOption("keepFailed", options.keepFailed, 0);
    this.#signal = signalOption("signal", options.signal);
    this.#machine = new (parts().Queue)(numberOption("concurrency", options.concurrency, 1));
  }

  add(data: T): QueueJob<T> {
    if (Object(this) !== this || !(#machine in this)) throw detached("queue", "add");
    const job = new QueueJob(++this.#lastId, data, 1, this.#signal);
    this.#jobs.push(job);
    if (!this.#starting) this.#startSoon();
    return job;
  }

  onIdle(): Promise<void> {
    if (Object(this) !== this || !(#machine in this)) return Promise.reject(detached("queue", "onIdle"));
    return this.#isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Jobs start in a microtask, never inside `add`: whoever adds several sees them all waiting. */
  #startSoon(): void {
    this.#starting = true;
    queueMicrotask(() => {
      this.#starting = false;
      while (!this.#wantsSlot && this.#first < this.#jobs.length) {
        this.#machine.add(LANE);
        if (this.#machine.take() === NONE) this.#wantsSlot = true;
        else void this.#lane();
      }
    });
  }

  /** Does one job after the other while there are any. Never rejects. */
  async #lane(): Promise<void> {
    do {
      for (let job = this.#take(); job !== undefined; job = this.#take()) {
        try {
          if (this.#signal !== undefined && this.#signal.aborted) throw this.#signal.reason;
          const result = this.#handler(job);
          if (isThenable(result)) await result;
        } catch (error) {
          this.#keep(job, error);
        }
      }
    } while (this.#goesOn());
    if (this.#isIdle()) this.#becomeIdle();
  }

  /** Gives the lane's slot back; whether it is the one that takes it again, for a lane that waited. */
  #goesOn(): boolean {
    if (this.#machine.next() === NONE) return false;
    this.#wantsSlot = false;
    return true;
  }

  #take(): QueueJob<T> | undefined {
    const jobs = this.#jobs;
    const job = jobs[this.#first];
    if (job === undefined) return undefined;
    // What is done with must not stay in memory, and moving the rest must not cost more than it is worth.
    jobs[this.#first++] = undefined;
    if (this.#first === jobs.length) [this.#jobs, this.#first] = [[], 0];
    else if (this.#first >= TIDY_AFTER && this.#first * 2 >= jobs.length) {
      jobs.splice(0, this.#first);
      this.#first = 0;
    }
    return job;
  }

  #isIdle(): boolean {
    return this.#first === this.#jobs.length && this.#machine.isIdle();
  }

  #keep(job: QueueJob<T>, error: unknown): void {
    this.failed.push({ job, error });
    if (this.failed.length > this.#keepFailed) this.failed.splice(0, this.failed.length - this.#keepFailed);
  }

  #becomeIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}
