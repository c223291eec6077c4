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
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;

  constructor() {
    super(executor);
    this.#resolve = resolveMade;
    this.#reject = rejectMade;
  }

  /**
   * To `await`, and to `Promise.all` and its like, it is a promise like any other: they ask for this first, and wait for what
   * says `Promise` itself, where any other class would be wrapped, which costs two promises and two turns. Whoever asks
   * is about to wait. What is made of it is a plain promise, of which only its maker knows whether anybody listens.
   */
  override get ["constructor"](): PromiseConstructor {
    this.heard = true;
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
    this.#resolve(value);
  }

  fail(error: unknown): void {
    // The run takes care of it if nobody else does; it must not end the process.
    // To listen asks for the constructor, and this is not somebody who waits.
    const { heard } = this;
    super.then(undefined, () => {});
    this.heard = heard;
    this.#reject(error);
  }
}
