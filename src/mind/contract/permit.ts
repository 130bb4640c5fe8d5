import {
  BY_ITSELF,
  type Contract,
  CONTRACT_LISTS,
  type ContractAction,
  type ContractTrigger,
} from "../../model/settings/contract.js";
import { CoordinatorError } from "../../model/errors.js";
import type { TaskChange } from "../../model/run.js";
import { isLooking, specifiedAction } from "./stands-for.js";

/** The decision of a contract about an action, with its clause. */
export type Permission =
  | { readonly status: "allowed" }
  | { readonly status: "needs_approval"; readonly clause: string }
  | { readonly status: "forbidden"; readonly clause: string };

/**
 * Contract: pure and total. The list that names the action decides; without one, the list that names what the action is
 * a part of (`stands-for.ts`). An action that neither names needs approval: nothing is allowed by being left out.
 */
export function permit(contract: Contract, action: string): Permission {
  const found = findClause(contract, action);
  if (found !== null)
    return permission(
      found.list,
      `${found.list}: ${found.name}${found.name === action ? "" : ` (${action} is a part of it)`}`,
    );
  if (isLooking(action)) return { status: "allowed" };
  const wider = specifiedAction(action);
  const why = wider === null ? "" : `, nor does ${wider}, which it is a part of`;
  return { status: "needs_approval", clause: `${action} is in none of its lists${why}` };
}

/** Decides about a change of a task by the contract. Contract: pure. No list permits a deletion without approval. */
export function permitChange(contract: Contract, action: TaskChange["action"]): Permission {
  const found = permit(contract, action);
  if (action !== "delete_task" || found.status !== "allowed") return found;
  return { status: "needs_approval", clause: "delete_without_approval is forbidden, whatever allowed_actions says" };
}

type List = (typeof CONTRACT_LISTS)[number];

/** The list that decides on an action, and the name that stands in it; null when none does. */
function findClause(contract: Contract, action: string): { readonly list: List; readonly name: string } | null {
  for (const name of [action, specifiedAction(action)]) {
    const list = CONTRACT_LISTS.find((each) => contract[each].some((listed) => listed === name));
    if (name !== null && list !== undefined) return { list, name };
  }
  return null;
}

function permission(list: List, clause: string): Permission {
  switch (list) {
    case "forbidden_actions":
      return { status: "forbidden", clause };
    case "requires_approval":
      return { status: "needs_approval", clause };
    case "allowed_actions":
      return { status: "allowed" };
  }
}

export function reactsTo({ triggers }: Contract, trigger: ContractTrigger): boolean {
  return triggers.includes(trigger);
}

/** Contract: throws CONTRACT_FORBIDS when the contract has the Coordinator not react to this. */
export function requireTrigger({ contract, file }: Pick<InForce, "contract" | "file">, trigger: ContractTrigger): void {
  if (reactsTo(contract, trigger)) return;
  const where = file ?? "the contract that is shipped";
  throw new CoordinatorError("CONTRACT_FORBIDS", `The contract does not react to ${trigger}: triggers, in ${where}`, {
    fix: `Add ${trigger} to its triggers, or order the work by hand.`,
  });
}

/** A contract, where it stands, and whether a person has approved what it wants approved. */
export interface InForce {
  readonly contract: Contract;
  /** The project's own file; null for the one that is shipped. */
  readonly file: string | null;
  readonly approved: boolean;
}

/** Selects actions that the contract wants approved and a person has approved, each with the clause. Contract: pure. */
export function listApprovedByPerson(
  { contract, approved }: InForce,
  actions: readonly string[],
): { readonly action: string; readonly clause: string }[] {
  return [...new Set(actions)].flatMap((action) => {
    const found = permit(contract, action);
    return approved && found.status === "needs_approval" ? [{ action, clause: found.clause }] : [];
  });
}

/** Whether this may be done: allowed, or approved beforehand. Contract: pure. */
export function isPermitted({ contract, approved }: InForce, action: string): boolean {
  const { status } = permit(contract, action);
  return status === "allowed" || (status === "needs_approval" && approved);
}

/**
 * Go on only when the contract lets this be done.
 *
 * Contract: throws CONTRACT_FORBIDS with the clause, no matter who approves; CONTRACT_APPROVAL when nobody has approved it.
 */
export function requireAction({ contract, file, approved }: InForce, action: string): void {
  const found = permit(contract, action);
  const where = file ?? "the contract that is shipped";
  if (found.status === "forbidden")
    throw new CoordinatorError("CONTRACT_FORBIDS", `The contract forbids this: ${found.clause}, in ${where}`, {
      fix: "Nobody may approve what is forbidden. The person who answers for the contract may change it.",
    });
  if (found.status === "needs_approval" && !approved)
    throw new CoordinatorError("CONTRACT_APPROVAL", `A person has to approve this: ${found.clause}, in ${where}`, {
      fix: fixFor({ contract, file }, action),
    });
}

/** Lists actions that the shipped contract lets this version do by itself, and this contract does not list. Contract: pure. */
export function unlistedActions(contract: Contract): ContractAction[] {
  return BY_ITSELF.filter((action) => !isLooking(action) && findClause(contract, action) === null);
}

/** `add under allowed_actions of FILE, one a line: - anchor_run, - notify_person`. Contract: pure. */
export function howToList(actions: readonly ContractAction[], file: string): string {
  const lines = actions.map((action) => `"  - ${action}"`).join(" ");
  return `add what it may do by itself under allowed_actions of ${file}, a line each: ${lines}`;
}

/** After an update, one message names all actions that the older version did not know. */
function fixFor({ contract, file }: Pick<InForce, "contract" | "file">, action: string): string {
  const unlisted = unlistedActions(contract);
  if (file === null || !unlisted.some((one) => one === action))
    return `Approve it with --yes, or put ${action} into allowed_actions.`;
  return `Approve it with --yes, or ${howToList(unlisted, file)}`;
}
