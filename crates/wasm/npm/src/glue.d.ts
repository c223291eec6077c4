/**
 * The JavaScript halves that wasm-bindgen makes, each bound to an instance with a memory of its own, and where the binaries
 * come from, which depends on the runtime. `build.mjs` writes the modules.
 */
declare module "#parts-glue" {
  export type Parts = Omit<typeof import("#bindgen-parts"), "default" | "initSync">;
  export function instantiate(module: WebAssembly.Module): Parts;
}
declare module "#parts" {
  export function compile(): WebAssembly.Module;
}

declare module "#engine-glue" {
  export type EngineCore = Omit<typeof import("#bindgen-engine"), "default" | "initSync">;
  export function instantiate(module: WebAssembly.Module): EngineCore;
}
declare module "#engine" {
  export function compile(): WebAssembly.Module;
}

declare module "#table-glue" {
  export type Table = Omit<typeof import("#bindgen-table"), "default" | "initSync">;
  export function instantiate(module: WebAssembly.Module): Table;
}
declare module "#table" {
  export function compile(): WebAssembly.Module;
}

/** Expressions: both in a file of their own that is loaded when they are first wanted. */
declare module "#cel" {
  export type Cel = Omit<typeof import("#bindgen-cel"), "default" | "initSync">;
  export function compile(): WebAssembly.Module;
  export function instantiate(module: WebAssembly.Module): Cel;
}
