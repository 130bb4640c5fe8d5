import type { EventOf, LoggedEvent } from "../../../model/event.js";
import type { AttemptOutcome } from "../../../model/run.js";
import { describeEvent } from "../describe-event.js";
import { describeLimit, findPlannedTask } from "./describe-limits.js";
import { attemptId, type InLog, isAskedByAgent, type Part, policyOf } from "./explanation-part.js";

/* How an attempt ended, which rule is for such an end, and what followed from it. */

/** How an attempt ended, what the failure policy says of such an end, and what followed from it. */
export function explainEnd(event: EventOf<"attempt_finished">, { logged, events }: InLog): Part {
  const { task_id, attempt, outcome, usage, said, refused = [], record, promise } = event;
  const followed = nextAfter(event, logged.sequence, events);
  const retries = policyOf(events)?.failure.max_retries ?? 0;
  const { rule, instead } =
    outcome.kind === "clarification"
      ? judgedQuestion(outcome.question, isAskedByAgent(events, event))
      : judgedEnd(outcome, retries, followed?.event.type);
  return {
    kind: "attempt",
    why: [
      rule,
      ...limitBehind(outcome, task_id, events),
      ...(promise === undefined
        ? []
        : [
            promise.given
              ? `It gave its completion promise ${promise.text} after ${promise.iterations} turns.`
              : `It did not give its completion promise ${promise.text}: ${promise.reason || "it never said it"}.`,
          ]),
      ...refused.map(({ what, rule_id, settled }) =>
        settled === undefined
          ? `It was refused ${what} by ${rule_id}.`
          : `It was refused ${what} by ${rule_id}, which the work does not depend on: ${settled}.`,
      ),
      followed === undefined ? "Nothing has followed from it yet." : `Then: ${describeEvent(followed.event)}.`,
    ],
    evidence: [
      `used ${usage.amounts.tokens} tokens, $${usage.amounts.cost_usd.toFixed(2)}, ${usage.source}`,
      ...(said === undefined ? [] : [`its last words: ${said.split("\n").at(-1) ?? ""}`]),
      ...(record === undefined ? [] : [`record ${record}`]),
      ...(followed === undefined ? [] : [`event ${followed.sequence}`]),
    ],
    alternatives: [instead],
    see: [attemptId({ task_id, attempt }), ...(followed === undefined ? [] : [String(followed.sequence)])],
  };
}

interface JudgedEnd {
  readonly rule: string;
  readonly instead: Part["alternatives"][number];
}

function judgedQuestion(question: string, byAgent: boolean): JudgedEnd {
  return byAgent
    ? {
        rule: `Its agent asks: ${question} Routing is evaluated again first; where there is nothing more to give, a person is asked.`,
        instead: { alternative: "let the agent guess", reason_rejected: "insufficient input is not guessed at" },
      }
    : {
        rule: `The Coordinator held it, because only a person can clear the way: ${question}`,
        instead: { alternative: "another attempt", reason_rejected: "it would be held by the same" },
      };
}

/** The rule of each kind of end. The events behind it say whether the failure policy had a retry left. */
function judgedEnd(
  outcome: Exclude<AttemptOutcome, { kind: "clarification" }>,
  retries: number,
  followed: string | undefined,
): JudgedEnd {
  const again = "another attempt";
  switch (outcome.kind) {
    case "completed":
      return {
        rule: "The agent ended its work, and nothing it did is a violation. Only the checks say whether the work is good.",
        instead: { alternative: "count the task as done", reason_rejected: "no agent's word counts for that" },
      };
    case "structural": {
      const kept = `${outcome.error}, ${outcome.message}: a structural failure. The failure policy allows ${retries} retries of such an end`;
      if (outcome.error === "model_unavailable")
        return {
          rule: `${kept}, and none for a model that is not there: another attempt would find the same models.`,
          instead: { alternative: again, reason_rejected: "only a fallback of the plan, or a person, can help" },
        };
      return followed === "attempt_started" || followed === "wait_ended"
        ? { rule: `${kept}.`, instead: { alternative: "ask a person", reason_rejected: "a retry was left" } }
        : {
            rule: `${kept}.`,
            instead: { alternative: again, reason_rejected: "no retry was left, or what followed comes before one" },
          };
    }
    case "semantic":
      return {
        rule: `A ${outcome.violation} violation, ${outcome.message}. A semantic failure is never retried, however many retries are left.`,
        instead: { alternative: again, reason_rejected: "a person decides on every semantic failure" },
      };
    case "resource":
      return {
        rule: `It was stopped at what was set aside for it, ${outcome.what}: ${outcome.message}`,
        instead: { alternative: "let it use more", reason_rejected: "only a person raises a budget" },
      };
    case "environment":
      return {
        rule: `The workspace could not be used, ${outcome.message}. That is not a failure of the agent: it is neither retried nor counted against it.`,
        instead: { alternative: again, reason_rejected: "it would find the same workspace" },
      };
    case "scope_request":
      return {
        rule: `It needs more than its scope allows, and did nothing outside of it: ${outcome.message}`,
        instead: { alternative: "widen the scope", reason_rejected: "only a person may" },
      };
    case "quality":
      return {
        rule: `Its result is not good enough to be judged: ${outcome.message}`,
        instead: { alternative: again, reason_rejected: "a person decides on work that is not good enough" },
      };
    case "safety":
      return {
        rule: `It was stopped for safety: ${outcome.message}. The run ends with it.`,
        instead: { alternative: "go on with the other tasks", reason_rejected: "a safety concern ends the run" },
      };
    case "cancelled":
      return {
        rule: "It was cancelled; its work is kept, and nothing of it is judged.",
        instead: { alternative: "judge what it left", reason_rejected: "a cancelled attempt has no result" },
      };
  }
}

/** The limit of the scope that ended it, with who set it. */
function limitBehind(outcome: AttemptOutcome, taskId: string, events: readonly LoggedEvent[]): string[] {
  if (outcome.kind !== "structural" || outcome.error !== "timeout") return [];
  const planned = findPlannedTask(taskId, events);
  const limit = planned?.task.limits?.find(({ what }) => what === "minutes");
  return limit === undefined ? [] : [describeLimit(limit, planned?.policyId)];
}

const FOLLOWS: ReadonlySet<string> = new Set([
  "fallback_taken",
  "alternative_chosen",
  "escalation_raised",
  "question_asked",
  "attempt_started",
  "verification_finished",
  "scope_widened",
  "scope_refused",
]);

/** The first event after the end that says what became of the task; the end of the run where that is all. */
function nextAfter(
  { task_id }: EventOf<"attempt_finished">,
  sequence: number,
  events: readonly LoggedEvent[],
): LoggedEvent | undefined {
  return events.find(({ event, sequence: at }) => {
    if (at <= sequence) return false;
    if (event.type === "run_finished" || event.type === "run_cancelled") return true;
    if (event.type === "wait_ended") return event.effect_id.startsWith(`wait:${task_id}#`);
    if (!FOLLOWS.has(event.type)) return false;
    return (
      (event.type === "escalation_raised" ? event.escalation.task_id : (event as { task_id?: unknown }).task_id) ===
      task_id
    );
  });
}
