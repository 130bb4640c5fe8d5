import type { ContractAction } from "../../model/settings/contract.js";

/*
 * The specification's contract names seven things the Coordinator does by itself. This program splits some of them
 * further and can do more. The table says which of the specification's actions each name of ours is a part of, so that a
 * contract written after the specification works as it stands. docs/guides/contract.md shows the same table.
 *
 * A contract that lists a name of ours uses that entry; the table decides only where it lists none.
 */

/** Actions that only look and report. Allowed unless a list of the contract names it. */
const LOOKING = "looking";
/** The specification has no word for it: a person approves it. */
const NOTHING = null;

type StandsFor = ContractAction | typeof LOOKING | typeof NOTHING;

export const STANDS_FOR = {
  judge_request: LOOKING,
  try_agent: LOOKING,
  export_tape: LOOKING,
  build_memory: "read_codebase",
  draft_registry: "read_codebase",
  create_plan: "create_task",
  seal_intent: "create_task",
  carry_out_run: "assign_task",
  stop_attempt: "assign_task",
  verify_result: "assign_task",
  integrate_result: "manage_queue",
  review_level: "manage_queue",
  take_decision: "manage_queue",
  notify_person: "update_project_hq",
  set_up_project: NOTHING,
  merge_run: NOTHING,
  publish_run: NOTHING,
  clean_workspaces: NOTHING,
  anchor_run: NOTHING,
} as const satisfies Partial<Record<ContractAction, StandsFor>>;

/** Contract: pure. Null for a name of the specification, and for one that stands for nothing in it. */
export function specifiedAction(action: string): StandsFor {
  return Object.hasOwn(STANDS_FOR, action) ? STANDS_FOR[action as keyof typeof STANDS_FOR] : NOTHING;
}

export function isLooking(action: string): boolean {
  return specifiedAction(action) === LOOKING;
}
