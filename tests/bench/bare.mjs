// The least that could do the job: the same parts as plain loops, checking, sharing and remembering nothing that the table
// does not need. What the table's program itself costs, and so a bound on how fast any library can make it.

export class SimpleQueue {
  failed = [];
  #handler;
  #jobs = [];

  constructor(handler) {
    this.#handler = handler;
  }

  add(data) {
    this.#jobs.push({ data });
  }

  async onIdle() {
    for (const job of this.#jobs) {
      try {
        await this.#handler(job);
      } catch (error) {
        this.failed.push({ job, error });
      }
    }
  }
}

async function retried(attempts, work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
  }
}

export const withRetry = (handler, { maxAttempts }) => (job) => retried(maxAttempts, () => handler(job));

export const retryEachStep = (steps, { maxAttempts }) =>
  steps.map(({ name, run }) => ({ name, run: (job) => retried(maxAttempts, () => run(job)) }));

export const workflow = (steps) => async (job) => {
  for (const step of steps) await step.run(job);
};

export class IdempotencyStore {
  done = new Map();
}

export const idempotentSteps = (steps, store, keyOf) =>
  steps.map(({ name, run }, index) => ({
    name,
    run: async (job) => {
      const key = keyOf(job);
      const done = store.done.get(key) ?? 0;
      if (done & (1 << index)) return;
      await run(job);
      store.done.set(key, done | (1 << index));
    },
  }));
