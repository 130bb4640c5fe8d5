import type { ModelDecision } from "../../model/plan/decision.js";
import type { ActionNode, ExecutionGraph, GraphNode, ReviewNode } from "../../model/plan/graph.js";
import type { PlanManifest } from "../../model/plan/manifest.js";
import type { ReviewPack } from "../../model/plan/review.js";
import { UNLIMITED } from "../../model/amount-names.js";
import type { PlanRef, RunGate, RunTask } from "../../model/run.js";

/** A frozen plan as a run needs it. */
export interface PlannedRun {
  readonly plan: PlanRef;
  /** Reviews of the finished work that no task comes after: they are due before it is merged, and hold up no task. */
  readonly reviews_before_merge: readonly RunGate[];
}

/** The parts that execution adds to a task: its agent and its scope. */
export type Equip = (node: ActionNode, task: RunTask, share: TaskShare) => Partial<RunTask>;

/** How much of the whole one task is. */
export interface TaskShare {
  /** Its part of all tokens and of all minutes that are planned, from 0 to 1. */
  readonly tokens: number;
  readonly minutes: number;
  /** The budget of the whole run. */
  readonly budget_tokens: number;
}

/** The way to a node: the actions that come before it, and the reviews in between. */
interface Before {
  readonly actions: ReadonlySet<string>;
  readonly gates: ReadonlySet<string>;
}

const NOTHING_BEFORE: Before = { actions: new Set(), gates: new Set() };

/**
 * The tasks, gates and budget of a frozen plan. Phases, decisions and questions are not work: what they order becomes
 * dependencies between the actions on both sides, and a review on such a way holds up the task behind it.
 *
 * Contract: pure; the graph is one that a verified plan holds, DONE and without cycles. Tasks stand in the plan's own
 * topological order.
 */
export function planRefOf(
  graph: ExecutionGraph,
  review: ReviewPack,
  { plan_id, plan_checksum }: Pick<PlanManifest, "plan_id" | "plan_checksum">,
  equip: Equip = () => ({}),
): PlannedRun {
  const nodes = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const before = predecessorsOf(graph, nodes);
  const order = graph.metadata.topological_order.flatMap((id) => nodes.get(id) ?? []);
  const actions = order.filter((node): node is ActionNode => node.node_type === "action_proposal");
  const names = taskIds(actions);
  const counted = new Set<string>();
  const shareOf = sharesOf(actions, review.estimate.budget.tokens);
  const tasks = actions.map((node): RunTask => {
    const { actions: earlier, gates } = before.get(node.node_id) ?? NOTHING_BEFORE;
    const { task } = node.metadata;
    const chosen = review.models.find(({ decision_id }) => decision_id === node.metadata.model_decision);
    const planned: RunTask = {
      task_id: names.get(node.node_id) ?? node.node_id,
      title: node.label,
      ...describeWithDecisions(task?.description, node.metadata.parameters),
      builder: node.metadata.owner,
      ...(task === undefined ? {} : sourceOf(task)),
      // Inside one attempt a builder may go back to its work twice as often as was thought.
      ...(task === undefined ? {} : { iterations: task.estimated_iterations * 2 }),
      agent: node.metadata.owner,
      ...(chosen === undefined ? {} : modelOf(chosen)),
      phase: node.metadata.phase,
      priority: node.metadata.task?.priority ?? "P2",
      dependencies: [...earlier].map((id) => names.get(id) ?? id),
      estimate: { ...estimateOf(node), files: newFiles(node, counted) },
      gates: [...gates],
      planned: plannedFigures(node),
    };
    return { ...planned, ...equip(node, planned, shareOf(planned.estimate)) };
  });
  const holding = new Set(tasks.flatMap(({ gates }) => gates));
  const reviews = order.filter((node): node is ReviewNode => node.node_type === "review_gate");
  const { files, commits, tokens, cost_usd } = review.estimate.budget;
  return {
    plan: {
      plan_id,
      plan_checksum,
      tasks,
      gates: reviews.filter(({ node_id }) => holding.has(node_id)).map(gateOf),
      budget: { tokens, cost_usd, minutes: UNLIMITED, files, commits, api_calls: UNLIMITED },
    },
    reviews_before_merge: reviews.filter(({ node_id }) => !holding.has(node_id)).map(gateOf),
  };
}

function sharesOf(actions: readonly ActionNode[], budget_tokens: number) {
  const all = actions.map(estimateOf);
  const tokens = all.reduce((sum, each) => sum + each.tokens, 0);
  const minutes = all.reduce((sum, each) => sum + each.minutes, 0);
  const part = (own: number, of: number) => (of === 0 ? 1 : own / of);
  return (own: { readonly tokens: number; readonly minutes: number }): TaskShare => ({
    tokens: part(own.tokens, tokens),
    minutes: part(own.minutes, minutes),
    budget_tokens,
  });
}

/** The text for a builder: the task, and what people or defaults decided about how it is carried out. */
function describeWithDecisions(description: string | undefined, parameters: Readonly<Record<string, string>> = {}) {
  const decided = Object.entries(parameters).map(([name, answer]) => `- ${name.replaceAll("_", " ")}: ${answer}`);
  if (decided.length === 0) return description === undefined ? {} : { description };
  const lines = ["Decided for this plan:", ...decided].join("\n");
  return { description: description === undefined ? lines : `${description}\n\n${lines}` };
}

/** Who does it with which model, and who takes over. Without an agent a decision only advises. */
function modelOf({
  agent,
  model,
  fallbacks,
  data_sensitivity,
  decision_id,
  reason,
  rejected,
}: ModelDecision): Partial<RunTask> {
  if (agent === undefined) return { data_sensitivity };
  return {
    agent,
    ...(model === null ? {} : { model }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    model_choice: { decision_id, reason, rejected: rejected.slice(0, 100) },
    data_sensitivity,
  };
}

/** The fields of a task that a run passes on and does not read. */
function sourceOf({ type, adr, completion_promise, files, tests }: NonNullable<ActionNode["metadata"]["task"]>) {
  return { type, ...(adr === undefined ? {} : { adr }), completion_promise, files, tests };
}

function predecessorsOf(graph: ExecutionGraph, nodes: ReadonlyMap<string, GraphNode>): Map<string, Before> {
  const incoming = new Map<string, string[]>();
  for (const { from_node, to_node } of graph.edges) {
    const known = incoming.get(to_node);
    if (known === undefined) incoming.set(to_node, [from_node]);
    else known.push(from_node);
  }
  const before = new Map<string, Before>();
  for (const id of graph.metadata.topological_order) {
    const from = incoming.get(id) ?? [];
    const actions = new Set<string>();
    const gates = new Set<string>();
    for (const earlier of from) {
      const node = nodes.get(earlier);
      if (node?.node_type === "action_proposal") actions.add(earlier);
      else {
        const passed = before.get(earlier) ?? NOTHING_BEFORE;
        for (const action of passed.actions) actions.add(action);
        for (const gate of passed.gates) gates.add(gate);
        if (node?.node_type === "review_gate") gates.add(earlier);
      }
    }
    before.set(id, { actions, gates });
  }
  return before;
}

/** The shortest name people know an action by, where it names one action only. */
function taskIds(actions: readonly ActionNode[]): Map<string, string> {
  const short = ({ command_ref, metadata }: ActionNode) => metadata.task?.id ?? command_ref;
  const times = new Map<string, number>();
  for (const action of actions) times.set(short(action), (times.get(short(action)) ?? 0) + 1);
  return new Map(
    actions.map((action) => [action.node_id, times.get(short(action)) === 1 ? short(action) : action.node_id]),
  );
}

/** The amounts to set aside for a task: its estimate, or what it may take at most where nobody limited the whole. */
function estimateOf({ effects, metadata: { estimate, task } }: ActionNode) {
  const { tokens, cost_usd, minutes } = estimate;
  const most = task?.estimate?.at_most ?? { tokens: 0, minutes: 0 };
  const times = tokens === 0 ? 1 : Math.max(1, most.tokens / tokens);
  return {
    tokens: Math.max(tokens, most.tokens),
    cost_usd: cost_usd * times,
    minutes: Math.max(minutes, most.minutes),
    commits: effects.includes("write") ? 1 : 0,
    api_calls: 0,
  };
}

function plannedFigures({ command_ref, metadata: { estimate, task } }: ActionNode): RunTask["planned"] {
  const { tokens, minutes, cost_usd, source, before_learning: before } = estimate;
  return {
    command_id: command_ref,
    task_type: task?.type ?? null,
    tokens,
    minutes,
    cost_usd,
    source,
    ...(before === undefined ? {} : { before_learning: { tokens: before.tokens, minutes: before.minutes } }),
  };
}

/** The plan counts a file once, no matter who writes it: the first task that does sets it aside. */
function newFiles({ effects, metadata: { writes = [] } }: ActionNode, counted: Set<string>): number {
  if (!effects.includes("write")) return 0;
  const fresh = [...new Set(writes)].filter((path) => !counted.has(path));
  for (const path of fresh) counted.add(path);
  return fresh.length;
}

function gateOf({ node_id, metadata: { category, reviewers } }: ReviewNode): RunGate {
  return { gate_id: node_id, category, reviewers: [...reviewers] };
}
