import type { Diagnostic } from "../../model/diagnostic.js";
import type { Proposal, ProposedTask } from "../../model/proposal.js";
import { type Registry, unsafePath, type WorkflowEntry } from "../../model/plan/registry.js";

/**
 * Whether a proposal may be made into an intent: it names nothing that the registry does not have, no file outside of
 * the repository, and its tasks can be put in an order.
 *
 * Contract: pure. No problems: it may. What its commands may do is for the rules of planning to judge, and not judged
 * here.
 */
export function judgeProposal(proposal: Proposal, registry: Registry): readonly Diagnostic[] {
  const workflow = registry.workflows.find(({ id }) => id === proposal.workflow_id);
  const known = judgeName("workflow", "workflow_id", proposal.workflow_id, workflow, registry.workflows);
  return [
    ...known,
    ...proposal.tasks.flatMap((task, i) => [
      ...commandProblems(task, `tasks[${i}]`, workflow, registry),
      ...pathProblems(task, `tasks[${i}]`),
    ]),
    ...orderProblems(proposal.tasks),
  ];
}

interface Named {
  readonly id: string;
  readonly status: string;
}

function judgeName(
  kind: string,
  path: string,
  id: string,
  found: Named | undefined,
  all: readonly Named[],
): Diagnostic[] {
  const active = all.filter(({ status }) => status === "active").map((each) => each.id);
  const fix = `Use one of ${active.join(", ")}.`;
  if (found === undefined)
    return [{ code: "REGISTRY_MISSING", path, message: `there is no ${kind} ${id} in the registry`, fix }];
  if (found.status !== "active")
    return [{ code: "REGISTRY_INACTIVE", path, message: `the ${kind} ${id} is ${found.status}`, fix }];
  return [];
}

function commandProblems(
  { command_id }: ProposedTask,
  at: string,
  workflow: WorkflowEntry | undefined,
  { commands }: Registry,
): Diagnostic[] {
  const command = commands.find(({ id }) => id === command_id);
  const problems = judgeName("command", `${at}.command_id`, command_id, command, commands);
  if (command === undefined || workflow === undefined) return problems;
  if (workflow.phases.some(({ phase }) => phase === command.phase)) return problems;
  return [
    ...problems,
    refusedEntry(
      `${at}.command_id`,
      `${command_id} belongs to the phase ${command.phase}, which ${workflow.id} does not have`,
      `Use a command of ${workflow.phases.map(({ phase }) => phase).join(", ")}, or another workflow.`,
    ),
  ];
}

/** Folders that no task may write: git's own files, and those of the Coordinator. */
const KEPT = new Set([".git", ".coordinator"]);

function pathProblems(task: ProposedTask, at: string): Diagnostic[] {
  return (["files", "tests"] as const).flatMap((list) =>
    task[list].flatMap((path, i) => {
      const kept = path.split("/").find((segment) => KEPT.has(segment.toLowerCase()));
      const why = unsafePath(path) ?? (kept === undefined ? null : `it leads into ${kept}`);
      if (why === null) return [];
      const fix = "Name paths from the root of the repository, without a leading / and without ..";
      return [refusedEntry(`${at}.${list}[${i}]`, `${path} is not a safe path: ${why}`, fix)];
    }),
  );
}

function orderProblems(tasks: readonly ProposedTask[]): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const first = new Map<string, number>();
  tasks.forEach(({ id }, i) => {
    const before = first.get(id);
    if (before === undefined) first.set(id, i);
    else
      problems.push(
        refusedEntry(`tasks[${i}].id`, `${id} is the id of tasks[${before}] too`, "Give every task its own id."),
      );
  });
  tasks.forEach(({ dependencies }, i) =>
    dependencies.forEach((id, k) => {
      if (first.has(id)) return;
      const fix = "Name tasks of this proposal only.";
      problems.push(refusedEntry(`tasks[${i}].dependencies[${k}]`, `there is no task ${id}`, fix));
    }),
  );
  const circle = circular(tasks);
  if (circle.length > 0)
    problems.push(
      refusedEntry("tasks", `${circle.join(", ")} wait for each other`, "Take away one of these dependencies."),
    );
  return problems;
}

/** The tasks that can never start, because they wait for themselves in the end. */
function circular(tasks: readonly ProposedTask[]): string[] {
  const waiting = new Map(tasks.map(({ id, dependencies }) => [id, dependencies]));
  for (let went = true; went;) {
    went = false;
    for (const [id, dependencies] of waiting)
      if (!dependencies.some((each) => waiting.has(each))) went = waiting.delete(id);
  }
  return [...waiting.keys()];
}

function refusedEntry(path: string, message: string, fix: string): Diagnostic {
  return { code: "PROPOSAL_REFUSED", path, message, fix };
}
