import type { RunEvent } from "../../model/event.js";
import type { PlanRef, RunPolicy } from "../../model/run.js";
import { type Effect, effectsOf } from "../../mind/run/effects.js";
import { isOver, NEW_RUN, type RunState } from "../../mind/run/state.js";
import { fold, refusal, step } from "../../mind/run/transition.js";
import { BRIEF, judgeRequirements, finishAttempt, outcomeOf, reportsOf, UNKNOWN } from "./agents.js";
import { Chance } from "./chance.js";
import { drawFaults, drawPlan, drawPolicy, type Faults } from "./draw.js";
import { Watch } from "./invariants.js";
import { answerTo, wish } from "./people.js";

/*
 * A whole run without a machine: the real transition function, gates, budgets and breaker, with simulated hands, people,
 * clock and store, all drawn from one seed. Everything that goes wrong in the world goes wrong here, too: processes die between any
 * two events, outcomes are lost, come twice or come late, agents fail in every way, stores refuse to write.
 */

export interface SimulationResult {
  readonly seed: number;
  readonly status: RunState["status"];
  readonly reason: string;
  readonly events: readonly { readonly event: RunEvent; readonly clock_ms: number }[];
  readonly crashes: number;
  /** Crashes while a conflict was being resolved. */
  readonly crashes_in_conflict: number;
  readonly dropped: number;
  /** Violated invariants. Empty when all hold. */
  readonly violations: readonly string[];
}

interface Delivery {
  readonly at: number;
  readonly order: number;
  readonly event: RunEvent;
  /** The effect whose doing it is; what is stopped delivers no more. */
  readonly of: string | null;
}

/** More steps than any honest run of this size takes: a run that gets here does not end. */
const MOST_STEPS = 20_000;

const HOUR_MS = 3_600_000;

/** So many deliveries in a row that move nothing: a run that gets here goes round in a circle. */
const MOST_IDLE = 300;

/** `take` stands for the transition function: a test that gives a faulty one must see it found out. */
export function simulate(seed: number, take: typeof step = step): SimulationResult {
  return new World(seed, take).run();
}

class World {
  readonly #seed: number;
  readonly #take: typeof step;
  readonly #chance: Chance;
  readonly #faults: Faults;
  readonly #policy: RunPolicy;
  readonly #plan: PlanRef;
  readonly #log: { event: RunEvent; clock_ms: number }[] = [];
  #due: Delivery[] = [];
  /** Effects and questions that were asked for. They outlive the process: one asked for twice is done once. */
  readonly #asked = new Set<string>();
  /** Waits of this process. One that has fired may be asked for again, and fires again: nobody remembers it. */
  readonly #waits = new Set<string>();
  readonly #watch: Watch;
  #state: RunState = NEW_RUN;
  /** The true time, whatever clocks say, and how far the clock of the run is off it. */
  #time = 0;
  #off = 0;
  #order = 0;
  #crashes = 0;
  #crashesInConflict = 0;
  #dropped = 0;
  #idle = 0;

  constructor(seed: number, take: typeof step) {
    this.#seed = seed;
    this.#take = take;
    this.#chance = new Chance(seed);
    this.#faults = drawFaults(this.#chance);
    this.#policy = drawPolicy(this.#chance);
    this.#plan = drawPlan(this.#chance);
    this.#watch = new Watch(this.#plan, this.#policy);
  }

  run(): SimulationResult {
    this.#open();
    for (let steps = 0; this.#due.length > 0 && !isOver(this.#state); steps++) {
      if (steps > MOST_STEPS) this.#watch.report("the run does not end");
      if (this.#idle > MOST_IDLE) this.#watch.report(`nothing moved over ${MOST_IDLE} deliveries`);
      if (steps > MOST_STEPS || this.#idle > MOST_IDLE) break;
      this.#next();
    }
    this.#watch.atEnd(this.#state, fold(this.#log));
    return {
      seed: this.#seed,
      status: this.#state.status,
      reason: this.#state.reason,
      events: this.#log,
      crashes: this.#crashes,
      crashes_in_conflict: this.#crashesInConflict,
      dropped: this.#dropped,
      violations: this.#watch.violations,
    };
  }

  #open(): void {
    const chance = this.#chance;
    this.#deliver(0, {
      type: "request_received",
      request_id: "r1",
      request: "do it",
      seed: this.#seed,
      policy: this.#policy,
    });
    this.#deliver(1, { type: "intake_decided", decision: "approved", reason: "clear", unsafe: false });
    this.#deliver(2, { type: "plan_frozen", plan: this.#plan, verified: !chance.happens(0.02) });
    // Not by chance: what else is drawn stays the same for a seed.
    if (this.#seed % 3 === 0) this.#deliver(2, { type: "brief_kept", brief: BRIEF });
    this.#deliver(3, { type: "sandbox_graded", grade: "strong", reason: "simulated", by_order: false });
    for (let n = chance.between(0, 3); n > 0; n--) {
      const at = chance.between(1, 300_000);
      const purpose = `review ${n}`;
      // Set aside for a while, and now and then for ever: anyone who held the session died.
      if (n > 1)
        this.#deliver(at - Math.min(at - 1, 5_000), {
          type: "coordination_reserved",
          purpose,
          tokens: 200,
          cost_usd: 0.01,
        });
      const tokens = chance.between(0, 200);
      if (n < 3) this.#deliver(at, { type: "coordination_used", purpose, tokens, cost_usd: 0.01, source: "reported" });
    }
    if (chance.happens(this.#faults.cancelled))
      this.#deliver(chance.between(10, 300_000), {
        type: "run_cancelled",
        decider: { by: "ada", how: "person" },
        reason: "enough",
      });
    // Twice the same limits: what is added is not added again.
    if (this.#seed % 4 === 0)
      for (const at of [20_000, 20_500])
        this.#deliver(at, {
          type: "budget_raised",
          limits: { tokens: this.#plan.budget.tokens + 1_000 },
          decider: { by: "grace", how: "person" },
        });
    const tasks = this.#plan.tasks.map(({ task_id }) => task_id);
    for (let n = chance.between(0, 2); n > 0; n--) this.#deliver(chance.between(10, 300_000), wish(n, tasks, chance));
  }

  /** Set forward and back; what is done does not wait for it, but what waits uses it. */
  #clock(): number {
    return Math.max(0, this.#time + this.#off);
  }

  /** Take the delivery that is due first: step, commit, let the hands act. */
  #next(): void {
    const index = this.#due.reduce((first, d, i) => (before(d, this.#due[first] as Delivery) ? i : first), 0);
    const [delivery] = this.#due.splice(index, 1) as [Delivery];
    const { event } = delivery;
    this.#idle++;
    this.#time = Math.max(this.#time, delivery.at);
    if (this.#chance.happens(this.#faults.clock_jump)) this.#off += this.#chance.happens(0.5) ? HOUR_MS : -HOUR_MS;
    if (event.type === "wait_ended") this.#waits.delete(event.effect_id);
    if (refusal(this.#state, event) !== null) {
      // An event before its time is sent again; one that comes too late is dropped.
      const early = this.#state.policy === null || (event.type === "plan_frozen" && this.#state.layout === null);
      if (early) this.#again(delivery, 1_000);
      else this.#dropped++;
      return;
    }
    // Nothing was written, so nothing has happened: the outcome is reported again later.
    if (this.#chance.happens(this.#faults.store_refuses)) return this.#again(delivery, 1_000);
    const taken = this.#take(this.#state, event, this.#clock());
    const crashed = this.#chance.happens(this.#faults.crash);
    // A commit is whole or not at all. A process that dies before it leaves the outcome with the hands.
    if (crashed && this.#chance.happens(0.5)) {
      this.#again(delivery, this.#chance.between(1, 1_000));
      return this.#recover();
    }
    for (const each of taken.events) this.#log.push({ event: each, clock_ms: this.#clock() });
    this.#watch.committed(this.#state, taken.state, taken.events, taken.state.clock_ms);
    if (moves(this.#state, taken.state, taken.events)) this.#idle = 0;
    // People see an inbox: what comes back into it under the name it had is asked again.
    const open = new Set(taken.state.inbox.map(({ id }) => id));
    for (const { id } of this.#state.inbox) if (!open.has(id)) this.#asked.delete(`ask:${id}`);
    this.#state = taken.state;
    if (crashed) this.#recover();
    else for (const effect of taken.effects) this.#act(effect);
  }

  /** The process died and a new one has folded the log: every effect that must be under way is asked for again. */
  #recover(): void {
    this.#crashes++;
    this.#time += this.#chance.between(10, 2_000);
    this.#state = fold(this.#log);
    if (effectsOf(this.#state).some(({ kind }) => kind === "resolve_conflict")) this.#crashesInConflict++;
    this.#waits.clear();
    this.#due = this.#due.filter(({ event }) => event.type !== "wait_ended");
    for (const effect of effectsOf(this.#state)) {
      // Some hands died with the process. Their attempt is found crashed, and that is its outcome.
      if (effect.kind === "start_attempt" && this.#asked.has(effect.id) && this.#chance.happens(0.3))
        this.#deliver(
          this.#time + 5,
          finishAttempt(effect, { kind: "structural", error: "crash", message: "found dead" }, UNKNOWN),
          effect.id,
        );
      this.#act(effect);
    }
  }

  #act(effect: Effect): void {
    if (effect.kind === "wait_until") return this.#wait(effect);
    this.#watch.acted(effect);
    if (this.#asked.has(effect.id)) return;
    this.#asked.add(effect.id);
    if (effect.kind === "ask") return this.#ask(effect.entry);
    if (effect.kind === "stop_attempt") this.#kill(`attempt:${effect.task_id}#${effect.attempt}`);
    const at = this.#time + this.#chance.between(100, 120_000);
    if (effect.kind === "start_attempt")
      for (const report of reportsOf(effect, this.#chance, this.#faults))
        this.#deliver(this.#chance.between(this.#time, at), report, effect.id);
    const outcome =
      effect.kind === "prove_requirements"
        ? judgeRequirements(effect, this.#chance)
        : outcomeOf(effect, this.#chance, this.#faults, this.#clock());
    // A lost outcome is found by the hand's own timer; a late one comes after that.
    if (this.#chance.happens(this.#faults.outcome_lost)) {
      const noAnswer =
        effect.kind === "start_attempt"
          ? finishAttempt(effect, { kind: "structural", error: "timeout", message: "no answer" }, UNKNOWN)
          : outcome;
      this.#deliver(at + 300_000, noAnswer, effect.id);
      if (this.#chance.happens(this.#faults.late_outcome)) this.#deliver(at + 400_000, outcome, effect.id);
      return;
    }
    this.#deliver(at, outcome, effect.id);
    if (this.#chance.happens(this.#faults.outcome_twice))
      this.#deliver(at + this.#chance.between(0, 5_000), outcome, effect.id);
  }

  #wait({ id, until_ms }: Extract<Effect, { kind: "wait_until" }>): void {
    if (this.#waits.has(id)) return;
    this.#waits.add(id);
    this.#deliver(Math.max(until_ms - this.#off, this.#time), { type: "wait_ended", effect_id: id });
  }

  /** An attempt is killed: it reports no more. That it ended by itself just before may still come through. */
  #kill(id: string): void {
    const late = this.#chance.happens(this.#faults.late_outcome);
    this.#due = this.#due.filter(({ of, event }) => of !== id || (late && event.type === "attempt_finished"));
  }

  #ask(id: string): void {
    const entry = this.#state.inbox.find((e) => e.id === id);
    if (entry !== undefined)
      this.#deliver(this.#time + this.#chance.between(1_000, 600_000), answerTo(entry, this.#chance));
  }

  #deliver(at: number, event: RunEvent, of: string | null = null): void {
    this.#due.push({ at, order: this.#order++, event, of });
  }

  #again({ event, of }: Delivery, later: number): void {
    if (event.type === "wait_ended") this.#waits.add(event.effect_id);
    this.#deliver(this.#time + later, event, of);
  }
}

function before(a: Delivery, b: Delivery): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Whether a commit brought anything but the end of a wait that nobody waited for. */
function moves(was: RunState, is: RunState, events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => type !== "wait_ended") || was.waiting !== is.waiting;
}
