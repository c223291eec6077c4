// What a story asks: nothing of the answer is to be seen before it is given; what a button does that is gone afterwards is heard and
// seen where the focus goes; and where room is short, what happens comes before what is set up.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server]);
const LOST = "#v1;story=lost-reply;f=l1.2.1";
const focused = (page) => page.evaluate(() => {
  const { id, className } = document.activeElement;
  return { id, className, ring: getComputedStyle(document.activeElement).outlineStyle };
});

test("no second call is drawn or named before the bet, and it is after it", () =>
  open(LOST, {}, async (page) => {
    const names = () => page.locator(".tl [role=button], .tl [role=img]").evaluateAll((marks) => marks.map((mark) => mark.getAttribute("aria-label")));
    const asked = page.locator("#ask");
    for (let step = 0; step < 40 && !(await asked.isVisible()); step += 1) {
      assert.ok((await names()).every((name) => !/attempt 2/i.test(name)), (await names()).join("; "));
      await page.keyboard.press("ArrowRight");
    }
    assert.ok((await names()).every((name) => !/attempt 2/i.test(name)), (await names()).join("; "));
    await asked.locator(".bet").first().click();
    assert.ok((await names()).some((name) => /attempt 2/i.test(name)), (await names()).join("; "));
  }));

test("who answers with the keyboard goes on at the sentence, with a ring", () =>
  open(LOST, {}, async (page) => {
    await page.keyboard.press("End");
    await page.locator("#ask .bet").first().press("Enter");
    assert.deepEqual(await focused(page), { id: "say", className: "say", ring: "solid" });
    await page.keyboard.press("End");
    await page.locator(".ask .bet").press("Enter");
    assert.deepEqual(await focused(page), { id: "say", className: "say", ring: "solid" });
  }));

for (const [name, size] of [["at 200 %", { width: 640, height: 400 }], ["on a tablet", { width: 768, height: 1024 }], ["on a phone", SIZES.narrow]]) {
  test(`the sentence and Play are seen first ${name}`, () =>
    open(LOST, { size }, async (page) => {
      for (const selector of [".say", ".play"]) {
        const { y, height } = await page.locator(selector).first().boundingBox();
        assert.ok(y >= 0 && y + height <= size.height, `${selector} is at ${y}`);
      }
      const [said, setUp] = [await page.locator(".say").boundingBox(), await page.locator(".side.left").boundingBox()];
      assert.ok(!setUp || said.y < setUp.y);
    }));
}

for (const reducedMotion of ["no-preference", "reduce"]) {
  test(`playback shows that it waits for the reader: ${reducedMotion}`, () =>
    open(`${LOST};bet=0`, { reducedMotion }, async (page) => {
      await page.locator(".play").click();
      await page.locator(".play[data-hold]").waitFor();
      const animation = await page.locator(".play[data-hold]").evaluate((play) => getComputedStyle(play, "::after").animationName);
      assert.equal(animation, reducedMotion === "reduce" ? "none" : "hold");
    }));
}
