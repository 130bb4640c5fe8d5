import type { PermissionAsked } from "../../../app/run-reports.js";

/*
 * What a hook for permissions prints is read by the agent's program, in the form of that program: this text is the
 * decision, and no text at all leaves it to the program.
 */

const EVENT = "PermissionRequest";

export function permissionText(asked: PermissionAsked): string[] {
  const decision = decisionOf(asked);
  return decision === null ? [] : [JSON.stringify({ hookSpecificOutput: { hookEventName: EVENT, decision } })];
}

function decisionOf({ state, run_id, entry_id, words }: PermissionAsked): object | null {
  switch (state) {
    case "left":
      return null;
    case "allowed":
      return { behavior: "allow" };
    case "denied":
      return { behavior: "deny", message: `A person refused this${words === "" ? "" : `: ${words}`}` };
    case "waiting":
      return {
        behavior: "deny",
        message:
          `This still waits for a person and is neither allowed nor refused. They decide it with: coordinator answer ${entry_id} ` +
          `allow|deny --run ${run_id}, or in the dashboard. Tell them, and do something else meanwhile; ask again in the same ` +
          `words when they have decided.`,
      };
  }
}
