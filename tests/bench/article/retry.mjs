// The retry wrapper of the article's part 3: up to `maxAttempts`, exponential waits with full jitter in between.
export function withRetry(handler, { maxAttempts, baseDelayMs, maxDelayMs, jitter, sleep }) {
  return async (job) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await handler({ ...job, attempt });
      } catch (error) {
        if (attempt >= maxAttempts) throw error;
        const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
        await sleep(jitter ? Math.random() * ceiling : ceiling);
      }
    }
  };
}
