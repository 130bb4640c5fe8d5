import type { Contract, ContractTrigger } from "../model/contract.js";
import { CoordinatorError } from "../model/errors.js";
import { howToList, unlistedActions } from "./unlisted.js";

/** What a contract says of an action, with the clause that says it. */
export type Permission =
  | { readonly status: "allowed" }
  | { readonly status: "needs_approval"; readonly clause: string }
  | { readonly status: "forbidden"; readonly clause: string };

/** Contract: pure and total. What no list names needs approval: nothing is allowed by being left out. */
export function permit(contract: Contract, action: string): Permission {
  const within = (list: readonly string[]) => list.includes(action);
  if (within(contract.forbidden_actions)) return { status: "forbidden", clause: `forbidden_actions: ${action}` };
  if (within(contract.requires_approval)) return { status: "needs_approval", clause: `requires_approval: ${action}` };
  if (within(contract.allowed_actions)) return { status: "allowed" };
  return { status: "needs_approval", clause: `${action} stands in none of its lists` };
}

export function reactsTo({ triggers }: Contract, trigger: ContractTrigger): boolean {
  return triggers.includes(trigger);
}

/** A contract, where it stands, and whether a person has approved what it wants approved. */
export interface InForce {
  readonly contract: Contract;
  /** The project's own file; null for the one that is shipped. */
  readonly file: string | null;
  readonly approved: boolean;
}

/** What of these the contract wants approved and a person has approved, each with the clause. Contract: pure. */
export function approvedByPerson(
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
 * Contract: throws CONTRACT_FORBIDS with the clause, whoever approves; CONTRACT_APPROVAL when nobody has approved it.
 */
export function requireAction({ contract, file, approved }: InForce, action: string): void {
  const found = permit(contract, action);
  const where = file ?? "the contract that is shipped";
  if (found.status === "forbidden")
    throw new CoordinatorError("CONTRACT_FORBIDS", `The contract forbids this: ${found.clause}, in ${where}`, {
      fix: "Nobody may approve what is forbidden. Whoever answers for the contract may change it.",
    });
  if (found.status === "needs_approval" && !approved)
    throw new CoordinatorError("CONTRACT_APPROVAL", `A person has to approve this: ${found.clause}, in ${where}`, {
      fix: fixFor({ contract, file }, action),
    });
}

/** Whoever comes from an older version is told everything at once that it did not know of. */
function fixFor({ contract, file }: Pick<InForce, "contract" | "file">, action: string): string {
  const unlisted = unlistedActions(contract);
  if (file === null || !unlisted.some((one) => one === action))
    return `Approve it with --yes, or put ${action} into allowed_actions.`;
  return `Approve it with --yes, or ${howToList(unlisted, file)}`;
}
