/** What became of events, as the journal tells it: its entries about events are read once each, and folded. */

import { handedOn } from "./context.js";
import type { EventInfo, EventOutcome, EventRef, SentEvent } from "../../types/index.js";
import type { JournalEntryOf } from "../../types/journal.js";

/** An event of the history, and what JavaScript keeps of it. */
export class EventRecord {
  readonly number: number;
  readonly sent: SentEvent;
  readonly acceptedAt: number;
  readonly duplicateOf: EventRef | undefined;
  /** In the order in which they happened. */
  readonly outcomes: EventOutcome[] = [];

  constructor(number: number, sent: SentEvent, acceptedAt: number, duplicateOf: EventRef | undefined) {
    this.number = number;
    this.sent = sent;
    this.acceptedAt = acceptedAt;
    this.duplicateOf = duplicateOf;
  }

  get ref(): EventRef {
    return this.sent.id === undefined ? { event: this.number } : { event: this.number, id: this.sent.id };
  }

  /** What it came to last for a function. */
  last(workflow: string): EventOutcome | undefined {
    return this.outcomes.findLast((outcome) => outcome.workflow === workflow);
  }
}

type Skipped = JournalEntryOf<"start-skipped">;
type Common = { readonly workflow: string; readonly at: number; readonly replay: boolean };

/** Who knows names where the journal has numbers. */
export interface Names {
  /** Of a run that may have been removed. */
  runId(run: number): string;
  event(event: number): EventRecord | undefined;
}

/** What an entry says an event came to. */
export function skipped(entry: Skipped, common: Common, names: Names): EventOutcome {
  const none = { ...common, outcome: "skipped" } as const;
  const event = (winner: number): EventRef => names.event(winner)?.ref ?? { event: winner };
  switch (entry.reason) {
    case "duplicate-event":
      return { ...none, reason: "duplicate_event", winner: event(entry.winner), leftMs: entry.leftMs };
    case "duplicate-function-key":
      return { ...none, reason: "duplicate_function_key", winner: names.runId(entry.winner), leftMs: entry.leftMs ?? Infinity };
    case "debounced":
      return { ...none, reason: "debounced", winner: event(entry.winner) };
    case "batched":
      return { ...none, reason: "batched", winner: names.runId(entry.winner) };
    case "rate-limited":
      return { ...none, reason: "rate_limited", winner: names.runId(entry.winner), leftMs: entry.leftMs };
    case "no-key":
      return { ...none, reason: "no_key", error: entry.error };
    case "paused":
      return { ...none, reason: "paused" };
    case "full":
      return { ...none, reason: "full" };
  }
}

/** An event as its user sees it. */
export function eventInfo(record: EventRecord): EventInfo {
  const { number, sent, acceptedAt, duplicateOf, outcomes } = record;
  // Its data as a copy: a replay hands on what was sent.
  const info = { ...sent, data: handedOn(sent.data), number, acceptedAt, outcomes: outcomes.map((outcome) => ({ ...outcome })) };
  return duplicateOf === undefined ? info : { ...info, duplicateOf };
}
