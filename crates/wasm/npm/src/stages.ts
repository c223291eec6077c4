/** What `workflow` makes of steps, and by which handlers: a queue that knows walks it by itself, without a promise for each job. */

import type { Handler, Job, Step } from "../types/index.js";
import { jobWithAttempt } from "./job.js";
import type { Retry } from "./retry.js";
import type { KeyOf, Scope } from "./steps.js";

/** One step, opened up. Every stage has the same shape, so that the loops over them stay fast. */
export type Stage<T> = {
  /** What is called. */
  readonly step: Step<T>;
  /** Retries the step, key included. */
  readonly retry: Retry | undefined;
  /** The whole step with its key: what `retry` calls again. */
  readonly whole: Step<T>;
  readonly scope: Scope | undefined;
  readonly keyOf: KeyOf<T> | undefined;
  /** Nothing comes before the call: no key, no signal to look at. */
  readonly plain: boolean;
};

/** A handler, opened up. */
export type Path<T> = {
  readonly stages: readonly Stage<T>[];
  /** What the stages call, if nothing comes before any of the calls. */
  readonly steps: readonly Step<T>[] | undefined;
  /** Retries all of it. */
  readonly retry: Retry | undefined;
  /** What `retry` calls again. */
  readonly whole: Handler<T>;
};

const paths = new WeakMap<object, Path<never>>();

/** `made` walks these stages. */
export function walks<T>(made: Handler<T>, stages: readonly Stage<T>[]): void {
  const steps = stages.every(({ plain }) => plain) ? stages.map(({ step }) => step) : undefined;
  paths.set(made, { stages, steps, retry: undefined, whole: made });
}

/** `made` retries `whole`. */
export function retries<T>(made: Handler<T>, whole: Handler<T>, retry: Retry): void {
  const inner = pathOf(whole);
  // What is retried within a retry is one call to it.
  paths.set(made, { ...(inner.retry === undefined ? inner : onePath(whole)), retry, whole });
}

/** A handler of somebody else is one step. */
export function pathOf<T>(handler: Handler<T>): Path<T> {
  return (paths.get(handler) as Path<T> | undefined) ?? onePath(handler);
}

function onePath<T>(handler: Handler<T>): Path<T> {
  const step = { name: "", run: handler };
  const stage = { step, retry: undefined, whole: step, scope: undefined, keyOf: undefined, plain: true };
  return { stages: [stage], steps: [step], retry: undefined, whole: handler };
}

/** The job as the first attempt of a stage: a step that is retried counts its own. */
export function given<T>(stage: Stage<T>, job: Job<T>): Job<T> {
  return stage.retry === undefined || job.attempt === 1 ? job : jobWithAttempt(job, 1);
}
