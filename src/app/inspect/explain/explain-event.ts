import type { EventOf, LoggedEvent, RunEvent } from "../../../model/event.js";
import type { ExplanationOf } from "../../../model/plan/explanation.js";
import { explainFallback, modelChoiceId } from "./explain-models.js";
import { explainOutcome } from "./explain-outcome.js";
import { describeEvent } from "../describe-event.js";
import { plannedTask, describeLimitSource } from "./describe-limits.js";

/* Why one event of a log happened: the rule that decided, what it decided on, and what else could have been decided. */

export type RunExplanation = ExplanationOf<
  "task" | "attempt" | "iteration" | "retry" | "tool use" | "verdict" | "gate" | "model choice" | "escalation" | "event"
>;

type Part = Pick<RunExplanation, "kind" | "why"> & Partial<Pick<RunExplanation, "alternatives" | "see" | "evidence">>;

/** Contract: pure and total. */
export function explainEvent(logged: LoggedEvent, events: readonly LoggedEvent[], id: string): RunExplanation {
  const part = partOf(logged, events);
  return {
    id,
    title: describeEvent(logged.event),
    alternatives: [],
    see: [],
    ...part,
    evidence: [`event ${logged.sequence} of ${logged.at}`, ...(part.evidence ?? [])],
  };
}

function partOf(logged: LoggedEvent, events: readonly LoggedEvent[]): Part {
  const { event } = logged;
  switch (event.type) {
    case "tool_judged":
      return toolUse(event, events);
    case "iteration_finished":
      return iteration(event);
    case "alternative_chosen":
      return alternative(event, events);
    case "attempt_started":
      return explainStart(logged, event, events);
    case "verification_finished":
      return explainVerdict(event);
    case "gate_decided":
      return gate(event);
    case "escalation_raised":
      return escalation(event, events);
    case "fallback_taken":
      return explainFallback(event, events);
    case "route_reevaluated":
      return explainReevaluation(event);
    case "route_decided":
      return explainRoute(event);
    case "intake_decided":
      return { kind: "event", why: [event.reason, ...(event.questions ?? []).map((each) => `Open: ${each}`)] };
    default:
      return explainOutcome(event, events) ?? { kind: "event", why: [...deciderOf(event), ...aboutTask(event)] };
  }
}

function toolUse({ task_id, attempt, use, judgement }: EventOf<"tool_judged">, events: readonly LoggedEvent[]): Part {
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

function insteadOf(decision: string, wider: readonly string[]): RunExplanation["alternatives"][number] {
  if (decision === "allow")
    return { alternative: "refuse it", reason_rejected: "it is within the scope, and no guardrail forbids it" };
  return wider.length === 0
    ? { alternative: "allow it", reason_rejected: "nothing that a person may add to the scope allows it" }
    : {
        alternative: `allow it by adding ${wider.join(", ")} to the scope`,
        reason_rejected: "only a person may widen a scope",
      };
}

/** Why it went there, and for each document of the registry why it was given or not. */
function explainRoute({ routed_to, rule_id, decider, context = [] }: EventOf<"route_decided">): Part {
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
  };
}

function iteration({
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

function explainReevaluation({
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

function alternative(
  { task_id, attempt, agent, how, failed }: EventOf<"alternative_chosen">,
  events: readonly LoggedEvent[],
): Part {
  const before = events.findLast(
    ({ event }) => event.type === "attempt_started" && event.task_id === task_id && event.attempt === attempt,
  )?.event;
  const was = before?.type === "attempt_started" ? before.agent : "the agent before";
  return {
    kind: "retry",
    why: [
      `A technical blocker that is not critical gets one other approach before a person is asked: ${failed}`,
      how === "another_agent"
        ? `${agent} is configured beside ${was}, and takes over with what failed as context.`
        : `No other agent is configured that may take over, so ${agent} works by another prompt, with what failed as context.`,
    ],
    alternatives: [{ alternative: "ask a person", reason_rejected: "no other approach had been tried" }],
    see: [`${task_id}#${attempt}`, task_id],
  };
}

/** Why there is an attempt at all: the first by its plan, a later one by the failure policy or a person's order. */
function explainStart(
  logged: LoggedEvent,
  { task_id, attempt, agent }: EventOf<"attempt_started">,
  events: readonly LoggedEvent[],
): Part {
  const plan = events.findLast(({ event }) => event.type === "plan_frozen")?.event;
  const planned =
    plan?.type === "plan_frozen" ? plan.plan.tasks.find((task) => task.task_id === task_id)?.agent : undefined;
  const who =
    planned === undefined || planned === agent
      ? `The plan names ${agent} for it.`
      : `The plan names ${planned}; ${agent} was ordered instead.`;
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const ordered = before.findLast(
    ({ event }) => event.type === "escalation_answered" && isAbout(event, task_id, before),
  );
  const last = before.findLast(({ event }) => event.type === "attempt_finished" && event.task_id === task_id);
  if (attempt === 1 || last === undefined)
    return {
      kind: "event",
      why: ["Everything it waits for is done.", who],
      alternatives: [
        { alternative: "wait", reason_rejected: "its dependencies, reviews, budget and place were there" },
        { alternative: "another agent or model", reason_rejected: `see ${modelChoiceId(task_id)}` },
      ],
      see: [task_id, modelChoiceId(task_id)],
    };
  const policy = events.find(({ event }) => event.type === "request_received")?.event;
  const most = policy?.type === "request_received" ? policy.policy.failure.max_retries : null;
  const byPerson = ordered !== undefined && ordered.sequence > last.sequence;
  const other = before.findLast(({ event }) => event.type === "alternative_chosen" && event.task_id === task_id);
  if (other?.event.type === "alternative_chosen" && other.sequence > last.sequence && !byPerson)
    return { ...alternative(other.event, events), evidence: [`event ${last.sequence}`, `event ${other.sequence}`] };
  const passed = before.findLast(({ event }) => event.type === "fallback_taken" && event.task_id === task_id);
  if (passed?.event.type === "fallback_taken" && passed.sequence > last.sequence && !byPerson)
    return {
      ...explainFallback(passed.event, events),
      evidence: [`event ${last.sequence}`, `event ${passed.sequence}`],
    };
  return {
    kind: "retry",
    why: [
      byPerson
        ? `A person ordered it: ${describeEvent(ordered.event)}.`
        : `The attempt before it failed in a way that another may not: ${describeEvent(last.event)}. The failure policy allows ${most ?? "some"} retries.`,
      who,
    ],
    evidence: [`event ${last.sequence}`, ...(byPerson ? [`event ${ordered.sequence}`] : [])],
    alternatives: byPerson
      ? []
      : [
          { alternative: "ask a person", reason_rejected: "retries are left" },
          { alternative: "give up", reason_rejected: "only a person gives up" },
        ],
    see: [`${task_id}#${attempt - 1}`, task_id],
  };
}

function isAbout(
  { escalation_id }: EventOf<"escalation_answered">,
  taskId: string,
  events: readonly LoggedEvent[],
): boolean {
  return events.some(
    ({ event }) =>
      event.type === "escalation_raised" &&
      event.escalation.escalation_id === escalation_id &&
      event.escalation.task_id === taskId,
  );
}

function explainVerdict({
  task_id,
  attempt,
  verdict: is,
  evidence,
  liftable,
  proof,
}: EventOf<"verification_finished">): Part {
  const held = [
    ...(liftable?.objections ?? []).map(({ message }) => message),
    ...(liftable?.guardrails ?? []).map(({ rule_id, path }) => `${rule_id} at ${path}`),
    ...(liftable?.tests ?? []).map(({ name }) => `${name} does not run any more`),
  ];
  return {
    kind: "verdict",
    why: [
      `The checks on the result, compared with the same checks on its base, give ${is}.`,
      evidence.replace(/ \[sha256:\w+\]$/, ""),
      ...(proof?.failed_before ?? []).map((name) => `Failed before, so it is not counted: ${name}`),
      ...(proof?.unreached ?? []).map((path) => `No check touches ${path}.`),
      ...(proof?.notes ?? []),
    ],
    evidence: [`record verdict ${task_id}#${attempt}`],
    alternatives: [
      ...held.map((what) => ({
        alternative: `PASS, by a person who accepts: ${what}`,
        reason_rejected: "nobody had accepted it then",
      })),
      ...(is === "PASS"
        ? [{ alternative: "FAIL", reason_rejected: "nothing is worse than on the base, and nothing holds the result" }]
        : held.length > 0
          ? []
          : [
              {
                alternative: "PASS",
                reason_rejected: "what is named above is worse than on the base, or proves nothing",
              },
            ]),
    ],
    see: [`${task_id}#${attempt}`],
  };
}

function gate({ gate: { decision, reason, criteria } }: EventOf<"gate_decided">): Part {
  const failed = criteria.filter(({ passed }) => !passed).map(({ criterion }) => criterion);
  return {
    kind: "gate",
    why: [
      reason,
      ...criteria.map(({ criterion, passed, reason: why }) => `${criterion}: ${passed ? "met" : "not met"}, ${why}`),
    ],
    evidence: criteria.flatMap(({ evidence }) => evidence),
    alternatives:
      decision === "GO"
        ? [{ alternative: "NO_GO", reason_rejected: "every criterion is met" }]
        : [{ alternative: "GO", reason_rejected: `not met: ${failed.join(", ")}` }],
  };
}

function escalation({ escalation: raised }: EventOf<"escalation_raised">, events: readonly LoggedEvent[]): Part {
  const answer = events.find(
    ({ event }) => event.type === "escalation_answered" && event.escalation_id === raised.escalation_id,
  );
  return {
    kind: "escalation",
    why: [
      ...retriesLeft(raised, events),
      `It is a ${raised.type.replaceAll("_", " ")} of ${raised.severity} severity, and the answer to that is: ${raised.response.replaceAll("_", " ")}.`,
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
            ? "no retry, fallback or other approach was left"
            : `a ${raised.type.replaceAll("_", " ")} is decided by a person`,
      },
    ],
    see:
      raised.task_id === null
        ? []
        : [
            raised.task_id,
            ...(raised.attempt === null || raised.attempt === 0 ? [] : [`${raised.task_id}#${raised.attempt}`]),
          ],
  };
}

/** How often the failure policy lets a task be tried again, where an escalation comes after the last try. */
function retriesLeft(
  { type, task_id }: EventOf<"escalation_raised">["escalation"],
  events: readonly LoggedEvent[],
): string[] {
  const received = events.find(({ event }) => event.type === "request_received")?.event;
  if (type !== "technical_blocker" || task_id === null || received?.type !== "request_received") return [];
  const policyId = plannedTask(task_id, events)?.policyId;
  const whose = policyId === undefined ? "" : ` of the routing policy ${policyId}`;
  return [`The failure policy${whose} allows ${received.policy.failure.max_retries} retries, and none is left.`];
}

function deciderOf(event: RunEvent): string[] {
  if (!("decider" in event) || event.decider === undefined) return ["It is what happened; no rule decided it."];
  const { by, how, via } = event.decider;
  return [`Decided by ${by} (${how}${via === undefined ? "" : `, ${via}`}).`];
}

function aboutTask(event: RunEvent): string[] {
  return "task_id" in event && typeof event.task_id === "string" ? [`It is about ${event.task_id}.`] : [];
}
