import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { type KnownTasks, takeQueue } from "./take-queue.js";

const NOBODY: KnownTasks = { inRun: () => undefined, resumes: true };
const task = (id: string, more: object = {}) => ({
  id,
  title: `Do ${id}`,
  status: "pending",
  dependencies: [],
  ...more,
});
const taken = (tasks: readonly unknown[], known = NOBODY) => takeQueue({ project: "p", tasks }, known);
const reasons = (tasks: readonly unknown[], known = NOBODY) =>
  taken(tasks, known)?.left.map(({ index, field, id, reason }) => [index, field, id, reason]);

describe("a work queue that another program left", () => {
  it("gives its open tasks with ids, priorities, order and dependencies; what is done holds nobody up [S3-045, S3-047]", () => {
    const queue = taken([
      task("T-001", { status: "completed", completed_at: "2026-01-09T14:00:00Z" }),
      task("T-002", { status: "in_progress", dependencies: ["T-001"], priority: "P0" }),
      task("T-003", { dependencies: ["T-002", "T-001"], type: "test", agent: "TestWriter" }),
    ]);
    expect(queue?.tasks).toMatchObject([
      { id: "T-002", priority: "P0", type: "feature", waits_for: [] },
      { id: "T-003", priority: "P1", type: "test", waits_for: ["T-002"] },
    ]);
    expect([queue?.done, queue?.left]).toEqual([["T-001"], []]);
  });

  it("says of everything else, by its place, why it is not carried out", () => {
    const tasks = [
      task("T-001", { status: "blocked" }),
      task("T-002", { dependencies: ["T-001"] }),
      task("T-003", { dependencies: ["T-404"] }),
      task("T-004"),
      task("T-004"),
      task("../../etc/passwd"),
      { id: "T-005", title: "x", status: "waiting" },
      task("T-006", { agent: "TestWriter", type: "feature" }),
      task("T-007", { agent: "Stranger" }),
      task("T-008", { dependencies: ["T-009"] }),
      task("T-009", { dependencies: ["T-008"] }),
      "no task",
    ];
    expect(taken(tasks)?.tasks.map(({ id }) => id)).toEqual(["T-004"]);
    expect(reasons(tasks)).toEqual([
      [0, "status", "T-001", "is blocked: settle what blocks it and write pending"],
      [1, "dependencies", "T-002", "waits for T-001, which is not done and not carried out"],
      [2, "dependencies", "T-003", "waits for T-404, which is not done and not carried out"],
      [4, "id", "T-004", "stands in the file twice; the first counts"],
      [5, "id", "../../etc/passwd", expect.stringContaining("must start with a letter")],
      [6, "title", "T-005", expect.any(String)],
      [6, "status", "T-005", expect.any(String)],
      [7, "agent", "T-006", "TestWriter does no work of type feature: FeatureBuilder does"],
      [8, "agent", "T-007", expect.stringContaining("the builders are FeatureBuilder, ")],
      [9, "dependencies", "T-008", "waits for itself through what it depends on"],
      [10, "dependencies", "T-009", "waits for itself through what it depends on"],
      [11, "", null, expect.any(String)],
    ]);
  });

  it("knows what runs have: done is done, open is left to its run, what failed there may be carried out again", () => {
    const inRun = (id: string) =>
      (
        {
          "T-001": { run: "run_1", status: "completed" },
          "T-002": { run: "run_1", status: "blocked" },
          "T-003": { run: "run_1", status: "failed" },
        } as const
      )[id];
    const tasks = ["T-001", "T-002", "T-003"].map((id) => task(id));
    const queue = taken(tasks, { inRun, resumes: true });
    expect([queue?.done, queue?.tasks.map(({ id }) => id)]).toEqual([["T-001"], ["T-003"]]);
    expect(queue?.left[0]?.reason).toBe("is carried out by run_1: coordinator run --resume run_1");
  });

  it("does not take up what another session began, where the contract does not react to that [S3-061]", () => {
    const begun = [task("T-001", { status: "in_progress" })];
    expect(taken(begun)?.tasks).toHaveLength(1);
    expect(taken(begun, { ...NOBODY, resumes: false })?.tasks).toEqual([]);
  });

  it("is read whatever it is: every entry is taken, done or left, and too many are not a queue", () => {
    assert(
      property(anything(), (value) => {
        takeQueue(value, NOBODY);
        const queue = taken([value]);
        expect((queue?.tasks.length ?? 0) + (queue?.done.length ?? 0) + (queue?.left.length ?? 0)).toBeGreaterThan(0);
      }),
    );
    expect(taken(Array.from({ length: 1001 }, (_, i) => task(`T-${i}00`)))).toBeNull();
  });
});
