import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoggedEvent, RunEvent } from "../../../model/event.js";
import { LoggedEvent as LoggedEventSchema } from "../../../model/event.js";
import { type Amounts, type AttemptOutcome, RunPhase, RunPolicy, type RunStatus } from "../../../model/run.js";
import { escalationFor } from "../../run/decide/escalate.js";
import { NOTHING } from "../../run/amounts.js";
import { planningResponse, progressUpdate } from "../../run/messages.js";
import { mayMove } from "../../../testing/status-moves.js";
import { ProjectState, projectState } from "./project-state.js";
import { readNotes } from "./project-notes.js";

const HASH = "0".repeat(64);
const of = (over: Partial<Amounts>): Amounts => ({ ...NOTHING, ...over });
const PERSON = { by: "ada", how: "person" as const };
const ENVELOPE = {
  message_id: "550e8400-e29b-41d4-a716-446655440000",
  timestamp: "2026-01-25T11:00:00Z",
  in_reply_to: "660f9511-f30c-42e5-b827-557766551111",
};

function log(...events: RunEvent[]): LoggedEvent[] {
  return events.map((event, i) => ({
    run_id: "run_test",
    sequence: i + 1,
    at: `2026-01-25T11:${String(Math.floor(i / 60) % 60).padStart(2, "0")}:${String(i % 60).padStart(2, "0")}Z`,
    clock_ms: i * 1000,
    event,
    previous_hash: HASH,
    hash: HASH,
  }));
}

const task = (task_id: string, dependencies: string[] = [], gates: string[] = []) => ({
  task_id,
  title: `Task ${task_id}`,
  agent: "claude",
  phase: "implementation",
  priority: "P1" as const,
  dependencies,
  estimate: of({ tokens: 100 }),
  gates,
});
const PLAN = {
  plan_id: "plan_1",
  plan_checksum: HASH,
  tasks: [task("a"), task("b", ["a"]), task("c", ["a"], ["security"])],
  gates: [{ gate_id: "security", category: "security", reviewers: ["security lead"] }],
  budget: of({ tokens: 1000, cost_usd: 5 }),
};
const RECEIVED: RunEvent = {
  type: "request_received",
  request_id: "req_1",
  request: "Add a login page",
  seed: 1,
  policy: RunPolicy.parse({}),
};
const intake = (decision: "approved" | "rejected" | "needs_clarification"): RunEvent => ({
  type: "intake_decided",
  decision,
  reason: "r",
  unsafe: false,
});
const FROZEN: RunEvent = { type: "plan_frozen", plan: PLAN, verified: true };
const APPROVED: RunEvent = { type: "plan_approved", decider: PERSON };
const started = (task_id: string, attempt = 1, agent = "claude"): RunEvent => ({
  type: "attempt_started",
  task_id,
  attempt,
  agent,
  reserved: of({ tokens: 100, cost_usd: 0.1, api_calls: 3 }),
});
const finished = (task_id: string, outcome: AttemptOutcome, attempt = 1): RunEvent => ({
  type: "attempt_finished",
  task_id,
  attempt,
  outcome,
  usage: { amounts: of({ tokens: 80, cost_usd: 0.1, api_calls: 2 }), source: "reported" },
});
const done = (task_id: string, attempt = 1): RunEvent[] => [
  started(task_id, attempt),
  finished(task_id, { kind: "completed", output_ref: `out/${task_id}` }, attempt),
  { type: "verification_finished", task_id, attempt, verdict: "PASS", evidence: "all checks" },
  { type: "integration_finished", task_id, attempt, integrated: true, ref: `refs/${task_id}` },
  { type: "review_finished", task_id, attempt, accepted: true, summary: "fine" },
];
const ESCALATION = escalationFor(
  { kind: "outcome", outcome: { kind: "quality", message: "2 tests fail" } },
  { task_id: "b", attempt: 1, input: "i", injected_context: [], output: "o" },
);
const RUNNING = [RECEIVED, intake("approved"), FROZEN, APPROVED];
const ANSWERED: RunEvent = { type: "question_answered", question_id: "q_x", answer: "this", decider: PERSON };
const FINISHED: RunEvent = { type: "run_finished", status: "completed", reason: "all done" };

function after(...events: RunEvent[]): ProjectState {
  const state = projectState(readNotes(log(...events)));
  if (state === null) throw new Error("a log has a state");
  return ProjectState.parse(state);
}

describe("the status and the phase", () => {
  it.each<[string, RunStatus, RunPhase, RunEvent[]]>([
    ["a request", "pending", "initiation", [RECEIVED]],
    ["a request refused", "failed", "initiation", [RECEIVED, intake("rejected")]],
    ["a request that is not clear", "blocked", "initiation", [RECEIVED, intake("needs_clarification")]],
    [
      "its clarification",
      "in_progress",
      "initiation",
      [RECEIVED, intake("needs_clarification"), question("x"), ANSWERED],
    ],
    ["acceptance", "in_progress", "planning", [RECEIVED, intake("approved")]],
    ["a frozen plan", "blocked", "planning", [RECEIVED, intake("approved"), FROZEN]],
    ["its approval", "in_progress", "execution", RUNNING],
    ["work under way", "in_progress", "execution", [...RUNNING, started("a")]],
    [
      "a question while others work",
      "in_progress",
      "execution",
      [...RUNNING, ...done("a"), question("b"), started("b")],
    ],
    ["a review nobody has approved", "blocked", "execution", [...RUNNING, ...done("a"), ...done("b")]],
    ["its approval", "in_progress", "execution", [...RUNNING, ...done("a"), ...done("b"), reviewed("security")]],
    ["a pause", "blocked", "execution", [...RUNNING, { type: "dispatch_paused", reason: "r" }, escalated()]],
    ["cancellation", "failed", "execution", [...RUNNING, { type: "run_cancelled", decider: PERSON, reason: "r" }]],
    ["the end", "completed", "closure", [...RUNNING, FINISHED]],
  ])("after %s it is %s in %s [S1-072, S1-081, S1-083]", (_, status, phase, events) => {
    expect(after(...events)).toMatchObject({ request_id: "req_1", status, phase });
  });

  it("a person's answer to what blocks it sets it going [S1-083]", () => {
    const held = [...RUNNING, ...done("a"), reviewed("security"), ...done("c"), escalated()];
    expect(after(...held).status).toBe("blocked");
    const retry = { action: "retry" as const, agent: "codex" };
    const answered = { type: "escalation_answered" as const, escalation_id: ESCALATION.escalation_id, decider: PERSON };
    expect(after(...held, { ...answered, order: retry })).toMatchObject({ status: "in_progress", blockers: [] });
  });

  it("phases follow each other as their gates say GO, and never go back [S1-079]", () => {
    const decided = (phase: RunPhase, decision: "GO" | "NO_GO"): RunEvent => ({
      type: "gate_decided",
      gate: { phase, decision, reason: "r", criteria: [] },
    });
    const events = [...RUNNING, decided("execution", "NO_GO"), decided("planning", "GO")];
    expect(after(...events).phase).toBe("execution");
    const gone = after(...events, decided("execution", "GO"));
    expect(gone.phase).toBe("monitoring");
    expect(gone.go_decisions).toEqual({
      planning: { phase: "planning", decision: "GO", reason: "r", criteria: [] },
      execution: { phase: "execution", decision: "GO", reason: "r", criteria: [] },
    });
    expect(after(...events, decided("execution", "GO"), decided("monitoring", "GO")).phase).toBe("closure");
  });
});

function question(task_id: string): RunEvent {
  return { type: "question_asked", question_id: `q_${task_id}`, task_id, question: "Which?" };
}
function reviewed(gate_id: string): RunEvent {
  return { type: "review_approved", gate_id, decider: PERSON };
}
function escalated(): RunEvent {
  return { type: "escalation_raised", escalation: ESCALATION };
}

describe("project state", () => {
  it("has the fields of the specification and no others [S1-072, S1-074, S1-075, S1-076, S1-077, S1-078, S1-079]", () => {
    expect(Object.keys(after(...RUNNING))).toEqual([
      "request_id",
      "status",
      "phase",
      "progress_percentage",
      "tasks_completed",
      "tasks_remaining",
      "start_time",
      "last_update_time",
      "tokens_budget",
      "tokens_used",
      "tokens_remaining",
      "api_calls",
      "cost_usd",
      "plan",
      "phase_outputs",
      "deliverables",
      "risks",
      "issues",
      "blockers",
      "messages",
      "active_agents",
      "go_decisions",
    ]);
  });

  it.each([
    ["pending", true],
    ["in_progress", true],
    ["completed", true],
    ["failed", true],
    ["blocked", true],
    ["cancelled", false],
  ])("may be %s: %s [S1-073]", (status, ok) => {
    expect(ProjectState.safeParse({ ...after(RECEIVED), status }).success).toBe(ok);
  });

  it("tells progress, and a hundred only of what is completed [S1-074]", () => {
    expect(after(RECEIVED)).toMatchObject({
      progress_percentage: 0,
      tasks_completed: 0,
      tasks_remaining: 0,
      start_time: "2026-01-25T11:00:00Z",
      last_update_time: "2026-01-25T11:00:00Z",
    });
    const one = [...RUNNING, ...done("a")];
    expect(after(...one)).toMatchObject({
      progress_percentage: 33,
      tasks_completed: 1,
      tasks_remaining: 2,
      last_update_time: "2026-01-25T11:00:08Z",
    });
    const all = [...one, reviewed("security"), ...done("b"), ...done("c")];
    expect(after(...all)).toMatchObject({ progress_percentage: 99, tasks_remaining: 0 });
    expect(after(...all, FINISHED)).toMatchObject({ progress_percentage: 100, tasks_completed: 3 });
  });

  it("counts what was used once, and adds what a person grants [S1-008, S1-075]", () => {
    const used = [...RUNNING, started("a"), finished("a", { kind: "cancelled" }), finished("a", { kind: "cancelled" })];
    expect(after(...used)).toMatchObject({
      tokens_budget: 1000,
      tokens_used: 80,
      tokens_remaining: 920,
      api_calls: 2,
      cost_usd: 0.1,
    });
    const order = { action: "raise_budget" as const, add: of({ tokens: 500 }) };
    const answered = { type: "escalation_answered" as const, escalation_id: ESCALATION.escalation_id, decider: PERSON };
    expect(after(...used, escalated(), { ...answered, order })).toMatchObject({
      tokens_budget: 1500,
      tokens_remaining: 1420,
    });
  });

  it("takes what was reserved for what nobody reported [S1-075]", () => {
    const silent: RunEvent = {
      type: "attempt_finished",
      task_id: "a",
      attempt: 1,
      outcome: { kind: "structural", error: "crash", message: "m" },
      usage: { amounts: NOTHING, source: "estimated" },
    };
    expect(after(...RUNNING, started("a"), silent)).toMatchObject({ tokens_used: 100, api_calls: 3, cost_usd: 0.1 });
  });

  it("holds the plan, the outputs of each phase and the deliverables [S1-076]", () => {
    const state = after(...RUNNING, ...done("a"));
    expect(state.plan).toEqual(PLAN);
    expect(state.phase_outputs).toEqual({
      initiation: [{ name: "intake decision", ref: "approved", task_id: null, attempt: null }],
      planning: [{ name: "plan", ref: "plan_1", task_id: null, attempt: null }],
      execution: [{ name: "Task a", ref: "out/a", task_id: "a", attempt: 1 }],
    });
    expect(state.deliverables.map(({ type, path, description }) => [type, path, description])).toEqual([
      ["plan", "plan_1", "The frozen plan"],
      ["code", "refs/a", "Task a"],
    ]);
  });

  it("holds risks, issues and what waits for a person [S1-077]", () => {
    const risks = [{ risk: "delay", severity: "low" as const, mitigation: "begin early" }];
    const message = planningResponse(ENVELOPE, { status: "success", phases: [], risks, recommendations: [] });
    const state = after(
      ...RUNNING,
      { type: "message_sent", message },
      started("a"),
      finished("a", { kind: "quality", message: "2 tests fail" }),
      escalated(),
      question("b"),
    );
    expect(state.risks).toEqual(risks);
    expect(state.issues).toEqual([
      { severity: "medium", description: "quality: 2 tests fail", task_id: "a", attempt: 1 },
    ]);
    expect(state.blockers).toEqual([
      { severity: "high", description: ESCALATION.summary, resolution_required: true },
      { severity: "medium", description: "Which?", resolution_required: true },
    ]);
  });

  it("holds every message in its order, and who is at work [S1-078]", () => {
    const payload = {
      request_id: "req_1",
      progress_percentage: 1,
      current_phase: "execution",
      current_task: "a",
      tasks_completed: 0,
      tasks_remaining: 3,
      blockers: [],
    };
    const messages = [
      planningResponse(ENVELOPE, { status: "success", phases: [], risks: [], recommendations: [] }),
      progressUpdate(ENVELOPE, payload),
    ];
    const sent = messages.map((message): RunEvent => ({ type: "message_sent", message }));
    const working = [...RUNNING, ...sent, started("b", 1, "codex"), started("a"), started("c")];
    expect(after(...working).active_agents).toEqual(["claude", "codex"]);
    expect(after(...working).messages.slice(0, 2)).toEqual(messages);
    expect(after(...working).messages.slice(2)).toMatchObject([
      { type: "task_assignment", from: "supervisor", to: "codex", payload: { task_id: "b", attempt: 1 } },
      { type: "task_assignment", to: "claude", payload: { task_id: "a" } },
      { type: "task_assignment", to: "claude", payload: { task_id: "c" } },
    ]);
    expect(after(...working, finished("b", { kind: "cancelled" })).active_agents).toEqual(["claude"]);
    expect(after(...working, FINISHED).active_agents).toEqual([]);
  });

  it("says the status and phase of a caller that knows them", () => {
    expect(projectState(readNotes(log(...RUNNING)), { status: "blocked", phase: "monitoring" })).toMatchObject({
      status: "blocked",
      phase: "monitoring",
    });
  });

  it("is nothing for a log without a beginning", () => {
    expect(projectState(readNotes([]))).toBeNull();
    expect(projectState(readNotes(log(FINISHED)))).toBeNull();
  });
});

describe("as JSON", () => {
  it("goes there and back [S1-120]", () => {
    const state = after(...RUNNING, ...done("a"), escalated());
    expect(ProjectState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});

/** Any events in any order: also ones no run would log, which must not break the view. */
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.constantFrom<RunEvent>(intake("approved"), intake("needs_clarification"), FROZEN, APPROVED, escalated(), FINISHED),
  fc.constantFrom<RunEvent>(reviewed("security"), { type: "plan_rejected", decider: PERSON, reason: "r" }),
  fc
    .tuple(fc.constantFrom("a", "b", "c", "__proto__"), fc.integer({ min: 1, max: 3 }), fc.nat(5))
    .map(([id, n, i]) => [...done(id, n), finished(id, { kind: "safety", message: "m" }, n)][i] ?? started(id, n)),
  fc.constantFrom("a", "b").map(question),
  fc
    .constantFrom(...RunPhase.options)
    .map((phase): RunEvent => ({ type: "gate_decided", gate: { phase, decision: "GO", reason: "r", criteria: [] } })),
);

describe("whatever is logged", () => {
  it("is folded the same each time, is valid, and goes through JSON unchanged [S1-120]", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        const logged = log(RECEIVED, ...events);
        const state = projectState(readNotes(logged));
        if (state === null) throw new Error("a log has a state");
        expect(projectState(readNotes(logged))).toEqual(state);
        expect(ProjectState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
        expect(state.tokens_remaining).toBe(Math.max(0, state.tokens_budget - state.tokens_used));
        if (state.plan !== null) expect(state.progress_percentage === 100).toBe(state.status === "completed");
      }),
    );
  });

  it("moves by allowed moves only, and stays where it ended [S1-081, S1-083]", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const logged = log(RECEIVED, ...events);
        for (const event of logged.slice(0, 3)) LoggedEventSchema.parse(event);
        let before: RunStatus = "pending";
        for (let length = 1; length <= logged.length; length++) {
          const now = projectState(readNotes(logged.slice(0, length)))?.status ?? "pending";
          const through = mayMove(before, "in_progress") && mayMove("in_progress", now);
          expect(before === now || mayMove(before, now) || through, `${before} → ${now}`).toBe(true);
          before = now;
        }
      }),
    );
  });
});

describe("usage in mid-attempt and coordination", () => {
  const coordination = (tokens: number): RunEvent => ({
    type: "coordination_used",
    purpose: "review",
    tokens,
    cost_usd: 0.5,
    source: "reported",
  });
  const used = (tokens: number, attempt_tokens: number) =>
    after(...RUNNING, coordination(tokens), started("a"), finished("a", undefined, attempt_tokens));
  const after = (...events: RunEvent[]) => projectState(readNotes(log(...events))) as ProjectState;
  const finished = (task_id: string, outcome: AttemptOutcome = { kind: "completed", output_ref: "x" }, tokens = 100) =>
    ({
      type: "attempt_finished",
      task_id,
      attempt: 1,
      outcome,
      usage: { amounts: of({ tokens }), source: "reported" },
    }) satisfies RunEvent;

  it("counts what coordination used, and warns from a twentieth of all tokens on [S1-117]", () => {
    expect(used(4, 96)).toMatchObject({ tokens_used: 100, cost_usd: 0.5, issues: [] });
    expect(used(5, 95).issues).toEqual([
      {
        severity: "low",
        description: "coordination took 5.0 % of the tokens, under 5 % is meant",
        task_id: null,
        attempt: null,
      },
    ]);
    expect(after(...RUNNING, coordination(5)).issues).toEqual([]);
  });

  it("takes what was seen in flight for used, whatever is said in the end", () => {
    const progressed: RunEvent = {
      type: "attempt_progressed",
      task_id: "a",
      attempt: 1,
      usage: { amounts: of({ tokens: 300 }), source: "reported" },
      note: "",
    };
    expect(after(...RUNNING, started("a"), progressed, finished("a", undefined, 10)).tokens_used).toBe(300);
  });

  it("says what waits for a wider scope, that there is no sandbox, and what was done outside of the scope", () => {
    const request = { commands: [], write: ["docs/**"], network: [] };
    const asked = finished("a", { kind: "scope_request", request, message: "the page" });
    const state = after(
      ...RUNNING,
      { type: "sandbox_graded", grade: "none", reason: "ordered", by_order: true },
      started("a"),
      {
        type: "tool_judged",
        task_id: "a",
        attempt: 1,
        use: { tool_call_id: "t", stage: "deed", kind: "edit", title: "Edit x", paths: [], command: null, hosts: [] },
        judgement: { decision: "violation", rule_id: "scope.write", reason: "outside" },
      },
      asked,
    );
    expect(state.blockers).toContainEqual({
      severity: "medium",
      description: "a needs a wider scope: the page",
      resolution_required: true,
    });
    expect(state.issues.map(({ description }) => description)).toEqual([
      "no sandbox, by order: ordered",
      "Edit x: outside",
    ]);
    const widened: RunEvent = {
      type: "scope_widened",
      task_id: "a",
      request_id: "scope_a#1",
      addition: request,
      decider: PERSON,
    };
    expect(after(...RUNNING, started("a"), asked, widened).blockers).toEqual(after(...RUNNING).blockers);
  });
});
