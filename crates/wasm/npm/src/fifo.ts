/** First in, first out. In chunks: a long list never moves, and what is done with does not stay in memory. */

const CHUNK = 256;

type Chunk<T> = { readonly items: (T | undefined)[]; next: Chunk<T> | undefined };

export class Fifo<T> {
  #head: Chunk<T> = { items: [], next: undefined };
  #tail = this.#head;
  /** Of the head: those before it are taken. */
  #from = 0;

  get isEmpty(): boolean {
    return this.#head === this.#tail && this.#from === this.#head.items.length;
  }

  push(item: T): void {
    if (this.#tail.items.length === CHUNK) this.#tail = this.#tail.next = { items: [], next: undefined };
    this.#tail.items.push(item);
  }

  /** The first, if there is any. */
  take(): T | undefined {
    let { items } = this.#head;
    if (this.#from === items.length) {
      if (this.#head.next === undefined) return undefined;
      this.#head = this.#head.next;
      this.#from = 0;
      ({ items } = this.#head);
    }
    const item = items[this.#from];
    items[this.#from++] = undefined;
    return item;
  }
}
