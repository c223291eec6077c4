/** The errors of the engine that a caller may want to tell apart, and which errors end a run at once. */

import type { RunStatus } from "../../types/index.js";
import { ConflictError, InvalidKeyError, NonRetryableError, ReentrantKeyError } from "../errors.js";

/** See the public types. */
export class NotFoundError extends Error {
  override readonly name = "NotFoundError";
  readonly code = "ERR_NOT_FOUND";
}

/** See the public types. */
export class RunStateError extends Error {
  override readonly name = "RunStateError";
  readonly code = "ERR_RUN_STATE";
  readonly runId: string;
  readonly status: RunStatus;

  constructor(runId: string, status: RunStatus, needs: string) {
    super(`the run "${runId}" needs to be ${needs}, and it is ${status}`);
    this.runId = runId;
    this.status = status;
  }
}

/** See the public types. */
export class PausedError extends Error {
  override readonly name = "PausedError";
  readonly code = "ERR_PAUSED";
  readonly workflow: string;

  constructor(workflow: string) {
    super(`the workflow "${workflow}" is paused; resume it first`);
    this.workflow = workflow;
  }
}

/** See the public types. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "ERR_USAGE";
}

/** See the public types. */
export class EngineClosedError extends Error {
  override readonly name = "EngineClosedError";
  readonly code = "ERR_ENGINE_CLOSED";

  constructor(options?: ErrorOptions) {
    super("the engine is closed", options);
  }
}

const FINAL = [NonRetryableError, ConflictError, InvalidKeyError, ReentrantKeyError, UsageError];
/** Errors without a class of their own. */
const FINAL_CODES: unknown[] = ["ERR_INVALID_OPTION", "ERR_INVALID_DATA", "ERR_DETACHED_METHOD"];

/** Trying again after these would give the same: the program is wrong, not the moment. */
export function isFinal(error: unknown): boolean {
  return FINAL.some((kind) => error instanceof kind) || (error instanceof Error && FINAL_CODES.includes((error as { code?: unknown }).code));
}
