// The article's approach to its own table: every sign-up goes through a real queue, step by step, promise by promise.
// It is what the native table is measured beside; its numbers must be the same. Prints JSON of the same shape as
// `cargo xtask table --json`.
//
//   node simulate.mjs [JOBS] [PARTS]
//
// PARTS is a module that exports the queue and the rest under the article's names: the ones beside this file, or the
// package's.
import { pathToFileURL } from "node:url";

const JOBS = Number(process.argv[2] ?? 1_000_000);
const PARTS = process.argv[3] ? pathToFileURL(process.argv[3]) : new URL("parts.mjs", import.meta.url);
const { IdempotencyStore, SimpleQueue, idempotentSteps, retryEachStep, withRetry, workflow } = await import(PARTS);

const FAIL = 0.01;
const LOST = 0.005;
const STEPS = 10;
const EMAIL_STEP = 7;
const BATCH = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETRY = { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 2000, jitter: true, sleep: async () => {} };

// mulberry32, the generator that the published numbers come from.
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// What an email provider does with a key: sends once for each that it has not seen. Without a key it always sends.
const KEYS = {
  none: () => undefined,
  fresh: (userId, provider) => `${userId}:${provider.issued++}`,
  same: (userId) => userId,
};

const STRATEGIES = [
  ["retry each step, no key", KEYS.none, (steps) => workflow(retryEachStep(steps, RETRY))],
  ["retry each step, new key on every call", KEYS.fresh, (steps) => workflow(retryEachStep(steps, RETRY))],
  ["retry each step, same key every time", KEYS.same, (steps) => workflow(retryEachStep(steps, RETRY))],
  ["retry the whole job, same key", KEYS.same, (steps) => withRetry(workflow(steps), RETRY)],
  [
    "retry the whole job, same key, skip finished steps",
    KEYS.same,
    (steps, store) => withRetry(workflow(idempotentSteps(steps, store, (job) => job.data.userId)), RETRY),
  ],
];

function makeSteps(counts, random, provider, keyOf) {
  return Array.from({ length: STEPS }, (_, index) => {
    const number = index + 1;
    const isEmail = number === EMAIL_STEP;
    return {
      name: `step ${number}`,
      run: async (job) => {
        counts.calls++;
        if (random() < FAIL) throw new Error(`step ${number}: unavailable`);
        const key = isEmail ? keyOf(job.data.userId, provider) : undefined;
        const seen = key !== undefined && provider.seen.has(key);
        if (key !== undefined) provider.seen.add(key);
        if (!seen) job.data.acted[index] = (job.data.acted[index] ?? 0) + 1;
        if (isEmail && random() < LOST) throw new Error(`step ${number}: no reply`);
      },
    };
  });
}

async function simulate([strategy, keyOf, build]) {
  const counts = { calls: 0, draws: 0, failed: 0, repeatedSteps: 0, twoEmails: 0 };
  const draw = mulberry32(1);
  const random = () => (counts.draws++, draw());
  const provider = { seen: new Set(), issued: 0 };
  const steps = makeSteps(counts, random, provider, keyOf);
  for (let first = 0; first < JOBS; first += BATCH) {
    const queue = new SimpleQueue(build(steps, new IdempotencyStore(DAY_MS)));
    const signUps = Array.from({ length: Math.min(BATCH, JOBS - first) }, (_, index) => ({ userId: `user_${first + index}`, acted: {} }));
    for (const signUp of signUps) queue.add(signUp);
    await queue.onIdle();
    counts.failed += queue.failed.length;
    for (const { acted } of signUps) {
      for (const times of Object.values(acted)) counts.repeatedSteps += times - 1;
      if (acted[EMAIL_STEP - 1] > 1) counts.twoEmails++;
    }
    provider.seen.clear();
  }
  const { calls, draws, failed, repeatedSteps, twoEmails } = counts;
  const succeeded = `${((100 * (JOBS - failed)) / JOBS).toFixed(3)}%`;
  return { strategy, succeeded, failed, callsPerJob: Math.round((calls / JOBS) * 100) / 100, repeatedSteps, twoEmails, calls, draws };
}

// Time of the processor, not of the clock: another program on the machine then changes little.
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const start = processorMs();
const rows = [];
const rowsMs = [];
for (const strategy of STRATEGIES) {
  const rowStart = processorMs();
  rows.push(await simulate(strategy));
  rowsMs.push(processorMs() - rowStart);
}
console.log(JSON.stringify({ rows, rowsMs, elapsedMs: processorMs() - start }));
