// The timeline follows what is played: the row of the latest event is in view, in the page and in a frame, and only the
// timeline's own view is moved.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, serve, started, visit } from "./harness.mjs";

let browser, site;
before(async () => ([browser, site] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), site?.close()]));

const EMAIL = "send the welcome email";

/** Where the view of the timeline begins. */
const top = (page) => page.locator(".tl").evaluate((view) => view.scrollTop);

/** Whether the row of a step lies wholly between the axis and the lower edge of the view. */
const seen = (page, step) =>
  page.evaluate((step) => {
    const box = (element) => element.getBoundingClientRect();
    const row = [...document.querySelectorAll(".tlr-step")].find((row) => row.innerText.startsWith(step));
    return box(row).top >= box(document.querySelector(".tl-axis")).bottom - 1 && box(row).bottom <= box(document.querySelector(".tl")).bottom + 1;
  }, step);

/** Goes to an event by the slider, as dragging it does. */
async function seek(page, index) {
  await page.getByRole("slider", { name: "Event" }).fill(String(index));
  await page.waitForFunction((index) => document.querySelector(".range").value === String(index), index);
}

for (const [name, address, size] of [
  ["the page", "#v1;story=a-million", { width: 1280, height: 800 }],
  ["a frame", "?embed&story=a-million", { width: 720, height: 420 }],
]) {
  test(`what is played is in view: ${name}`, () =>
    visit(browser, site.url + address, { size, reducedMotion: "reduce" }, async (page) => {
      await started(page);
      await page.locator(".tl").waitFor();
      assert.equal(await seen(page, EMAIL), false, "else this says nothing");
      // Events by the button, as far as to the bet.
      for (let step = 0; step < 80 && !(await page.locator(".say", { hasText: /^The first second email/ }).count()); step += 1) {
        await page.getByRole("button", { name: "Step forward", exact: true }).click();
      }
      assert.ok(await page.locator(".say", { hasText: /^The first second email/ }).isVisible());
      assert.ok(await seen(page, EMAIL), "the row of the event that is talked about");
      const asked = Number(await page.getByRole("slider", { name: "Event" }).inputValue());
      // Who scrolls while it stands still is left alone.
      await page.locator(".tl").evaluate((view) => { view.scrollTop = 0; });
      await page.waitForTimeout(200);
      assert.equal(await top(page), 0);
      await seek(page, asked - 1);
      await page.waitForFunction(() => document.querySelector(".tl").scrollTop > 0);
      assert.ok(await seen(page, EMAIL));
      await seek(page, 0);
      await page.waitForFunction(() => document.querySelector(".tl").scrollTop === 0);
      assert.equal(await page.evaluate(() => scrollY), 0, "the page itself stays");
    }));
}
