import { BY_ITSELF, type Contract, type ContractAction } from "../model/contract.js";

/*
 * A contract that an older version wrote does not know what a newer one can do. What stands in none of its lists needs
 * approval, and that stays so: nobody but whoever answers for the contract may add to it. They are told what to add.
 */

/** What this version does by itself under the shipped contract, and what this contract says nothing of. Contract: pure. */
export function unlistedActions(contract: Contract): ContractAction[] {
  const listed = new Set([...contract.allowed_actions, ...contract.forbidden_actions, ...contract.requires_approval]);
  return BY_ITSELF.filter((action) => !listed.has(action));
}

/** `add under allowed_actions of FILE, one a line: - anchor_run, - notify_person`. Contract: pure. */
export function howToList(actions: readonly ContractAction[], file: string): string {
  const lines = actions.map((action) => `"  - ${action}"`).join(" ");
  return `add what it may do by itself under allowed_actions of ${file}, a line each: ${lines}`;
}
