// The table once more, as a plain loop over every call: what the page's numbers are held against, for any settings. It shares
// no line with the engine or its kernel.

/** The article's settings, by the names of the page's address. */
export const ARTICLE = { jobs: 1_000_000, steps: 10, pf: 0.01, lr: 0.005, n: 3, seed: 1 };

const ROWS = [
  { job: false, key: false, skip: false },
  { job: false, key: false, skip: false },
  { job: false, key: true, skip: false },
  { job: true, key: true, skip: false },
  { job: true, key: true, skip: true },
];

function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The cells of five rows, as the page prints them: succeeded, failed, calls per job, steps done again, users with 2+ emails. */
export const cellsOf = (settings) => ROWS.map((row) => rowOf(row, { ...ARTICLE, ...settings }).cells);

/**
 * For each of the five rows, the first sign-up that failed, the first with a step done again and the first with two emails:
 * its number from 1, what it came to, and each call as `step outcome`. Undefined where there is none.
 */
export const firstsOf = (settings) => ROWS.map((row) => rowOf(row, { ...ARTICLE, ...settings }).firsts);

/** A call is a number while it is one of millions: three for each step. */
const callOf = (number) => `${Math.floor(number / 3) + 1} ${["failed", "lost", "done"][number % 3]}`;

function rowOf({ job, key, skip }, { jobs, steps, pf, lr, n, seed }) {
  const [random, email] = [mulberry32(seed), Math.min(7, steps) - 1];
  let [failed, calls, again, twoEmails] = [0, 0, 0, 0];
  const [firsts, made] = [[], []];
  for (let at = 0; at < jobs; at += 1) {
    const [done, finished] = [new Array(steps).fill(0), new Array(steps).fill(false)];
    made.length = 0;
    const call = (step) => {
      calls += 1;
      made.push(3 * step);
      if (random() < pf) return false;
      if (!(step === email && key && done[step] > 0)) done[step] += 1;
      finished[step] = !(step === email && random() < lr);
      made[made.length - 1] += finished[step] ? 2 : 1;
      return finished[step];
    };
    const pass = (from) => {
      for (let step = from; step < steps; step += 1) if (!(skip && finished[step]) && !call(step)) return step;
      return steps;
    };
    const tries = (once) => {
      for (let attempt = 0; attempt < n; attempt += 1) if (once()) return true;
      return false;
    };
    const succeeded = job
      ? tries(() => pass(0) === steps)
      : done.every((_, step) => tries(() => call(step)));
    const repeated = done.reduce((sum, times) => sum + Math.max(0, times - 1), 0);
    [!succeeded, repeated > 0, done[email] > 1].forEach((harm, cell) => {
      if (harm) firsts[cell] ??= { number: at + 1, failed: !succeeded, repeated, emails: done[email], made: made.map(callOf) };
    });
    failed += !succeeded;
    again += repeated;
    twoEmails += done[email] > 1;
  }
  const grouped = (number) => number.toLocaleString("en-US");
  const share = ((100 * (jobs - failed)) / jobs).toFixed(3);
  const cells = [`${share}%`, grouped(failed), String(Math.round((calls / jobs) * 100) / 100), grouped(again), grouped(twoEmails)];
  return { cells, firsts };
}
