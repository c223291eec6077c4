/** Requests for runs: what becomes of one whose ID is new, and of one whose ID has a run. */

import type { EnqueueOptions, EnqueueResult, FingerprintOptions, RunOrigin } from "../../types/index.js";
import type { JournalEntry } from "../../types/journal.js";
import { READ_DEPTH_MAX, canonical, differences } from "../canonical.js";
import { copy } from "../copy.js";
import { ConflictError, isArray, outOfRange, refusal, RunCancelledError, shownPlaces, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { optionsObject } from "../options.js";
import type { Driver } from "./driver.js";
import { EngineClosedError } from "./errors.js";
import { type Intake, time } from "./intake.js";
import { RunRecord } from "./record.js";
import type { Runs } from "./runs.js";
import { runInfo } from "./view.js";
import type { Workflow } from "./workflow.js";

// What the core says of a request, in the lowest bits.
const CREATED = 0;
const EXISTING = 1;
const RESTARTED = 2;
const REPLACED = 3;
const CONFLICT = 4;
const ANSWERS = 8;

const KNOWN = ["id", "runAt", "onExisting", "fresh", "fingerprint"] as const;
const ON_EXISTING = ["return", "restartFailed", "restart afresh", "reject", "replaceRunning"];

export class Admission {
  readonly #driver: Driver;
  readonly #runs: Runs;
  readonly #intake: Intake;
  readonly #projections = new Map<string, number>();
  /** Removes what was kept for its time, before an ID that is in use answers: it may be one of those. */
  onFound: (() => void) | undefined;

  constructor(driver: Driver, runs: Runs, intake: Intake) {
    this.#driver = driver;
    this.#runs = runs;
    this.#intake = intake;
  }

  /** Accepts a run, or finds the one that has its ID. Stored when it returns. */
  admit(workflow: Workflow, payload: unknown, given: EnqueueOptions | undefined): { record: RunRecord; outcome: EnqueueResult["outcome"] } {
    if (this.#driver.closed) throw new EngineClosedError();
    const options = optionsObject("enqueue", given, KNOWN);
    const id: unknown = options.id === undefined ? crypto.randomUUID() : options.id;
    checkKey("id", id);
    const onExisting = onExistingCode(options);
    const runAt = time("runAt", options.runAt) ?? -1;
    // JSON has no "nothing": a run without a payload has an empty text, and is another than one of null.
    const text = canonical("payload", payload, READ_DEPTH_MAX);
    const projection = options.fingerprint === undefined ? workflow.projection : this.projection(options.fingerprint);
    if (options.id !== undefined) workflow.watch?.look(id);
    this.#intake.sync();
    if (this.onFound !== undefined && this.#runs.find(id) !== undefined) this.onFound();
    const before = this.#runs.find(id);
    const packed = this.#driver.core((glue, now) => glue.enqueue(now, workflow.number, id, text, projection, runAt, onExisting));
    if (packed < 0) throw this.#driver.look((glue) => glue.refusal());
    this.#driver.pumpSoon();
    const number = Math.floor(packed / ANSWERS);
    const answer = packed % ANSWERS;
    switch (answer) {
      case CREATED:
        return { record: this.#created(id, number, workflow, payload, projection, undefined), outcome: "created" };
      case EXISTING:
        return { record: this.#driver.records.get(number)!, outcome: "existing" };
      case RESTARTED:
        return { record: this.#restarted(this.#driver.records.get(number)!, options.fresh === true), outcome: "restarted" };
      case REPLACED:
        before!.abort(new RunCancelledError(id));
        return {
          record: this.#created(id, number, workflow, payload, projection, { kind: "replacement", of: before!.number }),
          outcome: "replaced",
        };
      default:
        throw this.#refused(this.#driver.records.get(number)!, workflow, projection, text, answer === CONFLICT);
    }
  }

  /** The same, as its caller sees it. */
  detailed(workflow: Workflow, payload: unknown, given: EnqueueOptions | undefined): EnqueueResult {
    const { record, outcome } = this.admit(workflow, payload, given);
    return enqueueResult(this.#driver, record, outcome);
  }

  /** The number of a part of payloads that is compared. */
  projection(given: FingerprintOptions): number {
    const { omit, pick } = optionsObject("fingerprint", given, ["omit", "pick"]);
    if (omit !== undefined && pick !== undefined) throw refusal(new TypeError("fingerprint needs one of omit and pick, got both"), "fingerprint");
    const texts = [paths("fingerprint.omit", omit), pick === undefined ? undefined : paths("fingerprint.pick", pick)] as const;
    const name = JSON.stringify(texts);
    let number = this.#projections.get(name);
    if (number === undefined) {
      number = this.#driver.look((glue) => glue.defineProjection(texts[0], texts[1]));
      this.#projections.set(name, number);
    }
    return number;
  }

  #created(id: string, number: number, workflow: Workflow, payload: unknown, projection: number, origin: RunOrigin | undefined): RunRecord {
    const record = new RunRecord(id, number, workflow, copy(payload), projection, origin);
    this.#runs.add(record);
    return record;
  }

  #restarted(record: RunRecord, fresh: boolean): RunRecord {
    record.restart(fresh);
    return record;
  }

  /** The refusal stands in the journal, with the places that differ as far as their texts were kept. */
  #refused(first: RunRecord, workflow: Workflow, projection: number, text: string, conflicts: boolean): ConflictError {
    const id = first.id;
    if (!conflicts) {
      const { status } = runInfo(this.#driver, first);
      return new ConflictError(id, "exists", [], `the ID "${id}" belongs to a run that exists already and is ${status}`);
    }
    if (first.workflow !== workflow) {
      return new ConflictError(id, "workflow", [], `the ID "${id}" belongs to a run of "${first.workflow.name}", not of "${workflow.name}"`);
    }
    const line = this.#driver.look((glue) => glue.journalText(glue.journalLength() - 1)).split("\n")[1]!;
    const entry = JSON.parse(line) as JournalEntry;
    const known = entry.type === "enqueue-refused" && entry.mismatch?.kind === "payload" ? entry.mismatch : { differences: [], more: 0 };
    let { differences: list, more } = known;
    if (list.length === 0 && projection === 0 && first.projection === 0) ({ list, more } = differences("payload", first.text, text));
    return new ConflictError(id, "payload", list, `the ID "${id}" belongs to a run with another payload${shownPlaces(list, more)}`, more);
  }
}

export function enqueueResult(driver: Driver, record: RunRecord, outcome: EnqueueResult["outcome"]): EnqueueResult {
  const { id, workflow, status, attempts, retainedUntil } = runInfo(driver, record);
  const result = { id, workflow, outcome, created: outcome === "created" || outcome === "replaced", status, attempts };
  return retainedUntil === undefined ? result : { ...result, retainedUntil };
}

function onExistingCode({ onExisting = "return", fresh }: EnqueueOptions): number {
  const code = ON_EXISTING.indexOf(onExisting);
  if (code < 0 || code === 2) {
    throw wrongType("onExisting", '"return", "restartFailed", "reject" or "replaceRunning"', onExisting);
  }
  if (fresh === undefined) return code;
  if (typeof fresh !== "boolean") throw wrongType("fresh", "true or false", fresh);
  if (onExisting !== "restartFailed") throw outOfRange("fresh", 'onExisting: "restartFailed" beside it', onExisting);
  return fresh ? 2 : code;
}

/** Paths as the core takes them; their form is the core's to check. */
function paths(option: string, given: unknown): string {
  if (given === undefined) return "";
  if (!isArray(given)) throw wrongType(option, 'a list of paths such as "meta.traceId"', given);
  const isPath = (path: unknown): boolean => typeof path === "string" && path !== "" && !path.includes("\0") && path.isWellFormed();
  const wrong = given.findIndex((path) => !isPath(path));
  if (wrong >= 0) throw wrongType(option, 'a path such as "meta.traceId" at every place of its list', given[wrong]);
  return given.join("\0");
}
