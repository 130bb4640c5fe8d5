import type { Amounts, RunPhase, RunStatus } from "../../model/run.js";
import { NOTHING } from "../../mind/run/amounts.js";
import { coordinationShare } from "../../mind/run/decide/coordination.js";
import { attemptKey, reservationOf } from "../../mind/run/ledger.js";
import { type JudgedRequirement, judgedRequirements, describeRequirement } from "../../mind/run/decide/requirements.js";
import { breakerOf, isOver, type RunState, taskAt } from "../../mind/run/state.js";
import type { AttemptWords, FoldedRun } from "./fold-run.js";
import { type OpenEntry, openEntries } from "./open-entries.js";
import { canGoOn } from "./stalled-runs.js";

interface TaskCounts {
  readonly total: number;
  readonly done: number;
  /** Holding a place: an attempt, or its verification, integration or review. */
  readonly running: number;
  /** Everything that is neither done, running nor failed. */
  readonly waiting: number;
  /** Of those that wait: for a person, for the time of a retry, and for nothing but a place. */
  readonly blocked: number;
  readonly retrying: number;
  readonly ready: number;
  readonly failed: number;
  /** Tasks that people skipped or deleted. */
  readonly dropped: number;
}

interface RunningTask {
  readonly task_id: string;
  readonly title: string;
  readonly agent: string;
  readonly attempt: number;
  readonly stage: string;
  /** How many turns its agent has ended in this attempt, and how many it may have; null before the first. */
  readonly iterations: { readonly ended: number; readonly limit: number } | null;
  readonly since: string | null;
  /** The last action seen of its agent; null when none was seen yet, or the agent is done. */
  readonly doing: string | null;
  /** The usage it has reported so far. */
  readonly used: Pick<Amounts, "tokens" | "cost_usd">;
}

/** The tasks of one level, and how far they are. */
interface LevelCounts {
  readonly level: number;
  readonly total: number;
  readonly done: number;
  readonly running: number;
  /** Tasks that wait on a person. */
  readonly blocked: number;
  readonly failed: number;
}

export interface FailedTask {
  readonly task_id: string;
  readonly title: string;
  readonly reason: string;
  /** The last thing that went wrong with it, and where. */
  readonly stage: string | null;
  readonly trouble: string | null;
  /** The task whose failure took this one along. */
  readonly because_of: string | null;
}

export interface TaskWords extends AttemptWords {
  readonly task_id: string;
}

interface RequirementsShown {
  readonly spec_id: string;
  /** The commit they were judged on; null before all tasks are done. */
  readonly commit: string | null;
  readonly tree: string | null;
  readonly ref: string | null;
  readonly results: readonly (JudgedRequirement & { readonly told: string })[];
}

export interface Spend {
  readonly used: Amounts;
  readonly reserved: Amounts;
  /** How much of `used` was estimated and not reported. */
  readonly estimated: Amounts;
  readonly budget: Amounts | null;
}

/** A run on one page: what the fronts show of it. Named as its JSON is. */
export interface RunOverview {
  readonly run_id: string;
  readonly request_id: string;
  readonly request: string;
  readonly status: RunStatus;
  readonly phase: RunPhase;
  readonly reason: string;
  readonly paused: string | null;
  /** There is something to do that waits on nobody: when no process works on it, it is stalled. */
  readonly can_go_on: boolean;
  readonly plan_id: string | null;
  readonly plan_checksum: string | null;
  readonly started_at: string | null;
  readonly updated_at: string | null;
  readonly events: number;
  readonly tasks: TaskCounts;
  readonly levels: readonly LevelCounts[];
  readonly running: readonly RunningTask[];
  readonly needs_you: readonly OpenEntry[];
  readonly failed: readonly FailedTask[];
  readonly spend: Spend;
  /** The requirements of its Intent Spec as they were found last; null when the run has none. */
  readonly requirements: RequirementsShown | null;
  readonly critical_path: { readonly minutes: number; readonly tasks: readonly string[] };
  readonly coordination: { readonly tokens: number; readonly share: number; readonly within: boolean };
  readonly open_breakers: readonly string[];
  /** The last words of the agents of its tasks, and the actions they were refused. */
  readonly last_words: readonly TaskWords[];
}

/** Contract: pure; equal logs give equal overviews. */
export function overviewOf(run: FoldedRun, alone: boolean): RunOverview {
  const { state } = run;
  const { used, reserved, estimated, budget } = state.ledger.run;
  return {
    run_id: run.run_id,
    request_id: state.request_id,
    request: run.request,
    status: state.status,
    phase: state.phase,
    reason: state.reason,
    paused: state.paused,
    can_go_on: canGoOn(run),
    plan_id: state.layout?.plan.plan_id ?? null,
    plan_checksum: state.layout?.plan.plan_checksum ?? null,
    started_at: run.first_at,
    updated_at: run.last_at,
    events: run.sequence,
    tasks: countTasks(state),
    levels: countLevels(state),
    running: runningTasks(run),
    needs_you: openEntries(run, alone),
    failed: listFailedTasks(run),
    spend: { used, reserved, estimated, budget: state.layout === null ? null : budget },
    requirements: requirementsOf(state),
    critical_path: criticalPathLeft(state),
    coordination: coordinationShare(state.ledger),
    open_breakers: Object.keys(state.breakers)
      .filter((agent) => breakerOf(state, agent).state === "open")
      .sort(),
    last_words: lastWordsOf(run),
  };
}

/** Contract: in the order of the plan, those of tasks whose last attempt said something or was refused something. */
export function lastWordsOf({ state, ended }: FoldedRun): TaskWords[] {
  return (state.layout?.plan.tasks ?? []).flatMap(({ task_id }) => {
    const words = ended.get(task_id);
    return words === undefined || (words.said === null && words.refused.length === 0) ? [] : [{ task_id, ...words }];
  });
}

function requirementsOf(state: RunState): RequirementsShown | null {
  const { brief, requirements } = state;
  if (brief === null || brief.spec === null) return null;
  const { judged } = requirements;
  return {
    spec_id: brief.spec.id,
    commit: judged?.commit ?? null,
    tree: judged?.tree ?? null,
    ref: judged?.ref ?? null,
    results: judgedRequirements(state).map((result) => ({ ...result, told: describeRequirement(result) })),
  };
}

function countTasks(state: RunState): TaskCounts {
  const { length: total } = state.tasks;
  // Tasks that were under way when the run ended are not under way any more.
  const running = isOver(state) ? 0 : state.running;
  let blocked = 0;
  for (const { state: task } of state.tasks) if (task.status === "blocked") blocked++;
  return {
    total,
    done: state.completed,
    running,
    waiting: Math.max(0, total - state.completed - running - state.failed - state.dropped),
    blocked,
    retrying: state.waiting,
    ready: state.ready.length,
    failed: state.failed,
    dropped: state.dropped,
  };
}

function countLevels(state: RunState): LevelCounts[] {
  const { layout } = state;
  const levels: { -readonly [name in keyof LevelCounts]: number }[] = [];
  if (layout === null) return levels;
  let index = 0;
  for (const { state: task } of state.tasks) {
    const at = layout.level[index++] ?? 0;
    for (let level = levels.length; level <= at; level++)
      levels.push({ level: level + 1, total: 0, done: 0, running: 0, blocked: 0, failed: 0 });
    const counts = levels[at] as (typeof levels)[number];
    counts.total++;
    if (task.status === "completed") counts.done++;
    else if (task.status === "in_progress" && task.stage !== "waiting" && !isOver(state)) counts.running++;
    else if (task.status === "blocked" || task.status === "failed") counts[task.status]++;
  }
  return levels;
}

function runningTasks({ state, began, doing }: FoldedRun): RunningTask[] {
  const found: RunningTask[] = [];
  if (isOver(state)) return found;
  let index = 0;
  for (const { state: task, agent, attempts, turns } of state.tasks) {
    const i = index++;
    if (task.status !== "in_progress" || task.stage === "waiting") continue;
    const { task_id, title } = taskAt(state, i);
    const { tokens, cost_usd } = reservationOf(state.ledger, attemptKey(task_id, attempts))?.in_flight ?? NOTHING;
    found.push({
      task_id,
      title,
      agent,
      attempt: attempts,
      stage: task.stage,
      iterations:
        turns?.attempt === attempts && turns.last !== null
          ? { ended: turns.last.iteration, limit: turns.last.limit }
          : null,
      since: began.get(task_id)?.at ?? null,
      doing: doing.get(task_id) ?? null,
      used: { tokens, cost_usd },
    });
  }
  return found;
}

function listFailedTasks({ state, troubles }: FoldedRun): FailedTask[] {
  const found: FailedTask[] = [];
  let index = 0;
  for (const { state: task } of state.tasks) {
    const i = index++;
    if (task.status !== "failed") continue;
    const { task_id, title } = taskAt(state, i);
    const trouble = troubles.get(task_id);
    const [, because_of = null] = /^builds on (.+), which failed$/.exec(task.reason) ?? [];
    found.push({
      task_id,
      title,
      reason: task.reason,
      stage: trouble?.stage ?? null,
      trouble: trouble?.why ?? null,
      because_of,
    });
  }
  return found;
}

/** The longest way through what is still to be done, by the plan's own estimates. */
export function criticalPathLeft(state: RunState): { minutes: number; tasks: string[] } {
  const { layout } = state;
  if (layout === null) return { minutes: 0, tasks: [] };
  const open = (i: number) => ["pending", "in_progress", "blocked"].includes(state.tasks.get(i).state.status);
  // A task has a higher rank than all that build on it, so rising ranks are the plan read backwards.
  const backwards = layout.plan.tasks.map((_, i) => i).filter(open);
  backwards.sort((a, b) => (layout.rank[a] as number) - (layout.rank[b] as number));
  const minutes = new Float64Array(layout.plan.tasks.length);
  const hops = new Uint32Array(layout.plan.tasks.length);
  const next = new Int32Array(layout.plan.tasks.length).fill(-1);
  const longer = (a: number, b: number) =>
    b < 0 ||
    (minutes[a] as number) > (minutes[b] as number) ||
    (minutes[a] === minutes[b] && (hops[a] as number) > (hops[b] as number));
  let start = -1;
  for (const i of backwards) {
    let best = -1;
    for (const follower of layout.dependents[i] ?? []) if (open(follower) && longer(follower, best)) best = follower;
    next[i] = best;
    const { planned, estimate } = taskAt(state, i);
    // The plan's figure; the estimate of the run, which is reserved, has a margin.
    minutes[i] = (planned?.minutes ?? estimate.minutes) + (best < 0 ? 0 : (minutes[best] as number));
    hops[i] = 1 + (best < 0 ? 0 : (hops[best] as number));
    if (longer(i, start)) start = i;
  }
  const tasks: string[] = [];
  for (let i = start; i >= 0; i = next[i] as number) tasks.push(taskAt(state, i).task_id);
  return { minutes: start < 0 ? 0 : Math.round((minutes[start] as number) * 100) / 100, tasks };
}
