/** A workflow's options, checked. */

import type { EngineRetryOptions, WorkflowOptions } from "../../types/index.js";
import { functionOption, optionsObject } from "../options.js";
import { retryNumbers, type RetryNumbers } from "../retry.js";

const POLICY = ["maxAttempts", "retries", "baseDelayMs", "maxDelayMs", "factor", "jitter", "maxRetryAfterMs"] as const;

/** A run is tried again after a second, then two, up to an hour, spread by a fifth. */
const RUN_DEFAULTS = { maxAttempts: 3, baseDelayMs: 1_000, maxDelayMs: 3_600_000, factor: 2, jitter: { ratio: 0.2 } };
/** A step is not tried again within one pass of its run, unless the workflow says so. */
const STEP_DEFAULTS = { ...RUN_DEFAULTS, maxAttempts: 1 };

export interface CheckedOptions {
  readonly run: RetryNumbers;
  readonly step: RetryNumbers;
  readonly retryIf: WorkflowOptions["retryIf"];
}

export function workflowOptions(given: WorkflowOptions | undefined): CheckedOptions {
  const options = optionsObject("workflow", given, [...POLICY, "steps", "retryIf"]);
  const { steps, retryIf, ...run } = options;
  return {
    run: retryNumbers(run, RUN_DEFAULTS),
    step: retryNumbers(optionsObject<EngineRetryOptions>("steps", steps, POLICY), STEP_DEFAULTS),
    retryIf: functionOption("retryIf", retryIf),
  };
}
