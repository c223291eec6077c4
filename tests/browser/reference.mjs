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
export const cellsOf = (settings) => ROWS.map((row) => rowOf(row, { ...ARTICLE, ...settings }));

function rowOf({ job, key, skip }, { jobs, steps, pf, lr, n, seed }) {
  const [random, email] = [mulberry32(seed), Math.min(7, steps) - 1];
  let [failed, calls, again, twoEmails] = [0, 0, 0, 0];
  for (let at = 0; at < jobs; at += 1) {
    const [done, finished] = [new Array(steps).fill(0), new Array(steps).fill(false)];
    const call = (step) => {
      calls += 1;
      if (random() < pf) return false;
      if (!(step === email && key && done[step] > 0)) done[step] += 1;
      finished[step] = !(step === email && random() < lr);
      return finished[step];
    };
    const pass = (from) => {
      for (let step = from; step < steps; step += 1) if (!(skip && finished[step]) && !call(step)) return step;
      return steps;
    };
    const tries = (once) => Array.from({ length: n }).some(once);
    const succeeded = job
      ? tries(() => pass(0) === steps)
      : done.every((_, step) => tries(() => call(step)));
    failed += !succeeded;
    again += done.reduce((sum, times) => sum + Math.max(0, times - 1), 0);
    twoEmails += done[email] > 1;
  }
  const grouped = (number) => number.toLocaleString("en-US");
  const share = ((100 * (jobs - failed)) / jobs).toFixed(3);
  return [`${share}%`, grouped(failed), String(Math.round((calls / jobs) * 100) / 100), grouped(again), grouped(twoEmails)];
}
