/** Runs that are over: how long they are kept, removing them, doing dead ones again. */

import type { EnqueueResult, ForgetOptions, PruneOptions, PruneResult } from "../../types/index.js";
import { copy } from "../copy.js";
import { ConflictError, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { countOption, optionsObject } from "../options.js";
import { enqueueResult } from "./admission.js";
import type { Driver } from "./driver.js";
import { EngineClosedError, RunStateError } from "./errors.js";
import type { Intake } from "./intake.js";
import { RunRecord } from "./record.js";
import type { Runs } from "./runs.js";
import { runInfo } from "./view.js";

/** Removed in one pass beside other work (C27). */
const BATCH = 100;
/** Between two such passes, in the engine's time, unless there is more to do. */
const PAUSE_MS = 60_000;
const LIMIT_MAX = 0xffff_ffff;

const NOT_DEAD = -1;

export class Upkeep {
  readonly #driver: Driver;
  readonly #runs: Runs;
  readonly #intake: Intake;
  #nextPassAt = 0;

  constructor(driver: Driver, runs: Runs, intake: Intake) {
    this.#driver = driver;
    this.#runs = runs;
    this.#intake = intake;
  }

  prune(options: PruneOptions | undefined): PruneResult {
    this.#intake.sync();
    const limit = countOption("limit", optionsObject("prune", options, ["limit"]).limit, 1);
    return this.#prune(Math.min(limit, LIMIT_MAX));
  }

  /** A bounded pass beside other work, once in a while (C27). */
  pass(): void {
    const now = this.#driver.lastNow;
    if (now < this.#nextPassAt) return;
    this.#nextPassAt = now + PAUSE_MS;
    if (this.#driver.look((glue) => glue.nextPrune()) > now) return;
    this.#intake.sync();
    if (this.#prune(BATCH).more) this.#nextPassAt = 0;
  }

  /** The same at once, if anything is due. */
  passIfDue(): void {
    if (this.#driver.core((glue, now) => glue.nextPrune() <= now)) this.#prune(BATCH);
  }

  #prune(limit: number): PruneResult {
    const [more, runs, ...numbers] = this.#driver.core((glue, now) => glue.prune(now, limit));
    const removed = numbers.splice(0, runs!).map((number) => this.#runs.remove(number)!.id);
    if (numbers.length > 0) this.#intake.read();
    if (removed.length > 0 || numbers.length > 0) this.#driver.pumpSoon();
    return { runs: removed, events: numbers, more: more === 1 };
  }

  forget(id: string, options: ForgetOptions | undefined): void {
    const { note } = optionsObject("forget", options, ["note"]);
    if (note !== undefined && (typeof note !== "string" || !note.isWellFormed())) throw wrongType("note", "a text", note);
    const record = this.#runs.get(id);
    if (!this.#driver.core((glue, now) => glue.forget(now, record.number, note))) {
      throw new RunStateError(id, runInfo(this.#driver, record).status, "over; cancel it first");
    }
    this.#runs.remove(record.number);
    this.#driver.pumpSoon();
  }

  redrive(id: string, newId: string): EnqueueResult {
    if (this.#driver.closed) throw new EngineClosedError();
    checkKey("newId", newId);
    const from = this.#runs.get(id);
    const number = this.#driver.core((glue, now) => glue.redrive(now, from.number, newId));
    if (number === NOT_DEAD) throw new RunStateError(id, runInfo(this.#driver, from).status, "dead");
    if (number < 0) throw new ConflictError(newId, "exists", [], `newId needs an ID that no run has, got "${newId}"`);
    const origin = { kind: "redrive", from: id } as const;
    const record = new RunRecord(newId, number, from.workflow, copy(from.payload), from.projection, origin, from.events);
    this.#runs.add(record);
    this.#driver.pumpSoon();
    return enqueueResult(this.#driver, record, "created");
  }
}
