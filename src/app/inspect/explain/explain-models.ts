import type { ModelUse } from "../../../model/plan/decision.js";
import type { EventOf, LoggedEvent } from "../../../model/event.js";
import type { RunExplanation } from "./explanation-part.js";
import { findPlannedTask } from "./describe-limits.js";

/* Why an agent and its model work on a task: the decision of the plan, and the fallbacks that were taken from it. */

type Part = Pick<RunExplanation, "kind" | "why" | "alternatives" | "see" | "evidence">;

/** The id under which the model choice of a task is asked for. */
export const modelChoiceId = (taskId: string): string => `model:${taskId}`;

function describeUse({ agent, model }: ModelUse): string {
  const who = agent ?? "any agent";
  return model === null ? `${who} with a model of its own choice` : `${who} with ${model}`;
}

/** Contract: pure. Null when the run has no such task. */
export function explainModelChoice(taskId: string, events: readonly LoggedEvent[]): RunExplanation | null {
  const planned = findPlannedTask(taskId, events);
  const frozen = events.findLast(({ event }) => event.type === "plan_frozen");
  if (planned === null || frozen === undefined) return null;
  const { task, planId } = planned;
  const { agent, model = null, fallbacks = [], model_choice: choice, data_sensitivity } = task;
  const taken = events.flatMap(({ event, sequence }) =>
    event.type === "fallback_taken" && event.task_id === taskId ? [{ event, sequence }] : [],
  );
  const useOf = (use: ModelUse) => taken.find(({ event }) => isSame(event.to, use));
  return {
    id: modelChoiceId(taskId),
    kind: "model choice",
    title: `${taskId} is given to ${describeUse({ agent, model })}`,
    why: [
      choice === undefined
        ? `No model was chosen for it in plan ${planId}; ${agent} works as ordered by the person who carries the plan out.`
        : `Decision ${choice.decision_id} of plan ${planId}: ${choice.reason}`,
      ...(data_sensitivity === undefined ? [] : [`What it works with is ${data_sensitivity}.`]),
      ...taken.map(
        ({ event }) => `${describeUse(event.from)} ended with ${event.reason}; ${describeUse(event.to)} took over.`,
      ),
    ],
    evidence: [`event ${frozen.sequence}`, ...taken.map(({ sequence }) => `event ${sequence}`)],
    alternatives: orNone(choice !== undefined, [
      ...fallbacks
        .filter((use) => useOf(use) === undefined)
        .map((use) => ({
          alternative: describeUse(use),
          reason_rejected: "a fallback: it takes over only when the one before it is limited or missing",
        })),
      ...(choice?.rejected ?? []),
    ]),
    see: [taskId, ...taken.map(({ sequence }) => String(sequence))],
  };
}

/** Where nobody else could have been taken, that is said. */
function orNone(isChosen: boolean, found: RunExplanation["alternatives"]): RunExplanation["alternatives"] {
  if (found.length > 0) return found;
  const reason_rejected = isChosen ? "no other is configured that may work on it" : "a person ordered this one";
  return [{ alternative: "another agent or model", reason_rejected }];
}

function isSame(a: ModelUse, b: ModelUse): boolean {
  return a.agent === b.agent && a.model === b.model;
}

/** Why somebody else took over, and why nothing else was done instead. */
export function explainFallback(
  { task_id, attempt, from, to, reason }: EventOf<"fallback_taken">,
  events: readonly LoggedEvent[],
): Part {
  const chain = findPlannedTask(task_id, events)?.task.fallbacks ?? [];
  const last = events.findLast(
    ({ event }) => event.type === "attempt_finished" && event.task_id === task_id && event.attempt === attempt,
  );
  const [error = ""] = reason.split(":");
  return {
    kind: "model choice",
    why: [
      `Attempt ${attempt} ended with ${reason}.`,
      error === "lost_connection"
        ? "A connection that stays lost after its retries is passed by with the next fallback of the plan."
        : "A limit or a missing model is passed by at once with the next fallback of the plan.",
      `The plan names ${chain.map(describeUse).join(", then ")}; ${describeUse(to)} is the first that was not tried.`,
    ],
    evidence: last === undefined ? [] : [`event ${last.sequence}`],
    alternatives: [
      { alternative: `another attempt by ${describeUse(from)}`, reason_rejected: `it ended with ${error}` },
      { alternative: "ask a person", reason_rejected: "a planned fallback was left" },
      ...chain
        .slice(chain.findIndex((use) => isSame(use, to)) + 1)
        .map((use) => ({ alternative: describeUse(use), reason_rejected: "it comes later in the plan" })),
    ],
    see: [`${task_id}#${attempt}`, modelChoiceId(task_id), task_id],
  };
}
