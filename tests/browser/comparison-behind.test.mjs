// From a number of the comparison to the first sign-up behind it: every number above 0, by mouse, by keyboard and on a phone. What
// opens is held against a plain loop over all calls.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, opens, serve, started, visit } from "./harness.mjs";
import { firstsOf } from "./reference.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const STRATEGIES = [
  "retry each step, no key",
  "retry each step, new key on every call",
  "retry each step, same key every time",
  "retry the whole job, same key",
  "retry the whole job, same key, skip finished steps",
];
/** The three numbers that sign-ups add to: their columns among all, and what is said of the first sign-up. */
const CELLS = [
  { column: 1, says: "that failed", happens: /gets an error|No reply within/ },
  { column: 3, says: "in which a step was done again", happens: /for the second time|second email/ },
  { column: 4, says: "whose user got two emails or more", happens: /second email/ },
];
const HINT = "Click a number to see its first sign-up.";

const open = opens(() => [browser, server], (page) => page.locator(".cmp .nb, .chart .ch-b").first().waitFor());
const grouped = (number) => number.toLocaleString("en-US");
const number = (page, row, says) => page.getByRole("button", { name: new RegExp(`^[\\d,]+: open the first sign-up ${says}, row ${row + 1}$`) });
const sentence = (row, says, first) =>
  `Sign-up ${grouped(first.number)} of row ${row + 1} (${STRATEGIES[row]}): the first ${says}. Every call goes as the table drew it.`;

/** Clicks on a number, and waits until what it opens is there. */
async function follow(page, row, says, first) {
  await number(page, row, says).click();
  await page.getByText(sentence(row, says, first), { exact: true }).waitFor();
}

/** The calls that were made, from the transcript: "7 lost". */
async function callsMade(page) {
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save journal", exact: true }).click()]);
  const { readFile } = await import("node:fs/promises");
  const entries = (await readFile(await download.path(), "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  const calls = [];
  for (const { type, step } of entries) {
    if (type === "attempt-started") calls.push(`${step + 1} done`);
    if (type === "call-failed") calls[calls.length - 1] = `${step + 1} failed`;
    if (type === "reply-lost") calls[calls.length - 1] = `${step + 1} lost`;
  }
  return calls;
}

/** Everything that is shown of the sign-up at its end is what the loop says of it. */
async function assertStory(page, cell, first) {
  assert.equal(await page.evaluate(() => scrollY), 0, "what was opened is in view");
  // It has been played as far as to what was asked for, and no further.
  assert.match(await page.locator(".say").innerText(), cell.happens);
  assert.deepEqual(await callsMade(page), first.made);
  await page.getByRole("button", { name: "Last event", exact: true }).click();
  const counted = (kind) => page.locator(".legend").getByRole("button", { name: kind }).locator("b").innerText();
  await page.waitForFunction(() => document.querySelector('[aria-label="Last event"]').disabled);
  assert.equal(Number(await counted("done again")), first.repeated);
  const got = await page.locator(".got-part .got li").innerText();
  assert.match(got, first.emails === 0 ? /none yet/ : new RegExp(`\\b${first.emails} emails?$`));
  assert.equal((await page.locator(".legend").innerText()).includes("gave up"), first.failed);
  assert.ok(cell.column !== 1 || first.failed);
  // The call in question is marked, and its row is where it can be seen.
  assert.equal(await page.getByRole("heading", { name: "Selected" }).count(), 1);
  const seen = await page.evaluate(() => {
    const [row, view] = [".tlr.picked", ".tl"].map((what) => document.querySelector(what).getBoundingClientRect());
    return row.top >= view.top && row.bottom <= view.bottom;
  });
  assert.ok(seen, "the row of the call in question is in view");
}

const FIRSTS = firstsOf({});

test("every number above 0 opens the first sign-up behind it, with its very calls; nothing else can be clicked", () =>
  open("", {}, async (page) => {
    await page.getByText("All 25 match the article").waitFor();
    let numbers = 0;
    for (const [row, firsts] of FIRSTS.entries()) {
      for (const [at, cell] of CELLS.entries()) {
        const first = firsts[at];
        assert.equal(await number(page, row, cell.says).count(), first ? 1 : 0, `row ${row + 1}, ${cell.says}`);
        if (!first) continue;
        numbers += 1;
        await follow(page, row, cell.says, first);
        await assertStory(page, cell, first);
      }
    }
    assert.equal(numbers, 10);
    assert.equal(await page.locator(".cmp td button").count(), numbers, "no other cell is a button");
    assert.equal(await page.locator(".cmp .cur").count(), 1);
  }));

test("other settings have other sign-ups, and what a story cannot show is plain text", () =>
  open("#v1;t.jobs=3000;t.pf=0.05;t.lr=0.2;t.n=2;t.steps=4;t.seed=77", {}, async (page) => {
    const firsts = firstsOf({ jobs: 3_000, pf: 0.05, lr: 0.2, n: 2, steps: 4, seed: 77 });
    for (const [row, cell] of [[0, 2], [3, 1], [4, 0]]) {
      await follow(page, row, CELLS[cell].says, firsts[row][cell]);
      assert.deepEqual(await callsMade(page), firsts[row][cell].made);
    }
    for (const [name, most] of [["steps", 30], ["n", 20]]) {
      for (const value of [most + 1, most]) {
        await page.goto(`${server.url}#v1;t.jobs=3000;t.pf=0.05;t.${name}=${value}`);
        const field = name === "n" ? "attempts" : name;
        await page.waitForFunction(([field, value]) => document.querySelector(`#table-${field}-number`).value === String(value), [field, value]);
        await page.waitForFunction((none) => (document.querySelectorAll(".cmp td button").length === 0) === none, value > most);
      }
    }
  }));

test("a number is not its row: it leaves the strategy to what it opens, and its row leaves it alone", () =>
  open("#v1;retry=job;key=same", {}, async (page) => {
    await follow(page, 0, CELLS[0].says, FIRSTS[0][0]);
    assert.match(await page.locator(".cmp .cur").innerText(), /Retry each step, no key/);
    const address = page.url();
    await page.getByRole("button", { name: "Retry the whole job, same key", exact: true }).click();
    await page.waitForFunction((before) => location.href !== before, address);
    assert.match(page.url(), /retry=job/);
  }));

test("numbers that are not whole yet, and zeros, are plain text", () =>
  visit(browser, server.url + "#v1;t.jobs=100000000", {}, async (page) => {
    await started(page);
    await page.waitForFunction(() => Number(document.querySelectorAll(".cmp tbody tr")[3]?.querySelectorAll("td")[1].innerText.replaceAll(",", "")) > 0);
    assert.equal(await page.locator(".cmp td button").count(), 0);
    assert.equal(await page.getByText(HINT).count(), 0);
    await page.goto(`${server.url}#v1;t.jobs=1;t.pf=0;t.lr=0`);
    await page.waitForFunction(() => document.querySelector(".cmp td.num")?.innerText === "100.000%");
    assert.equal(await page.locator(".cmp td button").count(), 0);
  }));

test("the keys of the table: one stop, up and down within a column, left and right along a row, Enter opens", () =>
  open("", {}, async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText);
    const press = async (key) => (await page.keyboard.press(key), focused());
    await page.locator('.cmp tbody [tabindex="0"]').focus();
    assert.equal(await focused(), "Retry each step, no key");
    assert.match(await press("ArrowRight"), /^11: .*that failed, row 1$/);
    assert.match(await press("ArrowRight"), /^4,971: .*row 1$/);
    assert.match(await press("ArrowDown"), /^4,971: .*row 2$/);
    assert.match(await press("ArrowDown"), /^464,233: .*row 4$/, "a zero is passed over");
    assert.match(await press("ArrowUp"), /row 2$/);
    assert.match(await press("ArrowLeft"), /^11: .*row 2$/);
    assert.equal(await press("Home"), "Retry each step, no key");
    assert.match(await press("End"), /^250: .*row 5$/);
    assert.equal(await page.locator('.cmp tbody [tabindex="0"]').count(), 1);
    await page.keyboard.press("Enter");
    await page.getByText(sentence(4, CELLS[0].says, FIRSTS[4][0]), { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "stage");
  }));

test("a bar opens the same as its number", () =>
  open("#v1;t.tab=chart", {}, async (page) => {
    await page.getByText(HINT).waitFor();
    assert.equal(await page.locator(".ch-b").count(), 10);
    await follow(page, 3, CELLS[1].says, FIRSTS[3][1]);
    await number(page, 4, CELLS[0].says).focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^995: .*row 4$/);
    await page.keyboard.press("Enter");
    await page.getByText(sentence(3, CELLS[0].says, FIRSTS[3][0]), { exact: true }).waitFor();
    assert.match(await page.locator(".chart .sr").first().textContent(), /^Calls per job: 10\.11$/);
  }));

for (const touch of [false, true]) {
  test(`every number is a target of its size, and the hint is there: ${touch ? "a phone" : "a desktop"}`, () =>
    open("", { size: touch ? SIZES.narrow : SIZES.wide, hasTouch: touch, isMobile: touch }, async (page) => {
      await page.getByText(HINT).waitFor();
      const least = touch ? 44 : 24;
      for (const tab of ["Table", "Chart"]) {
        await page.getByRole("tab", { name: tab, exact: true }).click();
        const buttons = page.locator(".cmp .nb, .chart .ch-b");
        await page.waitForFunction((chart) => (document.querySelector(".chart") !== null) === chart, tab === "Chart");
        const boxes = await Promise.all((await buttons.all()).map((one) => one.boundingBox()));
        assert.equal(boxes.length, 10);
        assert.ok(boxes.every(({ width, height }) => width >= 24 && height >= least), `${tab}: ${JSON.stringify(boxes)}`);
        const apart = boxes.every((one, at) => boxes.slice(at + 1).every((two) => one.x + one.width <= two.x + 1 || two.x + two.width <= one.x + 1 || one.y + one.height <= two.y + 1 || two.y + two.height <= one.y + 1));
        assert.ok(apart, `${tab}: no target lies over another`);
      }
      await page.getByRole("tab", { name: "Table", exact: true }).click();
      const target = number(page, 0, CELLS[2].says);
      await (touch ? target.tap() : target.click());
      await page.getByText(sentence(0, CELLS[2].says, FIRSTS[0][2]), { exact: true }).waitFor();
      assert.ok(await page.getByText(/^Sign-up /).evaluate((line) => line.getBoundingClientRect().top >= 0 && line.getBoundingClientRect().bottom <= innerHeight));
    }));
}

for (const theme of THEMES) {
  for (const [name, size] of Object.entries(SIZES)) {
    test(`no accessibility findings with numbers to click, nor in what they open: ${theme}, ${name}`, () =>
      open("", { theme, size }, async (page) => {
        await assertAccessible(page, { scope: "#compare", undecided: UNDECIDED });
        await follow(page, 3, CELLS[1].says, FIRSTS[3][1]);
        await assertAccessible(page, { undecided: UNDECIDED });
      }));
  }
}
