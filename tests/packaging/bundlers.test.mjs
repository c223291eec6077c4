// Bundlers on the way to servers and edge runtimes: what they make is moved elsewhere and run.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { webpacked } from "./bundlers.mjs";
import { CHECKED, consumer, optional, runs, tool } from "./consumer.mjs";

const MAIN = 'import { check } from "./check.js"; check().then((line) => console.log(line));\n';
const WORKER = 'import { check } from "./check.js"; export default { async fetch() { return new Response(await check()); } };\n';
const { build } = tool("esbuild");

async function moved(folder, file) {
  const elsewhere = join(folder, "elsewhere");
  await mkdir(elsewhere);
  await rename(join(folder, file), join(elsewhere, file));
  return join(elsewhere, file);
}

test("h48 esbuild for Node, the file moved: nothing is missing", async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  await build({ entryPoints: [join(folder, "main.js")], bundle: true, platform: "node", format: "esm", outfile: join(folder, "out.mjs") });
  assert.equal((await runs(process.execPath, [await moved(folder, "out.mjs")])).stdout, `${CHECKED}\n`);
});

test("esbuild for Node as CommonJS", async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  await build({ entryPoints: [join(folder, "main.js")], bundle: true, platform: "node", format: "cjs", outfile: join(folder, "out.cjs") });
  assert.equal((await runs(process.execPath, [join(folder, "out.cjs")])).stdout, `${CHECKED}\n`);
});

test("h48 webpack for Node, the file moved", async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  await webpacked({ context: folder, entry: "./main.js", mode: "production", target: "node20", output: { path: join(folder, "out"), filename: "out.mjs" } });
  // What reads expressions is a chunk of its own, loaded on demand.
  const chunks = (await readdir(join(folder, "out"))).filter((name) => name !== "out.mjs");
  assert.equal(chunks.length, 1);
  assert.equal((await runs(process.execPath, [join(await moved(folder, "out"), "out.mjs")])).stdout, `${CHECKED}\n`);
});

/** Bundles a worker under a condition; whatever is imported as wasm stays outside. */
async function bundledWorker(folder, condition) {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "worker.js")], bundle: true, format: "esm", conditions: [condition, "import"], write: false,
    plugins: [{ name: "wasm", setup: (made) => made.onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path }) => ({ path, external: true })) }],
  });
  return outputFiles[0].text;
}

for (const [condition, suffix] of [["workerd", ""], ["edge-light", "?module"]]) {
  test(`h47 the ${condition} condition: static imports and no inlined binary`, async (context) => {
    const text = await bundledWorker(await consumer(context, { "worker.js": WORKER }), condition);
    for (const file of ["engine", "cel"]) assert.ok(text.includes(`"./${file}.wasm${suffix}"`), file);
    assert.doesNotMatch(text, /[ -~]{20000}/);
  });
}

const workerd = optional("miniflare/package.json");
test("workerd runs it", { skip: workerd === undefined && "miniflare is not there for this platform" }, async (context) => {
  const folder = await consumer(context, { "worker.js": WORKER });
  await writeFile(join(folder, "out.mjs"), await bundledWorker(folder, "workerd"));
  const { Miniflare } = tool("miniflare");
  const miniflare = new Miniflare({
    compatibilityDate: "2026-01-01",
    modules: [
      { type: "ESModule", path: "out.mjs", contents: await readFile(join(folder, "out.mjs"), "utf8") },
      ...(await Promise.all(["parts.wasm", "engine.wasm", "table.wasm", "cel.wasm"].map(async (path) => {
        return { type: "CompiledWasm", path, contents: await readFile(join(folder, "node_modules/twiceproof/dist", path)) };
      }))),
    ],
  });
  context.after(() => miniflare.dispose());
  assert.equal(await (await miniflare.dispatchFetch("http://worker/")).text(), CHECKED);
});
