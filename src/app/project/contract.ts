import type { InForce } from "../../mind/contract/permit.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RunPolicy } from "../../model/run.js";
import type { EventReader } from "../../hands/store/event-store.js";
import { foldAll } from "../inspect/runs-at.js";

/**
 * Whether work that nobody ordered just now is carried out without being approved once more. Only a contract of the
 * project's own says so: without one, nobody here has agreed to that.
 */
export function isAutomatic({ contract, file }: InForce): boolean {
  return file !== null && contract.behaviors.auto_assign_tasks;
}

/**
 * How many tasks a run works on at once: what its settings say, within the project's own contract. The shipped contract
 * limits nothing that a person has configured.
 *
 * Contract: throws CONTRACT_LIMIT when somebody asks for more than the contract allows.
 */
export function concurrencyWithin(
  { contract, file }: InForce,
  configured: RunPolicy["max_concurrent_tasks"],
  asked: number | undefined,
): number {
  if (file === null) return asked ?? configured;
  const most = contract.limits.max_concurrent_tasks;
  if (asked !== undefined && asked > most)
    throw limitError(`limits.max_concurrent_tasks is ${most}, and ${asked} were asked for`, file);
  return Math.min(asked ?? configured, most);
}

/**
 * How many tasks may be worked on at once over all runs of the project: what its own contract says. Undefined where it has
 * none, since each run has a limit of its own.
 */
export function mostAtOnce({ contract, file }: InForce): number | undefined {
  return file === null ? undefined : contract.limits.max_concurrent_tasks;
}

/** How many more tasks the queue takes: the limit less the open tasks of all runs that are not over. */
export async function roomInQueue({ contract }: InForce, reader: EventReader): Promise<number> {
  let open = 0;
  for (const each of await foldAll(reader, "open"))
    if ("run" in each) {
      const { tasks, completed, failed, dropped } = each.run.state;
      open += tasks.length - completed - failed - dropped;
    }
  return contract.limits.max_queue_size - open;
}

export function queueFull({ contract, file }: InForce, room: number, tasks: number): CoordinatorError {
  const most = contract.limits.max_queue_size;
  const taken = most - room;
  return limitError(
    `limits.max_queue_size is ${most}: ${taken} tasks are open, and the plan has ${tasks}`,
    file ?? "the contract that is shipped",
  );
}

function limitError(message: string, where: string): CoordinatorError {
  return new CoordinatorError("CONTRACT_LIMIT", `${message} (${where})`, {
    fix: "Let runs end or cancel them, ask for less at once, or raise the limit in governance/contracts/coordinator.yaml.",
  });
}
