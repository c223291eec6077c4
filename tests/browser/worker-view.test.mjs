// In the worker's view nothing tells what only the provider knows. Two runs that differ in nothing but what the provider remembers are
// one to the worker: with the key known there is one email, without it there are two, and the worker gets the same replies at the
// same times. So whatever the page shows of them has to be the same, until it is revealed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, UNDECIDED, assertAccessible, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

/** All texts and names that are shown of the run, and the places of all that is drawn of it. */
const shown = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".top, .stage, .side.right, .tw")].filter((part) => part.checkVisibility()).flatMap((part) => [
      part.innerText,
      ...[...part.querySelectorAll("[aria-label], [aria-valuetext], [title]")].map((named) => ["aria-label", "aria-valuetext", "title"].map((name) => named.getAttribute(name)).join("|")),
      ...[...part.querySelectorAll("svg path")].map((path) => `${path.getAttribute("class")} ${path.getAttribute("d")}`),
    ]),
  );


const VIEWS = [
  ["the page", "#v1;key=same;f=l1.2.1;view=worker", ".stage", { size: SIZES.wide }],
  ["a phone", "#v1;key=same;f=l1.2.1;view=worker", ".stage", { size: SIZES.narrow }],
  ["an embed", "?embed&story=lost-reply&key=same&view=worker", ".tw", { size: { width: 720, height: 420 } }],
];
for (const [name, address, ready, options] of VIEWS) {
  test(`the worker's view tells nothing that only the provider knows, until it is revealed: ${name}`, async () => {
    const open = opens(() => [browser, server], (page) => page.locator(ready).waitFor());
    const embedded = address.startsWith("?");
    const seen = [];
    for (const remembers of [1, 0]) {
      await open(`${address}${embedded ? "&" : ";"}remembers=${remembers}`, options, async (page) => {
        const total = Number(await page.locator(".range").getAttribute("max"));
        const steps = [];
        if (embedded) await page.locator(".say").click();
        for (let index = 0; index <= total; index += 1) {
          await page.waitForFunction((index) => document.querySelector(".range").value === String(index), index);
          steps.push(await shown(page));
          if (embedded) await page.getByRole("button", { name: "Step forward", exact: true }).click({ force: true });
          else await page.keyboard.press("ArrowRight");
        }
        const hidden = steps.at(-1).join("\n");
        assert.doesNotMatch(hidden, /(?<!-)\d emails?\b|reply lost|done again|key known|work done|[Pp]rovider (did the|sent|knew)|sent (once )?more|goes out|went out/);
        await assertAccessible(page, { undecided: UNDECIDED });
        await page.getByRole("button", { name: "Show what really happened", exact: true }).filter({ visible: true }).click();
        await page.locator(".got, .strip").filter({ hasText: remembers ? "1 email" : "2 emails" }).filter({ visible: true }).first().waitFor();
        seen.push(steps);
      });
    }
    assert.ok(seen[0].length > 20);
    for (const [index, step] of seen[0].entries()) {
      // The embed's link to the playground says its scenario; the address is no part of what is shown.
      assert.deepEqual(seen[1][index], step, `event ${index}`);
    }
  });
}

test("the eye is on a phone too, and a story told to the worker ends with no verdict", () =>
  opens(() => [browser, server])("#v1;story=lost-reply;f=l1.2.1;view=worker;bet=1", { size: SIZES.narrow }, async (page) => {
    await page.keyboard.press("End");
    const strip = page.locator(".strip");
    assert.match(await strip.innerText(), /Your bet: 1 email\./);
    assert.equal(await page.getByRole("group", { name: "Now you" }).count(), 0);
    await page.getByRole("button", { name: "Show what the provider did", exact: true }).click();
    await page.locator(".strip", { hasText: "Your bet was 1 email; it is 2 emails." }).waitFor();
    assert.ok(await page.getByRole("group", { name: "Now you" }).isVisible());
  }));
