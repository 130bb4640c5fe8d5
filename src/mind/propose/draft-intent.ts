import type { Diagnostic } from "../../model/diagnostic.js";
import { diagnosticsOf } from "../../model/diagnostic.js";
import type { IntentSpec } from "../../model/intent-spec.js";
import type { ExecutionIntent, IntentV100 } from "../../model/plan/intent.js";
import type { FactPack, MemoryPack } from "../../model/settings/packs.js";
import type { ExecutionPolicy } from "../../model/plan/policy.js";
import {
  higherRisk,
  type IntentEffect,
  type Mode,
  type ReviewCategory,
  type RiskLevel,
} from "../../model/primitives.js";
import { Proposal, type ProposedTask } from "../../model/proposal.js";
import type { CommandEntry, Registry, WorkflowEntry } from "../../model/plan/registry.js";
import { prepareRegistry } from "../plan/inputs.js";
import { sealIntent } from "../plan/inputs/seal-intent.js";
import type { Services } from "../plan/services.js";
import { budgetsOf, type Limits } from "./budgets.js";
import { areasOf } from "./areas.js";
import type { WorkEstimate } from "./estimates.js";
import { cutText, oneLine, slugOf, titleOf, replaceHalfCharacters } from "./words.js";

/** Everything that an intent is made from. */
export interface DraftInput {
  readonly proposal: unknown;
  readonly request: {
    readonly request_id: string;
    readonly text: string;
    readonly timestamp: string;
    /** Who asks. */
    readonly by: string;
    readonly limits: Limits;
  };
  readonly spec: IntentSpec | null;
  /** Evidence beside the request: decision records with their checksums, decisions of intake and routing. */
  readonly evidence: readonly string[];
  readonly acceptance: readonly string[];
  readonly registry: Registry;
  readonly policy: ExecutionPolicy;
  readonly facts: FactPack;
  readonly memory: MemoryPack | null;
  /** Estimates of the tasks; those of the registry when absent. */
  readonly work?: WorkEstimate;
  /** An accepted decision record has been approved; words are only proposed. */
  readonly status: "proposed" | "approved";
}

export type Drafted =
  | { readonly ok: true; readonly intent: ExecutionIntent }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/**
 * Make a sealed intent of a proposal.
 *
 * Contract: pure. An output that is not a proposal, or that names an unknown workflow, command or task, is refused with every
 * reason; nothing is mended by guessing. Whether the intent may be planned is for the plan engine to say.
 */
export function draftIntent(input: DraftInput, services: Services): Drafted {
  const parsed = Proposal.safeParse(input.proposal);
  if (!parsed.success) return { ok: false, problems: diagnosticsOf(parsed.error, "PROPOSAL_INVALID") };
  const proposal = parsed.data;
  const known = knownParts(proposal, input.registry);
  if (known.problems.length > 0) return { ok: false, problems: known.problems };
  const sealed = sealIntent(
    document(proposal, known, input, services),
    prepareRegistry(input.registry, services),
    services,
  );
  return sealed.ok ? { ok: true, intent: sealed.intent } : sealed;
}

interface Known {
  readonly workflow: WorkflowEntry | undefined;
  readonly commands: ReadonlyMap<string, CommandEntry>;
  readonly problems: readonly Diagnostic[];
}

/** A proposal is only a proposal: every name in it must be one that the registry has and lets be planned with. */
function knownParts(proposal: Proposal, registry: Registry): Known {
  const problems: Diagnostic[] = [];
  const refuse = (path: string, message: string, fix: string) =>
    problems.push({ code: "PROPOSAL_REFUSED", path, message, fix });
  const workflow = registry.workflows.find(({ id }) => id === proposal.workflow_id);
  if (workflow === undefined || workflow.status !== "active")
    refuse(
      "workflow_id",
      `there is no active workflow ${proposal.workflow_id} in the registry`,
      "`coordinator registry list` shows which there are.",
    );
  const ids = new Set(proposal.tasks.map(({ id }) => id));
  const commands = new Map<string, CommandEntry>();
  const seen = new Set<string>();
  for (const [at, task] of proposal.tasks.entries()) {
    const command = registry.commands.find(({ id }) => id === task.command_id);
    const owner = registry.agents.find(({ id }) => id === command?.owner);
    if (command === undefined || command.status !== "active")
      refuse(
        `tasks[${at}].command_id`,
        `there is no active command ${task.command_id} in the registry`,
        "A planner chooses among the registry's commands; `coordinator registry list` shows them.",
      );
    else if (owner === undefined || owner.status !== "active")
      refuse(`tasks[${at}].command_id`, `nobody active owns ${command.id}`, `Make the agent ${command.owner} active.`);
    else commands.set(command.id, command);
    if (seen.has(task.id)) refuse(`tasks[${at}].id`, `${task.id} stands twice`, "Give each task an id of its own.");
    seen.add(task.id);
    for (const needed of task.dependencies)
      if (!ids.has(needed) || needed === task.id)
        refuse(
          `tasks[${at}].dependencies`,
          `${task.id} cannot wait for ${needed}`,
          "Name another task of the proposal.",
        );
  }
  return { workflow, commands, problems };
}

function document(proposal: Proposal, { workflow, commands }: Known, input: DraftInput, services: Services): unknown {
  const { request, spec, policy, registry, facts } = input;
  const evidence = [...new Set([`request://${request.request_id}`, ...input.evidence, facts.pack_id])].map((ref) =>
    cutText(oneLine(ref), 256),
  );
  const planned = [...commands.values()].map((command) => {
    const tasks = proposal.tasks.filter(({ command_id }) => command_id === command.id);
    return {
      command_id: command.id,
      intent: cutText(tasks.map(({ title }) => oneLine(title)).join("; "), 800),
      effects: command.effects,
      risk_level: riskOf(command, tasks),
      evidence_refs: evidence.slice(0, 30),
    };
  });
  const overall = [...planned.map(({ risk_level }) => risk_level), ...proposal.risks.map(({ severity }) => severity)];
  const paths = [
    ...new Set([
      ...[...commands.values()].flatMap(({ writes }) => writes),
      ...proposal.tasks.flatMap(({ files, tests }) => [...files, ...tests]),
    ]),
  ];
  const title = titleOf(spec?.objective ?? request.text);
  const budgets = budgetsOf(proposal, commands, input);
  return {
    schema_version: "1.0.0",
    id: intentIdOf(request, services),
    type: "execution_intent",
    title,
    version: "1.0.0",
    status: input.status,
    created_at: request.timestamp,
    lineage: { introduced_in: "1.0.0", derived_from: [], supersedes: [] },
    scope: {
      project_id: facts.project_id,
      repo_root: ".",
      targets: { files: paths, modules: [], areas: areasOf(proposal.tasks) },
    },
    objective: {
      goal: cutText(replaceHalfCharacters(spec?.objective ?? request.text).trim() || title, 2000).padEnd(5, "."),
      success_criteria: criteriaOf(input, title),
      non_goals: (spec?.out_of_scope ?? []).slice(0, 20).map((line) => cutText(oneLine(line), 300)),
    },
    selected_workflows: [
      {
        workflow_id: proposal.workflow_id,
        phases: phasesOf(workflow, commands),
        reason: proposal.reason,
      },
    ],
    selected_agents: agentsOf(commands, registry),
    planned_commands: planned,
    interaction: interactionOf(policy),
    risk: {
      overall: overall.reduce<RiskLevel>(higherRisk, "low"),
      drivers: driversOf(proposal, planned),
      requires_review: reviewsOf(overall.reduce<RiskLevel>(higherRisk, "low"), planned),
    },
    budgets,
    evidence_refs: evidence,
    constraints: {
      execution: "forbidden",
      no_fabrication: true,
      registry_only: true,
      lock_scope: { mode: "files", paths },
    },
    audit: { created_by: cutText(oneLine(request.by), 128) || "somebody", source: "human" },
    tasks: proposal.tasks.map((task) => intentTask(task, commands, input)),
    ...(proposal.open_questions === undefined ? {} : { open_questions: proposal.open_questions }),
  } satisfies Omit<IntentV100, "audit"> & { audit: Omit<IntentV100["audit"], "checksum"> };
}

function intentTask(
  task: ProposedTask,
  commands: ReadonlyMap<string, CommandEntry>,
  { registry, work, request }: Pick<DraftInput, "registry" | "work" | "request">,
) {
  const share = work?.shares.get(task.id) ?? null;
  const isLimited = request.limits.tokens !== null || request.limits.seconds !== null;
  const most = isLimited ? undefined : work?.at_most.get(task.id);
  const { id, title, description, type, command_id, dependencies, priority, estimated_iterations, files, tests } = task;
  const { acceptance_criteria = [] } = task;
  const owner = registry.agents.find((agent) => agent.id === commands.get(command_id)?.owner);
  return {
    ...(task.adr === undefined ? {} : { adr: task.adr }),
    command_id,
    completion_promise: owner?.completion_promise ?? `${type.toUpperCase()}_COMPLETE`,
    dependencies,
    ...(description === "" && acceptance_criteria.length === 0
      ? {}
      : { description: taskDescription(description, acceptance_criteria) }),
    ...(share === null ? {} : { estimate: { ...(most === undefined ? {} : { at_most: most }), ...share } }),
    estimated_iterations,
    files,
    id,
    priority,
    tests,
    title: oneLine(title),
    type,
  };
}

/** The description that a builder gets; its acceptance criteria are never cut off. */
function taskDescription(description: string, criteria: readonly string[]): string {
  if (criteria.length === 0) return replaceHalfCharacters(description);
  const done = cutText(["Done when:", ...criteria.map((line) => `- ${oneLine(line)}`)].join("\n"), 2000);
  return `${cutText(replaceHalfCharacters(description), MOST_DESCRIPTION - done.length - 2)}\n\n${done}`.trimStart();
}

const MOST_DESCRIPTION = 4000;

/** An id that says what it is about and is the same for the same request. */
function intentIdOf({ request_id, text }: DraftInput["request"], { sha256 }: Services): string {
  const words = slugOf(text).replaceAll("-", "_");
  return `intent_${words}_${sha256(JSON.stringify([request_id, text])).slice(0, 8)}`;
}

/** Who looks at the finished work whatever rules say: those whom its effects concern, and only where much is at stake. */
function reviewsOf(
  overall: RiskLevel,
  planned: readonly { readonly effects: readonly IntentEffect[] }[],
): ReviewCategory[] {
  const effects = new Set(planned.flatMap((command) => command.effects));
  if ((overall !== "high" && overall !== "critical") || !(effects.has("write") || effects.has("deploy"))) return [];
  const concerned: ReviewCategory[] = [
    ...(effects.has("data") ? (["data"] as const) : []),
    ...(effects.has("deploy") ? (["release"] as const) : []),
  ];
  return concerned.length > 0 ? concerned : ["architecture"];
}

/** Only reading, or only pages and tests: low. What reaches data or users: high. */
function riskOf({ effects }: CommandEntry, tasks: readonly ProposedTask[]): RiskLevel {
  if (effects.includes("deploy") || effects.includes("data")) return "high";
  if (!effects.includes("write")) return "low";
  return tasks.every(({ type }) => type === "docs" || type === "test") ? "low" : "medium";
}

function driversOf(
  proposal: Proposal,
  planned: readonly { readonly command_id: string; readonly risk_level: string }[],
) {
  const named = proposal.risks.map(({ risk }) => cutText(oneLine(risk), 200));
  const commands = planned.map(({ command_id, risk_level }) => `${command_id} is of ${risk_level} risk`);
  return [...named, ...commands].slice(0, 20);
}

function criteriaOf({ spec, acceptance }: DraftInput, title: string): string[] {
  const required = spec?.requirements.map(({ id, description }) => `${id}: ${oneLine(description)}`) ?? [];
  const said = required.length > 0 ? required : acceptance.map(oneLine).filter((line) => line.length >= 3);
  const criteria = said.length > 0 ? said : [`Done: ${title}`];
  return [...criteria.slice(0, 19), "No check that passed before fails now"].map((line) => cutText(line, 300));
}

/** The workflow's phases that have work, in its order; phases of other workflows' commands behind them. */
function phasesOf(workflow: WorkflowEntry | undefined, commands: ReadonlyMap<string, CommandEntry>) {
  const used = new Set([...commands.values()].map(({ phase }) => phase));
  const own = (workflow?.phases ?? []).map(({ phase }) => phase).filter((phase) => used.has(phase));
  return [...new Set([...own, ...used])];
}

function agentsOf(commands: ReadonlyMap<string, CommandEntry>, registry: Registry) {
  const owners = new Set([...commands.values()].map(({ owner }) => owner));
  return registry.agents
    .filter(({ id }) => owners.has(id))
    .map(({ id, title, responsibilities }) => ({
      agent_id: id,
      role: cutText(oneLine(title), 80),
      responsibilities: responsibilities.slice(0, 12),
    }));
}

/** As free as the policy lets it be, short of never asking: what blocks is asked, the rest takes its fallback. */
function interactionOf({ most_autonomy, question_budget }: ExecutionPolicy) {
  const mode: Mode = most_autonomy === "interactive" ? "interactive" : "semi_auto";
  return { mode, question_budget: Math.min(20, question_budget), question_policy: "blockers_only" as const };
}
