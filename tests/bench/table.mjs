// The package's own table, as `simulate()` gives it: the quickest of some runs, after one that compiles. Prints JSON of
// the same shape as the article's program, without the draws, which the package does not tell.
//
//   node table.mjs JOBS PACKAGE [RUNS]

import { pathToFileURL } from "node:url";

const [jobs, packageFile, runs = "5"] = process.argv.slice(2);
const { simulate } = await import(pathToFileURL(packageFile).href);

let table;
let elapsedMs = Infinity;
for (let run = 0; run <= Number(runs); run++) {
  const start = performance.now();
  table = await simulate({ jobs: Number(jobs) });
  if (run > 0) elapsedMs = Math.min(elapsedMs, performance.now() - start);
}
const rows = table.map(({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails, calls }) => ({ strategy, succeeded, failed, callsPerJob, repeatedSteps, twoEmails, calls }));
console.log(JSON.stringify({ rows, elapsedMs }));
