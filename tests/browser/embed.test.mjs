// The embed in a page that is not ours: it takes the place reserved for it and nothing else.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, THEMES, UNDECIDED, assertAccessible, launch, serve, started, visit } from "./harness.mjs";

let browser, site;
before(async () => ([browser, site] = await Promise.all([launch(), serve(SITE, { prefix: "/embedded/" })])));
after(() => Promise.all([browser?.close(), site?.close()]));

/** A host page on another origin, with two embeds, one of them far below. The script stands before them, as is documented. */
const article = () => `<!doctype html><html lang="en"><head><title>An article</title><link rel="icon" href="data:,">
<script src="${site.url}twiceproof-play.js"></script></head><body>
<main><h1>Jobs that run twice</h1><p><label>Search <input id="search" autofocus></label></p>
<twiceproof-play id="first" story="lost-reply" theme="light"><a href="${site.url}">The first story</a></twiceproof-play>
<p>Between.</p><div><p>${"Much text. ".repeat(4000)}</p></div>
<twiceproof-play id="second" story="both-at-once" step="9" controls="mini" glow="9"><a href="${site.url}">The second story</a></twiceproof-play>
<p id="end">After.</p></main></body></html>`;

async function withHost(body, options = {}) {
  const host = await serve(SITE, { prefix: "/nothing/", pages: { "/host.html": article() } });
  try {
    await visit(browser, `${host.origin}/host.html`, { before: observe, ...options }, body);
  } finally {
    await host.close();
  }
}

/** Records layout shifts and the embeds' events from the very beginning. */
const observe = (page) =>
  page.addInitScript(() => {
    if (window.parent !== window) return;
    window.shifts = [];
    window.heard = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: "layout-shift", buffered: true });
    for (const type of ["ready", "step", "effect", "duplicate", "state", "bet", "warning"]) {
      addEventListener(`twiceproof:${type}`, ({ target, detail }) => window.heard.push([target.id, type, detail]));
    }
  });

const ready = (page, id) => page.waitForFunction((id) => window.heard.some(([from, type]) => from === id && type === "ready"), id);
const loaded = (page, id) => page.evaluate((id) => Boolean(document.getElementById(id).shadowRoot?.querySelector("iframe")), id);

test("two embeds neither shift the page, nor take its focus, nor scroll it", () =>
  withHost(async (page) => {
    await page.locator("#search").focus();
    await ready(page, "first");
    assert.equal(await loaded(page, "second"), false, "what is out of sight is not loaded");
    assert.equal(await page.evaluate(() => document.activeElement.id), "search");
    assert.equal(await page.evaluate(() => scrollY), 0);
    const history = await page.evaluate(() => history.length);
    await page.evaluate(() => document.getElementById("end").scrollIntoView({ behavior: "instant" }));
    const scrolled = await page.evaluate(() => scrollY);
    await ready(page, "second");
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => scrollY), scrolled);
    assert.equal(await page.evaluate(() => document.activeElement.id), "search");
    assert.equal(await page.evaluate(() => history.length), history);
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    const [, , warning] = await page.evaluate(() => window.heard.find(([from, type]) => from === "second" && type === "warning"));
    assert.deepEqual(warning.ignored, ["glow"]);
  }));

test("the host hears steps, emails and duplicates, and can drive the story", () =>
  withHost(async (page) => {
    await ready(page, "first");
    await page.evaluate(() => document.getElementById("first").seek(999));
    await page.waitForFunction(() => window.heard.some(([from, type]) => from === "first" && type === "duplicate"));
    const heard = await page.evaluate(() => window.heard.filter(([from]) => from === "first").map(([, type, detail]) => [type, detail]));
    assert.deepEqual(heard.find(([type]) => type === "effect")[1], { user: "user_1001", count: 1 });
    assert.deepEqual(heard.find(([type]) => type === "duplicate")[1], { user: "user_1001", count: 2 });
    assert.match(heard.findLast(([type]) => type === "state")[1].permalink, /\/embedded\/#v1;story=lost-reply/);
    const step = heard.findLast(([type]) => type === "step")[1];
    assert.equal(step.index, step.total);
  }));

test("another story, theme or height is shown when the attribute changes, and the page's history stays", () =>
  withHost(async (page) => {
    await ready(page, "first");
    const history = await page.evaluate(() => history.length);
    const story = () => page.frames().find((frame) => frame.parentFrame() === page.mainFrame() && frame.url().includes("?embed"));
    await page.evaluate(() => document.getElementById("first").setAttribute("theme", "dark"));
    await story().locator('[data-theme="dark"]').waitFor({ state: "attached" });
    const before = story().url();
    await page.evaluate(() => {
      window.heard = [];
      const first = document.getElementById("first");
      first.setAttribute("story", "both-at-once");
      first.setAttribute("step", "4");
      first.setAttribute("height", "500");
    });
    await ready(page, "first");
    assert.equal(await page.evaluate(() => window.heard.filter(([, type]) => type === "ready").length), 1, "loaded once for all of them");
    assert.notEqual(story().url(), before);
    await story().getByText("Both at the same moment").waitFor({ state: "attached" });
    assert.equal(await story().locator(".range").inputValue(), "4");
    await story().locator('[data-theme="dark"]').waitFor({ state: "attached" });
    assert.equal(await page.locator("#first").evaluate((element) => element.clientHeight), 500);
    assert.equal(await page.evaluate(() => history.length), history);
  }));

test("a bet is heard, and is in the link that follows it", () =>
  withHost(async (page) => {
    await ready(page, "first");
    const frame = page.frames().find((frame) => frame.url().includes("?embed"));
    const question = frame.getByRole("group", { name: "Your bet" });
    for (let steps = 0; steps < 20 && !(await question.count()); steps += 1) await frame.getByRole("button", { name: "Step forward", exact: true }).click();
    await question.getByRole("button", { name: "2 emails" }).click();
    await page.waitForFunction(() => window.heard.some(([, type]) => type === "bet"));
    await page.waitForFunction(() => window.heard.some(([, type, detail]) => type === "state" && /;bet=2/.test(detail.permalink)));
    assert.deepEqual(await page.evaluate(() => window.heard.find(([, type]) => type === "bet")[2]), { choice: "2 emails", correct: true });
  }));

test("a story that speaks of the table has it below, covered until the bet", () =>
  visit(browser, `${site.url}?embed&story=a-million`, { size: { width: 720, height: 700 } }, async (page) => {
    await started(page);
    await page.getByText("All 25 match the article").waitFor();
    assert.equal(await page.locator(".cmp").isVisible(), false, "it would give the answer away");
    await page.getByRole("button", { name: "Last event", exact: true }).click();
    await page.getByRole("group", { name: "Your bet" }).getByRole("button").first().click();
    const box = await page.locator(".cmp tbody tr").first().boundingBox();
    assert.ok(box.y + box.height <= 700 && (await page.locator(".cmp").isVisible()), JSON.stringify(box));
    await assertAccessible(page, { undecided: UNDECIDED });
  }));

test("messages of others are not obeyed", () =>
  withHost(async (page) => {
    await ready(page, "first");
    const frame = page.frames().find((frame) => frame.url().includes("?embed"));
    // From the frame itself, and from the host in another namespace.
    await frame.evaluate(() => window.postMessage({ ns: "twiceproof", v: 1, type: "seek", detail: { index: 5 } }, "*"));
    await page.evaluate(() => {
      const inner = document.getElementById("first").shadowRoot.querySelector("iframe").contentWindow;
      inner.postMessage({ ns: "other", v: 1, type: "seek", detail: { index: 5 } }, "*");
      inner.postMessage("seek", "*");
      inner.postMessage(null, "*");
    });
    await page.waitForTimeout(300);
    assert.equal(await frame.locator(".range").inputValue(), "0");
  }));

test("load=click asks to be pressed, by what stands inside or by a button of its own", async () => {
  const play = (id, content) => `<twiceproof-play id="${id}" story="lost-reply" load="click">${content}</twiceproof-play>`;
  const page_html = `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><script src="${site.url}twiceproof-play.js"></script>
    ${play("bare", "\n")}${play("filled", '<a href="#there">Read the story</a>')}</html>`;
  const host = await serve(SITE, { prefix: "/nothing/", pages: { "/host.html": page_html } });
  try {
    await visit(browser, `${host.origin}/host.html`, { before: observe }, async (page) => {
      await page.locator("#bare").getByRole("button", { name: "Load the story", exact: true }).waitFor();
      assert.equal(await page.getByRole("button").count(), 1, "what stands inside needs no button");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await ready(page, "bare");
      assert.equal(await page.getByRole("button", { name: "Load the story" }).count(), 0);
      assert.equal(await page.evaluate(() => document.getElementById("bare").shadowRoot.activeElement?.localName), "iframe");
      assert.equal(await loaded(page, "filled"), false);
      await page.getByText("Read the story").click();
      await ready(page, "filled");
      assert.equal(new URL(page.url()).hash, "");
      assert.deepEqual(await page.evaluate(() => window.shifts), []);
    });
  } finally {
    await host.close();
  }
});

for (const theme of THEMES) {
  for (const size of [{ width: 720, height: 420 }, { width: 390, height: 560 }]) {
    test(`no accessibility findings in the frame: ${theme}, ${size.width}`, () =>
      visit(browser, `${site.url}?embed&story=lost-reply&step=15&theme=${theme}`, { size }, async (page) => {
        await started(page);
        await page.locator(".tw").waitFor();
        await assertAccessible(page, { undecided: UNDECIDED });
        assert.equal(await page.locator(".compare, .side, .top").count(), 0, "the page around it is not there");
        assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) <= size.height);
      }));
  }
}

test("if the program does not load, what stands inside the element stays", async () => {
  const broken = await serve(SITE, {
    prefix: "/embedded/",
    answer: (path) => (path.endsWith(".wasm") ? { status: 404, body: "gone" } : undefined),
  });
  const page_html = `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><script src="${broken.url}twiceproof-play.js"></script>
    <twiceproof-play story="lost-reply" load="eager"><a href="#there">Read the story</a></twiceproof-play></html>`;
  const host = await serve(SITE, { prefix: "/nothing/", pages: { "/host.html": page_html } });
  try {
    await visit(browser, `${host.origin}/host.html`, { expected: [/404/, /console/] }, async (page) => {
      await page.waitForTimeout(1500);
      assert.ok(await page.getByText("Read the story").isVisible());
    });
  } finally {
    await Promise.all([broken.close(), host.close()]);
  }
});
