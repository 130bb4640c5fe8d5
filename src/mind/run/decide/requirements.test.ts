import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import type { RequirementResult } from "../../../model/intent-spec.js";
import { opening, planRef, runTask } from "../../../testing/run-fixtures.js";
import { type Effect, effectsOf } from "../effects.js";
import { NEW_RUN, type RunState } from "../state.js";
import { refusal, step } from "../transition.js";

const BRIEF = {
  ref: "sha256:brief",
  spec: {
    id: "IS-export",
    checksum: "a".repeat(64),
    requirements: [
      { id: "REQ-1", priority: "must_have" as const },
      { id: "REQ-2", priority: "should_have" as const },
    ],
  },
  documents: [{ ref: "docs/style.md", checksum: "b".repeat(64) }],
};

class Run {
  state: RunState = NEW_RUN;
  events: RunEvent[] = [];
  effects: readonly Effect[] = [];

  take(...events: readonly RunEvent[]): this {
    for (const event of events) {
      expect(refusal(this.state, event), event.type).toBeNull();
      const taken = step(this.state, event, this.state.clock_ms + 1000);
      this.state = taken.state;
      this.events = [...taken.events];
      this.effects = taken.effects;
    }
    return this;
  }

  /** Everything up to the last task's end. */
  static done(brief: RunEvent[] = [{ type: "brief_kept", brief: BRIEF }]): Run {
    const task_id = "T1";
    const usage = { amounts: runTask(task_id).estimate, source: "reported" } as const;
    return new Run().take(
      ...opening(planRef([runTask(task_id)]), { plan_needs_approval: false }),
      ...brief,
      { type: "attempt_finished", task_id, attempt: 1, outcome: { kind: "completed", output_ref: "r" }, usage },
      { type: "verification_finished", task_id, attempt: 1, verdict: "PASS", evidence: "" },
      { type: "integration_finished", task_id, attempt: 1, integrated: true, ref: "r" },
      { type: "review_finished", task_id, attempt: 1, accepted: true, summary: "" },
    );
  }
}

const judged = (round: number, results: readonly RequirementResult[]): RunEvent => ({
  type: "requirements_judged",
  round,
  commit: "c",
  tree: "t",
  results: [...results],
  ref: "sha256:proof",
});
const seen = (id: string, holds: boolean | null) => ({ id, holds, evidence: `${id} was looked at` });
const person = { by: "ada", how: "person" } as const;

describe("a run with requirements", () => {
  it("is not over when its tasks are, until they are looked at; and whoever folds the log knows that they are due", () => {
    const run = Run.done();
    expect(run.state.status).toBe("in_progress");
    expect(run.effects).toEqual([{ kind: "prove_requirements", id: "requirements:1", task_id: null, round: 1 }]);
    expect(effectsOf(run.state)).toEqual(run.effects);
    expect(run.events.map(({ type }) => type)).toEqual(["review_finished"]);
  });

  it("completes when what must hold holds, with what should and does not among its risks", () => {
    const run = Run.done().take(judged(1, [seen("REQ-1", true), seen("REQ-2", false)]));
    expect(run.events.map(({ type }) => type)).toEqual(["requirements_judged", "gate_decided", "run_finished"]);
    expect(run.state.status).toBe("completed");
    const gate = run.events.flatMap((event) => (event.type === "gate_decided" ? [event.gate] : []))[0];
    expect(gate?.criteria.find(({ criterion }) => criterion === "deliverables")?.evidence).toContain("REQ-1: complete");
    expect(gate?.criteria.find(({ criterion }) => criterion === "risks")?.evidence).toEqual([
      "low: REQ-2 (should have) does not hold: REQ-2 was looked at",
    ]);
  });

  it.each<[string, readonly RequirementResult[]]>([
    ["does not hold", [seen("REQ-1", false), seen("REQ-2", true)]],
    ["cannot be evaluated", [seen("REQ-1", null), seen("REQ-2", true)]],
    ["was not evaluated", [seen("REQ-2", true)]],
  ])(
    "waits on a person when one that must hold %s, and never looks again by itself [S0-055, S0-057, S0-058]",
    (_, results) => {
      const run = Run.done().take(judged(1, results));
      expect(run.state.status).toBe("blocked");
      expect(run.effects).toEqual([
        { kind: "ask", task_id: null, id: expect.any(String) as unknown, entry: expect.any(String) as unknown },
      ]);
      expect(effectsOf(run.state).map(({ kind }) => kind)).toEqual(["ask"]);
      const raised = run.events.flatMap((event) => (event.type === "escalation_raised" ? [event.escalation] : []))[0];
      expect(raised).toMatchObject({
        type: "quality_failure",
        severity: "critical",
        task_id: null,
        package: { input: "IS-export", injected_context: ["docs/style.md"], output: "sha256:proof" },
      });
      expect(raised?.summary).toMatch(/does not meet its specification: 1 of 2 requirements: REQ-1/);
      expect(refusal(run.state, judged(1, []))).not.toBeNull();
    },
  );

  it("looks again when a person says so, and only at what is asked for then", () => {
    const run = Run.done().take(judged(1, [seen("REQ-1", false)]));
    const [entry] = run.state.inbox;
    run.take({
      type: "escalation_answered",
      escalation_id: entry?.id ?? "",
      order: { action: "resume" },
      decider: person,
    });
    expect(run.effects).toEqual([{ kind: "prove_requirements", id: "requirements:2", task_id: null, round: 2 }]);
    expect(refusal(run.state, judged(1, []))).not.toBeNull();
    run.take(judged(2, [seen("REQ-1", true), seen("REQ-2", true)]));
    expect(run.state.status).toBe("completed");
  });

  it("ends when a person gives it up", () => {
    const run = Run.done().take(judged(1, [seen("REQ-1", false)]));
    const [entry] = run.state.inbox;
    run.take({
      type: "escalation_answered",
      escalation_id: entry?.id ?? "",
      order: { action: "give_up" },
      decider: person,
    });
    expect(run.state.status).toBe("failed");
  });

  it("is as it was without any", () => {
    expect(Run.done([]).state.status).toBe("completed");
    const bare = { ...BRIEF, spec: null };
    expect(Run.done([{ type: "brief_kept", brief: bare }]).state.status).toBe("completed");
    expect(refusal(Run.done().state, { type: "brief_kept", brief: bare })).toBe("the run has its brief already");
  });
});
