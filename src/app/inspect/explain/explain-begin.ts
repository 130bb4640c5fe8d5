import type { EventOf } from "../../../model/event.js";
import { describeDecider, type InLog, lastOf, type Part, planOf, policyOf } from "./explanation-part.js";

/* Why a run began as it did: its request, the route, what it was given, the frozen plan and the sandbox. */

export function explainRequest({ policy }: EventOf<"request_received">, { events }: InLog): Part {
  const { failure, plan_needs_approval, max_concurrent_tasks, schedule, coordinator_mode } = policy;
  const bounds = planOf(events)?.bounds;
  const isRouted = bounds !== undefined && bounds.failure.max_retries === failure.max_retries;
  const whose = isRouted ? `the routing policy ${bounds.policy_id}` : "the settings";
  return {
    kind: "event",
    why: [
      "A person asked for it. The settings that this run uses were fixed here, and later changes of the files do not affect it.",
      `Retries: ${failure.max_retries}, by ${whose}. At most ${max_concurrent_tasks} tasks at once, by ${schedule}.`,
      `The plan ${plan_needs_approval ? "waits for a person's approval" : "needs no approval"}. Levels are reviewed by an agent: ${coordinator_mode}.`,
    ],
    alternatives: [
      { alternative: "the settings as they are now", reason_rejected: "a run uses the settings it began with" },
    ],
    see: ["intake", "route", "plan"],
  };
}

export function explainIntake({ decision, reason, questions = [], unsafe }: EventOf<"intake_decided">): Part {
  const others = {
    approved: "nothing in it is unsafe, too large or too vague by the intake policy",
    rejected: unsafe ? "it is unsafe, and no answer changes that" : reason,
    needs_clarification: "what is open changes what would be done",
  };
  return {
    kind: "event",
    why: [`The intake policy decides ${decision}: ${reason}`, ...questions.map((each) => `Open: ${each}`)],
    alternatives: [
      { alternative: decision === "approved" ? "reject it" : "take it on", reason_rejected: others[decision] },
    ],
    see: decision === "approved" ? ["route"] : [],
  };
}

/** Why it went there, and for each document of the registry why it was given or not. */
export function explainRoute({ routed_to, rule_id, decider, context = [] }: EventOf<"route_decided">): Part {
  const other = routed_to === "dev" ? "product" : "dev";
  return {
    kind: "event",
    why: [
      decider === undefined
        ? `Rule ${rule_id} of the routing policy sends it to ${routed_to}.`
        : `${decider.by} classified it (${rule_id}), so it goes to ${routed_to} and no rule was asked.`,
      ...context.flatMap(({ target, documents }) =>
        documents.map(
          ({ ref, decision, rule_id: by, reason }) => `${ref} is ${decision} for ${target} by ${by}: ${reason}.`,
        ),
      ),
    ],
    alternatives: [
      {
        alternative: `send it to ${other}`,
        reason_rejected:
          decider === undefined ? `${rule_id} is the first rule that holds` : `${decider.by} said otherwise`,
      },
    ],
  };
}

export function explainMessage({ message }: EventOf<"message_sent">): Part {
  return {
    kind: "event",
    why: [
      `${message.from} and ${message.to} speak by typed messages only, and each is kept. This one is a ${message.type.replaceAll("_", " ")}.`,
      ...(message.in_reply_to === undefined ? [] : [`It answers ${message.in_reply_to}.`]),
    ],
    evidence: [`message ${message.message_id}`],
    alternatives: [{ alternative: "an untyped message", reason_rejected: "none is taken" }],
    see: ["plan"],
  };
}

export function explainBrief({ brief: { ref, spec, documents } }: EventOf<"brief_kept">): Part {
  return {
    kind: "event",
    why: [
      spec === null
        ? "There is no Intent Spec: the request went to dev, or was planned from an intent."
        : `${spec.id} says what must be true, in ${spec.requirements.length} requirements; they are judged before the run ends.`,
      ...documents.map(({ ref: name }) => `${name} was given; the route says by which rule.`),
    ],
    evidence: [`record ${ref}`, ...documents.map(({ ref: name, checksum }) => `${name} ${checksum}`)],
    alternatives: [
      {
        alternative: "another document of the registry",
        reason_rejected: "what no rule includes is withheld: see route",
      },
    ],
    see: ["route"],
  };
}

/** Why these tasks may be worked on at all: a plan that can be made again from its own inputs. */
export function explainPlan({ plan, verified }: EventOf<"plan_frozen">, { events }: InLog): Part {
  const { plan_id, plan_checksum, tasks, gates, bounds, criteria = [], budget } = plan;
  const needs = policyOf(events)?.plan_needs_approval !== false;
  return {
    kind: "plan",
    why: [
      verified
        ? "The plan was made again from its own inputs and is the same to the byte, so it may be carried out."
        : "The plan is not what its own inputs give, so nothing of it is carried out and the run ends.",
      `It has ${tasks.length} tasks: ${tasks.map(({ task_id, agent }) => `${task_id} by ${agent}`).join(", ")}.`,
      ...gates.map(
        ({ category, reviewers }) => `It needs a ${category} review by ${reviewers.join(" or ") || "anybody"}.`,
      ),
      ...(bounds === undefined ? [] : [`The routing policy ${bounds.policy_id} bounds every attempt.`]),
      ...criteria.map(
        ({ criterion, check }) =>
          `The type of the project asks for ${criterion}: ${check ?? "no check shows it, so a person answers"}.`,
      ),
      `Its budget is ${budget.tokens} tokens, $${budget.cost_usd.toFixed(2)}, ${budget.minutes} minutes.`,
    ],
    evidence: [`plan ${plan_id}`, `checksum ${plan_checksum}`],
    alternatives: [
      verified
        ? {
            alternative: needs ? "start at once" : "wait for an approval",
            reason_rejected: needs
              ? "run.plan_needs_approval asks for a person first"
              : "run.plan_needs_approval is off",
          }
        : { alternative: "carry it out all the same", reason_rejected: "nothing runs that is not in a verified plan" },
      {
        alternative: "change a task of it",
        reason_rejected: "a frozen plan is not changed; people change tasks by name, in the log",
      },
    ],
    see: [...tasks.map(({ task_id }) => task_id), ...gates.map(({ gate_id }) => gate_id)],
  };
}

export function explainPlanApproved({ decider }: EventOf<"plan_approved">): Part {
  return {
    kind: "plan",
    why: [
      decider.how === "rule"
        ? "run.plan_needs_approval is off in the settings that the run began with, so the plan is approved by that."
        : describeDecider(decider),
      "Nothing could start before it.",
    ],
    alternatives: [{ alternative: "reject the plan", reason_rejected: `${decider.by} approved it` }],
    see: ["plan"],
  };
}

export function explainPlanRejected({ decider, reason }: EventOf<"plan_rejected">): Part {
  return {
    kind: "plan",
    why: [
      describeDecider(decider),
      `The reason given: ${reason}`,
      "A rejected plan ends its run; nothing of it was carried out.",
    ],
    alternatives: [{ alternative: "approve the plan", reason_rejected: `${decider.by} rejected it` }],
    see: ["plan"],
  };
}

const GRADES = {
  strong: "Each part of the sandbox was tried on this machine when the process began, and all of them work.",
  reduced: "The sandbox was tried on this machine when the process began, and a part of it does not work.",
  none: "No sandbox works on this machine. The run goes on because a person ordered it for this run with --unsafe-no-sandbox.",
} as const;

export function explainSandbox(
  { grade, reason, by_order, logins = [], records = [] }: EventOf<"sandbox_graded">,
  { logged, events }: InLog,
): Part {
  const earlier = lastOf(events, "sandbox_graded", (event) => event.grade !== grade);
  const alternatives = {
    strong: { alternative: "no sandbox", reason_rejected: "only a person orders that, with --unsafe-no-sandbox" },
    reduced: { alternative: "strong", reason_rejected: reason },
    none: { alternative: "refuse to go on", reason_rejected: by_order ? "a person ordered otherwise" : reason },
  };
  return {
    kind: "sandbox",
    why: [
      GRADES[grade],
      ...(reason === "" ? [] : [reason]),
      ...logins.map(
        ({ agent, files }) =>
          `${agent} can read ${files.map((file) => `~/${file}`).join(", ")}: the owner agreed to it in their own settings.`,
      ),
      ...(earlier === undefined || earlier.sequence > logged.sequence
        ? []
        : [`An earlier process of this run found ${earlier.event.grade}.`]),
    ],
    evidence: records.map(({ name, ref }) => `record ${name} ${ref}`),
    alternatives: [alternatives[grade]],
  };
}
