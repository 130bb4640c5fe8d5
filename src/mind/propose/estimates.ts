import type { MemoryPack } from "../../model/settings/packs.js";
import type { Proposal, ProposedTask } from "../../model/proposal.js";
import type { CommandEntry, Registry } from "../../model/plan/registry.js";
import type { ResourceEstimate } from "../../model/request.js";
import type { TaskType } from "../../model/task.js";
import { ratiosOf } from "../plan/rules/actions.js";
import { ENOUGH_SAMPLES, estimateAction, round } from "../plan/models/route-models.js";

/*
 * Estimates of the tasks of a proposal. There is one estimate, intake's: it is shared out among the tasks by what the
 * registry says of their commands, so what intake approved and what is planned are the same figure. It grows only where the
 * planner found more work than the words show, or where earlier runs taught that such tasks take more. Tokens and time
 * only: what they cost follows from who works.
 */

export interface TaskEstimate {
  readonly tokens: number;
  readonly minutes: number;
}

export interface WorkEstimate {
  /** The estimate written into the intent for a task; null where measured figures count for more. */
  readonly shares: ReadonlyMap<string, TaskEstimate | null>;
  /** The limit at which a task is stopped, where no person set one: the figure of its command in the registry. */
  readonly at_most: ReadonlyMap<string, TaskEstimate>;
  /** The estimates corrected by earlier runs: the figures of the plan. */
  readonly expected: ReadonlyMap<string, TaskEstimate>;
  readonly tokens: number;
  readonly seconds: number;
}

export interface EstimateInput {
  readonly proposal: Proposal;
  /** The template's proposal for the same words, which intake has estimated. */
  readonly usual: Proposal;
  readonly estimate: Pick<ResourceEstimate, "tokens" | "time_seconds"> | null;
  readonly registry: Registry;
  readonly memory: MemoryPack | null;
}

/** Contract: pure and total; a task of an unknown command takes nothing, for it is refused elsewhere. */
export function estimateWork({ proposal, usual, estimate, registry, memory }: EstimateInput): WorkEstimate {
  const commands = new Map(registry.commands.map((command) => [command.id, command]));
  const weightOf = ({ command_id }: ProposedTask) => weight(commands.get(command_id));
  const all = sum(proposal.tasks.map(weightOf));
  const more = moreWork(all, sum(usual.tasks.map(weightOf)));
  const shares = new Map<string, TaskEstimate | null>();
  const expected = new Map<string, TaskEstimate>();
  const at_most = new Map<string, TaskEstimate>();
  for (const task of proposal.tasks) {
    const command = commands.get(task.command_id);
    if (command === undefined) continue;
    const share = all === 0 ? 0 : (weightOf(task) / all) * more;
    const own =
      estimate === null || isMeasured(command, memory)
        ? null
        : { tokens: Math.floor(estimate.tokens * share), minutes: round((estimate.time_seconds / 60) * share) };
    shares.set(task.id, own);
    at_most.set(task.id, estimateOf(command, task.type, memory, null));
    expected.set(task.id, estimateOf(command, task.type, memory, own));
  }
  return {
    shares,
    expected,
    at_most,
    tokens: sum([...expected.values()].map(({ tokens }) => tokens)),
    seconds: Math.ceil(round(sum([...expected.values()].map(({ minutes }) => minutes)) * 60)),
  };
}

/** Estimates a task: its share, else what earlier runs measured, else the registry's figure, as the plan engine has it. */
export function estimateOf(
  command: CommandEntry,
  type: TaskType,
  memory: MemoryPack | null,
  own: TaskEstimate | null,
): TaskEstimate {
  const history = memory?.history.find(({ command_id }) => command_id === command.id);
  const ratio = ratiosOf(memory)(command.id, type);
  const task = own === null ? undefined : { estimate: own };
  const { tokensIn, tokensOut, minutes } = estimateAction({ task, entry: command, history, ratio });
  return { tokens: tokensIn + tokensOut, minutes };
}

function isMeasured({ id }: CommandEntry, memory: MemoryPack | null): boolean {
  return (memory?.history.find(({ command_id }) => command_id === id)?.samples ?? 0) >= ENOUGH_SAMPLES;
}

/** How much more the proposal is than what the words show; a smaller one is not taken to be cheaper. */
function moreWork(proposed: number, usual: number): number {
  return usual === 0 ? 1 : Math.max(1, proposed / usual);
}

const weight = (command: CommandEntry | undefined): number =>
  command === undefined ? 0 : command.estimate.tokens_in + command.estimate.tokens_out;

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
