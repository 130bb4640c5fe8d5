import type { EventOf, LoggedEvent, RunEvent } from "../../../model/event.js";
import type { RunExplanation } from "./explain-event.js";

/* Why work was taken onto the branch or not, why work is stalled, and why a run ended: the rule of each, and what else there was. */

type Part = Pick<RunExplanation, "kind" | "why"> & Partial<Pick<RunExplanation, "alternatives" | "see" | "evidence">>;

/** Null for an event that somebody else explains. Contract: pure. */
export function explainOutcome(event: RunEvent, events: readonly LoggedEvent[]): Part | null {
  switch (event.type) {
    case "integration_finished":
      return integration(event);
    case "conflict_found":
      return {
        kind: "event",
        why: [
          `Git cannot merge the result with the branch as it is: both changed ${event.paths.join(", ")}.`,
          "The change leaves the queue and an agent is asked to make one of both sides; others are integrated meanwhile.",
        ],
        evidence: event.paths,
        alternatives: [
          { alternative: "take one of both sides", reason_rejected: "no line of either side may be lost" },
        ],
        see: [`${event.task_id}#${event.attempt}`],
      };
    case "review_approved":
    case "review_rejected":
      return explainReview(event, events);
    case "requirements_judged": {
      const failed = event.results.filter(({ holds }) => holds !== true);
      return {
        kind: "verdict",
        why: [
          "Every requirement is judged on the tree that all tasks together made.",
          ...event.results.map(
            ({ id, holds, evidence }) =>
              `${id} ${holds === null ? "could not be evaluated" : holds ? "holds" : "does not hold"}: ${evidence}`,
          ),
        ],
        evidence: [`commit ${event.commit}`, `record ${event.ref}`],
        alternatives: [
          failed.length === 0
            ? { alternative: "hold the run", reason_rejected: "every requirement holds" }
            : {
                alternative: "let the run end",
                reason_rejected: `it does not hold: ${failed.map(({ id }) => id).join(", ")}`,
              },
        ],
      };
    }
    case "breaker_changed":
      return {
        kind: "event",
        why: [
          {
            open: `${event.agent} failed as often in a row as run.breaker allows, so it is given no work until it has rested.`,
            half_open: `${event.agent} has rested, so one attempt tries whether it works again.`,
            closed: `The attempt that tried ${event.agent} ended well, so it is given work again.`,
          }[event.to],
        ],
        alternatives: [
          { alternative: "go on as before", reason_rejected: "the breaker of the failure policy decides" },
        ],
      };
    case "dispatch_paused":
      return {
        kind: "event",
        why: [`No new attempt starts: ${event.reason}`],
        alternatives: [
          { alternative: "start what is ready", reason_rejected: "what stopped it must be decided first" },
        ],
      };
    case "run_finished":
      return {
        kind: "event",
        why: [event.reason],
        evidence: events.flatMap(({ event: each, sequence }) =>
          each.type === "gate_decided" ? [`event ${sequence}`] : [],
        ),
        alternatives: [
          event.status === "completed"
            ? { alternative: "failed", reason_rejected: "every task is done and every gate decided GO" }
            : { alternative: "completed", reason_rejected: event.reason },
        ],
      };
    default:
      return null;
  }
}

function integration({ task_id, attempt, integrated, ref }: EventOf<"integration_finished">): Part {
  return {
    kind: "event",
    why: integrated
      ? [
          "Its verdict is PASS, it merges with the branch, and what both together give passes the checks again.",
          `The branch stands at ${ref}.`,
        ]
      : [`It is not taken onto the branch: ${ref}`],
    evidence: [`record integration ${task_id}`],
    alternatives: integrated
      ? [{ alternative: "hold it back", reason_rejected: "nothing of it is worse than what is on the branch" }]
      : [
          {
            alternative: "take it all the same",
            reason_rejected: "only what is proven together with the branch is integrated",
          },
        ],
    see: [`${task_id}#${attempt}`],
  };
}

/** Who decided a review, for which tasks, and as whom it could be decided. */
function explainReview(event: EventOf<"review_approved" | "review_rejected">, events: readonly LoggedEvent[]): Part {
  const frozen = events.findLast(({ event: each }) => each.type === "plan_frozen")?.event;
  const plan = frozen?.type === "plan_frozen" ? frozen.plan : null;
  const gate = plan?.gates.find(({ gate_id }) => gate_id === event.gate_id);
  const held = plan?.tasks.filter(({ gates }) => gates.includes(event.gate_id)).map(({ task_id }) => task_id) ?? [];
  const { by, how, via } = event.decider;
  const said = event.type === "review_rejected" ? `: ${event.reason}` : "";
  const isApproved = event.type === "review_approved";
  return {
    kind: "gate",
    why: [
      `Decided by ${by} (${how}${via === undefined ? "" : `, ${via}`})${said}.`,
      ...(gate === undefined
        ? []
        : [`It is a ${gate.category} review that ${gate.reviewers.join(" or ") || "anybody"} may decide.`]),
      ...(held.length === 0 ? [] : [`${held.join(", ")} could not start before it.`]),
    ],
    alternatives: [
      isApproved
        ? { alternative: "reject it", reason_rejected: `${by} approved it` }
        : { alternative: "approve it", reason_rejected: `${by} rejected it` },
    ],
    see: held,
  };
}
