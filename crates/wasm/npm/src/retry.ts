/**
 * Retrying: the core decides after each failure, this waits and calls again. On the way without failures nothing of
 * this runs but a `try`.
 */

import type { EngineRetryOptions, Handler, Job, RetryOptions, Step } from "../types/index.js";
import { UsageError } from "./engine/errors.js";
import {
  CallbackError, ConflictError, InvalidKeyError, NonRetryableError, ReentrantKeyError, isArray, isInstance, isObject, outOfRange, wrongType,
} from "./errors.js";
import { checkJob, jobWithAttempt, jobSignal } from "./job.js";
import { countOption, functionOption, numberOption, optionsObject, signalOption } from "./options.js";
import { RetryAfterError } from "./retry-after.js";
import { type Parts, parts, rules } from "./runtime.js";
import { retries } from "./stages.js";
import { isThenable } from "./thenable.js";
import { orAbort, sleep } from "./timer.js";
import { retriedHandler, retriedStep } from "./windows.js";

const KNOWN = [
  "maxAttempts", "retries", "baseDelayMs", "maxDelayMs", "factor", "jitter", "retryIf", "maxRetryAfterMs", "sleep",
  "random", "signal", "onRetry",
] as const;

/** The defaults of the core (`RetryOptions::default`), which a test holds equal. */
const DEFAULTS = { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 30_000, factor: 2, maxRetryAfterMs: 3_600_000 };

/** Trying these again would give the same. */
const FINAL = [NonRetryableError, ConflictError, InvalidKeyError, ReentrantKeyError, CallbackError, UsageError];

/** A policy as the core takes it: attempts, base and greatest delay, factor, jitter, greatest told delay. */
export type RetryNumbers = readonly [number, number, number, number, number, number];

/** A policy's numbers, checked by the core. */
export function retryNumbers(options: EngineRetryOptions, defaults: EngineRetryOptions & { maxAttempts: number }): RetryNumbers {
  const numbers: RetryNumbers = [
    attempts(options, defaults.maxAttempts),
    numberOption("baseDelayMs", options.baseDelayMs, defaults.baseDelayMs ?? DEFAULTS.baseDelayMs),
    numberOption("maxDelayMs", options.maxDelayMs, defaults.maxDelayMs ?? DEFAULTS.maxDelayMs),
    numberOption("factor", options.factor, defaults.factor ?? DEFAULTS.factor),
    jitterCode(options.jitter === undefined ? defaults.jitter : options.jitter),
    numberOption("maxRetryAfterMs", options.maxRetryAfterMs, DEFAULTS.maxRetryAfterMs),
  ];
  rules().checkRetry(...numbers);
  return numbers;
}

/** A checked policy, and how to wait. */
export class Retry {
  readonly signal: AbortSignal | undefined;
  readonly #glue: Parts = parts();
  readonly numbers: RetryNumbers;
  readonly #retryIf: RetryOptions["retryIf"];
  readonly #onRetry: RetryOptions["onRetry"];
  readonly #sleep: RetryOptions["sleep"];
  readonly #random: () => number;

  constructor(given: RetryOptions | undefined) {
    const options = optionsObject("retry", given, KNOWN);
    this.numbers = retryNumbers(options, DEFAULTS);
    this.#retryIf = functionOption("retryIf", options.retryIf);
    this.#onRetry = functionOption("onRetry", options.onRetry);
    this.#sleep = functionOption("sleep", options.sleep);
    this.#random = functionOption("random", options.random) ?? Math.random;
    this.signal = signalOption("signal", options.signal);
  }

  /** Calls `attempt` again and again after its first failure, and returns what it does or throws the last error. */
  async recover<T>(job: Job<T>, error: unknown, attempt: (job: Job<T>) => unknown): Promise<unknown> {
    for (let failed = 1; ; failed++) {
      if (this.signal?.aborted) throw this.signal.reason;
      // Where no attempt is left there is nothing to ask.
      const wanted = this.#isFinal(error) ? false : failed >= this.numbers[0] || this.#wanted(error, failed);
      const delayMs = this.#decide(error, failed, typeof wanted === "boolean" ? wanted : await this.#answered(wanted, error));
      const told: unknown = this.#onRetry?.({ attempt: failed, error, delayMs });
      if (isThenable(told)) await told;
      await this.#wait(delayMs, job);
      try {
        return await attempt(jobWithAttempt(job, failed + 1));
      } catch (next) {
        error = next;
      }
    }
  }

  #isFinal(error: unknown): boolean {
    return FINAL.some((kind) => isInstance<Error>(error, kind));
  }

  /** What `retryIf` says: yes, no, or a promise of that. Anything else is a mistake, and not a silent yes. */
  #wanted(error: unknown, failed: number): boolean | PromiseLike<unknown> {
    if (this.#retryIf === undefined) return true;
    try {
      const wanted: unknown = this.#retryIf(error, failed);
      return isThenable(wanted) ? wanted : isYesOrNo(wanted);
    } catch (thrown) {
      throw new CallbackError("retryIf", thrown, error);
    }
  }

  async #answered(wanted: PromiseLike<unknown>, error: unknown): Promise<boolean> {
    const answer = Promise.resolve(wanted).then(isYesOrNo);
    try {
      return await (this.signal === undefined ? answer : orAbort(answer, this.signal));
    } catch (thrown) {
      if (this.signal?.aborted) throw this.signal.reason;
      throw new CallbackError("retryIf", thrown, error);
    }
  }

  /** The wait before the next attempt; throws `error` itself if there is none. */
  #decide(error: unknown, failed: number, wanted: boolean): number {
    const told = isInstance(error, RetryAfterError) ? (error.retryAfterMs ?? -1) : -1;
    const delayMs = this.#glue.decideRetry(...this.numbers, failed, !wanted, told, wanted ? this.#draw(error) : 0);
    if (delayMs < 0) throw error;
    return delayMs;
  }

  #draw(error: unknown): number {
    if (this.numbers[4] === 0 || this.numbers[1] === 0) return 0;
    try {
      const draw: unknown = this.#random();
      if (typeof draw === "number" && draw >= 0 && draw < 1) return draw;
      throw outOfRange("random", "to return a number from 0 up to 1", draw);
    } catch (thrown) {
      throw new CallbackError("random", thrown, error);
    }
  }

  async #wait<T>(delayMs: number, job: Job<T>): Promise<void> {
    if (this.#sleep === undefined) {
      await sleep(delayMs, this.signal, jobSignal(job));
      return;
    }
    await this.#sleep(delayMs, this.signal);
    if (this.signal?.aborted) throw this.signal.reason;
  }
}

function isYesOrNo(answer: unknown): boolean {
  if (typeof answer !== "boolean") throw wrongType("retryIf", "to return true or false", answer);
  return answer;
}

function attempts({ maxAttempts, retries }: EngineRetryOptions, otherwise: number): number {
  const most = numberOption("maxAttempts", maxAttempts, otherwise);
  if (retries === undefined) return most;
  // One more than retries that are no count is no count either, so the core refuses it, but by the wrong name.
  const again = countOption("retries", retries, 0);
  if (maxAttempts !== undefined && most !== again + 1) {
    throw outOfRange("retries", `to be one less than maxAttempts (${most})`, again);
  }
  return again + 1;
}

/** How the core spells jitter in a number: 0 none, 1 full, 2 equal, 3 and a ratio. */
function jitterCode(jitter: RetryOptions["jitter"]): number {
  if (jitter === false) return 0;
  if (jitter === undefined || jitter === true || jitter === "full") return 1;
  if (jitter === "equal") return 2;
  if (!isObject(jitter)) {
    throw wrongType("jitter", 'true, false, "full", "equal" or { ratio }', jitter);
  }
  const { ratio } = optionsObject<{ ratio?: number }>("jitter", jitter, ["ratio"]);
  if (typeof ratio !== "number") throw wrongType("jitter.ratio", "a number from 0 to 1", ratio);
  if (!(ratio >= 0 && ratio <= 1)) throw outOfRange("jitter.ratio", "a number from 0 to 1", ratio);
  return 3 + ratio;
}

/** See the public types. */
export function withRetry<T>(handler: Handler<T>, options?: RetryOptions): Handler<T> {
  if (typeof handler !== "function") throw wrongType("handler", "a function", handler);
  const retry = new Retry(options);
  const made: Handler<T> = (job) => {
    checkJob(job);
    return attemptWith(retry, job, handler);
  };
  retries(made, handler, retry);
  retriedHandler(made, handler, retry.numbers);
  return made;
}

/** A step that is retried alone. */
export class RetriedStep<T> implements Step<T> {
  readonly name: string;
  readonly step: Step<T>;
  readonly retry: Retry;

  constructor(step: Step<T>, retry: Retry) {
    this.name = step.name;
    this.step = step;
    this.retry = retry;
  }

  run(job: Job<T>): unknown {
    checkJob(job);
    return attemptWith(this.retry, job, (attempted) => this.step.run(attempted));
  }
}

/** See the public types. */
export function retryEachStep<T>(steps: readonly Step<T>[], options?: RetryOptions): Step<T>[] {
  const retry = new Retry(options);
  return checkedSteps(steps).map((step) => {
    const made = new RetriedStep(step, retry);
    retriedStep(made, step, retry.numbers);
    return made;
  });
}

/** Throws unless these are steps. */
export function checkedSteps<T>(steps: readonly Step<T>[]): readonly Step<T>[] {
  if (!isArray(steps)) throw wrongType("steps", "an array of steps", steps);
  for (const step of steps as readonly Partial<Step<T>>[]) {
    if (typeof step?.name !== "string" || typeof step.run !== "function") {
      throw wrongType("steps", "a name and a run function in every step", step);
    }
  }
  return steps;
}

function attemptWith<T>(retry: Retry, job: Job<T>, attempt: (job: Job<T>) => unknown): unknown {
  if (retry.signal?.aborted) throw retry.signal.reason;
  let result: unknown;
  try {
    result = attempt(jobWithAttempt(job, 1));
    if (!isThenable(result)) return result;
  } catch (error) {
    return retry.recover(job, error, attempt);
  }
  return settled(retry, job, result, attempt);
}

async function settled<T>(retry: Retry, job: Job<T>, first: PromiseLike<unknown>, attempt: (job: Job<T>) => unknown): Promise<unknown> {
  let error: unknown;
  try {
    return await first;
  } catch (thrown) {
    error = thrown;
  }
  return retry.recover(job, error, attempt);
}
