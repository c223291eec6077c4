// The journal as the page saves it: the very bytes that the native program and Node make of the same scenario.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { SITE, launch, serve, started, visit } from "./harness.mjs";

let browser, server;
before(async () => ([browser, server] = await Promise.all([launch(), serve(SITE)])));
after(() => Promise.all([browser?.close(), server?.close()]));

// The constants of crates/sim/tests/scenarios.rs, which runs natively and in Node.
const SCENARIOS = [
  ["", "67458440ca24b4adbc6a1db63dfc70d07243f1261e2bbd4076962210bd6d8e08"],
  ["#v1;pf=0.2;lr=0.3", "b124722571fe28fd0b42d5899f34fede64197cd15e029023806818f00c7f01c6"],
];

for (const [fragment, digest] of SCENARIOS) {
  test(`d1: the journal of ${fragment || "the default scenario"} has the same bytes everywhere`, () =>
    visit(browser, server.url + fragment, {}, async (page) => {
      await started(page);
      await page.getByRole("button", { name: "Export", exact: true }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save journal", exact: true }).click(),
      ]);
      const bytes = await readFile(await download.path());
      assert.equal(createHash("sha256").update(bytes).digest("hex"), digest);
    }));
}

// Written by a Node script with the package's engine: a step that failed after its effect, and was tried again.
const SCRIPT_JOURNAL = new URL("script-journal.jsonl", import.meta.url).pathname;

test("h54: a journal from a script opens and plays; one that is cut off opens up to there and says so", () =>
  visit(browser, server.url, {}, async (page) => {
    await started(page);
    const file = page.locator("input[type=file]");
    await file.setInputFiles(SCRIPT_JOURNAL);
    await page.getByText("script-journal.jsonl can be played").waitFor();
    await page.getByRole("button", { name: "Last event", exact: true }).click();
    await page.getByText("2nd time").first().waitFor();
    const whole = await readFile(SCRIPT_JOURNAL);
    await file.setInputFiles({ name: "torn.jsonl", mimeType: "text/plain", buffer: whole.subarray(0, -20) });
    await page.getByText("torn.jsonl: line 29 is cut off after 36 bytes; the 27 entries before it were loaded.").waitFor();
  }));
