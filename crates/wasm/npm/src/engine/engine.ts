/** The engine as its user holds it. What it does lies in the parts beside it. */

import type {
  EngineOptions, EnqueueResult, EntryListener, EventFilter, EventInfo, EventOutcome, ForgetOptions, JournalEntry, NewEvent, PruneOptions,
  PruneResult, RedriveOptions, ReplayOptions, RunFilter, RunInfo, SendResult, Workflow as PublicWorkflow, WorkflowHandler, WorkflowOptions,
} from "../../types/index.js";
import { RunCancelledError, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { numberOption, optionsObject } from "../options.js";
import { Admission } from "./admission.js";
import { Driver } from "./driver.js";
import { EngineClosedError, UsageError } from "./errors.js";
import { windowMs } from "./functions.js";
import { Intake } from "./intake.js";
import { Journal, keptEntries } from "./journal.js";
import { checkedClock, workflowOptions } from "./options.js";
import { Runs } from "./runs.js";
import { settledEach } from "./settled.js";
import { Upkeep } from "./upkeep.js";
import { checkStatus, runInfo } from "./view.js";
import { type AnyHandler, Workflow } from "./workflow.js";
import { Warnings } from "../warnings.js";
import { tooShort } from "../windows.js";

const KNOWN = ["clock", "workers", "seed", "retention", "autoPrune", "journal", "onWarning"] as const;

/** See the public types. */
export class Engine {
  readonly #driver: Driver;
  readonly #runs: Runs;
  readonly #admission: Admission;
  readonly #intake: Intake;
  readonly #upkeep: Upkeep;
  readonly #journal: Journal;
  readonly #warnings: Warnings;

  constructor(given?: EngineOptions) {
    const options = optionsObject("engine", given, KNOWN);
    const { autoPrune = true } = options;
    if (typeof autoPrune !== "boolean") throw wrongType("autoPrune", "true or false", autoPrune);
    const keepMs = windowMs("retention", options.retention, -1);
    const keptMax = keptEntries(options.journal);
    this.#warnings = new Warnings(options.onWarning);
    const seed = numberOption("seed", options.seed, 0);
    const workers = numberOption("workers", options.workers, Infinity);
    const driver = (this.#driver = new Driver(checkedClock(options.clock)));
    driver.core((glue, now) => {
      glue.openEngine(now, seed, workers);
      if (keepMs >= 0) glue.setRetention(now, keepMs);
    });
    this.#runs = new Runs(driver);
    this.#intake = new Intake(driver, this.#runs, this.#warnings.keys("event IDs", false));
    this.#admission = new Admission(driver, this.#runs, this.#intake);
    this.#upkeep = new Upkeep(driver, this.#runs, this.#intake);
    this.#journal = new Journal(driver, this.#intake, keptMax);
    if (autoPrune) this.#admission.onFound = () => this.#upkeep.passIfDue();
    driver.onChange = () => {
      if (autoPrune) this.#upkeep.pass();
      this.#journal.changed();
    };
  }

  workflow<T>(name: string, options: WorkflowOptions | WorkflowHandler<T>, handler?: WorkflowHandler<T>): PublicWorkflow<T> {
    const [given, work] = typeof options === "function" ? [undefined, options] : [options, handler];
    checkKey("workflow name", name);
    if (typeof options === "function" && handler !== undefined) throw wrongType("handler", "to come last, after the options", handler);
    if (this.#driver.closed) throw new EngineClosedError();
    if (typeof work !== "function") throw wrongType("handler", "a function", work);
    if (this.#runs.has(name)) throw new UsageError(`the workflow "${name}" is defined already`);
    const checked = workflowOptions(given, (message) => this.#warnings.warn(`workflow "${name}": ${message}`));
    const projection = checked.fingerprint === undefined ? 0 : this.#admission.projection(checked.fingerprint);
    const { on, numbers } = checked.rules;
    const number = this.#driver.core((glue, now) => {
      const [step, run] = [new Float64Array(checked.step), new Float64Array(checked.run)];
      return glue.defineWorkflow(now, name, step, run, on.join("\0"), new Float64Array(numbers), checked.keepMs);
    });
    const watch = this.#warnings.keys(`run IDs of "${name}"`, true);
    const made = new Workflow(this.#driver, this.#admission, name, number, projection, work as AnyHandler, checked, watch);
    this.#runs.define(made);
    if (given !== undefined && (given.debounce !== undefined || given.batch !== undefined)) this.#intake.gathers();
    this.#driver.pumpSoon();
    this.#warnOfWindow(made);
    return made as PublicWorkflow<T>;
  }

  /** A key that is forgotten while its run is still retried protects nothing (A27). */
  #warnOfWindow({ name, options: { rules, step, run } }: Workflow): void {
    const windowMs = rules.keyWindowMs;
    if (windowMs === undefined || !this.#warnings.heard) return;
    const option = `workflow "${name}": idempotency.window`;
    if (windowMs === 0) this.#warnings.warn(`${option} is 0 ms, so that no key is ever in use: every event starts a run`);
    else {
      const short = tooShort(option, windowMs, step, run, "a duplicate can start another run meanwhile");
      if (short !== undefined) this.#warnings.warn(short.text);
    }
  }

  async send(event: NewEvent): Promise<SendResult> {
    const loading = this.#intake.loading(event);
    if (loading !== undefined) await loading;
    return this.#intake.send(event);
  }

  async sendMany(events: Iterable<NewEvent>): Promise<PromiseSettledResult<SendResult>[]> {
    const list = settledEach("events", events, (event) => event).map((settled) => (settled as { value: NewEvent }).value);
    const loading = list.map((event) => this.#intake.loading(event)).filter((one) => one !== undefined);
    if (loading.length > 0) await Promise.all(loading);
    return settledEach("events", list, (event) => this.#intake.send(event));
  }

  async replay(
    events: number | { readonly number: number } | readonly (number | { readonly number: number })[],
    options?: ReplayOptions,
  ): Promise<EventOutcome[]> {
    return this.#intake.replay(events, options);
  }

  events(filter?: EventFilter): EventInfo[] {
    return this.#intake.history(filter);
  }

  idle(): Promise<void> {
    return this.#driver.idle();
  }

  run(id: string): RunInfo | undefined {
    this.#intake.sync();
    const record = this.#runs.asked(id);
    return record === undefined ? undefined : runInfo(this.#driver, record);
  }

  runs(filter?: RunFilter): RunInfo[] {
    const { status, workflow } = optionsObject("runs", filter, ["status", "workflow"]);
    checkStatus(status);
    const of = workflow === undefined ? undefined : this.#runs.workflow(workflow);
    this.#intake.sync();
    return this.#runs
      .all()
      .filter((record) => of === undefined || record.workflow === of)
      .map((record) => runInfo(this.#driver, record))
      .filter((info) => status === undefined || info.status === status);
  }

  cancel(id: string): boolean {
    this.#open();
    this.#intake.sync();
    const record = this.#runs.asked(id);
    if (record === undefined) return false;
    const cancelled = this.#driver.core((glue, now) => glue.cancel(now, record.number));
    if (cancelled) {
      record.abort(new RunCancelledError(id));
      this.#driver.pumpSoon();
    }
    return cancelled;
  }

  redrive(id: string, options?: RedriveOptions<string>): Promise<EnqueueResult>;
  redrive(ids: readonly string[], options?: RedriveOptions<(id: string) => string>): Promise<PromiseSettledResult<EnqueueResult>[]>;
  async redrive(
    ids: string | readonly string[],
    options?: RedriveOptions<string> | RedriveOptions<(id: string) => string>,
  ): Promise<EnqueueResult | PromiseSettledResult<EnqueueResult>[]> {
    const { newId } = optionsObject<{ newId?: unknown }>("redrive", options, ["newId"]);
    this.#intake.sync();
    if (typeof ids === "string") {
      if (newId !== undefined && typeof newId !== "string") throw wrongType("newId", "a text, the ID of the new run (a function is for a list of runs)", newId);
      return this.#upkeep.redrive(ids, newId ?? crypto.randomUUID());
    }
    if (newId !== undefined && typeof newId !== "function") {
      throw wrongType("newId", "a function that makes the new ID of each old one, because several runs are done again", newId);
    }
    const name = (newId as ((id: string) => string) | undefined) ?? (() => crypto.randomUUID());
    return settledEach("ids", ids, (id) => this.#upkeep.redrive(id, name(id)));
  }

  async forget(id: string, options?: ForgetOptions): Promise<void> {
    this.#open();
    this.#intake.sync();
    this.#upkeep.forget(id, options);
  }

  prune(options?: PruneOptions): PruneResult {
    return this.#upkeep.prune(options);
  }

  pause(workflow: string): boolean {
    return this.#runs.workflow(workflow).pause();
  }

  resume(workflow: string): boolean {
    return this.#runs.workflow(workflow).resume();
  }

  journal(): JournalEntry[] {
    return this.#journal.entries();
  }

  journalText(): string {
    return this.#journal.text();
  }

  get journalDropped(): number {
    return this.#journal.dropped;
  }

  on(event: "entry", listener: EntryListener): () => void {
    if (event !== "entry") throw wrongType("event", '"entry"', event);
    if (typeof listener !== "function") throw wrongType("listener", "a function", listener);
    return this.#journal.listen(listener);
  }

  async close(): Promise<void> {
    this.#driver.close(new EngineClosedError());
  }

  #open(): void {
    if (this.#driver.closed) throw new EngineClosedError();
  }
}
