import type { RunEvent } from "../../model/event.js";
import type { BriefRef } from "../../model/intent-spec.js";
import type { AttemptOutcome, Waivable, Objection, Usage } from "../../model/run.js";
import type { Effect } from "../../mind/run/effects.js";
import type { Chance } from "./chance.js";
import { amounts, type Faults } from "./draw.js";

/* Reports of simulated hands: how effects end, and what is seen of an attempt on the way. */

type RunnableEffect = Extract<Effect, { task_id: string }>;
type Start = Extract<Effect, { kind: "start_attempt" }>;

export function outcomeOf(effect: RunnableEffect, chance: Chance, faults: Faults, now: number): RunEvent {
  const { task_id, attempt } = effect;
  const fails = chance.happens(faults.attempt_fails);
  switch (effect.kind) {
    case "start_attempt":
      return finishAttempt(
        effect,
        fails ? failure(effect, chance, now) : { kind: "completed", output_ref: `ref:${task_id}` },
        chance.happens(0.3) ? UNKNOWN : usageOf(effect.reserved.tokens * 0.9),
      );
    case "stop_attempt":
      return finishAttempt(effect, { kind: "resource", what: effect.what, message: effect.message }, UNKNOWN);
    case "verify": {
      const verdict = fails && chance.happens(0.3) ? "FAIL" : "PASS";
      // Not by chance: what else is drawn stays the same for a seed. A waived result may be held once more.
      if (verdict === "FAIL" && now % 5 === 0 && !effect.lifted.some(({ objections }) => objections.length > 0))
        return {
          type: "verification_finished",
          task_id,
          attempt,
          verdict: "BLOCKED",
          evidence: "not proven",
          liftable: drawUnproven(now),
        };
      if (verdict === "FAIL" && now % 2 === 0)
        return {
          type: "verification_finished",
          task_id,
          attempt,
          verdict: "BLOCKED",
          evidence: "checks",
          liftable: drawMissing(effect.lifted.length),
        };
      return { type: "verification_finished", task_id, attempt, verdict, evidence: "checks" };
    }
    case "integrate": {
      const { conflict } = effect;
      const round = (conflict?.round ?? 0) + 1;
      // Anyone who meets a conflict once is likely to meet another: the branch moves on while it is resolved.
      if (chance.happens(round === 1 ? faults.conflict : 0.4 * Math.sign(faults.conflict)))
        return {
          type: "conflict_found",
          task_id,
          attempt,
          round,
          onto: `c${now}`,
          paths: ["a.ts"],
          ref: "refs/coord/a",
        };
      const integrated = !(fails && chance.happens(0.2));
      const held = integrated || now % 2 === 0 ? {} : { liftable: drawMissing(effect.lifted.length) };
      return { type: "integration_finished", task_id, attempt, integrated, ref: "refs/coord/x", ...held };
    }
    case "resolve_conflict": {
      const { round } = effect.conflict;
      return fails && chance.happens(0.5)
        ? { type: "integration_finished", task_id, attempt, integrated: false, ref: "a line was lost" }
        : { type: "conflict_resolved", task_id, attempt, round, tree: "t", ref: `sha256:${round}` };
    }
    case "review_level": {
      const accepted = !(fails && chance.happens(0.2));
      return { type: "review_finished", task_id, attempt, accepted, summary: "looked at" };
    }
  }
}

/** Tests that are missing, others each time. */
function drawMissing(round: number): Waivable {
  return {
    tests: [1, 2].map((n) => ({ check: "test", id: `test:${round}.${n}`, name: `test ${round}.${n}` })),
    guardrails: [],
  };
}

/** Checks that prove nothing; now and then another one, and now and then beside something of the result's own. */
function drawUnproven(now: number): Waivable {
  const check = now % 3 === 0 ? "lint" : "test";
  const cause: Objection = { kind: "unproven", id: check, message: `${check} did not run on the base`, cause: "gone" };
  const addition = { commands: [], write: [`docs/more-${now}/**`], network: [] };
  const refused: Objection = { kind: "refused", id: "edit docs/more.md", message: "edit docs/more.md", addition };
  return { tests: [], guardrails: [], objections: now % 4 === 0 ? [cause, refused] : [cause] };
}

/** One requirement that must hold, and one that should. */
export const BRIEF: BriefRef = {
  ref: "sha256:0",
  spec: {
    id: "IS-simulated",
    checksum: "0".repeat(64),
    requirements: [
      { id: "REQ-1", priority: "must_have" },
      { id: "REQ-2", priority: "should_have" },
    ],
  },
  documents: [],
};

export function judgeRequirements(
  { round }: Extract<Effect, { kind: "prove_requirements" }>,
  chance: Chance,
): RunEvent {
  const holds = (id: string) => ({ id, holds: chance.pick([true, true, false, null]), evidence: "looked at" });
  // A requirement that is not reported counts as not held, too.
  const results = ["REQ-1", "REQ-2"].filter(() => chance.happens(0.9)).map(holds);
  return { type: "requirements_judged", round, commit: "c", tree: "t", results, ref: "sha256:1" };
}

/** Reports of an attempt while it works: sums that only grow, now and then beyond what it may use. */
export function reportsOf({ task_id, attempt, reserved }: Start, chance: Chance, faults: Faults): RunEvent[] {
  const most = chance.happens(faults.over_budget) ? reserved.tokens * (1 + chance.number()) : reserved.tokens * 0.9;
  const turns = chance.between(0, 4);
  const reports = Array.from({ length: turns }, (_, i): RunEvent => ({
    type: "attempt_progressed",
    task_id,
    attempt,
    usage: usageOf((most * (i + 1)) / turns),
    note: `turn ${i + 1}`,
  }));
  if (chance.happens(0.2)) reports.push(drawJudgement(task_id, attempt, chance));
  if (chance.happens(0.3)) reports.push(...turnsOf(task_id, attempt, chance));
  if (chance.happens(0.1)) reports.push(routeAgain(task_id, attempt, chance));
  return reports;
}

/** Routing evaluated again: with more for the next attempt, or with nothing. It counts where the attempt ends with a question. */
function routeAgain(task_id: string, attempt: number, chance: Chance): RunEvent {
  return {
    type: "route_reevaluated",
    task_id,
    attempt,
    outcome: chance.pick(["dispatched", "escalated"]),
    reason: "as the registry says",
    context: { target: "dev", documents: [] },
    documents: [],
  };
}

/** The turns of an agent, now and then told twice: as by a process that adopts the attempt. */
function turnsOf(task_id: string, attempt: number, chance: Chance): RunEvent[] {
  const turns = Array.from({ length: chance.between(1, 3) }, (_, i): RunEvent => ({
    type: "iteration_finished",
    task_id,
    attempt,
    iteration: i + 1,
    limit: 3,
    promised: chance.happens(0.5),
    checks: [{ check: "test", failing: 1, failed_before: 0 }],
    failing: ["test: a"],
    next: "again",
    reason: "",
    tokens: 10,
    cost_usd: 0.01,
    source: "reported",
  }));
  return chance.happens(0.2) ? [...turns, ...turns] : turns;
}

function drawJudgement(task_id: string, attempt: number, chance: Chance): RunEvent {
  const decision = chance.pick(["allow", "deny", "violation"] as const);
  return {
    type: "tool_judged",
    task_id,
    attempt,
    use: { tool_call_id: "call", stage: "deed", kind: "edit", title: "Edit", paths: [], command: null, hosts: [] },
    judgement: { decision, rule_id: "scope.write", reason: "as the scope says" },
  };
}

function failure({ task_id, attempt }: Start, chance: Chance, now: number): AttemptOutcome {
  const draw = chance.number();
  if (draw < 0.5)
    return {
      kind: "structural",
      error: chance.pick(["malformed_output", "timeout", "crash", "lost_connection", "rate_limit"]),
      message: chance.pick(["broken pipe", "exit 137 at /tmp/a1", "no JSON"]),
    };
  if (draw < 0.57) {
    const wait = chance.between(1_000, 500_000);
    return {
      kind: "structural",
      error: "usage_limit",
      message: "limit reached",
      // Now and then one that no run may wait for.
      wait_until_ms: now + (wait % 5 === 0 ? wait * 10_000 : wait),
    };
  }
  if (draw < 0.68)
    return { kind: "semantic", violation: chance.pick(["rule", "spec", "scope"]), message: "wrote outside its scope" };
  if (draw < 0.76) return { kind: "quality", message: "two tests fail" };
  if (draw < 0.83) return { kind: "clarification", question: "Which of the two?" };
  if (draw < 0.92)
    return {
      kind: "scope_request",
      request: { commands: [], write: [`docs/${task_id}-${attempt}/**`], network: [] },
      message: "the page belongs to it",
    };
  if (draw < 0.97) return { kind: "resource", what: "tokens", message: "over the limit" };
  return chance.happens(0.3) ? { kind: "safety", message: "tried to read a key" } : { kind: "cancelled" };
}

export const UNKNOWN: Usage = { amounts: amounts(0), source: "estimated" };

function usageOf(tokens: number): Usage {
  return { amounts: amounts(Math.round(tokens)), source: "reported" };
}

export function finishAttempt(
  { task_id, attempt }: { readonly task_id: string; readonly attempt: number },
  outcome: AttemptOutcome,
  usage: Usage,
): RunEvent {
  return { type: "attempt_finished", task_id, attempt, outcome, usage };
}
