/**
 * The journal: all that happened, one entry for each thing, in order. Plain JSON, and the file format of the playground.
 * Runs, steps, events, keys and workflows are numbers in it, from 0; `run-queued`, `step-found`, `event-accepted` and
 * `workflow-defined` say their names. Times are milliseconds.
 */

/** One line of the journal. Switch on its `type`. */
export type JournalEntry = { [K in keyof JournalEvents]: { readonly seq: number; readonly at: number; readonly type: K } & JournalEvents[K] }[keyof JournalEvents];

/** The entry of one type. */
export type JournalEntryOf<K extends keyof JournalEvents> = Extract<JournalEntry, { readonly type: K }>;

/** What every type of entry says, beside its place (`seq`, from 0) and its time (`at`). */
export interface JournalEvents {
  /** The engine began. */
  readonly opened: { readonly options: { readonly seed: number; readonly workers?: number; readonly keyTtlMs?: number } };
  readonly "workflow-defined": { readonly workflow: number; readonly definition: JournalWorkflow };
  /** Events start the workflow, or it has slots of its own. */
  readonly "function-defined": { readonly workflow: number; readonly function: JournalFunction };
  /** How long runs that are over are kept: absent for ever. Of one workflow, or of all that have no time of their own. */
  readonly "retention-set": { readonly workflow?: number; readonly keepMs?: number };
  readonly "workflow-paused": { readonly workflow: number };
  readonly "workflow-resumed": { readonly workflow: number };
  /** A run was accepted and waits. */
  readonly "run-queued": {
    readonly run: number;
    readonly workflow: number;
    readonly id?: string;
    readonly subject?: string;
    readonly data?: number;
    readonly runAt?: number;
    /** What is compared of its payload. */
    readonly payload?: JournalPayload;
    readonly origin?: JournalOrigin;
  };
  /** An event was accepted. With `duplicateOf` it is a repeat of an event whose window is open. */
  readonly "event-accepted": {
    readonly event: number;
    readonly name: string;
    readonly id?: string;
    readonly ts?: number;
    readonly payload?: JournalPayload;
    readonly duplicateOf?: number;
  };
  /** An event waits for others of its group. */
  readonly "event-held": {
    readonly workflow: number;
    readonly event: number;
    readonly group?: string;
    readonly until: number;
    readonly key?: string;
    readonly rate?: string;
  };
  /** An event did not start a run of its own. */
  readonly "start-skipped": { readonly workflow: number; readonly event: number; readonly replay?: boolean } & JournalNoStart;
  readonly "event-pruned": { readonly event: number };
  /** A request named the ID of a run that matches it, and got that run. */
  readonly "enqueue-repeated": { readonly run: number; readonly onExisting: JournalOnExisting };
  /** A request named the ID of a run and was refused. Without `mismatch` it would not have a run that exists. */
  readonly "enqueue-refused": { readonly run: number; readonly workflow: number; readonly mismatch?: JournalMismatch };
  readonly "run-restarted": { readonly run: number; readonly fresh: boolean };
  /** An attempt of the run begins. */
  readonly "run-started": { readonly run: number; readonly pass: number };
  readonly "step-found": { readonly run: number; readonly step: number; readonly name: string };
  /** The step was finished in an earlier attempt of the run, and its saved result was handed on. */
  readonly "step-replayed": { readonly run: number; readonly step: number };
  readonly "key-claimed": { readonly run: number; readonly step: number; readonly key: number };
  readonly "key-expired": { readonly key: number; readonly expiredAt: number };
  readonly "key-forgotten": { readonly key: number };
  readonly "step-skipped": { readonly run: number; readonly step: number; readonly key: number; readonly savedBy: number; readonly otherData?: boolean };
  readonly "step-joined": { readonly run: number; readonly step: number; readonly attempt: number; readonly key: number; readonly leader: number };
  readonly "key-conflict": { readonly run: number; readonly step: number; readonly key: number; readonly first: number };
  readonly "attempt-started": JournalAttempt;
  readonly "attempt-succeeded": JournalAttempt;
  readonly "attempt-failed": JournalAttempt & { readonly error: string };
  /** The process stopped during the attempt, or nobody waits for it any more. */
  readonly "attempt-interrupted": JournalAttempt;
  readonly "key-saved": { readonly key: number; readonly expiresAt?: number };
  readonly "key-released": { readonly key: number };
  /** A step, or without `step` the whole run, will be tried again. */
  readonly "retry-scheduled": { readonly run: number; readonly step?: number; readonly until: number; readonly delayMs: number; readonly delayMsMax: number };
  readonly "sleep-started": { readonly run: number; readonly step: number; readonly until: number };
  readonly "sleep-ended": { readonly run: number; readonly step: number };
  readonly "step-gave-up": { readonly run: number; readonly step: number; readonly why: JournalGiveUp };
  readonly "handler-failed": { readonly run: number; readonly error: string };
  readonly "run-succeeded": { readonly run: number };
  readonly "run-gave-up": { readonly run: number; readonly why: JournalGiveUp; readonly error: string };
  readonly "cancel-requested": { readonly run: number };
  readonly "run-cancelled": { readonly run: number };
  readonly "run-pruned": { readonly run: number };
  /** Somebody had a run removed before its time. */
  readonly "run-forgotten": { readonly run: number; readonly note?: string };
  readonly "process-restarted": unknown;
  /** A request reached the provider: what a script noted with `effect`, and this and the next five in the playground. */
  readonly "request-arrived": JournalAttempt & { readonly key?: string };
  /** The provider did the work, for the `count`th time. */
  readonly "effect-done": JournalAttempt & { readonly count: number };
  readonly "provider-knew-key": JournalAttempt;
  readonly "provider-refused": JournalAttempt;
  readonly "call-failed": JournalAttempt;
  readonly "reply-lost": JournalAttempt;
}

export interface JournalAttempt {
  readonly run: number;
  readonly step: number;
  readonly attempt: number;
}

/** The canonical JSON of what is compared, or its SHA-256 where that is long. */
export type JournalPayload = { readonly json: string } | { readonly sha256: string };

export type JournalOrigin =
  | { readonly kind: "redrive"; readonly from: number }
  | { readonly kind: "replacement"; readonly of: number }
  | {
      readonly kind: "events";
      readonly events: readonly number[];
      readonly key?: string;
      readonly keyUntil?: number;
      readonly rate?: string;
      readonly replay?: boolean;
    };

export type JournalNoStart =
  | { readonly reason: "duplicate-event"; readonly winner: number; readonly leftMs: number }
  | { readonly reason: "duplicate-function-key"; readonly winner: number; readonly leftMs?: number }
  | { readonly reason: "paused" }
  | { readonly reason: "debounced"; readonly winner: number }
  | { readonly reason: "batched"; readonly winner: number }
  | { readonly reason: "rate-limited"; readonly winner: number; readonly leftMs: number }
  | { readonly reason: "no-key"; readonly error: string }
  | { readonly reason: "full" };

export type JournalOnExisting =
  | { readonly kind: "return" }
  | { readonly kind: "restart-failed"; readonly fresh: boolean }
  | { readonly kind: "reject" }
  | { readonly kind: "replace-running" };

/** A place at which two payloads differ; never what stands there. */
export interface Difference {
  /** As JavaScript would write it: `payload.items[2].name`. */
  readonly path: string;
  /** There is nothing there now, there was nothing before, the types differ, or the values do. */
  readonly kind: "missing" | "extra" | "type" | "value";
}

export type JournalMismatch =
  | { readonly kind: "workflow" }
  | { readonly kind: "payload"; readonly differences: readonly Difference[]; readonly more: number };

export type JournalGiveUp = "attempts-used" | "not-retryable" | "retry-after-too-long" | "key-conflict";

export interface JournalWorkflow {
  readonly name: string;
  readonly steps: "found" | { readonly list: readonly string[] };
  readonly stepRetry: JournalRetry;
  readonly runRetry: JournalRetry;
  readonly memo: boolean;
  readonly once: boolean;
  readonly compareData: boolean;
}

export interface JournalRetry {
  readonly maxAttempts: number | null;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly factor: number;
  readonly jitter: "none" | "full" | "equal" | { readonly ratio: number };
  readonly maxRetryAfterMs: number;
}

export interface JournalFunction {
  readonly on: readonly string[];
  readonly key: "none" | "required" | "optional";
  readonly keyWindowMs?: number;
  readonly debounce?: { readonly periodMs: number; readonly timeoutMs?: number };
  readonly batch?: { readonly sizeMax: number; readonly timeoutMs: number };
  readonly rateLimit?: { readonly limit: number; readonly periodMs: number };
  readonly concurrency?: number;
}
