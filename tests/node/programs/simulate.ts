// A million sign-ups through the real queue, in five strategies: who fails, who gets two emails. Prints a table.
// The number of sign-ups may be given as the first argument.

import { IdempotencyStore, idempotentSteps, retryEachStep, SimpleQueue, withRetry, workflow } from "twiceproof";
import type { Handler, RetryOptions, Step } from "twiceproof";

declare const process: { argv: string[] };

const JOBS = Number(process.argv[2] ?? 1_000_000);
const BATCH = 10_000;
const FAIL = 0.01;
const LOST = 0.005;
const EMAIL = "send the welcome email";
const NAMES = [
  "save the user", "create the billing customer", "create the workspace", "upload the default avatar", "add to the CRM",
  "subscribe to the newsletter", EMAIL, "notify the sales channel", "record the analytics event", "schedule the day-3 email",
];
// Outcomes are counted, not time, so nobody waits.
const retry: RetryOptions = { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 2000, jitter: true, sleep: async () => {} };

type Signup = { userId: string; done: Record<string, number> };
type KeyOf = ((signup: Signup) => string) | undefined;
type Build = (steps: Step<Signup>[], store: IdempotencyStore) => Handler<Signup>;

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function run(build: Build, keyOf: KeyOf) {
  const random = mulberry32(1);
  const provider = new Set<string>();
  let calls = 0;
  const steps: Step<Signup>[] = NAMES.map((name) => ({
    name,
    run: async ({ data }) => {
      calls++;
      if (random() < FAIL) throw new Error(`${name}: 503`);
      const key = name === EMAIL ? keyOf?.(data) : undefined;
      const known = key !== undefined && provider.has(key);
      if (key !== undefined) provider.add(key);
      if (!known) data.done[name] = (data.done[name] ?? 0) + 1;
      if (name === EMAIL && random() < LOST) throw new Error(`${name}: the reply is lost`);
    },
  }));
  const counts = { failed: 0, repeatedSteps: 0, twoEmails: 0 };
  for (let first = 0; first < JOBS; first += BATCH) {
    const queue = new SimpleQueue<Signup>(build(steps, new IdempotencyStore(24 * 60 * 60 * 1000)));
    const signups: Signup[] = [];
    for (let index = first; index < Math.min(first + BATCH, JOBS); index++) {
      const signup = { userId: `user_${index}`, done: {} };
      signups.push(signup);
      queue.add(signup);
    }
    await queue.onIdle();
    counts.failed += queue.failed.length;
    for (const { done } of signups) {
      for (const times of Object.values(done)) counts.repeatedSteps += times - 1;
      if ((done[EMAIL] ?? 0) > 1) counts.twoEmails++;
    }
    provider.clear();
  }
  const { failed, repeatedSteps, twoEmails } = counts;
  const succeeded = `${((100 * (JOBS - failed)) / JOBS).toFixed(3)}%`;
  return { succeeded, failed, callsPerJob: Math.round((calls / JOBS) * 100) / 100, repeatedSteps, twoEmails };
}

let issued = 0;
const sameKey = (signup: Signup): string => `welcome-email:${signup.userId}`;
const newKey = (signup: Signup): string => `welcome-email:${signup.userId}:${issued++}`;
const eachStep: Build = (steps) => workflow(retryEachStep(steps, retry));
const wholeJob: Build = (steps) => withRetry(workflow(steps), retry);
const skipFinished: Build = (steps, store) =>
  withRetry(workflow(idempotentSteps(steps, store, (job) => job.data.userId)), retry);

const rows: [string, Build, KeyOf][] = [
  ["retry each step, no key", eachStep, undefined],
  ["retry each step, new key on every call", eachStep, newKey],
  ["retry each step, same key every time", eachStep, sameKey],
  ["retry the whole job, same key", wholeJob, sameKey],
  ["retry the whole job, same key, skip finished steps", skipFinished, sameKey],
];

const table: object[] = [];
for (const [strategy, build, keyOf] of rows) table.push({ strategy, ...(await run(build, keyOf)) });
console.log(
  `${JOBS.toLocaleString("en-US")} signups, ${NAMES.length} steps, each call fails ${FAIL * 100}% of the time, ` +
    `the email reply is lost ${LOST * 100}% of the time`,
);
console.table(table);
