import { CoordinatorError } from "../../model/errors.js";
import type { EventOf, LoggedEvent } from "../../model/event.js";
import type { Brief } from "../../model/intent-spec.js";
import { judgedRequirements } from "../../mind/run/decide/requirements.js";
import { BRIEF_RECORD } from "../../mind/run/record-names.js";
import type { RunState } from "../../mind/run/state.js";
import { titleOf } from "../../mind/propose/words.js";
import type { PublishedTask, PullFacts } from "../../mind/publish/pull-text.js";
import type { RunRecords } from "../../hands/attempts/run-records.js";
import type { RunHead } from "../../hands/store/event-store.js";
import type { DiffFile } from "../merge/diff-run.js";

/** The facts of a run's log that its pull request shows. */
export interface RunFacts {
  readonly runId: string;
  readonly state: RunState;
  readonly events: readonly LoggedEvent[];
  readonly log: RunHead;
  readonly records: RunRecords;
  readonly base: string;
  readonly issue: number | null;
}

export type Facts = Omit<PullFacts, "task" | "head" | "copy_of" | "base" | "files" | "closes">;

/** The part that all pull requests of a run have in common. */
export async function collectFacts({ runId, state, events, log, records, issue }: RunFacts): Promise<Facts> {
  const plan = state.layout?.plan;
  if (plan === undefined) throw new CoordinatorError("NOT_FOUND", `${runId} has no plan that was carried out`);
  const request = lastOf(events, "request_received")?.request ?? "";
  const approved = lastOf(events, "plan_approved")?.decider;
  const brief = (await records.read(BRIEF_RECORD)) as Brief | null;
  const statements = new Map(brief?.spec?.spec.requirements.map(({ id, description }) => [id, description]));
  const { used, estimated } = state.ledger.run;
  const isKnown = used.tokens > 0 || used.cost_usd > 0;
  return {
    run_id: runId,
    title: titleOf(request) || (plan.tasks[0]?.title ?? runId),
    request: request || plan.tasks.map(({ title }) => title).join("\n"),
    issue,
    plan_id: plan.plan_id,
    plan_checksum: plan.plan_checksum,
    approved: approved === undefined ? null : `${approved.by} (${approved.via ?? approved.how})`,
    tasks: plan.tasks.map(({ task_id, title }, i) => toPublishedTask(task_id, title, state, i, events)),
    requirements: judgedRequirements(state).map((one) => ({ ...one, statement: statements.get(one.id) ?? "" })),
    cost_usd: isKnown ? used.cost_usd : null,
    estimated_usd: estimated.cost_usd,
    tokens: isKnown ? used.tokens : null,
    sandbox: state.sandbox?.grade ?? null,
    log: { sequence: log.sequence, hash: log.hash },
  };
}

function toPublishedTask(
  task_id: string,
  title: string,
  { tasks }: RunState,
  index: number,
  events: readonly LoggedEvent[],
): PublishedTask {
  const { agent, model, state } = tasks.get(index);
  const judged = lastOf(events, "verification_finished", ({ task_id: of }) => of === task_id);
  const ended = lastOf(events, "attempt_finished", ({ task_id: of }) => of === task_id);
  return {
    task_id,
    title,
    status: state.status,
    agent,
    model,
    verdict: judged?.verdict ?? null,
    checks: (judged?.proof?.proven_by ?? []).map(({ check, passed, failed_before }) => ({
      check,
      passed,
      failed_before,
    })),
    accepted: (judged?.proof?.accepted ?? []).map(({ message, by }) => `${message} (${by})`),
    refused: ended?.refused?.length ?? 0,
  };
}

function lastOf<T extends LoggedEvent["event"]["type"]>(
  events: readonly LoggedEvent[],
  type: T,
  fits: (event: EventOf<T>) => boolean = () => true,
): EventOf<T> | undefined {
  return events.findLast(({ event }) => event.type === type && fits(event as EventOf<T>))?.event as
    | EventOf<T>
    | undefined;
}

/** Contract: pure. */
export function factsOfPart(
  facts: Facts,
  part: { readonly task: string | null; readonly base: string; readonly head: string; readonly isLast: boolean },
  files: readonly DiffFile[],
): PullFacts {
  const { task, base, head, isLast } = part;
  const tasks = task === null ? facts.tasks : facts.tasks.filter(({ task_id }) => task_id === task);
  return { ...facts, tasks, task, base, head, copy_of: null, files, closes: isLast && facts.issue !== null };
}
