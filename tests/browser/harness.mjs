// What every browser test needs: the site that `cargo xtask test` has built, the browser that it has found, and pages
// that report whatever goes wrong on them. A test opens a page with `visit` and fails by itself on any console error,
// uncaught exception, policy violation or failed request, so that no test has to look for them.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

export { serve };

const require = createRequire(import.meta.url);

/** The folder of the finished site. */
export const SITE = given("TWICEPROOF_SITE");

/** The two sizes that every view is tested at. */
export const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
export const THEMES = ["light", "dark"];

/**
 * What axe cannot decide where there are drawings: it does not see the ground of a text in one, and in the timeline the
 * playhead, its veil and the place to click for a time lie over texts. None of them changes a text's colours but the veil,
 * whose tint is a surface every text colour is made for.
 */
export const UNDECIDED = ["color-contrast"];

const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const WAIT_MS = 15_000;

// No sandbox: as root there is none, and what is visited comes from this machine. The rest keeps the browser off the
// network.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function given(variable) {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run these tests with \`cargo xtask test --only browser\``);
  return value;
}

/** Starts the browser; whoever starts it closes it. */
export function launch() {
  return chromium.launch({ executablePath: given("TWICEPROOF_CHROMIUM"), headless: true, args: FLAGS });
}

/**
 * Opens `url` in a fresh context, hands the page to `body`, and then fails if anything went wrong on it.
 *
 * - `size`, `theme`, `reducedMotion`, `forcedColors`, `javaScriptEnabled`: as the reader's browser has them.
 * - `before(page)`: runs before the address is opened.
 * - `expected`: patterns of problems that this test is about.
 */
export async function visit(browser, url, options, body) {
  const { size = SIZES.wide, theme = "light", reducedMotion = "no-preference", before, expected = [], ...more } = options;
  const context = await browser.newContext({ viewport: size, colorScheme: theme, reducedMotion, ...more });
  context.setDefaultTimeout(WAIT_MS);
  const problems = watch(context);
  await context.addInitScript(reportViolations);
  try {
    const page = await context.newPage();
    await before?.(page);
    await page.goto(url, { waitUntil: "load" });
    await body(page);
    const unexpected = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    assert.deepEqual(unexpected, [], `problems on ${url}`);
  } finally {
    await context.close();
  }
}

/** Collects what goes wrong on all pages of a context, frames included. */
function watch(context) {
  const problems = [];
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => problems.push(`uncaught: ${error.error()?.stack ?? error.error()}`));
  context.on("requestfailed", (request) => problems.push(`failed: ${request.url()} (${request.failure()?.errorText})`));
  context.on("response", (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  return problems;
}

// Runs in the page, before anything else: the browser's own console line names the policy but not always the place.
function reportViolations() {
  document.addEventListener("securitypolicyviolation", (violation) => {
    console.error(`policy: ${violation.effectiveDirective} blocked ${violation.blockedURI} at ${violation.sourceFile}:${violation.lineNumber}`);
  });
}

/** Waits until the app has started, and says why if it has not. */
export async function started(page) {
  const booted = page.locator("#app[data-boot]");
  await booted.waitFor({ state: "attached" });
  if ((await booted.getAttribute("data-boot")) !== "started") {
    assert.fail(`the app did not start: ${await page.locator("#boot-status").textContent()}`);
  }
}

/** The stage is drawn: what most tests wait for. */
const stage = (page) => page.locator(".stage").waitFor();

/**
 * What opens a part of the site for the tests of a file: `open(fragment, options, body)` hands the page to `body` once the app
 * has started and `ready(page)` holds. `where()` gives the browser and the server, which there are only when tests run.
 */
export const opens = (where, ready = stage) => (fragment, options, body) => {
  const [browser, server] = where();
  return visit(browser, server.url + fragment, options, async (page) => {
    await started(page);
    await ready(page);
    await body(page);
  });
};

/**
 * Fails on what axe-core finds, and on what it could not decide, unless `undecided` names the rule. `scope` is a selector.
 * The source goes in through the debugger, which the page's policy does not govern; a script element would be blocked.
 */
export async function assertAccessible(page, { scope, undecided = [] } = {}) {
  const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  const { violations, incomplete } = await page.evaluate(
    ([scope, tags]) => window.axe.run(scope ?? document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations", "incomplete"] }),
    [scope, AXE_TAGS],
  );
  const open = incomplete.filter(({ id }) => !undecided.includes(id));
  assert.deepEqual([...violations, ...open].map(describe), [], `axe on ${page.url()}`);
}

function describe({ id, help, nodes }) {
  const places = nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(" ")}\n    ${failureSummary?.replaceAll("\n", "\n    ")}`);
  return `${id}: ${help}\n  ${places.join("\n  ")}`;
}
