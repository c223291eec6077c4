/** The engine: runs with identity, memoised steps, retries and virtual time. */

import type { EventFilter, EventInfo, EventOutcome, EventRef, FunctionOptions, NewEvent, ReplayOptions, SendResult, SentEvent } from "./events.js";
import type { Duration, RetryOptions } from "./index.js";
import type { JournalEntry } from "./journal.js";

/** A retry policy of an engine: numbers only, because its waits and draws are the engine's. */
export type EngineRetryOptions = Pick<
  RetryOptions,
  "maxAttempts" | "retries" | "baseDelayMs" | "maxDelayMs" | "factor" | "jitter" | "maxRetryAfterMs"
>;

export interface EngineOptions {
  /** The clock. Default: the machine's. {@link TestClock} for tests. */
  clock?: Clock;
  /**
   * Runs under way at once: a whole number of at least 1, or `Infinity`. A run that waits or sleeps counts as under way.
   * Default `Infinity`.
   */
  workers?: number;
  /** The seed of every draw of the engine (jitter): a whole number below 2^53. Default 0. */
  seed?: number;
  /**
   * How long a run that is over is kept, from its end, with its ID taken; events of the history as long, from their acceptance.
   * Default 184 days (C25, C26).
   */
  retention?: Duration | "forever";
  /**
   * Whether what was kept for its time is removed beside other work, at most 100 runs at a time, once a minute, and before an ID that
   * is in use answers (C27). Default true.
   * {@link Engine.prune} removes it whenever it is called.
   */
  autoPrune?: boolean;
  /**
   * How much of the journal is kept: the last `keep` entries, a whole number from 0 or `Infinity`. Default `Infinity`, all of them: some
   * 1.5 kB a run, which a process that runs for months does not have. Older entries are dropped, up to 4,096 at a time, after listeners
   * of `on("entry")` have got them. Nothing else depends on them: runs, their steps and the history of events stay what they are.
   * A journal that was cut can be read, and not be replayed: the playground refuses it, and says why. Whoever wants all
   * of it writes each entry to a file as it happens ({@link Engine.on}).
   */
  journal?: { keep?: number };
  /**
   * Gets warnings for whoever develops: IDs that `lintKey` finds suspicious (each pattern once, the first hundred of each workflow are
   * looked at), a window that is shorter than the retries. That an ID names no operation (`ord_123`) is said once for each workflow, of
   * an ID with a number in it; not of the IDs of events, which are their senders'. Default: `process.emitWarning` where there is one,
   * else `console.warn`, and with `NODE_ENV=production` and in Deno nobody. False for none. What it throws or rejects with is ignored.
   */
  onWarning?: ((warning: string) => void) | false;
}

/** Where an engine gets the time from, and is woken by. */
export interface Clock {
  /** Milliseconds, finite and not negative. If it jumps back, the engine takes it to stand still. */
  now(): number;
  /** Calls `wake` once `at` is reached; earlier does no harm. The returned function calls it off. */
  wakeAt(at: number, wake: () => void): () => void;
}

/** A clock that a test moves: 184 days take a millisecond. */
export class TestClock implements Clock {
  /** @param start Its first time, in milliseconds. Default 0. */
  constructor(start?: number);
  now(): number;
  wakeAt(at: number, wake: () => void): () => void;
  /**
   * Moves time forward, stopping at every time at which something is due and letting it run, as far as it waits for
   * nothing but this clock. Advances that are asked for at the same time add up, one after the other.
   * @throws as a rejection: {InvalidOptionError} for what is no time, is negative, or ends beyond 2^53.
   */
  advance(by: Duration): Promise<void>;
}

export interface WorkflowOptions extends EngineRetryOptions, FunctionOptions {
  /**
   * How each step is retried within one pass of its run. Default: not. (The options beside this one say how the whole
   * run is retried; its finished steps are not run again. Default: 3 attempts, 1 s doubling to 1 h, jitter of a fifth.)
   */
  steps?: EngineRetryOptions;
  /**
   * Whether to try again after this error, when so many attempts have failed: of the run, since it was accepted or last started
   * again; of a step, within this pass of its run. Default: after every error. Not asked where no attempt is left, nor about errors
   * of this package that say the program is wrong ({@link NonRetryableError}, {@link UsageError}, {@link ConflictError}, {@link InvalidKeyError}, wrong options):
   * they end the run at once. What it throws, or answers but true and false, ends the run with a {@link CallbackError}.
   */
  retryIf?: (error: unknown, failedAttempts: number) => boolean;
  /** Runs under way at once, of those the engine allows: a whole number of at least 1, or `Infinity`. Further ones wait. */
  concurrency?: number;
  /** How long its runs are kept, if not as the engine says. */
  retention?: Duration | "forever";
  /** Which part of payloads is compared. Default: all of it. */
  fingerprint?: FingerprintOptions;
}

/**
 * Which part of a payload is compared with that of the run that has the ID: for fields that change from request to request though
 * the request is the same. Paths are member names and element numbers parted by dots, `*` for each: `"items.*.seenAt"`.
 */
export interface FingerprintOptions {
  /** All places but these. Not beside `pick`. */
  omit?: readonly string[];
  /** These places only. Not beside `omit`. */
  pick?: readonly string[];
}

/**
 * A workflow's code. It is run again from its beginning for each attempt of a run, so keep what has an effect inside
 * `context.run`. What it needs to know of its caller belongs in the payload: see {@link Engine}.
 */
export type WorkflowHandler<T> = (payload: T, context: RunContext) => Promise<unknown> | unknown;

/** What a handler is given beside its payload. */
export interface RunContext {
  /** The run's ID: the same on every attempt. */
  readonly runId: string;
  /** Which attempt of the run this is, from 1. A dead run that is started again counts on from where it was. */
  readonly attempt: number;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
  /** The event that started the run, the last of a batch; undefined for a run that was enqueued. A copy. */
  readonly event: SentEvent | undefined;
  /** All events that started the run: many if its workflow batches. Copies. */
  readonly events: readonly SentEvent[];
  /**
   * `<run ID>:<step>`: the key to pass to whoever performs the step's effect. The same on every attempt (C33).
   *
   * No two steps share one: the last colon is the border, so a colon in a step's name is written `%3A`, and a `%` that would look
   * like that is written `%25`. Any other name stays as it is.
   * @throws {InvalidKeyError} if that is longer than 255 bytes.
   */
  key(step: string, options?: StepOptions): string;
  /**
   * Runs a step, or hands on what it returned in an earlier attempt of this run. The result must be plain JSON data or
   * `undefined`; anything else fails the step for good. What is handed on is a copy of it.
   *
   * **At least once**: work that did its effect and was cut off before its result was saved runs again.
   *
   * A step for which the handler does not wait is waited for by the run; if it fails, the run fails with its error.
   *
   * @throws as a rejection: what the work threw last, once it is given up; {@link RunCancelledError}; {@link UsageError} for a name
   * that was used before in this attempt of the run.
   */
  run<R>(name: string, work: (step: StepContext) => R | PromiseLike<R>, options?: StepOptions): Promise<R>;
  /** Waits, in the engine's time. Like a step it has a name, and is not waited for again in another attempt. */
  sleep(name: string, duration: Duration, options?: StepOptions): Promise<void>;
  /** As {@link StepContext.effect}, for the one step that is under way. */
  effect(key?: string, options?: { known?: boolean }): number;
}

/** What a step's work is given. */
export interface StepContext {
  readonly name: string;
  /**
   * Which attempt of the step this is, from 1, over all attempts of its run, also after it was started again. An attempt that took over
   * work still under way from an earlier attempt of the run counts, so that numbers can be left out: 3 may follow 1.
   */
  readonly attempt: number;
  /** The key to pass to whoever performs the effect: `<run ID>:<step>`, as {@link RunContext.key} gives it. */
  readonly key: string;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Notes in the journal that a request with this key reached a provider and took effect, or, with `known`, that the
   * provider knew the key and did nothing. Changes nothing else. Returns how often this key has taken effect.
   */
  effect(key?: string, options?: { known?: boolean }): number;
}

export interface StepOptions {
  /** Tells two uses of one name apart, as in a loop. */
  index?: number | string;
}

export interface EnqueueOptions {
  /**
   * The run's ID: a key as {@link IdempotencyStore} has them, unique in its engine. The same ID with the same workflow and
   * payload is the same run, whether it waits, runs or is over; with another it is a {@link ConflictError}. Default: a
   * random UUID, which makes a new run of every call.
   */
  id?: string;
  /** Not to start before: a date or milliseconds since 1970. Plays no part in the comparison (C18). */
  runAt?: Date | number;
  /**
   * What to do with a run that has this ID, the same workflow and the same payload (another is a {@link ConflictError} whatever this
   * says):
   * - `"return"` (default): it is the caller's run, whatever its state; nothing is restarted (C4, C22).
   * - `"restartFailed"`: the same, but a dead one is started again with a new budget of attempts, its finished steps kept. Attempts
   *   are numbered on: a run that died at its third attempt begins with its fourth, and has three again.
   * - `"reject"`: a {@link ConflictError} of kind `"exists"`.
   * - `"replaceRunning"`: one that waits or runs is cancelled at once and a new run takes its ID.
   */
  onExisting?: "return" | "restartFailed" | "reject" | "replaceRunning";
  /**
   * With `"restartFailed"`: whether finished steps are run again too. Default false. A step whose work is still going is not finished: that
   * work is joined, and not begun a second time.
   */
  fresh?: boolean;
  /** Which part of the payload is compared, if not as the workflow says. */
  fingerprint?: FingerprintOptions;
}

/** What became of a request for a run. */
export interface EnqueueResult {
  /** The run's ID. It is the caller's run, new or not (C19). */
  readonly id: string;
  readonly workflow: string;
  readonly outcome: "created" | "existing" | "restarted" | "replaced";
  /** The run is new: created, or in place of one that was cancelled. */
  readonly created: boolean;
  readonly status: RunStatus;
  /** Attempts of the run begun so far. */
  readonly attempts: number;
  /** From when on it may be removed and its ID be new again, in milliseconds; `Infinity` for never. Absent while it is not over. */
  readonly retainedUntil?: number;
}

/** A workflow of an engine. */
export interface Workflow<T> {
  readonly name: string;
  /**
   * Accepts a run, or finds the one that has its ID. Resolves to the ID once it is stored; the work may not have begun. A payload that
   * is `undefined` is none: it reaches the handler as that, and is another than null.
   * Can be taken off the workflow: `const { enqueue } = workflow`.
   * @throws as a rejection: {@link ConflictError}, {@link InvalidKeyError}, {@link InvalidOptionError}, {@link EngineClosedError}, a
   * `TypeError` with the path of what JSON cannot hold. Nothing is stored then.
   */
  enqueue(payload: T, options?: EnqueueOptions): Promise<string>;
  /** The same, with what became of the request. */
  enqueueDetailed(payload: T, options?: EnqueueOptions): Promise<EnqueueResult>;
  /** The same in a loop: one result for each item, and none stops the others. */
  enqueueMany(items: Iterable<EnqueueOptions & { payload: T }>): Promise<PromiseSettledResult<EnqueueResult>[]>;
  /**
   * From now on none of its runs starts, and events that would start one are kept to be replayed. False if it is paused already.
   * @throws {EngineClosedError}
   */
  pause(): boolean;
  /** Ends the pause: what waits may start. Events that came meanwhile start nothing by themselves: see {@link Engine.replay}. */
  resume(): boolean;
  readonly paused: boolean;
}

export type RunStatus = "pending" | "running" | "succeeded" | "cancelled" | "dead";
/**
 * `cancelled`: it was not over when its run was cancelled. Of a step that outlived the attempt of its run, `running` while its
 * work is still going, and `done` once it has succeeded: the run's next attempt takes that result, and so does a dead run that is
 * started again with `onExisting: "restartFailed"`, unless `fresh`. A redrive has a new ID and begins anew.
 */
export type StepStatus = "idle" | "running" | "waiting" | "sleeping" | "done" | "gave-up" | "cancelled";

export interface StepInfo {
  readonly name: string;
  readonly status: StepStatus;
  /**
   * Attempts begun so far, over all attempts of the run, also those from before it was started again. One that took over work still under
   * way counts too, so the work may have begun less often.
   */
  readonly attempts: number;
}

/** A run as it stands. */
export interface RunInfo {
  readonly id: string;
  /** Its number in the journal. */
  readonly number: number;
  readonly workflow: string;
  readonly status: RunStatus;
  /** Attempts of the run begun so far, those included from before it was started again. */
  readonly attempts: number;
  /** When it was accepted, in milliseconds. */
  readonly queuedAt: number;
  /** Not to start before, in milliseconds, if somebody said so. */
  readonly runAt?: number;
  /** When it was over, in milliseconds. */
  readonly endedAt?: number;
  /** From when on it may be removed, in milliseconds; `Infinity` for never. Absent while it is not over. */
  readonly retainedUntil?: number;
  /** Where it comes from, if nobody simply asked for it. */
  readonly origin?: RunOrigin;
  readonly steps: readonly StepInfo[];
  /** What the handler returned, if it succeeded. */
  readonly result?: unknown;
  /** Why it was given up, if it is dead. */
  readonly reason?: "attempts-used" | "not-retryable" | "retry-after-too-long" | "key-conflict";
  /** What the handler threw last, if it is dead. */
  readonly error?: unknown;
}

export type RunOrigin =
  /** A dead run of this ID was done again. */
  | { readonly kind: "redrive"; readonly from: string }
  /** The run of this number was cancelled, and this one has its ID. */
  | { readonly kind: "replacement"; readonly of: number }
  /** Events, with the function key that they had. */
  | { readonly kind: "events"; readonly events: readonly EventRef[]; readonly key?: string; readonly replay: boolean };

export interface RunFilter {
  status?: RunStatus;
  /** The name of one that is defined. */
  workflow?: string;
}

export interface PruneOptions {
  /** Runs and events to remove at most: a whole number of at least 1, or `Infinity`. Default `Infinity`. */
  limit?: number;
}

export interface PruneResult {
  /** The IDs of the runs that were removed, in the order of removal. They are new again (C30). */
  readonly runs: readonly string[];
  /** The numbers of the events that were removed. */
  readonly events: readonly number[];
  /** There is more to remove now. */
  readonly more: boolean;
}

export interface ForgetOptions {
  /** Who or why, for the journal: at most 1,000 bytes. */
  note?: string;
}

export interface RedriveOptions<N> {
  /** The ID of the new run; for a list of runs a function that makes one of each old one. Default: a random UUID. */
  newId?: N;
}

export type EntryListener = (entry: JournalEntry) => void;

/**
 * Runs with identity, memoised steps, retries and virtual time, over one journal. In memory, of one process.
 *
 * Handlers and steps do not run in the `AsyncLocalStorage` context of whoever enqueued their run, but of whoever set the engine going, or of
 * nobody. What they need, such as a request ID or a tenant, is passed in the payload.
 */
export class Engine {
  /** @throws {InvalidOptionError} for an option that cannot be used, naming it. */
  constructor(options?: EngineOptions);
  /**
   * Defines a workflow. Its name is not in use.
   * @throws {InvalidOptionError | InvalidKeyError | UsageError | EngineClosedError} before anything is stored.
   */
  workflow<T>(name: string, handler: WorkflowHandler<T>): Workflow<T>;
  workflow<T>(name: string, options: WorkflowOptions, handler: WorkflowHandler<T>): Workflow<T>;
  /**
   * Accepts an event: it stands in the history whatever comes of it, and the result says what that is for each function that
   * listens. Stored when it resolves.
   * @throws as a rejection: {@link InvalidKeyError}, {@link InvalidOptionError}, {@link EngineClosedError}, a `TypeError` with the path of
   * what JSON cannot hold. Nothing is stored then.
   */
  send(event: NewEvent): Promise<SendResult>;
  /** The same in a loop: one result for each event, and none stops the others. */
  sendMany(events: Iterable<NewEvent>): Promise<PromiseSettledResult<SendResult>[]>;
  /** The history of events, in the order of acceptance, repeats included. */
  events(filter?: EventFilter): EventInfo[];
  /**
   * Offers events of the history to their functions again, at once and each alone: those that came during a pause
   * (`engine.events({ workflow, reason: "paused" })`), or any. Resolves to what each came to.
   * @throws as a rejection: {@link NotFoundError}, {@link PausedError}. Nothing is stored then.
   */
  replay(
    events: number | { readonly number: number } | readonly (number | { readonly number: number })[],
    options?: ReplayOptions,
  ): Promise<EventOutcome[]>;
  /**
   * Resolves when nothing runs or sleeps, and nothing that waits will start by itself: runs of a paused workflow do not count. Also
   * when the engine is closed. It does not wait for the work of a step whose run has ended meanwhile, such as the other step of a
   * `Promise.all` in which one gave up: that stands in `run(id).steps` as `running`. Rejects with
   * {@link EngineBrokenError}, and with {@link UsageError} where it would wait for ever: called inside a step or handler of this engine (after an `await` in it, Node tells when nothing else is left to do; in a process that
   * goes on and elsewhere it is not found), or if nothing in the process can carry the runs on.
   */
  idle(): Promise<void>;
  /**
   * A run, if there is one of this ID.
   * @throws {InvalidKeyError} for what can be no ID.
   */
  run(id: string): RunInfo | undefined;
  /**
   * All runs that are kept, in the order of acceptance.
   * @throws {InvalidOptionError | NotFoundError} for a status or workflow that there is not.
   */
  runs(filter?: RunFilter): RunInfo[];
  /**
   * Cancels a run: at once while it waits, else before its next step or at the end of its handler; `context.signal` aborts. Its ID
   * stays taken. False if it is over or unknown.
   * @throws {InvalidKeyError} for what can be no ID, {EngineClosedError}.
   */
  cancel(id: string): boolean;
  /**
   * Does a dead run again, as a new one with an ID of its own: same workflow and payload, attempts and steps of its own (C23). Of
   * several, one result for each.
   * @throws as a rejection: {@link RunStateError} if it is not dead, {@link NotFoundError}, {@link ConflictError} if `newId` is taken.
   */
  redrive(id: string, options?: RedriveOptions<string>): Promise<EnqueueResult>;
  redrive(ids: readonly string[], options?: RedriveOptions<(id: string) => string>): Promise<PromiseSettledResult<EnqueueResult>[]>;
  /**
   * Removes a run that is over before its time; its ID is new again. The journal keeps that this was done, and the note.
   * @throws as a rejection: {@link RunStateError} if it is not over, {@link NotFoundError}, {@link EngineClosedError}.
   */
  forget(id: string, options?: ForgetOptions): Promise<void>;
  /**
   * Removes runs that are over for as long as they are kept, the oldest end first, with their steps; then events that are as old
   * and began no run that is kept. Runs that wait or run are never removed (C25 to C30).
   */
  prune(options?: PruneOptions): PruneResult;
  /** As {@link Workflow.pause}, by the name of the workflow. */
  pause(workflow: string): boolean;
  /** As {@link Workflow.resume}. */
  resume(workflow: string): boolean;
  /**
   * All that happened, in order. Plain objects. With `journal: { keep }` what is kept of it; `seq` is still the place among all, so that
   * of the first is {@link Engine.journalDropped}.
   */
  journal(): JournalEntry[];
  /**
   * The same as JSON lines, below a first line that says what they are: what the playground opens. If entries were dropped that line
   * says how many (`"dropped":8192`), and the playground refuses the journal by that.
   */
  journalText(): string;
  /** How many entries are gone, from the first on. 0 unless `journal: { keep }` says that not all are kept. */
  readonly journalDropped: number;
  /**
   * Calls the listener with every entry from now on, after it happened, also with those that are not kept. What a listener throws
   * surfaces as an uncaught error. The returned function stops it. `journalText()` and, from then on, `JSON.stringify(entry)` as a
   * line for each entry make a whole journal in a file.
   */
  on(event: "entry", listener: EntryListener): () => void;
  /**
   * Starts nothing any more, takes nothing more, aborts the signals of what runs, and leaves no timer. A handler that sleeps, or waits for a
   * step to be tried again, is told so by an {@link EngineClosedError}, and one that goes on at its next step; what its steps under way come
   * to is still written into the journal. What can be read stays readable: runs are as they were. Waits for no work: a process that is to
   * end in peace awaits {@link Engine.idle} first.
   */
  close(): Promise<void>;
}
