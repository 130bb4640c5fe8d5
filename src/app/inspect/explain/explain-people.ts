import type { EventOf, LoggedEvent } from "../../../model/event.js";
import { describeEvent } from "../describe-event.js";
import { findPlannedTask } from "./describe-limits.js";
import {
  attemptId,
  describeDecider,
  describePerson,
  type InLog,
  isAskedByAgent,
  lastOf,
  type Part,
  planOf,
  policyOf,
} from "./explanation-part.js";

/* Explanations of questions to people: what they decided, and why a person had to. */

/** Who decided a review, for which tasks, and as whom it could be decided. */
export function explainReview(event: EventOf<"review_approved" | "review_rejected">, { events }: InLog): Part {
  const plan = planOf(events);
  const gate = plan?.gates.find(({ gate_id }) => gate_id === event.gate_id);
  const held = plan?.tasks.filter(({ gates }) => gates.includes(event.gate_id)).map(({ task_id }) => task_id) ?? [];
  const isApproved = event.type === "review_approved";
  return {
    kind: "gate",
    why: [
      describeDecider(event.decider),
      ...(isApproved ? [] : [`The reason given: ${event.reason}`]),
      ...(gate === undefined
        ? []
        : [`It is a ${gate.category} review that ${gate.reviewers.join(" or ") || "anybody"} may decide.`]),
      ...(held.length === 0 ? [] : [`${held.join(", ")} could not start before it.`]),
    ],
    alternatives: [
      isApproved
        ? { alternative: "reject it", reason_rejected: `${event.decider.by} approved it` }
        : { alternative: "approve it", reason_rejected: `${event.decider.by} rejected it` },
    ],
    see: held,
  };
}

export function explainQuestion(
  { question_id, task_id, options = [] }: EventOf<"question_asked">,
  { logged, events }: InLog,
): Part {
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const ended = lastOf(before, "attempt_finished", (event) => event.task_id === task_id)?.event;
  const byAgent = ended !== undefined && isAskedByAgent(events, ended);
  const answer = lastOf(events, "question_answered", (event) => event.question_id === question_id);
  const why = question_id.startsWith("criterion:")
    ? "The type of the project asks for it, no check of the project shows it, and no rule may answer for a person."
    : task_id === null
      ? "It had to be known before anything was planned, and only a person can know it."
      : byAgent
        ? `The agent of ${task_id} asked, and the registry had nothing more to give it.`
        : `${task_id} is held, and only a person can clear the way.`;
  return {
    kind: "event",
    why: [why, answer === undefined ? "It waits for an answer." : `${describeEvent(answer.event)}.`],
    evidence: answer === undefined ? [] : [`event ${answer.sequence}`],
    alternatives: [
      { alternative: "go on without an answer", reason_rejected: "what is not known is not guessed" },
      ...options.map((each) => ({ alternative: each, reason_rejected: "the answer is the person's choice" })),
    ],
    see: task_id === null ? [] : [task_id],
  };
}

export function explainAnswer({ question_id, answer, decider }: EventOf<"question_answered">, { events }: InLog): Part {
  const asked = lastOf(events, "question_asked", (event) => event.question_id === question_id)?.event;
  return {
    kind: "event",
    why: [
      describeDecider(decider),
      ...(asked === undefined ? [] : [`Asked was: ${asked.question}`]),
      question_id.startsWith("criterion:")
        ? "The last gate counts the criterion as the answer says: confirmed, waived or failed."
        : asked?.task_id == null
          ? "The plan was made with it."
          : `${asked.task_id} goes on with it.`,
    ],
    alternatives: (asked?.options ?? [])
      .filter((each) => each !== answer)
      .map((each) => ({ alternative: each, reason_rejected: `${decider.by} answered otherwise` }))
      .concat({ alternative: "leave it open", reason_rejected: `${decider.by} answered it` }),
    see: [question_id, ...(asked?.task_id == null ? [] : [asked.task_id])],
  };
}

export function explainScopeDecision(event: EventOf<"scope_widened" | "scope_refused">, { events }: InLog): Part {
  const { task_id, decider } = event;
  const asked = lastOf(
    events,
    "attempt_finished",
    (ended) => ended.task_id === task_id && ended.outcome.kind === "scope_request",
  );
  const wanted =
    asked?.event.outcome.kind === "scope_request" ? [`Its agent said why: ${asked.event.outcome.message}`] : [];
  const policyId = findPlannedTask(task_id, events)?.policyId;
  const bound =
    policyId === undefined ? [] : [`What the routing policy ${policyId} forbids stays forbidden, whatever is added.`];
  return {
    kind: "event",
    why: [
      describeDecider(decider),
      ...wanted,
      ...(event.type === "scope_widened"
        ? ["Only a person widens a scope, for this task alone.", ...bound]
        : [`The reason given: ${event.reason}`, "A task whose scope is not widened is a person's to decide on."]),
    ],
    evidence: asked === undefined ? [] : [`event ${asked.sequence}`],
    alternatives: [
      event.type === "scope_widened"
        ? { alternative: "refuse it", reason_rejected: `${decider.by} allowed it` }
        : { alternative: "widen it", reason_rejected: `${decider.by} refused it` },
    ],
    see: [task_id],
  };
}

export function explainEscalation({ escalation: raised }: EventOf<"escalation_raised">, { events }: InLog): Part {
  const answer = lastOf(events, "escalation_answered", (event) => event.escalation_id === raised.escalation_id);
  const type = raised.type.replaceAll("_", " ");
  return {
    kind: "escalation",
    why: [
      ...usedRetries(raised, events),
      `It is a ${type} of ${raised.severity} severity, and the answer to that is: ${raised.response.replaceAll("_", " ")}.`,
      raised.summary,
      answer === undefined ? "It waits for an answer." : `${describeEvent(answer.event)}.`,
    ],
    evidence: [raised.package.violation, ...(answer === undefined ? [] : [`event ${answer.sequence}`])].filter(
      (each) => each !== "",
    ),
    alternatives: [
      {
        alternative: "another attempt without asking",
        reason_rejected:
          raised.type === "technical_blocker"
            ? "no retry, fallback or other approach was left for it"
            : `a ${type} is decided by a person`,
      },
    ],
    see:
      raised.task_id === null
        ? []
        : [
            raised.task_id,
            ...(raised.attempt === null || raised.attempt === 0
              ? []
              : [attemptId({ task_id: raised.task_id, attempt: raised.attempt })]),
          ],
  };
}

/** How often the failure policy lets a task be tried again, where an escalation comes after a structural failure. */
function usedRetries(
  { task_id, attempt }: EventOf<"escalation_raised">["escalation"],
  events: readonly LoggedEvent[],
): string[] {
  const ended = lastOf(events, "attempt_finished", (one) => one.task_id === task_id && one.attempt === attempt)?.event;
  const policy = policyOf(events);
  if (task_id === null || policy === null || ended?.outcome.kind !== "structural") return [];
  const policyId = findPlannedTask(task_id, events)?.policyId;
  const whose = policyId === undefined ? "" : ` of the routing policy ${policyId}`;
  const allows = `The failure policy${whose} allows ${policy.failure.max_retries} retries`;
  return [
    ended.outcome.error === "model_unavailable"
      ? `${allows}, and none for a model that is not there.`
      : `${allows}, and none is left.`,
  ];
}

const ORDERS = {
  retry: "The task is tried again.",
  raise_budget: "The budget is larger by this, and what waited for it goes on.",
  give_up: "The work it was about is given up.",
  resume: "The stalled work continues.",
  lift: "The result is judged once more without what was waived, and no other result is.",
  recheck: "The same result is judged once more.",
  widen: "The task may do more, and goes on.",
  skip: "The task is not done, and what builds on it goes on as if it were.",
} as const;

export function explainOrder(
  { escalation_id, order, decider }: EventOf<"escalation_answered">,
  { events }: InLog,
): Part {
  const raised = lastOf(events, "escalation_raised", ({ escalation }) => escalation.escalation_id === escalation_id);
  const others = raised?.event.escalation.task_id === null ? ["give_up", "resume"] : ["retry", "skip", "give_up"];
  return {
    kind: "escalation",
    why: [
      describeDecider(decider),
      ...(raised === undefined ? [] : [`Asked was: ${raised.event.escalation.summary}`]),
      ORDERS[order.action],
    ],
    evidence: raised === undefined ? [] : [`event ${raised.sequence}`],
    alternatives: others
      .filter((action) => action !== order.action)
      .map((action) => ({
        alternative: action.replaceAll("_", " "),
        reason_rejected: `${describePerson(decider)} ordered otherwise`,
      })),
    see: [escalation_id, ...(raised?.event.escalation.task_id == null ? [] : [raised.event.escalation.task_id])],
  };
}

export function explainRaise({ decider, note }: EventOf<"budget_raised">): Part {
  return {
    kind: "event",
    why: [
      describeDecider(decider),
      ...(note === undefined ? [] : [`The reason given: ${note}`]),
      "The run had not reached its limit. Attempts that start from here on may use the new one; what was set aside for running attempts stays.",
    ],
    alternatives: [
      {
        alternative: "wait until the run asks for more",
        reason_rejected: `${describePerson(decider)} raised it before`,
      },
    ],
    see: [],
  };
}

export function explainProposal({ change_id, task_id, decider }: EventOf<"change_proposed">, { events }: InLog): Part {
  const decided = lastOf(events, "change_decided", (event) => event.change_id === change_id);
  return {
    kind: "event",
    why: [
      `${describePerson(decider)} wants it. The contract lets nobody change a task of a run without approval, and nothing is changed yet.`,
      decided === undefined ? "It waits for a decision." : `${describeEvent(decided.event)}.`,
    ],
    evidence: decided === undefined ? [] : [`event ${decided.sequence}`],
    alternatives: [{ alternative: "change the task at once", reason_rejected: "a change of a task needs an approval" }],
    see: [task_id],
  };
}

export function explainChange(
  { change_id, approved, decider, reason }: EventOf<"change_decided">,
  { events }: InLog,
): Part {
  const wanted = lastOf(events, "change_proposed", (event) => event.change_id === change_id);
  return {
    kind: "event",
    why: [
      describeDecider(decider),
      ...(reason === "" ? [] : [`The reason given: ${reason}`]),
      ...(wanted === undefined ? [] : [`${describeEvent(wanted.event)}.`]),
      approved ? "The task is changed from here on; a running attempt was not disturbed." : "The task stays as it was.",
    ],
    evidence: wanted === undefined ? [] : [`event ${wanted.sequence}`],
    alternatives: [
      { alternative: approved ? "reject it" : "approve it", reason_rejected: `${decider.by} decided otherwise` },
    ],
    see: [change_id, ...(wanted === undefined ? [] : [wanted.event.task_id])],
  };
}

export function explainApproval({ action, clause, decider }: EventOf<"approval_given">): Part {
  return {
    kind: "event",
    why: [describeDecider(decider), `It had to be approved: ${clause}.`],
    evidence: [`action ${action}`],
    alternatives: [{ alternative: "stop and ask", reason_rejected: `${describePerson(decider)} had agreed` }],
  };
}
