/** Binaries from elsewhere: streamed from a server, or compiled by somebody else. */

import { instantiate as instantiateEngine } from "#engine-glue";
import { instantiate as instantiateParts } from "#parts-glue";
import { instantiate as instantiateTable } from "#table-glue";
import { isInstance, loadError, wrongType } from "./errors.js";
import { type Binary, provide } from "./runtime.js";

/** See the public types. */
export async function load(source: Response | Promise<Response> | URL | string | WebAssembly.Module): Promise<void> {
  const given: unknown = await Promise.resolve(source).catch((error: unknown) => {
    throw loadError("the response did not come", error);
  });
  const fits =
    isInstance(given, WebAssembly.Module) || isInstance(given, URL) || typeof given === "string" || isResponse(given);
  if (!fits) throw wrongType("source", "a URL, a Response or a WebAssembly.Module", given);
  const module = given instanceof WebAssembly.Module ? given : await fetched(given);
  const binary = whichOf(module);
  const instantiate = { parts: instantiateParts, engine: instantiateEngine, table: instantiateTable }[binary];
  try {
    // A binary of another version shows here, and not at the first queue.
    instantiate(module);
  } catch (error) {
    throw loadError(`the module is not the ${binary} of this version of twiceproof`, error);
  }
  provide(binary, module);
}

/** Tells the binaries apart by what they have: the engine has the rules of keys too. */
function whichOf(module: WebAssembly.Module): Binary {
  const has = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  if (has.has("openEngine")) return "engine";
  if (has.has("checkKey")) return "parts";
  if (has.has("theory")) return "table";
  throw loadError("the module is none of the binaries of twiceproof: parts.wasm, engine.wasm, table.wasm");
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
