import { randomInt } from "node:crypto";
import { crashPoint } from "../../foundation/processes/crash-points.js";
import { CoordinatorError } from "../../model/errors.js";
import { withoutSecrets } from "../../foundation/files/known-secrets.js";
import type { RunEvent } from "../../model/event.js";
import type { RequestAnswer } from "../../model/request-origin.js";
import type { RunPolicy } from "../../model/run.js";
import { refusal, step } from "../../mind/run/transition.js";
import type { EventReader, EventStore, NewEvent } from "../../hands/store/event-store.js";
import { isRequestRecord } from "../../hands/store/list-runs.js";
import { foldRun } from "../inspect/fold-run.js";
import { newRunId, openEvents } from "../run/start-run.js";

/*
 * A request that is not a run yet, as a log of its own: what was asked, what was decided of it, what has to be known first
 * and what people answered. So the person who asks later what became of it is answered, it counts in how requests are
 * understood, and anyone who goes on with it knows where it stands.
 */

export interface ReceivedRequest {
  readonly request_id: string;
  readonly request: string;
  readonly policy: RunPolicy;
  readonly now: string;
}

/** Decisions about a request, from intake on, and questions that wait on people then. */
export interface SettledRequest {
  readonly decided: readonly RunEvent[];
  readonly questions: readonly {
    readonly id: string;
    readonly question: string;
    readonly options?: readonly string[];
  }[];
}

/** The id of a request record. Contract: as `newRunId`, and it begins with `req_`. */
export function newRecordId(now: string): string {
  return newRunId(now).replace(/^run_/, "req_");
}

/** Put a request on record before anybody is asked about it. Contract: one commit; nothing is ever carried out for it. */
export async function openRequest(store: EventStore, record: string, received: ReceivedRequest): Promise<void> {
  await closeUnclear(store, received.request, received.now);
  await openRecord(store, record, received);
}

/** Records a question of an agent, which is not a request for work: nothing that was asked before in such words is closed. */
export async function openRecord(
  store: EventStore,
  record: string,
  { request_id, request, policy, now }: ReceivedRequest,
): Promise<void> {
  const received: RunEvent = { type: "request_received", request_id, request, seed: randomInt(2 ** 31), policy };
  await store.append(record, 0, openEvents([received], now).events);
}

/** Contract: one commit; the record is open. Questions to people then have an id they can answer. */
export function settleRequest(
  store: EventStore,
  record: string,
  { decided, questions }: SettledRequest,
  now: string,
): Promise<void> {
  const asked = questions.map(({ id, question, options }): RunEvent => ({
    type: "question_asked",
    question_id: id,
    task_id: null,
    question,
    ...(options === undefined ? {} : { options: [...options] }),
  }));
  // Models and agents ask, too.
  return append(store, record, [...decided, ...withoutSecrets(asked)], now);
}

/** Contract: one commit, and done again it changes nothing. */
export async function endWithRun(store: EventStore, record: string, runId: string, now: string): Promise<void> {
  crashPoint("request.run_begun");
  await append(store, record, [{ type: "run_finished", status: "completed", reason: `went on as ${runId}` }], now);
}

export async function dropRequest(store: EventStore, record: string, by: string, reason: string, now: string) {
  await append(store, record, [{ type: "run_cancelled", decider: { by, how: "person" }, reason }], now);
}

/** Reads the answers of people, in their order. */
export async function answersIn(reader: EventReader, record: string): Promise<RequestAnswer[]> {
  const asked = new Map<string, string>();
  const answers: RequestAnswer[] = [];
  for await (const { event, at } of reader.read(record)) {
    if (event.type === "question_asked") asked.set(event.question_id, event.question);
    if (event.type !== "question_answered") continue;
    const { question_id: id, answer, decider, answered_at } = event;
    answers.push({ id, question: asked.get(id) ?? "", answer, decider, at: answered_at ?? at });
  }
  return answers;
}

/** The run that was begun for a request since then; null when none was. */
export async function runOfRequest(
  reader: EventReader,
  requestId: string,
  since: string | null,
): Promise<string | null> {
  for (const { run_id, first_at } of await reader.runs()) {
    if (isRequestRecord(run_id) || Date.parse(first_at ?? "") < Date.parse(since ?? "")) continue;
    for await (const { event } of reader.read(run_id, { to: 1 }))
      if (event.type === "request_received" && event.request_id === requestId) return run_id;
  }
  return null;
}

/** Nobody waits for what was asked any more. Contract: one commit; a record that is over stays as it is. */
export async function abandonRequest(store: EventStore, record: string, reason: string, now: string): Promise<void> {
  await append(store, record, [{ type: "run_cancelled", decider: { by: "policy", how: "rule" }, reason }], now);
}

/** Requests that waited for clarification wait no longer when they are asked again: in the same words, or with answers. */
export async function closeUnclear(store: EventStore, request: string, now: string, but?: string): Promise<void> {
  for (const { run_id } of await store.runs()) {
    if (!isRequestRecord(run_id) || run_id === but) continue;
    const { state, request: words } = await foldRun(store, run_id);
    if (state.status !== "pending" || !(request === words || request.startsWith(`${words}\n\n`))) continue;
    await abandonRequest(store, run_id, "asked again with what was missing", now);
  }
}

/** Contract: one commit. An event that the log does not take is not written, and no event behind it. */
async function append(store: EventStore, record: string, events: readonly RunEvent[], at: string): Promise<void> {
  const run = await foldRun(store, record);
  const away = run.last_at === null ? 0 : Math.max(0, Date.parse(at) - Date.parse(run.last_at));
  const clock_ms = Math.round(run.state.clock_ms + away);
  const all: NewEvent[] = [];
  let { state } = run;
  for (const event of events) {
    if (refusal(state, event) !== null) break;
    const taken = step(state, event, clock_ms);
    state = taken.state;
    all.push(...taken.events.map((each) => ({ event: each, at, clock_ms })));
  }
  if (all.length === 0) return;
  const result = await store.append(record, run.sequence, all);
  if (result.status === "appended") return;
  throw new CoordinatorError("STORE_LOCKED", `Somebody else writes to ${record}`, {
    fix: "End the other process and try again.",
  });
}
