// The tours of the package's README do what the README says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { node, project, run } from "./scripts.mjs";
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

test("what the README writes in TypeScript compiles, strictly", async (context) => {
  const folder = await project(context);
  const programs = Array.from(text.matchAll(/```ts[^\n]*\n(.*?)```/gs), ([, program], at) => [`tour-${at}.ts`, program]);
  assert.equal(programs.length, 10);
  const compilerOptions = {
    module: "nodenext", moduleResolution: "nodenext", target: "es2022", lib: ["es2022", "dom"], types: [],
    strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: false, preserveSymlinks: true,
  };
  const files = {
    ...Object.fromEntries(programs),
    "node.d.ts": 'declare module "node:fs/promises" { export function writeFile(path: string, text: string): Promise<void>; }',
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const compiler = new URL("../node_modules/typescript/bin/tsc", import.meta.url).pathname;
  const { stdout, code } = await node([compiler, "-p", folder]);
  assert.deepEqual([stdout, code], ["", 0]);
});
