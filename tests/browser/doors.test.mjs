// Below the story: the three doors for a duplicate with their windows on a time axis, and other systems' rules.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, SIZES, THEMES, UNDECIDED, assertAccessible, launch, opens, serve } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const openAll = opens(() => [browser, server], (page) => page.locator(".doors").waitFor());
const open = (options, body) => openAll("", options, body);

const emails = (page) => page.locator(".door-sum").allInnerTexts();
const summed = (page, door, count) =>
  page.waitForFunction(([door, count]) => document.querySelectorAll(".door-sum")[door].innerText === count, [door, count]);

/** Where things stand on the time axis of a door, across, in pixels. */
const drawn = (page, door) =>
  page.locator(".door-axis").nth(door).evaluate((axis) => {
    const all = (selector) => [...axis.querySelectorAll(selector)];
    const { left, right } = axis.getBoundingClientRect();
    const place = (element) => element.getBoundingClientRect();
    const prune = axis.querySelector(".prune");
    return {
      marks: all("[data-sent] > text").map((number) => (place(number).left + place(number).right) / 2),
      rings: all(".hit").map((ring) => (place(ring).left + place(ring).right) / 2).sort((a, b) => a - b),
      // From the cap, where it opens, to the end of what is sure.
      bars: all(".door-lane .st-saved").map((bar) => [place(bar.parentElement.querySelector(`[data-opens="${bar.dataset.window}"]`)).left, place(bar).right]),
      prune: prune && place(prune).left,
      texts: all("text").filter((text) => text.textContent).map((text) => {
        const { x, y, right: end } = place(text);
        return { text: text.textContent, x, y, right: end, inside: x >= left - 8 && end <= right + 8 };
      }),
    };
  });

test("b02 c04 a15 each door stops its own duplicate: opened, it lets an email through, and no other does", () =>
  open({}, async (page) => {
    assert.deepEqual(await emails(page), ["3 emails", "2 emails", "2 emails"]);
    assert.match(await page.locator(".door").nth(1).innerText(), /payload\.receivedAt has another value/);
    for (const [door, name, count] of [[0, "Events carry an ID", "5 emails"], [1, "Requests carry a run ID", "5 emails"], [2, "Calls carry a key", "5 emails"]]) {
      const shut = await emails(page);
      const control = page.getByRole("switch", { name });
      await control.uncheck({ force: true });
      await summed(page, door, count);
      assert.deepEqual((await emails(page)).toSpliced(door, 1), shut.toSpliced(door, 1));
      assert.equal(await drawn(page, door).then(({ bars }) => bars.length), 0, "an open door remembers nothing");
      await control.check({ force: true });
      await summed(page, door, shut[door]);
    }
  }));

test("b14 the function's key stops a second click, which is another event", () =>
  open({}, async (page) => {
    await page.getByRole("switch", { name: "The function has a key" }).check({ force: true });
    await summed(page, 0, "2 emails");
    assert.match(await page.locator(".door").first().innerText(), /event 3 has the key of job 1/);
  }));

test("a04 a15 the step's key stops a second step, and not the effects of retries", () =>
  open({}, async (page) => {
    await page.getByRole("switch", { name: "Calls carry a key" }).uncheck({ force: true });
    await summed(page, 2, "5 emails");
    await page.getByRole("switch", { name: "The step has a key" }).check({ force: true });
    await summed(page, 2, "4 emails");
    assert.match(await page.locator(".door").nth(2).locator("li").last().innerText(), /No call is made/);
  }));

for (const [size, width] of [["wide", 1280], ["narrow", 390], ["narrowest", 320]]) {
  test(`b02 c07 a15 what was stopped stands in a window and what began in none; no time covers another: ${size}`, () =>
    open({ size: { width, height: 844 } }, async (page) => {
      for (const door of [0, 1, 2]) {
        const { marks, rings, bars, prune, texts } = await drawn(page, door);
        const stopped = await page.locator(".door").nth(door).locator("li").evaluateAll((lines) => lines.map((line) => /Nothing starts|handed back|is refused|sends nothing/.test(line.innerText)));
        assert.equal(marks.length, stopped.length);
        assert.deepEqual(rings.map(Math.round), marks.filter((_, at) => stopped[at]).map(Math.round), "from each that was stopped, dots lead to a window");
        for (const [at, x] of marks.entries()) {
          // Until the prune pass what is only eligible still counts.
          const within = bars.some(([from, sure], bar) => x > from && x < (bar === 0 ? (prune ?? sure) : sure));
          if (stopped[at]) assert.ok(within, `number ${at + 1} of door ${door}: ${x} in none of ${JSON.stringify(bars)}`);
        }
        const next = marks.findIndex((x) => x >= (prune ?? bars[0][1]) - 1);
        assert.equal(stopped[next], false, "the first that comes after the window begins anew");
        assert.ok(bars.some(([from]) => Math.abs(from - marks[next]) < 2), "and opens a window of its own");
        for (const [at, { x, y, right, inside, text }] of texts.entries()) {
          assert.ok(inside, `"${text}" is cut off`);
          const covered = texts.slice(at + 1).find((other) => Math.abs(other.y - y) < 5 && other.x < right && x < other.right);
          assert.equal(covered, undefined, `"${text}" covers "${covered?.text}"`);
        }
      }
      const { marks, bars, prune } = await drawn(page, 1);
      assert.ok(bars[0][1] < marks[3] && marks[3] < prune, "between eligible and pruned somebody asks");
    }));
}

test("each system's answers stand in one row, and open to the rules behind them", () =>
  open({}, async (page) => {
    const rows = page.locator(".rules-table tbody > tr");
    assert.equal(await rows.count(), 18);
    const tako = rows.filter({ hasText: "Tako" });
    assert.deepEqual((await tako.locator("td").allInnerTexts()).map((text) => text.trim()),
      ["runs", "first result", "first result", "error", "runs", "first result", "first result", "2"]);
    await tako.getByRole("button").click();
    await page.locator(".rules-open").waitFor();
    assert.match(await page.locator(".rules-open").innerText(), /another payload: a conflict/);
    await tako.getByRole("button").click();
    await page.locator(".rules-open").waitFor({ state: "detached" });
  }));

for (const [size, theme] of [["wide", "light"], ["narrow", "dark"]]) {
  test(`opened, neither has accessibility findings: ${theme}, ${size}`, () =>
    open({ size: SIZES[size], theme }, async (page) => {
      assert.ok(THEMES.includes(theme));
      await page.getByRole("switch", { name: "Calls carry a key" }).uncheck({ force: true });
      await page.locator(".rules-table tbody button").first().click();
      await page.locator(".rules-open").waitFor();
      await assertAccessible(page, { undecided: UNDECIDED });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, "the page itself does not scroll sideways");
    }));
}
