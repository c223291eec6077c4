/** The journal as JavaScript has it: its text, who is told of its entries, and dropping those that are not kept. */

import type { EntryListener, JournalEntry } from "../../types/index.js";
import { countOption, optionsObject } from "../options.js";
import type { EngineCore } from "../runtime.js";
import type { Driver } from "./driver.js";
import type { Intake } from "./intake.js";

/** The core drops so many entries at a time. */
const PAGE = 4_096;

/** How many of the last entries are kept. */
export function keptEntries(given: { keep?: number } | undefined): number {
  return countOption("journal.keep", optionsObject("journal", given, ["keep"]).keep, 0);
}

export class Journal {
  readonly #driver: Driver;
  readonly #intake: Intake;
  readonly #keep: number;
  readonly #listeners = new Set<EntryListener>();
  /** Listeners know of the entries before this one. */
  #heard = 0;
  /** The first that is kept. */
  #first = 0;

  constructor(driver: Driver, intake: Intake, keep: number) {
    this.#driver = driver;
    this.#intake = intake;
    this.#keep = keep;
  }

  /** How many entries are gone. */
  get dropped(): number {
    return this.#first;
  }

  text(): string {
    const { broken } = this.#driver;
    return broken === undefined ? this.#driver.look((glue) => glue.journalText(0)) : broken.journalText;
  }

  entries(): JournalEntry[] {
    return entries(this.text());
  }

  listen(listener: EntryListener): () => void {
    if (this.#listeners.size === 0) this.#heard = this.#driver.look(journalLength);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Something may have happened. After the core has returned, so that listeners may call anything. */
  changed(): void {
    if (this.#listeners.size > 0) this.#tell();
    if (this.#keep !== Infinity) this.#tidy();
  }

  #tell(): void {
    const fresh = entries(this.#driver.look((glue) => glue.journalText(this.#heard)));
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

  /** Drops what is more than is kept. Nobody who reads the journal may miss an entry by that. */
  #tidy(): void {
    const length = this.#driver.look(journalLength);
    if (length - this.#first < this.#keep + PAGE) return;
    this.#intake.sync();
    const unheard = this.#listeners.size > 0 ? this.#heard : length;
    this.#first = this.#driver.look((glue) => glue.dropEntries(Math.min(length - this.#keep, unheard)));
  }
}

const journalLength = (glue: EngineCore): number => glue.journalLength();

/** The entries of a journal's text: one JSON per line, after the header. */
function entries(text: string): JournalEntry[] {
  return text.split("\n").slice(1, -1).map((line) => JSON.parse(line) as JournalEntry);
}
