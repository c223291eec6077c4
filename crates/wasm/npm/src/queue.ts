/** The article's queue: one job to its end at a time unless told otherwise, first in, first out. */

import type { FailedJob, Handler, SimpleQueueOptions } from "../types/index.js";
import { detached, wrongType } from "./errors.js";
import { QueueJob } from "./job.js";
import { countOption, numberOption, optionsObject, signalOption } from "./options.js";
import { type Glue, NONE, parts } from "./runtime.js";
import { isThenable } from "./thenable.js";

/** See the public types. */
export class SimpleQueue<T> {
  readonly failed: FailedJob<T>[] = [];
  readonly #machine: InstanceType<Glue["Queue"]>;
  readonly #handler: Handler<T>;
  readonly #keepFailed: number;
  readonly #signal: AbortSignal | undefined;
  // By the number under which the core knows a job: a place in this slab.
  readonly #jobs: (QueueJob<T> | undefined)[] = [];
  readonly #free: number[] = [];
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

  /** Whether it is a queue: a method that was taken off one has no `this`. */
  static #is(queue: unknown): boolean {
    return typeof queue === "object" && queue !== null && #machine in queue;
  }

  add(data: T): QueueJob<T> {
    if (!SimpleQueue.#is(this)) throw detached("queue", "add");
    const job = new QueueJob(++this.#lastId, data, 1, this.#signal);
    const place = this.#free.pop() ?? this.#jobs.length;
    this.#machine.add(place);
    this.#jobs[place] = job;
    if (!this.#starting) this.#startSoon();
    return job;
  }

  onIdle(): Promise<void> {
    if (!SimpleQueue.#is(this)) return Promise.reject(detached("queue", "onIdle"));
    return this.#machine.isIdle() ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Jobs start in a microtask, never inside `add`: whoever adds several sees them all waiting. */
  #startSoon(): void {
    this.#starting = true;
    queueMicrotask(() => {
      this.#starting = false;
      for (let place = this.#machine.take(); place !== NONE; place = this.#machine.take()) void this.#lane(place);
    });
  }

  /** Does one job after the other while there are any. Never rejects. */
  async #lane(place: number): Promise<void> {
    while (place !== NONE) {
      const job = this.#jobs[place]!;
      try {
        if (this.#signal !== undefined && this.#signal.aborted) throw this.#signal.reason;
        const result = this.#handler(job);
        if (isThenable(result)) await result;
      } catch (error) {
        this.#keep(job, error);
      }
      this.#jobs[place] = undefined;
      this.#free.push(place);
      place = this.#machine.next();
    }
    if (this.#machine.isIdle()) this.#becomeIdle();
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
