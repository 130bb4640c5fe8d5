import type { LoggedEvent, RunEvent } from "../../../model/event.js";
import { canonicalJson } from "../../../foundation/canonical-json/canonical.js";
import type { AppendResult, ChainEntry, NewEvent, RunHead, Sha256 } from "../event-store.js";
import { type AttemptMark, attemptMark } from "./attempt-mark.js";
import { eventText } from "./event-text.js";

/*
 * The chain: an event's hash covers its place, its time, its content and the hash before it, so anyone who knows the last
 * hash knows them all.
 */

/** The hash that the first event of a run is chained to. */
export const GENESIS_HASH = "0".repeat(64);

export const emptyHead = (runId: string): RunHead => ({ run_id: runId, sequence: 0, hash: GENESIS_HASH });

/** An event that can be chained: it is known to have a canonical form, and later changes to it do not matter. */
interface PreparedEvent {
  readonly at: string;
  readonly clock_ms: number;
  readonly type: RunEvent["type"];
  readonly mark: AttemptMark | null;
  /** The canonical JSON of the event, which is what is stored. */
  readonly text: string;
}

/** An event with its place in the chain. */
export interface LinkedEvent extends PreparedEvent, RunHead {
  readonly previous_hash: string;
}

/** Both in one: every event passes here, and a second object for its place would be a tenth of what it leaves behind. */
class ChainedEvent implements LinkedEvent {
  readonly at: string;
  readonly clock_ms: number;
  readonly type: RunEvent["type"];
  readonly mark: AttemptMark | null;
  readonly text: string;
  /** The hashed text up to the event itself. */
  readonly moment: string;
  run_id = "";
  sequence = 0;
  previous_hash = "";
  hash = "";

  constructor({ at, clock_ms }: NewEvent, event: RunEvent, moment: string) {
    this.at = at;
    this.clock_ms = clock_ms;
    this.type = event.type;
    this.mark = attemptMark(event);
    this.text = eventText(event);
    this.moment = moment;
  }
}

/** Events on their way into a log. Contract of `linkEvents`: anyone who prepared them gives them to one log only. */
export type Prepared = readonly (PreparedEvent & { readonly moment: string })[];

/** Contract: pure; throws TypeError for what has no canonical form. */
export function prepareEvents(events: readonly NewEvent[], redact?: (event: RunEvent) => RunEvent): Prepared {
  let before: ChainedEvent | null = null;
  const prepared: ChainedEvent[] = [];
  for (const given of events) {
    const event = redact === undefined ? given.event : redact(given.event);
    // Events of one commit mostly share their times.
    const { at, clock_ms } = given;
    const moment = before?.at === at && before.clock_ms === clock_ms ? before.moment : textBeforeEvent(at, clock_ms);
    before = new ChainedEvent(given, event, moment);
    prepared.push(before);
  }
  return prepared;
}

/** Chain events to a log's end. Contract: done again, after what was written of them was undone, it gives them another place. */
export function linkEvents(head: RunHead, events: Prepared, sha256: Sha256): readonly LinkedEvent[] {
  const { run_id } = head;
  const end = `","run_id":${canonicalJson(run_id)},"sequence":`;
  let { sequence, hash } = head;
  for (const event of events as readonly ChainedEvent[]) {
    event.run_id = run_id;
    event.sequence = ++sequence;
    event.previous_hash = hash;
    // INVARIANT: what `hashEvent` hashes. Hashes hold nothing that needs quoting.
    hash = sha256(`${event.moment}${event.text},"previous_hash":"${hash}${end}${sequence}}`);
    event.hash = hash;
  }
  return events as readonly ChainedEvent[];
}

/** The event as readers get it: a copy made of its text. */
export function toLoggedEvent({ run_id, sequence, at, clock_ms, text, previous_hash, hash }: LinkedEvent): LoggedEvent {
  return { run_id, sequence, at, clock_ms, event: JSON.parse(text) as RunEvent, previous_hash, hash };
}

/** The answer to an append. Copies are made for anyone who looks at them; most do not. */
export function appendResult(linked: readonly LinkedEvent[]): AppendResult {
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
    return this.#linked.map(toLoggedEvent);
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
  const text = entry.text ?? canonicalJson(entry.event);
  return sha256(
    `${textBeforeEvent(at, clock_ms)}${text},"previous_hash":${eventBytes(previous_hash)},"run_id":${eventBytes(run_id)},"sequence":${canonicalJson(sequence)}}`,
  );
}

/** Of the canonical JSON of {at, clock_ms, event, previous_hash, run_id, sequence}, what stands before the event. */
function textBeforeEvent(at: string, clock_ms: number): string {
  return `{"at":${eventBytes(at)},"clock_ms":${canonicalJson(clock_ms)},"event":`;
}

/** Times, hashes and ids hold nothing that needs quoting, unless somebody has changed them. */
const PLAIN = /^[\w:.+-]*$/;

function eventBytes(text: string): string {
  return typeof text === "string" && PLAIN.test(text) ? `"${text}"` : canonicalJson(text);
}
