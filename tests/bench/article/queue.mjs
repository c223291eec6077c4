// The queue of the article's part 2, as its text describes it: in memory, first in, first out, one job to its end at
// a time.
export class SimpleQueue {
  #handler;
  #waiting = [];
  #next = 0;
  #busy = false;
  #whenIdle = [];
  failed = [];

  constructor(handler) {
    this.#handler = handler;
  }

  add(data) {
    const job = { id: ++this.#next, data, attempt: 1 };
    this.#waiting.push(job);
    if (!this.#busy) {
      this.#busy = true;
      // Not in the caller's turn, so that `add` never runs a handler.
      queueMicrotask(() => this.#work());
    }
    return job;
  }

  onIdle() {
    return this.#busy ? new Promise((resolve) => this.#whenIdle.push(resolve)) : Promise.resolve();
  }

  async #work() {
    for (let at = 0; at < this.#waiting.length; at++) {
      const job = this.#waiting[at];
      try {
        await this.#handler(job);
      } catch (error) {
        this.failed.push({ job, error });
      }
    }
    this.#waiting = [];
    this.#busy = false;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
