import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../model/event.js";
import type { GateDecision } from "../../model/run.js";
import { escalationFor, stoppingRun } from "../run/decide/escalate.js";
import { logEvents } from "../../testing/logged.js";
import { amounts, opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { runFigures } from "./run-figures.js";

const GO: GateDecision = { phase: "planning", decision: "GO", reason: "all criteria met", criteria: [] };
const figuresOf = (...events: RunEvent[]) =>
  runFigures(
    logEvents([...opening(planRef([runTask("A")])), ...events].map((event, i) => ({ event, clock_ms: i * 1000 }))),
  );

describe("figures of a run", () => {
  it("call a GO wrong when the budget it let through did not suffice [S1-107]", () => {
    const escalation = escalationFor({ kind: "budget", message: "100 tokens are missing" }, stoppingRun(0));
    expect(figuresOf({ type: "gate_decided", gate: GO })?.gates).toMatchObject({ decided: 1, wrong: 0 });
    expect(
      figuresOf({ type: "gate_decided", gate: GO }, { type: "escalation_raised", escalation })?.gates,
    ).toMatchObject({ decided: 1, wrong: 1 });
  });

  it("do not count a failure as made good when a person had to look before its task went on [S1-111]", () => {
    const attempt = (n: number, outcome: Extract<RunEvent, { type: "attempt_finished" }>["outcome"]): RunEvent[] => [
      { type: "attempt_started", task_id: "A", attempt: n, agent: "agent_a", reserved: amounts(10) },
      {
        type: "attempt_finished",
        task_id: "A",
        attempt: n,
        outcome,
        usage: { amounts: amounts(10), source: "reported" },
      },
    ];
    const crashed = attempt(1, { kind: "structural", error: "crash", message: "gone" });
    const done = attempt(2, { kind: "completed", output_ref: "x" });
    const escalation = escalationFor(
      { kind: "outcome", outcome: { kind: "structural", error: "crash", message: "gone" } },
      { ...stoppingRun(0), task_id: "A", attempt: 1 },
    );
    const asked: RunEvent[] = [
      { type: "escalation_raised", escalation },
      {
        type: "escalation_answered",
        escalation_id: escalation.escalation_id,
        order: { action: "retry" },
        decider: PERSON,
      },
    ];
    expect(figuresOf(...crashed, ...done)?.errors).toMatchObject({ structural: 1, recovered: 1 });
    expect(figuresOf(...crashed, ...asked, ...done)?.errors).toMatchObject({ structural: 1, recovered: 0 });
  });
});
