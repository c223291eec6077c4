// Below the story: the three doors for a duplicate, and other systems' rules.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, serve, started, visit } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = (options, body) =>
  visit(browser, server.url, options, async (page) => {
    await started(page);
    await page.locator(".doors").waitFor();
    await body(page);
  });

const emails = (page) => page.locator(".door-sum").allInnerTexts();

test("b02 c04 a15 each door stops its own duplicate: opened, it lets an email through, and no other does", () =>
  open({}, async (page) => {
    assert.deepEqual(await emails(page), ["2 emails", "2 emails", "1 email"]);
    assert.match(await page.locator(".door").nth(1).innerText(), /payload\.receivedAt has another value/);
    for (const [door, name, count] of [[0, "Events carry an ID", "4 emails"], [1, "Requests carry a run ID", "5 emails"], [2, "Calls carry a key", "2 emails"]]) {
      const shut = await emails(page);
      const control = page.getByRole("switch", { name });
      await control.uncheck({ force: true });
      await page.waitForFunction(([door, count]) => document.querySelectorAll(".door-sum")[door].innerText === count, [door, count]);
      assert.deepEqual((await emails(page)).toSpliced(door, 1), shut.toSpliced(door, 1));
      await control.check({ force: true });
      await page.waitForFunction(([door, count]) => document.querySelectorAll(".door-sum")[door].innerText === count, [door, shut[door]]);
    }
  }));

test("each system's answers stand in one row, and open to the rules behind them", () =>
  open({}, async (page) => {
    const rows = page.locator(".rules-table tbody > tr");
    assert.equal(await rows.count(), 18);
    const tako = rows.filter({ hasText: "Tako" });
    assert.deepEqual((await tako.locator("td").allInnerTexts()).map((text) => text.trim()),
      ["runs", "first result", "first result", "error", "runs", "first result", "first result", "2"]);
    await tako.getByRole("button").click();
    await page.locator(".rules-open").waitFor();
    assert.match(await page.locator(".rules-open").innerText(), /another payload: a conflict/);
    await tako.getByRole("button").click();
    await page.locator(".rules-open").waitFor({ state: "detached" });
  }));

for (const [size, theme] of [["wide", "light"], ["narrow", "dark"]]) {
  test(`opened, neither has accessibility findings: ${theme}, ${size}`, () =>
    open({ size: SIZES[size], theme }, async (page) => {
      assert.ok(THEMES.includes(theme));
      await page.getByRole("switch", { name: "Calls carry a key" }).uncheck({ force: true });
      await page.locator(".rules-table tbody button").first().click();
      await page.locator(".rules-open").waitFor();
      await assertAccessible(page, { undecided: UNDECIDED });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, "the page itself does not scroll sideways");
    }));
}
