/** Whether to wait for a value: anything with a `then`, as `await` has it. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value !== undefined &&
    value !== null &&
    (typeof value === "object" || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** What can be listened to twice: others are for the language to tame, because some begin anew each time, and some throw. */
export function plain(result: PromiseLike<unknown>): Promise<unknown> {
  return result instanceof Promise && result.constructor === Promise ? result : Promise.resolve(result);
}
