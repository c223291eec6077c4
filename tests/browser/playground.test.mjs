// The playground as a reader uses it: the story of the front page's first paragraph, stepping, changing, playing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server]);

const button = (page, name) => page.getByRole("button", { name, exact: true });
const said = (page) => page.locator(".caption .say").innerText();
const played = async (page) => Number(await page.getByRole("slider", { name: "Event" }).inputValue());

/** Steps forward until the sentence matches; fails at the end of the story. */
async function stepUntil(page, pattern) {
  for (let steps = 0; steps < 200; steps += 1) {
    if (pattern.test(await said(page))) return;
    const before = await played(page);
    await button(page, "Step forward").click();
    await page.waitForFunction((index) => document.querySelector(".range").value > index, before);
  }
  assert.fail(`no event says ${pattern}`);
}

/** Everything a reader sees of a story's state. */
const seen = (page) =>
  page.evaluate(() =>
    [".caption .say", ".got", ".side.right", ".ev", ".legend"].map((part) => document.querySelector(part)?.innerText),
  );

test("the same sign-up twice, a lost reply, and the second email leaves; the table is in the same page", () =>
  open("", {}, async (page) => {
    assert.equal(await played(page), 0, "it starts at the beginning");
    await button(page, "Same again").click();
    assert.equal(await page.locator(".signups li").count(), 2);
    await button(page, "Lose email reply").click();
    await page.locator(".chip.fault").waitFor();
    assert.match(await page.locator(".diff").innerText(), /\+1 email/);
    await stepUntil(page, /reply/i);
    await button(page, "Last event").click();
    await page.locator(".got .harm-t").waitFor();
    assert.equal(await page.locator(".got .env-ring").count() > 0, true, "a second email is drawn as one too many");
    const rows = page.locator(".cmp tbody tr");
    await page.getByText("All 25 match the article").waitFor();
    assert.equal(await rows.count(), 5);
  }));

test("a step back shows what stood there before the step forward", () =>
  open("#v1;story=store-still-doubles;store=1;f=l1.2.1;ops=a1@0,a1@2;bet=3", {}, async (page) => {
    const before = [];
    while (await button(page, "Step forward").isEnabled()) {
      before.push(await seen(page));
      await button(page, "Step forward").click();
      await page.waitForFunction((index) => Number(document.querySelector(".range").value) === index, before.length);
    }
    assert.ok(before.length > 20);
    for (const expected of before.reverse()) {
      await button(page, "Step back").click();
      await page.waitForFunction((text) => document.querySelector(".ev").innerText === text, expected[3]);
      assert.deepEqual(await seen(page), expected);
    }
  }));

test("a story is told: captions, a bet at which it waits, what came of it, and something to try", () =>
  open("#v1;story=lost-reply;f=l1.2.1", {}, async (page) => {
    const step = () => page.locator(".cstep .muted").innerText();
    assert.equal(await step(), "1 of 6");
    await button(page, "Next caption").click();
    await page.waitForFunction(() => document.querySelector(".cstep .muted").innerText === "2 of 6");
    assert.match(await said(page), /both sides agree/);
    await page.getByLabel("Speed").selectOption("max");
    await button(page, "Play").click();
    const bet = page.getByRole("group", { name: "Your bet" });
    await bet.waitFor();
    assert.match(await bet.innerText(), /How many emails will Ana get\?/);
    assert.equal(await step(), "3 of 6");
    assert.equal(await page.getByRole("group", { name: "Playback" }).getByRole("button", { name: "Play" }).count(), 1, "it waits");
    await assertAccessible(page, { undecided: UNDECIDED });
    await bet.getByRole("button", { name: "1 email" }).click();
    const nowYou = page.getByRole("group", { name: "Now you" });
    await nowYou.waitFor();
    assert.match(await page.locator(".got-part").innerText(), /Your bet was 1 email; it is 2 emails\./);
    await assertAccessible(page, { undecided: UNDECIDED });
    await nowYou.getByRole("button", { name: "Send the same key" }).click();
    await page.locator(".got .harm-t").waitFor({ state: "detached" });
    assert.match(await page.locator(".diff").innerText(), /−1 email/);
    assert.equal(await page.locator(".cstep .muted").count(), 0, "a story that was changed is the reader's own");
  }));

test("the bet cannot be stepped past: whoever tries is led to it, and may pass", () =>
  open("#v1;story=lost-reply;f=l1.2.1", {}, async (page) => {
    const bet = page.getByRole("group", { name: "Your bet" });
    for (const press of ["End", "End", "ArrowRight", "Space"]) {
      await page.keyboard.press(press);
      await bet.waitFor();
    }
    await page.waitForFunction(() => document.activeElement?.id === "ask");
    assert.equal(await page.locator(".got .harm-t").count(), 0);
    assert.match(await page.locator(".caption [role=status]").textContent(), /How many emails will Ana get\?$/, "it is heard, too");
    assert.doesNotMatch(await page.locator(".top").innerText(), /two emails/i, "the title does not tell");
    await bet.getByRole("button", { name: "No bet" }).click();
    await page.keyboard.press("End");
    await page.locator(".got .harm-t").waitFor();
    assert.doesNotMatch(await page.locator(".got-part").innerText(), /bet/);
  }));

test("it plays to the end by itself, and stops when asked", () =>
  open("#v1;f=l1.2.1", {}, async (page) => {
    await page.getByLabel("Speed").selectOption("max");
    await button(page, "Play").click();
    await page.waitForFunction(() => document.querySelector(".got .harm-t"));
    await button(page, "Play").waitFor();
    await page.getByLabel("Speed").selectOption("0.25×");
    await button(page, "Play").click();
    await button(page, "Pause").click();
    const stopped = await played(page);
    await page.waitForTimeout(1500);
    assert.equal(await played(page), stopped);
  }));

test("several steps asked for at once all count", () =>
  open("", {}, async (page) => {
    await page.evaluate(() => {
      const forward = document.querySelector('[aria-label="Step forward"]');
      for (let times = 0; times < 7; times += 1) forward.click();
    });
    await page.waitForFunction(() => document.querySelector(".range").value === "7");
  }));

test("the four controls and every chip change what happens", () =>
  open("#v1;f=l1.2.1", {}, async (page) => {
    await button(page, "Last event").click();
    await page.locator(".got .harm-t").waitFor();
    await page.getByRole("radio", { name: "Same" }).check({ force: true });
    await page.locator(".got .harm-t").waitFor({ state: "detached" });
    assert.match(await page.locator(".diff").innerText(), /−1 email/);
    assert.match(await page.locator(".hd-a").first().innerText(), /row 3 below/);
    await page.getByRole("switch", { name: "Provider remembers keys" }).uncheck({ force: true });
    await page.locator(".got .harm-t").waitFor();
    const attempts = page.getByRole("textbox", { name: "attempts at most" }).first();
    await attempts.fill("1");
    await attempts.press("Enter");
    await page.locator(".got .harm-t").waitFor({ state: "detached" });
    await attempts.fill("none");
    await attempts.press("Enter");
    await page.locator(".hint.refused").filter({ hasText: "attempts needs a whole number from 1 to 20, got “none”." }).waitFor();
    assert.equal(await attempts.getAttribute("aria-invalid"), "true");
    await page.locator(".got .harm-t").waitFor({ state: "detached" });
    await attempts.press("Escape");
    assert.equal(await attempts.inputValue(), "1", "what the page shows is what holds");
  }));

test("any call can be failed, or lose its reply, where it is looked at", () =>
  open("", {}, async (page) => {
    await button(page, "Last event").click();
    await page.locator('.mark[data-mark="1.2.1"]').first().click();
    await page.getByRole("heading", { name: "Selected" }).waitFor();
    await button(page, "Reply lost").click();
    await page.locator(".got .harm-t").waitFor();
    assert.equal(await button(page, "Reply lost").getAttribute("aria-pressed"), "true");
    await button(page, "Fail before").click();
    await page.locator(".got .harm-t").waitFor({ state: "detached" });
    assert.match(await page.locator(".side.right .kv").innerText(), /error 503/);
  }));

test("a restart empties the store, and expiring keys lets work run again", () =>
  open("#v1;store=1;ops=a1@0;i=99", {}, async (page) => {
    assert.equal(await page.locator(".store li").count(), 3);
    await button(page, "Restart app").click();
    // It is told of at once.
    await page.locator(".say", { hasText: "restart" }).waitFor();
    await page.locator(".store").waitFor({ state: "detached" });
  }));

test("keys can be switched off", () =>
  open("", {}, async (page) => {
    await page.locator("#stage").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".range").value === "1");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector(".range").value === "0");
    await button(page, "Help and keys").click();
    await page.getByRole("switch", { name: "Single keys do something" }).uncheck({ force: true });
    await page.keyboard.press("Escape");
    await page.locator("#stage").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(300);
    assert.equal(await played(page), 0);
  }));

test("a journal that was cut off opens up to there, and says so", () =>
  open("", {}, async (page) => {
    const download = page.waitForEvent("download");
    await button(page, "Export").click();
    await button(page, "Save journal").click();
    const { readFile } = await import("node:fs/promises");
    const text = await readFile(await (await download).path(), "utf8");
    await page.locator('input[type="file"]').setInputFiles({
      name: "torn.jsonl",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from(text.slice(0, -25)),
    });
    await page.getByText(/torn\.jsonl: line \d+ is cut off after \d+ bytes/).waitFor();
    await page.locator('input[type="file"]').setInputFiles({
      name: "odd.json",
      mimeType: "application/json",
      buffer: Buffer.from('{"version":7}'),
    });
    await page.getByText("odd.json: version needs 1, got 7.").waitFor();
  }));

test("with reduced motion nothing is animated", () =>
  open("#v1;f=l1.2.1", { reducedMotion: "reduce" }, async (page) => {
    await button(page, "Play").click();
    await page.waitForFunction(() => document.querySelector(".range").value > 1);
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  }));

for (const theme of THEMES) {
  for (const [name, size] of Object.entries(SIZES)) {
    test(`no accessibility findings in the middle of a story: ${theme}, ${name}`, () =>
      open("#v1;story=store-still-doubles;store=1;f=l1.2.1;ops=a1@0,a1@2;i=27;sel=1.2.1", { theme, size }, async (page) => {
        await assertAccessible(page, { undecided: UNDECIDED });
        await page.locator('[popovertarget="story-menu"]').first().click();
        await assertAccessible(page, { undecided: UNDECIDED });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= size.width, `the page is ${width} wide in a window of ${size.width}`);
      }));
  }
}

test("at 320 pixels nothing has to be scrolled sideways", () =>
  open("#v1;f=l1.2.1;i=20", { size: { width: 320, height: 640 } }, async (page) => {
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
    await button(page, "Set-up: sign-ups, strategy and faults").click();
    await button(page, "Same again").click();
    await page.waitForFunction(() => document.querySelectorAll(".signups li").length === 2);
  }));
