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

// A module whose only function traps, as the program does at a bug of its own.
const TRAP = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];

test("a program that stops says so, once, where it is seen and heard; an error of something else is not it", () =>
  withSite({}, ({ url }) =>
    visit(browser, `${url}#v1;story=lost-reply;f=l1.2.1`, { expected: [/^uncaught: .*(unreachable|of something else)/s] }, async (page) => {
      await started(page);
      const broken = page.getByRole("alert");
      await page.evaluate(() => new Promise((done) => { setTimeout(done, 50); setTimeout(() => { throw new Error("of something else"); }); }));
      assert.equal(await broken.count(), 0);
      for (let times = 0; times < 2; times += 1) {
        await page.evaluate((bytes) => new Promise((done) => {
          const { f } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;
          setTimeout(done, 50);
          setTimeout(() => f());
        }), TRAP);
      }
      assert.equal(await broken.count(), 1);
      assert.equal(await broken.innerText(), "The playground has stopped, by a fault of its own. Reload the page to go on; the address says where you were.");
      const box = await broken.boundingBox();
      assert.ok(box.y >= 0 && box.width > 1000, "it stands over the page");
      await page.evaluate(() => scrollTo(0, 400));
      assert.ok((await broken.boundingBox()).y >= 0, "and stays there");
      await assertAccessible(page, { undecided: UNDECIDED });
      assert.match(page.url(), /story=lost-reply/);
      await page.reload();
      await started(page);
      assert.equal(await broken.count(), 0);
    }),
  ));
