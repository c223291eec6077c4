// The article's table, computed in the page: the golden numbers digit for digit, three ways to look at them, and copies.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, opens, serve, started, visit } from "./harness.mjs";

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

const open = opens(() => [browser, server], (page) => page.locator("#compare-panel > *").first().waitFor());
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
  open("", {}, async (page) => {
    await matched(page);
    assert.deepEqual(await cells(page), ARTICLE);
    assert.equal(await page.locator(".cmp .art [aria-label=equal]").count(), 5);
  }));

test("a34 a36 the story of the million covers the table until the reader has bet, and then they say the same", () =>
  visit(browser, server.url + "#v1;story=a-million", {}, async (page) => {
    await started(page);
    await matched(page);
    const table = page.locator("#compare-panel");
    assert.equal(await table.isVisible(), false);
    for (let caption = 1; caption < 5; caption += 1) await button(page, "Next caption").click();
    await button(page, "About 5,000").click();
    await table.waitFor({ state: "visible" });
    await button(page, "Next caption").click();
    const [first, , third] = await cells(page);
    assert.match(await page.locator(".say").innerText(), new RegExp(`^Row 1 below counts ${first.at(-1)} of a million; .* Row 3 counts ${third.at(-1)}:`));
    assert.match(await page.locator(".side.right").innerText(), /Your bet was right: About 5,000/);
  }));

test("other settings are not compared with the article, and one click leads back", () =>
  open("#v1;t.pf=0;t.steps=12", {}, async (page) => {
    await page.getByText("other settings than the article's").waitFor();
    assert.ok(Number((await cells(page))[0][2]) < 5, "three lost replies in a row are all that is left to fail");
    assert.equal(await page.locator(".cmp .art [aria-label=equal]").count(), 0);
    await button(page, "Article's settings").click();
    await matched(page);
    assert.deepEqual(await cells(page), ARTICLE);
  }));

test("a row loads its strategy, a number opens the sign-up behind it; going back leads back", () =>
  open("#v1;t.seed=2", {}, async (page) => {
    await page.getByText("other settings than the article's").waitFor();
    await button(page, "Retry the whole job, same key").click();
    await page.waitForFunction(() => /retry=job/.test(location.hash) && /key=same/.test(location.hash));
    assert.match(await page.locator(".cmp .cur").innerText(), /whole job, same key\s*shown above/);
    await page.getByRole("button", { name: /^[\d,]+: open the first sign-up whose user got two emails or more, row 1$/ }).click();
    await page.getByText(/^Sign-up [\d,]+ of row 1 /).waitFor();
    await button(page, "Last event").click();
    await page.locator(".got .harm-t").waitFor();
    assert.match(page.url(), /t\.seed=2/, "the table stays what it was");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector(".cmp .cur")?.innerText.includes("whole job, same key"));
    assert.match(page.url(), /retry=job.*t\.seed=2/);
  }));

test("table, chart and text are tabs for the arrow keys, and the address holds the tab", () =>
  open("", {}, async (page) => {
    await matched(page);
    const tab = (name) => page.getByRole("tab", { name, exact: true });
    await tab("Table").focus();
    for (const [key, name] of [["ArrowRight", "Chart"], ["ArrowRight", "As text"], ["ArrowRight", "Table"], ["End", "As text"], ["ArrowLeft", "Chart"]]) {
      await page.keyboard.press(key);
      await page.waitForFunction((name) => document.activeElement?.innerText === name, name);
      assert.equal(await tab(name).getAttribute("aria-selected"), "true");
      await page.getByRole("tabpanel", { name, exact: true }).waitFor();
      assert.equal(await page.locator('[role=tab][tabindex="0"]').count(), 1, "the tabs are one stop");
    }
    const bars = await page.locator(".chart .ch-c:not(.ch-a) > svg").allTextContents();
    const numbers = ARTICLE.flatMap(([, , ...cells]) => cells);
    assert.deepEqual(bars.map((text) => text.trim()), numbers, "every bar has its number, and nothing is a 0");
    assert.equal(await page.locator(".chart rect").count(), numbers.filter((number) => number !== "0").length);
    await page.waitForFunction(() => /t\.tab=chart/.test(location.hash));
    await page.keyboard.press("ArrowRight");
    await page.getByText(/4,971 steps done again, and 4,939 users with two welcome emails or more/).first().waitFor();
    await page.reload();
    await started(page);
    await page.locator(".chart, .as-text li").first().waitFor();
  }));

const MARKDOWN = `| Strategy | Succeeded | Failed jobs | Calls per job | Steps done again | Users with 2+ welcome emails |
|---|---:|---:|---:|---:|---:|
| retry each step, no key | 99.999% | 11 | 10.11 | 4,971 | 4,939 |
| retry each step, new key on every call | 99.999% | 11 | 10.11 | 4,971 | 4,939 |
| retry each step, same key every time | 99.999% | 11 | 10.11 | 0 | 0 |
| retry the whole job, same key | 99.900% | 995 | 10.6 | 464,233 | 0 |
| retry the whole job, same key, skip finished steps | 99.975% | 250 | 10.11 | 0 | 0 |
`;

test("the table is copied as Markdown, CSV and JSON, and the page says so", () =>
  open("", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await matched(page);
    const copied = async (name) => {
      await button(page, `${name}: copy the table`).click();
      await page.locator(".copies [role=status]").filter({ hasText: `${name} copied` }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.equal(await copied("Markdown"), MARKDOWN);
    const csv = (await copied("CSV")).trim().split(/\r?\n/);
    assert.equal(csv[0], "strategy,succeeded,failed,callsPerJob,repeatedSteps,twoEmails,calls,draws");
    assert.match(csv[4], /^"retry the whole job, same key",99\.900%,995,10\.6,464233,0,\d+,\d+$/);
    const { rows, elapsedMs } = JSON.parse(await copied("JSON"));
    assert.deepEqual(rows.map(({ twoEmails }) => twoEmails), [4939, 4939, 0, 0, 0]);
    assert.ok(elapsedMs > 0);
  }));

for (const theme of THEMES) {
  for (const [name, size] of Object.entries(SIZES)) {
    test(`no accessibility findings in chart, text and a refused value: ${theme}, ${name}`, () =>
      open("#v1;t.tab=chart", { theme, size }, async (page) => {
        await page.locator(".chart rect").first().waitFor();
        await assertAccessible(page, { scope: "#compare", undecided: UNDECIDED });
        await page.getByRole("tab", { name: "As text" }).click();
        const fails = page.getByRole("textbox", { name: "Calls that fail, exactly" });
        await fails.fill("200");
        await fails.press("Enter");
        await page.locator("[aria-invalid=true]").waitFor();
        await assertAccessible(page, { scope: "#compare", undecided: UNDECIDED });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= size.width, `the page is ${width} wide in a window of ${size.width}`);
      }));
  }
}
