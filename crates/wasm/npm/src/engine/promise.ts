/** The promise of a step, which knows whether anybody listens: a failure that nobody hears is its run's failure. */

export class StepPromise extends Promise<unknown> {
  /** Somebody waits for it, or did. */
  heard = false;
  /** It has no outcome yet. */
  open = true;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;

  constructor() {
    let settle: [(value: unknown) => void, (error: unknown) => void];
    super((resolve, reject) => (settle = [resolve, reject]));
    [this.#resolve, this.#reject] = settle!;
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
