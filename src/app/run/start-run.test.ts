import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { carryOut } from "../../hands/engine/carry-out.js";
import type { RunnableEffect } from "../../hands/engine/effect-runner.js";
import type { RunEvent } from "../../model/event.js";
import type { ExecutionGraph } from "../../model/plan/graph.js";
import type { PlanManifest } from "../../model/plan/manifest.js";
import type { RequestOrigin } from "../../model/request-origin.js";
import type { ReviewPack } from "../../model/plan/review.js";
import { type AttemptOutcome, PlanRef, RunPolicy, type Usage } from "../../model/run.js";
import { renderBundle } from "../../mind/plan/bundle.js";
import { prepareRegistry } from "../../mind/plan/inputs.js";
import { plan } from "../../mind/plan/plan.js";
import { sealIntent } from "../../mind/plan/inputs/seal-intent.js";
import { verifyPlan } from "../../mind/plan/verify-plan.js";
import { NOTHING } from "../../mind/run/amounts.js";
import { planningRequest } from "../../mind/run/messages.js";
import { isOver } from "../../mind/run/state.js";
import { fold } from "../../mind/run/transition.js";
import { createMemoryStore } from "../../hands/store/memory-store.js";
import { inputsWith, intentWith, registryWith } from "../../testing/plan-fixtures.js";
import { foldRun } from "../inspect/fold-run.js";
import { planRefOf } from "../../mind/run/plan-ref.js";
import { type FrozenPlan, openingEvents, startRun } from "./start-run.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const services = { sha256, coordinatorVersion: "9.9.9" };
const policy = RunPolicy.parse({});
const options = { request: "Do it", policy, now: () => "2026-02-03T04:05:06.000Z" };

/** A plan as its folder holds it, made by the planning engine. */
function frozen(change: (files: Map<string, string>) => void = () => undefined): FrozenPlan {
  const registry = prepareRegistry(registryWith(), services);
  const sealed = sealIntent(intentWith(), registry, services);
  if (!sealed.ok) throw new Error("the fixture must be sealable");
  const inputs = { ...inputsWith(), intent: sealed.intent, lock: sealed.lock, registry };
  const made = new Map(renderBundle(plan(inputs, services), inputs, services).files);
  change(made);
  const files = new Map([...made].map(([name, text]) => [name, { text, sha256: sha256(text) }]));
  return { verification: verifyPlan(files, services), files };
}

type Node = ExecutionGraph["nodes"][number];

const action = (id: string, more: Partial<Extract<Node, { node_type: "action_proposal" }>["metadata"]> = {}): Node => ({
  node_id: `node_action_${id}`,
  label: `Do ${id}`,
  node_type: "action_proposal",
  command_ref: `command_${id}`,
  effects: ["write"],
  risk_level: "low",
  evidence_refs: ["doc"],
  metadata: {
    decision: { decision: "allow", rule_id: "r" },
    estimate: { cost_usd: 0.5, minutes: 10, source: "registry", tokens: 1000 },
    model_decision: "m",
    owner: "feature_builder",
    owner_because: "owns_command",
    phase: "implementation",
    workflow_id: "w",
    ...more,
  },
});

const gate = (id: string, when: "before_action" | "after_work"): Node => ({
  node_id: `node_review_${id}`,
  label: id,
  node_type: "review_gate",
  review_criteria: ["good"],
  metadata: { category: "security", reviewers: ["grace"], when },
});

const phase = (id: string): Node => ({
  node_id: `node_phase_${id}`,
  label: id,
  node_type: "phase",
  phase_ref: id,
  metadata: { workflow_id: "w" },
});

/** Contract: the nodes are given in topological order. */
function graph(nodes: readonly Node[], edges: readonly (readonly [string, string])[]): ExecutionGraph {
  return {
    nodes: [...nodes],
    edges: edges.map(([from, to], i) => ({
      edge_id: `edge_${i}000`,
      from_node: `node_${from}`,
      to_node: `node_${to}`,
      edge_type: "sequential",
    })),
    metadata: { topological_order: nodes.map(({ node_id }) => node_id) },
  } as unknown as ExecutionGraph;
}

const review = {
  models: [],
  estimate: { budget: { files: 20, commits: 9, tokens: 5000, cost_usd: 7 } },
} as unknown as ReviewPack;
const manifest = { plan_id: "plan_x", plan_checksum: "a".repeat(64) } as PlanManifest;

describe("a run that was asked for in words", () => {
  const message_id = "550e8400-e29b-41d4-a716-446655440000";
  const before: RequestOrigin = {
    schema_version: "1.0.0",
    intent_checksum: "0".repeat(64),
    request_id: "550e8400-e29b-41d4-a716-446655440001",
    request: "Add CSV export",
    answers: [],
    intake: { rule_id: "intake_approved", reason: "Request approved for processing" },
    route: { routed_to: "product", rule_id: "feature_or_need" },
    messages: [
      planningRequest(
        { message_id, timestamp: "2026-02-03T04:05:06Z" },
        {
          request_id: "550e8400-e29b-41d4-a716-446655440001",
          objective: "Add CSV export",
          requirements: [],
          constraints: { max_tokens: 1, max_time_seconds: 1, technologies: [], project_type: "unknown" },
          context: {},
        },
      ),
    ],
    used: [
      { purpose: "planning", usage: { amounts: { ...NOTHING, tokens: 500, cost_usd: 0.01 }, source: "reported" } },
    ],
    minutes: 5,
    api_calls: 60,
    brief: { request: "Add CSV export", spec: null, documents: [], withheld: [] },
  };

  it("begins with the words, the decisions and the messages before its plan, and counts what planning used", async () => {
    const store = createMemoryStore({ sha256 });
    const started = await startRun(store, frozen(), { ...options, before });
    if (started.status !== "started") throw new Error(started.reason);
    const events: RunEvent[] = [];
    for await (const { event } of store.read(started.run_id, {})) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      "request_received",
      "intake_decided",
      "route_decided",
      "message_sent",
      "coordination_used",
      "plan_frozen",
    ]);
    expect(events[0]).toMatchObject({ request: "Add CSV export", request_id: before.request_id });
    expect(events.at(-1)).toMatchObject({ plan: { budget: { minutes: 5 } } });
    expect(started.state.ledger).toMatchObject({
      coordination_tokens: 500,
      run: { used: { tokens: 500, cost_usd: 0.01 } },
    });
  });
});

describe("planRefOf", () => {
  it("collapses phases, decisions and gates into dependencies, and lets each gate hold up what stands behind it", () => {
    const made = planRefOf(
      graph(
        [
          phase("work"),
          action("a"),
          gate("before_b", "before_action"),
          action("b"),
          gate("work", "after_work"),
          phase("release"),
          action("c"),
          gate("end", "after_work"),
        ],
        [
          ["phase_work", "action_a"],
          ["phase_work", "review_before_b"],
          ["review_before_b", "action_b"],
          ["action_a", "review_work"],
          ["action_b", "review_work"],
          ["review_work", "phase_release"],
          ["phase_release", "action_c"],
          ["action_c", "review_end"],
        ],
      ),
      review,
      manifest,
    );
    expect(made.plan.tasks.map(({ task_id, dependencies, gates }) => ({ task_id, dependencies, gates }))).toEqual([
      { task_id: "command_a", dependencies: [], gates: [] },
      { task_id: "command_b", dependencies: [], gates: ["node_review_before_b"] },
      { task_id: "command_c", dependencies: ["command_a", "command_b"], gates: ["node_review_work"] },
    ]);
    expect(made.plan.gates.map(({ gate_id }) => gate_id)).toEqual(["node_review_before_b", "node_review_work"]);
    expect(made.reviews_before_merge.map(({ gate_id }) => gate_id)).toEqual(["node_review_end"]);
    expect(made.plan.budget).toMatchObject({ tokens: 5000, cost_usd: 7, files: 20, commits: 9 });
    expect(PlanRef.parse(made.plan)).toEqual(made.plan);
  });

  it("counts a file once, and tells actions of one name apart", () => {
    const same = { command_ref: "command_same" };
    const nodes = [
      { ...action("a", { writes: ["x", "y"] }), ...same },
      { ...action("b", { writes: ["y", "z"] }), ...same },
    ] as Node[];
    const { tasks } = planRefOf(graph(nodes, []), review, manifest).plan;
    expect(tasks.map(({ task_id, estimate }) => [task_id, estimate.files])).toEqual([
      ["node_action_a", 2],
      ["node_action_b", 1],
    ]);
  });

  it("sets aside no more than the plan was found to need", () => {
    const found = frozen();
    const pack = JSON.parse(found.files.get("review.json")?.text ?? "") as ReviewPack;
    const drawn = JSON.parse(found.files.get("graph.json")?.text ?? "") as ExecutionGraph;
    const { tasks } = planRefOf(drawn, pack, manifest).plan;
    expect(tasks).toHaveLength(pack.summary.actions);
    const { planned } = pack.estimate;
    for (const name of ["files", "commits", "tokens"] as const)
      expect(tasks.reduce((sum, { estimate }) => sum + estimate[name], 0)).toBe(planned[name]);
    const ids = new Set(tasks.map(({ task_id }) => task_id));
    expect(tasks.flatMap(({ dependencies }) => dependencies).filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe("startRun", () => {
  it("begins a run from a verified plan, in one commit, and waits for its approval", async () => {
    const store = createMemoryStore({ sha256 });
    const started = await startRun(store, frozen(), options);
    if (started.status !== "started") throw new Error(started.reason);
    expect(started.run_id).toMatch(/^run_20260203-040506-[0-9a-f]{6}$/);
    expect(started.state).toMatchObject({ status: "blocked", plan_verified: true, plan_approved: false });
    expect((await foldRun(store, started.run_id)).state).toEqual(started.state);
  });

  it("what it begins can be carried out to its end, every review approved and every task done once", async () => {
    const store = createMemoryStore({ sha256 });
    const started = await startRun(store, frozen(), options);
    if (started.status !== "started") throw new Error(started.reason);
    const did: string[] = [];
    const run = async (_: string, effect: RunnableEffect): Promise<RunEvent> => {
      if (effect.kind === "prove_requirements") throw new Error("nothing is to be proven here");
      const { kind, task_id, attempt } = effect;
      did.push(`${kind} ${task_id}`);
      const usage: Usage = { amounts: NOTHING, source: "reported" };
      const outcome: AttemptOutcome = { kind: "completed", output_ref: "x" };
      if (kind === "start_attempt") return { type: "attempt_finished", task_id, attempt, outcome, usage };
      if (kind === "verify") return { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "" };
      if (kind === "integrate") return { type: "integration_finished", task_id, attempt, integrated: true, ref: "r" };
      return { type: "review_finished", task_id, attempt, accepted: true, summary: "" };
    };
    const clock = { now: options.now, elapsedMs: () => 0, wait: () => Promise.resolve() };
    const live = await carryOut(started.run_id, { store, runner: { run }, clock });
    const decider = { by: "ada", how: "person" } as const;
    await live.signal({ type: "plan_approved", decider });
    for (const { gate_id } of started.state.layout?.plan.gates ?? [])
      expect(await live.signal({ type: "review_approved", gate_id, decider })).toBeNull();
    const end = await live.settled();
    expect(end).toMatchObject({ status: "completed", failed: 0 });
    expect(did).toHaveLength(4 * end.tasks.length);
    expect(new Set(did).size).toBe(did.length);
  });

  it("a plan that was changed gives a run that is over before anything is done", async () => {
    const store = createMemoryStore({ sha256 });
    const found = frozen((files) =>
      files.set("graph.json", (files.get("graph.json") ?? "").replace('"label": "', '"label": "A ')),
    );
    const started = await startRun(store, found, { ...options, policy: { ...policy, plan_needs_approval: false } });
    if (started.status !== "started") throw new Error(started.reason);
    expect(started.state).toMatchObject({ status: "failed", reason: "the plan does not verify", plan_verified: false });
    expect(isOver(started.state)).toBe(true);
  });

  it("a plan that waits for answers, and a folder that is none, are refused and leave nothing", async () => {
    const store = createMemoryStore({ sha256 });
    const { files, verification } = frozen();
    const waiting = { ...verification, manifest: { ...verification.manifest, state: "AWAITING_ANSWERS" } };
    for (const found of [
      { files, verification: waiting as FrozenPlan["verification"] },
      { files, verification: { ...verification, manifest: null } },
    ])
      expect(await startRun(store, found, options)).toMatchObject({ status: "refused" });
    expect(await store.runs()).toEqual([]);
  });

  it("does not begin a run twice under one id", async () => {
    const store = createMemoryStore({ sha256 });
    await startRun(store, frozen(), { ...options, runId: "run_once" });
    await expect(startRun(store, frozen(), { ...options, runId: "run_once" })).rejects.toMatchObject({
      code: "STORE_LOCKED",
    });
  });

  it("the opening is pure: the same plan gives the same events", () => {
    const given = { request_id: "req_x", request: "Do it", seed: 7, policy };
    expect(openingEvents(frozen(), given)).toEqual(openingEvents(frozen(), given));
    const opening = openingEvents(frozen(), given);
    if (!opening.ok) throw new Error(opening.reason);
    expect(fold(opening.events.map((event) => ({ event, clock_ms: 0 })))).toMatchObject({ plan_verified: true });
  });
});
