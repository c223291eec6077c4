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
  if (isResponse(source)) return ofResponse(source, source.url || "the response");
  const address = String(source);
  const isFile = /^file:/i.test(address);
  const files = isFile ? filesOfNode() : undefined;
  if (files !== undefined) return ofFile(files, address);
  let response: Response;
  try {
    response = await fetch(source);
  } catch (error) {
    const instead = isFile ? " here: pass a Response of its bytes, or the compiled WebAssembly.Module" : "";
    throw loadError(`${address} cannot be fetched${instead}`, error);
  }
  return ofResponse(response, address);
}

async function ofResponse(response: Response, name: string): Promise<WebAssembly.Module> {
  if (!response.ok) throw loadError(`${response.status} for ${name}`);
  try {
    // A server without the type application/wasm is common; streaming refuses it, compiling does not.
    const streams = response.headers.get("content-type")?.startsWith("application/wasm") === true;
    return streams ? await WebAssembly.compileStreaming(response) : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw loadError(`${name} is no WebAssembly`, error);
  }
}

type Files = { readFile(file: URL): Promise<Uint8Array<ArrayBuffer>> };

/** Node's files, whose `fetch` knows none. Asked for by name and not imported, so that no bundler looks for them. */
function filesOfNode(): Files | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Files | undefined } };
  return process?.getBuiltinModule?.("node:fs/promises");
}

async function ofFile(files: Files, address: string): Promise<WebAssembly.Module> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await files.readFile(new URL(address));
  } catch (error) {
    throw loadError(`${address} cannot be read`, error);
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw loadError(`${address} is no WebAssembly`, error);
  }
}
