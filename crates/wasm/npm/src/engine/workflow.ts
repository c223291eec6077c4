/** A workflow of an engine, as its user holds it. */

import type { EnqueueOptions, WorkflowHandler } from "../../types/index.js";
import type { Engine } from "./engine.js";
import type { CheckedOptions } from "./options.js";

/** The handler with its types forgotten: an engine has workflows of many payloads. */
export type AnyHandler = WorkflowHandler<unknown>;

export class Workflow {
  readonly name: string;
  readonly number: number;
  readonly handler: AnyHandler;
  readonly options: CheckedOptions;
  readonly #engine: Engine;

  constructor(engine: Engine, name: string, number: number, handler: AnyHandler, options: CheckedOptions) {
    this.#engine = engine;
    this.name = name;
    this.number = number;
    this.handler = handler;
    this.options = options;
  }

  enqueue(payload: unknown, options?: EnqueueOptions): Promise<string> {
    try {
      return Promise.resolve(this.#engine.admit(this, payload, options));
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
