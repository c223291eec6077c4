// Where room is short: a phone, 320 pixels, a window at 200 %. What is said goes over the page or beside it, and nothing is cut.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server]);
const SMALL = { width: 320, height: 640 };
const box = (page, selector) => page.locator(selector).first().boundingBox();
/** Whether the texts of all elements are wholly within the window's sides. */
const cut = (page, selector) =>
  page.locator(selector).evaluateAll((found) => found.filter((one) => one.checkVisibility()).filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    return left < 0 || right > innerWidth + 0.5 || (one.scrollWidth > one.clientWidth + 1 && one.localName === "input");
  }).map((one) => one.outerHTML.slice(0, 100)));

for (const size of [SIZES.narrow, SMALL]) {
  test(`the table of rules keeps its systems in view while their answers are scrolled: ${size.width}`, () =>
    open("", { size }, async (page) => {
      const scroller = page.locator(".rules-scroll");
      await scroller.scrollIntoViewIfNeeded();
      const name = () => box(page, ".rules-table tbody th");
      const before = await name();
      assert.ok(before.width <= size.width / 2, `the answers have room beside a name of ${before.width}`);
      await scroller.evaluate((view) => { view.scrollLeft = view.scrollWidth; });
      assert.equal((await name()).x, before.x);
      const runs = await page.locator(".rules-table tbody tr").first().locator("td").last().boundingBox();
      assert.ok(runs.x > before.x + before.width && runs.x + runs.width <= size.width, JSON.stringify(runs));
      await page.locator(".rules-table button").first().click();
      await page.locator(".rules-open").waitFor();
      assert.deepEqual(await cut(page, ".rules-open p, .rules-open dd"), []);
    }));
}

test("at 320 pixels the header is one row, and a huge number of sign-ups is whole", () =>
  open("#v1;t.jobs=1000000000", { size: SMALL }, async (page) => {
    const [brand, help] = [await box(page, ".brand"), await box(page, ".acts > .btn:last-of-type")];
    assert.ok(Math.abs(brand.y + brand.height / 2 - help.y - help.height / 2) < 8, "they stand side by side");
    assert.deepEqual(await cut(page, ".top .btn, .set input"), []);
    const share = page.locator(".cacts .min", { hasText: /^\d+ %$/ });
    await share.waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
  }));

test("at 200 % all of the set-up is in view", () =>
  open("#v1;f=l1.2.1", { size: { width: 640, height: 400 } }, async (page) => {
    assert.deepEqual(await cut(page, ".side.left section, .side.left button, .side.left input"), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 640));
  }));

test("a phone's chart says what its lines stand for", () =>
  open("#v1;t.tab=chart", { size: SIZES.narrow }, async (page) => {
    await page.locator(".ch-a").first().waitFor();
    assert.match((await page.locator(".ch-a").allTextContents()).join(" "), /1k.*1M.*10\.5/);
    const [axis, bars] = [await box(page, ".ch-a svg"), await box(page, ".ch-c svg")];
    assert.deepEqual([axis.x, axis.width], [bars.x, bars.width], "under the bars' own lines");
  }));

test("what was done is said over the page, which stays where it is; twice is heard twice", () =>
  open("", {}, async (page) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const stage = await box(page, ".stage");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByText("Link copied.").waitFor();
    assert.deepEqual(await box(page, ".stage"), stage);
    await page.evaluate(() => {
      window.heard = 0;
      new MutationObserver(() => { window.heard += 1; }).observe(document.querySelector(".notice p"), { childList: true, characterData: true, subtree: true });
    });
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.waitForFunction(() => window.heard > 0);
    // A problem stays in the page, above what it is about.
    await page.evaluate(() => { location.hash = "#v1;n=0"; });
    await page.locator(".notice.problem").waitFor();
    assert.equal(await page.locator(".notice").evaluate((notice) => getComputedStyle(notice).position), "static");
  }));

test("two events that are told in the same words are both heard", () =>
  open("#v1;f=l1.2.1;view=worker;i=2", {}, async (page) => {
    const line = page.locator(".caption [role=status]");
    let [before, repeats] = [await line.textContent(), 0];
    for (let steps = 0; steps < 12; steps += 1) {
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction((before) => document.querySelector(".caption [role=status]").textContent !== before, before);
      const now = await line.textContent();
      repeats += Number(now.trim() === before.trim());
      before = now;
    }
    assert.ok(repeats > 0, "the provider's events are told in the words before");
  }));

test("why a setting was refused covers nothing of the table", () =>
  open("", {}, async (page) => {
    const field = page.getByRole("textbox", { name: "Attempts, exactly" });
    await field.fill("x");
    await field.press("Enter");
    const said = await box(page, ".set .hint.refused");
    assert.ok(said.y + said.height <= (await box(page, "#compare-panel")).y);
  }));

test("a phone's list follows what is played, and stays where it is put otherwise", () =>
  open("#v1;f=l1.2.1;ops=a1@0,a1@2,a2@4", { size: SIZES.narrow, reducedMotion: "reduce" }, async (page) => {
    assert.equal(await page.evaluate(() => scrollY), 0);
    const now = async () => {
      const { y, height } = await box(page, ".vl-now");
      return y >= 44 && y + height <= (await box(page, ".dock")).y;
    };
    for (let steps = 0; steps < 40; steps += 1) {
      await page.keyboard.press("ArrowRight");
      if (steps % 8 === 7) assert.ok(await now(), `after ${steps + 1} steps`);
    }
    assert.ok((await page.evaluate(() => scrollY)) > 0);
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => scrollY), 0);
  }));

test("what happens to a key alone brings its lane into view", () =>
  opens(() => [browser, server], (page) => page.locator(".tl").waitFor())(
    "?embed&story=lost-reply&store=1&ttl=1000&f=&ops=a1@0,a1@5000&step=7",
    { size: { width: 720, height: 420 }, reducedMotion: "reduce" },
    async (page) => {
      const lane = () => page.evaluate(() => {
        const [row, view] = [document.querySelector(".tlr-key"), document.querySelector(".tl")].map((one) => one.getBoundingClientRect());
        return row.bottom <= view.bottom + 1;
      });
      assert.equal(await lane(), false, "else this says nothing");
      for (let steps = 0; steps < 40 && !/remembers/.test(await page.locator(".say").innerText()); steps += 1) await page.getByRole("button", { name: "Step forward", exact: true }).click();
      assert.match(await page.locator(".say").innerText(), /Our store remembers/);
      await page.waitForFunction(() => document.querySelector(".tl").scrollTop > 0);
      assert.ok(await lane());
    },
  ));
