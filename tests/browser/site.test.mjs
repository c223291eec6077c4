// The site as a whole: it starts at any path, under its own policy, in both themes and sizes, and says so when it
// cannot.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, serve, started, visit } from "./harness.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

async function withSite(options, body) {
  const server = await serve(SITE, options);
  try {
    await body(server);
  } finally {
    await server.close();
  }
}

for (const prefix of ["/", "/repository/", "/a/b/"]) {
  test(`h49 h50 h51 one build starts at ${prefix}`, () =>
    withSite({ prefix }, async ({ url, requests }) => {
      await visit(browser, url, {}, async (page) => {
        await started(page);
        assert.match(await page.title(), /Twiceproof/);
        assert.equal(await page.locator("[integrity]").count(), 0, "no hash that could be of another file");
      });
      const twice = requests.filter((path, index) => requests.indexOf(path) !== index);
      assert.deepEqual(twice, [], "each file is asked for once");
    }));
}

for (const theme of THEMES) {
  for (const [name, size] of Object.entries(SIZES)) {
    test(`no accessibility findings: ${theme}, ${name}`, () =>
      withSite({}, ({ url }) =>
        visit(browser, url, { theme, size }, async (page) => {
          await started(page);
          await assertAccessible(page, { undecided: UNDECIDED });
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= size.width, `the page is ${width} wide in a window of ${size.width}`);
        }),
      ));
  }
}

test("nothing is asked of another host", () =>
  withSite({}, async ({ url, origin }) => {
    const elsewhere = [];
    const before = (page) => page.on("request", (request) => request.url().startsWith(origin) || elsewhere.push(request.url()));
    await visit(browser, url, { before }, started);
    assert.deepEqual(elsewhere.filter((address) => !/^(data|blob):/.test(address)), []);
  }));

test("without JavaScript the story is there to read", () =>
  withSite({}, ({ url }) =>
    // What is preloaded for scripts is refused with them.
    visit(browser, url, { javaScriptEnabled: false, expected: [/^failed: .*\.js \(csp\)$/] }, async (page) => {
      assert.match(await page.locator("main").innerText(), /two emails/);
    }),
  ));

test("without WebAssembly the story stays, and the page says why", () =>
  withSite({}, ({ url }) =>
    visit(
      browser,
      url,
      { before: (page) => page.addInitScript(() => delete globalThis.WebAssembly), expected: [/console warning/] },
      async (page) => {
        await page.locator('#app[data-boot="failed"]').waitFor();
        assert.match(await page.locator("#boot-status").innerText(), /WebAssembly/);
        assert.match(await page.locator("main").innerText(), /two emails/);
      },
    ),
  ));

test("a program that does not load leaves the story, and the page says so", () =>
  withSite({ answer: (path) => (path.endsWith(".wasm") ? { status: 404, body: "gone" } : undefined) }, ({ url }) =>
    visit(browser, url, { expected: [/404/, /console (warning|error)/] }, async (page) => {
      await page.locator('#app[data-boot="failed"]').waitFor();
      assert.match(await page.locator("main").innerText(), /two emails/);
    }),
  ));
