// What is in the tarball, and what it weighs.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { consumer, PACKAGE, runs, TARBALL, tool } from "./consumer.mjs";

// What the binaries weigh today, and a little: nothing grows unseen.
const BINARIES_GZ_MAX = { parts: 28_000, engine: 112_000, table: 27_000 };
// What a bundle holds of the package, minified, by what it imports.
const IMPORTS_GZ_MAX = {
  "SimpleQueue, withRetry, retryEachStep, workflow, IdempotencyStore, idempotentSteps": 43_000,
  "Engine, TestClock": 136_000,
  "simulate, theory": 33_000,
  "load": 8_000,
  "NonRetryableError": 1_000,
};
// Expressions: a module of their own, and nothing of it in what everybody loads.
const EXPRESSIONS_GZ_MAX = 180_000;
const UNUSED_MAX = 100;

const read = (name) => readFile(join(PACKAGE, name));
const weight = (bytes) => gzipSync(bytes, { level: 9 }).length;

test("exactly one binary each of the parts, the engine, the table and expressions, and every file that package.json names", async () => {
  const files = await readdir(PACKAGE, { recursive: true });
  assert.deepEqual(files.filter((file) => file.endsWith(".wasm")).sort(), ["cel", "engine", "parts", "table"].map((name) => `dist/${name}.wasm`));
  const manifest = JSON.parse(await read("package.json"));
  assert.deepEqual(manifest.dependencies, undefined);
  const targets = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(targets));
  for (const path of targets([manifest.exports, manifest.imports, manifest.bin])) assert.ok(files.includes(path.slice(2)), path);
  for (const file of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) assert.ok(files.includes(file), file);
});

test("nothing in it names a folder of one machine", async () => {
  for (const file of await readdir(PACKAGE, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = (await readFile(join(file.parentPath ?? file.path, file.name))).toString("latin1");
    assert.doesNotMatch(text, /\/(home|Users|root|work)\/[\w.]/, file.name);
  }
});

for (const [name, max] of Object.entries(BINARIES_GZ_MAX)) {
  test(`${name}.wasm is at most ${max / 1000} kB gz`, async () => {
    const size = weight(await read(`dist/${name}.wasm`));
    assert.ok(size <= max, `${size} bytes`);
  });
}

for (const [names, max] of Object.entries(IMPORTS_GZ_MAX)) {
  test(`an import of ${names} is at most ${max / 1000} kB gz`, async (context) => {
    const folder = await consumer(context, { "main.js": `import { ${names} } from "twiceproof";\nconsole.log(${names});\n` });
    const { outputFiles } = await tool("esbuild").build({
      entryPoints: [join(folder, "main.js")], bundle: true, format: "esm", minify: true, write: false, external: ["#cel"],
    });
    const size = weight(outputFiles[0].contents);
    assert.ok(size <= max, `${size} bytes`);
  });
}

test(`expressions are at most ${EXPRESSIONS_GZ_MAX / 1000} kB gz, and loaded by no static import`, async () => {
  const size = weight(await read("dist/cel.inline.js"));
  assert.ok(size <= EXPRESSIONS_GZ_MAX, `${size} bytes`);
  for (const [file, path] of [["index.js", "#cel"], ["standalone.js", "./cel.inline.js"]]) {
    const text = String(await read(`dist/${file}`));
    assert.equal(text.split(`"${path}"`).length, 2, file);
    assert.ok(text.includes(`import("${path}")`), file);
  }
});

test(`an unused import is at most ${UNUSED_MAX} bytes`, async (context) => {
  const folder = await consumer(context, { "main.js": 'import { SimpleQueue } from "twiceproof";\nimport * as all from "twiceproof";\nconsole.log(1);\n' });
  const { build } = tool("esbuild");
  const { outputFiles } = await build({ entryPoints: [join(folder, "main.js")], bundle: true, format: "esm", minify: true, write: false });
  assert.ok(outputFiles[0].text.length <= UNUSED_MAX, outputFiles[0].text.slice(0, 300));
});

test("publint --strict has nothing to say", async () => {
  const { publint } = await import(pathToFileURL(tool.resolve("publint")).href);
  const { messages } = await publint({ pkgDir: PACKAGE, strict: true, pack: false });
  assert.deepEqual(messages, []);
});

test("attw finds the types under every resolution of ES modules", async () => {
  const attw = join(tool.resolve("@arethetypeswrong/cli/package.json"), "../dist/index.js");
  const { stdout } = await runs(process.execPath, [attw, TARBALL, "--profile", "esm-only", "--format", "json", "--exclude-entrypoints", "parts.wasm", "engine.wasm", "table.wasm"]);
  const { problems } = JSON.parse(stdout);
  // A CommonJS file that requires the package gets an ES module, which Node 20.19 and later allow.
  const real = Object.entries(problems ?? {}).filter(([kind]) => !["CJSResolvesToESM", "NoResolution"].includes(kind));
  assert.deepEqual(real, []);
});
