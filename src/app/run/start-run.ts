import { randomBytes, randomInt } from "node:crypto";
import type { z } from "zod";
import { criteriaOfType } from "../../mind/gate/criteria-of-type.js";
import { CoordinatorError } from "../../model/errors.js";
import type { RunEvent } from "../../model/event.js";
import { ExecutionGraph } from "../../model/plan/graph.js";
import type { PlanManifest } from "../../model/plan/manifest.js";
import type { RequestAnswer, RequestOrigin, RequestTimes } from "../../model/request-origin.js";
import { ReviewPack } from "../../model/plan/review.js";
import type { RoutingBounds } from "../../model/routing.js";
import type { PlanRef, RunGate, RunPolicy } from "../../model/run.js";
import { NOTHING } from "../../mind/run/amounts.js";
import { withAssignmentGates } from "../../mind/run/decide/assignments.js";
import { GATED_PHASES } from "../../mind/run/decide/phase-gates.js";
import { NEW_RUN, type RunState } from "../../mind/run/state.js";
import { refusal, step } from "../../mind/run/transition.js";
import type { EventStore, NewEvent } from "../../hands/store/event-store.js";
import { answersBefore } from "../request/plan-answers.js";
import { type Equip, planRefOf } from "../../mind/run/plan-ref.js";

/** A plan's folder as it was found, and what verifying it said. */
export interface FrozenPlan {
  readonly verification: {
    readonly passed: boolean;
    readonly manifest: PlanManifest | null;
    readonly checks: readonly { readonly passed: boolean; readonly detail: string }[];
  };
  readonly files: ReadonlyMap<string, { readonly text: string }>;
}

export interface RunOpening {
  readonly request_id: string;
  /** The request, in words. */
  readonly request: string;
  readonly seed: number;
  readonly policy: RunPolicy;
  readonly equip?: Equip;
  /** A person approves each assignment of a task. */
  readonly eachAssignment?: boolean;
  /** Which check shows what the type of the project asks for, as the settings say, and the checks there are. */
  readonly shownBy?: { readonly criteria: Readonly<Record<string, string>>; readonly checks: readonly string[] };
  /** The decisions before the plan, when it was made from words or from a decision record. */
  readonly before?: RequestOrigin;
  /** The limits of the routing policy for every attempt. */
  readonly bounds?: RoutingBounds;
}

export type Opening =
  | {
      readonly ok: true;
      readonly events: readonly RunEvent[];
      readonly verified: boolean;
      readonly reviews_before_merge: readonly RunGate[];
    }
  /** Nothing to start: the plan is not one that can be carried out as it is. */
  | { readonly ok: false; readonly reason: string; readonly fix: string };

/**
 * The events a run begins with. Contract: pure. A plan that does not verify gives a run that ends at once, with its
 * reason in the log; a plan that waits for answers gives none.
 */
export function openingEvents(found: FrozenPlan, opening: RunOpening): Opening {
  const { request_id, request, seed, policy, equip, before, bounds } = opening;
  const { passed, manifest, checks } = found.verification;
  if (manifest === null)
    return { ok: false, reason: "the folder holds no plan that can be read", fix: "Plan again with --out DIR." };
  if (manifest.state !== "DONE")
    return {
      ok: false,
      reason: `the plan is ${manifest.state}: it waits for answers`,
      fix: "Answer its questions: coordinator plan --resume DIR --answers FILE",
    };
  const planned = passed ? plannedRun(found, manifest, equip) : null;
  const unverified = checks.find((check) => !check.passed)?.detail ?? "it does not verify";
  const bare: PlanRef = planned?.plan ?? {
    plan_id: manifest.plan_id,
    plan_checksum: manifest.plan_checksum,
    tasks: [],
    gates: [],
    budget: NOTHING,
  };
  const { minutes = null, api_calls = null } = before ?? {};
  const { criteria: named = {}, checks: known = [] } = opening.shownBy ?? {};
  const criteria = criteriaOfType(before?.intake.gates ?? [], named, known);
  const whole: PlanRef = {
    ...bare,
    budget: {
      ...bare.budget,
      ...(minutes === null ? {} : { minutes }),
      ...(api_calls === null ? {} : { api_calls }),
    },
    ...(bounds === undefined ? {} : { bounds }),
    ...(criteria.length === 0 ? {} : { criteria }),
  };
  const plan = opening.eachAssignment === true ? withAssignmentGates(whole) : whole;
  return {
    ok: true,
    verified: planned !== null,
    reviews_before_merge: planned?.reviews_before_merge ?? [],
    events: [
      { type: "request_received", request_id, request, seed, policy },
      ...answersBefore(before?.answers ?? [], found.files).flatMap(answerEvents),
      {
        type: "intake_decided",
        decision: "approved",
        reason:
          planned === null
            ? `plan ${plan.plan_id}: ${unverified}`
            : before === undefined
              ? `plan ${plan.plan_id} is frozen and verifies`
              : `${before.intake.rule_id}: ${before.intake.reason}`,
        unsafe: false,
      },
      ...(before === undefined ? [] : planningEvents(before)),
      { type: "plan_frozen", plan, verified: planned !== null },
    ],
  };
}

/** Answers that had to be known first, and who gave them. */
export function answerEvents({ id: question_id, question, answer, decider, at }: RequestAnswer): RunEvent[] {
  const when = at === undefined ? {} : { answered_at: at };
  return [
    { type: "question_asked", question_id, task_id: null, question },
    { type: "question_answered", question_id, answer, decider, ...when },
  ];
}

/** Where the request went, what Coordinator and Planner said to each other, and what that used. */
export function planningEvents({ route, messages, used }: RequestOrigin): RunEvent[] {
  return [
    { type: "route_decided", ...route },
    ...messages.map((message): RunEvent => ({ type: "message_sent", message })),
    ...used.map(({ purpose, usage: { amounts, source } }): RunEvent => {
      const { tokens, cost_usd } = amounts;
      return { type: "coordination_used", purpose, tokens, cost_usd, source };
    }),
  ];
}

function plannedRun({ files }: FrozenPlan, manifest: PlanManifest, equip: Equip | undefined) {
  const graph = artefact(files, "graph.json", ExecutionGraph);
  const review = artefact(files, "review.json", ReviewPack);
  return graph === null || review === null ? null : planRefOf(graph, review, manifest, equip);
}

function artefact<T>(files: FrozenPlan["files"], name: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(files.get(name)?.text ?? ""));
  } catch {
    return null;
  }
}

export interface StartOptions {
  readonly request: string;
  readonly policy: RunPolicy;
  readonly now: () => string;
  readonly equip?: Equip;
  /** A person approves each assignment of a task. */
  readonly eachAssignment?: boolean;
  readonly shownBy?: NonNullable<RunOpening["shownBy"]>;
  /** How many tasks there is room for. */
  readonly mostTasks?: number;
  /** For tests and for anyone who must know the id before: made when absent. */
  readonly runId?: string;
  readonly requestId?: string;
  readonly seed?: number;
  readonly before?: RequestOrigin;
  readonly bounds?: RoutingBounds;
}

export type Started =
  | {
      readonly status: "started";
      readonly run_id: string;
      /** `failed` when the plan does not verify: the log says so, and nothing is ever done. */
      readonly state: RunState;
      readonly reviews_before_merge: readonly RunGate[];
    }
  | {
      readonly status: "refused";
      readonly reason: string;
      readonly fix: string;
      /** How many tasks the plan has, when that is more than there is room for. */
      readonly too_many?: number;
    };

/**
 * Begin a run from a frozen plan. Contract: one commit; afterwards `carryOut(run_id, …)` resumes it. A refused plan
 * leaves nothing in the store.
 */
export async function startRun(store: EventStore, found: FrozenPlan, options: StartOptions): Promise<Started> {
  const at = options.now();
  const run_id = options.runId ?? newRunId(at);
  const opening = openingEvents(found, {
    request_id: options.before?.request_id ?? options.requestId ?? run_id.replace(/^run_/, "req_"),
    request: options.before?.request ?? options.request,
    seed: options.seed ?? randomInt(2 ** 31),
    policy: { ...options.policy, gate: { phases: [...GATED_PHASES], ...options.policy.gate } },
    ...(options.equip === undefined ? {} : { equip: options.equip }),
    ...(options.before === undefined ? {} : { before: options.before }),
    eachAssignment: options.eachAssignment === true,
    ...(options.shownBy === undefined ? {} : { shownBy: options.shownBy }),
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
  });
  if (!opening.ok) return { status: "refused", reason: opening.reason, fix: opening.fix };
  const { state, events } = openEvents(opening.events, at, options.before?.times);
  const { mostTasks = Infinity } = options;
  const too_many = state.tasks.length;
  if (too_many > mostTasks)
    return { status: "refused", reason: `there is room for ${mostTasks} tasks`, fix: "Plan less at once.", too_many };
  const result = await store.append(run_id, 0, events);
  if (result.status !== "appended")
    throw new CoordinatorError("STORE_LOCKED", `There is a run ${run_id} already`, {
      fix: "Start it under another id.",
    });
  return { status: "started", run_id, state, reviews_before_merge: opening.reviews_before_merge };
}

/**
 * Each event with everything that follows from it, as one list. With the times of a request, each stands at the time at
 * which it happened, and the run's clock begins with the request.
 */
export function openEvents(
  events: readonly RunEvent[],
  at: string,
  times?: RequestTimes,
): { state: RunState; events: NewEvent[] } {
  const stamped = times === undefined ? () => ({ at, clock_ms: 0 }) : stamps(times);
  const all: NewEvent[] = [];
  let state = NEW_RUN;
  for (const event of events) {
    const why = refusal(state, event);
    if (why !== null) throw new TypeError(`a run cannot begin with ${event.type}: ${why}`);
    const stamp = stamped(event);
    const taken = step(state, event, stamp.clock_ms);
    state = taken.state;
    all.push(...taken.events.map((each) => ({ event: each, ...stamp })));
  }
  return { state, events: all };
}

/** Contract: what is stamped never goes back, whatever the wall clock did meanwhile. */
function stamps(times: RequestTimes): (event: RunEvent) => { at: string; clock_ms: number } {
  const since = (at: string) => Math.max(0, Date.parse(at) - Date.parse(times.received_at));
  let now = { at: times.received_at, clock_ms: 0 };
  const forward = (at: string) => {
    if (since(at) >= now.clock_ms) now = { at, clock_ms: since(at) };
    return now;
  };
  return (event) => {
    if (event.type === "request_received" || event.type.startsWith("question_")) return now;
    if (event.type === "intake_decided" || event.type === "route_decided") return forward(times.decided_at);
    return forward(times.planned_at);
  };
}

/** Ids say when a run was started and sort by it. */
export function newRunId(at: string): string {
  const stamp = new Date(at).toISOString().replaceAll(/[-:]/g, "");
  const [date, time] = [stamp.slice(0, 8), stamp.slice(9, 15)];
  return `run_${date}-${time}-${randomBytes(3).toString("hex")}`;
}
