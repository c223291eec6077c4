/** Options of engines and workflows, checked. */

import type { Clock, EngineRetryOptions, WorkflowOptions } from "../../types/index.js";
import { isObject, wrongType } from "../errors.js";
import { functionOption, optionsObject, timeMs } from "../options.js";
import { retryNumbers, type RetryNumbers } from "../retry.js";
import { machineClock } from "./clock.js";
import { FUNCTION_OPTIONS, functionRules, type FunctionRules, windowMs } from "./functions.js";

const POLICY = ["maxAttempts", "retries", "baseDelayMs", "maxDelayMs", "factor", "jitter", "maxRetryAfterMs"] as const;

/** A run is tried again after a second, then two, up to an hour, spread by a fifth. */
const DELAYS = { baseDelayMs: 1_000, maxDelayMs: 3_600_000, factor: 2, jitter: { ratio: 0.2 } };
const RUN_DEFAULTS = /* @__PURE__ */ withAttempts(3);
/** A step is not tried again within one pass of its run, unless the workflow says so. */
const STEP_DEFAULTS = /* @__PURE__ */ withAttempts(1);

function withAttempts(maxAttempts: number) {
  return { ...DELAYS, maxAttempts };
}

export interface CheckedOptions {
  readonly run: RetryNumbers;
  readonly step: RetryNumbers;
  readonly retryIf: WorkflowOptions["retryIf"];
  readonly rules: FunctionRules;
  readonly fingerprint: WorkflowOptions["fingerprint"];
  /** How long its runs are kept, in milliseconds; -1 for as long as all. */
  readonly keepMs: number;
}

export function workflowOptions(given: WorkflowOptions | undefined, warn: (message: string) => void): CheckedOptions {
  const known = [...POLICY, "steps", "retryIf", "retention", "fingerprint", ...FUNCTION_OPTIONS];
  const options = optionsObject("workflow", given, known);
  return {
    run: runPolicy(options),
    step: stepPolicy(options.steps),
    retryIf: functionOption("retryIf", options.retryIf),
    rules: functionRules(options, warn),
    fingerprint: options.fingerprint,
    keepMs: windowMs("retention", options.retention, -1),
  };
}

/** How a run is retried, its other options left aside. */
export function runPolicy(options: EngineRetryOptions): RetryNumbers {
  return retryNumbers(Object.fromEntries(POLICY.map((name) => [name, options[name]])), RUN_DEFAULTS);
}

/** The same, given alone. */
export function runRetry(options: EngineRetryOptions | undefined): RetryNumbers {
  return runPolicy(optionsObject<EngineRetryOptions>("retry", options, POLICY));
}

export function stepPolicy(options: EngineRetryOptions | undefined): RetryNumbers {
  return retryNumbers(optionsObject<EngineRetryOptions>("steps", options, POLICY), STEP_DEFAULTS);
}

export function checkedClock(clock: Clock | undefined): Clock {
  if (clock === undefined) return machineClock;
  if (!isObject(clock) || typeof clock.now !== "function" || typeof clock.wakeAt !== "function") {
    throw wrongType("clock", "an object with now and wakeAt", clock);
  }
  timeMs("clock.now", clock.now());
  return clock;
}
