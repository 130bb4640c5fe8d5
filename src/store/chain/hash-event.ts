import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { canonicalJson } from "../../plan/canonical.js";
import type { AppendResult, ChainEntry, NewEvent, RunHead, Sha256 } from "../event-store.js";
import { type AttemptMark, attemptMark } from "./attempt-mark.js";
import { eventText } from "./event-text.js";

/*
 * The chain: an event's hash covers its place, its time, its content and the hash before it, so whoever knows the last
 * hash knows them all.
 */

/** What the first event of a run is chained to. */
export const GENESIS_HASH = "0".repeat(64);

export const emptyHead = (runId: string): RunHead => ({ run_id: runId, sequence: 0, hash: GENESIS_HASH });

/** An event that can be chained: it is known to have a canonical form, and later changes to it do not matter. */
export interface PreparedEvent {
  readonly at: string;
  readonly clock_ms: number;
  readonly type: RunEvent["type"];
  readonly mark: AttemptMark | null;
  /** The canonical JSON of the event, which is what is stored. */
  readonly text: string;
  /** Both times as they stand in what is hashed. */
  readonly moment: string;
}

/** Contract: pure; throws TypeError for what has no canonical form. */
export function prepareEvents(events: readonly NewEvent[], redact?: (event: RunEvent) => RunEvent): PreparedEvent[] {
  let before: PreparedEvent | null = null;
  return events.map(({ event: given, at, clock_ms }) => {
    const event = redact === undefined ? given : redact(given);
    // Events of one commit mostly share their times.
    const moment = before?.at === at && before.clock_ms === clock_ms ? before.moment : momentOf(at, clock_ms);
    before = { at, clock_ms, type: event.type, mark: attemptMark(event), text: eventText(event), moment };
    return before;
  });
}

/** An event with its place in the chain. */
export interface LinkedEvent extends PreparedEvent, RunHead {
  readonly previous_hash: string;
}

/** Chain events to a log's end. Contract: pure. */
export function linkEvents(head: RunHead, events: readonly PreparedEvent[], sha256: Sha256): LinkedEvent[] {
  const { run_id } = head;
  const run = canonicalJson(run_id);
  let { sequence, hash: previous_hash } = head;
  return events.map(({ at, clock_ms, type, mark, text, moment }) => {
    sequence++;
    const hash = hashOfTexts(moment, text, previous_hash, run, String(sequence), sha256);
    const linked = { run_id, sequence, at, clock_ms, type, mark, text, moment, previous_hash, hash };
    previous_hash = hash;
    return linked;
  });
}

/** The event as readers get it: a copy made of its text. */
export function loggedOf({ run_id, sequence, at, clock_ms, text, previous_hash, hash }: LinkedEvent): LoggedEvent {
  return { run_id, sequence, at, clock_ms, event: JSON.parse(text) as RunEvent, previous_hash, hash };
}

/** What to answer for an append. Copies are made for whoever looks at them; most do not. */
export function appended(linked: readonly LinkedEvent[]): AppendResult {
  return new Appended(linked);
}

/** A class, because an object with a getter of its own costs more to make than its events. */
class Appended {
  readonly status = "appended";
  readonly #linked: readonly LinkedEvent[];

  constructor(linked: readonly LinkedEvent[]) {
    this.#linked = linked;
  }

  get events(): readonly LoggedEvent[] {
    return this.#linked.map(loggedOf);
  }
}

/**
 * The hash an entry should have. Contract: throws TypeError for what has no canonical form.
 *
 * The text of an entry is hashed as it stands: what the store wrote was canonical, so a text with that hash is too, and
 * need not be written out again to be compared.
 */
export function hashEvent(entry: Omit<ChainEntry, "hash">, sha256: Sha256): string {
  const { at, clock_ms, previous_hash, run_id, sequence } = entry;
  return hashOfTexts(
    momentOf(at, clock_ms),
    entry.text ?? canonicalJson(entry.event),
    previous_hash,
    written(run_id),
    canonicalJson(sequence),
    sha256,
  );
}

function momentOf(at: string, clock_ms: number): string {
  return `"at":${written(at)},"clock_ms":${canonicalJson(clock_ms)}`;
}

/** Over the canonical JSON of {at, clock_ms, event, previous_hash, run_id, sequence}, its parts written already. */
function hashOfTexts(
  moment: string,
  event: string,
  previous_hash: string,
  run_id: string,
  sequence: string,
  sha256: Sha256,
): string {
  return sha256(
    `{${moment},"event":${event},"previous_hash":${written(previous_hash)},"run_id":${run_id},"sequence":${sequence}}`,
  );
}

/** Times, hashes and ids hold nothing that needs quoting, unless somebody has changed them. */
const PLAIN = /^[\w:.+-]*$/;

function written(text: string): string {
  return typeof text === "string" && PLAIN.test(text) ? `"${text}"` : canonicalJson(text);
}
