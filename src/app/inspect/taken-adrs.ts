import { AdrSource } from "../../model/request-origin.js";
import type { Message } from "../../model/run.js";
import type { EventReader } from "../../hands/store/event-store.js";

/** A run that carries out a decision record, and the record as it was then. */
export interface TakenAdr {
  readonly run_id: string;
  readonly at: string;
  readonly adr: AdrSource;
}

/**
 * The decision records that runs were begun with, as the logs say. Only the beginning of each log is read: the record
 * stands in the planning request, which comes before the plan.
 */
export async function readRunsOfAdrs(reader: EventReader): Promise<TakenAdr[]> {
  const taken: TakenAdr[] = [];
  for (const { run_id } of await reader.runs()) {
    for await (const { event, at } of reader.read(run_id, {})) {
      if (event.type === "plan_frozen") break;
      const adr = event.type === "message_sent" ? adrIn([event.message]) : null;
      if (adr !== null) taken.push({ run_id, at, adr });
    }
  }
  return taken;
}

/** The decision record a planning request is about; null when it is about none. */
export function adrIn(messages: readonly Message[]): AdrSource | null {
  for (const message of messages) {
    if (message.type !== "planning_request") continue;
    const adr = AdrSource.safeParse(message.payload.context["adr"]);
    if (adr.success) return adr.data;
  }
  return null;
}
