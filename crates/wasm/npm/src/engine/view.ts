/** A run as its user sees it: the core's numbers with their words, and what JavaScript keeps. */

import type { RunInfo, RunStatus, StepInfo, StepStatus } from "../../types/index.js";
import type { Driver } from "./driver.js";
import type { RunRecord } from "./record.js";

const STATUSES: readonly RunStatus[] = ["pending", "running", "succeeded", "cancelled", "dead"];
const PHASES: readonly StepStatus[] = ["idle", "running", "waiting", "sleeping", "done", "gave-up"];

export function runInfo(driver: Driver, record: RunRecord): RunInfo {
  const [status, attempts, queuedAt, endedAt, ...steps] = driver.core((glue) => glue.viewRun(record.number));
  const names = (step: number): string => driver.core((glue) => glue.stepName(record.number, step));
  const info: { -readonly [K in keyof RunInfo]: RunInfo[K] } = {
    id: record.id,
    workflow: record.workflow.name,
    status: STATUSES[status!]!,
    attempts: attempts!,
    queuedAt: queuedAt!,
    steps: stepInfos(steps, names),
  };
  if (endedAt! >= 0) info.endedAt = endedAt!;
  if (info.status === "succeeded") info.result = record.outcome;
  if (info.status === "dead") info.error = record.outcome;
  return info;
}

function stepInfos(numbers: readonly number[], name: (step: number) => string): StepInfo[] {
  const steps: StepInfo[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    steps.push({ name: name(at / 2), status: PHASES[numbers[at]!]!, attempts: numbers[at + 1]! });
  }
  return steps;
}
