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

const { then } = Promise.prototype;

/** Listens to it as `await` does: of a promise that is plain, neither its own `then` nor another's is asked. */
export function listen(result: PromiseLike<unknown>, fulfilled: (value: unknown) => void, rejected: (error: unknown) => void): void {
  // The first is no other than the second, but the compiler sees through it.
  if (result instanceof Promise && result.then === then && result.constructor === Promise) void result.then(fulfilled, rejected);
  else void then.call(Promise.resolve(result), fulfilled, rejected);
}
