// How fast the package's parts are, beside the article's approach and beside libraries of the same kind: no-op steps, ten
// to a job, in memory. Each contender runs in a process of its own, several times in turn; the median counts. Time is the
// processor's, not the clock's: other programs on the machine then change little, and ratios nearly nothing.
//
//   node speed.mjs PACKAGE [--runs N] [--json]          all workloads
//   node speed.mjs PACKAGE --one WORKLOAD CONTENDER     one of them, in this process: jobs per second

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const STEPS = 10;
const BATCH = 10_000;
const WARM_UP_MS = 500;
const MEASURED_MS = 1_500;
const RETRY = { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 2000, jitter: true };

const named = (run) => Array.from({ length: STEPS }, (_, index) => ({ name: `step ${index}`, run }));
const STEPS_ASYNC = named(async () => {});
const STEPS_SYNC = named(() => {});

/** What each workload needs to reach: so many times the contender `of`, or so many jobs a second, which a slow or busy machine misses. */
const WORKLOADS = {
  "async steps, each retried": { contenders: ["bare await", "article", "fastq + cockatiel", "p-queue + p-retry", "twiceproof"], goals: [["article", 1.8], ["bare await", 0.82]] },
  "the same behind keys": { contenders: ["article", "twiceproof"], goals: [["article", 4]] },
  "steps without promises": { contenders: ["twiceproof"], goals: [["jobs/s", 8_000_000]] },
  "engine runs, memoised": { contenders: ["bare await", "same promises, no engine", "twiceproof"], goals: [["jobs/s", 150_000], ["bare await", 0.068]] },
};

const [packageFile, ...flags] = process.argv.slice(2);
if (flags[0] === "--one") console.log(await measured(flags[1], flags[2]));
else report(wholeNumber("--runs", 5), flags.includes("--json"));

/** The number after a flag, or what it is without. */
function wholeNumber(flag, otherwise) {
  if (!flags.includes(flag)) return otherwise;
  const number = Number(flags[flags.indexOf(flag) + 1]);
  if (!(Number.isInteger(number) && number >= 1)) throw new Error(`${flag} needs a whole number of at least 1`);
  return number;
}

/** Jobs per second: batches until the time is up, after a warm-up. */
async function measured(workload, contender) {
  const batch = await batchOf(workload, contender);
  for (const until = processorMs() + WARM_UP_MS; processorMs() < until; ) await batch();
  const start = processorMs();
  let batches = 0;
  while (processorMs() - start < MEASURED_MS) {
    await batch();
    batches++;
  }
  return (batches * BATCH * 1000) / (processorMs() - start);
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function batchOf(workload, contender) {
  if (contender === "bare await") return bare;
  if (contender === "fastq + cockatiel") return fastqCockatiel();
  if (contender === "p-queue + p-retry") return pQueuePRetry();
  if (contender === "same promises, no engine") return engineBatch((await import("./floor.mjs")).Engine);
  const parts = contender === "article" ? await article() : await import(pathToFileURL(packageFile).href);
  const { IdempotencyStore, SimpleQueue, idempotentSteps, retryEachStep, workflow } = parts;
  if (workload === "engine runs, memoised") return engineBatch(parts.Engine);
  const build = {
    "async steps, each retried": () => retryEachStep(STEPS_ASYNC, RETRY),
    "the same behind keys": () => retryEachStep(idempotentSteps(STEPS_ASYNC, new IdempotencyStore(86_400_000), (job) => job.data.userId), RETRY),
    "steps without promises": () => retryEachStep(STEPS_SYNC, RETRY),
  }[workload];
  let users = 0;
  return async () => {
    const queue = new SimpleQueue(workflow(build()));
    for (let job = 0; job < BATCH; job++) queue.add({ userId: `user_${users++}` });
    await queue.onIdle();
  };
}

async function bare() {
  for (let job = 0; job < BATCH; job++) for (const step of STEPS_ASYNC) await step.run();
}

async function article() {
  const modules = ["queue", "retry", "workflow", "idempotency"].map((name) => import(`./article/${name}.mjs`));
  return Object.assign({}, ...(await Promise.all(modules)));
}

function engineBatch(Engine) {
  return async () => {
    const engine = new Engine({ workers: 10 });
    const flow = engine.workflow("job", async (_, context) => {
      for (const { name, run } of STEPS_ASYNC) await context.run(name, run);
    });
    for (let job = 0; job < BATCH; job++) void flow.enqueue({ userId: `user_${job}` }, { id: `job:${job}` });
    await engine.idle();
    await engine.close();
  };
}

async function fastqCockatiel() {
  const require = createRequire(import.meta.url);
  const fastq = require("fastq");
  const { ExponentialBackoff, handleAll, retry } = require("cockatiel");
  const policy = retry(handleAll, { maxAttempts: RETRY.maxAttempts - 1, backoff: new ExponentialBackoff() });
  return async () => {
    const queue = fastq.promise(async () => {
      for (const step of STEPS_ASYNC) await policy.execute(step.run);
    }, 1);
    for (let job = 0; job < BATCH; job++) void queue.push(job);
    await queue.drained();
  };
}

async function pQueuePRetry() {
  const [{ default: PQueue }, { default: pRetry }] = await Promise.all([import("p-queue"), import("p-retry")]);
  return async () => {
    const queue = new PQueue({ concurrency: 1 });
    for (let job = 0; job < BATCH; job++) {
      void queue.add(async () => {
        for (const step of STEPS_ASYNC) await pRetry(step.run, { retries: RETRY.maxAttempts - 1 });
      });
    }
    await queue.onIdle();
  };
}

function report(runs, json) {
  const all = {};
  for (const [workload, { contenders, goals }] of Object.entries(WORKLOADS)) {
    const samples = Object.fromEntries(contenders.map((contender) => [contender, []]));
    // In turn, so that a machine that grows slow or hot does so for all.
    for (let run = 0; run < runs; run++) for (const contender of contenders) samples[contender].push(inItsProcess(workload, contender));
    const perSecond = Object.fromEntries(Object.entries(samples).map(([contender, numbers]) => [contender, median(numbers)]));
    const reached = goals.map(([of, goal]) => ({ of, goal, reached: perSecond.twiceproof / (of === "jobs/s" ? 1 : perSecond[of]) }));
    all[workload] = { perSecond, goals: reached };
    if (!json) print(workload, perSecond, reached);
  }
  if (json) console.log(JSON.stringify(all, null, 2));
}

function inItsProcess(workload, contender) {
  return Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), packageFile, "--one", workload, contender], { encoding: "utf8" }));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function print(workload, perSecond, reached) {
  console.log(workload);
  for (const [contender, jobs] of Object.entries(perSecond)) console.log(`  ${contender.padEnd(24)} ${Math.round(jobs).toLocaleString("en-US").padStart(11)} jobs/s`);
  for (const { of, goal, reached: got } of reached) {
    const number = (value) => (of === "jobs/s" ? Math.round(value).toLocaleString("en-US") : value.toFixed(value < 0.1 ? 3 : 2));
    console.log(`  ${got >= goal ? "reached" : "missed "}: ${number(got)} × ${of}, of ${number(goal)}`.replace("× jobs/s", "jobs/s"));
  }
}
