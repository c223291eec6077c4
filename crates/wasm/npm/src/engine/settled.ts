/** A batch is the single form in a loop: one result for each item, in their order, and no item stops the others. */

import { wrongType } from "../errors.js";

function isList(items: unknown): boolean {
  try {
    return typeof items === "object" && items !== null && typeof (items as Partial<Iterable<unknown>>)[Symbol.iterator] === "function";
  } catch {
    // A proxy that was revoked.
    return false;
  }
}

export function settledEach<A, B>(option: string, items: Iterable<A>, each: (item: A) => B): PromiseSettledResult<B>[] {
  if (!isList(items)) throw wrongType(option, "a list", items);
  return Array.from(items, (item): PromiseSettledResult<B> => {
    try {
      return { status: "fulfilled", value: each(item) };
    } catch (reason) {
      return { status: "rejected", reason };
    }
  });
}
