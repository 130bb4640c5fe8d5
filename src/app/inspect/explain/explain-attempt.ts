import type { EventOf } from "../../../model/event.js";
import { describeLimitSource } from "./describe-limits.js";
import { attemptId, type InLog, lastOf, type Part } from "./explanation-part.js";

/* Explanations of events within an attempt: which rule judged them. */

export function explainToolUse({ task_id, attempt, use, judgement }: EventOf<"tool_judged">, { events }: InLog): Part {
  const { decision, rule_id, reason, addition } = judgement;
  const wider = addition === undefined ? [] : [...addition.write, ...addition.commands, ...addition.network];
  const when = use.stage === "request" ? "before it was done" : "when it was done";
  return {
    kind: "tool use",
    why: [`Rule ${rule_id} decides ${decision}, ${when}: ${reason}`, ...describeLimitSource(rule_id, task_id, events)],
    evidence: [
      ...use.paths.map(({ path, access }) => `${access} ${path}`),
      ...(use.command === null ? [] : [`command ${use.command}`]),
      ...use.hosts.map((host) => `host ${host}`),
    ],
    alternatives: [insteadOf(decision, wider)],
    see: [`${task_id}#${attempt}`],
  };
}

function insteadOf(decision: string, wider: readonly string[]): Part["alternatives"][number] {
  if (decision === "allow")
    return { alternative: "refuse it", reason_rejected: "it is within the scope, and no guardrail forbids it" };
  return wider.length === 0
    ? { alternative: "allow it", reason_rejected: "nothing that a person may add to the scope allows it" }
    : {
        alternative: `allow it by adding ${wider.join(", ")} to the scope`,
        reason_rejected: "only a person may widen a scope",
      };
}

export function explainProgress(
  { task_id, attempt, usage }: EventOf<"attempt_progressed">,
  { logged, events }: InLog,
): Part {
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const started = lastOf(before, "attempt_started", (one) => one.task_id === task_id && one.attempt === attempt);
  const reserved = started?.event.reserved;
  const over =
    reserved === undefined
      ? []
      : (["tokens", "cost_usd", "minutes"] as const).filter((name) => usage.amounts[name] > reserved[name]);
  return {
    kind: "event",
    why: [
      `What an attempt uses is compared with what was set aside for it; the figures are ${usage.source}.`,
      ...(reserved === undefined
        ? []
        : [
            `Used ${usage.amounts.tokens} of ${reserved.tokens} tokens, $${usage.amounts.cost_usd.toFixed(2)} of $${reserved.cost_usd.toFixed(2)}.`,
          ]),
    ],
    evidence: started === undefined ? [] : [`event ${started.sequence}`],
    alternatives: [
      over.length === 0
        ? { alternative: "stop the attempt", reason_rejected: "it is within what was set aside for it" }
        : {
            alternative: "let it use more",
            reason_rejected: `${over.join(", ")} is over what was set aside, and the task has no more unless its budget does`,
          },
    ],
    see: [attemptId({ task_id, attempt })],
  };
}

export function explainIteration({
  task_id,
  attempt,
  iteration: number,
  limit,
  promised,
  failing,
  next,
  reason,
}: EventOf<"iteration_finished">): Part {
  const missing = [...(promised ? [] : ["the completion promise"]), ...failing];
  const why = {
    done: "The completion promise was given, and no check is worse than on the base.",
    again: `Missing: ${missing.join("; ")}. ${number} of ${limit} iterations were used, so it went back to the same session.`,
    ask: `Missing: ${missing.join("; ") || "a change that can be taken"}. The agent was not asked again: ${reason}.`,
  };
  const again = { alternative: "tell the agent what is missing" };
  const end = { alternative: "end the attempt and judge its result" };
  return {
    kind: "iteration",
    why: [why[next]],
    evidence: failing,
    alternatives: {
      done: [{ ...again, reason_rejected: "nothing is missing" }],
      again: [{ ...end, reason_rejected: "iterations are left, and nothing was violated" }],
      ask: [{ ...again, reason_rejected: reason }],
    }[next],
    see: [`${task_id}#${attempt}`],
  };
}

export function explainReevaluation({
  task_id,
  attempt,
  outcome,
  reason,
  context: { documents },
}: EventOf<"route_reevaluated">): Part {
  return {
    kind: "event",
    why: [
      `The child was not given enough. Nothing it said was an argument: the registry as it is now decides. ${outcome}: ${reason}.`,
      ...documents.map(
        ({ ref, decision, rule_id, reason: why }) => `${ref} is ${decision} for dev by ${rule_id}: ${why}.`,
      ),
    ],
    alternatives: [
      outcome === "dispatched"
        ? { alternative: "ask a person", reason_rejected: "there are documents that were not given before" }
        : { alternative: "another attempt", reason_rejected: "it would be given the same" },
    ],
    see: [`${task_id}#${attempt}`],
  };
}
