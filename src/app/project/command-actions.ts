import { findContract } from "../../hands/settings/contract/find-contract.js";
import type { ContractAction } from "../../model/settings/contract.js";
import { invalidContract } from "./invalid-contract.js";
import type { Project } from "./project.js";

/*
 * The action of the contract that each command is. Every command passes `requireCommand` before anything of it is
 * loaded, so none can act around it; null is for those that only look at what is there.
 */
export const COMMAND_ACTIONS: Readonly<Record<string, ContractAction | null>> = {
  init: "set_up_project",
  doctor: "try_agent",
  // A person's word about the project, kept outside of it: no contract of the project decides on that.
  trust: null,
  intake: "judge_request",
  route: "judge_request",
  "adr list": "read_adr",
  "adr check": "read_adr",
  "adr approve": "create_task",
  "adr watch": "create_task",
  plan: "create_plan",
  verify: null,
  explain: null,
  run: "carry_out_run",
  status: null,
  watch: null,
  inbox: null,
  response: null,
  stats: null,
  answer: "take_decision",
  approve: "take_decision",
  reject: "take_decision",
  cancel: "take_decision",
  budget: "take_decision",
  retry: "take_decision",
  tasks: null,
  "tasks skip": "manage_queue",
  "tasks delete": "manage_queue",
  "tasks reassign": "manage_queue",
  "tasks reprioritise": "manage_queue",
  "tasks adopt": "manage_queue",
  "tasks discard": "manage_queue",
  // An order to a server, or over MCP, passes the guard of its own action, each time. Lists and tokens are the person's own.
  serve: null,
  mcp: null,
  "projects list": null,
  "projects add": null,
  "projects remove": null,
  "token add": null,
  "token list": null,
  "token revoke": null,
  "token login": null,
  handoff: "create_handoff",
  merge: "merge_run",
  publish: "publish_run",
  sync: "take_decision",
  diff: null,
  replay: null,
  export: "export_tape",
  anchor: "anchor_run",
  "intent check": null,
  "intent seal": "seal_intent",
  "registry check": null,
  "registry list": null,
  "registry show": null,
  "registry draft": "draft_registry",
  "facts collect": "read_codebase",
  "memory build": "build_memory",
  migrate: "set_up_project",
  clean: "clean_workspaces",
  completion: null,
};

/**
 * Contract: throws like `requireAction`, and DOCUMENT_INVALID for a contract that is wrong. A command that nobody has
 * named here stands in no list, and so needs approval.
 */
export async function requireCommand(command: string, project: Project, approved: boolean): Promise<void> {
  const action = Object.hasOwn(COMMAND_ACTIONS, command) ? COMMAND_ACTIONS[command] : undefined;
  // The shipped contract allows every command there is; reading it each time would cost more than some of them.
  if (action === null || (action !== undefined && findContract(project.cwd) === null)) return;
  const { requireAction } = await import("../../mind/contract/permit.js");
  const loaded = await project.contract();
  if (!loaded.ok) throw invalidContract(loaded.problems);
  requireAction({ contract: loaded.contract, file: loaded.file, approved }, action ?? command);
}
