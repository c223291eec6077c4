/** What the package exports. `types/index.d.ts` describes it; `conformance.ts` holds the two equal. */

export { lintKey, smallestSafeWindow } from "./advice.js";
export { ExpressionError } from "./cel/error.js";
export { loadExpressions } from "./cel/expressions.js";
export { TestClock } from "./engine/clock.js";
export { Engine } from "./engine/engine.js";
export { EngineClosedError, NotFoundError, PausedError, RunStateError, UsageError } from "./engine/errors.js";
export {
  CallbackError, ConflictError, EngineBrokenError, InFlightError, InvalidKeyError, NonRetryableError, ReentrantKeyError,
  RunCancelledError,
} from "./errors.js";
export { SimpleQueue } from "./queue.js";
export { retryEachStep, withRetry } from "./retry.js";
export { RetryAfterError } from "./retry-after.js";
export { load } from "./load.js";
export { idempotentSteps } from "./steps.js";
export { IdempotencyStore } from "./store.js";
export { simulate, theory } from "./table.js";
export { workflow } from "./workflow.js";
