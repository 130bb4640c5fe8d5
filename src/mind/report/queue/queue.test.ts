import { describe, expect, it } from "vitest";
import type { LoggedEvent, RunEvent } from "../../../model/event.js";
import { WorkQueue } from "../../../model/work-queue.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { PERSON, planRef, runTask } from "../../../testing/run-fixtures.js";
import { foldBoard } from "./fold-board.js";
import { editsIn, queueIn } from "./proposed.js";
import { queueText, workQueueOf } from "./work-queue.js";

const GRADED: RunEvent = { type: "sandbox_graded", grade: "strong", reason: "", by_order: false };

const adr = (id: string, title: string, dependencies: string[], type: "feature" | "test" = "feature") =>
  runTask(`TASK-023-${id}`, {
    title,
    adr: "ADR-023",
    type,
    dependencies: dependencies.map((dependency) => `TASK-023-${dependency}`),
    iterations: 10,
    completion_promise: "FEATURE_COMPLETE",
    files: ["alembic/versions/*_add_certification_completions.py"],
    tests: ["tests/test_certification_completions.py"],
  });
const PLAN = planRef([
  adr("001", "Create migration for certification_completions", []),
  adr("002", "Implement completion API endpoint", ["001"]),
  adr("003", "Build completion form component", ["002"]),
  adr("004", "Write tests for completion flow", ["001", "002", "003"], "test"),
]);

/** A log with a second between any two events. */
function logOf(run: DrivenRun): LoggedEvent[] {
  return run.log.map(({ event, clock_ms }, i) => ({
    run_id: "run_0001",
    sequence: i + 1,
    at: new Date(Date.parse("2026-01-09T14:00:00Z") + i * 1000).toISOString(),
    clock_ms,
    event,
    previous_hash: "0".repeat(64),
    hash: "0".repeat(64),
  }));
}
function boardOf(log: readonly LoggedEvent[]) {
  const fold = foldBoard("run_0001");
  for (const logged of log) fold.take(logged);
  return fold.now();
}
const queueOf = (run: DrivenRun) => workQueueOf("credentialmate", [boardOf(logOf(run))]);

describe("the work queue", () => {
  it("is the specification's example: one done, one in progress, the rest pending [S3-012, S3-045, S3-046]", () => {
    const run = new DrivenRun(PLAN);
    run.take(GRADED);
    run.land("TASK-023-001");
    const queue = queueOf(run);
    expect(WorkQueue.parse(queue)).toEqual(queue);
    expect(queue).toMatchObject({
      project: "credentialmate",
      tasks: [
        {
          id: "TASK-023-001",
          adr: "ADR-023",
          title: "Create migration for certification_completions",
          type: "feature",
          agent: "FeatureBuilder",
          status: "completed",
          dependencies: [],
          priority: "P1",
          estimated_iterations: 5,
          completion_promise: "FEATURE_COMPLETE",
        },
        { id: "TASK-023-002", status: "in_progress", dependencies: ["TASK-023-001"] },
        { id: "TASK-023-003", status: "pending", dependencies: ["TASK-023-002"] },
        { id: "TASK-023-004", type: "test", agent: "TestWriter", status: "pending" },
      ],
    });
    const [done, active, waiting] = queue.tasks;
    expect(Date.parse(done?.started_at ?? "")).toBeLessThan(Date.parse(done?.completed_at ?? ""));
    expect([active?.started_at, active?.completed_at]).toEqual([expect.any(String), undefined]);
    expect([waiting?.started_at, waiting?.completed_at]).toEqual([undefined, undefined]);
  });

  it("is the same to the byte for the same log, and what nobody looks for does not touch it [S3-021]", () => {
    const run = new DrivenRun(PLAN);
    const before = queueText(queueOf(run));
    expect(queueText(queueOf(run))).toBe(before);
    run.take(GRADED);
    expect(queueText(queueOf(run))).toBe(before);
  });

  it("says what became of every task: blocked with its reason, failed, skipped, and cancelled with its run [S3-022, S3-076]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B"), runTask("C", { dependencies: ["B"] })]));
    run.finish("A");
    run.take({ type: "verification_finished", task_id: "A", attempt: 1, verdict: "BLOCKED", evidence: "no database" });
    run.take({
      type: "change_proposed",
      change_id: "chg_0001",
      task_id: "C",
      change: { action: "skip_task", reason: "by hand" },
      decider: PERSON,
    });
    run.take({ type: "change_decided", change_id: "chg_0001", approved: true, decider: PERSON, reason: "" });
    expect(queueOf(run).tasks.map(({ status, reason }) => [status, reason])).toEqual([
      ["blocked", "verdict BLOCKED: no database"],
      ["in_progress", undefined],
      ["skipped", "by hand"],
    ]);
    expect(boardOf(logOf(run)).blockers).toEqual([{ task: "A", reason: "verdict BLOCKED", details: "no database" }]);
    run.take({ type: "run_cancelled", decider: PERSON, reason: "enough" });
    expect(queueOf(run).tasks.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "skipped"]);
  });

  it("takes a result: completed, and the next is begun; blocked, with the verdict, and what waits for it is not [S3-074]", () => {
    const run = new DrivenRun(PLAN);
    run.land("TASK-023-001");
    expect(queueOf(run).tasks.map(({ status }) => status)).toEqual(["completed", "in_progress", "pending", "pending"]);
    run.finish("TASK-023-002");
    const { attempt } = run.log.map(({ event }) => event).findLast((event) => event.type === "attempt_finished") ?? {
      attempt: 0,
    };
    run.take({
      type: "verification_finished",
      task_id: "TASK-023-002",
      attempt,
      verdict: "BLOCKED",
      evidence: "the tests need a database",
    });
    const { tasks } = queueOf(run);
    expect(tasks.map(({ status }) => status)).toEqual(["completed", "blocked", "pending", "pending"]);
    expect(tasks[1]?.reason).toBe("verdict BLOCKED: the tests need a database");
    expect(run.state.inbox).toMatchObject([{ kind: "escalation", escalation: { task_id: "TASK-023-002" } }]);
  });

  it("notes the approval of a decision record, with how much it queued [S3-036]", () => {
    expect(boardOf(logOf(new DrivenRun(PLAN))).decisions).toContainEqual({
      at: expect.any(String) as string,
      by: "coordinator",
      said: "ADR-023 approved: 4 tasks queued",
    });
  });

  it("knows the sessions of a run, what each completed, and how long somebody worked [S3-019]", () => {
    const run = new DrivenRun(PLAN);
    run.take(GRADED);
    run.land("TASK-023-001");
    const end = logOf(run).at(-2)?.at;
    run.take({
      type: "change_proposed",
      change_id: "chg_0002",
      task_id: "TASK-023-004",
      change: { action: "change_priority", priority: "P0" },
      decider: PERSON,
    });
    run.take(GRADED);
    run.land("TASK-023-002");
    const { sessions } = boardOf(logOf(run));
    expect(sessions.map(({ completed }) => completed)).toEqual([["TASK-023-001"], ["TASK-023-002"]]);
    expect(sessions[0]?.last_at).toBe(end);
  });
});

describe("a queue that somebody edited", () => {
  const run = new DrivenRun(PLAN);
  const written = queueOf(run);
  const edited = (edit: (queue: ReturnType<typeof JSON.parse>) => void) => {
    const copy = JSON.parse(queueText(written)) as unknown;
    edit(copy);
    return JSON.stringify(copy);
  };

  it("asks for exactly what was changed", () => {
    const text = edited((queue) => {
      queue.tasks[1].priority = "P0";
      queue.tasks[2].status = "skipped";
      queue.tasks[2].assigned_to = "codex";
      queue.tasks.pop();
      queue.tasks.push({ id: "NEW", title: "mine" });
      queue.tasks[0].title = "Another title";
    });
    const { changes, notes } = editsIn(written, text);
    expect(changes).toEqual([
      { run: "run_0001", task: "TASK-023-002", change: { action: "change_priority", priority: "P0" } },
      { run: "run_0001", task: "TASK-023-003", change: { action: "reassign_task", agent: "codex" } },
      {
        run: "run_0001",
        task: "TASK-023-003",
        change: { action: "skip_task", reason: "edited in the work queue by hand" },
      },
      {
        run: "run_0001",
        task: "TASK-023-004",
        change: { action: "delete_task", reason: "taken out of the work queue by hand" },
      },
    ]);
    expect(notes).toEqual([
      'title of TASK-023-001 is not changed in the file: "Another title"',
      "NEW is new and no task that can be kept",
    ]);
  });

  it("asks for nothing when only its form changed, and is not a queue when it is none", () => {
    expect(editsIn(written, JSON.stringify(written))).toEqual({ changes: [], notes: [] });
    for (const text of ["", "{", "[]", "null", '{"tasks": 1}', "\u0000"])
      expect(editsIn(written, text)).toEqual({
        changes: [],
        notes: ["it is not a JSON document with a list of tasks"],
      });
    expect([queueIn("{}"), queueIn(queueText(written))]).toEqual([null, written]);
  });
});
