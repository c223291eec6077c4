/**
 * Canonical JSON (SEMANTICS 2.3): one text for equal data. Keys sorted by code unit, numbers by value, `undefined`
 * properties dropped. What JSON would change in silence is refused, with its path and what to pass instead.
 */

import type { Difference } from "../types/index.js";
import { isPlainPrototype } from "./copy.js";
import { badData, isArray, isObject } from "./errors.js";

/** Deeper data is refused instead of overflowing the stack. */
const DEPTH_MAX = 1_000;
/** The same for what the core reads again, to compare it. */
export const READ_DEPTH_MAX = 127;

/** The canonical text of `value`; `what` names it in the message of a `TypeError`. A top-level `undefined` is "". */
export function canonical(what: string, value: unknown, depthMax = DEPTH_MAX): string {
  return value === undefined ? "" : write(value, what, { depthMax, objects: [] });
}

/** The objects and lists around a value. */
interface Inside {
  readonly depthMax: number;
  readonly objects: object[];
}

/** The text of a value that holds no others and is fine, which most are: its path need not be known. */
function writeSimple(value: unknown): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? JSON.stringify(value) : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? String(value === 0 ? 0 : value) : undefined;
  return value === null || typeof value === "boolean" ? String(value) : undefined;
}

function write(value: unknown, path: string, inside: Inside): string {
  const simple = writeSimple(value);
  if (simple !== undefined) return simple;
  switch (typeof value) {
    case "string":
      throw refused(path, "a string with a lone surrogate", "well-formed Unicode");
    case "number":
      throw refused(path, String(value), "a finite number or null");
    case "object":
      return writeObject(value as object, path, inside);
    case "bigint":
      throw refused(path, "a bigint", "its text");
    case "undefined":
      throw refused(path, "undefined", "null");
    default:
      throw refused(path, `a ${typeof value}`, "data");
  }
}

function writeObject(value: object, path: string, inside: Inside): string {
  if (inside.objects.includes(value)) throw refused(path, "a value that contains itself", "data without cycles");
  if (inside.objects.length >= inside.depthMax) throw refused(path.slice(0, 80), `data more than ${inside.depthMax} levels deep`, "flatter data");
  inside.objects.push(value);
  const text = isArray(value) ? writeArray(value, path, inside) : writePlain(value, path, inside);
  inside.objects.pop();
  return text;
}

function writeArray(value: readonly unknown[], path: string, inside: Inside): string {
  const items: string[] = [];
  for (let at = 0; at < value.length; at++) items.push(writeSimple(value[at]) ?? write(value[at], `${path}[${at}]`, inside));
  return `[${items.join(",")}]`;
}

function writePlain(value: object, path: string, inside: Inside): string {
  if (!isObject(value)) throw refused(path, "a proxy that was revoked", "data");
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && !isPlainPrototype(prototype)) throw refusedInstance(value, path);
  const symbol = Object.getOwnPropertySymbols(value)[0];
  if (symbol !== undefined) throw refused(`${path}[${String(symbol)}]`, "a property named by a symbol", "a named one");
  const members: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[name];
    if (inner === undefined) continue;
    if (!name.isWellFormed()) throw refused(path, "a property name with a lone surrogate", "well-formed Unicode");
    members.push(`${JSON.stringify(name)}:${writeSimple(inner) ?? write(inner, member(path, name), inside)}`);
  }
  return `{${members.join(",")}}`;
}

/** `path.name`, or `path["odd name"]`. */
function member(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

function refusedInstance(value: object, path: string): TypeError {
  if (value instanceof Date) return refused(path, "Date", `${path}.toISOString()`);
  if (value instanceof Map) return refused(path, "Map", `Object.fromEntries(${path})`);
  if (value instanceof Set) return refused(path, "Set", `[...${path}]`);
  if (value instanceof RegExp) return refused(path, "RegExp", `${path}.source`);
  if (value instanceof Error) return refused(path, "Error", `${path}.message`);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return refused(path, "binary data", "its base64 text");
  const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name;
  return refused(path, `an instance of ${typeof name === "string" && name !== "" ? name : "a class"}`, "a plain object");
}

function refused(path: string, got: string, instead: string): TypeError {
  return badData(`${path}: ${got}; pass ${instead}`);
}

/** Places that a conflict names; how many more there are is said by number. As in the core. */
const DIFFERENCES_MAX = 20;

type Found = { list: Difference[]; more: number };

/** Where two canonical texts differ, and how; never what stands there. */
export function differences(what: string, first: string, second: string): Found {
  const found: Found = { list: [], more: 0 };
  if (first === second) return found;
  if (first === "" || second === "") note(found, what, first === "" ? "extra" : "missing");
  else compare(JSON.parse(first), JSON.parse(second), what, found);
  return found;
}

function note(found: Found, path: string, kind: Difference["kind"]): void {
  if (found.list.length < DIFFERENCES_MAX) found.list.push({ path, kind });
  else found.more++;
}

function compare(a: unknown, b: unknown, path: string, found: Found): void {
  if (a === b) return;
  if (kindOf(a) !== kindOf(b)) {
    note(found, path, "type");
    return;
  }
  if (typeof a !== "object" || a === null) {
    note(found, path, "value");
    return;
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = Array.isArray(a) ? `${path}[${name}]` : member(path, name);
    if (!Object.hasOwn(right, name)) note(found, inner, "missing");
    else if (!Object.hasOwn(left, name)) note(found, inner, "extra");
    else compare(left[name], right[name], inner, found);
  }
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
