import { join } from "node:path";
import { CoordinatorError } from "../../model/errors.js";
import type { EventOf, LoggedEvent } from "../../model/event.js";
import type { RunTask, Usage } from "../../model/run.js";
import { attemptKey } from "../../mind/run/ledger.js";
import {
  attemptRecord,
  integrationRecord,
  laterContextRecord,
  resolutionRecord,
  verdictRecord,
} from "../../mind/run/record-names.js";
import { AttemptOrder } from "../../hands/attempts/attempt-order.js";
import { effectFolder, instanceFolder, instancesOf, readOrder } from "../../hands/attempts/shim/instance-folder.js";
import type { CommandContext } from "../command-context.js";
import { describeEvent } from "../inspect/describe-event.js";
import { findTask } from "../run/find-task.js";
import { withWholeRun, type WholeRun } from "./read-run.js";

/** Order, actions and outcome of one attempt. */
export interface AttemptDetail {
  readonly attempt: number;
  readonly agent: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Null where its order is not kept any more. */
  readonly given: AttemptGiven | null;
  readonly tool_uses: readonly (Pick<EventOf<"tool_judged">, "use" | "judgement"> & Place)[];
  readonly iterations: readonly (EventOf<"iteration_finished"> & Place)[];
  readonly outcome: EventOf<"attempt_finished">["outcome"] | null;
  readonly said: string | null;
  readonly refused: NonNullable<EventOf<"attempt_finished">["refused"]>;
  readonly usage: Usage | null;
  readonly verdict: EventOf<"verification_finished"> | null;
  readonly integration: EventOf<"integration_finished"> | null;
  readonly review: EventOf<"review_finished"> | null;
  /** The records of it: what the attempt left, the proof of its verdict, how it was merged. Null for those there are not. */
  readonly records: {
    readonly result: unknown;
    readonly verdict: unknown;
    readonly integration: unknown;
    readonly resolution: unknown;
    readonly later_context: unknown;
  };
}

interface Place {
  readonly sequence: number;
  readonly at: string;
}

interface AttemptGiven {
  readonly prompt: string;
  readonly context: readonly { readonly ref: string; readonly text: string }[];
  /** Documents and files that were not in its workspace. */
  readonly withheld: readonly string[];
  readonly hidden: readonly string[];
  readonly scope: AttemptOrder["scope"];
  readonly budget: AttemptOrder["budget"];
  readonly base: string;
  readonly checks: readonly string[];
}

export interface TaskDetail {
  readonly type: "run_task";
  readonly run_id: string;
  readonly task: RunTask;
  readonly status: string;
  readonly attempts: readonly AttemptDetail[];
  readonly timeline: readonly (Place & { readonly type: string; readonly told: string })[];
}

/**
 * One task of a run: its attempts, what they were given and what became of each.
 *
 * Contract: changes nothing. Throws NOT_FOUND for a run or a task that is not there.
 */
export function showTask(wanted: string, named: string, context: CommandContext): Promise<TaskDetail> {
  return withWholeRun(wanted, context, async (whole) => {
    const { run, events } = whole;
    const found = findTask(run.state, named);
    if ("exitCode" in found)
      throw new CoordinatorError("NOT_FOUND", `${run.run_id} has no task ${named}`, {
        fix: `coordinator tasks --run ${run.run_id} lists them.`,
      });
    const { task } = found;
    const own = events.filter(({ event }) => taskOf(event) === task.task_id);
    const starts = own.flatMap(({ event }) => (event.type === "attempt_started" ? [event.attempt] : []));
    const index = run.state.layout?.indexOf.get(task.task_id) ?? 0;
    return {
      type: "run_task",
      run_id: run.run_id,
      task,
      status: run.state.tasks.get(index).state.status,
      attempts: await Promise.all(starts.map((attempt) => attemptDetail(task.task_id, attempt, own, whole))),
      timeline: own.map(({ sequence, at, event }) => ({ sequence, at, type: event.type, told: describeEvent(event) })),
    };
  });
}

function taskOf(event: LoggedEvent["event"]): string | null {
  if ("task_id" in event) return event.task_id;
  return event.type === "escalation_raised" ? event.escalation.task_id : null;
}

async function attemptDetail(
  taskId: string,
  attempt: number,
  own: readonly LoggedEvent[],
  { records, at, run }: WholeRun,
): Promise<AttemptDetail> {
  const key = attemptKey(taskId, attempt);
  const mine = own.filter(({ event }) => "attempt" in event && event.attempt === attempt);
  const last = <T extends LoggedEvent["event"]["type"]>(type: T) =>
    (mine.findLast(({ event }) => event.type === type)?.event ?? null) as EventOf<T> | null;
  const started = mine.find(({ event }) => event.type === "attempt_started");
  const ended = mine.findLast(({ event }) => event.type === "attempt_finished");
  const end = last("attempt_finished");
  return {
    attempt,
    agent: last("attempt_started")?.agent ?? "",
    started_at: started?.at ?? "",
    ended_at: ended?.at ?? null,
    given: readGiven(join(at.folder, "attempts", run.run_id), key),
    tool_uses: mine.flatMap(({ event, sequence, at: when }) =>
      event.type === "tool_judged" ? [{ sequence, at: when, use: event.use, judgement: event.judgement }] : [],
    ),
    iterations: mine.flatMap(({ event, sequence, at: when }) =>
      event.type === "iteration_finished" ? [{ ...event, sequence, at: when }] : [],
    ),
    outcome: end?.outcome ?? null,
    said: end?.said ?? null,
    refused: end?.refused ?? [],
    usage: end?.usage ?? last("attempt_progressed")?.usage ?? null,
    verdict: last("verification_finished"),
    integration: last("integration_finished"),
    review: last("review_finished"),
    records: {
      result: await records.read(attemptRecord(key)),
      verdict: await records.read(verdictRecord(key)),
      integration: last("integration_finished") === null ? null : await records.read(integrationRecord(taskId)),
      resolution: await records.read(resolutionRecord(key)),
      later_context: await records.read(laterContextRecord(key)),
    },
  };
}

/** Reads the order of the last instance of an attempt; null where it is not kept any more. */
function readGiven(runFolder: string, key: string): AttemptGiven | null {
  const base = effectFolder(runFolder, `attempt:${key}`);
  const last = instancesOf(base).at(-1);
  const order = last === undefined ? null : readOrder(instanceFolder(base, last));
  const read = AttemptOrder.safeParse(order?.input);
  if (!read.success) return null;
  const { prompt, context, withheld, hidden, scope, budget, base: from, checks } = read.data;
  return {
    prompt,
    context: context.map(({ ref, text }) => ({ ref, text })),
    withheld,
    hidden,
    scope,
    budget,
    base: from,
    checks,
  };
}
