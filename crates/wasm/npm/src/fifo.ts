/** First in, first out. In chunks: a long list never moves, and what is done with does not stay in memory. */

const CHUNK = 256;

type Chunk<T> = { readonly items: (T | undefined)[]; next: Chunk<T> | undefined };

export class Fifo<T> {
  // The first grows with what is in it: most queues are short.
  #head: Chunk<T> = { items: [], next: undefined };
  #tail = this.#head;
  /** Of the head: those before it are taken. */
  #from = 0;
  /** Of the tail: so many were put there. */
  #to = 0;

  get isEmpty(): boolean {
    return this.#head === this.#tail && this.#from === this.#to;
  }

  push(item: T): void {
    if (this.#to === CHUNK) {
      // Those after it have their size at once: to grow would make garbage of twice as much.
      this.#tail = this.#tail.next = { items: new Array<T | undefined>(CHUNK), next: undefined };
      this.#to = 0;
    }
    this.#tail.items[this.#to++] = item;
  }

  /** The first, if there is any. */
  take(): T | undefined {
    if (this.#head === this.#tail) {
      if (this.#from === this.#to) return undefined;
    } else if (this.#from === CHUNK) {
      this.#head = this.#head.next!;
      this.#from = 0;
    }
    const { items } = this.#head;
    const item = items[this.#from];
    items[this.#from++] = undefined;
    return item;
  }
}
