/**
 * Steps in order, stopping at the first that fails. Steps that this package wrapped (`retryEachStep`,
 * `idempotentSteps`) are opened up here, so that a step costs one `await` and no promise of ours; a queue saves that too
 * (`lane.ts`). Steps that return no promise are not awaited.
 */

import type { Handler, Job, Step } from "../types/index.js";
import { checkJob } from "./job.js";
import { type Retry, RetriedStep, checkedSteps } from "./retry.js";
import { NONE } from "./runtime.js";
import { type Stage, given, walks } from "./stages.js";
import { IdempotentStep } from "./steps.js";
import { isThenable } from "./thenable.js";
import { stepsOf } from "./windows.js";

/** See the public types. */
export function workflow<T>(steps: readonly Step<T>[]): Handler<T> {
  const stages = checkedSteps(steps).map(open);
  const made: Handler<T> = (job) => {
    checkJob(job);
    return walk(stages, job);
  };
  walks(made, stages);
  stepsOf(made, steps);
  return made;
}

function open<T>(outer: Step<T>): Stage<T> {
  const retry = outer instanceof RetriedStep ? (outer.retry as Retry) : undefined;
  const whole: Step<T> = outer instanceof RetriedStep ? (outer.step as Step<T>) : outer;
  if (whole instanceof IdempotentStep) {
    const { step, scope, keyOf } = whole as IdempotentStep<T>;
    return { step, retry, whole, scope, keyOf, plain: false };
  }
  return { step: whole, retry, whole, scope: undefined, keyOf: undefined, plain: retry?.signal === undefined };
}

/** All that runs without waiting; the first promise hands over to `walkOn`. */
function walk<T>(stages: readonly Stage<T>[], job: Job<T>): unknown {
  for (let at = 0; at < stages.length; at++) {
    const stage = stages[at]!;
    if (!stage.plain) return walkOn(stages, job, at, undefined);
    let result: unknown;
    try {
      result = stage.step.run(given(stage, job));
      if (!isThenable(result)) continue;
    } catch (error) {
      return resume(stages, job, at + 1, recover(stage, job, error));
    }
    return walkOn(stages, job, at, result);
  }
  return undefined;
}

async function resume<T>(stages: readonly Stage<T>[], job: Job<T>, at: number, before: Promise<unknown>): Promise<void> {
  await before;
  return walkOn(stages, job, at, undefined);
}

/** The same from stage `at` on, whose result, if it was called already, is `begun`. */
async function walkOn<T>(stages: readonly Stage<T>[], job: Job<T>, at: number, begun: unknown): Promise<void> {
  if (begun !== undefined) {
    const stage = stages[at]!;
    let failed = false;
    let error: unknown;
    try {
      await begun;
    } catch (thrown) {
      failed = true;
      error = thrown;
    }
    if (failed) await recover(stage, job, error);
    at++;
  }
  for (; at < stages.length; at++) {
    const stage = stages[at]!;
    let key = NONE;
    let error: unknown;
    try {
      if (stage.retry?.signal?.aborted) throw stage.retry.signal.reason;
      if (stage.scope === undefined) {
        const result = stage.step.run(given(stage, job));
        if (isThenable(result)) await result;
        continue;
      }
      const own = given(stage, job);
      key = stage.scope.begin(stage.keyOf!(own));
      if (key === NONE) {
        const shared = stage.scope.shared();
        if (isThenable(shared)) await shared;
        continue;
      }
      let result: unknown = stage.scope.call(key, stage.step, own);
      if (isThenable(result)) result = await result;
      stage.scope.finish(key, result);
      continue;
    } catch (thrown) {
      error = thrown;
    }
    if (key !== NONE) stage.scope!.fail(key, error);
    await recover(stage, job, error);
  }
}

function recover<T>(stage: Stage<T>, job: Job<T>, error: unknown): Promise<unknown> {
  if (stage.retry === undefined) throw error;
  return stage.retry.recover(job, error, (again) => stage.whole.run(again));
}
