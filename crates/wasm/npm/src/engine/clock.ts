/** Clocks of an engine: the machine's, and one that a test moves. */

import type { Clock } from "../../types/index.js";
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
  #alarms: Alarm[] = [];
  #order = 0;

  constructor(start = 0) {
    if (!(start >= 0 && start <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`start needs milliseconds that are finite and not negative, got ${start}`);
    }
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  wakeAt(at: number, wake: () => void): () => void {
    const alarm = { at, order: this.#order++, wake };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  async advance(by: number | string): Promise<void> {
    const ms = durationMs("advance", by);
    if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`advance needs a finite time that is not negative, got ${ms}`);
    const target = this.#now + ms;
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
