// The tours of the package's README do what the README says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "./scripts.mjs";
import { folder } from "./subject.mjs";

const text = readFileSync(join(folder, "README.md"), "utf8");
const blocks = (kind) => new Map(Array.from(text.matchAll(new RegExp(`\`\`\`\\w+ ${kind}=(\\w+)\n(.*?)\`\`\``, "gs")), ([, name, body]) => [name, body]));
const prints = blocks("prints");

for (const [name, program] of blocks("run")) {
  test(`README: ${name}`, async (context) => {
    const { stdout, stderr, code } = await run(context, program);
    assert.deepEqual([stdout, stderr, code], [prints.get(name), "", 0]);
  });
}

test("the README has ten tours", () => assert.equal(prints.size, 10));
