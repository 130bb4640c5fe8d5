import type { ServedPlace } from "./context.js";
import { isLogged, type LogFields, type ServerLog } from "./log.js";

/** Events that come often and change little. */
const OFTEN = new Set(["tool_judged", "attempt_progressed", "message_sent", "wait_ended", "coordination_reserved"]);

/** Log what is appended to the logs of projects, by its ids. Contract: ends when the feeds are closed; never rejects. */
export async function logEvents(places: readonly ServedPlace[], log: ServerLog): Promise<void> {
  if (!isLogged(log, "info")) return;
  await Promise.all(places.map((place) => logPlace(place, log)));
}

async function logPlace({ feed, id }: ServedPlace, log: ServerLog): Promise<void> {
  if (feed === null) return;
  try {
    const never = new AbortController().signal;
    for await (const page of feed.followAll(await feed.lastPosition(), never))
      for (const { data } of page) {
        const { run_id, sequence, event } = JSON.parse(data) as Sent;
        const fields = { project: id, run_id, ...idsOf(event), sequence, event: event.type };
        if (OFTEN.has(event.type)) log.debug("event", fields);
        else log.info("event", fields);
      }
  } catch (error) {
    log.error(`Events are not logged any more: ${error instanceof Error ? error.message : String(error)}`, {
      project: id,
    });
  }
}

interface Sent {
  readonly run_id: string;
  readonly sequence: number;
  readonly event: { readonly type: string; readonly [name: string]: unknown };
}

/** Ids and single words of an event: nothing that somebody wrote. */
function idsOf(event: Sent["event"]): LogFields {
  const found: Record<string, string | number | boolean> = {};
  for (const name of ["task_id", "attempt", "agent", "verdict", "integrated", "accepted", "status", "gate_id"]) {
    const value = event[name];
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") found[name] = value;
  }
  const { outcome, escalation } = event as { outcome?: { kind?: string }; escalation?: { escalation_id?: string } };
  if (outcome?.kind !== undefined) found["outcome"] = outcome.kind;
  if (escalation?.escalation_id !== undefined) found["escalation_id"] = escalation.escalation_id;
  return found;
}
