import { describe, expect, it } from "vitest";
import { planComment } from "./plan-comment.js";
import { changeEvidence, pullBody, type PullFacts } from "./pull-text.js";

/** A text that is longer takes no host. */
const MOST = 65_536;
const LONG = "a word of many ".repeat(40);

function facts(): PullFacts {
  const task = { status: "completed", agent: LONG, model: LONG, verdict: "PASS", accepted: [LONG], refused: 1 };
  const checks = [{ check: LONG, passed: 1, failed_before: 1 }];
  return {
    run_id: "run_1",
    task: null,
    title: LONG,
    request: LONG.repeat(50),
    issue: 12,
    closes: true,
    plan_id: "plan_1",
    plan_checksum: "a".repeat(64),
    approved: "Ada",
    tasks: Array.from({ length: 200 }, (_, i) => ({ task_id: `task-${i}`, title: LONG, checks, ...task })),
    requirements: [{ id: "R1", statement: LONG, priority: "must", holds: null, evidence: LONG }],
    files: [{ path: LONG, added: null, removed: 1 }],
    cost_usd: null,
    estimated_usd: 0,
    tokens: null,
    sandbox: null,
    base: "b".repeat(40),
    head: "c".repeat(40),
    copy_of: null,
    log: { sequence: 1, hash: "d".repeat(64) },
  };
}

describe("a text for a host", () => {
  it("is cut before the host refuses it, after a whole line, and ends with its marker", () => {
    const body = pullBody(facts());
    expect(body.length).toBeLessThan(MOST);
    expect(body).toMatch(/\n\nThe rest is too long for a pull request\.\n\n<!-- coordinator:run_1:whole -->\n$/);
    // No cell is open: what follows would be read as code.
    for (const line of body.split("\n"))
      expect([line.match(/`/g)?.length ?? 0].map((ticks) => ticks % 2)).toEqual([line.startsWith("```") ? 1 : 0]);
    const { tasks } = facts();
    const comment = planComment({
      run_id: "run_1",
      about: "Plan for the remarks, round 1",
      marker: "<!-- marker -->",
      plan_checksum: "a".repeat(64),
      tasks,
      risk: null,
      estimated_usd: 0,
      removed: [],
      state: { is: "done", by: "Ada", head: "c".repeat(40), evidence: changeEvidence(facts()) },
    });
    expect(comment.length).toBeLessThan(MOST);
    expect(comment).toContain("150 more tasks are in the plan.");
    expect(comment.endsWith("\n\n<!-- marker -->\n")).toBe(true);
  });

  it("calls unknown what is unknown", () => {
    const body = pullBody({ ...facts(), tasks: [] });
    expect(body).toContain("Cost: unknown. Tokens: unknown.");
    expect(body).toContain("Agents worked in a sandbox of grade unknown.");
    expect(body).toContain("| not evaluated |");
  });
});
