import type { Reroute } from "../../hands/attempts/prompts/later-context.js";
import type { ContextLogEntry } from "../../model/routing.js";
import { reevaluate } from "../../mind/route/reevaluate.js";
import { readDocuments, readProjectContext } from "../project/context-registry.js";
import { loadRoutingLimits } from "./routing-policy.js";

/** Routing by the policy and the registry of a project as they are when it is asked. The builder is dev. */
export function rerouteIn(root: string, cwd: string, requestId: string): Reroute {
  return async (body, given) => {
    const [policy, registry] = [await loadRoutingLimits(undefined, cwd), await readProjectContext(cwd)];
    const escalate = (reason: string, context_log: readonly ContextLogEntry[] = []) =>
      ({ outcome: "escalated", reason, context: contextOf(context_log), documents: [] }) as const;
    if (!policy.ok || !registry.ok) {
      const [problem] = [...(policy.ok ? [] : policy.problems), ...(registry.ok ? [] : registry.problems)];
      return escalate(`routing cannot be evaluated: ${problem?.message ?? ""}`);
    }
    const input = { task_id: requestId, input: { type: "technical", body }, context_registry: registry.value };
    const documents = registry.value.filter((entry) => typeof entry !== "string");
    const again = reevaluate(policy.policy, input, documents, given);
    const { context_log } = again.decision;
    if (again.action === "escalate") return escalate(again.reason, context_log);
    return {
      outcome: "dispatched",
      reason: `the registry has ${again.added.length} more for this child`,
      context: contextOf(context_log),
      documents: await readDocuments(root, again.added),
    };
  };
}

function contextOf(documents: readonly ContextLogEntry[]) {
  return { target: "dev" as const, documents: [...documents] };
}
