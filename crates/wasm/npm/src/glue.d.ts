/** The JavaScript half that wasm-bindgen makes, bound to one instance. `build.mjs` writes the module. */
declare module "#glue" {
  export type Glue = Omit<typeof import("#bindgen"), "default" | "initSync">;
  /** A new instance of the engine, with a memory of its own. */
  export function instantiate(module: WebAssembly.Module): Glue;
}

/** Expressions, in a file of their own that is loaded when they are first wanted. */
declare module "#cel" {
  export type Cel = Omit<typeof import("#bindgen-cel"), "default" | "initSync">;
  export function compile(): WebAssembly.Module;
  /** A new instance, with a memory of its own. */
  export function instantiate(module: WebAssembly.Module): Cel;
}

/** Where the binary comes from; which file this is depends on the runtime. */
declare module "#wasm" {
  export function compile(): WebAssembly.Module;
}
