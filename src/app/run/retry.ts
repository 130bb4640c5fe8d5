import { agentSettings } from "../../hands/attempts/agents-of.js";
import type { Decider, EscalationOrder } from "../../model/run.js";
import { foldRun } from "../inspect/fold-run.js";
import { findRun } from "../inspect/find.js";
import { openEntries } from "../inspect/open-entries.js";
import { EXIT } from "../exit-codes.js";
import { fail, type Finished } from "../report.js";
import type { CommandContext } from "../command-context.js";
import { decideEntry } from "../decide/decide-entry.js";
import { findTask } from "./find-task.js";
import { type Reader, withRuns } from "../inspect/runs-at.js";

export interface RetryArguments {
  readonly run: string;
  readonly task: string;
  readonly approve: boolean;
  readonly agent: string | undefined;
  readonly note: string | undefined;
  readonly by: string | undefined;
  readonly waitMs: number;
  /** How they said so; by the command when absent. */
  readonly via?: Decider["via"] | undefined;
}

/**
 * Another attempt at a task that waits on a person: the answer to its escalation.
 *
 * Contract: as `decideEntry`. A task that waits on nobody is refused, and nothing is recorded.
 */
export async function retryTask(args: RetryArguments, context: CommandContext): Promise<Finished> {
  const found = await withRuns(context.project, (reader) => escalationOf(reader, args, context));
  if ("exitCode" in found) return found;
  const { agent, note, by, waitMs, via } = args;
  const order: EscalationOrder = {
    action: "retry",
    ...(agent === undefined ? {} : { agent }),
    ...(note === undefined ? {} : { note }),
  };
  const decision = { kind: "order", order } as const;
  return decideEntry({ id: found.id, decision, by, as: undefined, run: found.run, waitMs, via }, context);
}

async function escalationOf(
  reader: Reader,
  { run: wanted, task: named, approve, agent }: RetryArguments,
  { project }: CommandContext,
): Promise<{ readonly id: string; readonly run: string } | Finished> {
  const run = await findRun(reader, wanted);
  const folded = await foldRun(reader, run);
  const found = findTask(folded.state, named);
  if ("exitCode" in found) return found;
  const { task_id } = found.task;
  const waiting = openEntries(folded, true).filter((entry) => entry.task_id === task_id);
  const escalation = waiting.find(({ kind }) => kind === "escalation");
  if (escalation === undefined) {
    const { status } = folded.state.tasks.get(found.index).state;
    const [first] = waiting;
    return fail(EXIT.invalid, "USAGE", `${task_id} is ${status.replace("_", " ")} and waits on no escalation`, {
      fix:
        first === undefined
          ? "Only a task that is blocked on an escalation can be tried again; coordinator inbox lists them."
          : `It waits on something else: ${first.commands[0] ?? "coordinator inbox"}`,
    });
  }
  if (!approve)
    return fail(EXIT.invalid, "USAGE", `${task_id} waits on you: ${escalation.about}`, {
      fix: `Another attempt is yours to order: coordinator retry ${run} ${task_id} --approve`,
    });
  if (agent !== undefined) {
    const loaded = await project.settings();
    // Refused here and not by the run: an order that nobody can carry out must not stand in its log.
    agentSettings(agent, loaded.configuration, []);
  }
  return { id: escalation.id, run };
}
