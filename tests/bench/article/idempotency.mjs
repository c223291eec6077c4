// The store of the article's part 5: a key that has finished answers from memory, a key that is running is joined, a
// failure is forgotten.
export class IdempotencyStore {
  #finished = new Map();
  #running = new Map();
  #ttlMs;
  #now;

  constructor(ttlMs, now = Date.now) {
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  async once(key, work) {
    const saved = this.#finished.get(key);
    if (saved !== undefined && this.#now() < saved.expiresAt) return saved.value;
    this.#finished.delete(key);
    let run = this.#running.get(key);
    if (run === undefined) {
      run = this.#start(key, work);
      this.#running.set(key, run);
    }
    return run;
  }

  async #start(key, work) {
    try {
      const value = await work();
      this.#finished.set(key, { value, expiresAt: this.#now() + this.#ttlMs });
      return value;
    } finally {
      this.#running.delete(key);
    }
  }
}

export function idempotentSteps(steps, store, keyOf) {
  return steps.map(({ name, run }) => ({
    name,
    run: (job) => store.once(`${name}:${keyOf(job)}`, () => run(job)),
  }));
}
