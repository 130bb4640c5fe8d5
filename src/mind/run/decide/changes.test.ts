import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import type { TaskChange } from "../../../model/run.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { PERSON, planRef, runTask } from "../../../testing/run-fixtures.js";
import { projectState } from "../../report/project-state/project-state.js";
import { readNotes } from "../../report/project-state/project-notes.js";
import { fold } from "../transition.js";

const SKIP: TaskChange = { action: "skip_task", reason: "done by hand" };
const DELETE: TaskChange = { action: "delete_task", reason: "not wanted" };

let count = 0;
function propose(run: DrivenRun, task_id: string, change: TaskChange): { id: string; took: string[] } {
  const change_id = `chg_test-${++count}`;
  return { id: change_id, took: run.take({ type: "change_proposed", change_id, task_id, change, decider: PERSON }) };
}
const decide = (change_id: string, approved = true): RunEvent => ({
  type: "change_decided",
  change_id,
  approved,
  decider: PERSON,
  reason: "",
});
function change(run: DrivenRun, task_id: string, wanted: TaskChange): string[] {
  return run.take(decide(propose(run, task_id, wanted).id));
}

const FIRST = runTask("A", { priority: "P0" });
const one = { plan_needs_approval: false, max_concurrent_tasks: 1 };

describe("a change of a task", () => {
  it("waits for approval, and a rejected one changes nothing [S3-067, S3-068]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]), one);
    const { id, took } = propose(run, "B", SKIP);
    expect(took).toEqual(["change_proposed"]);
    expect([run.statusOf("B"), run.state.inbox.map((entry) => entry.kind)]).toEqual(["pending", ["task_change"]]);
    expect(run.take(decide(id, false))).toEqual(["change_decided"]);
    expect([run.statusOf("B"), run.state.inbox]).toEqual(["pending", []]);
    expect(run.take(decide(id))[0]).toMatch(/^refused: there is no open change/);
  });

  it("skips a task: what builds on it goes on, and the run ends well without it", () => {
    const run = new DrivenRun(planRef([FIRST, runTask("B"), runTask("C", { dependencies: ["B"] })]), one);
    expect(change(run, "B", SKIP)).toEqual(["change_decided"]);
    expect(run.statusOf("B")).toBe("skipped");
    expect(run.land("A")).toContain("attempt_started C#1");
    run.land("C");
    expect([run.state.status, run.state.completed, run.state.dropped]).toEqual(["completed", 2, 1]);
  });

  it("deletes a task with everything that builds on it, and nothing else", () => {
    const tasks = [
      FIRST,
      runTask("B"),
      runTask("C", { dependencies: ["B"] }),
      runTask("D", { dependencies: ["C", "A"] }),
    ];
    const run = new DrivenRun(planRef(tasks), one);
    change(run, "B", DELETE);
    expect(["A", "B", "C", "D"].map((id) => run.statusOf(id))).toEqual([
      "in_progress",
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
    run.land("A");
    expect(run.state.status).toBe("completed");
  });

  it("disturbs no running attempt, also when it started while the change waited", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B", { priority: "P2" })]), one);
    expect(propose(run, "A", SKIP).took).toEqual(["refused: A is in progress, and a running attempt is not disturbed"]);
    const { id } = propose(run, "B", DELETE);
    run.land("A");
    expect(run.take(decide(id))).toEqual(["refused: B is in progress, and a running attempt is not disturbed"]);
    run.land("B");
    expect([run.state.status, run.state.inbox]).toEqual(["completed", []]);
  });

  it("takes the first of what is ready by priority, and a new priority counts at once [S3-047, S3-049]", () => {
    const tasks = ["A", "B", "C"].map((id) => runTask(id));
    const run = new DrivenRun(planRef(tasks), one);
    change(run, "C", { action: "change_priority", priority: "P0" });
    expect(run.land("A")).toContain("attempt_started C#1");
    expect(propose(run, "B", { action: "change_priority", priority: "P1" }).took).toEqual(["refused: B is P1 already"]);
  });

  it("gives a task to another agent from its next attempt on [S3-050]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")]), one);
    change(run, "B", { action: "reassign_task", agent: "agent_b" });
    run.land("A");
    expect(run.log.at(-1)?.event).toMatchObject({ type: "attempt_started", task_id: "B", agent: "agent_b" });
  });

  it("leaves a blocked task out and goes on with the others; dropped, nothing is asked about it any more [S3-024, S3-048]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B"), runTask("C", { dependencies: ["A"] })]), one);
    expect(run.finish("A", { kind: "clarification", question: "which?" })).toContain("attempt_started B#1");
    change(run, "A", DELETE);
    expect([run.state.inbox, run.statusOf("C")]).toEqual([[], "cancelled"]);
    run.land("B");
    expect(run.state.status).toBe("completed");
  });

  it("that drops everything ends the run, and says so", () => {
    const run = new DrivenRun(planRef([runTask("A")]), {});
    change(run, "A", SKIP);
    expect(run.take({ type: "plan_approved", decider: PERSON })).toEqual(["plan_approved", "run_finished"]);
    expect(run.state).toMatchObject({ status: "failed", reason: "every task was skipped or deleted" });
  });

  it("is in the log and nowhere else: folding gives the same run, and the same project", () => {
    const run = new DrivenRun(planRef([FIRST, runTask("B"), runTask("C", { dependencies: ["B"] })]), one);
    change(run, "B", SKIP);
    change(run, "C", { action: "change_priority", priority: "P0" });
    const folded = fold(run.log);
    expect([...folded.tasks]).toEqual([...run.state.tasks]);
    expect([...folded.ready]).toEqual([...run.state.ready]);
    const logged = run.log.map(({ event, clock_ms }, i) => ({
      run_id: "run_test",
      sequence: i + 1,
      at: "2026-01-09T15:30:00Z",
      clock_ms,
      event,
      previous_hash: "0".repeat(64),
      hash: "0".repeat(64),
    }));
    expect(projectState(readNotes(logged))).toMatchObject({ status: "in_progress" });
  });
});
