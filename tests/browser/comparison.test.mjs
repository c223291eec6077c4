// The article's table, computed in the page: the golden numbers digit for digit, without freezing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, serve, started, visit } from "./harness.mjs";

// As the article printed them.
const ARTICLE = [
  ["Retry each step, no key", "99.999%", "11", "10.11", "4,971", "4,939"],
  ["Retry each step, new key on every call", "99.999%", "11", "10.11", "4,971", "4,939"],
  ["Retry each step, same key every time", "99.999%", "11", "10.11", "0", "0"],
  ["Retry the whole job, same key", "99.900%", "995", "10.6", "464,233", "0"],
  ["Retry the whole job, same key, skip finished steps", "99.975%", "250", "10.11", "0", "0"],
];

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = (options, body) =>
  visit(browser, server.url, options, async (page) => {
    await started(page);
    await page.locator(".cmp").waitFor();
    await body(page);
  });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const matched = (page) => page.getByText("All 25 match the article").waitFor();

const cells = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".cmp tbody tr")].map((row) => [
      row.querySelector(".rb").innerText,
      ...[...row.querySelectorAll("td[data-label]:not(.art)")].map((cell) => cell.innerText),
    ]),
  );

test("one million sign-ups come to the article's digits, and every row is ticked", () =>
  open({}, async (page) => {
    await matched(page);
    assert.deepEqual(await cells(page), ARTICLE);
    assert.equal(await page.locator(".cmp .art [aria-label=equal]").count(), 5);
  }));

test("the page stays alive while it computes", () =>
  open({}, async (page) => {
    await matched(page);
    const longest = await page.evaluate(async () => {
      const tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
      [...document.querySelectorAll(".compare button")].find(({ innerText }) => innerText === "Run again").click();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return Math.max(0, ...tasks);
    });
    assert.ok(longest <= 100, `the longest task took ${longest} ms`);
  }));

test("other settings are computed too, are not compared with the article, and bad ones are refused by name", () =>
  open({}, async (page) => {
    await matched(page);
    const fails = page.locator(".compare").getByRole("textbox", { name: "calls that fail" });
    await fails.fill("0");
    await fails.press("Enter");
    await page.getByText("other settings than the article's").waitFor();
    assert.ok(Number((await cells(page))[0][2]) < 5, "three lost replies in a row are all that is left to fail");
    await fails.fill("200");
    await fails.press("Enter");
    await page.locator(".notice.problem").waitFor();
    await fails.fill("1 %");
    await fails.press("Enter");
    await matched(page);
  }));

test("a row loads its strategy, and shows one sign-up behind its number", () =>
  open({}, async (page) => {
    await matched(page);
    await button(page, "Retry the whole job, same key").click();
    await page.waitForFunction(() => /retry=job/.test(location.hash) && /key=same/.test(location.hash));
    assert.match(await page.locator(".cmp .cur").innerText(), /whole job, same key\s*shown above/);
    await page.locator(".cmp tbody tr").first().getByRole("button", { name: "See one" }).click();
    await page.getByText(/This is sign-up [\d,]+ of the table/).waitFor();
    await button(page, "Last event").click();
    await page.locator(".got .harm-t").waitFor();
  }));

test("the table can be read as text", () =>
  open({}, async (page) => {
    await matched(page);
    await page.getByRole("radio", { name: "As text" }).check({ force: true });
    await page.getByText(/4,971 steps done again, and 4,939 users with two welcome emails or more/).first().waitFor();
  }));
