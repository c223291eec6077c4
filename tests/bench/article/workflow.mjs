// The workflow of the article's part 4: steps in order, and a retry around each of them.
import { withRetry } from "./retry.mjs";

export function workflow(steps) {
  return async (job) => {
    for (const step of steps) await step.run(job);
  };
}

export function retryEachStep(steps, retry) {
  return steps.map(({ name, run }) => ({ name, run: withRetry(run, retry) }));
}
