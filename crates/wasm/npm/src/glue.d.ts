/** The JavaScript half that wasm-bindgen makes, bound to one instance. `build.mjs` writes the module. */
declare module "#glue" {
  export type Glue = Omit<typeof import("#bindgen"), "default" | "initSync">;
  /** A new instance of the engine, with a memory of its own. */
  export function instantiate(module: WebAssembly.Module): Glue;
}

/** Where the binary comes from; which file this is depends on the runtime. */
declare module "#wasm" {
  export function compile(): WebAssembly.Module;
}
