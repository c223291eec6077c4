import { tool } from "./consumer.mjs";

/** Runs webpack over a configuration; warnings count as failures. */
export function webpacked(configuration) {
  return new Promise((resolve, reject) => {
    tool("webpack")({ experiments: { outputModule: true }, ...configuration, output: { module: true, ...configuration.output } }, (error, stats) => {
      if (error) reject(error);
      else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString("errors-warnings")));
      else resolve(stats);
    });
  });
}
