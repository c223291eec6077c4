// The comparison while its settings move: every number is that of a plain loop over all calls, nothing freezes, and what takes
// long can be watched and stopped.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SITE, launch, opens, serve, started } from "./harness.mjs";
import { cellsOf } from "./reference.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

const open = opens(() => [browser, server], (page) => page.waitForFunction(() => document.querySelector(".cmp td.num, .chart rect")?.textContent !== ""));
const button = (page, name) => page.getByRole("button", { name, exact: true });
const slider = (page, name) => page.getByRole("slider", { name: `${name}, slider`, exact: true });
const field = (page, name) => page.getByRole("textbox", { name: `${name}, exactly`, exact: true });

/** The table's numbers, without the names. */
const cells = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".cmp tbody tr")].map((row) => [...row.querySelectorAll("td[data-label]:not(.art)")].map((cell) => cell.innerText)),
  );

/** Waits until the table shows these settings' numbers. */
async function shows(page, settings) {
  const expected = JSON.stringify(cellsOf(settings));
  const read = () =>
    JSON.stringify([...document.querySelectorAll(".cmp tbody tr")].map((row) => [...row.querySelectorAll("td[data-label]:not(.art)")].map((cell) => cell.innerText)));
  await page.waitForFunction(`(${read})() === ${JSON.stringify(expected)}`).catch(async () => {
    assert.deepEqual(await cells(page), JSON.parse(expected));
  });
}

test("the numbers follow the slider while the mouse is still down", () =>
  open("#v1;t.jobs=4000", {}, async (page) => {
    const fails = slider(page, "Calls that fail");
    const box = await fails.boundingBox();
    const at = (share) => [box.x + box.width * share, box.y + box.height / 2];
    await page.mouse.move(...at(0.47));
    await page.mouse.down();
    const seen = new Set();
    for (const share of [0.2, 0.5, 0.7, 0.9]) {
      await page.mouse.move(...at(share), { steps: 8 });
      const pf = Number((await field(page, "Calls that fail").inputValue()).replace(" %", "")) / 100;
      await shows(page, { jobs: 4_000, pf });
      seen.add(pf);
    }
    await page.mouse.up();
    assert.equal(seen.size, 4);
    assert.equal(await page.getByRole("row", { name: /no key/ }).count(), 1);
  }));

test("every setting has its effect by the keyboard alone, and the address holds all of them", () =>
  open("#v1;t.jobs=2000", {}, async (page) => {
    const moves = [
      ["Sign-ups", "ArrowRight", { jobs: 5_000 }],
      ["Calls that fail", "PageUp", undefined],
      ["Calls that fail", "Home", { pf: 0 }],
      ["Email replies lost", "End", { lr: 0.2 }],
      ["Attempts", "ArrowLeft", { n: 2 }],
      ["Steps", "Home", { steps: 1 }],
      ["Steps", "ArrowRight", { steps: 2 }],
      ["Seed", "ArrowRight", { seed: 2 }],
    ];
    const settings = { jobs: 2_000 };
    for (const [name, key, change] of moves) {
      await slider(page, name).press(key);
      if (change) await shows(page, Object.assign(settings, change));
    }
    await field(page, "Attempts").press("ArrowUp");
    await shows(page, Object.assign(settings, { n: 3 }));
    await page.waitForFunction(() => /;t\.jobs=5000;t\.pf=0;t\.lr=0\.2;t\.steps=2;t\.seed=2$/.test(location.hash));
    await page.reload();
    await started(page);
    await shows(page, settings);
  }));

test("a field takes any value of its limits, and a tiny one is written as short as it can be", () =>
  open("", {}, async (page) => {
    const type = async (name, text) => {
      await field(page, name).fill(text);
      await field(page, name).press("Enter");
    };
    await type("Sign-ups", "2,345");
    await type("Calls that fail", "0.29");
    await type("Steps", "31");
    await shows(page, { jobs: 2_345, pf: 0.0029, steps: 31 });
    await type("Email replies lost", "0.0000001");
    await page.waitForFunction(() => /;t\.jobs=2345;t\.pf=0\.0029;t\.lr=1e-9;t\.steps=31$/.test(location.hash));
    assert.equal(await field(page, "Email replies lost").inputValue(), "1e-7 %");
    assert.equal(await slider(page, "Email replies lost").getAttribute("aria-valuetext"), "1e-7 %");
  }));

const REFUSED = [
  ["Sign-ups", "-1", "Sign-ups needs a whole number from 1 to 1,099,511,627,776, got “-1”."],
  ["Calls that fail", "200", "Calls that fail needs a percentage from 0 to 100, got “200”."],
  ["Attempts", "101", "Attempts needs a whole number from 1 to 100, got “101”."],
  ["Steps", "ten", "Steps needs a whole number from 1 to 1,000, got “ten”."],
];
test("a value that cannot be is marked, the range is named, and Escape puts back what holds", () =>
  open("", {}, async (page) => {
    for (const [name, text, says] of REFUSED) {
      const before = await cells(page);
      const input = field(page, name);
      const held = await input.inputValue();
      const hint = page.locator(`[id="${await input.getAttribute("aria-describedby")}"]`);
      await input.focus();
      assert.match(await hint.innerText(), /^Needs a /, "the range is shown before anything is typed");
      await input.fill(text);
      await input.press("Enter");
      await page.locator('[role="status"]').filter({ hasText: says }).waitFor({ state: "attached" });
      assert.equal(await input.getAttribute("aria-invalid"), "true");
      assert.equal(await hint.innerText(), says);
      assert.deepEqual(await cells(page), before);
      await input.press("Escape");
      assert.equal(await input.getAttribute("aria-invalid"), null);
      assert.equal(await input.inputValue(), held);
    }
  }));

test("a hundred million sign-ups run in slices, climb, and can be stopped and begun again", () =>
  open("#v1;t.jobs=100000000", {}, async (page) => {
    await page.locator(".cacts progress").waitFor();
    const failed = async () => Number((await cells(page))[3][1].replaceAll(",", ""));
    const early = await failed();
    await page.waitForFunction((early) => Number(document.querySelectorAll(".cmp tbody tr")[3].querySelectorAll("td")[1].innerText.replaceAll(",", "")) > early, early);
    await button(page, "Cancel").click();
    await button(page, "Run").waitFor();
    const stopped = await failed();
    await page.waitForTimeout(300);
    assert.equal(await failed(), stopped);
    const said = await page.getByText(/^cancelled: the rows are of the first [\d,]+ sign-ups$/).innerText();
    const counted = Number(said.replaceAll(/\D/g, ""));
    // Some 995 in a million of row 4 fail: what is said is what the row is of.
    assert.ok(Math.abs(stopped / counted - 995 / 1e6) < 5e-5, `${stopped} of ${counted}`);
    assert.ok(stopped < 99_000, `${stopped} is not yet what a hundred million come to`);
    assert.equal(await page.locator(".cmp .art [aria-label=equal]").count(), 0, "a part of a table is not compared");
    await button(page, "Run").click();
    await page.locator(".cacts progress").waitFor();
    await field(page, "Sign-ups").fill("4000");
    await field(page, "Sign-ups").press("Enter");
    await shows(page, { jobs: 4_000 });
  }));

/** Moves a slider once a frame for a second, from inside the page, and gives the tasks that took longer than 50 ms. */
const dragged = (page) =>
  page.evaluate(async () => {
    const [tasks, took] = [[], []];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: "longtask" });
    const slider = document.querySelector("#table-fail");
    for (let moves = 0; moves < 60; moves += 1) {
      slider.value = String(20 + (moves % 20));
      slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      took.push(document.querySelector(".took")?.innerText);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    observer.disconnect();
    return { tasks, tables: new Set(took).size, took: took.at(-1) };
  });

/** Seconds of processor time that the page's main thread has had: what a busy machine takes away does not count. */
async function processorTime(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}

test("no task is longer than 50 ms while a slider moves over a million sign-ups", (t) =>
  open("", {}, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const runs = [];
    do {
      const before = await processorTime(session);
      const run = await dragged(page);
      runs.push({ ...run, longest: Math.max(0, ...run.tasks), cpuMs: ((await processorTime(session)) - before) * (1000 / 60) });
    } while (runs.at(-1).longest > 0 && runs.length < 5);
    t.diagnostic(`five rows of a million: ${runs.map(({ took }) => took).join(", ")}`);
    t.diagnostic(`longest task: ${runs.map(({ longest }) => longest || "none over 50").join(", ")} ms; processor time for a move: ${runs.map(({ cpuMs }) => cpuMs.toFixed(1)).join(", ")} ms`);
    // Where other programs take every second turn, tasks are long whatever they do. Then it is the page's own time that counts, all
    // of a move's tasks together.
    const best = Math.min(...runs.map(({ longest }) => longest));
    const least = Math.min(...runs.map(({ cpuMs }) => cpuMs));
    assert.ok(best <= 50 || least <= 40, `the longest task took ${best} ms, and a move ${least} ms of the processor`);
    assert.ok(runs.every(({ tables }) => tables > 1), "tables appear while the slider moves");
  }));
