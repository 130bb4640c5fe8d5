import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Amounts, type AttemptOutcome, Message } from "../../model/run.js";
import { escalationFor } from "./decide/escalate.js";
import { NOTHING } from "./amounts.js";
import {
  escalationMessage,
  planningRequest,
  planningResponse,
  progressUpdate,
  taskAssignment,
  taskResult,
} from "./messages.js";

const ENVELOPE = { message_id: "550e8400-e29b-41d4-a716-446655440000", timestamp: "2026-01-25T11:00:00Z" };
const REPLY = { ...ENVELOPE, in_reply_to: "660f9511-f30c-42e5-b827-557766551111" };
const REQUEST: Extract<Message, { type: "planning_request" }>["payload"] = {
  request_id: "req_1",
  objective: "A login page",
  requirements: [{ requirement: "users log in", priority: "must_have", acceptance_criteria: ["a test logs in"] }],
  constraints: { max_tokens: 50_000, max_time_seconds: 300, technologies: ["next"], project_type: "frontend" },
  context: { project_path: "app" },
};
const TASK = {
  task_id: "t1",
  description: "d",
  assigned_to: "FeatureBuilder",
  dependencies: [],
  estimated_tokens: 1000,
  estimated_time_seconds: 60,
};
const RESPONSE = {
  status: "success" as const,
  phases: [
    { phase: "build", tasks: [TASK, { ...TASK, task_id: "t2", dependencies: ["t1"] }] },
    { phase: "test", tasks: [{ ...TASK, task_id: "t3" }] },
  ],
  risks: [{ risk: "r", severity: "high" as const, mitigation: "m" }],
  recommendations: ["begin small"],
};
const PROGRESS = {
  request_id: "req_1",
  progress_percentage: 50,
  current_phase: "execution",
  current_task: "t1",
  tasks_completed: 1,
  tasks_remaining: 1,
  blockers: [{ severity: "high" as const, description: "d", requires_coordinator_decision: true }],
};
const ESCALATION = escalationFor(
  { kind: "unknown", message: "?" },
  { task_id: "t1", attempt: 1, input: "i", injected_context: [], output: "o" },
);

const isMessage = (value: unknown) => Message.safeParse(value).success;

describe("the messages", () => {
  it("a planning_request goes from the coordinator to the planner in the envelope [S1-035]", () => {
    const message = planningRequest(ENVELOPE, REQUEST);
    expect(Message.parse(message)).toEqual(message);
    expect(message).toMatchObject({ ...ENVELOPE, from: "coordinator", to: "planner", type: "planning_request" });
  });

  it("a planning_request carries its fields as they were [S1-036, S1-037, S1-039]", () => {
    expect(planningRequest(ENVELOPE, REQUEST).payload).toEqual(REQUEST);
    for (const field of ["request_id", "objective", "requirements", "constraints", "context"]) {
      const { [field]: _, ...payload } = REQUEST as Record<string, unknown>;
      expect(isMessage({ ...planningRequest(ENVELOPE, REQUEST), payload })).toBe(false);
    }
  });

  it.each(["must_have", "should_have", "nice_to_have"] as const)("a requirement may be %s [S1-038]", (priority) => {
    const requirements = [{ requirement: "r", priority, acceptance_criteria: [] }];
    expect(isMessage(planningRequest(ENVELOPE, { ...REQUEST, requirements }))).toBe(true);
  });

  it("a requirement may be of no other priority [S1-038]", () => {
    const requirements = [{ requirement: "r", priority: "urgent" as "must_have", acceptance_criteria: [] }];
    expect(isMessage(planningRequest(ENVELOPE, { ...REQUEST, requirements }))).toBe(false);
  });

  it("a planning_response answers a request by its id [S1-040]", () => {
    const message = planningResponse(REPLY, RESPONSE);
    expect(message).toMatchObject({ ...REPLY, from: "planner", to: "coordinator", type: "planning_response" });
    const { in_reply_to: _, ...without } = message;
    expect(isMessage(message)).toBe(true);
    expect(isMessage(without)).toBe(false);
  });

  it.each([
    ["success", true],
    ["partial", true],
    ["failed", true],
    ["maybe", false],
  ])("a planning_response of status %s is valid: %s [S1-041]", (status, ok) => {
    expect(isMessage(planningResponse(REPLY, { ...RESPONSE, status: status as "success" }))).toBe(ok);
  });

  it("a planning_response carries tasks by phase, totals that are their sums, risks and advice [S1-042, S1-043, S1-044]", () => {
    const { payload } = planningResponse(REPLY, RESPONSE);
    expect(payload).toEqual({
      status: "success",
      plan: { phases: RESPONSE.phases, total_estimated_tokens: 3000, total_estimated_time_seconds: 180 },
      risks: RESPONSE.risks,
      recommendations: RESPONSE.recommendations,
    });
  });

  it("a progress_update goes from the supervisor to the coordinator with its fields and blockers [S1-045, S1-046]", () => {
    const message = progressUpdate(ENVELOPE, PROGRESS);
    expect(Message.parse(message)).toEqual({
      ...ENVELOPE,
      from: "supervisor",
      to: "coordinator",
      type: "progress_update",
      payload: PROGRESS,
    });
  });

  it.each([
    [99.9, 99],
    [-1, 0],
    [101, 100],
    [Number.NaN, 0],
    [Infinity, 100],
  ])("progress of %d is said as %d [S1-045]", (given, said) => {
    expect(progressUpdate(ENVELOPE, { ...PROGRESS, progress_percentage: given }).payload.progress_percentage).toBe(
      said,
    );
  });

  it("escalation, task_assignment and task_result go between supervisor, coordinator and agent", () => {
    const assignment = { task_id: "t1", attempt: 1, agent: "claude", reserved: NOTHING };
    const outcome: AttemptOutcome = { kind: "completed", output_ref: "r" };
    const result = { task_id: "t1", attempt: 1, outcome, usage: { amounts: NOTHING, source: "reported" as const } };
    const told = [
      escalationMessage(ENVELOPE, ESCALATION),
      taskAssignment(ENVELOPE, assignment),
      taskResult(REPLY, "claude", result),
    ];
    expect(told.map((message) => isMessage(message))).toEqual([true, true, true]);
    expect(told.map(({ from, to, type }) => [from, to, type])).toEqual([
      ["supervisor", "coordinator", "escalation"],
      ["supervisor", "claude", "task_assignment"],
      ["claude", "supervisor", "task_result"],
    ]);
    expect(told.map(({ payload }) => payload)).toEqual([ESCALATION, assignment, result]);
  });
});

it("names every problem of what is no message [S1-120]", () => {
  const read = Message.safeParse({
    ...progressUpdate(ENVELOPE, PROGRESS),
    message_id: "1",
    extra: 1,
    timestamp: "now",
  });
  const places = read.error?.issues.map(({ path, ...issue }) => path.join(".") || JSON.stringify(issue)).join(" ");
  for (const place of ["extra", "message_id", "timestamp"]) expect(places).toContain(place);
  expect(isMessage({ ...progressUpdate(ENVELOPE, PROGRESS), type: "gossip" })).toBe(false);
});

describe("whatever the numbers", () => {
  const uuid = fc.uuid();
  const envelope = fc.record({
    message_id: uuid,
    timestamp: fc
      .date({ min: new Date("1990-01-01T00:00:00Z"), max: new Date("2090-01-01T00:00:00Z"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    in_reply_to: uuid,
  });
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, Number.MAX_VALUE, Number.NaN, Infinity));
  const positive = fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true, noDefaultInfinity: true });
  const amounts: fc.Arbitrary<Amounts> = fc.record({
    tokens: positive,
    cost_usd: positive,
    minutes: positive,
    files: positive,
    commits: positive,
    api_calls: positive,
  });

  it("each of the six messages validates [S1-120]", () => {
    fc.assert(
      fc.property(
        envelope,
        number,
        number,
        fc.string(),
        amounts,
        fc.integer({ min: 1, max: 99 }),
        (at, a, b, text, reserved, attempt) => {
          const task = { ...TASK, task_id: text, estimated_tokens: a, estimated_time_seconds: b };
          const outcome: AttemptOutcome = { kind: "quality", message: text };
          const constraints = { ...REQUEST.constraints, max_tokens: a, max_time_seconds: b };
          const progress = { ...PROGRESS, progress_percentage: a, tasks_completed: b, tasks_remaining: a };
          const usage = { amounts: reserved, source: "estimated" as const };
          for (const message of [
            planningRequest(at, { ...REQUEST, objective: text, constraints }),
            planningResponse(at, { ...RESPONSE, phases: [{ phase: text, tasks: [task, task] }] }),
            progressUpdate(at, progress),
            escalationMessage(at, ESCALATION),
            taskAssignment(at, { task_id: text, attempt, agent: `agent ${text}`, reserved }),
            taskResult(at, `agent ${text}`, { task_id: text, attempt, outcome, usage }),
          ]) {
            expect(Message.parse(message)).toEqual(message);
          }
        },
      ),
    );
  });
});
