/**
 * Handing plain data on as a copy, so that whoever changes what they got changes nobody else's (SEMANTICS A-t3).
 * What is not plain (an instance of a class, a function) is handed on as it is, at its place.
 */

/** A copy of plain data: primitives, arrays, plain objects, dates, maps, sets, binary data. Never throws. */
export function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  try {
    return (copyFlat(value) ?? copyObject(value, new Map())) as T;
  } catch {
    // A getter or a proxy that throws, or data too deep for the stack: finished work stays finished.
    return value;
  }
}

/** A copy of a plain object that holds no others, as most jobs and payloads are: there are no cycles to look for. */
function copyFlat(value: object): object | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined;
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name];
    if (typeof inner === "object" && inner !== null) return undefined;
    set(made, name, inner);
  }
  return made;
}

function copyValue(value: unknown, seen: Map<object, object>): unknown {
  if (typeof value !== "object" || value === null) return value;
  return seen.get(value) ?? copyObject(value, seen);
}

function copyObject(value: object, seen: Map<object, object>): object {
  if (Array.isArray(value)) {
    const made: unknown[] = new Array(value.length);
    seen.set(value, made);
    for (let at = 0; at < value.length; at++) if (at in value) made[at] = copyValue(value[at], seen);
    return made;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || isPlainPrototype(prototype)) {
    const made: Record<string, unknown> = prototype === null ? Object.create(null) : {};
    seen.set(value, made);
    for (const [name, inner] of Object.entries(value)) set(made, name, copyValue(inner, seen));
    return made;
  }
  if (value instanceof Map && prototype === Map.prototype) {
    const made = new Map<unknown, unknown>();
    seen.set(value, made);
    for (const [key, inner] of value) made.set(copyValue(key, seen), copyValue(inner, seen));
    return made;
  }
  if (value instanceof Set && prototype === Set.prototype) {
    const made = new Set<unknown>();
    seen.set(value, made);
    for (const inner of value) made.add(copyValue(inner, seen));
    return made;
  }
  if (isBuiltIn(value, prototype)) {
    const made: object = structuredClone(value);
    seen.set(value, made);
    return made;
  }
  return value;
}

/** `Object.prototype`, of this realm or another. */
export function isPlainPrototype(prototype: unknown): boolean {
  return (
    prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "hasOwnProperty"))
  );
}

/** Sets a property of its own, whatever its name: `__proto__` too. */
export function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[name] = value;
  }
}

function isBuiltIn(value: object, prototype: unknown): boolean {
  if (value instanceof Date) return prototype === Date.prototype;
  // Shared memory is meant to be shared, and Node's Buffer is a class over a pool.
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer && value.constructor.name !== "Buffer";
  return value instanceof ArrayBuffer && prototype === ArrayBuffer.prototype;
}
