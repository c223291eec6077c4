/** The promise of a step, which knows whether anybody listens: a failure that nobody hears is its run's failure. */

// What settles the promise that is being made. There is one for every step, so it costs no closure.
let resolveMade: (value: unknown) => void;
let rejectMade: (error: unknown) => void;
const executor = (resolve: (value: unknown) => void, reject: (error: unknown) => void): void => {
  resolveMade = resolve;
  rejectMade = reject;
};

export class StepPromise extends Promise<unknown> {
  /** Somebody waits for it, or did. */
  heard = false;
  /** It has no outcome yet. */
  open = true;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;

  constructor() {
    super(executor);
    this.#resolve = resolveMade;
    this.#reject = rejectMade;
  }

  /** What is made of it is a plain promise, of which only its maker knows whether anybody listens. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  override then<A = unknown, B = never>(
    fulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.heard = true;
    return super.then(fulfilled, rejected);
  }

  succeed(value: unknown): void {
    this.open = false;
    this.#resolve(value);
  }

  fail(error: unknown): void {
    this.open = false;
    // The run takes care of it if nobody else does; it must not end the process.
    super.then(undefined, () => {});
    this.#reject(error);
  }
}
