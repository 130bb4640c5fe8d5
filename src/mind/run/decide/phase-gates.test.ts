import { describe, expect, it } from "vitest";
import { fold } from "../transition.js";
import { projectState } from "../../report/project-state/project-state.js";
import { readNotes } from "../../report/project-state/project-notes.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { logEvents } from "../../../testing/logged.js";
import { amounts, PERSON, planRef, runTask } from "../../../testing/run-fixtures.js";
import { escalationFor } from "./escalate.js";
import { GATED_PHASES } from "./phase-gates.js";

const gated = (difference: object = {}) => ({ gate: { phases: [...GATED_PHASES], ...difference } });
const AUTO = { plan_needs_approval: false };

const gatesOf = ({ log }: DrivenRun) =>
  log.flatMap(({ event }) => (event.type === "gate_decided" ? [`${event.gate.phase} ${event.gate.decision}`] : []));

describe("gates at the end of phases [S1-010]", () => {
  it("what people skipped is not missed at the end", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]), { ...gated(), ...AUTO });
    const change = { action: "skip_task", reason: "by hand" } as const;
    run.take({ type: "change_proposed", change_id: "chg_0001", task_id: "B", change, decider: PERSON });
    run.take({ type: "change_decided", change_id: "chg_0001", approved: true, decider: PERSON, reason: "" });
    run.land("A");
    expect(gatesOf(run)).toEqual(["planning GO", "execution GO", "closure GO"]);
  });

  it("a run that goes well passes planning, execution and closure, in that order, and then is over [S1-079]", () => {
    const run = new DrivenRun(planRef([runTask("A")]), gated());
    expect(gatesOf(run)).toEqual([]);
    expect(run.take({ type: "plan_approved", decider: PERSON })).toEqual([
      "plan_approved",
      "gate_decided",
      "attempt_started A#1",
    ]);
    expect(run.land("A")).toEqual(["review_finished", "gate_decided", "gate_decided", "run_finished"]);
    expect(gatesOf(run)).toEqual(["planning GO", "execution GO", "closure GO"]);
    expect(run.state).toMatchObject({ status: "completed", phase: "closure" });
    expect(Object.keys(projectState(readNotes(logEvents(run.log)))?.go_decisions ?? {})).toEqual([
      "planning",
      "execution",
      "closure",
    ]);
  });

  it("names what each looked at", () => {
    const run = new DrivenRun(planRef([runTask("A")]), { ...AUTO, ...gated() });
    run.land("A");
    const evidence = run.log.flatMap(({ event }) =>
      event.type === "gate_decided" ? [event.gate.criteria.map((each) => each.evidence).flat()] : [],
    );
    expect(evidence[0]).toEqual(
      expect.arrayContaining(["frozen plan: complete", "verification: complete", "approval: complete"]),
    );
    expect(evidence[2]).toEqual(
      expect.arrayContaining(["every task done: complete", "every attempt settled: complete", "response: complete"]),
    );
  });

  it("a budget that carries not one task is NO_GO, and a person is asked for more; then it goes on [S1-063]", () => {
    const run = new DrivenRun(planRef([runTask("A")], { budget: amounts(5) }), { ...AUTO, ...gated() });
    expect(gatesOf(run)).toEqual(["planning NO_GO"]);
    expect([run.escalations, run.statusOf("A")]).toEqual([["resource_exhaustion"], "pending"]);
    const [entry] = run.state.inbox;
    run.take({
      type: "escalation_answered",
      escalation_id: entry?.id ?? "",
      order: { action: "raise_budget", add: amounts(100) },
      decider: PERSON,
    });
    expect(run.statusOf("A")).toBe("in_progress");
  });

  it("a small plan within a small budget is GO: the least that execution needs is what its cheapest task needs", () => {
    const plan = planRef([runTask("A", { estimate: amounts(90) }), runTask("B", { estimate: amounts(20) })]);
    const run = new DrivenRun({ ...plan, budget: amounts(50) }, { ...AUTO, ...gated() });
    expect(gatesOf(run)).toEqual(["planning GO"]);
  });

  it("a critical blocker holds the run at planning until a person decides [S1-062]", () => {
    const escalation = escalationFor(
      { kind: "unknown", message: "the licence server is gone" },
      { task_id: null, attempt: null, input: "", injected_context: [], output: "", stops_run: true },
    );
    const raised = { type: "escalation_raised", escalation: { ...escalation, severity: "critical" } } as const;
    const run = new DrivenRun(planRef([runTask("A")]), { ...AUTO, ...gated() }, [raised]);
    expect(gatesOf(run)).toEqual(["planning NO_GO"]);
    expect([run.statusOf("A"), run.state.status]).toEqual(["pending", "blocked"]);
    const held = run.state.inbox.at(-1);
    run.take({
      type: "escalation_answered",
      escalation_id: held?.id ?? "",
      order: { action: "resume" },
      decider: PERSON,
    });
    expect(run.statusOf("A")).toBe("in_progress");
  });

  it("a run of an earlier version goes on as it began: its log names no gates but execution's", () => {
    const run = new DrivenRun(planRef([runTask("A")]), AUTO);
    run.land("A");
    expect(gatesOf(run)).toEqual(["execution GO"]);
    expect(fold(run.log).status).toBe("completed");
  });
});
