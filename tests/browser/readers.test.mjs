// The page for readers who use it otherwise: by keyboard alone, on a phone, with large text, with the system's colours, without
// motion.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, UNDECIDED, assertAccessible, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server]);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const played = (page, index) => page.waitForFunction((index) => document.querySelector(".range").value === String(index), index);
const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth);

test("keys work wherever the focus is, but in fields, menus and the comparison", () =>
  open("", {}, async (page) => {
    await page.keyboard.press("ArrowRight");
    await played(page, 1);
    await button(page, "Step forward").click();
    await page.keyboard.press("ArrowRight");
    await played(page, 3);
    await page.locator(".btn.story").click();
    await page.keyboard.press("ArrowRight");
    await page.locator("#story-menu").getByText("The same sign-up, twice").click();
    await played(page, 0);
    await page.keyboard.press("Space");
    await button(page, "Pause").waitFor();
    await page.locator("body").press("Space");
    await button(page, "Play").waitFor();
    await page.keyboard.press("Home");
    await played(page, 0);
    await page.getByRole("switch", { name: "Provider remembers keys" }).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await played(page, 0);
    await page.getByRole("textbox", { name: "attempts at most" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("slider", { name: "Steps, slider" }).focus();
    await page.keyboard.press("d");
    await page.waitForTimeout(200);
    await played(page, 0);
    assert.equal(await page.locator(".signups li").count(), 3);
  }));

test("the playhead stands where it stood after the window was as narrow as a phone", () =>
  open("#v1;f=l1.2.1;i=13", {}, async (page) => {
    const flag = () => page.evaluate(() => document.querySelector(".tl-line")?.getBoundingClientRect().x);
    await page.waitForFunction(() => document.querySelector(".tl-line"));
    // It glides to its place.
    await page.waitForTimeout(300);
    const before = await flag();
    await page.setViewportSize(SIZES.narrow);
    await page.waitForFunction(() => !document.querySelector(".tl-line"));
    await page.setViewportSize(SIZES.wide);
    await page.waitForFunction(() => document.querySelector(".tl-line"));
    await page.waitForTimeout(300);
    assert.equal(await flag(), before);
  }));

test("groups of buttons are one stop, arrows go on from there, and the timeline's rows are one too", () =>
  open("#v1;store=1;ops=a1@0,a1@2,a2@4;i=20", {}, async (page) => {
    await button(page, "Play").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Step forward");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "range", "the other buttons are passed by");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Step forward");
    const row = page.locator('.cmp tbody button[tabindex="0"]');
    assert.equal(await row.count(), 1);
    await row.focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.innerText), "Retry each step, new key on every call");
    await page.locator('.mark[tabindex="0"]').focus();
    for (let rows = 0; rows < 12; rows += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    for (let marks = 0; marks < 9; marks += 1) await page.keyboard.press(",");
    assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^Open job/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /^Fold job/.test(document.activeElement?.getAttribute("aria-label")));
  }));

/** Presses Tab until the focus has left the comparison, and gives the name of every stop. */
async function stops(page) {
  await page.evaluate(() => document.activeElement?.blur());
  const names = [];
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const at = document.activeElement;
      const beyond = document.querySelector("#compare").compareDocumentPosition(at) === Node.DOCUMENT_POSITION_FOLLOWING;
      if (at === document.body || beyond || at.dataset.counted) return undefined;
      at.dataset.counted = "1";
      return at.getAttribute("aria-label") ?? at.innerText ?? at.id;
    });
    if (name === undefined) break;
    names.push(name);
  }
  return names;
}

test("from the first stop to the end of the comparison are few, and no two controls have one name", () =>
  open("#v1;store=1;f=l1.2.1;ops=a1@0,a1@2,a1@2;i=20", {}, async (page) => {
    await page.getByText("All 25 match the article").waitFor();
    const names = await stops(page);
    assert.equal(names[0], "Skip to the timeline");
    assert.ok(names.length <= 52, `${names.length} stops: ${names.join(" | ")}`);
    const all = await page.evaluate(() =>
      [...document.querySelectorAll(".top, .side, .stage, #compare")].flatMap((part) => [...part.querySelectorAll("button, input:not([type=radio]), select, a[href]")])
        .filter((control) => control.checkVisibility())
        .map((control) => control.getAttribute("aria-label") ?? (control.labels?.[0] ?? control).innerText.trim()),
    );
    assert.deepEqual(all.filter((name, at) => all.indexOf(name) !== at), []);
  }));

test("on a phone the steps of the first job are there before anything has happened", () =>
  open("#v1;f=l1.2.1", { size: SIZES.narrow }, async (page) => {
    assert.deepEqual(await page.locator(".vl-ahead .vl-w > span").allInnerTexts(), ["save the user", "send the welcome email", "schedule the day-3 email"]);
    await assertAccessible(page, { undecided: UNDECIDED });
    for (let steps = 0; steps < 30; steps += 1) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll(".vl-ahead").length === 0);
  }));

for (const [name, size] of [["a desktop", SIZES.wide], ["a phone", SIZES.narrow], ["320 pixels", { width: 320, height: 640 }]]) {
  test(`text of twice the size fits on ${name}`, () =>
    open("#v1;store=1;f=l1.2.1;ops=a1@0,a1@2;i=27;t.tab=chart", { size }, async (page) => {
      // As the browser's own setting does it: the style sheet's breakpoints go with the text.
      const session = await page.context().newCDPSession(page);
      await session.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
      await page.waitForFunction(() => getComputedStyle(document.documentElement).fontSize === "32px");
      await page.waitForTimeout(200);
      const found = await page.evaluate(() => [...document.querySelectorAll("#app *")].filter((box) => box.getBoundingClientRect().right > innerWidth + 1 && box.closest(".side, .legend, .tlwrap, .sr") === null && box.checkVisibility()).slice(0, 5).map((box) => box.outerHTML.slice(0, 120)));
      assert.ok((await wide(page)) <= size.width, `the page is ${await wide(page)} wide: ${found.join("\n")}`);
    }));
}

test("with the system's own colours everything is still there, and nothing is found amiss", () =>
  open("#v1;store=1;f=l1.2.1;ops=a1@0,a1@2;i=27", { forcedColors: "active" }, async (page) => {
    assert.equal(await page.evaluate(() => matchMedia("(forced-colors: active)").matches), true);
    await assertAccessible(page, { undecided: UNDECIDED });
    const painted = await page.evaluate(() =>
      [".mark path", ".cmp rect", ".slide", ".sw-track"].map((what) => {
        const style = getComputedStyle(document.querySelector(what));
        return what === ".slide" ? style.opacity : style.fill !== "none" || style.stroke !== "none";
      }),
    );
    assert.deepEqual(painted, [true, true, "1", true]);
  }));

test("without motion nothing moves, neither in a story nor in the comparison", () =>
  open("#v1;f=l1.2.1;t.jobs=100000000", { reducedMotion: "reduce" }, async (page) => {
    await page.locator(".cacts progress").waitFor();
    await button(page, "Play").click();
    await page.waitForFunction(() => document.querySelector(".range").value > 1);
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  }));

test("a panel that does not fit shows that it goes on", () =>
  open("#v1;f=l1.2.1,x1.1.1,x1.3.1;ops=a1@0,a1@2,a2@3,a3@4,a4@5", {}, async (page) => {
    const [hidden, fade] = await page.evaluate(() => {
      const side = document.querySelector(".side.left");
      return [side.scrollHeight - side.clientHeight, getComputedStyle(side, "::after").position];
    });
    assert.ok(hidden > 0, "this set-up is too long for the panel");
    assert.equal(fade, "sticky");
  }));
