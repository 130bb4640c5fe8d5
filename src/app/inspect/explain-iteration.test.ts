import { describe, expect, it } from "vitest";
import type { EventOf, LoggedEvent, RunEvent } from "../../model/event.js";
import { RunPolicy } from "../../model/run.js";
import { amounts, runTask } from "../../testing/run-fixtures.js";
import { explainRun, idsOfRun } from "./explain/explain-run.js";
import { describeEvent } from "./describe-event.js";

const TURN: EventOf<"iteration_finished"> = {
  type: "iteration_finished",
  task_id: "fix-a",
  attempt: 1,
  iteration: 1,
  limit: 10,
  promised: false,
  checks: [{ check: "unit", failing: 1, failed_before: 0 }],
  failing: ["unit: adds"],
  next: "again",
  reason: "",
  tokens: 1100,
  cost_usd: 0.01,
  source: "reported",
};
const STUCK: EventOf<"iteration_finished"> = {
  ...TURN,
  iteration: 2,
  checks: [{ check: "unit", failing: 0, failed_before: 0 }],
  failing: [],
  next: "ask",
  reason: "the completion promise is missing after 2 of 2 iterations",
};
const EVENTS: readonly RunEvent[] = [
  { type: "request_received", request_id: "r", request: "Fix a", seed: 1, policy: RunPolicy.parse({}) },
  {
    type: "plan_frozen",
    plan: { plan_id: "p", plan_checksum: "c", tasks: [runTask("fix-a", { agent: "claude" })], gates: [] } as never,
    verified: true,
  },
  { type: "attempt_started", task_id: "fix-a", attempt: 1, agent: "claude", reserved: amounts(5) },
  TURN,
  STUCK,
  {
    type: "attempt_finished",
    task_id: "fix-a",
    attempt: 1,
    outcome: { kind: "structural", error: "crash", message: "exit 3" },
    usage: { amounts: amounts(5), source: "reported" },
  },
  {
    type: "alternative_chosen",
    task_id: "fix-a",
    attempt: 1,
    agent: "codex",
    how: "another_agent",
    failed: "crash: exit 3",
  },
  { type: "attempt_started", task_id: "fix-a", attempt: 2, agent: "codex", reserved: amounts(5) },
];
const log = EVENTS.map(
  (event, i) => ({ sequence: i + 1, at: "2026-01-01T00:00:00Z", clock_ms: 0, event }) as LoggedEvent,
);

describe("a turn of an agent", () => {
  it("is told with its promise, its checks, what follows and what it used", () => {
    expect(describeEvent(TURN)).toBe(
      "fix-a: iteration 1 of 10: no promise, unit fails (1), unit: adds; the agent is told what is missing (1100 tokens, $0.01)",
    );
    expect(describeEvent(STUCK)).toContain("it ends: the completion promise is missing after 2 of 2 iterations");
  });

  it("is explained by its own id, with why the agent went on or did not", () => {
    expect(idsOfRun(log)).toContain("fix-a#1.2");
    expect(explainRun("fix-a#1.1", log)).toMatchObject({
      kind: "iteration",
      why: [expect.stringContaining("Missing: the completion promise; unit: adds. 1 of 10 iterations")],
    });
    expect(explainRun("fix-a#1.2", log)).toMatchObject({
      alternatives: [{ reason_rejected: STUCK.reason }],
    });
    expect(explainRun("fix-a#1", log)?.why.join(" ")).toContain("iteration 2 of 10");
  });
});

it("another approach is explained: who failed, who takes over, and that nobody was asked [S1-066]", () => {
  const explained = explainRun("fix-a#2", log);
  expect(explained?.why.join(" ")).toContain("codex is configured beside claude, and takes over");
  expect(explained?.alternatives).toEqual([
    { alternative: "ask a person", reason_rejected: "no other approach had been tried" },
  ]);
});
