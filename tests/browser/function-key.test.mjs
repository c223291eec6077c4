// "Function key": an expression and two events, and the keys they get (B14 to B21, H12). The module that reads expressions is
// loaded when the section is opened, under the page's own policy, and survives what it cannot bear.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, serve, started, visit } from "./harness.mjs";

let browser;
let server;
before(async () => {
  browser = await launch();
  server = await serve(SITE, { prefix: "/a/b/" });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

const keys = (page) => page.locator(".fk-key").allInnerTexts();
const said = (page, pattern) => page.locator(".fk-said", { hasText: pattern }).waitFor();

async function opened(page) {
  await started(page);
  await page.locator(".fkey summary").click();
  await said(page, "One key.");
}

test("b14 the module is asked for when the section is opened, once, and not before", () =>
  visit(browser, server.url, {}, async (page) => {
    const asked = () => server.requests.filter((path) => path.includes("expressions-"));
    await started(page);
    assert.deepEqual(asked(), []);
    await opened(page);
    assert.equal(asked().length, 2);
    assert.deepEqual(await keys(page), ["u1-o1", "u1-o1"]);
  }));

test("b20 the values decide: another organisation is another key, and a number is no text", () =>
  visit(browser, server.url, {}, async (page) => {
    await opened(page);
    const [first, second] = await page.locator(".fk textarea").all();
    await second.fill('{ "data": { "user": "u1", "organisation": "o2" } }');
    await said(page, "Two keys.");
    assert.deepEqual(await keys(page), ["u1-o1", "u1-o2"]);
    await page.getByLabel(/^Key:/).fill("event.data.user");
    await said(page, "One key.");
    await first.fill('{ "data": { "user": 1.0 } }');
    await second.fill('{ "data": { "user": "1" } }');
    await said(page, "Two keys.");
    assert.deepEqual((await keys(page)).map((text) => text.replace(/\s+/g, " ")), ["1 a number", "1"]);
    await first.fill('{ "data": {} }');
    await said(page, "starts nothing");
    assert.match((await keys(page))[0], /No key: event.data.user is missing/);
  }));

test("h12 what is no expression is marked where it goes wrong", () =>
  visit(browser, server.url, {}, async (page) => {
    await opened(page);
    for (const [source, words, mark] of [["event.data.", /expected identifier/, 11], ["1 +", /expecting expression/, 3], ["user.id", /user is not known/, 0]]) {
      await page.getByLabel(/^Key:/).fill(source);
      await said(page, words);
      const lines = (await page.locator(".fk-said pre").textContent()).split("\n");
      assert.deepEqual(lines, [source, `${" ".repeat(mark)}^`]);
    }
  }));

test("h12 what is no event is named beside what is no expression", () =>
  visit(browser, server.url, {}, async (page) => {
    await opened(page);
    const [first, second] = await page.locator(".fk textarea").all();
    await page.getByLabel(/^Key:/).fill("event.data.");
    await said(page, /expected identifier/);
    assert.deepEqual(await keys(page), ["", ""], "of a good event there is nothing to be said without an expression");
    await first.fill('{ "data": ');
    await page.locator(".fk-key", { hasText: "No key: the event is no JSON" }).waitFor();
    await said(page, /expected identifier/);
    assert.equal((await keys(page))[1], "");
    await second.fill("");
    await page.waitForFunction(() => document.querySelectorAll(".fk-key")[1].innerText.includes("the event is no JSON"));
    await first.fill('{ "data": {} }');
    await page.waitForFunction(() => document.querySelector(".fk-key").innerText === "");
  }));

test("h44 an expression that takes too much memory harms nothing", () =>
  visit(browser, server.url, {}, async (page) => {
    await opened(page);
    const [first] = await page.locator(".fk textarea").all();
    await first.fill(JSON.stringify({ list: Array.from({ length: 2000 }, () => 1), text: "x".repeat(200_000) }));
    await page.getByLabel(/^Key:/).fill("event.list.map(item, event.text)[0]");
    await said(page, "takes more memory");
    await page.getByLabel(/^Key:/).fill("string(size(event.list))");
    await page.locator(".fk-key", { hasText: "2000" }).waitFor();
    await page.getByRole("button", { name: /^Play/ }).first().click();
  }));

for (const theme of THEMES) {
  for (const [name, size] of Object.entries(SIZES)) {
    test(`the open section has no accessibility findings and fits: ${theme}, ${name}`, () =>
      visit(browser, server.url, { theme, size }, async (page) => {
        await opened(page);
        await assertAccessible(page, { undecided: UNDECIDED });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= size.width, `the page is ${width} wide`);
      }));
  }
}
