import { randomInt } from "node:crypto";
import type { RunEvent } from "../model/event.js";
import type { RunPolicy } from "../model/run.js";
import type { EventStore } from "../store/event-store.js";
import { isRequestRecord } from "./find.js";
import { foldRun } from "./fold-run.js";
import { newRunId, opened } from "./start-run.js";

/*
 * A request that became no run, as a log of its own: what was asked and what was decided of it, and nothing else. So
 * whoever asks later what became of it is answered, and it counts in how requests are understood.
 */

export interface RecordedRequest {
  readonly request_id: string;
  readonly request: string;
  readonly policy: RunPolicy;
  readonly now: string;
  /** What was decided, from intake on. */
  readonly decided: readonly RunEvent[];
}

/** Contract: one commit, and the id begins with `req_`. Nothing is ever carried out for it. */
export async function recordRequest(
  store: EventStore,
  { request_id, request, policy, now, decided }: RecordedRequest,
): Promise<string> {
  const record = newRunId(now).replace(/^run_/, "req_");
  const received: RunEvent = { type: "request_received", request_id, request, seed: randomInt(2 ** 31), policy };
  await closeUnclear(store, request, now);
  await store.append(record, 0, opened([received, ...decided], now).events);
  return record;
}

/** Requests that waited for clarification wait no longer when they are asked again: in the same words, or with answers. */
export async function closeUnclear(store: EventStore, request: string, now: string): Promise<void> {
  for (const { run_id, sequence } of await store.runs()) {
    if (!isRequestRecord(run_id)) continue;
    const { state, request: words } = await foldRun(store, run_id);
    if (state.status !== "pending" || !(request === words || request.startsWith(`${words}\n\n`))) continue;
    const asked: RunEvent = {
      type: "run_cancelled",
      decider: { by: "policy", how: "rule" },
      reason: "asked again with what was missing",
    };
    await store.append(run_id, sequence, [{ event: asked, at: now, clock_ms: state.clock_ms }]);
  }
}
