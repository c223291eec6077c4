/** Waiting. No wait ends early, none is longer than asked, and an aborted one leaves no timer behind. */

/** The longest that `setTimeout` can wait; anything above fires at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** Timers may fire this much before the clock says so, because both cut off fractions. More is another clock's affair. */
const EARLY_MS_MAX = 2;

/** Calls `fire` after `ms`, which may be longer than a timer can be; `Infinity` is never. The returned function calls it off. */
export function after(ms: number, fire: () => void): () => void {
  if (ms === Infinity) return () => {};
  const due = Date.now() + ms;
  let left = ms;
  let timer: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const part = Math.min(Math.ceil(left), TIMEOUT_MS_MAX);
    left -= part;
    timer = setTimeout(partOver, part);
  };
  const partOver = (): void => {
    const early = left > 0 ? 0 : due - Date.now();
    if (early > 0 && early <= EARLY_MS_MAX) left = early;
    if (left > 0) arm();
    else fire();
  };
  arm();
  return () => clearTimeout(timer);
}

/** Resolves after `ms`; rejects with the signal's reason as soon as one of the signals aborts. */
export function sleep(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, () => end(resolve));
    const ends = signals.filter((signal) => signal !== undefined).map((signal) => onAbort(signal, () => end(() => reject(signal.reason))));
    function end(settle: () => void): void {
      cancel();
      for (const stop of ends) stop();
      settle();
    }
  });
}

/** Calls `act` when the signal aborts, or in a microtask if it has. The returned function stops listening. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    let listening = true;
    queueMicrotask(() => listening && act());
    return () => {
      listening = false;
    };
  }
  signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
}

/** The promise's outcome, or the signal's reason if that comes first; the promise then goes on unobserved. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason));
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}
