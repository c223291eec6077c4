/** What the package exports. `types/index.d.ts` describes it; `conformance.ts` holds the two equal. */

export { ConflictError, InFlightError, InvalidKeyError, NonRetryableError, ReentrantKeyError, RetryAfterError } from "./errors.js";
export { SimpleQueue } from "./queue.js";
export { retryEachStep, withRetry } from "./retry.js";
export { load } from "./runtime.js";
export { idempotentSteps } from "./steps.js";
export { IdempotencyStore } from "./store.js";
export { workflow } from "./workflow.js";
