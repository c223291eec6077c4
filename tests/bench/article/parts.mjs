// The article's parts, in one module.
export { IdempotencyStore, idempotentSteps } from "./idempotency.mjs";
export { SimpleQueue } from "./queue.mjs";
export { withRetry } from "./retry.mjs";
export { retryEachStep, workflow } from "./workflow.mjs";
