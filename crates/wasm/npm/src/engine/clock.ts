/** Clocks of an engine: the machine's, and one that a test moves. */

import type { Clock } from "../../types/index.js";
import { detached, outOfRange, wrongType } from "../errors.js";
import { durationMs } from "../options.js";

/**
 * A wait is cut into pieces no longer than this: so none is beyond what a timer can be, a clock that was set back fires
 * nothing early, and a machine that slept notices within a minute of waking.
 */
const PIECE_MS_MAX = 60_000;

/** The machine's clock. */
export const machineClock: Clock = {
  now: () => Date.now(),
  wakeAt(at, wake) {
    const timer = setTimeout(wake, Math.min(Math.max(at - Date.now(), 0), PIECE_MS_MAX));
    return () => clearTimeout(timer);
  },
};

type Alarm = { at: number; order: number; wake: () => void };

/** See the public types. */
export class TestClock implements Clock {
  #now: number;
  /** Where the advances that were asked for lead. */
  #target: number;
  #advanced: Promise<void> = Promise.resolve();
  #alarms: Alarm[] = [];
  #order = 0;

  constructor(start: number = 0) {
    if (typeof start !== "number") throw wrongType("start", "a number of milliseconds", start);
    if (!(start >= 0 && start <= Number.MAX_SAFE_INTEGER)) {
      throw outOfRange("start", "milliseconds that are finite, not negative and below 2^53", start);
    }
    this.#now = this.#target = start;
  }

  now(): number {
    if (!(#alarms in Object(this))) throw detached("clock", "now");
    return this.#now;
  }

  wakeAt(at: number, wake: () => void): () => void {
    if (!(#alarms in Object(this))) throw detached("clock", "wakeAt");
    if (typeof at !== "number" || Number.isNaN(at)) throw wrongType("at", "a number of milliseconds", at);
    if (typeof wake !== "function") throw wrongType("wake", "a function", wake);
    const alarm = { at, order: this.#order++, wake };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  /** Advances that are asked for at the same time add up: each begins where the one before it ended. */
  async advance(by: number | string): Promise<void> {
    if (!(#alarms in Object(this))) throw detached("clock", "advance");
    const ms = durationMs("advance", by);
    const target = this.#target + ms;
    if (!(ms >= 0 && target <= Number.MAX_SAFE_INTEGER)) {
      throw outOfRange("advance", "a time that is not negative and ends below 2^53", by);
    }
    this.#target = target;
    const advanced = this.#advanced.then(() => this.#move(target));
    this.#advanced = advanced.catch(() => {});
    return advanced;
  }

  async #move(target: number): Promise<void> {
    await turn();
    for (let alarm = this.#next(target); alarm !== undefined; alarm = this.#next(target)) {
      this.#now = Math.max(this.#now, alarm.at);
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
      alarm.wake();
      await turn();
    }
    this.#now = target;
  }

  #next(target: number): Alarm | undefined {
    const due = this.#alarms.filter(({ at }) => at <= target);
    return due.sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Lets all run that waits for no timer and no outside world: a task comes after every microtask. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}
