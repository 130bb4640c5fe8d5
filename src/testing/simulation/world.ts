import type { RunEvent } from "../../model/event.js";
import type { Amounts, AttemptOutcome, PlanRef, RunPolicy } from "../../model/run.js";
import { RunPolicy as RunPolicySchema } from "../../model/run.js";
import { type Effect, effectsOf } from "../../run/effects.js";
import { seeded } from "../../run/seeded.js";
import { type InboxEntry, isOver, NEW_RUN, type RunState } from "../../run/state.js";
import { fold, refusal, step } from "../../run/transition.js";
import { Watch } from "./invariants.js";

/*
 * A whole run without a machine: the real transition function, gates, budgets and breaker, with simulated hands, people,
 * clock and store, all drawn from one seed. What goes wrong in the world goes wrong here too: processes die between any
 * two events, outcomes are lost, come twice or come late, agents fail in every way, stores refuse to write.
 */

/** How often each thing goes wrong, from 0 to 1. */
interface Faults {
  readonly crash: number;
  readonly store_refuses: number;
  readonly outcome_lost: number;
  readonly outcome_twice: number;
  readonly late_outcome: number;
  readonly attempt_fails: number;
  readonly clock_jump: number;
  readonly cancelled: number;
}

export interface SimulationResult {
  readonly seed: number;
  readonly status: RunState["status"];
  readonly reason: string;
  readonly events: readonly { readonly event: RunEvent; readonly clock_ms: number }[];
  readonly crashes: number;
  readonly dropped: number;
  /** What did not hold. Empty when all is well. */
  readonly violations: readonly string[];
}

interface Delivery {
  readonly at: number;
  readonly order: number;
  readonly event: RunEvent;
}

/** More steps than any honest run of this size takes: a run that gets here does not end. */
const MOST_STEPS = 5_000;

export function simulate(seed: number): SimulationResult {
  return new World(seed).run();
}

class World {
  readonly #seed: number;
  readonly #chance: () => number;
  readonly #faults: Faults;
  readonly #policy: RunPolicy;
  readonly #plan: PlanRef;
  readonly #log: { event: RunEvent; clock_ms: number }[] = [];
  readonly #due: Delivery[] = [];
  /** Effects the hands know of. They outlive the process: an effect asked for twice is done once. */
  readonly #hands = new Map<string, { readonly alive: boolean }>();
  readonly #watch: Watch;
  #state: RunState = NEW_RUN;
  #clock = 0;
  #order = 0;
  #crashes = 0;
  #dropped = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#chance = seeded(seed, "world");
    this.#faults = this.#drawFaults();
    this.#policy = this.#drawPolicy();
    this.#plan = this.#drawPlan();
    this.#watch = new Watch(this.#plan, this.#policy);
  }

  run(): SimulationResult {
    this.#deliver(0, {
      type: "request_received",
      request_id: "r1",
      request: "do it",
      seed: this.#seed,
      policy: this.#policy,
    });
    this.#deliver(1, { type: "intake_decided", decision: "approved", reason: "clear", unsafe: false });
    this.#deliver(2, { type: "plan_frozen", plan: this.#plan, verified: !this.#happens(0.02) });
    if (this.#happens(this.#faults.cancelled))
      this.#deliver(this.#between(10, 100_000), {
        type: "run_cancelled",
        decider: { by: "ada", how: "person" },
        reason: "enough",
      });
    for (let steps = 0; this.#due.length > 0 && !isOver(this.#state); steps++) {
      if (steps > MOST_STEPS) {
        this.#watch.report("the run does not end");
        break;
      }
      this.#next();
    }
    this.#watch.atEnd(this.#state, fold(this.#log));
    return {
      seed: this.#seed,
      status: this.#state.status,
      reason: this.#state.reason,
      events: this.#log,
      crashes: this.#crashes,
      dropped: this.#dropped,
      violations: this.#watch.violations,
    };
  }

  /** Take the delivery that is due first: step, commit, let the hands act. */
  #next(): void {
    const index = this.#due.reduce((first, d, i) => (before(d, this.#due[first] as Delivery) ? i : first), 0);
    const [delivery] = this.#due.splice(index, 1) as [Delivery];
    this.#clock = Math.max(this.#clock, delivery.at);
    if (this.#happens(this.#faults.clock_jump)) this.#clock += 3_600_000;
    if (refusal(this.#state, delivery.event) !== null) {
      // What comes before its time is sent again; what comes too late is nobody's business any more.
      if (delivery.event.type === "plan_frozen" && this.#state.layout === null)
        this.#deliver(this.#clock + 1_000, delivery.event);
      else this.#dropped++;
      return;
    }
    if (this.#happens(this.#faults.store_refuses)) {
      // Nothing was written, so nothing has happened: the outcome is reported again later.
      this.#deliver(this.#clock + 1_000, delivery.event);
      return;
    }
    const taken = step(this.#state, delivery.event, this.#clock);
    const crashed = this.#happens(this.#faults.crash);
    // A commit is whole or not at all. A process that dies before it leaves the outcome with the hands.
    if (crashed && this.#happens(0.5)) {
      this.#deliver(this.#clock + this.#between(1, 1_000), delivery.event);
      this.#recover();
      return;
    }
    for (const event of taken.events) this.#log.push({ event, clock_ms: this.#clock });
    this.#watch.committed(this.#state, taken.state, taken.events, this.#clock);
    this.#state = taken.state;
    if (crashed) this.#recover();
    else for (const effect of taken.effects) this.#act(effect);
  }

  /** The process died and a new one has folded the log: every effect that must be under way is asked for again. */
  #recover(): void {
    this.#crashes++;
    this.#clock += this.#between(10, 2_000);
    this.#state = fold(this.#log);
    for (const effect of effectsOf(this.#state)) {
      // Some hands died with the process. Their attempt is found crashed, and that is its outcome.
      if (effect.kind === "start_attempt" && this.#hands.has(effect.id) && this.#happens(0.3))
        this.#deliver(this.#clock + 5, crashOf(effect));
      this.#act(effect);
    }
  }

  /** INVARIANT of the hands: an effect id is acted on once, however often it is asked for. */
  #act(effect: Effect): void {
    if (this.#hands.has(effect.id)) return;
    this.#hands.set(effect.id, { alive: true });
    if (effect.kind === "wait_until")
      return this.#deliver(Math.max(effect.until_ms, this.#clock), { type: "wait_ended", effect_id: effect.id });
    if (effect.kind === "ask") return this.#ask(effect.entry);
    const at = this.#clock + this.#between(100, 120_000);
    const outcome = this.#outcomeOf(effect);
    // A lost outcome is found by the hand's own timer; a late one comes after that.
    if (this.#happens(this.#faults.outcome_lost)) {
      this.#deliver(
        at + 300_000,
        effect.kind === "start_attempt"
          ? finished(effect, { kind: "structural", error: "timeout", message: "no answer" })
          : outcome,
      );
      if (this.#happens(this.#faults.late_outcome)) this.#deliver(at + 400_000, outcome);
      return;
    }
    this.#deliver(at, outcome);
    if (this.#happens(this.#faults.outcome_twice)) this.#deliver(at + this.#between(0, 5_000), outcome);
  }

  #outcomeOf(effect: Extract<Effect, { task_id: string }>): RunEvent {
    const { task_id, attempt } = effect;
    const fails = this.#happens(this.#faults.attempt_fails);
    switch (effect.kind) {
      case "start_attempt":
        return finished(
          effect,
          fails ? this.#failure() : { kind: "completed", output_ref: `ref:${task_id}` },
          this.#happens(0.3),
        );
      case "verify":
        return {
          type: "verification_finished",
          task_id,
          attempt,
          verdict: fails && this.#happens(0.3) ? "FAIL" : "PASS",
          evidence: "checks",
        };
      case "integrate":
        return {
          type: "integration_finished",
          task_id,
          attempt,
          integrated: !(fails && this.#happens(0.2)),
          ref: "refs/coord/x",
        };
      case "review_level":
        return {
          type: "review_finished",
          task_id,
          attempt,
          accepted: !(fails && this.#happens(0.2)),
          summary: "looked at",
        };
    }
  }

  #failure(): AttemptOutcome {
    const draw = this.#chance();
    if (draw < 0.55)
      return {
        kind: "structural",
        error: this.#pick(["malformed_output", "timeout", "crash", "lost_connection", "rate_limit"]),
        message: this.#pick(["broken pipe", "exit 137 at /tmp/a1", "no JSON"]),
      };
    if (draw < 0.62)
      return {
        kind: "structural",
        error: "usage_limit",
        message: "limit reached",
        wait_until_ms: this.#clock + this.#between(1_000, 500_000),
      };
    if (draw < 0.75)
      return { kind: "semantic", violation: this.#pick(["rule", "spec", "scope"]), message: "wrote outside its scope" };
    if (draw < 0.83) return { kind: "quality", message: "two tests fail" };
    if (draw < 0.9) return { kind: "clarification", question: "Which of the two?" };
    if (draw < 0.97) return { kind: "resource", what: "tokens", message: "over the limit" };
    return this.#happens(0.3) ? { kind: "safety", message: "tried to read a key" } : { kind: "cancelled" };
  }

  /** People answer, sooner or later, and not always kindly. */
  #ask(id: string): void {
    const entry = this.#state.inbox.find((e) => e.id === id);
    if (entry !== undefined) this.#deliver(this.#clock + this.#between(1_000, 600_000), this.#answer(entry));
  }

  #answer(entry: InboxEntry): RunEvent {
    const decider = { by: "ada", how: "person" } as const;
    switch (entry.kind) {
      case "plan_approval":
        return this.#happens(0.03)
          ? { type: "plan_rejected", decider, reason: "no" }
          : { type: "plan_approved", decider };
      case "review":
        return this.#happens(0.05)
          ? { type: "review_rejected", gate_id: entry.id, decider, reason: "no" }
          : { type: "review_approved", gate_id: entry.id, decider };
      case "question":
        return { type: "question_answered", question_id: entry.id, answer: "the first", decider };
      case "escalation":
        return { type: "escalation_answered", escalation_id: entry.id, decider, order: this.#order_(entry) };
    }
  }

  #order_({
    escalation,
  }: Extract<InboxEntry, { kind: "escalation" }>): Extract<RunEvent, { type: "escalation_answered" }>["order"] {
    if (escalation.type === "resource_exhaustion")
      return this.#happens(0.8) ? { action: "raise_budget", add: amounts(1_000_000) } : { action: "give_up" };
    return this.#happens(0.6)
      ? { action: "retry", ...(this.#happens(0.3) ? { agent: "agent_b" } : {}) }
      : this.#happens(0.5)
        ? { action: "give_up" }
        : { action: "resume" };
  }

  #deliver(at: number, event: RunEvent): void {
    this.#due.push({ at, order: this.#order++, event });
  }

  #drawFaults(): Faults {
    // A fifth of the seeds are calm, so that the good way is walked as well.
    const worst = this.#happens(0.2) ? 0 : 1;
    const up = (most: number) => worst * most * this.#chance();
    return {
      crash: up(0.2),
      store_refuses: up(0.1),
      outcome_lost: up(0.1),
      outcome_twice: up(0.3),
      late_outcome: up(0.8),
      attempt_fails: up(0.6),
      clock_jump: up(0.05),
      cancelled: up(0.1),
    };
  }

  #drawPolicy(): RunPolicy {
    return RunPolicySchema.parse({
      max_concurrent_tasks: this.#between(1, 5),
      plan_needs_approval: this.#happens(0.7),
      failure: { same_signature_tasks: this.#between(2, 4) },
    });
  }

  #drawPlan(): PlanRef {
    const count = this.#between(1, 14);
    const gates = this.#happens(0.3) ? [{ gate_id: "gate_one", category: "data", reviewers: ["ada"] }] : [];
    const tasks = Array.from({ length: count }, (_, i) => ({
      task_id: `T${i}`,
      title: `Task ${i}`,
      agent: this.#pick(["agent_a", "agent_b"]),
      phase: "implementation",
      priority: this.#pick(["P0", "P1", "P2", "P3"] as const),
      dependencies: Array.from({ length: i }, (_unused, d) => `T${d}`).filter(() => this.#happens(0.25)),
      estimate: amounts(this.#between(100, 5_000)),
      gates: gates.length > 0 && this.#happens(0.3) ? ["gate_one"] : [],
    }));
    const total = tasks.reduce((sum, task) => sum + task.estimate.tokens, 0);
    // Sometimes the budget is too small from the start, or for what goes wrong on the way.
    return {
      plan_id: "plan_simulated",
      plan_checksum: "0".repeat(64),
      tasks,
      gates,
      budget: amounts(Math.ceil(total * (0.5 + 4 * this.#chance()))),
    };
  }

  #happens(probability: number): boolean {
    return this.#chance() < probability;
  }

  #between(least: number, most: number): number {
    return least + Math.floor(this.#chance() * (most - least + 1));
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#chance() * values.length)] as T;
  }
}

function before(a: Delivery, b: Delivery): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function amounts(tokens: number): Amounts {
  return {
    tokens,
    cost_usd: tokens / 100_000,
    minutes: tokens / 500,
    files: tokens,
    commits: tokens,
    api_calls: tokens,
  };
}

function finished(
  effect: Extract<Effect, { kind: "start_attempt" }>,
  outcome: AttemptOutcome,
  unreported = false,
): RunEvent {
  const { task_id, attempt, reserved } = effect;
  const usage = unreported
    ? { amounts: amounts(0), source: "estimated" as const }
    : { amounts: amounts(Math.round(reserved.tokens * 0.9)), source: "reported" as const };
  return { type: "attempt_finished", task_id, attempt, outcome, usage };
}

function crashOf(effect: Extract<Effect, { kind: "start_attempt" }>): RunEvent {
  return finished(effect, { kind: "structural", error: "crash", message: "found dead" }, true);
}
