import { taskOfEndedWait } from "../../../mind/run/effects.js";
import type { EventOf } from "../../../model/event.js";
import { describeEvent } from "../describe-event.js";
import { describeDecider, type InLog, lastOf, type Part, policyOf } from "./explanation-part.js";

/* Why a run went on, waited, stood still or ended: gates, breakers, budgets of coordination, waits, notices. */

export function explainGate({ gate: { decision, reason, criteria } }: EventOf<"gate_decided">): Part {
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

export function explainReserved({ purpose, tokens, cost_usd }: EventOf<"coordination_reserved">): Part {
  return {
    kind: "event",
    why: [
      `A session of coordination, ${purpose}, starts only with its budget set aside in the run's ledger.`,
      `${tokens} tokens and $${cost_usd.toFixed(2)}: what its task was estimated at, or what the run had left where that is less.`,
    ],
    alternatives: [
      { alternative: "start without a budget", reason_rejected: "nothing is spent that was not set aside" },
    ],
  };
}

export function explainCoordination(
  { purpose, tokens, cost_usd, source }: EventOf<"coordination_used">,
  { logged, events }: InLog,
): Part {
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const reserved = lastOf(before, "coordination_reserved", (event) => event.purpose === purpose);
  return {
    kind: "event",
    why: [
      `What coordination itself uses belongs to no task and is counted against the run's budget: ${purpose}.`,
      `${tokens} tokens, $${cost_usd.toFixed(2)}, ${source}.`,
    ],
    evidence: reserved === undefined ? [] : [`event ${reserved.sequence}`],
    alternatives: [{ alternative: "count it for a task", reason_rejected: "no attempt used it" }],
  };
}

export function explainNotice({ effect_id, about, ways }: EventOf<"notification_sent">): Part {
  const entry = effect_id.replace(/^notify:/, "");
  return {
    kind: "event",
    why: [
      about === "waiting"
        ? `${entry} waits for a person, and the settings name ways to tell one.`
        : `The run ${about}, and the settings name ways to notify people.`,
      ...ways.map(({ way, problem }) => (problem === null ? `${way}: sent.` : `${way}: not sent, ${problem}.`)),
      "Nothing of the run depends on it.",
    ],
    alternatives: [{ alternative: "send no notification", reason_rejected: "notify is set" }],
    see: about === "waiting" ? [entry] : [],
  };
}

export function explainBreaker({ agent, to }: EventOf<"breaker_changed">, { events }: InLog): Part {
  const failure = policyOf(events)?.failure;
  const rest = `${(failure?.breaker_open_ms ?? 0) / 1000} s`;
  const isProbe = lastOf(events, "breaker_changed", (event) => event.agent === agent && event.to === "half_open");
  const why = {
    open: `${agent} has failed ${failure?.breaker_failures ?? "too many"} times since its breaker was last closed${isProbe === undefined ? "" : ", or the attempt that tried it out failed"}: it is given no work for ${rest}.`,
    half_open: `${agent} has rested for ${rest}, so one attempt, and no other, tries whether it works again.`,
    closed: `The attempt that tried ${agent} out ended well, so it is given work again.`,
  };
  const instead = {
    open: { alternative: "go on with it", reason_rejected: "the breaker of the failure policy decides" },
    half_open: { alternative: "start all that waits for it", reason_rejected: "one probe at a time" },
    closed: { alternative: "let it rest longer", reason_rejected: "its probe ended well" },
  };
  return { kind: "event", why: [why[to]], alternatives: [instead[to]] };
}

export function explainPause({ reason }: EventOf<"dispatch_paused">, { logged, events }: InLog): Part {
  const raised = events.findLast(
    ({ event, sequence }) => event.type === "escalation_raised" && Math.abs(sequence - logged.sequence) <= 1,
  );
  const id = raised?.event.type === "escalation_raised" ? raised.event.escalation.escalation_id : undefined;
  return {
    kind: "event",
    why: [`No new attempt starts: ${reason}. What runs already goes on.`],
    evidence: raised === undefined ? [] : [`event ${raised.sequence}`],
    alternatives: [{ alternative: "start what is ready", reason_rejected: "what stopped it must be decided first" }],
    see: id === undefined ? [] : [id],
  };
}

export function explainWait({ effect_id }: EventOf<"wait_ended">, { logged, events }: InLog): Part {
  const task = taskOfEndedWait(effect_id);
  const before = events.filter(({ sequence }) => sequence < logged.sequence);
  const ended = lastOf(before, "attempt_finished", (event) => event.task_id === task);
  const failure = policyOf(events)?.failure;
  return {
    kind: "event",
    why:
      task === null
        ? ["The breaker of an agent was open until now; what waited for that agent may be tried."]
        : [
            ...(ended === undefined ? [] : [`${describeEvent(ended.event)}.`]),
            `The failure policy waits before a retry: ${failure?.base_delay_ms ?? 0} ms at first, ${failure?.backoff_multiplier ?? 1} times as long for each further one, at most ${failure?.max_delay_ms ?? 0} ms; or until a limit ends that said when it does.`,
          ],
    evidence: ended === undefined ? [] : [`event ${ended.sequence}`],
    alternatives: [{ alternative: "try again at once", reason_rejected: "the failure policy asks for the wait" }],
    see: task === null ? [] : [task],
  };
}

export function explainRunEnd({ status, reason }: EventOf<"run_finished">, { events }: InLog): Part {
  const gates = events.filter(({ event }) => event.type === "gate_decided");
  return {
    kind: "event",
    why: [reason],
    evidence: gates.map(({ sequence }) => `event ${sequence}`),
    alternatives: [
      status === "completed"
        ? { alternative: "failed", reason_rejected: "every task is done and every gate decided GO" }
        : { alternative: "completed", reason_rejected: reason },
    ],
    see: gates.flatMap(({ event }) => (event.type === "gate_decided" ? [`gate:${event.gate.phase}`] : [])),
  };
}

export function explainCancelled({ decider, reason }: EventOf<"run_cancelled">): Part {
  return {
    kind: "event",
    why: [
      describeDecider(decider),
      `The reason given: ${reason}`,
      "Running attempts are ended, their work is kept, and the run does not go on.",
    ],
    alternatives: [{ alternative: "let it go on", reason_rejected: `${decider.by} cancelled it` }],
  };
}

const MERGES = {
  fast_forward: "The branch had not moved, so it was set to the run's work as it is.",
  merge_commit: "The branch had moved on, so both were merged and the checks ran on what both give.",
  exported: "The work was put onto a branch of its own, and no other branch was moved.",
} as const;

export function explainMerged({ how, into, to, reviews, decider, record }: EventOf<"run_merged">): Part {
  return {
    kind: "event",
    why: [
      describeDecider(decider),
      "A branch of a person moves only by their own command.",
      MERGES[how],
      ...reviews.map(({ gate_id, by }) => `The review ${gate_id} was given by ${by} before it.`),
    ],
    evidence: [`${into} at ${to}`, ...(record === undefined ? [] : [`record ${record}`])],
    alternatives: [{ alternative: "leave it on the run's own ref", reason_rejected: `${decider.by} took it` }],
  };
}
