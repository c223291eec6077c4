/**
 * Drives one engine of the core: calls what it says to call, reports what came of it. Handlers, results and errors are
 * here; order, attempts and times are the core's. No code of a user runs during a call into the core.
 */

import type { Clock } from "../../types/index.js";
import { EngineBrokenError, RunCancelledError, outOfRange, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { optionsObject, timeMs } from "../options.js";
import { type EngineCore, newEngineCore } from "../runtime.js";
import { isThenable, plain } from "../thenable.js";
import { Calls, type Line } from "./calls.js";
import { type Attempt, Context, handedOn, type Work } from "./context.js";
import { EngineClosedError, UsageError } from "./errors.js";
import { failureOf } from "./failure.js";
import { StepPromise } from "./promise.js";
import type { RunRecord } from "./record.js";
import { unwatch, type Waiting, watch } from "./stuck.js";

// What the core says to do.
const CALL = 0;
const HANDLE = 1;
const DONE = 2;
const GAVE_UP = 3;
const CANCELLED = 4;
const ENDED = 5;
const COMMANDS = 8;

// What it answers a handler that asks for a step, or refuses.
const REPLAY = 0;
const CALL_NOW = 1;
const KINDS = 3;
const REFUSED_CANCELLED = -1;
const REFUSED_DUPLICATE = -2;
const REFUSED_STALE = -3;
const REFUSED_NAME = -4;
const STEP_SHIFT = 2;
const STEPS = 0x3fff;
const ATTEMPT_SHIFT = 16;

/** So many commands are carried out before there is housekeeping between them. */
const COMMANDS_BETWEEN = 1_024;
/** Names of steps that have numbers: more than one run can have. With more, all are forgotten and numbered anew. */
const NAMES_MAX = 16_384;
/** Keys whose effects are counted; older ones are forgotten first. */
const EFFECT_KEYS_MAX = 100_000;

export class Driver {
  readonly glue: EngineCore = newEngineCore();
  readonly clock: Clock;
  /** By the run's number, in the order of acceptance. A map, because a list would keep a place for every run that was removed. */
  readonly records = new Map<number, RunRecord>();
  /** Makes the records of runs that the core started by itself, of events that had waited. */
  onUnknownRun: (() => void) | undefined;
  /** The time of the last call into the core. */
  lastNow = 0;
  /** Told after something may have changed. */
  onChange: (() => void) | undefined;
  #broken: EngineBrokenError | undefined;
  #closed = false;
  #pumping = false;
  #pumpsSoon = false;
  #deadline = Infinity;
  #cancelAlarm: (() => void) | undefined;
  readonly #names = new Map<string, number>();
  readonly #effects = new Map<string, number>();
  #idle: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  readonly #stuck: Waiting = {
    why:
      "idle() would wait for ever: runs are under way, and nothing is left in this process that could carry them on. Is it called " +
      "inside a step, does a step wait for something that never comes, or does the engine have a clock that nobody moves?",
    give: (error) => this.#refuseIdle(error),
  };
  readonly #calls = new Calls(this);
  /** How many calls of handlers and steps are on the stack. */
  #inside = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A call into the core. If it traps, the engine is broken, and says so with all that had happened. */
  core<R>(call: (glue: EngineCore, now: number) => R): R {
    if (this.#broken !== undefined) throw this.#broken;
    const now = this.#now();
    try {
      return call(this.glue, now);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  /** The same for what only reads, and asks no clock. */
  look<R>(call: (glue: EngineCore) => R): R {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return call(this.glue);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  /** The time. A clock that does not tell it breaks the engine: nothing can be decided without. */
  #now(): number {
    try {
      return (this.lastNow = timeMs("clock.now", this.clock.now()));
    } catch (error) {
      throw this.#breaks(error);
    }
  }

  /** What a call threw, as what a caller is to see. For calls that are too many to go through `core`. */
  #thrown(error: unknown): unknown {
    return error instanceof WebAssembly.RuntimeError ? this.#breaks(error) : error;
  }

  #breaks(cause: unknown): EngineBrokenError {
    let journal = "";
    try {
      journal = this.glue.journalText(0);
    } catch {
      // Even its memory cannot be read.
    }
    const error = (this.#broken = new EngineBrokenError(journal, { cause }));
    this.#callOff();
    this.#refuseIdle(error);
    for (const record of this.records.values()) {
      record.abort(error);
      for (const { promise } of record.allWaiting()) promise.fail(error);
      record.forgetWaiting();
    }
    return error;
  }

  get broken(): EngineBrokenError | undefined {
    return this.#broken;
  }

  /** Resolves when nothing runs and nothing will, or never again because the engine is closed. */
  idle(): Promise<void> {
    if (this.#inside > 0) return Promise.reject(new UsageError("idle() was called inside a step or handler of the same engine: it would wait for itself"));
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) reject(this.#broken);
      else if (this.#closed || this.look(isIdle)) resolve();
      else {
        this.#idle.push({ resolve, reject });
        watch(this.#stuck);
      }
    });
  }

  #refuseIdle(error: unknown): void {
    const waiting = this.#idle;
    this.#idle = [];
    unwatch(this.#stuck);
    for (const { reject } of waiting) reject(error);
  }

  /** Starts nothing any more, and lets what runs end unheard. */
  close(reason: unknown): void {
    this.#closed = true;
    this.#callOff();
    for (const record of this.records.values()) {
      if (record.calling > 0 || record.listening) record.abort(reason);
      record.refuseWaiting(reason);
    }
    this.#becomeIdle();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Carries out what the core says, in a microtask: whoever enqueues sees nothing begin during the call. */
  pumpSoon(): void {
    if (this.#pumpsSoon) return;
    this.#pumpsSoon = true;
    queueMicrotask(() => {
      this.#pumpsSoon = false;
      this.pump();
    });
  }

  /** Carries out what the core says until it says no more. */
  pump(): void {
    if (this.#pumping || this.#closed || this.#broken !== undefined) return;
    this.#pumping = true;
    try {
      let done = 0;
      for (let command = this.#next(); command >= 0; command = this.#next()) {
        const run = Math.floor(command / COMMANDS);
        let record = this.records.get(run);
        if (record === undefined) {
          this.onUnknownRun?.();
          record = this.records.get(run);
        }
        // One that was removed meanwhile was over.
        if (record !== undefined) this.#carryOut(record, command % COMMANDS);
        // Housekeeping does not wait for the end of a long turn.
        if (++done % COMMANDS_BETWEEN === 0) this.onChange?.();
      }
      this.#setAlarm();
      if (this.#idle.length > 0 && this.look(isIdle)) this.#becomeIdle();
      this.onChange?.();
    } catch (error) {
      // A broken engine has told all who wait.
      if (error !== this.#broken) throw error;
    } finally {
      this.#pumping = false;
    }
  }

  #next(): number {
    try {
      return this.glue.nextCommand();
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  #becomeIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    unwatch(this.#stuck);
    for (const { resolve } of waiting) resolve();
  }

  #setAlarm(): void {
    const deadline = this.look(nextDeadline);
    if (deadline === this.#deadline) return;
    this.#callOff();
    this.#deadline = deadline;
    if (deadline === Infinity) return;
    try {
      const cancel: unknown = this.clock.wakeAt(deadline, () => this.#woken());
      if (typeof cancel !== "function") throw wrongType("clock.wakeAt", "to return a function", cancel);
      this.#cancelAlarm = cancel as () => void;
    } catch (error) {
      throw this.#breaks(error);
    }
  }

  /** Whether it was early is for the core to say: then the same deadline is set again. */
  #woken(): void {
    this.#cancelAlarm = undefined;
    this.#deadline = Infinity;
    if (!this.#closed) this.report(() => this.core((glue, now) => glue.tick(now)));
  }

  #callOff(): void {
    const cancel = this.#cancelAlarm;
    this.#cancelAlarm = undefined;
    this.#deadline = Infinity;
    try {
      cancel?.();
    } catch {
      // An alarm that cannot be called off is one that comes early: it does no harm.
    }
  }

  #carryOut(record: RunRecord, kind: number): void {
    if (kind === HANDLE) {
      this.#handle(record, this.glue.commandAttempt());
      return;
    }
    if (kind === ENDED) {
      record.forgetWaiting();
      return;
    }
    const step = this.glue.commandStep();
    const pending = record.waiting(step);
    if (pending === undefined) return;
    if (kind === CALL) {
      pending.call?.(this.glue.commandAttempt());
      return;
    }
    record.settle(step);
    if (kind === DONE) pending.promise.succeed(handedOn(record.value(step)));
    else if (kind === GAVE_UP) pending.promise.fail(pending.error);
    else if (kind === CANCELLED) pending.promise.fail(new RunCancelledError(record.id));
  }

  /** Runs the handler from its beginning. */
  #handle(record: RunRecord, pass: number): void {
    // What an earlier pass still waits for, this one asks for anew.
    record.forgetWaiting();
    record.pass = pass;
    const line = this.#calls.line(record);
    let result: unknown;
    let outcome: Promise<unknown> | undefined;
    this.#inside++;
    try {
      result = record.workflow.handler(handedOn(record.payload), new Context(this, record, pass, line));
      outcome = isThenable(result) ? plain(result) : undefined;
    } catch (error) {
      this.#threw(record, pass, line, error);
      return;
    } finally {
      this.#inside--;
    }
    if (outcome === undefined) {
      this.#ended(record, pass, line, result);
      return;
    }
    outcome.then(
      (value) => this.report(() => this.#ended(record, pass, line, value)),
      (error: unknown) => this.report(() => this.#threw(record, pass, line, error)),
    );
  }

  /** Calls a step's work, and knows while it is on the stack. */
  work(work: Work, attempt: Attempt): unknown {
    this.#inside++;
    try {
      return work(attempt);
    } finally {
      this.#inside--;
    }
  }

  /** A handler returned. A step for which nobody waits is waited for: its failure is the run's. */
  #ended(record: RunRecord, pass: number, line: Line, value: unknown): void {
    const step = record.pass === pass ? record.unheard() : undefined;
    if (step === undefined) {
      this.#returned(record, pass, value);
      return;
    }
    step.then(
      () => this.report(() => this.#ended(record, pass, line, value)),
      (error: unknown) => this.report(() => this.#threw(record, pass, line, error)),
    );
  }

  /** Reports and carries on; a broken engine has told all who wait. */
  report(report: () => void): void {
    if (this.#broken !== undefined) return;
    try {
      report();
      this.pump();
    } catch (error) {
      if (error !== this.#broken) throw error;
    }
  }

  #returned(record: RunRecord, pass: number, value: unknown): void {
    if (this.#closed) return;
    if (record.pass === pass) record.outcome = handedOn(value);
    if (this.#broken !== undefined) throw this.#broken;
    const now = this.#now();
    try {
      this.glue.handlerReturned(now, record.number, pass);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  /** A handler failed. Steps that it leaves under way are taken up by its next pass, which may begin before they end. */
  #threw(record: RunRecord, pass: number, line: Line, thrown: unknown): void {
    if (this.#closed) return;
    if (record.pass === pass && record.calling > 0) line.leave();
    const { error, text, final, told } = failureOf(record, thrown, pass - record.passesBefore, record.workflow.options.run);
    if (record.pass === pass) record.outcome = error;
    this.core((glue, now) => glue.handlerThrew(now, record.number, pass, text, final, told));
  }

  /** The number of a step's name, which crosses once. */
  #name(name: string): number {
    let number = this.#names.get(name);
    if (number === undefined) {
      checkKey("step", name);
      if (this.#names.size === NAMES_MAX) {
        this.look((glue) => glue.forgetNames());
        this.#names.clear();
      }
      number = this.look((glue) => glue.internName(name));
      this.#names.set(name, number);
    }
    return number;
  }

  /** Asks for a step; what the core answers, unless it refuses. */
  #ask(record: RunRecord, pass: number, name: string): number {
    if (record.pass !== pass) throw refusal(record, name, REFUSED_STALE);
    // Its handler goes on until it asks for something.
    if (this.#closed) throw new EngineClosedError();
    const number = this.#name(name);
    if (this.#broken !== undefined) throw this.#broken;
    const now = this.#now();
    let answer: number;
    try {
      answer = this.glue.askStep(now, record.number, number);
    } catch (error) {
      throw this.#thrown(error);
    }
    if (answer < 0) throw this.#refusal(record, name, answer);
    return answer;
  }

  /** Reports a result; what the core answers. */
  reportSuccess(record: RunRecord, step: number, attempt: number): number {
    if (this.#broken !== undefined) throw this.#broken;
    const now = this.#now();
    try {
      return this.glue.callSucceeded(now, record.number, step, attempt);
    } catch (error) {
      throw this.#thrown(error);
    }
  }

  /** A handler asks for a step. `line` is that of its pass. */
  step(record: RunRecord, pass: number, line: Line, name: string, work: Work): Promise<unknown> {
    const answer = this.#ask(record, pass, name);
    const step = (answer >> STEP_SHIFT) & STEPS;
    if ((answer & KINDS) === CALL_NOW) return this.#calls.first(record, line, step, name, work, answer >> ATTEMPT_SHIFT);
    if ((answer & KINDS) === REPLAY) {
      if (record.slept(step)) throw usedForBoth(record, name);
      return Promise.resolve(handedOn(record.value(step)));
    }
    this.pumpSoon();
    return this.#calls.wait(record, step, name, work);
  }

  /** A handler sleeps. */
  sleep(record: RunRecord, pass: number, name: string, ms: number): Promise<void> {
    if (record.pass !== pass) throw refusal(record, name, REFUSED_STALE);
    if (this.#closed) throw new EngineClosedError();
    const number = this.#name(name);
    const answer = this.core((glue, now) => {
      if (!(ms <= Number.MAX_SAFE_INTEGER - now)) throw outOfRange("duration", "a time that ends below 2^53", ms);
      return glue.askSleep(now, record.number, number, now + ms);
    });
    if (answer < 0) throw this.#refusal(record, name, answer);
    const step = (answer >> STEP_SHIFT) & STEPS;
    if ((answer & KINDS) === REPLAY) {
      if (!record.slept(step)) throw usedForBoth(record, name);
      return Promise.resolve();
    }
    record.sleeps(step);
    this.pumpSoon();
    const promise = record.track(new StepPromise());
    record.wait(step, { call: undefined, promise, error: undefined, failures: 0, calling: false });
    return promise as Promise<unknown> as Promise<void>;
  }

  #refusal(record: RunRecord, name: string, answer: number): unknown {
    return answer === REFUSED_NAME ? this.look((glue) => glue.refusal()) : refusal(record, name, answer);
  }

  /** A step that cannot even be asked for. */
  refused(record: RunRecord, error: unknown): Promise<never> {
    const promise = record.track(new StepPromise());
    promise.fail(error);
    return promise as Promise<unknown> as Promise<never>;
  }

  /** Notes what a provider did. */
  effect(record: RunRecord, step: number, attempt: number, key: string | undefined, options: { known?: boolean } | undefined): number {
    if (key !== undefined) checkKey("key", key);
    const { known = false } = optionsObject("effect", options, ["known"]);
    if (typeof known !== "boolean") throw wrongType("known", "true or false", known);
    const action = key ?? `${record.number}\u0000${step}`;
    const before = this.#effects.get(action) ?? 0;
    const count = known ? before : before + 1;
    this.#effects.delete(action);
    this.#effects.set(action, count);
    if (this.#effects.size > EFFECT_KEYS_MAX) this.#effects.delete(this.#effects.keys().next().value!);
    this.core((glue, now) => glue.observe(now, record.number, step, attempt, key, known ? 0 : count));
    this.pumpSoon();
    return count;
  }
}

function usedForBoth(record: RunRecord, name: string): Error {
  return new UsageError(`the name "${name}" is that of a step and of a sleep in the run "${record.id}"; give each a name of its own`);
}

const isIdle = (glue: EngineCore): boolean => glue.isEngineIdle();
const nextDeadline = (glue: EngineCore): number => glue.nextDeadline();

function refusal(record: RunRecord, name: string, answer: number): Error {
  if (answer === REFUSED_CANCELLED) return new RunCancelledError(record.id);
  if (answer === REFUSED_DUPLICATE) {
    return new UsageError(`the step name "${name}" was used before in this run; give each use an { index } of its own`);
  }
  return new UsageError(`the run "${record.id}" is not under way, so it has no step "${name}"`);
}
