// The strategy table and its theory (SEMANTICS A34 to A38), and the command line.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { node } from "./scripts.mjs";
import { folder, twiceproof } from "./subject.mjs";

const { simulate, theory } = twiceproof;
const bin = join(folder, "bin/twiceproof.js");

test("a34 to a38 the published numbers", async () => {
  const rows = await simulate();
  assert.deepEqual(rows.map(({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails }) => [strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails]), [
    ["retry each step, no key", "99.999%", 11, 10.11, 4971, 4939],
    ["retry each step, new key on every call", "99.999%", 11, 10.11, 4971, 4939],
    ["retry each step, same key every time", "99.999%", 11, 10.11, 0, 0],
    ["retry the whole job, same key", "99.900%", 995, 10.6, 464_233, 0],
    ["retry the whole job, same key, skip finished steps", "99.975%", 250, 10.11, 0, 0],
  ]);
  for (const { emails } of rows) assert.equal(emails.reduce((sum, count) => sum + count), 1_000_000);
});

test("progress comes in slices, rises, and ends at the total; other things run in between", async () => {
  const told = [];
  let turns = 0;
  const interval = setInterval(() => turns++, 0);
  await simulate({ jobs: 20_000_000 }, { onProgress: (done, total) => told.push([done, total]) });
  clearInterval(interval);
  assert.ok(told.length > 3 && turns > 2, `${told.length} slices, ${turns} turns`);
  assert.ok(told.every(([done], index) => index === 0 || done > told[index - 1][0]));
  assert.deepEqual(told.at(-1), [100_000_000, 100_000_000]);
});

test("a signal stops it with its reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const running = simulate({ jobs: 2 ** 40 }, { signal: controller.signal, onProgress: () => controller.abort(reason) });
  await assert.rejects(running, (error) => error === reason);
  await assert.rejects(simulate({}, { signal: controller.signal }), (error) => error === reason);
});

test("2.13 options are checked by name", async () => {
  const bad = { jobs: [-1, 0.5, 2 ** 41, Number.NaN], steps: [0, 1001], lostStep: [0, 11], fail: [-0.1, 1.5], lost: [2, Number.NaN], attempts: [0, 101], seed: [-1, 2 ** 32] };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      await assert.rejects(simulate({ [name]: value }), (error) => error instanceof RangeError && error.message.includes(name), `${name} ${value}`);
      assert.throws(() => theory({ [name]: value }), RangeError);
    }
  }
  await assert.rejects(simulate({ jobs: "5" }), TypeError);
  await assert.rejects(simulate({ strategies: [{ retry: "never", key: "same" }] }), /retry needs "each-step" or "whole-job"/);
});

test("the theory lies within four deviations of the simulation", async () => {
  const options = { jobs: 2_000_000, seed: 7, generator: "chacha8" };
  const [rows, expected] = [await simulate(options), theory(options)];
  for (const [index, row] of rows.entries()) {
    assert.equal(expected[index].strategy, row.strategy);
    for (const counter of ["failed", "calls", "repeatedSteps", "twoEmails"]) {
      const { mean, deviation } = expected[index].expected[counter];
      assert.ok(Math.abs(row[counter] - mean) <= 4 * deviation + 1e-9, `${row.strategy}: ${counter} ${row[counter]}, ${mean} ± ${deviation}`);
    }
  }
});

test("twiceproof table prints the article's table, byte for byte", async () => {
  const { stdout, stderr, code } = await node([bin, "table"]);
  const expected = await readFile(new URL("programs/simulate.txt", import.meta.url), "utf8");
  assert.deepEqual([stdout, stderr, code], [expected, "", 0]);
});

test("twiceproof table takes parameters and prints JSON", async () => {
  const { stdout, code } = await node([bin, "table", "--jobs", "1000", "--fail", "0.5", "--attempts", "1", "--json"]);
  const { rows } = JSON.parse(stdout);
  assert.equal(code, 0);
  assert.ok(rows.length === 5 && rows[0].failed > 990);
  const exact = await node([bin, "table", "--theory", "--json"]);
  assert.ok(Math.abs(JSON.parse(exact.stdout).rows[0].failed - 12.341) < 0.01);
});

test("twiceproof says what is wrong, by the flag, without a stack, and ends with 2", async () => {
  for (const [args, message] of [
    [["table", "--fail", "2"], "--fail needs a probability from 0 to 1, got 2"],
    [["table", "--jobs", "many"], '--jobs needs a decimal number, got "many"'],
    [["table", "--jobs", "0x10"], '--jobs needs a decimal number, got "0x10"'],
    [["table", "--jobs", ""], '--jobs needs a decimal number, got ""'],
    [["table", "--jobs", "-5"], "--jobs needs a whole number from 0 to 1099511627776, got -5"],
    [["table", "--jobs=-5"], "--jobs needs a whole number from 0 to 1099511627776, got -5"],
    [["table", "--fail", "-.5"], "--fail needs a probability from 0 to 1, got -0.5"],
    [["table", "--steps", "3"], "--lost-step needs a whole number from 1 to 3, got 7"],
    [["table", "--seed", "8589934592"], "--seed needs a whole number from 0 to 4294967295, got 8589934592"],
    [["table", "--jobs"], "--jobs needs a number"],
    [["table", "--jobs", "3", "--jobs=4"], "--jobs was given twice"],
    [["table", "--json=3"], "--json takes no value"],
    [["table", "--job", "3"], "there is no --job; did you mean --jobs?"],
    [["--theroy"], "there is no --theroy; did you mean --theory?"],
    [["table", "--vers"], "there is no --vers; did you mean --version?"],
    [["table", "-x"], 'there is no -x; try "twiceproof --help"'],
    [["table", "--colour"], 'there is no --colour; try "twiceproof --help"'],
    [["chart"], 'there is no command "chart"; try "twiceproof table"'],
    [["tabel"], 'there is no command "tabel"; did you mean table?'],
    [["table", "5"], '"table" takes options only, got "5"; try "twiceproof --help"'],
  ]) {
    const { stdout, stderr, code } = await node([bin, ...args]);
    assert.deepEqual([stdout, stderr, code], ["", `twiceproof: ${message}\n`, 2]);
  }
  const help = await node([bin, "table", "--help"]);
  assert.ok(help.code === 0 && help.stdout.startsWith("Usage: twiceproof table"));
  for (const args of [["-h"], ["help"], ["help", "table"], ["--help"], ["table", "-h"]]) {
    const { stdout, stderr, code } = await node([bin, ...args]);
    assert.deepEqual([stdout, stderr, code], [help.stdout, "", 0], args.join(" "));
  }
  for (const args of [["--version"], ["-v"], ["table", "-v"]]) {
    const version = await node([bin, ...args]);
    assert.deepEqual([version.code, version.stderr, /^\d+\.\d+\.\d+\n$/.test(version.stdout)], [0, "", true]);
  }
  const nothing = await node([bin]);
  assert.ok(nothing.code === 2 && nothing.stdout === "" && nothing.stderr === help.stdout);
});

test("a table of nobody has no NaN", async () => {
  for (const args of [["--jobs", "0"], ["--jobs", "0", "--theory"], ["--jobs", "0", "--json"]]) {
    const { stdout, code } = await node([bin, "table", ...args]);
    assert.ok(code === 0 && !/NaN|null/.test(stdout), stdout);
  }
  assert.ok((await simulate({ jobs: 0 })).every(({ callsPerJob }) => callsPerJob === 0));
});

test("twiceproof whose reader has gone ends without a word", async () => {
  const child = spawn(process.execPath, [bin, "table", "--jobs", "100000"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const [code] = await once(child, "close");
  assert.deepEqual([code, stderr], [0, ""]);
});

test("twiceproof that is interrupted ends with 130", { skip: process.platform === "win32" && "signals" }, async () => {
  const child = spawn(process.execPath, [bin, "table", "--jobs", "1e12"], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const again = setInterval(() => child.kill("SIGINT"), 1_000);
  const [code, signal] = await once(child, "close");
  clearInterval(again);
  assert.deepEqual([code, signal, stderr], [130, null, ""]);
});
