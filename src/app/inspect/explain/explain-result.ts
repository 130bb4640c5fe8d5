import type { EventOf } from "../../../model/event.js";
import { attemptId, describeDecider, type InLog, lastOf, type Part, policyOf } from "./explanation-part.js";

/* Why a result was taken or held: its verdict, its way onto the branch, the review of its level, the requirements. */

export function explainVerdict({
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

export function explainResumed({ task_id, attempt }: EventOf<"judgement_resumed">, { logged, events }: InLog): Part {
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const order = lastOf(
    before,
    "escalation_answered",
    ({ order: { action } }) => action === "lift" || action === "recheck",
  );
  return {
    kind: "event",
    why: [
      ...(order === undefined ? [] : [describeDecider(order.event.decider)]),
      order?.event.order.action === "recheck"
        ? "A person said that the fault outside of the work is mended, so the same result is judged once more."
        : "A person waived what held the result, so the same result is judged once more, without what was waived.",
    ],
    evidence: order === undefined ? [] : [`event ${order.sequence}`],
    alternatives: [
      { alternative: "another attempt", reason_rejected: "the work is there, and only its judgement was open" },
    ],
    see: [attemptId({ task_id, attempt }), ...(order === undefined ? [] : [order.event.escalation_id])],
  };
}

export function explainIntegration({ task_id, attempt, integrated, ref }: EventOf<"integration_finished">): Part {
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

export function explainConflict(
  { task_id, attempt, paths, round }: EventOf<"conflict_found">,
  { events }: InLog,
): Part {
  const policy = policyOf(events);
  const most = policy?.conflict_rounds ?? 3;
  const isOff = policy?.coordinator_mode === "off";
  const isSent = !isOff && round <= most;
  return {
    kind: "event",
    why: [
      `Git cannot merge the result with the branch as it is: both changed ${paths.join(", ")}.`,
      isSent
        ? "The change leaves the queue and an agent is asked to make one of both sides; others are integrated meanwhile."
        : isOff
          ? "run.coordinator_mode is off, so no agent is asked, and a person decides."
          : `It was resolved ${most} times and conflicts again, as often as run.conflict_rounds allows, so a person decides.`,
    ],
    evidence: paths,
    alternatives: [{ alternative: "take one of both sides", reason_rejected: "no line of either side may be lost" }],
    see: [attemptId({ task_id, attempt })],
  };
}

export function explainResolved({ task_id, attempt, round, tree, ref }: EventOf<"conflict_resolved">): Part {
  return {
    kind: "event",
    why: [
      `An agent made one of both sides, in round ${round}. No line that either side wrote is lost, or it said of each why.`,
      "It takes its turn on the branch again: it is merged and checked there as every result is.",
    ],
    evidence: [`tree ${tree}`, `record ${ref}`],
    alternatives: [
      { alternative: "take it without checks", reason_rejected: "a resolution is proven as every result is" },
    ],
    see: [attemptId({ task_id, attempt })],
  };
}

/** Why the work counts as done once it is on the branch, and whether an agent was asked about it. */
export function explainLevelReview(
  { task_id, attempt, accepted, summary }: EventOf<"review_finished">,
  { logged, events }: InLog,
): Part {
  const policy = policyOf(events);
  const mode = policy?.coordinator_mode ?? "conflicts";
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const session = lastOf(before, "coordination_used", ({ purpose }) =>
    purpose.startsWith(`review: ${attemptId({ task_id, attempt })} `),
  );
  const isLater =
    policy?.schedule === "levels" ? " Levels are kept: the last task of a level is reviewed for all of it." : "";
  const notAsked = {
    always: `run.coordinator_mode is always, and no session of a reviewer belongs to this task.${isLater}`,
    conflicts:
      "run.coordinator_mode is conflicts: an agent is asked only where something makes the work doubtful, and nothing did.",
    off: "run.coordinator_mode is off, so no agent was asked.",
  };
  return {
    kind: "review",
    why: [
      session === undefined
        ? notAsked[mode]
        : `An agent reviewed it, because run.coordinator_mode is ${mode}${mode === "conflicts" ? " and something made the work doubtful" : ""}.`,
      accepted
        ? "It is on the branch and no defect was named, so its task is done."
        : "The reviewer named a defect with its place, so its task is not done and a person decides.",
      ...(summary === "" ? [] : [summary]),
    ],
    evidence: [`record level ${task_id}`, ...(session === undefined ? [] : [`event ${session.sequence}`])],
    alternatives: [
      accepted
        ? { alternative: "refuse it", reason_rejected: "a review refuses work only by naming a defect" }
        : { alternative: "accept it", reason_rejected: "a named defect is a person's to decide on" },
    ],
    see: [attemptId({ task_id, attempt }), task_id],
  };
}

export function explainRequirements({ results, commit, ref }: EventOf<"requirements_judged">, { events }: InLog): Part {
  const wanted = lastOf(events, "brief_kept")?.event.brief.spec?.requirements ?? [];
  const isMust = (id: string) => wanted.find((each) => each.id === id)?.priority === "must_have";
  const failed = results.filter(({ id, holds }) => holds !== true && isMust(id));
  return {
    kind: "verdict",
    why: [
      "Every requirement is judged on the tree that all tasks together made.",
      ...results.map(
        ({ id, holds, evidence }) =>
          `${id} ${holds === null ? "could not be evaluated" : holds ? "holds" : "does not hold"}: ${evidence}`,
      ),
    ],
    evidence: [`commit ${commit}`, `record ${ref}`],
    alternatives: [
      failed.length === 0
        ? { alternative: "hold the run", reason_rejected: "everything that must hold does" }
        : {
            alternative: "let the run end",
            reason_rejected: `what must hold does not: ${failed.map(({ id }) => id).join(", ")}`,
          },
    ],
  };
}
