#!/usr/bin/env node
// `npx twiceproof table`: the article's table, for any parameters.

import { readFileSync } from "node:fs";
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
  -h, --help     print this, as "twiceproof help" does
  -v, --version  print the package's version
`;

const NUMBERS = { jobs: "jobs", steps: "steps", "lost-step": "lostStep", fail: "fail", lost: "lost", attempts: "attempts", seed: "seed" };
const SWITCHES = { json: {}, theory: {}, help: { short: "h" }, version: { short: "v" } };
const COMMANDS = ["table", "help"];
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const BAD_USAGE = 2;
const INTERRUPTED = 130;
/** A progress bar appears if the work takes longer than this. */
const BAR_AFTER_MS = 300;
const BAR_WIDTH = 30;

/** What was typed is wrong. */
class Usage extends Error {}

// Whoever read has what they wanted, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A message, and no stack of this program.
  process.stderr.write(`twiceproof: ${inFlags(error)}\n`);
  process.exitCode = error instanceof Usage || error.code === "ERR_INVALID_OPTION" ? BAD_USAGE : 1;
}

async function main(args) {
  const { values, positionals } = parsed(args);
  if (values.help || positionals[0] === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.version) {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (positionals.length === 0) {
    process.stderr.write(HELP);
    return BAD_USAGE;
  }
  const [command, ...more] = positionals;
  if (command !== "table") throw new Usage(`there is no command "${command}"; ${meant(command, COMMANDS) ?? 'try "twiceproof table"'}`);
  if (more.length > 0) throw new Usage(`"table" takes options only, got "${more.join(" ")}"; try "twiceproof --help"`);
  const options = {};
  for (const [name, option] of Object.entries(NUMBERS)) if (values[name] !== undefined) options[option] = number(name, values[name]);
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  const rows = values.theory ? theoryRows(options) : await simulated(options, controller.signal);
  if (rows === undefined) return INTERRUPTED;
  print(rows, values.json, options);
  return 0;
}

function parsed(args) {
  const strings = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: "string" }]));
  const flags = Object.fromEntries(Object.entries(SWITCHES).map(([name, short]) => [name, { type: "boolean", ...short }]));
  // Only a value begins with a dash and a digit: `--jobs -5` is a number that the table refuses, and nothing ambiguous.
  const joined = [];
  for (const arg of args) {
    const before = joined.at(-1);
    if (/^-[\d.]/.test(arg) && Object.keys(NUMBERS).includes(before?.slice(2))) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  try {
    const found = parseArgs({ args: joined, options: { ...strings, ...flags }, allowPositionals: true, tokens: true });
    const names = found.tokens.filter(({ kind }) => kind === "option").map(({ name }) => name);
    const twice = names.find((name, at) => Object.hasOwn(strings, name) && names.indexOf(name) < at);
    if (twice !== undefined) throw new Usage(`--${twice} was given twice`);
    return found;
  } catch (error) {
    if (error instanceof Usage) throw error;
    const [flag] = /--?[\w-]+/.exec(error.message) ?? [];
    if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
      const known = [...Object.keys(NUMBERS), ...Object.keys(SWITCHES)].map((name) => `--${name}`);
      throw new Usage(`there is no ${flag}; ${meant(flag, known) ?? 'try "twiceproof --help"'}`);
    }
    throw new Usage(Object.keys(NUMBERS).includes(flag?.slice(2)) ? `${flag} needs a number` : `${flag} takes no value`);
  }
}

/** The known word that was most likely meant, as the end of a message, if one is near: it begins so, or a third of it is wrong. */
function meant(typed, known) {
  const bare = typed.toLowerCase().replace(/^-*/, "--");
  const near = known
    .map((word) => ({ word, edits: edits(bare, word.replace(/^-*/, "--")), begins: bare.length > 4 && word.startsWith(typed) }))
    .filter(({ word, edits, begins }) => begins || edits <= Math.ceil(word.replace(/^-*/, "").length / 3))
    .sort((a, b) => Number(b.begins) - Number(a.begins) || a.edits - b.edits);
  return near.length === 0 ? undefined : `did you mean ${near[0].word}?`;
}

/** How many letters have to be inserted, dropped or replaced to make one word of the other. */
function edits(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1];
    for (let at = 1; at <= to.length; at++) next.push(Math.min(row[at] + 1, next[at - 1] + 1, row[at - 1] + (to[at - 1] === letter ? 0 : 1)));
    row = next;
  }
  return row[to.length];
}

function number(name, text) {
  if (!DECIMAL.test(text)) throw new Usage(`--${name} needs a decimal number, got "${text}"`);
  return Number(text);
}

/** The message, with flags where the package names options. */
function inFlags(error) {
  const flags = Object.entries(NUMBERS).find(([, option]) => option === error.option);
  return flags === undefined ? error.message : error.message.replace(error.option, `--${flags[0]}`);
}

/** The rows; nothing if the work was stopped. */
async function simulated(options, signal) {
  const start = performance.now();
  let drawn = false;
  const onProgress = (done, total) => {
    if (!process.stderr.isTTY || performance.now() - start < BAR_AFTER_MS) return;
    const filled = Math.round((done / total) * BAR_WIDTH);
    process.stderr.write(`\r${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${Math.floor((100 * done) / total)}%`);
    drawn = true;
  };
  try {
    const rows = await simulate(options, { onProgress, signal });
    return rows.map(({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails }) => ({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails }));
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
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
