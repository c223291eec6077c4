#!/usr/bin/env node
// `npx twiceproof table`: the article's table, for any parameters.

import { parseArgs } from "node:util";
import { simulate, theory } from "../dist/index.js";

const HELP = `Usage: twiceproof table [options]

The article's strategy table: what retrying and idempotency keys come to over many sign-ups.

  --jobs N       sign-ups (default 1000000)
  --steps N      steps of a sign-up (default 10)
  --lost-step N  the step whose reply can be lost, from 1 (default 7)
  --fail P       probability that a call fails (default 0.01)
  --lost P       probability that the reply of that step is lost (default 0.005)
  --attempts N   attempts, the first included (default 3)
  --seed N       seed of the random numbers (default 1)
  --theory       the exact expectations in place of a simulation
  --json         print JSON
  --help         print this
`;

const NUMBERS = { jobs: "jobs", steps: "steps", "lost-step": "lostStep", fail: "fail", lost: "lost", attempts: "attempts", seed: "seed" };
/** A progress bar appears if the work takes longer than this. */
const BAR_AFTER_MS = 300;
const BAR_WIDTH = 30;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // What was typed is wrong, or the table was refused: a message, and no stack of this program.
  process.stderr.write(`twiceproof: ${error.message}\n`);
  process.exitCode = 2;
}

async function main(args) {
  const strings = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: "string" }]));
  const flags = Object.fromEntries(["json", "theory", "help"].map((name) => [name, { type: "boolean" }]));
  const { values, positionals } = parseArgs({ args, options: { ...strings, ...flags }, allowPositionals: true });
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  if (positionals.length !== 1 || positionals[0] !== "table") throw new Error(`there is no command "${positionals.join(" ")}"; try "twiceproof table"`);
  const options = {};
  for (const [name, option] of Object.entries(NUMBERS)) if (values[name] !== undefined) options[option] = number(name, values[name]);
  if (values.theory) print(theoryRows(options), values.json, options);
  else print(await simulated(options), values.json, options);
  return 0;
}

function number(name, text) {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new Error(`--${name} needs a number, got "${text}"`);
  return value;
}

async function simulated(options) {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort(new Error("stopped")));
  const start = performance.now();
  let drawn = false;
  const onProgress = (done, total) => {
    if (!process.stderr.isTTY || performance.now() - start < BAR_AFTER_MS) return;
    const filled = Math.round((done / total) * BAR_WIDTH);
    process.stderr.write(`\r${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${Math.floor((100 * done) / total)}%`);
    drawn = true;
  };
  try {
    const rows = await simulate(options, { onProgress, signal: controller.signal });
    return rows.map(({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails }) => ({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails }));
  } finally {
    if (drawn) process.stderr.write("\r\u001b[K");
  }
}

function theoryRows(options) {
  return theory(options).map(({ strategy, succeeded, expected, calls }) => ({
    strategy,
    succeeded: `${(100 * succeeded).toFixed(5)}%`,
    failed: round(expected.failed.mean),
    callsPerJob: round(calls),
    repeatedSteps: round(expected.repeatedSteps.mean),
    twoEmails: round(expected.twoEmails.mean),
  }));
}

function round(value) {
  return Number(value.toFixed(3));
}

function print(rows, json, { jobs = 1_000_000, steps = 10, fail = 0.01, lost = 0.005 }) {
  if (json) {
    process.stdout.write(`${JSON.stringify({ rows }, null, 2)}\n`);
    return;
  }
  const percent = (probability) => Number((100 * probability).toPrecision(12));
  process.stdout.write(
    `${jobs.toLocaleString("en-US")} signups, ${steps} steps, each call fails ${percent(fail)}% of the time, ` +
      `the email reply is lost ${percent(lost)}% of the time\n${boxed(rows)}`,
  );
}

/** A table as `console.table` draws it in Node 22, whatever runs this. */
function boxed(rows) {
  const headings = ["(index)", ...Object.keys(rows[0])];
  const cells = rows.map((row, index) => [String(index), ...Object.values(row).map((value) => (typeof value === "string" ? `'${value}'` : String(value)))]);
  const widths = headings.map((heading, column) => Math.max(heading.length, ...cells.map((row) => row[column].length)) + 2);
  const rule = (left, middle, right) => `${left}${widths.map((width) => "─".repeat(width)).join(middle)}${right}\n`;
  const line = (row) => `│${row.map((cell, column) => ` ${cell}`.padEnd(widths[column])).join("│")}│\n`;
  return rule("┌", "┬", "┐") + line(headings) + rule("├", "┼", "┤") + cells.map(line).join("") + rule("└", "┴", "┘");
}
