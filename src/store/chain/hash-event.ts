import type { LoggedEvent, RunEvent } from "../../model/event.js";
import { canonicalJson } from "../../plan/canonical.js";
import type { ChainEntry, NewEvent, RunHead, Sha256 } from "../event-store.js";

/*
 * The chain: an event's hash covers its place, its time, its content and the hash before it, so whoever knows the last
 * hash knows them all.
 */

/** What the first event of a run is chained to. */
export const GENESIS_HASH = "0".repeat(64);

export const emptyHead = (runId: string): RunHead => ({ run_id: runId, sequence: 0, hash: GENESIS_HASH });

/** An event that can be chained: it is known to have a canonical form, and later changes to it do not matter. */
export interface PreparedEvent extends NewEvent {
  /** The canonical JSON of the event, which is what is stored. */
  readonly text: string;
}

/** Contract: pure; throws TypeError for what has no canonical form. */
export function prepareEvents(events: readonly NewEvent[], redact?: (event: RunEvent) => RunEvent): PreparedEvent[] {
  return events.map(({ event: given, at, clock_ms }) => {
    const event = redact === undefined ? given : redact(given);
    canonicalJson([at, clock_ms]);
    const text = canonicalJson(event);
    return { event: JSON.parse(text) as RunEvent, at, clock_ms, text };
  });
}

/** An event with its place in the chain. */
export interface LinkedEvent {
  readonly logged: LoggedEvent;
  readonly text: string;
}

/** Chain events to a log's end. Contract: pure. */
export function linkEvents(head: RunHead, events: readonly PreparedEvent[], sha256: Sha256): LinkedEvent[] {
  let { sequence, hash } = head;
  return events.map(({ event, at, clock_ms, text }) => {
    sequence++;
    const entry = { run_id: head.run_id, sequence, at, clock_ms, event, previous_hash: hash };
    hash = hashOfText(entry, text, sha256);
    return { logged: { ...entry, hash }, text };
  });
}

/** The hash an entry should have. Contract: throws TypeError for what has no canonical form. */
export function hashEvent(entry: Omit<ChainEntry, "hash">, sha256: Sha256): string {
  return hashOfText(entry, canonicalJson(entry.event), sha256);
}

/** The canonical JSON of {at, clock_ms, event, previous_hash, run_id, sequence}, with the event written already. */
function hashOfText(entry: Omit<ChainEntry, "hash" | "event">, event: string, sha256: Sha256): string {
  const { at, clock_ms, previous_hash, run_id, sequence } = entry;
  return sha256(
    `{"at":${canonicalJson(at)},"clock_ms":${canonicalJson(clock_ms)},"event":${event},` +
      `"previous_hash":${canonicalJson(previous_hash)},"run_id":${canonicalJson(run_id)},` +
      `"sequence":${canonicalJson(sequence)}}`,
  );
}
