/** A run as its user sees it: the core's numbers with their words, and what JavaScript keeps. */

import type { RunInfo, RunStatus, StepInfo, StepStatus } from "../../types/index.js";
import { outOfRange, wrongType } from "../errors.js";
import { handedOn } from "./context.js";
import type { Driver } from "./driver.js";
import type { RunRecord } from "./record.js";

const STATUSES: readonly RunStatus[] = ["pending", "running", "succeeded", "cancelled", "dead"];
const PHASES: readonly StepStatus[] = ["idle", "running", "waiting", "sleeping", "done", "gave-up"];
const REASONS: readonly NonNullable<RunInfo["reason"]>[] = ["attempts-used", "not-retryable", "retry-after-too-long", "key-conflict"];

export function runInfo(driver: Driver, record: RunRecord): RunInfo {
  const [status, attempts, queuedAt, endedAt, runAt, retainedUntil, why, ...steps] = driver.look((glue) => glue.viewRun(record.number));
  const names = (step: number): string => driver.look((glue) => glue.stepName(record.number, step));
  const info: { -readonly [K in keyof RunInfo]: RunInfo[K] } = {
    id: record.id,
    number: record.number,
    workflow: record.workflow.name,
    status: STATUSES[status!]!,
    attempts: attempts!,
    queuedAt: queuedAt!,
    steps: stepInfos(record, STATUSES[status!]!, steps, names),
  };
  if (runAt! >= 0) info.runAt = runAt!;
  if (endedAt! >= 0) {
    info.endedAt = endedAt!;
    info.retainedUntil = retainedUntil! < 0 ? Infinity : retainedUntil!;
  }
  if (record.origin !== undefined) info.origin = record.origin;
  if (info.status === "succeeded") info.result = handedOn(record.outcome);
  if (info.status === "dead") {
    info.reason = REASONS[why!]!;
    info.error = record.outcome;
  }
  return info;
}

function stepInfos(record: RunRecord, run: RunStatus, numbers: readonly number[], name: (step: number) => string): StepInfo[] {
  const steps: StepInfo[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    const step = at / 2;
    let status = PHASES[numbers[at]!]!;
    // The core leaves a cancelled run's steps as they were; none of them goes on.
    if (run === "cancelled" && status !== "done" && status !== "gave-up") status = "cancelled";
    // It does not know of works that outlasted their pass.
    if (status === "idle") status = record.leftOver(step) ?? status;
    steps.push({ name: name(step), status, attempts: numbers[at + 1]! });
  }
  return steps;
}

/** Throws unless it is a status, or left out. */
export function checkStatus(status: unknown): asserts status is RunStatus | undefined {
  if (status === undefined) return;
  if (typeof status !== "string") throw wrongType("status", "a text", status);
  if (!STATUSES.includes(status as RunStatus)) throw outOfRange("status", `one of ${STATUSES.join(", ")}`, status);
}
