// The article's two programs (SEMANTICS A21, A34 to A39), written as its readers have them, but for the imports.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { run } from "./scripts.mjs";

const source = (name) => readFile(new URL(`programs/${name}`, import.meta.url), "utf8");

test("a21 usage prints exactly four lines", async (context) => {
  const { stdout, stderr, code } = await run(context, await source("usage.ts"));
  assert.deepEqual([stdout, stderr, code], [
    "saving ana@example.com\nemailing ana@example.com\nsaving bo@example.com\nemailing bo@example.com\n", "", 0,
  ]);
});

test("a34 to a38 simulate prints the published table, byte for byte", async (context) => {
  const { stdout, stderr, code } = await run(context, await source("simulate.ts"));
  // Node 20 aligns the cells of console.table differently; the text was printed by Node 22.
  const aligned = (text) => (process.versions.node.startsWith("20.") ? text.replace(/[ ─]+/g, " ") : text);
  assert.deepEqual([stderr, code], ["", 0]);
  assert.equal(aligned(stdout), aligned(await source("simulate.txt")));
});
