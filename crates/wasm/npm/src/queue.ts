/** The article's queue: one job to its end at a time unless told otherwise, first in, first out. */

import type { FailedJob, Handler, SimpleQueueOptions } from "../types/index.js";
import { UsageError } from "./engine/errors.js";
import { unwatch, type Waiting, watch } from "./engine/stuck.js";
import { detached, wrongType } from "./errors.js";
import { Fifo } from "./fifo.js";
import { QueueJob } from "./job.js";
import { type Ends, Lane } from "./lane.js";
import { countOption, numberOption, optionsObject, signalOption } from "./options.js";
import { NONE, type Parts, parts } from "./runtime.js";
import { type Path, pathOf } from "./stages.js";

/** The core knows lanes, each with a slot; jobs wait here. All lanes are alike. */
const LANE = 0;

/** See the public types. */
export class SimpleQueue<T> {
  readonly failed: FailedJob<T>[] = [];
  readonly #machine: InstanceType<Parts["Queue"]>;
  readonly #path: Path<T>;
  readonly #ends: Ends<T> = {
    failed: (job, error) => this.#keep(job, error),
    goesOn: () => this.#goesOn(),
    inside: false,
  };
  readonly #keepFailed: number;
  readonly #signal: AbortSignal | undefined;
  // A lane that is done with one takes the next without asking, because
  // it has its slot; the core is asked when a lane begins and when it finds nothing more to do.
  readonly #jobs = new Fifo<QueueJob<T>>();
  /** A lane waits in the core for a slot. */
  #wantsSlot = false;
  #lastId = 0;
  #starting = false;
  readonly #idle: ((error?: UsageError) => void)[] = [];
  readonly #stuck: Waiting = {
    why: "onIdle() waits for itself, inside a handler of its queue, or for a handler that never ends",
    give: (error) => this.#tell(error),
  };

  constructor(handler: Handler<T>, given?: SimpleQueueOptions) {
    if (typeof handler !== "function") throw wrongType("handler", "a function", handler);
    const options = optionsObject("queue", given, ["concurrency", "keepFailed", "signal"]);
    this.#path = pathOf(handler);
    this.#keepFailed = countOption("keepFailed", options.keepFailed, 0);
    this.#signal = signalOption("signal", options.signal);
    this.#machine = new (parts().Queue)(numberOption("concurrency", options.concurrency, 1));
  }

  add(data: T): QueueJob<T> {
    if (!(#machine in Object(this))) throw detached("queue", "add");
    const job = new QueueJob(++this.#lastId, data, 1, this.#signal);
    this.#jobs.push(job);
    if (!this.#starting) this.#startSoon();
    return job;
  }

  async onIdle(): Promise<void> {
    if (!(#machine in Object(this))) throw detached("queue", "onIdle");
    if (this.#isIdle()) return;
    if (this.#ends.inside) throw new UsageError(this.#stuck.why);
    await new Promise<void>((resolve, reject) => {
      this.#idle.push((error) => (error === undefined ? resolve() : reject(error)));
      watch(this.#stuck);
    });
  }

  /** Jobs start in a microtask, never inside `add`: whoever adds several sees them all waiting. */
  #startSoon(): void {
    this.#starting = true;
    queueMicrotask(() => {
      this.#starting = false;
      while (!this.#wantsSlot && !this.#jobs.isEmpty) {
        this.#machine.add(LANE);
        if (this.#machine.take() === NONE) this.#wantsSlot = true;
        else new Lane(this.#jobs, this.#ends, this.#path, this.#signal).run();
      }
    });
  }

  /** Gives the lane's slot back; whether it is the one that takes it again, for a lane that waited. */
  #goesOn(): boolean {
    if (this.#machine.next() === NONE) {
      if (this.#isIdle()) this.#tell();
      return false;
    }
    this.#wantsSlot = false;
    return true;
  }

  #isIdle(): boolean {
    return this.#jobs.isEmpty && this.#machine.isIdle();
  }

  #keep(job: QueueJob<T>, error: unknown): void {
    this.failed.push({ job, error });
    if (this.failed.length > this.#keepFailed) this.failed.splice(0, this.failed.length - this.#keepFailed);
  }

  /** Tells whoever waits for the queue to be idle that it is, or never will be. */
  #tell(error?: UsageError): void {
    unwatch(this.#stuck);
    for (const done of this.#idle.splice(0)) done(error);
  }
}
