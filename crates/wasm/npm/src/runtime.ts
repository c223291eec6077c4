/**
 * Instances of the WebAssembly binary: compiled on first use, never at import. The small parts share one instance;
 * each engine has its own, so that a broken one harms nobody else.
 */

import { type Glue, instantiate } from "#glue";
import { compile } from "#wasm";
import { isInstance, loadError, wrongType } from "./errors.js";

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
  return instantiate((compiled ??= compiledHere()));
}

function compiledHere(): WebAssembly.Module {
  try {
    return compile();
  } catch (error) {
    throw loadError("compiling it is forbidden here; a page's Content-Security-Policy needs 'wasm-unsafe-eval'", error);
  }
}

/** Compiles the engine from elsewhere, before its first use. See the public types. */
export async function load(source: Response | Promise<Response> | URL | string | WebAssembly.Module): Promise<void> {
  const given: unknown = await Promise.resolve(source).catch((error: unknown) => {
    throw loadError("the response did not come", error);
  });
  const fits =
    isInstance(given, WebAssembly.Module) || isInstance(given, URL) || typeof given === "string" || isResponse(given);
  if (!fits) throw wrongType("source", "a URL, a Response or a WebAssembly.Module", given);
  if (compiled !== undefined) return;
  const module = given instanceof WebAssembly.Module ? given : await fetched(given);
  if (compiled !== undefined) return;
  try {
    // What is not this package's core shows here, and not at the first queue.
    shared = instantiate(module);
  } catch (error) {
    throw loadError("the module is not the core of this version of twiceproof", error);
  }
  compiled = module;
}

function isResponse(value: unknown): value is Response {
  try {
    return typeof (value as Partial<Response> | null | undefined)?.arrayBuffer === "function";
  } catch {
    // A revoked proxy.
    return false;
  }
}

async function fetched(source: URL | string | Response): Promise<WebAssembly.Module> {
  let response: Response;
  try {
    response = source instanceof URL || typeof source === "string" ? await fetch(source) : source;
  } catch (error) {
    throw loadError(`${String(source)} cannot be fetched`, error);
  }
  if (!response.ok) throw loadError(`${response.status} for ${response.url}`);
  try {
    // A server without the type application/wasm is common; streaming refuses it, compiling does not.
    const streams = response.headers.get("content-type")?.startsWith("application/wasm") === true;
    return streams ? await WebAssembly.compileStreaming(response) : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw loadError(`${response.url} is no WebAssembly`, error);
  }
}
