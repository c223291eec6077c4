// What a screen reader hears of a story, and where the Tab key stops.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server]);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const live = (page) => page.locator(".caption [role=status]");
const hears = (page, text) => page.waitForFunction((text) => document.querySelector(".caption [role=status]").textContent === text, text);
const said = (page) => page.locator(".say").innerText();

test("a step is said at once, in the words on the screen; a change says first what it came to", () =>
  open("", {}, async (page) => {
    await hears(page, await said(page));
    for (let steps = 0; steps < 6; steps += 1) {
      const before = await said(page);
      await button(page, "Step forward").click();
      await page.waitForFunction((before) => document.querySelector(".say").innerText !== before, before);
      await hears(page, await said(page));
    }
    await button(page, "Lose email reply").click();
    await page.locator(".diff").waitFor();
    await hears(page, `Your change: ${await page.locator(".diff").innerText()}. ${await said(page)}`);
    assert.equal(await page.locator('[aria-live="assertive"], [role="alert"]').count(), 0, "nothing interrupts");
  }));

/** Keeps back what is to happen every three seconds: `pass()` lets three seconds pass. */
function holdSummaries() {
  const [setReal, clearReal, held] = [window.setInterval, window.clearInterval, new Map()];
  window.setInterval = (act, ms, ...more) => {
    if (ms !== 3_000) return setReal.call(window, act, ms, ...more);
    held.set(held.size + 1_000_000, act);
    return held.size + 999_999;
  };
  window.clearInterval = (id) => (held.delete(id) ? undefined : clearReal.call(window, id));
  window.held = held;
  window.pass = () => held.forEach((act) => act());
}

// So many events that none of what follows comes to the end.
const MANY = `#v1;f=l1.2.1;ops=${Array.from({ length: 40 }, (_, at) => `a${(at % 6) + 1}@${at}`)}`;

test("while it plays there is one summary in three seconds, and at a pause the sentence on the screen", () =>
  open(MANY, { before: (page) => page.addInitScript(holdSummaries) }, async (page) => {
    await page.evaluate(() => {
      window.heard = [];
      const line = document.querySelector(".caption [role=status]");
      new MutationObserver(() => window.heard.push(line.textContent)).observe(line, { childList: true, characterData: true, subtree: true });
    });
    const index = async () => Number(await page.getByRole("slider", { name: "Event" }).inputValue());
    const heard = () => page.evaluate(() => window.heard.splice(0));
    const plays = (from, events) => page.waitForFunction((least) => Number(document.querySelector(".range").value) >= least, from + events);
    await button(page, "Play").click();
    await button(page, "Pause").waitFor();
    await plays(await index(), 4);
    assert.deepEqual(await heard(), [], "events alone say nothing");
    await page.evaluate(() => window.pass());
    await page.waitForFunction(() => window.heard.length > 0);
    const lines = await heard();
    assert.equal(lines.length, 1, JSON.stringify(lines));
    assert.match(lines[0], /^\d+ events(, .+)?\.$/);
    await button(page, "Pause").click();
    await button(page, "Play").waitFor();
    await hears(page, await said(page));
    assert.equal(await page.evaluate(() => window.held.size), 0, "no summary is to come");
  }));

/** For each group of buttons, how many of those that are seen are stops. */
const stopsOfGroups = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("[data-roving]")]
      .map((group) => [...group.querySelectorAll("button:not(:disabled)")].filter((one) => one.closest("[popover]") === null && one.offsetParent !== null))
      .filter((buttons) => buttons.length > 0)
      .map((buttons) => buttons.filter((one) => one.tabIndex === 0).length),
  );

test("each group of buttons has one stop, whatever becomes of its buttons", () =>
  open("#v1;store=1;f=l1.2.1;ops=a1@0,a1@2", {}, async (page) => {
    await page.locator(".cmp .nb").first().waitFor();
    const one = async (when) => {
      await page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => done(true))));
      const stops = await stopsOfGroups(page);
      assert.ok(stops.length >= 8, `${stops.length} groups`);
      assert.ok(stops.every((count) => count === 1), `${when}: ${stops}`);
    };
    await one("at the beginning");
    await button(page, "Step forward").focus();
    await one("with the focus in one");
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.querySelector('[aria-label="Step forward"]').disabled);
    await one("when the button that was the stop is there no more");
    await page.locator(".signups button").last().click();
    await page.waitForFunction(() => document.querySelectorAll(".signups li").length === 1);
    await one("after a line was taken away");
    await page.getByRole("tab", { name: "Chart", exact: true }).click();
    await page.locator(".ch-b").first().waitFor();
    await one("in the chart");
  }));

test("left and right go through a group too, where they are not the story's steps", () =>
  open("", {}, async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText.trim());
    const index = () => page.getByRole("slider", { name: "Event" }).inputValue();
    await button(page, "Play").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".range").value === "1");
    assert.equal(await focused(), "Play", "on the story's page they step");
    await button(page, "Markdown: copy the table").focus();
    const below = [];
    for (const key of ["ArrowRight", "End", "ArrowLeft", "Home"]) {
      await page.keyboard.press(key);
      below.push(await focused());
    }
    assert.deepEqual(below, ["CSV: copy the table", "JSON: copy the table", "CSV: copy the table", "Markdown: copy the table"]);
    assert.equal(await index(), "1");
    await button(page, "Help and keys").click();
    await page.getByRole("switch", { name: "Single keys do something" }).uncheck({ force: true });
    await page.keyboard.press("Escape");
    await button(page, "Play").focus();
    const off = [];
    for (const key of ["ArrowRight", "ArrowRight", "Home", "End"]) {
      await page.keyboard.press(key);
      off.push(await focused());
    }
    assert.deepEqual(off, ["Step forward", "Last event", "First event", "Last event"]);
    assert.equal(await index(), "1", "with the keys off nothing steps");
  }));
