// The address holds the whole state: it survives a reload and a copy, and a broken one never leaves a blank page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, opens, serve, started, visit } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE, { prefix: "/some/folder/" })])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server]);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const played = (page, index) => page.waitForFunction((index) => document.querySelector(".range")?.value === String(index), index);
const seen = (page) =>
  page.evaluate(() => [".say", ".side.left", ".side.right", ".ev", ".legend"].map((part) => document.querySelector(part)?.innerText));

test("a link restores exactly what it was copied from, in another page and after a reload", () =>
  open("", {}, async (page) => {
    await button(page, "Same again").click();
    await button(page, "Lose email reply").click();
    await page.getByRole("radio", { name: "Whole job" }).check({ force: true });
    await page.getByRole("switch", { name: "Our store skips finished steps" }).check({ force: true });
    for (let step = 0; step < 9; step += 1) await button(page, "Step forward").click();
    await page.waitForFunction(() => /;i=9/.test(location.hash));
    const shown = await seen(page);
    const link = page.url();
    assert.ok(new URL(link).hash.length <= 300, `the link is short: ${link}`);
    await page.reload();
    await started(page);
    await page.waitForFunction(() => document.querySelector(".range")?.value === "9");
    assert.equal(page.url(), link);
    // What an edit came to is told once, and is no part of the state.
    assert.deepEqual(await seen(page), shown);
    await visit(browser, link, {}, async (other) => {
      await started(other);
      await other.waitForFunction(() => document.querySelector(".range")?.value === "9");
      assert.deepEqual(await seen(other), shown);
    });
  }));

test("the bet and the sections below are in the link as well", () =>
  open("#v1;story=lost-reply;f=l1.2.1", {}, async (page) => {
    for (let step = 0; step < 20 && !(await page.locator(".ask .bet").count()); step += 1) await button(page, "Step forward").click();
    await page.locator(".ask .bet").nth(1).click();
    await page.locator(".side.right", { hasText: "Your bet" }).waitFor();
    // It plays on from here, until a step is taken.
    await button(page, "Step forward").click();
    await page.getByRole("switch", { name: "Requests carry a run ID" }).uncheck({ force: true });
    await page.locator(".rules-table tbody tr", { hasText: "Tako" }).getByRole("button").click();
    await page.locator(".fkey summary").click();
    await page.getByLabel(/^Key:/).fill("event.data.user");
    await page.locator(".fk textarea").nth(1).fill('{ "data": { "user": "ü; <b>=,~%" } }');
    await page.locator(".fk-said", { hasText: "Two keys." }).waitFor();
    await page.waitForFunction(() => /;bet=2;doors=event,provider;rules=tako-run-id;k\.open=1;k\.key=/.test(location.hash) && /k\.2=/.test(location.hash));
    const below = (page) => page.evaluate(() => [
      [...document.querySelectorAll(".door-sum, .rules-open, .fk-key, .fk-said")].map((part) => part.innerText),
      [...document.querySelectorAll(".fk-text")].map((field) => field.value),
      document.querySelector(".side.right").innerText,
    ]);
    const [shown, link] = [await below(page), page.url()];
    assert.match(shown[2], /Your bet/);
    await visit(browser, link, {}, async (other) => {
      await started(other);
      await other.locator(".fk-said", { hasText: "Two keys." }).waitFor();
      assert.deepEqual(await below(other), shown);
      assert.equal(await other.locator(".ask .bet").count(), await page.locator(".ask .bet").count());
      // Another story: what is below it stays, the bet does not.
      await button(other, "Next story").click();
      await other.waitForFunction(() => /story=same-twice/.test(location.hash));
      assert.match(other.url(), /doors=event,provider;rules=tako-run-id;k\.open=1/);
      assert.doesNotMatch(other.url(), /bet=/);
      await other.goBack();
      await other.locator(".side.right", { hasText: "Your bet" }).waitFor();
    });
  }));

test("what is too long for a link is left out of it, and said to be", () =>
  open("", {}, async (page) => {
    await page.locator(".fkey summary").click();
    await page.locator(".fk textarea").first().fill(`{ "text": "${"x".repeat(3000)}" }`);
    await button(page, "Step forward").click();
    await page.waitForFunction(() => location.hash === "#v1;i=1;k.open=1");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Share").click();
    await page.getByText("Link without the function key's texts, too long for one, copied.").waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#v1;i=1;k\.open=1$/);
  }));

test("texts in a link stay texts", () =>
  open("#v1;k.open=1;k.key=%3Cimg_src%3Dx_onerror%3Dalert(1)%3E;k.1=%3C%2Ftextarea%3E%3Cscript%3E", {}, async (page) => {
    await page.locator(".fk-said pre").waitFor();
    assert.equal(await page.getByLabel(/^Key:/).inputValue(), "<img src=x onerror=alert(1)>");
    assert.equal(await page.locator(".fk textarea").first().inputValue(), "</textarea><script>");
    assert.equal(await page.locator(".fkey img, .fkey script").count(), 0);
  }));

test("a story's name alone is that story; a name that no story has is said to be none", () =>
  open("#v1;story=same-twice", {}, async (page) => {
    assert.equal(await page.locator(".signups li").count(), 3);
    assert.equal(await page.locator(".cstep .muted").innerText(), "1 of 6");
    await page.evaluate(() => { location.hash = "#v1;story=nope"; });
    await page.getByText("There is no story called “nope”").waitFor();
    assert.equal(await page.locator(".signups li").count(), 1);
  }));

const BROKEN = [
  ["#v1;ops=zzz", /“?"?ops"? needs operations/],
  ["#v1;n=0", /retry\.attempts needs a whole number from 1 to 20, got 0/],
  ["#v7;i=3", /version "v7"/],
  ["#<img src=x onerror=alert(1)>", /the default scenario/],
  ["#v1;i=99999999999999999999999", /"i" needs a whole number/],
  ["#v1;" + "a".repeat(4000), /characters long/],
  ["#v1;ops=" + "a1@0,".repeat(201) + "a1@0", /at most 200 operations|needs operations/],
  ["#%E0%A4%A", /the default scenario/],
  ["#v1;pf=NaN;lr=-1", /needs a probability/],
  ["#v1;doors=cat", /"doors" needs none, or those of event, function, run, step and provider/],
  ["#v1;doors=run,event", /"doors" needs/],
  ["#v1;rules=<img src=x onerror=alert(1)>", /"rules" needs a system of the table/],
  ["#v1;k.key=%FF", /"k\.key" needs a text/],
  ["#v1;k.open=yes", /"k\.open" needs 0 or 1/],
  ["#v1;story=lost-reply;f=l1.2.1;bet=7", /"bet" needs an answer from 1 to 4/, "#v1;story=lost-reply;f=l1.2.1"],
  ["#v1;t.jobs=0", /"t\.jobs" needs a whole number from 1, got "0"/],
];
for (const [fragment, says, kept = "#v1"] of BROKEN) {
  test(`a broken link says what is wrong: ${fragment.slice(0, 30)}`, () =>
    open(fragment, {}, async (page) => {
      const notice = page.locator(".notice.problem p");
      await notice.waitFor();
      assert.match(await notice.innerText(), says);
      assert.equal(await page.locator(".signups li").count(), 1, "the default scenario is open");
      await page.waitForFunction((kept) => location.hash === kept, kept);
      await button(page, "Step forward").click();
      await page.waitForFunction(() => document.querySelector(".range").value === "1");
    }));
}

test("one part that cannot be read leaves the others", () =>
  open("#v1;story=lost-reply;key=same;f=l1.2.1;n=0;i=9;doors=event;t.jobs=200;t.pf=7", {}, async (page) => {
    const notice = await page.locator(".notice.problem p").innerText();
    assert.match(notice, /^Not all of the link can be read: .*retry\.attempts needs .* got 0; .*"t\.pf" needs a probability/);
    assert.equal(await page.locator(".range").inputValue(), "9");
    assert.equal(await page.locator(".chip.fault").count(), 1);
    await page.waitForFunction(() => location.hash === "#v1;story=lost-reply;key=same;f=l1.2.1;i=9;t.jobs=200;doors=event");
    await page.getByRole("heading", { name: "Five strategies, 200 sign-ups" }).waitFor();
  }));

test("stories make history, steps do not, and going back restores", () =>
  open("", {}, async (page) => {
    const before = await page.evaluate(() => history.length);
    for (let step = 0; step < 5; step += 1) await button(page, "Step forward").click();
    await page.waitForFunction(() => /i=5/.test(location.hash));
    assert.equal(await page.evaluate(() => history.length), before);
    await button(page, "Next story").click();
    await page.waitForFunction(() => /story=/.test(location.hash));
    assert.equal(await page.evaluate(() => history.length), before + 1);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector(".range")?.value === "5");
  }));

test("a broken fragment that is typed gives way too, and going back leads through every story", () =>
  open("#v1;story=lost-reply;f=l1.2.1", {}, async (page) => {
    await page.evaluate(() => (location.hash = "v1;n=0"));
    await page.locator(".notice.problem p").waitFor();
    await page.waitForFunction(() => location.hash === "#v1");
    await button(page, "Next story").click();
    await page.waitForFunction(() => /story=lost-reply/.test(location.hash));
    // Quicker than the address is written: what was seen last is where going back leads.
    await page.evaluate(() => {
      document.querySelector('[aria-label="Step forward"]').click();
      document.querySelector('[aria-label="Step forward"]').click();
    });
    await played(page, 2);
    await button(page, "Next story").click();
    await page.waitForFunction(() => /story=same-twice/.test(location.hash));
    await page.goBack();
    await page.waitForFunction(() => /story=lost-reply.*;i=2/.test(location.hash));
    await played(page, 2);
    await page.goBack();
    await page.waitForFunction(() => location.hash === "#v1");
    await page.goForward();
    await played(page, 2);
  }));

test("typing another fragment opens it", () =>
  open("", {}, async (page) => {
    await page.evaluate(() => (location.hash = "v1;ops=a2@0,a3@1;i=2"));
    await page.waitForFunction(() => document.querySelectorAll(".signups li").length === 2);
    assert.match(await page.locator(".signups").innerText(), /Ben[\s\S]*Caro/);
  }));

test("h52 every link of the page stays in its folder", () =>
  open("", {}, async (page) => {
    const elsewhere = await page.evaluate(
      (base) => [...document.querySelectorAll("a[href]")].map((a) => a.href).filter((href) => !href.startsWith(base)),
      server.url,
    );
    assert.deepEqual(elsewhere, []);
  }));
