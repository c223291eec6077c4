/**
 * Instances of the WebAssembly binary: compiled on first use, never at import. The small parts share one instance;
 * each engine has its own, so that a broken one harms nobody else.
 */

import { type Glue, instantiate } from "#glue";
import { compile } from "#wasm";

export type { Glue };

/** What a call returns for "none" where a number of a job, key, run or step is expected. */
export const NONE = 0xffffffff;

let compiled: WebAssembly.Module | undefined;
let shared: Glue | undefined;

/** The instance of the small parts. */
export function parts(): Glue {
  return (shared ??= newInstance());
}

/** An instance of its own. */
export function newInstance(): Glue {
  return instantiate((compiled ??= compile()));
}

/** Compiles the engine from elsewhere, before its first use. See the public types. */
export async function load(source: Response | Promise<Response> | URL | string | WebAssembly.Module): Promise<void> {
  if (compiled !== undefined) return;
  if (source instanceof WebAssembly.Module) {
    compiled = source;
    return;
  }
  const response = await (source instanceof URL || typeof source === "string" ? fetch(source) : source);
  if (!response.ok) throw new Error(`the engine could not be loaded: ${response.status} for ${response.url}`);
  // A server without the type application/wasm is common; streaming refuses it, compiling does not.
  const streams = response.headers.get("content-type")?.startsWith("application/wasm") === true;
  const module = streams
    ? await WebAssembly.compileStreaming(response)
    : await WebAssembly.compile(await response.arrayBuffer());
  compiled ??= module;
}
