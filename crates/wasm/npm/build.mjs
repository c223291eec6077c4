/**
 * Builds the package into `TWICEPROOF_OUT` from the glue and binary in `TWICEPROOF_GLUE`: `cargo xtask pack` runs it.
 * Checks the types first, then bundles.
 */

import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../../..");
const tools = process.env.TWICEPROOF_TOOLS ?? join(root, "tests");
const { build, transform } = createRequire(join(tools, "package.json"))("esbuild");
const glue = process.env.TWICEPROOF_GLUE ?? join(root, "target/npm/glue");
const out = process.env.TWICEPROOF_OUT ?? join(root, "target/npm/build");
const dist = join(out, "dist");

await checkTypes();
await mkdir(dist, { recursive: true });
/** The binaries that the bundle asks for; each is a file of its own, so that what is not imported is not in a bundle. */
const BINARIES = ["parts", "engine", "table"];
const factories = {};
const sources = {};
for (const name of [...BINARIES, "cel"]) {
  const binary = await readFile(join(glue, `${name}_bg.wasm`));
  const factory = await glueFactory(`${name}.js`);
  factories[`#${name}-glue`] = factory;
  // Expressions are loaded when they are first wanted, and bring their glue along: nothing of them is in the files that everybody loads.
  const along = name === "cel" ? factory : "";
  sources[`${name}.inline.js`] = along + inlined(binary);
  // Cloudflare's runtime takes a path; Vercel's wants to be told that it is a module.
  sources[`${name}.workerd.js`] = imported(`./${name}.wasm`) + along;
  sources[`${name}.edge.js`] = imported(`./${name}.wasm?module`) + along;
  await writeFile(join(dist, `${name}.wasm`), binary);
}
for (const [name, text] of Object.entries(sources)) await writeFile(join(dist, name), await minified(text));
await bundle("index.js", Object.fromEntries([...BINARIES, "cel"].map((name) => [`#${name}`, `#${name}`])));
// A browser knows no names with #. Expressions stay a file beside it.
await bundle("standalone.js", { "#cel": "./cel.inline.js" });
for (const name of ["types", "bin", "README.md", "package.json"]) await cp(join(here, name), join(out, name), { recursive: true });
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) await cp(join(root, name), join(out, name));

/** The compiler over the sources, with the glue's types from where they were made. */
async function checkTypes() {
  const config = { extends: join(here, "tsconfig.json"), compilerOptions: { paths: Object.fromEntries(["parts", "engine", "table", "cel"].map((name) => [`#bindgen-${name}`, [join(glue, `${name}.d.ts`)]])) } };
  await writeFile(join(glue, "every-kind.mts"), await everyKind());
  config.include = [join(here, "src"), join(here, "types"), join(glue, "every-kind.mts")];
  const file = join(glue, "tsconfig.json");
  await writeFile(file, JSON.stringify(config));
  execFileSync(process.execPath, [join(tools, "node_modules/typescript/bin/tsc"), "-p", file], { stdio: "inherit" });
}

/**
 * The entries of every kind that Rust writes, which its own tests hold complete, as literals of the public union: a kind or
 * field that the types do not know fails to compile, and so does a type that Rust never writes.
 */
async function everyKind() {
  const text = await readFile(join(root, "crates/core/tests/data/every-kind.jsonl"), "utf8");
  const lines = text.trim().split("\n");
  const types = new Set(lines.map((line) => JSON.stringify(JSON.parse(line).type)));
  return `import type { JournalEntry } from ${JSON.stringify(join(here, "types/journal.js"))};
export const written: readonly JournalEntry[] = [\n${lines.join(",\n")}\n];
type Unwritten = Exclude<JournalEntry["type"], ${[...types].join(" | ")}>;
export const nothingUnwritten: [Unwritten] extends [never] ? true : Unwritten = true;\n`;
}

/**
 * wasm-bindgen's glue holds one instance in the variables of its module. As the body of a function it holds one per
 * call: an engine that broke can be left behind, and a new one made.
 */
async function glueFactory(file) {
  const body = await build({
    entryPoints: [join(glue, file)],
    bundle: true,
    format: "iife",
    globalName: "glue",
    write: false,
    logLevel: "warning",
    target: "es2022",
  });
  return `export function instantiate(module) {\n${body.outputFiles[0].text}\nglue.initSync({ module });\n// A plain object: the getters of a namespace would cost more than some of the calls.\nreturn { ...glue };\n}\n`;
}

/**
 * The binary in the text of a module, compiled when asked for. Not as base64, in which a compressor no longer finds what
 * repeats: each of the most frequent bytes is one printable character, any other is two.
 */
function inlined(bytes) {
  const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter((char) => !'"\\$`'.includes(char));
  const escapes = printable.splice(-2);
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte]++;
  const order = Array.from(counts.keys()).sort((a, b) => counts[b] - counts[a] || a - b);
  const codes = new Array(256);
  order.forEach((byte, rank) => {
    const row = Math.floor(rank / printable.length);
    codes[byte] = (row === 0 ? "" : escapes[row - 1]) + printable[rank % printable.length];
  });
  const text = Array.from(bytes, (byte) => codes[byte]).join("");
  return `
    const printable = ${JSON.stringify(printable.join(""))};
    const escapes = ${JSON.stringify(escapes.join(""))};
    const order = [${order.join()}];
    const text = "${text}";
    export function compile() {
      const rank = new Uint8Array(128);
      for (let at = 0; at < printable.length; at++) rank[printable.charCodeAt(at)] = at;
      const bytes = new Uint8Array(text.length);
      let length = 0;
      for (let at = 0; at < text.length; at++) {
        const row = escapes.indexOf(text[at]) + 1;
        if (row > 0) at++;
        bytes[length++] = order[row * printable.length + rank[text.charCodeAt(at)]];
      }
      return new WebAssembly.Module(bytes.subarray(0, length));
    }`;
}

function imported(path) {
  return `import module from "${path}";\nexport function compile() { return module; }\n`;
}

async function minified(text) {
  return (await transform(text, { minify: true, format: "esm", target: "es2022" })).code;
}

/** Bundles the sources; what is named stays outside, under the path beside its name. */
async function bundle(name, outside) {
  await build({
    entryPoints: [join(here, "src/index.ts")],
    outfile: join(dist, name),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line of an uncaught error: it should be one that fits a terminal.
    lineLimit: 160,
    // Names stay: a stack trace that a user sends should say something.
    minifyIdentifiers: false,
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      {
        name: "generated",
        setup(build) {
          build.onResolve({ filter: /^#/ }, ({ path }) =>
            path in outside ? { path: outside[path], external: true } : { path, namespace: "generated" },
          );
          build.onLoad({ filter: /.*/, namespace: "generated" }, ({ path }) => ({
            contents: factories[path] ?? sources[`${path.slice(1)}.inline.js`],
            loader: "js",
          }));
        },
      },
    ],
  });
}
