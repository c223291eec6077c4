/** The strategy table and its theory: the sums are the core's, words and percentages are made here. */

import type { Strategy, TableOptions, TableRow, TheoryRow } from "../types/index.js";
import { isArray, wrongType } from "./errors.js";
import { functionOption, numberOption, optionsObject, signalOption } from "./options.js";
import { table } from "./runtime.js";
import { isThenable } from "./thenable.js";

// Bits of a strategy.
const WHOLE_JOB = 1;
const SKIP_FINISHED = 2;
const PROVIDER_REMEMBERS = 4;
const KEY_SHIFT = 3;
const KEYS = ["none", "new-each-call", "same"];

/** Counters of a row before its numbers of emails. */
const COUNTERS = 8;
/** Expectations before its probabilities of numbers of emails. */
const EXPECTATIONS = 15;

/** How long one slice may take, about, in milliseconds: a page draws between two. */
const SLICE_MS = 8;
/** Sign-ups of the first slice. */
const SLICE_JOBS_FIRST = 32_768;

const ARTICLE: readonly Strategy[] = [
  { retry: "each-step", key: "none" },
  { retry: "each-step", key: "new-each-call" },
  { retry: "each-step", key: "same" },
  { retry: "whole-job", key: "same" },
  { retry: "whole-job", key: "same", skipFinished: true },
];

/** See the public types. */
export async function simulate(
  options?: TableOptions,
  control?: { onProgress?: (done: number, total: number) => void; signal?: AbortSignal },
): Promise<TableRow[]> {
  const { numbers, strategies, attempts, jobs } = tableNumbers(options);
  const { onProgress, signal } = optionsObject("control", control, ["onProgress", "signal"]);
  functionOption("onProgress", onProgress);
  signalOption("signal", signal);
  if (signal?.aborted) throw signal.reason;
  const run = new (table().TableRun)(numbers, strategies);
  try {
    const total = jobs * strategies.length;
    let slice = SLICE_JOBS_FIRST;
    for (;;) {
      const start = performance.now();
      const done = run.advance(slice);
      const took = performance.now() - start;
      const told: unknown = onProgress?.(run.done, total);
      if (isThenable(told)) await told;
      if (done) break;
      slice = Math.ceil(slice * Math.min(Math.max(SLICE_MS / Math.max(took, 0.1), 0.5), 4));
      await pause();
      if (signal?.aborted) throw signal.reason;
    }
    return rowsOf(run.rows(), strategies, attempts);
  } finally {
    run.free();
  }
}

/** See the public types. */
export function theory(options?: TableOptions): TheoryRow[] {
  const { numbers, strategies } = tableNumbers(options);
  return Array.from(strategies, (bits) => theoryRow(bits, table().theory(numbers, bits)));
}

function tableNumbers(given: TableOptions | undefined): { numbers: Float64Array; strategies: Uint32Array; attempts: number; jobs: number } {
  const options = optionsObject("table", given, [
    "jobs", "steps", "lostStep", "fail", "lost", "attempts", "seed", "generator", "strategies",
  ]);
  const jobs = numberOption("jobs", options.jobs, 1_000_000);
  const attempts = numberOption("attempts", options.attempts, 3);
  const numbers = [
    jobs,
    numberOption("steps", options.steps, 10),
    numberOption("lostStep", options.lostStep, 7),
    numberOption("fail", options.fail, 0.01),
    numberOption("lost", options.lost, 0.005),
    attempts,
    numberOption("seed", options.seed, 1),
    oneOf("generator", ["mulberry32", "chacha8"], options.generator === undefined ? "mulberry32" : options.generator),
  ];
  const strategies: unknown = options.strategies === undefined ? ARTICLE : options.strategies;
  if (!isArray(strategies)) throw wrongType("strategies", "an array of strategies", strategies);
  return { numbers: new Float64Array(numbers), strategies: Uint32Array.from(strategies, (strategy) => strategyBits(strategy as Strategy)), attempts, jobs };
}

function strategyBits(given: Strategy): number {
  if (given === undefined) throw wrongType("strategy", "an object of options", given);
  const { retry, key, skipFinished, providerRemembers } = optionsObject("strategy", given, ["retry", "key", "skipFinished", "providerRemembers"]);
  const whole = oneOf("retry", ["each-step", "whole-job"], retry) * WHOLE_JOB;
  const skip = flag("skipFinished", skipFinished, false) ? SKIP_FINISHED : 0;
  const remembers = flag("providerRemembers", providerRemembers, true) ? PROVIDER_REMEMBERS : 0;
  return whole | skip | remembers | (oneOf("key", KEYS, key) << KEY_SHIFT);
}

function oneOf(option: string, words: readonly string[], value: unknown): number {
  const index = words.indexOf(value as string);
  if (index < 0) throw wrongType(option, words.map((word) => `"${word}"`).join(" or "), value);
  return index;
}

function flag(option: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== "boolean") throw wrongType(option, "true or false", value);
  return value;
}

function rowsOf(numbers: Float64Array, strategies: Uint32Array, attempts: number): TableRow[] {
  const width = COUNTERS + attempts + 1;
  return Array.from(strategies, (bits, row) => {
    const [jobs, failed, calls, refused, lostReplies, , repeatedSteps, twoEmails, ...emails] = numbers.subarray(row * width, (row + 1) * width);
    return {
      strategy: table().strategyName(bits),
      succeeded: jobs === 0 ? "–" : `${((100 * (jobs! - failed!)) / jobs!).toFixed(3)}%`,
      failed: failed!,
      callsPerJob: jobs === 0 ? 0 : Math.round((calls! / jobs!) * 100) / 100,
      repeatedSteps: repeatedSteps!,
      twoEmails: twoEmails!,
      calls: calls!,
      refused: refused!,
      lostReplies: lostReplies!,
      emails,
    };
  });
}

function theoryRow(bits: number, numbers: Float64Array): TheoryRow {
  const pair = (at: number) => ({ mean: numbers[at]!, deviation: numbers[at + 1]! });
  return {
    strategy: table().strategyName(bits),
    failed: numbers[0]!,
    succeeded: numbers[1]!,
    calls: numbers[2]!,
    repeatedSteps: numbers[4]!,
    twoEmails: numbers[6]!,
    emails: [...numbers.subarray(EXPECTATIONS)],
    expected: { failed: pair(7), calls: pair(9), repeatedSteps: pair(11), twoEmails: pair(13) },
  };
}

/** Lets the page or process do something else: a task, not a microtask. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
