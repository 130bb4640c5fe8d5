import { type Amounts, type PlanRef, RunPolicy, type RunTask } from "../../model/run.js";
import type { Scope } from "../../model/scope.js";
import { GATED_PHASES } from "../../mind/run/decide/phase-gates.js";
import type { Chance } from "./chance.js";

/** How often each thing goes wrong, from 0 to 1. */
export interface Faults {
  readonly crash: number;
  readonly store_refuses: number;
  readonly outcome_lost: number;
  readonly outcome_twice: number;
  readonly late_outcome: number;
  readonly attempt_fails: number;
  readonly over_budget: number;
  readonly clock_jump: number;
  readonly cancelled: number;
  readonly conflict: number;
}

export function drawFaults(chance: Chance): Faults {
  // A fifth of the seeds are calm, so that the good way is walked as well.
  const worst = chance.happens(0.2) ? 0 : 1;
  const up = (most: number) => worst * most * chance.number();
  return {
    crash: up(0.2),
    store_refuses: up(0.1),
    outcome_lost: up(0.1),
    outcome_twice: up(0.3),
    late_outcome: up(0.8),
    attempt_fails: up(0.6),
    over_budget: up(0.4),
    clock_jump: up(0.05),
    cancelled: up(0.1),
    conflict: up(0.5),
  };
}

export function drawPolicy(chance: Chance): RunPolicy {
  const places = chance.between(1, 5);
  return RunPolicy.parse({
    max_concurrent_tasks: places,
    // Runs as they are begun now and as earlier versions began them.
    gate: places % 2 === 0 ? {} : { phases: [...GATED_PHASES] },
    plan_needs_approval: chance.happens(0.7),
    conflict_rounds: chance.between(1, 3),
    coordinator_mode: chance.happens(0.1) ? "off" : "conflicts",
    schedule: chance.happens(0.3) ? "levels" : "dataflow",
    failure: { same_signature_tasks: chance.between(2, 4), breaker_failures: chance.pick([1, 2, 5]) },
  });
}

const SCOPE: Scope = {
  tools: ["read", "edit"],
  commands: ["npm test"],
  read: ["**"],
  write: ["src/**"],
  network: [],
  minutes: 10,
  output_bytes: 1_000_000,
  files: 20,
};

export function drawPlan(chance: Chance): PlanRef {
  const gates = chance.happens(0.3) ? [{ gate_id: "gate_one", category: "data", reviewers: ["ada"] }] : [];
  const tasks = Array.from({ length: chance.between(1, 14) }, (_, i) => drawTask(chance, i, gates.length > 0));
  const total = tasks.reduce((sum, task) => sum + task.estimate.tokens, 0);
  // Sometimes a budget is too small from the start, or for what goes wrong on the way.
  const budget = amounts(Math.ceil(total * (0.5 + 4 * chance.number())));
  return {
    plan_id: "plan_simulated",
    plan_checksum: "0".repeat(64),
    tasks,
    gates,
    budget,
    ...(chance.happens(0.2)
      ? { phase_budgets: { implementation: amounts(Math.ceil(budget.tokens * chance.number())) } }
      : {}),
  };
}

function drawTask(chance: Chance, i: number, gated: boolean): RunTask {
  const estimate = amounts(chance.between(100, 5_000));
  return {
    task_id: `T${i}`,
    title: `Task ${i}`,
    agent: chance.pick(["agent_a", "agent_b"]),
    phase: chance.pick(["implementation", "verification"]),
    priority: chance.pick(["P0", "P1", "P2", "P3"] as const),
    dependencies: Array.from({ length: i }, (_unused, d) => `T${d}`).filter(() => chance.happens(0.25)),
    // Nobody estimates everything.
    estimate: chance.happens(0.3) ? { ...estimate, files: 0, api_calls: 0 } : estimate,
    gates: gated && chance.happens(0.3) ? ["gate_one"] : [],
    ...(i % 3 === 0 ? { alternatives: ["agent_a", "agent_b"] } : {}),
    ...(i % 4 === 1 ? { type: "feature" as const } : {}),
    ...(chance.happens(0.7) ? { scope: SCOPE } : {}),
    ...(chance.happens(0.1) ? { budget: amounts(Math.ceil(estimate.tokens * (0.8 + 2 * chance.number()))) } : {}),
    ...(chance.happens(0.2) ? { fallbacks: [{ agent: "agent_c", model: null }] } : {}),
  };
}

export function amounts(tokens: number): Amounts {
  return {
    tokens,
    cost_usd: tokens / 100_000,
    minutes: tokens / 500,
    files: tokens,
    commits: tokens,
    api_calls: tokens,
  };
}
