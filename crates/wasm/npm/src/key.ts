/** Keys and IDs: checked where they enter, once per name. */

import { InvalidKeyError, refuse, show } from "./errors.js";
import { rules } from "./runtime.js";

/** What nearly every key is. All that passes is a key for the core too; the rest is for the core to judge. */
const PLAIN = /^[ -~]{1,255}$/;

/** Throws an `InvalidKeyError` unless `key` is a text of 1 to 255 bytes of UTF-8 without NUL and lone surrogates. */
export function checkKey(what: string, key: unknown): asserts key is string {
  if (typeof key !== "string") {
    refuse(key);
    throw new InvalidKeyError(`${what} needs a string, got ${show(key)}`);
  }
  if (PLAIN.test(key)) return;
  // Its length in bytes is at least that in UTF-16 units, so what is far too long need not be copied whole.
  const length = Math.min(key.length, 1024);
  const units = new Uint16Array(length);
  for (let at = 0; at < length; at++) units[at] = key.charCodeAt(at);
  try {
    rules().checkKey(what, units);
  } catch (error) {
    throw error instanceof TypeError ? new InvalidKeyError(error.message) : error;
  }
}
