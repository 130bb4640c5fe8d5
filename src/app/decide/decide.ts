import type { RunEvent } from "../../model/event.js";
import type { Decider, EscalationOrder, Waivable } from "../../model/run.js";
import type { ScopeAddition } from "../../model/scope.js";
import type { RunState } from "../../mind/run/state.js";
import { addScopes } from "../../mind/run/task-record.js";
import { describeAllowed, type OpenEntry } from "../inspect/open-entries.js";

/** A person's decision about something that waits on them. */
export type Decision =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "order"; readonly order: Exclude<EscalationOrder, { action: "lift" | "widen" }> }
  /** Objections to a result are waived, as far as they are named; all that were shown when none is. */
  | {
      readonly kind: "waive";
      readonly tests: readonly string[];
      /** The checks that prove nothing do not count for this run; otherwise the result is accepted without them. */
      readonly notApplicable: boolean;
      readonly as: string | undefined;
      readonly note: string | undefined;
    }
  /** The scope is widened by what was refused, and by what is named. */
  | { readonly kind: "widen"; readonly addition: ScopeAddition; readonly note: string | undefined }
  | { readonly kind: "approve" }
  | { readonly kind: "reject"; readonly reason: string };

export type Decided =
  | { readonly ok: true; readonly event: RunEvent }
  | { readonly ok: false; readonly message: string; readonly fix: string };

/** The event a decision makes, or why it is not a decision of this entry. Contract: pure. */
export function decide(entry: OpenEntry, decision: Decision, decider: Decider): Decided {
  const { id, kind } = entry;
  const accept = (event: RunEvent): Decided => ({ ok: true, event });
  switch (kind) {
    case "plan_approval":
      if (decision.kind === "approve") return accept({ type: "plan_approved", decider });
      if (decision.kind === "reject") return accept({ type: "plan_rejected", decider, reason: decision.reason });
      break;
    case "review":
      if (decision.kind === "approve") return accept({ type: "review_approved", gate_id: id, decider });
      if (decision.kind === "reject")
        return accept({ type: "review_rejected", gate_id: id, decider, reason: decision.reason });
      break;
    case "scope_request":
      if (decision.kind === "approve" && entry.request !== null)
        return accept({
          type: "scope_widened",
          task_id: entry.task_id ?? "",
          request_id: id,
          addition: entry.request,
          decider,
        });
      if (decision.kind === "reject")
        return accept({
          type: "scope_refused",
          task_id: entry.task_id ?? "",
          request_id: id,
          decider,
          reason: decision.reason,
        });
      break;
    case "task_change":
      if (decision.kind === "approve")
        return accept({ type: "change_decided", change_id: id, approved: true, decider, reason: "" });
      if (decision.kind === "reject")
        return accept({ type: "change_decided", change_id: id, approved: false, decider, reason: decision.reason });
      break;
    case "question":
      if (decision.kind === "text")
        return accept({ type: "question_answered", question_id: id, answer: decision.text, decider });
      break;
    case "escalation":
      if (decision.kind === "order")
        return accept({ type: "escalation_answered", escalation_id: id, order: decision.order, decider });
      if (decision.kind === "waive" && entry.escalation?.liftable !== undefined)
        return waive(id, entry.escalation.liftable, decision, decider);
      if (decision.kind === "widen") return widen(entry, decision, decider);
      break;
  }
  const commands = entry.commands.map((command) => `\`${command}\``).join(" or ");
  return { ok: false, message: `${id} is ${NAMES[kind]} and cannot be answered like this`, fix: `Use ${commands}.` };
}

/** INVARIANT: what is waived stands in the event test by test; nobody lets go what they were not shown. */
function waive(
  escalation_id: string,
  { tests: shown, guardrails: holding, objections: held = [] }: Waivable,
  { tests: names, as, note, notApplicable }: Extract<Decision, { kind: "waive" }>,
  decider: Decider,
): Decided {
  const unknown = names.find((name) => !shown.some((test) => test.name === name));
  if (unknown !== undefined)
    return {
      ok: false,
      message: `${unknown} is not among the tests that ${escalation_id} is about`,
      fix: `They are ${shown.map(({ name }) => name).join(", ")}.`,
    };
  const tests = names.length === 0 ? shown : shown.filter(({ name }) => names.includes(name));
  // A finding that another reviewer may waive still holds.
  const mine = holding.filter(({ override }) => override === "person" || override === as);
  const guardrails = names.length === 0 ? mine : [];
  const objections = names.length > 0 ? [] : held.filter(({ kind }) => !notApplicable || kind === "unproven");
  if (notApplicable && objections.length === 0)
    return {
      ok: false,
      message: `${escalation_id} is not about a check that proves nothing`,
      fix: "Leave --not-applicable out.",
    };
  if (tests.length + guardrails.length + objections.length === 0)
    return {
      ok: false,
      message: `${escalation_id} is not yours to waive`,
      fix: `Say as whom: --as ${[...new Set(holding.map(({ override }) => override))].join(" or --as ")}`,
    };
  const order = {
    action: "lift" as const,
    tests: notApplicable ? [] : [...tests],
    guardrails: notApplicable ? [] : guardrails,
    ...(objections.length === 0 ? {} : { objections }),
    ...(notApplicable ? { not_applicable: true as const } : {}),
    ...(note === undefined ? {} : { note }),
  };
  return { ok: true, event: { type: "escalation_answered", escalation_id, order, decider } };
}

/** Contract: without anything named, the scope is widened by exactly what was refused and not done otherwise. */
function widen(
  { id: escalation_id, escalation, refused }: OpenEntry,
  { addition, note }: Extract<Decision, { kind: "widen" }>,
  decider: Decider,
): Decided {
  const isNamed = addition.write.length + addition.commands.length + addition.network.length > 0;
  const held = (escalation?.liftable?.objections ?? []).flatMap((one) =>
    one.addition === undefined ? [] : [one.addition],
  );
  const wanted = held.length > 0 ? held.reduce(addScopes) : describeAllowed(refused);
  if (!isNamed && wanted === null)
    return {
      ok: false,
      message: `Nothing that ${escalation_id} is about says by what its scope would be widened`,
      fix: "Name it: --write PATTERN, --command COMMAND or --host HOST.",
    };
  const whole = isNamed || wanted === null ? addition : wanted;
  const order = { action: "widen" as const, addition: whole, ...(note === undefined ? {} : { note }) };
  return { ok: true, event: { type: "escalation_answered", escalation_id, order, decider } };
}

export const NAMES: Readonly<Record<OpenEntry["kind"], string>> = {
  plan_approval: "the approval of a plan",
  review: "a review",
  question: "a question",
  scope_request: "a request for a wider scope",
  task_change: "a change of a task",
  escalation: "an escalation",
};

/**
 * Why this person may not decide this: a review belongs to its reviewers. Null when they may.
 *
 * Contract: pure. It is asked where the event is taken, not only where it is sent.
 */
export function roleObjection(state: RunState, event: RunEvent, roles: readonly string[]): string | null {
  if (event.type === "escalation_answered" && event.order.action === "lift") {
    const entry = state.inbox.find(({ id }) => id === event.escalation_id);
    const holding = entry?.kind === "escalation" ? (entry.escalation.liftable?.guardrails ?? []) : [];
    // Who may waive it says the escalation, not anyone who answers it.
    const isTaken = (held: (typeof holding)[number]) =>
      event.order.action === "lift" &&
      event.order.guardrails.some(({ rule_id, path }) => rule_id === held.rule_id && path === held.path);
    const others = holding.find(
      (held) => isTaken(held) && held.override !== "person" && !roles.includes(held.override),
    );
    return others === undefined
      ? null
      : `${roles.join(", ")} may not waive ${others.rule_id} at ${others.path}: ${others.override} may`;
  }
  if (event.type !== "review_approved" && event.type !== "review_rejected") return null;
  const entry = state.inbox.find(({ id }) => id === event.gate_id);
  if (entry?.kind !== "review" || entry.reviewers.length === 0) return null;
  if (entry.reviewers.some((reviewer) => roles.includes(reviewer))) return null;
  return `${roles.join(", ")} may not decide ${event.gate_id}: its reviewers are ${entry.reviewers.join(", ")}`;
}
