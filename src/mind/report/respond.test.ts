import { describe, expect, it } from "vitest";
import type { ProofSummary } from "../../model/settings/check.js";
import type { EventOf, RunEvent } from "../../model/event.js";
import { CoordinatorResponse } from "../../model/request.js";
import type { RunChange } from "../../model/run-change.js";
import { fold } from "../run/transition.js";
import { DrivenRun } from "../../testing/driven-run.js";
import { logEvents } from "../../testing/logged.js";
import { opening, PERSON, planRef, PROOF, runTask } from "../../testing/run-fixtures.js";
import { readNotes } from "./project-state/project-notes.js";
import { type OpenStep, respond } from "./respond.js";

const CODE: RunChange = {
  ref: "refs/coord/run_of_a_test/head",
  files: [
    { path: "src/csv.ts", change: "created", added: 40, removed: 0 },
    { path: "src/page.ts", change: "changed", added: 3, removed: 2 },
    { path: "src/csv.test.ts", change: "created", added: 25, removed: 0 },
    { path: "docs/export.md", change: "created", added: 12, removed: 0 },
    { path: "logo.png", change: "changed", added: null, removed: null },
    { path: "OLD.md", change: "removed", added: 0, removed: 9 },
  ],
};

function answer(log: DrivenRun["log"], code: RunChange | null = null, open: readonly OpenStep[] = []) {
  return respond(fold(log), readNotes(logEvents(log)), { run_id: "run_of_a_test", code, open });
}

/** The answer, which the schema of the specification must take. */
function told(...args: Parameters<typeof answer>): CoordinatorResponse {
  return CoordinatorResponse.parse(answer(...args));
}

function completed(): DrivenRun {
  const run = new DrivenRun(planRef([runTask("A", { title: "Write rows as CSV" }), runTask("B")]));
  run.clock = 61_001;
  run.land("A");
  run.land("B");
  return run;
}

describe("respond", () => {
  it("says how it is merged and who reviews it before; and once that is done, where it is", () => {
    const { log } = completed();
    const parts = { ...CODE, merge_as: ["grace", "the team"] };
    const before = told(log, parts);
    expect(before.next_steps[1]).toBe("coordinator merge run_of_a_test");
    expect(before.message).toContain("your branches are as they were. Before it is merged it is reviewed by grace and");
    const decider = { by: "ada", how: "person" } as const;
    const merged = { type: "run_merged", how: "fast_forward", into: "main", from: null, to: "c".repeat(40) } as const;
    log.push({ event: { ...merged, reviews: [], decider }, clock_ms: 9e9 });
    const after = told(log, parts);
    expect(after.message).toMatch(/ ada merged it into main, which is at c{12} since\.$/);
    expect(after.next_steps).toEqual(["coordinator diff run_of_a_test", "coordinator verify run_of_a_test"]);
    // When it was over and what it used does not change by that.
    expect({ ...after, message: "", next_steps: [] }).toEqual({ ...before, message: "", next_steps: [] });
    log.push({ event: { ...merged, how: "exported", into: "topic", reviews: [], decider }, clock_ms: 9e9 });
    expect(told(log, parts).message).toContain("; ada made the branch topic of it, at cccccccccccc.");
  });

  it("says of one of several that it is done", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B"), runTask("C")]));
    run.land("A");
    expect(told(run.log, null).message).toBe("In progress: 1 of 3 tasks is done.");
  });

  it("says of every task what proves it, and that all are proven only where the log says so of each", () => {
    const { log } = completed();
    expect(told(log, CODE).proof?.[0]).toEqual({
      task_id: "A",
      proven_by: ["test: 4 passed"],
      accepted: [],
      failed_before: [],
      unreached: [],
    });
    const changed = (proof: ProofSummary | undefined) =>
      log.map((entry) => {
        const { event } = entry;
        if (event.type !== "verification_finished" || event.task_id !== "B") return entry;
        const { proof: _, ...without } = event;
        return { ...entry, event: proof === undefined ? without : { ...event, proof } };
      });
    const old = told(changed(undefined), CODE);
    expect(old.message).toMatch(/^Completed: 2 of 2 tasks are done\. /);
    expect(old.proof).toHaveLength(1);
    const one = { kind: "unproven", id: "test", message: "test did not run on the base: xo: not found" } as const;
    const accepted = { ...PROOF, proven_by: [], accepted: [{ ...one, by: "ada", not_applicable: false }] };
    const untouched = told(changed({ ...PROOF, unreached: ["src/x.c"] }), CODE);
    expect(untouched.message).toContain("tasks are done; no check touches one of the files that were changed.");
    const build = { check: "build", kind: "build" as const, passed: 0, failed_before: 0, uncollected: [] };
    const built = { ...PROOF, proven_by: [build] };
    expect(told(changed(built), CODE).message).toContain("are done; no test ran on 1 of 2 results, only build.");
    const without = told(changed(accepted), CODE);
    expect(without.message).toContain("2 of 2 tasks are done; 1 of 2 results were accepted by ada without full proof.");
    expect(without.proof?.[1]?.accepted).toEqual([
      "accepted without proof by ada: test did not run on the base: xo: not found",
    ]);
  });

  it("delivers the final result: what was made and where, what it cost, what to type [S1-011]", () => {
    const response = told(completed().log, CODE);
    expect(response).toMatchObject({
      request_id: "req_of_a_test",
      status: "completed",
      decision: "approved",
      message:
        "Completed: 2 of 2 tasks are done, and every result was proven against its base. The work is on refs/coord/run_of_a_test/head; your branches are as they were.",
      project_state: { phase: "closure", progress_percentage: 100, tasks_completed: 2, tasks_remaining: 0 },
      resource_usage: { tokens_used: 20, api_calls: 20, time_elapsed_seconds: 62, cost_usd: 0.02 },
      next_steps: [
        "coordinator diff run_of_a_test",
        "coordinator merge run_of_a_test",
        "coordinator verify run_of_a_test",
      ],
      blockers: [],
    });
    expect(response.deliverables.map(({ type, path }) => `${type} ${path}`)).toEqual([
      "plan plan_of_a_test",
      "code refs/coord/run_of_a_test/head",
      "documentation docs/export.md",
      "report .coordinator/records/run_of_a_test",
    ]);
    expect(response.deliverables[1]).toMatchObject({
      description: "Write rows as CSV; Task B",
      metadata: {
        tasks: [
          { task_id: "A", commit: "r" },
          { task_id: "B", commit: "r" },
        ],
        lines_added: 80,
        lines_removed: 11,
        files_created: 3,
        files_changed: 2,
        files_removed: 1,
        test_files: 1,
        test_lines_added: 25,
      },
    });
  });

  it("says the same of the same log, to the byte, and has a new id when the log has grown [S1-024]", () => {
    const { log } = completed();
    expect(JSON.stringify(answer(log, CODE))).toBe(JSON.stringify(answer([...log], { ...CODE })));
    const ids = [log.length, log.length - 1].map((end) => answer(log.slice(0, end))?.response_id);
    expect(new Set(ids).size).toBe(2);
    expect(answer(log)?.request_id).toBe(
      log.flatMap(({ event }) => ("request_id" in event ? event.request_id : []))[0],
    );
  });

  it("makes nothing up where nobody can look at the code", () => {
    const { deliverables, next_steps } = told(completed().log);
    expect(deliverables.find(({ type }) => type === "code")?.metadata).not.toHaveProperty("lines_added");
    expect(next_steps).toEqual(["coordinator verify run_of_a_test"]);
  });

  it("of a run that waits: everything in the way, and the command for each, pressing ones first [S1-033]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")]));
    run.finish("A", { kind: "clarification", question: "Which separator?" });
    run.finish("B", { kind: "quality", message: "two links lead nowhere" });
    const open = [
      { id: "later", commands: ["coordinator approve later"], tasks_before: 2 },
      { id: "q_A#1", commands: ["coordinator answer 'q_A#1' TEXT"], tasks_before: 0 },
    ];
    const response = told(run.log, null, open);
    expect(response).toMatchObject({
      status: "blocked",
      message: "Waiting on you: 2 things to decide. 0 of 2 tasks are done.",
      next_steps: ["coordinator answer 'q_A#1' TEXT", "coordinator approve later"],
    });
    expect(response.blockers.map(({ resolution_required }) => resolution_required)).toEqual([true, true]);
    expect(response.blockers.map(({ description }) => description)).toContain("Which separator?");
  });

  it("of a run that ended without its result: what stopped it, and what was done all the same", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")]));
    run.land("A");
    run.take({ type: "run_cancelled", decider: PERSON, reason: "not needed any more" });
    expect(told(run.log, CODE)).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^Failed: cancelled\. 1 of 2 tasks is done\. The work is on refs/),
      blockers: [{ severity: "high", description: "cancelled", resolution_required: true }],
      next_steps: [
        "coordinator diff run_of_a_test",
        "coordinator replay run_of_a_test --events",
        'coordinator run "what you want"',
      ],
    });
  });

  const [request] = opening(planRef([])) as [RunEvent];
  const decided = (event: Partial<EventOf<"intake_decided">>): DrivenRun["log"] => [
    { event: request, clock_ms: 0 },
    {
      event: { type: "intake_decided", decision: "approved", reason: "clear", unsafe: false, ...event },
      clock_ms: 0,
    },
  ];

  it("of a request that was refused, unsafe, unclear, or is on its way [S1-025, S1-026, S1-033]", () => {
    expect(told(decided({}))).toMatchObject({
      status: "in_progress",
      decision: "approved",
      message: "Approved: clear.",
    });
    expect(told(decided({ decision: "needs_clarification", reason: "which page?" }))).toMatchObject({
      status: "blocked",
      decision: "needs_clarification",
      message: "The request needs clarification: which page?",
    });
    const refused = (unsafe: boolean) => {
      const log = decided({ decision: "rejected", reason: "not ours", unsafe });
      log.push({ event: { type: "run_finished", status: "failed", reason: "rejected: not ours" }, clock_ms: 0 });
      return told(log);
    };
    expect(refused(false)).toMatchObject({ status: "failed", decision: "rejected", message: "Rejected: not ours." });
    expect(refused(true).blockers).toEqual([
      { severity: "critical", description: "not ours", resolution_required: false },
    ]);
  });

  it("says nothing before anything was decided", () => {
    expect(answer([])).toBeNull();
    expect(answer([{ event: request, clock_ms: 0 }])).toBeNull();
  });
});
