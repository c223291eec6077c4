/**
 * Instances of the WebAssembly binaries: the small parts, the engine and the table are one each, so that a bundle holds only
 * what its program imports. Compiled on first use, never at import. The small parts share one instance; each engine has its
 * own, so that a broken one harms nobody else.
 */

import { compile as compileEngine } from "#engine";
import { type EngineCore, instantiate as instantiateEngine } from "#engine-glue";
import { compile as compileParts } from "#parts";
import { instantiate as instantiateParts, type Parts } from "#parts-glue";
import { compile as compileTable } from "#table";
import { instantiate as instantiateTable, type Table } from "#table-glue";
import { loadError } from "./errors.js";

export type { EngineCore, Parts, Table };

/** What a call returns for "none" where a number of a job, key, run or step is expected. */
export const NONE = 0xffffffff;

/** A binary, by the file that has it. */
export type Binary = "parts" | "engine" | "table";

/** What was compiled here, or given to `load`. */
const compiled: Partial<Record<Binary, WebAssembly.Module>> = {};

let sharedParts: Parts | undefined;
let sharedTable: Table | undefined;

/** The checks and the advice that the small parts and the engine have both. */
export type Rules = Pick<Parts, "checkKey" | "checkRetry" | "lintKey" | "smallestSafeWindow">;

let makeRules: (() => Rules) | undefined;
let madeRules: Rules | undefined;

/** The rules, of whichever binary is there: whoever asks has made something of it, so neither brings the other along. */
export function rules(): Rules {
  return (madeRules ??= makeRules!());
}

/** The instance of the small parts. */
export function parts(): Parts {
  if (sharedParts === undefined) {
    sharedParts = instantiateParts(moduleOf("parts", compileParts));
    makeRules ??= parts;
  }
  return sharedParts;
}

/** The instance of the table. */
export function table(): Table {
  return (sharedTable ??= instantiateTable(moduleOf("table", compileTable)));
}

/** An instance of an engine of its own. */
export function newEngineCore(): EngineCore {
  const make = (): EngineCore => instantiateEngine(moduleOf("engine", compileEngine));
  // An instance apart: the one of an engine can break.
  makeRules ??= make;
  return make();
}

function moduleOf(binary: Binary, compile: () => WebAssembly.Module): WebAssembly.Module {
  try {
    return (compiled[binary] ??= compile());
  } catch (error) {
    throw loadError("compiling it is forbidden here; a page's Content-Security-Policy needs 'wasm-unsafe-eval'", error);
  }
}

/** Takes a module that was compiled elsewhere. The first stays: objects may have been made of it. */
export function provide(binary: Binary, module: WebAssembly.Module): void {
  compiled[binary] ??= module;
}
