// The journal as the page saves it: the very bytes that the native program and Node make of the same scenario.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { SITE, SIZES, launch, serve, started, visit } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

// The constants of crates/sim/tests/scenarios.rs, which runs natively and in Node.
const SCENARIOS = [
  ["", "67458440ca24b4adbc6a1db63dfc70d07243f1261e2bbd4076962210bd6d8e08"],
  ["#v1;pf=0.2;lr=0.3", "b124722571fe28fd0b42d5899f34fede64197cd15e029023806818f00c7f01c6"],
];

for (const [fragment, digest] of SCENARIOS) {
  test(`d1: the journal of ${fragment || "the default scenario"} has the same bytes everywhere`, () =>
    visit(browser, server.url + fragment, {}, async (page) => {
      await started(page);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save journal", exact: true }).click(),
      ]);
      const bytes = await readFile(await download.path());
      assert.equal(createHash("sha256").update(bytes).digest("hex"), digest);
    }));
}

// Written by a Node script with the package's engine: a step that failed after its effect, and was tried again.
const SCRIPT_JOURNAL = new URL("script-journal.jsonl", import.meta.url).pathname;

test("h54: a journal from a script opens and plays; one that is cut off opens up to there and says so", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const file = page.locator("input[type=file]");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    assert.ok(await page.locator("#export-menu").isVisible());
    await file.setInputFiles(SCRIPT_JOURNAL);
    await page.getByText("script-journal.jsonl can be played").waitFor();
    assert.equal(await page.locator("#export-menu").isVisible(), false, "the menu closes as by its other entries");
    await page.getByRole("button", { name: "Last event", exact: true }).click();
    await page.getByText("2nd time").first().waitFor();
    const whole = await readFile(SCRIPT_JOURNAL);
    await file.setInputFiles({ name: "torn.jsonl", mimeType: "text/plain", buffer: whole.subarray(0, -20) });
    await page.getByText("torn.jsonl: line 29 is cut off after 36 bytes; the 27 entries before it were loaded.").waitFor();
  }));

test("a journal in which no time passes opens and plays: a script's clock that nobody moved", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const text = await readFile(SCRIPT_JOURNAL, "utf8");
    const buffer = Buffer.from(text.replace(/"(at|until)":\d+/g, '"$1":0'));
    await page.locator("input[type=file]").setInputFiles({ name: "instant.jsonl", mimeType: "text/plain", buffer });
    await page.getByText("instant.jsonl can be played").waitFor();
    await page.getByRole("button", { name: "Last event", exact: true }).click();
    await page.getByText("2nd time").first().waitFor();
  }));

/** The script's journal with every time moved, and a step and a user of other names. */
async function renamed(origin, step, user) {
  const text = await readFile(SCRIPT_JOURNAL, "utf8");
  const moved = text.replace(/"(at|until)":(\d+)/g, (_, name, at) => `"${name}":${Number(at) + origin}`);
  return Buffer.from(moved.replaceAll('"save the user"', JSON.stringify(step)).replaceAll('"sign-up:user_1001"', JSON.stringify(user)));
}

test("a script's journal begins at 0 ms, bears its file's name, and its names leave the page alone", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const buffer = await renamed(1_764_500_000_000, "save \u202e the\nuser " + "x".repeat(60), "\u05d0\u05e0\u05d4 <b>1");
    await page.locator("input[type=file]").setInputFiles({ name: "of \u202e mine.jsonl", mimeType: "text/plain", buffer });
    await page.locator(".crumbs").getByText("Journal of a script").waitFor();
    await page.waitForFunction(() => document.title === "Twiceproof: of \\u{202e} mine.jsonl");
    assert.equal(await page.locator(".tl-flag").innerText(), "0 ms");
    await page.getByRole("button", { name: "Step forward", exact: true }).click();
    assert.equal(await page.locator(".tl-flag").innerText(), "0 ms");
    const texts = await page.evaluate(() => document.querySelector(".tl").innerText);
    assert.match(texts, /save \\u\{202e\} the\\u\{a\}user/);
    await page.getByRole("button", { name: "Last event", exact: true }).click();
    assert.match(await page.locator(".tl-flag").innerText(), /^\d+ (h|d)$|^24/);
    const [width, row] = await page.evaluate(() => [document.documentElement.scrollWidth, document.querySelector(".tlr-step").offsetHeight]);
    assert.ok(width <= 1280 && row === 50, `${width} wide, a row ${row} high`);
  }));

test("a file dropped anywhere on the page opens; an empty one is refused by name, and so is a picture", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const drop = async (name, text) => {
      const transfer = await page.evaluateHandle(([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name));
        return transfer;
      }, [name, text]);
      await page.dispatchEvent(".stage", "dragover", { dataTransfer: transfer });
      await page.dispatchEvent(".stage", "drop", { dataTransfer: transfer });
    };
    await drop("dropped.jsonl", await readFile(SCRIPT_JOURNAL, "utf8"));
    await page.getByText("dropped.jsonl can be played").waitFor();
    await drop("nothing.jsonl", "");
    await page.getByText("nothing.jsonl is empty: there is neither a scenario nor a journal in it.").waitFor();
    await drop("picture.png", "\x89PNG\r\n");
    await page.getByText(/picture\.png is neither a scenario nor a journal/).waitFor();
    await page.getByText("dropped.jsonl can be played").waitFor();
  }));

/** The script's journal up to its sleep of a day, cancelled after an hour. */
async function cancelled() {
  const lines = (await readFile(SCRIPT_JOURNAL, "utf8")).split("\n").slice(0, 12);
  assert.match(lines[10], /sleep-started/);
  // As an engine names a run that nobody has named.
  lines[3] = lines[3].replace("sign-up:user_1001", "887406c5-97bc-46d1-8a77-29dadea8954a");
  return Buffer.from([...lines, '{"seq":11,"at":3600000,"type":"run-cancelled","run":0}', ""].join("\n"));
}

for (const [name, size, step] of [["wide", SIZES.wide, "Slept 1 h of 24 h, then cancelled"], ["narrow", SIZES.narrow, "sleep 24 h, cancelled after 1 h"]]) {
  test(`a step that slept when its run was cancelled says so: ${name}`, () =>
    visit(browser, server.url, { size }, async (page) => {
      await started(page);
      await page.locator("input[type=file]").setInputFiles({ name: "cancelled.jsonl", mimeType: "text/plain", buffer: await cancelled() });
      await page.locator(".crumbs").getByText("cancelled.jsonl").waitFor();
      await page.keyboard.press("End");
      await page.getByText("Job 1 is cancelled.").first().waitFor();
      const said = (page) => page.evaluate(() => [document.querySelector("#timeline").innerText, ...[...document.querySelectorAll(".mark")].map((mark) => mark.getAttribute("aria-label"))].join("\n"));
      assert.ok((await said(page)).replace(/\s+/g, " ").replace(" ,", ",").includes(step), await said(page));
      assert.doesNotMatch(await said(page), /Sleeping/);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= size.width, "the run's name keeps to the page");
    }));
}

test("the address of a journal claims no story, holds what is compared, and back leads to the story before", () =>
  visit(browser, server.url + "#v1;story=same-twice;t.seed=2", {}, async (page) => {
    await started(page);
    const file = page.locator("input[type=file]");
    const story = await page.locator(".btn.story b").innerText();
    await page.getByRole("button", { name: "Step forward", exact: true }).click();
    await page.waitForFunction(() => /;i=1/.test(location.hash));
    await file.setInputFiles(SCRIPT_JOURNAL);
    await page.waitForFunction(() => location.hash === "#v1;t.seed=2");
    await page.getByRole("button", { name: "Article's settings", exact: true }).click();
    await page.waitForFunction(() => location.hash === "" && !location.href.includes("#"));
    await page.getByRole("button", { name: "Last event", exact: true }).click();
    await page.waitForTimeout(500);
    assert.equal(new URL(page.url()).hash, "");
    await page.getByText("script-journal.jsonl can be played").waitFor();
    await page.goBack();
    await page.waitForFunction((story) => document.querySelector(".btn.story b").innerText === story, story);
    assert.match(page.url(), /story=same-twice.*;i=1;t\.seed=2$/);
  }));

test("a journal does not say which step is an email to whom, so nothing is said of what users got", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const got = page.getByRole("heading", { name: "What each user got" });
    assert.equal(await got.count(), 1);
    await page.locator("input[type=file]").setInputFiles(SCRIPT_JOURNAL);
    await page.getByText("script-journal.jsonl can be played").waitFor();
    assert.equal(await got.count(), 0);
    assert.equal(await page.locator(".strip").count(), 0);
    await page.getByRole("button", { name: "Next story", exact: true }).click();
    await got.waitFor();
  }));
