/** Checked by the compiler, never built: the implementation is what the public types say, no more and no less. */

import type * as published from "../types/index.js";
import type * as written from "./index.js";

type Values<M> = { [K in keyof M]: M[K] };

/** Every published value is written so. */
export const fits = (implementation: Values<typeof written>): Values<typeof published> => implementation;

type Unpublished = Exclude<keyof typeof written, keyof typeof published>;
/** Nothing is exported that is not published. */
export const nothingUnpublished: [Unpublished] extends [never] ? true : Unpublished = true;
