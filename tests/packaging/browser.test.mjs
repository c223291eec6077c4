// Bundlers and a plain page, in Chromium: built, served and run, under a policy that allows WebAssembly and nothing else.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { serve } from "../browser/server.mjs";
import { webpacked } from "./bundlers.mjs";
import { CHECKED, consumer, PACKAGE, TESTS, tool } from "./consumer.mjs";

const MAIN = 'import { check } from "./check.js"; check().then((line) => { document.title = line; });\n';
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
const page = (script) => `<!doctype html><meta charset="utf-8"><script type="module" src="${script}"></script>`;

let browser;
before(async () => {
  const executablePath = process.env.TWICEPROOF_CHROMIUM ?? "/usr/bin/chromium";
  browser = await tool("playwright-core").chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
});
after(() => browser?.close());

/** The title that a page gives itself, and whatever went wrong on it. */
async function titleOf(url) {
  const opened = await browser.newPage();
  try {
    const problems = [];
    opened.on("console", (message) => {
      const ofPage = !message.location().url.endsWith("/favicon.ico");
      if (ofPage && ["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    opened.on("pageerror", (error) => problems.push(String(error)));
    await opened.goto(url);
    // Asked for from outside: the page's policy forbids evaluating anything in it.
    const deadline = performance.now() + 30_000;
    let title = await opened.title();
    while (title === "" && problems.length === 0 && performance.now() < deadline) title = await opened.title();
    assert.deepEqual(problems, []);
    return title;
  } finally {
    await opened.close();
  }
}

async function served(context, folder, options) {
  const server = await serve(folder, options);
  context.after(() => server.close());
  return server.url;
}

async function viteProject(context) {
  const folder = await consumer(context, { "index.html": page("/main.js"), "main.js": MAIN });
  const vite = await import(pathToFileURL(join(TESTS, "node_modules/vite/dist/node/index.js")).href);
  return { folder, vite };
}

test("h45 Vite: build, under a strict policy, no plugin", async (context) => {
  const { folder, vite } = await viteProject(context);
  await vite.build({ root: folder, logLevel: "error", base: "./" });
  const url = await served(context, join(folder, "dist"), { headers: { "content-security-policy": POLICY } });
  assert.equal(await titleOf(`${url}index.html`), CHECKED);
});

test("h45 Vite: dev and preview", async (context) => {
  const { folder, vite } = await viteProject(context);
  const dev = await vite.createServer({ root: folder, logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
  context.after(() => dev.close());
  await dev.listen();
  assert.equal(await titleOf(dev.resolvedUrls.local[0]), CHECKED);
  await vite.build({ root: folder, logLevel: "error" });
  const preview = await vite.preview({ root: folder, logLevel: "error", preview: { port: 0, host: "127.0.0.1" } });
  context.after(() => preview.close());
  assert.equal(await titleOf(preview.resolvedUrls.local[0]), CHECKED);
});

test("webpack for browsers", async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  await webpacked({ context: folder, entry: "./main.js", mode: "production", target: "web", performance: false, output: { path: join(folder, "out"), filename: "main.js" } });
  const url = await served(context, join(folder, "out"), { headers: { "content-security-policy": POLICY }, pages: { "/index.html": page("main.js") } });
  assert.equal(await titleOf(`${url}index.html`), CHECKED);
});

test("esbuild for browsers", async (context) => {
  const folder = await consumer(context, { "main.js": MAIN });
  await tool("esbuild").build({ entryPoints: [join(folder, "main.js")], bundle: true, format: "esm", minify: true, outfile: join(folder, "out/main.js") });
  const url = await served(context, join(folder, "out"), { headers: { "content-security-policy": POLICY }, pages: { "/index.html": page("main.js") } });
  assert.equal(await titleOf(`${url}index.html`), CHECKED);
});

const STANDALONE = `import { IdempotencyStore } from "/dist/standalone.js";
  document.title = await new IdempotencyStore(1).once("k", () => "standalone");`;
const LOADED = `import { IdempotencyStore, load } from "/dist/standalone.js";
  WebAssembly.Module = new Proxy(WebAssembly.Module, { construct() { throw new Error("not inlined"); } });
  await load(new URL("/dist/parts.wasm", location.href));
  document.title = await new IdempotencyStore(1).once("k", () => "loaded");`;

for (const [title, main] of [["standalone", STANDALONE], ["loaded", LOADED]]) {
  test(`a plain module script: ${title}`, async (context) => {
    const url = await served(context, PACKAGE, {
      headers: { "content-security-policy": `${POLICY}; connect-src 'self'` },
      answer: (path) => (path === "/main.js" ? { status: 200, body: main, type: "text/javascript" } : undefined),
      pages: { "/index.html": page("main.js") },
    });
    assert.equal(await titleOf(`${url}index.html`), title);
  });
}
