import { byCodeUnit } from "../../model/by-code-unit.js";
import { AFTER_THE_END } from "../../model/after-the-end.js";
import type { RunEvent } from "../../model/event.js";
import type { EventReader } from "./event-store.js";

/** The runs of a store, newest first. */
export async function newestFirst(reader: EventReader): Promise<Awaited<ReturnType<EventReader["runs"]>>> {
  const time = (at: string | null) => (at === null ? 0 : Date.parse(at));
  return [...(await reader.runs())].sort(
    (a, b) => time(b.first_at) - time(a.first_at) || byCodeUnit(b.run_id, a.run_id),
  );
}

const ENDS: ReadonlySet<RunEvent["type"]> = new Set(["run_finished", "run_cancelled"]);

/** Whether a log of so many events ends with the end of its run, and what is said after it. Nothing is folded. */
export async function hasEnded(reader: EventReader, runId: string, last: number): Promise<boolean> {
  for (let at = last; at > 0; at--)
    for await (const { event } of reader.read(runId, { from: at, to: at }))
      if (!AFTER_THE_END.has(event.type)) return ENDS.has(event.type);
  return false;
}

/** The log of a request that was not taken on has an id of its own kind. */
export function isRequestRecord(runId: string): boolean {
  return runId.startsWith("req_");
}
