/** The runs and workflows of an engine, by the names that its user has for them and the numbers that the core has. */

import { show } from "../errors.js";
import { checkKey } from "../key.js";
import { NotFoundError } from "./errors.js";
import type { Driver } from "./driver.js";
import type { RunRecord } from "./record.js";
import type { Workflow } from "./workflow.js";

export class Runs {
  readonly #driver: Driver;
  readonly #byId = new Map<string, RunRecord>();
  readonly #byName = new Map<string, Workflow>();
  readonly #workflows: Workflow[] = [];
  readonly #listeners = new Map<string, Workflow[]>();

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  define(workflow: Workflow): void {
    this.#byName.set(workflow.name, workflow);
    this.#workflows[workflow.number] = workflow;
    for (const event of workflow.options.rules.on) {
      const listeners = this.#listeners.get(event);
      if (listeners === undefined) this.#listeners.set(event, [workflow]);
      else listeners.push(workflow);
    }
  }

  /** The functions that an event starts, in the order of their definition. */
  listeners(event: string): readonly Workflow[] {
    return this.#listeners.get(event) ?? [];
  }

  /** A workflow by its name. */
  workflow(name: unknown): Workflow {
    const found = typeof name === "string" ? this.#byName.get(name) : undefined;
    if (found === undefined) throw new NotFoundError(`workflow needs the name of one that is defined, got ${show(name)}`);
    return found;
  }

  byNumber(number: number): Workflow {
    return this.#workflows[number]!;
  }

  name(number: number): string {
    return this.byNumber(number).name;
  }

  /** The ID of a run that is kept. */
  id(run: number): string | undefined {
    return this.#driver.records.get(run)?.id;
  }

  /** A run that is kept and has the ID now. */
  find(id: string): RunRecord | undefined {
    return this.#byId.get(id);
  }

  /** The same for an ID that a user gave: what can be none is an error. */
  asked(id: string): RunRecord | undefined {
    checkKey("id", id);
    return this.find(id);
  }

  /** The same, and a run that there is not is an error too. */
  get(id: string): RunRecord {
    const record = this.asked(id);
    if (record === undefined) throw new NotFoundError(`there is no run ${JSON.stringify(id)}`);
    return record;
  }

  /** All runs that are kept, in the order of acceptance. */
  all(): RunRecord[] {
    return Array.from(this.#driver.records.values());
  }

  add(record: RunRecord): void {
    this.#driver.records.set(record.number, record);
    this.#byId.set(record.id, record);
  }

  /** A run was removed. Its ID is free, unless another run has taken it. */
  remove(number: number): RunRecord | undefined {
    const record = this.#driver.records.get(number);
    this.#driver.records.delete(number);
    if (record !== undefined && this.#byId.get(record.id) === record) this.#byId.delete(record.id);
    return record;
  }
}
