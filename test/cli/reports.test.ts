import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LoggedEvent } from "../../src/model/event.js";
import type { ExecutionGraph } from "../../src/model/plan/graph.js";
import { MemoryPack } from "../../src/model/settings/packs.js";
import { CoordinatorResponse } from "../../src/model/request.js";
import { Message, type RunTask } from "../../src/model/run.js";
import { planRef, runTask } from "../../src/testing/run-fixtures.js";
import { coordinator, coordinatorJson, FEATURE, NOW, workFolder } from "./program.js";
import { AUTO, inTheMiddle, Log, project, storeIn } from "./run-logs.js";

/** A run of one task that used four tokens, and was thought to use this much. */
function thoughtToTake(tokens: number, startedAt: string, difference: Partial<RunTask["planned"]> = {}): Log {
  const planned = { command_id: "implement_feature", task_type: "feature", minutes: 0.04, cost_usd: 0.004 } as const;
  const task = runTask("A", { planned: { ...planned, tokens, source: "registry", ...difference } });
  return new Log(startedAt).open(planRef([task]), AUTO).finish("A");
}

describe("what came of a run", () => {
  let cwd = "";
  beforeAll(async () => {
    cwd = await project(
      {
        run_over: thoughtToTake(4, "2026-02-01T00:00:00.000Z"),
        run_off: thoughtToTake(8, "2026-02-02T00:00:00.000Z"),
        run_middle: inTheMiddle("2026-02-03T00:00:00.000Z"),
      },
      "kept",
    );
  });

  it("is told in the specification's own response, the same each time, and stands in the status [S1-011]", async () => {
    const told = await coordinatorJson(["response", "run_over"], { cwd });
    const { type, run_id, ...response } = told.json;
    expect([told.code, type, run_id]).toEqual([0, "response", "run_over"]);
    expect(CoordinatorResponse.parse(response)).toMatchObject({
      status: "completed",
      decision: "approved",
      resource_usage: { tokens_used: 4, api_calls: 4, time_elapsed_seconds: 6, cost_usd: 0.004 },
    });
    const { json: status } = await coordinatorJson(["status", "run_over"], { cwd });
    expect(status["response"]).toEqual(response);
  });

  it("is readable: what was delivered, what it cost, what to type next", async () => {
    const { code, stdout } = await coordinator(["response", "run_over"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("Completed: 1 of 1 task is done, and every result was proven against its base.");
    expect(stdout).toContain(
      "\nDelivered\n  plan    plan_of_a_test  The frozen plan\n  code    refs/coord/run_over/head",
    );
    expect(stdout).toMatch(/\nUsed: 4 tokens in 4 calls, <\$0\.01, 6 seconds\nNext: coordinator verify run_over\n$/);
  });

  it("names what is in the way, with the command that decides it, whatever other runs there are", async () => {
    const { json } = await coordinatorJson(["response", "mid"], { cwd });
    expect(json).toMatchObject({
      status: "in_progress",
      next_steps: [
        "coordinator answer 'q_C#1' TEXT --run run_middle",
        "coordinator approve node_review_security --as grace --run run_middle",
        "coordinator watch run_middle",
      ],
      blockers: [{ severity: "medium", description: "Which separator?\nA semicolon?", resolution_required: true }],
    });
  });

  it("is a structured log as JSON lines: every event, and how far the run was when it mattered [S1-131]", async () => {
    const { code, stdout } = await coordinator(["watch", "run_over", "--json"], { cwd });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(code).toBe(0);
    const of = <T>(type: string) => lines.filter((line) => line.type === type) as (T & { type: string })[];
    const events = of<LoggedEvent>("event").map(({ type: _, ...logged }) => LoggedEvent.parse(logged));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
    const messages = of<{ message: unknown }>("message").map(({ message }) => Message.parse(message));
    expect(
      messages.map((message) => message.type === "progress_update" && message.payload.progress_percentage),
    ).toEqual([0, 0, 100, 100, 100]);
    expect(lines.at(-1)).toMatchObject({ type: "end", status: "completed" });
  });

  it("is counted beside the targets: what was measured, of how many cases, and what there is no data for", async () => {
    const { code, stdout } = await coordinator(["stats"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\? requests understood +not enough data +≥ 95 % +0 requests$/m);
    expect(stdout).toMatch(
      /^x tokens used beside their estimate +25 % +≤ 10 % +2 completed runs; .*; 1 of 2 within 10 %$/m,
    );
    expect(stdout).toMatch(/^\+ time used beside its estimate +0 % +≤ 10 % +2 completed runs; /m);
    expect(stdout).toMatch(/^\+ accepted runs completed +100 % +≥ 80 % +2 ended runs; 0 ended without their result$/m);
    expect(stdout).toMatch(/\n3 runs: \d of \d measured criteria met, \d without enough data\n$/);
    const { json } = await coordinatorJson(["stats", "--since", "2026-02-02"], { cwd });
    expect(json).toMatchObject({ type: "stats", since: "2026-02-02T00:00:00Z", runs: 2, problems: [] });
    expect(json["criteria"]).toContainEqual(
      expect.objectContaining({ id: "variance_tokens", value: 50, met: false, cases: 1 }),
    );
  });

  it("is not a date that is none", async () => {
    const { code, json } = await coordinatorJson(["stats", "--since", "yesterday"], { cwd });
    expect([code, json["code"]]).toEqual([2, "USAGE"]);
  });

  it("is nothing where there are no runs, and nothing is made", async () => {
    const { code, json } = await coordinatorJson(["stats"], { cwd: workFolder() });
    expect([code, json["runs"]]).toEqual([0, 0]);
  });
});

describe("what runs taught", () => {
  const tokensOf = (cwd: string, plan: string) => {
    const graph = JSON.parse(readFileSync(join(cwd, plan, "graph.json"), "utf8")) as ExecutionGraph;
    return graph.nodes.flatMap((node) =>
      node.node_type === "action_proposal" && node.command_ref === "implement_feature"
        ? [node.metadata.estimate.tokens]
        : [],
    );
  };

  it("corrects the next plan, which proves it from its own copy, and is left out when asked [S1-141]", async () => {
    const cwd = workFolder("feature-plan");
    const plan = (out: string, ...more: string[]) =>
      coordinator(["plan", ...FEATURE, "--now", NOW, "--out", out, ...more], { cwd });
    expect((await plan("before")).code).toBe(0);
    const store = await storeIn(cwd);
    for (const i of [1, 2, 3]) await thoughtToTake(2, `2026-02-0${i}T00:00:00.000Z`).writeTo(store, `run_taught-${i}`);
    await store.close();
    const built = await coordinator(["memory", "build", "--out", "memory.json"], { cwd });
    expect(built.stdout).toContain("implement_feature tokens × 2 (3 tasks) and time × 1 (3 tasks)");
    expect(MemoryPack.parse(JSON.parse(readFileSync(join(cwd, "memory.json"), "utf8"))).ratios).toHaveLength(2);

    expect((await plan("after")).code).toBe(0);
    expect((await plan("again")).code).toBe(0);
    expect((await plan("untaught", "--no-learning")).code).toBe(0);
    const before = tokensOf(cwd, "before");
    expect(before.length).toBeGreaterThan(0);
    expect(tokensOf(cwd, "after")).toEqual(before.map((tokens) => tokens * 2));
    expect(tokensOf(cwd, "untaught")).toEqual(before);
    expect(readFileSync(join(cwd, "again", "manifest.json"), "utf8")).toBe(
      readFileSync(join(cwd, "after", "manifest.json"), "utf8"),
    );
    for (const folder of ["before", "after", "untaught"])
      expect((await coordinator(["verify", folder], { cwd })).code).toBe(0);
  });
});
