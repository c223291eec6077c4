/** Events: accepting them, what they came to for each function, doing that again. */

import type { EventFilter, EventInfo, EventOutcome, NewEvent, ReplayOptions, SendResult, SentEvent } from "../../types/index.js";
import type { JournalEntry } from "../../types/journal.js";
import { READ_DEPTH_MAX, canonical } from "../canonical.js";
import { copy } from "../copy.js";
import { isArray, isInstance, isObject, outOfRange, wrongType } from "../errors.js";
import { checkKey } from "../key.js";
import { optionsObject } from "../options.js";
import type { KeyWatch } from "../warnings.js";
import type { Driver } from "./driver.js";
import { EngineClosedError, NotFoundError, PausedError } from "./errors.js";
import { evaluated, loading } from "./functions.js";
import { eventInfo, EventRecord, type Names, skipped } from "./history.js";
import { RunRecord } from "./record.js";
import type { Runs } from "./runs.js";
import type { Workflow } from "./workflow.js";

const REASONS: readonly unknown[] = [
  "duplicate_event", "duplicate_function_key", "paused", "debounced", "batched", "rate_limited", "no_key", "full",
];

export class Intake {
  readonly #driver: Driver;
  readonly #runs: Runs;
  readonly #watch: KeyWatch | undefined;
  /** By number, in the order of acceptance. */
  readonly #events = new Map<number, EventRecord>();
  /** How many entries of the journal were read. */
  #read = 0;
  /** The IDs of the runs that events start begin so, once there are any. */
  #prefix: string | undefined;
  /** Events may wait for others, so that the core starts runs by itself. */
  #gathers = false;

  constructor(driver: Driver, runs: Runs, watch: KeyWatch | undefined) {
    this.#watch = watch;
    this.#driver = driver;
    this.#runs = runs;
    driver.onUnknownRun = () => this.read();
  }

  /** A function was defined whose events wait for others. */
  gathers(): void {
    this.#gathers = true;
  }

  /** Reads what the core did by itself. Whoever lists runs or events calls it first. */
  sync(): void {
    if (this.#gathers) this.read();
  }

  /** What has to be waited for before this event can be sent: expressions that are being loaded. What is no event is refused later. */
  loading(event: NewEvent): Promise<unknown> | undefined {
    return !isObject(event) ? undefined : loading(this.#runs.listeners(event.name).map(({ options }) => options.rules));
  }

  send(given: NewEvent): SendResult {
    if (this.#driver.closed) throw new EngineClosedError();
    if (typeof given !== "object") throw wrongType("event", "an object with a name, such as { name, data }", given);
    const { id, name, data, ts } = optionsObject("event", given, ["id", "name", "data", "ts"]);
    checkKey("event name", name);
    if (id !== undefined) {
      checkKey("event id", id);
      this.#watch?.look(id);
    }
    const text = canonical("data", data ?? null, READ_DEPTH_MAX);
    const at = this.#driver.core((_, now) => now);
    const sent: SentEvent = { ...(id === undefined ? {} : { id }), name, data: copy(data ?? null), ts: time("ts", ts) ?? at };
    const values = this.#runs.listeners(name).map((workflow) => [workflow, evaluated(workflow.options.rules, sent)] as const);
    const number = this.#driver.core((glue, now) => {
      // Not before: edge runtimes give no randomness while a script is loaded, where engines are often made.
      if (this.#prefix === undefined) {
        const prefix = crypto.randomUUID();
        glue.nameRuns(prefix);
        this.#prefix = prefix;
      }
      for (const [workflow, keys] of values) {
        for (const [which, value] of keys) glue.giveKey(workflow.number, which, "key" in value ? value.key : value.refusal, "key" in value);
      }
      return glue.sendEvent(now, id, name, sent.ts, text);
    });
    this.#sent = sent;
    this.read();
    this.#driver.pumpSoon();
    return result(this.#events.get(number)!);
  }

  readonly #names: Names = {
    // One that was removed was started by an event too: as all winners are.
    runId: (run) => this.#runs.id(run) ?? `${this.#prefix}-${run}`,
    event: (event) => this.#events.get(event),
  };

  /** The event that is being read for the first time. */
  #sent: SentEvent | undefined;

  async replay(given: ReplayTarget | readonly ReplayTarget[], options: ReplayOptions | undefined): Promise<EventOutcome[]> {
    const { workflow, dedupe } = optionsObject("replay", options, ["workflow", "dedupe"]);
    if (dedupe !== undefined && typeof dedupe !== "boolean") throw wrongType("dedupe", "true or false", dedupe);
    this.sync();
    const only = workflow === undefined ? undefined : this.#runs.workflow(workflow);
    const list = (isArray(given) ? given : [given]) as readonly ReplayTarget[];
    // All is checked before anything is stored.
    const wanted = list.flatMap((target) => this.#replayed(target, only));
    const waits = loading(wanted.map(([, workflow]) => workflow.options.rules));
    if (waits !== undefined) await waits;
    return wanted.map(([record, workflow]) => this.#replayOne(record, workflow, dedupe === true));
  }

  #replayed(target: ReplayTarget, only: Workflow | undefined): [EventRecord, Workflow][] {
    const number: unknown = isObject(target) ? target.number : target;
    if (typeof number !== "number") throw wrongType("event", "its number, or what events() gave", target);
    const record = this.#events.get(number);
    if (record === undefined) throw new NotFoundError(`there is no event ${number}`);
    const listeners = this.#runs.listeners(record.sent.name);
    if (only !== undefined && !listeners.includes(only)) {
      throw new NotFoundError(`the workflow "${only.name}" does not listen to "${record.sent.name}"`);
    }
    return (only === undefined ? listeners : [only]).map((workflow) => {
      if (workflow.paused) throw new PausedError(workflow.name);
      return [record, workflow];
    });
  }

  #replayOne(record: EventRecord, workflow: Workflow, dedupe: boolean): EventOutcome {
    const keys = evaluated(workflow.options.rules, record.sent);
    this.#driver.core((glue, now) => {
      for (const [which, value] of keys) glue.giveKey(workflow.number, which, "key" in value ? value.key : value.refusal, "key" in value);
      return glue.replayEvent(now, workflow.number, record.number, dedupe);
    });
    this.read();
    this.#driver.pumpSoon();
    return { ...record.last(workflow.name)! };
  }

  history(filter: EventFilter | undefined): EventInfo[] {
    const { name, id, duplicate, workflow, reason } = optionsObject("events", filter, ["name", "id", "duplicate", "workflow", "reason"]);
    if (name !== undefined) checkKey("name", name);
    if (id !== undefined) checkKey("id", id);
    if (duplicate !== undefined && typeof duplicate !== "boolean") throw wrongType("duplicate", "true or false", duplicate);
    if (reason !== undefined && !REASONS.includes(reason)) throw wrongType("reason", `one of ${REASONS.join(", ")}`, reason);
    const of = workflow === undefined ? undefined : this.#runs.workflow(workflow).name;
    this.sync();
    const fits = (outcome: EventOutcome | undefined): boolean =>
      outcome !== undefined && (reason === undefined || (outcome.outcome === "skipped" && outcome.reason === reason));
    return Array.from(this.#events.values())
      .filter((record) => (name === undefined || record.sent.name === name) && (id === undefined || record.sent.id === id))
      .filter((record) => duplicate === undefined || (record.duplicateOf !== undefined) === duplicate)
      .filter((record) => {
        if (of !== undefined) return fits(record.last(of));
        return reason === undefined || this.#runs.listeners(record.sent.name).some((workflow) => fits(record.last(workflow.name)));
      })
      .map(eventInfo);
  }

  /** Reads the entries about events that were not read before. */
  read(): void {
    const { text, length } = this.#driver.look((glue) => ({ text: glue.intakeText(this.#read), length: glue.journalLength() }));
    this.#read = length;
    for (const line of text.split("\n")) if (line !== "") this.#apply(JSON.parse(line) as JournalEntry);
    this.#sent = undefined;
  }

  #apply(entry: JournalEntry): void {
    switch (entry.type) {
      case "event-accepted":
        this.#accepted(entry.event, entry.at, entry.duplicateOf);
        break;
      case "event-held":
        this.#note(entry.event, {
          workflow: this.#runs.name(entry.workflow), at: entry.at, replay: false, outcome: "held", until: entry.until, leftMs: entry.until - entry.at,
        });
        break;
      case "run-queued":
        this.#started(entry);
        break;
      case "start-skipped": {
        const common = { workflow: this.#runs.name(entry.workflow), at: entry.at, replay: entry.replay === true };
        this.#note(entry.event, skipped(entry, common, this.#names));
        break;
      }
      case "event-pruned":
        this.#events.delete(entry.event);
        break;
      default:
    }
  }

  #accepted(number: number, at: number, duplicateOf: number | undefined): void {
    const first = duplicateOf === undefined ? undefined : (this.#events.get(duplicateOf)?.ref ?? { event: duplicateOf });
    this.#events.set(number, new EventRecord(number, this.#sent!, at, first));
  }

  #started(entry: Extract<JournalEntry, { type: "run-queued" }>): void {
    const { run, id, origin, at } = entry;
    if (origin?.kind !== "events" || id === undefined) return;
    const events = origin.events.map((event) => this.#events.get(event)!);
    const workflow = this.#runs.byNumber(entry.workflow);
    const payload = workflow.options.rules.batches ? events.map(({ sent }) => sent.data) : events.at(-1)!.sent.data;
    const known = { kind: "events", events: events.map(({ ref }) => ref), ...(origin.key === undefined ? {} : { key: origin.key }) } as const;
    this.#runs.add(new RunRecord(id, run, workflow, payload, 0, { ...known, replay: origin.replay === true }, events));
    // One event for each run. That the others of a batch are in it too, an entry of theirs says.
    this.#note(origin.events[0]!, { workflow: workflow.name, at, replay: origin.replay === true, outcome: "started", runId: id });
  }

  #note(event: number, outcome: EventOutcome): void {
    this.#events.get(event)?.outcomes.push(outcome);
  }
}

type ReplayTarget = number | { readonly number: number };

/** What an event came to at once, for each function. */
function result(record: EventRecord): SendResult {
  const last = new Map(record.outcomes.map((outcome) => [outcome.workflow, outcome]));
  const { number, sent, acceptedAt, duplicateOf } = record;
  const known = { number, ...(sent.id === undefined ? {} : { id: sent.id }), acceptedAt, duplicate: duplicateOf !== undefined };
  const outcomes = Array.from(last.values(), (outcome) => ({ ...outcome }));
  return duplicateOf === undefined ? { ...known, outcomes } : { ...known, duplicateOf, outcomes };
}

/** A time given as a date or in milliseconds. */
export function time(option: string, value: Date | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  const at = isInstance(value, Date) ? value.getTime() : value;
  if (typeof at !== "number") throw wrongType(option, "a Date or milliseconds since 1970", value);
  if (!(at >= 0 && at <= Number.MAX_SAFE_INTEGER)) throw outOfRange(option, "a time from 1970 on and below 2^53 ms", at);
  return Math.floor(at);
}
