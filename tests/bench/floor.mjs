// The least that an engine's run could be in JavaScript alone: an ID with its payload's text, a list of what happened, and for
// each step the three promises that it takes: its work's, its own, which knows whether anybody listens, and the one that
// listens to the work. Nothing retries, expires, conflicts or is given up: an engine does all this and more.

let resolveMade;
const executor = (resolve) => (resolveMade = resolve);

class StepPromise extends Promise {
  heard = false;
  constructor() {
    super(executor);
    this.succeed = resolveMade;
  }
  get ["constructor"]() {
    this.heard = true;
    return Promise;
  }
}

// Kinds of entries.
const [FOUND, STARTED, SUCCEEDED] = [0, 1, 2];

class Run {
  /** By the number of a step's name: whether it is done, and what it returned. */
  done = [];
  values = [];
  constructor(number, text, payload, engine) {
    this.number = number;
    this.text = text;
    this.payload = payload;
    this.engine = engine;
  }
  step(name, work) {
    const { names, journal } = this.engine;
    let step = names.get(name);
    if (step === undefined) names.set(name, (step = names.size));
    if (this.done[step]) return Promise.resolve(this.values[step]);
    const now = Date.now();
    journal.push(now, FOUND, this.number, step, now, STARTED, this.number, step);
    const promise = new StepPromise();
    work().then((value) => {
      this.done[step] = true;
      if (value !== undefined) this.values[step] = value;
      journal.push(Date.now(), SUCCEEDED, this.number, step);
      promise.succeed(value);
    });
    return promise;
  }
}

export class Engine {
  names = new Map();
  /** Four numbers an entry: when, kind, run, step. */
  journal = [];
  #runs = new Map();
  #waiting = [];
  #workers;

  constructor({ workers }) {
    this.#workers = workers;
  }

  workflow(_, handler) {
    return {
      enqueue: (payload, { id }) => {
        const text = JSON.stringify(payload);
        if (!this.#runs.has(id)) {
          const run = new Run(this.#runs.size, text, { ...payload }, this);
          this.#runs.set(id, run);
          this.#waiting.push(() => handler({ ...run.payload }, { run: (name, work) => run.step(name, work) }));
        }
        return Promise.resolve(id);
      },
    };
  }

  async idle() {
    let next = 0;
    const worker = async () => {
      while (next < this.#waiting.length) await this.#waiting[next++]();
    };
    await Promise.all(Array.from({ length: this.#workers }, worker));
  }

  async close() {}
}
