import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { replaceBytes } from "../../src/hands/board/whole-file.js";
import { writeNew, writeWhole } from "../../src/app/project/write-file.js";
import type { RunnableEffect } from "../../src/hands/engine/effect-runner.js";
import { createEffectRunner, type EffectRunnerParts } from "../../src/app/run/run-effects.js";
import { addProject } from "../../src/foundation/files/project-bounds.js";
import type { Decider, Verdict } from "../../src/model/run.js";
import type { z } from "zod";
import type { RunEvent } from "../../src/model/event.js";
import { forbiddenDecision } from "../../src/mind/run/decide/forbidden.js";
import { effectsOf } from "../../src/mind/run/effects.js";
import { DrivenRun } from "../../src/testing/driven-run.js";
import { PERSON, planRef, runTask } from "../../src/testing/run-fixtures.js";

/* What the contract forbids the Coordinator, attempted at the place where it would be done. */

const RULE: Decider = { by: "a rule", how: "rule" };

function project(): string {
  const root = mkdtempSync(join(tmpdir(), "coordinator-forbidden-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of [".git", "src", "docs/adr", ".coordinator"]) mkdirSync(join(root, folder), { recursive: true });
  addProject(root);
  return root;
}

describe("write_code", () => {
  const SOURCES = ["src/app.mjs", "src/app.py", "Makefile", "package.json", "db/001_tables.sql"];

  it.each(SOURCES)(
    "the Coordinator does not write %s, whoever names it as the place [S3-063, S1-014, S1-015]",
    async (path) => {
      const file = join(project(), path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, "ours\n");
      for (const attempt of [
        () => writeWhole(file, "theirs\n"),
        () => writeNew(file, "theirs\n"),
        () => replaceBytes(file, "ours\n", "theirs\n"),
      ])
        await expect(attempt()).rejects.toMatchObject({
          code: "CONTRACT_FORBIDS",
          message: expect.stringContaining("forbidden_actions: write_code") as unknown,
        });
      expect(readFileSync(file, "utf8")).toBe("ours\n");
    },
  );

  it("what it does write, it still does: settings, plans, files for people, and anything in its own folder", async () => {
    const root = project();
    for (const path of ["coordinator.yaml", "plan/graph.json", "PROJECT_HQ.md", ".coordinator/copies/app.mjs"])
      await expect(writeWhole(join(root, path), "text\n")).resolves.toBeUndefined();
  });
});

describe("modify_adr", () => {
  it.each(["docs/adr/0007-rate-limits.md", "decisions/ADR-023.md", "ADR-7.adoc", "docs/architecture/decisions/1.rst"])(
    "the Coordinator does not write %s [S3-065]",
    async (path) => {
      const file = join(project(), path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, "Accepted\n");
      for (const attempt of [() => writeWhole(file, "x"), () => replaceBytes(file, "Accepted\n", "x")])
        await expect(attempt()).rejects.toMatchObject({
          message: expect.stringContaining("forbidden_actions: modify_adr") as unknown,
        });
      expect(readFileSync(file, "utf8")).toBe("Accepted\n");
    },
  );
});

describe("make_decisions", () => {
  it.each([
    "plan_rejected",
    "review_approved",
    "review_rejected",
    "question_answered",
    "escalation_answered",
    "scope_widened",
    "scope_refused",
    "run_merged",
  ] as const)("%s is a person's to say: neither a rule nor a clock does [S3-064]", (type) => {
    const { state } = new DrivenRun(planRef([runTask("A")]));
    for (const decider of [RULE, { by: "a clock", how: "timeout_default" } as const])
      expect(forbiddenDecision(state, { type, decider } as RunEvent)).toMatch(/^make_decisions is forbidden/);
    expect(forbiddenDecision(state, { type, decider: PERSON } as RunEvent)).toBeNull();
  });

  const gate = { gate_id: "gate_1", category: "architecture", reviewers: ["ada"] };
  const reviewed = () => new DrivenRun({ ...planRef([runTask("A", { gates: ["gate_1"] })]), gates: [gate] });

  it("no rule and no clock approves a review or answers for a person [S3-064]", () => {
    const run = reviewed();
    for (const decider of [RULE, { by: "a clock", how: "timeout_default" } as const]) {
      expect(run.take({ type: "review_approved", gate_id: "gate_1", decider })).toEqual([
        expect.stringMatching(/^refused: make_decisions is forbidden: review_approved/),
      ]);
      expect(run.take({ type: "review_rejected", gate_id: "gate_1", decider, reason: "no" })[0]).toMatch(/^refused/);
    }
    expect(run.state.inbox.map(({ id }) => id)).toEqual(["gate_1"]);
    expect(run.take({ type: "review_approved", gate_id: "gate_1", decider: PERSON })).toContain("attempt_started A#1");
  });

  it("nor orders anything about an escalation, or widens a scope [S3-064]", () => {
    const run = new DrivenRun(planRef([runTask("A")]));
    run.finish("A");
    run.take({ type: "verification_finished", task_id: "A", attempt: 1, verdict: "FAIL", evidence: "a test fails" });
    const [entry] = run.state.inbox;
    expect(entry?.kind).toBe("escalation");
    const order = { action: "retry" as const };
    const answer = { type: "escalation_answered", escalation_id: entry?.id ?? "", order } as const;
    expect(run.take({ ...answer, decider: RULE })[0]).toMatch(/^refused: make_decisions is forbidden/);
    expect(run.take({ ...answer, decider: PERSON })[0]).toBe("escalation_answered");
  });
});

describe("bypass_ralph", () => {
  it.each(["FAIL", "BLOCKED"] as const)(
    "a result with the verdict %s is never asked to be integrated [S3-066]",
    (verdict) => {
      const run = new DrivenRun(planRef([runTask("A")]));
      run.finish("A");
      run.take({ type: "verification_finished", task_id: "A", attempt: 1, verdict, evidence: "a test fails" });
      expect(run.statusOf("A")).toBe("blocked");
      expect(effectsOf(run.state).map(({ kind }) => kind)).not.toContain("integrate");
      expect(
        run.take({ type: "integration_finished", task_id: "A", attempt: 1, integrated: true, ref: "abc" })[0],
      ).toMatch(/^refused/);
    },
  );

  it.each([
    ["PASS", true],
    ["FAIL", false],
    ["BLOCKED", false],
  ] as const)("a runner that is to integrate a %s: done %s [S3-066]", async (verdict, done) => {
    const integrated: string[] = [];
    const runner = createEffectRunner(partsFor(verdict, integrated));
    const effect = {
      kind: "integrate",
      id: "i",
      task_id: "A",
      attempt: 1,
      conflict: null,
      lifted: [],
    } as unknown as RunnableEffect;
    const event = await runner.run("run_1", effect, { signal: new AbortController().signal });
    expect(event).toMatchObject({ type: "integration_finished", integrated: done });
    expect(integrated).toHaveLength(done ? 1 : 0);
    if (!done) expect(JSON.stringify(event)).toContain(`bypass_ralph is forbidden: its verdict is ${verdict}`);
  });

  function partsFor(verdict: z.infer<typeof Verdict>, integrated: string[]): EffectRunnerParts {
    const plan = planRef([runTask("A")]);
    const lists = { reasons: [], regressions: [], pre_existing: [], fixed: [], flaky: [], missing: [], results: [] };
    return {
      layout: { plan, indexOf: new Map([["A", 0]]) },
      attempts: { resultOf: async () => ({ commit: "c1", base: "b1", ref: "r1", refused: [] }) },
      records: { read: async () => ({ verdict, ...lists }), write: async () => ({ ref: "kept" }) },
      messageFor: () => "message",
      queue: {
        tip: async () => "tip",
        integrate: async ({ task_id }: { task_id: string }) => {
          integrated.push(task_id);
          return { status: "integrated", commit: "merged" };
        },
      },
    } as unknown as EffectRunnerParts;
  }
});

describe("delete_without_approval", () => {
  const DELETE = { action: "delete_task", reason: "not wanted" } as const;

  it("no rule deletes a task; a person does [S3-067]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]));
    const proposed = { type: "change_proposed", change_id: "chg_deletion", task_id: "B", change: DELETE } as const;
    run.take({ ...proposed, decider: PERSON });
    const decided = { type: "change_decided", change_id: "chg_deletion", approved: true, reason: "" } as const;
    expect(run.take({ ...decided, decider: RULE })).toEqual([
      expect.stringMatching(/^refused: delete_without_approval is forbidden/),
    ]);
    expect(run.statusOf("B")).toBe("pending");
    expect(run.take({ ...decided, decider: PERSON })[0]).toBe("change_decided");
    expect(run.statusOf("B")).toBe("cancelled");
  });
});
