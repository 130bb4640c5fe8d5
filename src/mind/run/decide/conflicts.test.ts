import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import { DrivenRun as Run } from "../../../testing/driven-run.js";
import { planRef, runTask } from "../../../testing/run-fixtures.js";
import { effectsOf } from "../effects.js";
import { NEW_RUN } from "../state.js";
import { fold, step } from "../transition.js";

const found = (task_id: string, round = 1, onto = `tip${round}`): RunEvent => ({
  type: "conflict_found",
  task_id,
  attempt: 1,
  round,
  onto,
  paths: ["src/a.ts"],
  ref: `refs/coord/run/${task_id}/1`,
});
const resolved = (task_id: string, round = 1): RunEvent => ({
  type: "conflict_resolved",
  task_id,
  attempt: 1,
  round,
  tree: "t",
  ref: `sha256:${round}`,
});

/** Two tasks whose changes are verified and wait for their turn on the branch. */
function verified(policy: Record<string, unknown> = {}): Run {
  const run = new Run(planRef([runTask("A"), runTask("B"), runTask("C", { dependencies: ["B"] })]), {
    plan_needs_approval: false,
    max_concurrent_tasks: 2,
    ...policy,
  });
  for (const task_id of ["A", "B"]) {
    run.finish(task_id);
    run.take({ type: "verification_finished", task_id, attempt: 1, verdict: "PASS", evidence: "" });
  }
  return run;
}

const effects = (run: Run) => effectsOf(run.state).filter(({ kind }) => kind !== "ask");
const land = (run: Run, task_id: string) => {
  run.take({ type: "integration_finished", task_id, attempt: 1, integrated: true, ref: "r" });
  return run.take({ type: "review_finished", task_id, attempt: 1, accepted: true, summary: "" });
};

describe("a conflict in a run", () => {
  it("is an effect of its own against the commit it was found on, holds its place, and lets others go on", () => {
    const run = verified();
    expect(run.take(found("A"))).toEqual(["conflict_found"]);
    expect(effects(run)).toEqual([
      {
        kind: "resolve_conflict",
        id: "resolve:A#1/1",
        task_id: "A",
        attempt: 1,
        conflict: { round: 1, onto: "tip1", resolution: null },
      },
      { kind: "integrate", id: "integrate:B#1", task_id: "B", attempt: 1, conflict: null, lifted: [] },
    ]);
    expect(run.state.running).toBe(2);
    expect(land(run, "B")).toEqual(["review_finished", "attempt_started C#1"]);
    run.take(resolved("A"));
    expect(effects(run)[0]).toEqual({
      kind: "integrate",
      id: "integrate:A#1/1",
      task_id: "A",
      attempt: 1,
      conflict: { round: 1, onto: "tip1", resolution: "sha256:1" },
      lifted: [],
    });
    land(run, "A");
    expect(run.land("C")).toEqual(["review_finished", "gate_decided", "run_finished"]);
    expect(run.state).toMatchObject({ status: "completed", completed: 3, running: 0 });
    expect(fold(run.log)).toEqual(run.state);
  });

  it("is resolved again where the branch has moved on, so often as the policy says, and is then a person's", () => {
    const run = verified({ conflict_rounds: 2 });
    for (const round of [1, 2]) {
      expect(run.take(found("A", round))).toEqual(["conflict_found"]);
      expect(run.take(resolved("A", round))).toEqual(["conflict_resolved"]);
    }
    expect(run.take(found("A", 3))).toEqual(["conflict_found", "integration_finished", "escalation_raised"]);
    expect(run.statusOf("A")).toBe("blocked");
    const said = run.state.inbox.map((entry) => (entry.kind === "escalation" ? entry.escalation.summary : ""));
    expect(said.join()).toMatch(
      /^could not be integrated: conflict in src\/a\.ts, not resolved: resolved 2 times, .*; both sides are kept: the branch of the run, and refs\/coord\/run\/A\/1$/,
    );
    expect(effects(run).map(({ id }) => id)).toEqual(["integrate:B#1"]);
    expect(run.state.running).toBe(1);
  });

  it("has its rounds counted anew in another attempt", () => {
    const run = verified({ conflict_rounds: 1 });
    run.take(found("A"));
    run.take({ type: "integration_finished", task_id: "A", attempt: 1, integrated: false, ref: "a line was lost" });
    const [entry] = run.state.inbox;
    const decider = { by: "ada", how: "person" } as const;
    run.take({ type: "escalation_answered", escalation_id: entry?.id ?? "", order: { action: "retry" }, decider });
    run.finish("A", undefined, 2);
    run.take({ type: "verification_finished", task_id: "A", attempt: 2, verdict: "PASS", evidence: "" });
    expect(run.take({ ...found("A"), attempt: 2 } as RunEvent)).toEqual(["conflict_found"]);
    expect(effects(run).map(({ id }) => id)).toContain("resolve:A#2/1");
  });

  it("is asked of nobody in the mode without", () => {
    const run = verified({ coordinator_mode: "off" });
    const taken = step(run.state, found("A"), 0);
    expect(taken.events.map(({ type }) => type)).toEqual([
      "conflict_found",
      "integration_finished",
      "escalation_raised",
    ]);
    expect(taken.effects.filter(({ kind }) => kind !== "ask")).toEqual([]);
  });

  it("does not take what was said in another round, or twice", () => {
    const run = verified();
    const refused = (event: RunEvent) => expect(run.take(event).join()).toContain("refused: A is not waiting");
    refused(resolved("A"));
    refused(found("A", 2));
    run.take(found("A"));
    refused(found("A"));
    refused(resolved("A", 2));
    refused({ type: "integration_finished", task_id: "A", attempt: 1, integrated: true, ref: "late" });
    run.take(resolved("A"));
    refused(resolved("A"));
    refused(found("A"));
    expect(run.take(found("A", 2))).toEqual(["conflict_found"]);
  });

  it("goes by three rounds in a run that an earlier version began", () => {
    const run = verified();
    const old = run.log.map(({ event, clock_ms }) => {
      if (event.type !== "request_received") return { event, clock_ms };
      const { conflict_rounds: _, ...policy } = event.policy;
      return { event: { ...event, policy } as RunEvent, clock_ms };
    });
    let state = fold(old, NEW_RUN);
    for (const round of [1, 2, 3])
      for (const event of [found("A", round), resolved("A", round)]) state = step(state, event, 0).state;
    expect(step(state, found("A", 4), 0).events.map(({ type }) => type)).toContain("escalation_raised");
  });
});
