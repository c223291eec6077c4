// What has to fit at 1280 by 800: nothing of it is cut off, sticks out, or lies where it cannot be seen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const openAt = opens(() => [browser, server]);
const open = (fragment, body) => openAt(fragment, {}, body);

/** Of the elements that `inner` finds, those that are not all inside the one that `outer` finds. */
const outside = (page, outer, inner) =>
  page.evaluate(
    ([outer, inner]) => {
      const frame = outer === "window" ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : document.querySelector(outer).getBoundingClientRect();
      const found = [...document.querySelectorAll(inner)];
      if (found.length === 0) return [`nothing is ${inner}`];
      const out = (box) => box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5;
      return found.filter((one) => out(one.getBoundingClientRect())).map((one) => one.textContent);
    },
    [outer, inner],
  );

const LONG = "#v1;store=1;retry=job;key=same;ttl=300;pf=0.25;lr=0.3;c=2;seed=5;ops=a1@0,a1@1,a1@2,a1.1@3,r@150,a2@400,a1@4000;i=999";

test("the legend of a story with much in it has all its items in view", () =>
  open(LONG, async (page) => {
    assert.ok((await page.locator(".lg").count()) >= 9, await page.locator(".legend").innerText());
    assert.deepEqual(await outside(page, ".legend", ".lg"), []);
    assert.deepEqual(await outside(page, "window", ".legend"), []);
    assert.equal(await page.locator(".legend").evaluate((strip) => strip.scrollWidth - strip.clientWidth), 0);
  }));

test("how many emails came too many stands in line with the rest of its panel", () =>
  open("#v1;f=l1.2.1;i=999", async (page) => {
    assert.deepEqual(await outside(page, ".got-part", ".got .harm-t"), []);
  }));

test("all stories of the menu are in view, to the last description", () =>
  open("", async (page) => {
    await page.locator(".btn.story").click();
    await page.locator("#story-menu li").last().waitFor();
    assert.deepEqual(await outside(page, "window", "#story-menu, #story-menu li"), []);
    assert.equal(await page.locator("#story-menu").evaluate((menu) => menu.scrollHeight - menu.clientHeight), 0);
  }));

test("why the lowest chip was refused can be read", () =>
  open("", async (page) => {
    const chip = page.getByRole("textbox", { name: /^keys: / });
    await chip.fill("x");
    await chip.press("Enter");
    await page.locator(".hint.refused").waitFor();
    assert.deepEqual(await outside(page, ".side.left", ".hint.refused"), []);
    await page.getByText("More limits").click();
    const last = page.getByRole("textbox", { name: /^provider keys: / });
    await last.fill("x");
    await last.press("Enter");
    await page.locator("#provider-keys-needs.refused").waitFor();
    assert.deepEqual(await outside(page, ".side.left", "#provider-keys-needs"), []);
  }));

test("a fault of a long name keeps to its column", () =>
  open("#v1;steps=create_the_billing_customer~billing~create-the-billing-customer~created~20~0,send~mail~welcome-email~sent~20~1;f=x1.1.1,l1.2.1,s1.1.12", async (page) => {
    assert.equal(await page.locator(".chip.fault").count(), 3);
    assert.deepEqual(await outside(page, ".side.left section:last-of-type", ".chip.fault"), []);
    assert.ok((await page.locator(".side.left").evaluate((side) => side.scrollWidth - side.clientWidth)) <= 0);
  }));

test("the table is in view to its last row", () =>
  open("", async (page) => {
    await page.getByText("All 25 match the article").waitFor();
    assert.deepEqual(await outside(page, "window", ".cmp tbody tr"), []);
  }));
