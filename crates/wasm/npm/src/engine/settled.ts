/** A batch is the single form in a loop: one result for each item, in their order, and no item stops the others. */

import { wrongType } from "../errors.js";

export function settledEach<A, B>(option: string, items: Iterable<A>, each: (item: A) => B): PromiseSettledResult<B>[] {
  if (typeof items !== "object" || items === null || typeof items[Symbol.iterator] !== "function") {
    throw wrongType(option, "a list", items);
  }
  return Array.from(items, (item): PromiseSettledResult<B> => {
    try {
      return { status: "fulfilled", value: each(item) };
    } catch (reason) {
      return { status: "rejected", reason };
    }
  });
}
