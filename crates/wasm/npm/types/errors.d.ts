/** The errors of the package. Each has a `code`; none holds a payload, an earlier value or a secret. */

import type { RunStatus } from "./engine.js";
import type { Difference } from "./journal.js";

/** What the `code` of an error says. */
export type ErrorCode =
  /** An option or argument that cannot be used: {@link InvalidOptionError}. */
  | "ERR_INVALID_OPTION"
  /** {@link InvalidKeyError} */
  | "ERR_INVALID_KEY"
  /** Data that JSON would change in silence, or not hold: a `TypeError` with the path. */
  | "ERR_INVALID_DATA"
  /** A method that was called without its object, as after `const { add } = queue`: a `TypeError`. */
  | "ERR_DETACHED_METHOD"
  /** More at once than can be numbered: a `RangeError`. */
  | "ERR_LIMIT"
  /** The WebAssembly core cannot be fetched or compiled: an `Error` with its cause. */
  | "ERR_LOAD"
  /** {@link NonRetryableError} */
  | "ERR_NON_RETRYABLE"
  /** {@link RetryAfterError} */
  | "ERR_RETRY_AFTER"
  /** {@link CallbackError} */
  | "ERR_CALLBACK"
  /** {@link ReentrantKeyError} */
  | "ERR_REENTRANT_KEY"
  /** {@link InFlightError} */
  | "ERR_IN_FLIGHT"
  /** {@link ConflictError} */
  | "ERR_CONFLICT"
  /** {@link RunCancelledError} */
  | "ERR_RUN_CANCELLED"
  /** {@link ExpressionError} */
  | "ERR_EXPRESSION"
  /** {@link EngineBrokenError} */
  | "ERR_ENGINE_BROKEN"
  /** {@link EngineClosedError} */
  | "ERR_ENGINE_CLOSED"
  /** {@link NotFoundError} */
  | "ERR_NOT_FOUND"
  /** {@link RunStateError} */
  | "ERR_RUN_STATE"
  /** {@link PausedError} */
  | "ERR_PAUSED"
  /** {@link UsageError} */
  | "ERR_USAGE";

/**
 * An option or argument that cannot be used: of the wrong type, out of its range, or not known. A type and no class, because it is a
 * `TypeError` or a `RangeError`: tell it by its `code`, not by `instanceof`.
 */
export type InvalidOptionError = (TypeError | RangeError) & {
  readonly code: "ERR_INVALID_OPTION";
  /** Its name, as it is written. */
  readonly option: string;
};

/** A callback among the options threw, or answered what cannot be used, so that there is no further attempt. Never retried. */
export class CallbackError extends Error {
  constructor(option: string, thrown: unknown, cause: unknown);
  readonly name: "CallbackError";
  readonly code: "ERR_CALLBACK";
  /** The callback: `"retryIf"`, `"random"`. */
  readonly option: string;
  /** What it threw. */
  readonly thrown: unknown;
  /** The very value with which the attempt had failed. */
  readonly cause: unknown;
}

/** Throw it to stop the retrying: trying again is useless. */
export class NonRetryableError extends Error {
  constructor(message?: string, options?: ErrorOptions);
  readonly name: "NonRetryableError";
  readonly code: "ERR_NON_RETRYABLE";
}

/** Throw it to make the next attempt wait at least as long as the server asked for. */
export class RetryAfterError extends Error {
  /**
   * @param told `{ delayMs }`, or `{ header }` with the text of a `Retry-After` (seconds or an HTTP date). A text that is
   * neither is no hint.
   */
  constructor(message: string, told: { delayMs: number } | { header: string | null | undefined }, options?: ErrorOptions);
  readonly name: "RetryAfterError";
  readonly code: "ERR_RETRY_AFTER";
  /** The wait that was asked for, in milliseconds; undefined if the hint could not be read. */
  readonly retryAfterMs: number | undefined;
}

/** A key or an ID that is none. Never retried. */
export class InvalidKeyError extends TypeError {
  constructor(message?: string, options?: ErrorOptions);
  readonly name: "InvalidKeyError";
  readonly code: "ERR_INVALID_KEY";
}

/** Work, directly or through others, waits for itself. Never retried. */
export class ReentrantKeyError extends Error {
  constructor(key: string);
  readonly name: "ReentrantKeyError";
  readonly code: "ERR_REENTRANT_KEY";
  readonly key: string;
}

/** The key's work is running, and the call did not want to wait. */
export class InFlightError extends Error {
  constructor(key: string);
  readonly name: "InFlightError";
  readonly code: "ERR_IN_FLIGHT";
  readonly key: string;
}

/** The key or ID was used before for something else. Never retried. */
export class ConflictError extends Error {
  constructor(key: string, kind: ConflictError["kind"], differences: readonly Difference[], message: string, more?: number);
  readonly name: "ConflictError";
  readonly code: "ERR_CONFLICT";
  readonly key: string;
  /** The data differ, the workflow does, or nothing does and the caller would not have a run that exists. */
  readonly kind: "payload" | "workflow" | "exists";
  /** Where the data differ and how, at most 20 places; never what stands there. Empty if the texts are too long to be kept. */
  readonly differences: readonly Difference[];
  /** How many places more. */
  readonly more: number;
  /** The places alone: `payload.items[2].name`. */
  readonly paths: readonly string[];
}

/** The run was cancelled: its steps end with this. */
export class RunCancelledError extends Error {
  constructor(runId: string);
  readonly name: "RunCancelledError";
  readonly code: "ERR_RUN_CANCELLED";
  readonly runId: string;
}

/**
 * The engine does nothing any more: its WebAssembly instance trapped, or its clock failed (see `cause`). Everything that
 * waits for it rejects with this, and so does every later call. Another engine is not affected, and a new one can be made.
 */
export class EngineBrokenError extends Error {
  constructor(journalText: string, options?: ErrorOptions);
  readonly name: "EngineBrokenError";
  readonly code: "ERR_ENGINE_BROKEN";
  /** All that had happened, or what is kept of it, as `Engine.journalText` gives it. */
  readonly journalText: string;
}

/** The engine was closed: it takes nothing more. Where a step failed that might have been tried again, its `cause` is what the step threw. */
export class EngineClosedError extends Error {
  constructor(options?: ErrorOptions);
  readonly name: "EngineClosedError";
  readonly code: "ERR_ENGINE_CLOSED";
}

/** There is no such run, event or workflow; a run may have been removed. */
export class NotFoundError extends Error {
  constructor(message?: string, options?: ErrorOptions);
  readonly name: "NotFoundError";
  readonly code: "ERR_NOT_FOUND";
}

/** The run is not in a state in which that can be done. */
export class RunStateError extends Error {
  constructor(runId: string, status: RunStatus, needs: string);
  readonly name: "RunStateError";
  readonly code: "ERR_RUN_STATE";
  readonly runId: string;
  readonly status: RunStatus;
}

/** The workflow is paused: an event cannot be replayed to it. */
export class PausedError extends Error {
  constructor(workflow: string);
  readonly name: "PausedError";
  readonly code: "ERR_PAUSED";
  readonly workflow: string;
}

/**
 * The program does what can never work: a step name used twice, a step of a run that is over, `idle()` inside a step, `onIdle()` inside a
 * handler of its queue. Never retried.
 */
export class UsageError extends Error {
  constructor(message?: string, options?: ErrorOptions);
  readonly name: "UsageError";
  readonly code: "ERR_USAGE";
}

/** An expression that cannot be used: what is wrong with it, and where. The message shows the place. */
export class ExpressionError extends Error {
  constructor(
    option: string,
    message: string,
    place: Pick<ExpressionError, "problem"> & Partial<Pick<ExpressionError, "line" | "column" | "offset" | "excerpt">>,
  );
  readonly name: "ExpressionError";
  readonly code: "ERR_EXPRESSION";
  /** The option that it was given for: `"idempotency"`. */
  readonly option: string;
  /** `"trap"`: it needed more memory or stack than there is. All others are about its text. */
  readonly problem: "empty" | "too-long" | "too-deep" | "syntax" | "unknown-name" | "unknown-function" | "trap";
  /** The line, from 1. */
  readonly line: number;
  /** The character in its line, from 1. */
  readonly column: number;
  /** The place in the text, from 0. */
  readonly offset: number;
  /** The line, and a mark below the place. */
  readonly excerpt: string;
}
