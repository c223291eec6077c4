/**
 * The calls of a step's work. The first comes in the handler's own turn, and if it succeeds, which most do, nothing has to be
 * set up; later ones come when the core orders them.
 */

import { isThenable, plain } from "../thenable.js";
import { Attempt, handedOn, savedResult, type Work } from "./context.js";
import type { Driver } from "./driver.js";
import { EngineClosedError } from "./errors.js";
import { failureOf } from "./failure.js";
import { StepPromise } from "./promise.js";
import type { RunRecord } from "./record.js";

// What the core answers the report of a result.
const SETTLED = 2;
const STALE = 0;

export class Calls {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** The promise of a step whose calls the core orders one by one. */
  wait(record: RunRecord, step: number, name: string, work: Work, promise = record.track(new StepPromise())): StepPromise {
    const call = (attempt: number): void => this.#attempt(record, step, name, work, attempt);
    record.wait(step, { call, promise, error: undefined, failures: 0, calling: false });
    return promise;
  }

  /** For the calls of one pass. */
  line(record: RunRecord): Line {
    return new Line(this, record);
  }

  /** The first call of a step, in the handler's own turn. If it succeeds, which most do, nothing had to be set up. */
  first(record: RunRecord, line: Line, step: number, name: string, work: Work, attempt: number): Promise<unknown> {
    record.began(step, attempt);
    let result: unknown;
    let promise: StepPromise | undefined;
    try {
      // Never twice at once: what a pass that failed left under way is this attempt's.
      result = record.flight(step) ?? this.#driver.work(work, new Attempt(this.#driver, record, step, name, attempt));
      if (!isThenable(result)) return this.#succeededAtOnce(record, step, name, work, attempt, result);
      promise = record.track(new StepPromise());
      if (line.listen(result, step, name, work, attempt, promise)) return promise;
    } catch (error) {
      return this.#failedFirst(record, step, name, work, attempt, error, promise);
    }
    const outcome = plain(result);
    record.flies(step, outcome);
    void this.#settle(record, step, name, work, attempt, outcome, promise);
    return promise;
  }

  /** What a step's work came to. Never throws: all goes to the step's own promise. */
  succeeded(record: RunRecord, step: number, name: string, work: Work, attempt: number, value: unknown, promise: StepPromise): void {
    try {
      this.#succeeded(record, step, name, work, attempt, value, promise);
    } catch (broken) {
      promise.fail(broken);
    }
  }

  failed(record: RunRecord, step: number, name: string, work: Work, attempt: number, error: unknown, promise: StepPromise): void {
    try {
      this.#failedFirst(record, step, name, work, attempt, error, promise);
    } catch (broken) {
      promise.fail(broken);
    }
  }

  /** Never rejects: all goes to the step's own promise. */
  async #settle(
    record: RunRecord, step: number, name: string, work: Work, attempt: number, running: PromiseLike<unknown>, promise: StepPromise,
  ): Promise<void> {
    let value: unknown;
    try {
      value = await running;
    } catch (error) {
      this.failed(record, step, name, work, attempt, error, promise);
      return;
    }
    this.succeeded(record, step, name, work, attempt, value, promise);
  }

  #succeededAtOnce(record: RunRecord, step: number, name: string, work: Work, attempt: number, value: unknown): Promise<unknown> {
    const saved = savedResult(name, value);
    record.ended(step);
    record.save(step, saved);
    const answer = this.#driver.reportSuccess(record, step, attempt);
    if (answer === STALE) return forever();
    // A closed engine carries out no commands.
    if (answer === SETTLED || this.#driver.closed) return Promise.resolve(handedOn(saved));
    // Its outcome is behind other commands.
    this.#driver.pumpSoon();
    return this.wait(record, step, name, work);
  }

  #succeeded(record: RunRecord, step: number, name: string, work: Work, attempt: number, value: unknown, promise: StepPromise): void {
    let saved: unknown;
    try {
      saved = savedResult(name, value);
    } catch (error) {
      this.#failedFirst(record, step, name, work, attempt, error, promise);
      return;
    }
    record.ended(step);
    record.save(step, saved);
    const answer = this.#driver.reportSuccess(record, step, attempt);
    if (answer === STALE) record.lands(step, saved);
    else if (answer === SETTLED || this.#driver.closed) promise.succeed(handedOn(saved));
    else {
      this.wait(record, step, name, work, promise);
      this.#driver.pumpSoon();
    }
  }

  #failedFirst(record: RunRecord, step: number, name: string, work: Work, attempt: number, error: unknown, promise: StepPromise | undefined): Promise<unknown> {
    const outcome = this.wait(record, step, name, work, promise);
    this.#failed(record, step, attempt, error);
    this.#driver.pumpSoon();
    return outcome;
  }

  #failed(record: RunRecord, step: number, attempt: number, thrown: unknown): void {
    record.ended(step);
    const pending = record.waiting(step);
    const { error, text, final, told } = failureOf(
      record, thrown, pending === undefined ? attempt : ++pending.failures, record.workflow.options.step,
    );
    if (pending !== undefined) {
      pending.error = error;
      pending.calling = false;
    }
    this.#driver.core((glue, now) => glue.callFailed(now, record.number, step, attempt, text, final, told));
    // Whether it would be tried again is not known, and it is not.
    if (this.#driver.closed) record.settle(step)?.promise.fail(new EngineClosedError({ cause: error }));
  }

  /** A later call of a step: its outcome comes as a command. */
  #attempt(record: RunRecord, step: number, name: string, work: Work, attempt: number): void {
    record.began(step, attempt);
    const waiting = record.waiting(step);
    if (waiting !== undefined) waiting.calling = true;
    const succeeded = (value: unknown): void => {
      let saved: unknown;
      try {
        saved = savedResult(name, value);
      } catch (error) {
        this.#failed(record, step, attempt, error);
        return;
      }
      record.ended(step);
      record.save(step, saved);
      const answer = this.#driver.reportSuccess(record, step, attempt);
      if (answer === STALE) record.lands(step, saved);
      else if (answer === SETTLED || this.#driver.closed) record.settle(step)?.promise.succeed(handedOn(saved));
    };
    let result: unknown;
    let outcome: PromiseLike<unknown> | undefined;
    try {
      result = record.flight(step) ?? this.#driver.work(work, new Attempt(this.#driver, record, step, name, attempt));
      outcome = isThenable(result) ? plain(result) : undefined;
    } catch (error) {
      this.#failed(record, step, attempt, error);
      return;
    }
    if (outcome === undefined) {
      succeeded(result);
      return;
    }
    record.flies(step, outcome);
    outcome.then(
      (value) => this.#driver.report(() => succeeded(value)),
      (error: unknown) => this.#driver.report(() => this.#failed(record, step, attempt, error)),
    );
  }
}

/**
 * The one call that a pass waits for: handlers mostly await their steps one by one. What listens is made once and serves all
 * of them; a call that begins while another is under way has listeners of its own.
 */
export class Line {
  readonly #calls: Calls;
  readonly #record: RunRecord;
  #step = 0;
  #name = "";
  #attempt = 0;
  #work: Work | undefined;
  /** That of the call under way. */
  #promise: StepPromise | undefined;
  #result: PromiseLike<unknown> | undefined;
  readonly #succeeded = (value: unknown): void => {
    const promise = this.#promise!;
    this.#promise = undefined;
    this.#calls.succeeded(this.#record, this.#step, this.#name, this.#work!, this.#attempt, value, promise);
  };
  readonly #failed = (error: unknown): void => {
    const promise = this.#promise!;
    this.#promise = undefined;
    this.#calls.failed(this.#record, this.#step, this.#name, this.#work!, this.#attempt, error, promise);
  };

  constructor(calls: Calls, record: RunRecord) {
    this.#calls = calls;
    this.#record = record;
  }

  /** Listens to a call, unless it is at one already, or the result is no plain promise: others are for `await` to tame. */
  listen(result: PromiseLike<unknown>, step: number, name: string, work: Work, attempt: number, promise: StepPromise): boolean {
    if (this.#promise !== undefined || !(result instanceof Promise) || result.constructor !== Promise) return false;
    then.call(result, this.#succeeded, this.#failed);
    this.#result = result;
    this.#step = step;
    this.#name = name;
    this.#work = work;
    this.#attempt = attempt;
    this.#promise = promise;
    return true;
  }

  /** The pass is over: the call that it may have left under way is the next pass's. */
  leave(): void {
    if (this.#promise !== undefined) this.#record.flies(this.#step, this.#result!);
  }
}

/** Marked as pure: taken plainly, it would keep this file in every bundle. */
const then = /* @__PURE__ */ (() => Promise.prototype.then)();

/** The handler of a run that is over or was begun anew: nobody listens to it any more, so it is never carried on. */
function forever(): Promise<never> {
  return new Promise(() => {});
}
