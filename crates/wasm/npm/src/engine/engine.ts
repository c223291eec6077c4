/** The engine as its user holds it. */

import type {
  Clock, EngineOptions, EnqueueOptions, EntryListener, JournalEntry, RunFilter, RunInfo, WorkflowHandler,
  Workflow as PublicWorkflow, WorkflowOptions,
} from "../../types/index.js";
import { canonical, differingPaths } from "../canonical.js";
import { copy } from "../copy.js";
import { ConflictError, RunCancelledError, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { numberOption, optionsObject } from "../options.js";
import { machineClock } from "./clock.js";
import { Driver } from "./driver.js";
import { workflowOptions } from "./options.js";
import { RunRecord } from "./record.js";
import { type AnyHandler, Workflow } from "./workflow.js";
import { runInfo } from "./view.js";

// What the core says of a run to be accepted.
const CREATED = 0;
const EXISTING = 1;
const OTHER_WORKFLOW = 2;
const ANSWERS = 4;

/** See the public types. */
export class Engine {
  readonly #driver: Driver;
  readonly #workflows = new Map<string, Workflow>();
  readonly #byId = new Map<string, RunRecord>();
  readonly #listeners = new Set<EntryListener>();
  #heard = 0;

  constructor(given?: EngineOptions) {
    const options = optionsObject("engine", given, ["clock", "workers", "seed"]);
    const driver = (this.#driver = new Driver(checkedClock(options.clock)));
    const seed = numberOption("seed", options.seed, 0);
    const workers = numberOption("workers", options.workers, Infinity);
    driver.core((glue, now) => glue.openEngine(checkedNow(now), seed, workers));
    driver.onChange = () => this.#tell();
  }

  workflow<T>(name: string, options: WorkflowOptions | WorkflowHandler<T>, handler?: WorkflowHandler<T>): PublicWorkflow<T> {
    const [given, work] = typeof options === "function" ? [undefined, options] : [options, handler];
    checkKey("workflow name", name);
    if (typeof work !== "function") throw wrongType("handler", "a function", work);
    if (this.#workflows.has(name)) throw new Error(`the workflow "${name}" is defined already`);
    const checked = workflowOptions(given);
    const number = this.#driver.core((glue, now) =>
      glue.defineWorkflow(now, name, new Float64Array(checked.step), new Float64Array(checked.run)),
    );
    const made = new Workflow(this, name, number, work as AnyHandler, checked);
    this.#workflows.set(name, made);
    this.#driver.pumpSoon();
    return made;
  }

  /** Accepts a run, or finds the one that has its ID. Stored when it returns. */
  admit(workflow: Workflow, payload: unknown, given: EnqueueOptions | undefined): string {
    if (this.#driver.closed) throw new Error("the engine is closed");
    const options = optionsObject("enqueue", given, ["id", "runAt"]);
    const id: unknown = options.id === undefined ? crypto.randomUUID() : options.id;
    checkKey("id", id);
    // JSON has no "nothing": it is written as null, and kept apart only by this process.
    const text = canonical("payload", payload ?? null);
    const packed = this.#driver.core((glue, now) => glue.enqueue(now, workflow.number, id, text, runAt(options.runAt)));
    const number = Math.floor(packed / ANSWERS);
    if (packed % ANSWERS === CREATED) {
      const record = new RunRecord(id, number, workflow, copy(payload), text);
      this.#driver.records[number] = record;
      this.#byId.set(id, record);
      this.#driver.pumpSoon();
      return id;
    }
    const first = this.#driver.records[number]!;
    if (packed % ANSWERS === EXISTING && first.text === text) return id;
    throw conflict(first, workflow, text, packed % ANSWERS);
  }

  idle(): Promise<void> {
    return this.#driver.idle();
  }

  run(id: string): RunInfo | undefined {
    const record = this.#byId.get(id);
    return record === undefined ? undefined : runInfo(this.#driver, record);
  }

  runs(filter?: RunFilter): RunInfo[] {
    const { status, workflow } = optionsObject("runs", filter, ["status", "workflow"]);
    return this.#driver.records
      .filter((record) => workflow === undefined || record.workflow.name === workflow)
      .map((record) => runInfo(this.#driver, record))
      .filter((info) => status === undefined || info.status === status);
  }

  cancel(id: string): boolean {
    const record = this.#byId.get(id);
    if (record === undefined) return false;
    const cancelled = this.#driver.core((glue, now) => glue.cancel(now, record.number));
    if (cancelled) {
      record.abort(new RunCancelledError(id));
      this.#driver.pumpSoon();
    }
    return cancelled;
  }

  journal(): JournalEntry[] {
    return entries(this.journalText());
  }

  journalText(): string {
    const { broken } = this.#driver;
    return broken === undefined ? this.#driver.core((glue) => glue.journalText(0)) : broken.journalText;
  }

  on(event: "entry", listener: EntryListener): () => void {
    if (event !== "entry") throw wrongType("event", '"entry"', event);
    if (typeof listener !== "function") throw wrongType("listener", "a function", listener);
    if (this.#listeners.size === 0) this.#heard = this.#driver.core((glue) => glue.journalLength());
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#driver.close(new Error("the engine is closed"));
  }

  /** Tells listeners what is new, after the core has returned, so that they may call anything. */
  #tell(): void {
    if (this.#listeners.size === 0) return;
    const fresh = entries(this.#driver.core((glue) => glue.journalText(this.#heard)));
    this.#heard += fresh.length;
    for (const entry of fresh) {
      for (const listener of this.#listeners) {
        try {
          listener(entry);
        } catch (error) {
          // Not the engine's failure, and not to be swallowed: it surfaces as any uncaught error does.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    }
  }
}

/** The entries of a journal's text: one JSON per line, after the header. */
export function entries(text: string): JournalEntry[] {
  return text.split("\n").slice(1, -1).map((line) => JSON.parse(line) as JournalEntry);
}

function conflict(first: RunRecord, workflow: Workflow, text: string, answer: number): ConflictError {
  if (answer === OTHER_WORKFLOW) {
    return new ConflictError(first.id, "workflow", [], `the ID "${first.id}" belongs to a run of "${first.workflow.name}", not of "${workflow.name}"`);
  }
  const paths = differingPaths("payload", first.text, text);
  return new ConflictError(first.id, "payload", paths, `the ID "${first.id}" belongs to a run with another payload: ${paths.join(", ")}`);
}

function runAt(value: EnqueueOptions["runAt"]): number {
  if (value === undefined) return -1;
  const at = value instanceof Date ? value.getTime() : value;
  if (typeof at !== "number") throw wrongType("runAt", "a Date or milliseconds since 1970", value);
  if (!(at <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`runAt needs a finite time, got ${at}`);
  // In the past means now.
  return Math.max(at, 0);
}

function checkedClock(clock: Clock | undefined): Clock {
  if (clock === undefined) return machineClock;
  if (typeof clock?.now !== "function" || typeof clock.wakeAt !== "function") {
    throw wrongType("clock", "an object with now and wakeAt", clock);
  }
  return clock;
}

function checkedNow(now: unknown): number {
  if (typeof now === "number" && now >= 0 && now <= Number.MAX_SAFE_INTEGER) return now;
  throw new RangeError(`clock.now needs to return milliseconds that are finite and not negative, got ${String(now)}`);
}
