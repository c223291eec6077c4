/** A workflow of an engine, as its user holds it. Its functions can be taken off it: `const { enqueue } = workflow`. */

import type { EnqueueOptions, Workflow as PublicWorkflow, WorkflowHandler } from "../../types/index.js";
import { isObject, wrongType } from "../errors.js";
import type { KeyWatch } from "../warnings.js";
import type { Admission } from "./admission.js";
import type { Driver } from "./driver.js";
import { EngineClosedError } from "./errors.js";
import type { CheckedOptions } from "./options.js";
import { settledEach } from "./settled.js";

/** The handler with its types forgotten: an engine has workflows of many payloads. */
export type AnyHandler = WorkflowHandler<unknown>;

export class Workflow implements PublicWorkflow<unknown> {
  readonly name: string;
  readonly number: number;
  readonly handler: AnyHandler;
  readonly options: CheckedOptions;
  /** Which part of its payloads is compared; 0 for all of them. */
  readonly projection: number;
  /** Looks at the IDs of its runs, for whoever develops. */
  readonly watch: KeyWatch | undefined;
  readonly enqueue: PublicWorkflow<unknown>["enqueue"];
  readonly enqueueDetailed: PublicWorkflow<unknown>["enqueueDetailed"];
  readonly enqueueMany: PublicWorkflow<unknown>["enqueueMany"];
  readonly pause: () => boolean;
  readonly resume: () => boolean;
  readonly #driver: Driver;

  constructor(
    driver: Driver, admission: Admission, name: string, number: number, projection: number, handler: AnyHandler, options: CheckedOptions,
    watch: KeyWatch | undefined,
  ) {
    this.#driver = driver;
    this.name = name;
    this.number = number;
    this.projection = projection;
    this.handler = handler;
    this.options = options;
    this.watch = watch;
    this.enqueue = (payload: unknown, given?: EnqueueOptions) => {
      try {
        return Promise.resolve(admission.admit(this, payload, given).record.id);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    this.enqueueDetailed = async (payload, given) => admission.detailed(this, payload, given);
    this.enqueueMany = async (items) =>
      settledEach("items", items, (item) => {
        if (!isObject(item)) throw wrongType("items", "objects such as { payload, id }", item);
        const { payload, ...given } = item;
        return admission.detailed(this, payload, given);
      });
    this.pause = () => this.#setPaused(true);
    this.resume = () => this.#setPaused(false);
  }

  get paused(): boolean {
    return this.#driver.look((glue) => glue.isPaused(this.number));
  }

  #setPaused(paused: boolean): boolean {
    if (this.#driver.closed) throw new EngineClosedError();
    const changed = this.#driver.core((glue, now) => glue.setPaused(now, this.number, paused));
    this.#driver.pumpSoon();
    return changed;
  }
}
