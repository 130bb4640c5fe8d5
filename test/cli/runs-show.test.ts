import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ProjectState } from "../../src/mind/report/project-state/project-state.js";
import { amounts, PERSON, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { coordinator, coordinatorJson, workFolder } from "./program.js";
import { AUTO, ended, inTheMiddle, Log, PLAN, project, storeIn } from "./run-logs.js";

const lines = (text: string) => text.trimEnd().split("\n");

/** Ten thousand tasks: many done, three running, one given up with everything that builds on it. */
function huge(): Log {
  const tasks = Array.from({ length: 10_000 }, (_, i) =>
    runTask(`T${i}`, {
      title: `Do part ${i} \u001b[2J of a very long piece of work`,
      dependencies: i < 100 ? [] : [`T${i - 100}`],
      estimate: { ...amounts(1), minutes: 3 },
    }),
  );
  const log = new Log("2026-02-05T00:00:00.000Z").open(planRef(tasks, { budget: amounts(1e9) }), {
    ...AUTO,
    max_concurrent_tasks: 3,
  });
  log.take(ended("T0", 1, { kind: "semantic", violation: "scope", message: "wrote to /etc" }));
  const escalation = log.state.inbox[0]?.id ?? "";
  log.take({ type: "escalation_answered", escalation_id: escalation, order: { action: "give_up" }, decider: PERSON });
  const next = () =>
    `T${[...log.state.tasks].findIndex(({ state }) => state.status === "in_progress" && state.stage === "attempt")}`;
  for (let done = 0; done < 200; done++) log.finish(next());
  return log.take(ended(next(), 1, { kind: "quality", message: "x" }));
}

describe("a project with runs", () => {
  let cwd = "";
  beforeAll(async () => {
    const over = new Log("2026-02-01T00:00:00.000Z").open(planRef([runTask("A")]), AUTO).finish("A");
    cwd = await project(
      { run_middle: inTheMiddle(), run_over: over, run_waits: new Log("2026-02-02T00:00:00.000Z").open(PLAN) },
      "kept",
    );
  });

  it("are listed newest first, how each stands and what it is about", async () => {
    const { code, stdout } = await coordinator(["status"], { cwd });
    expect(code).toBe(0);
    const [first, aboutFirst, second, , third, aboutThird, , summary, next] = lines(stdout);
    expect(first).toMatch(/^! stalled {7}run_middle {2}0\/4 tasks {2}~<\$0\.01 {2}.* ago$/);
    expect(aboutFirst).toMatch(/^ {4}needs you 2: \S/);
    expect(second).toMatch(/^~ waits on you {2}run_waits {3}0\/4 tasks /);
    expect(third).toMatch(/^\+ completed {5}run_over {4}1\/1 tasks /);
    expect(aboutThird).toMatch(/^ {4}[^\s:]/);
    expect(lines(stdout).filter((line) => line.length > 80)).toEqual([]);
    expect([summary, next]).toEqual(["3 runs, 4 waiting on you", "Next: coordinator inbox"]);
    const { json } = await coordinatorJson(["status"], { cwd });
    expect(json).toMatchObject({
      type: "runs",
      runs: [
        {
          run_id: "run_middle",
          status: "in_progress",
          worker: null,
          needs_you: 2,
          tasks: { total: 4, done: 0, running: 1 },
        },
        { run_id: "run_waits", status: "blocked" },
        { run_id: "run_over", status: "completed", tasks: { total: 1, done: 1 } },
      ],
    });
  });

  it("each is one screen: what runs, what waits, how to answer, cost against budget, what is left [S1-008]", async () => {
    const { stdout } = await coordinator(["status", "mid"], { cwd });
    expect(stdout).toContain("\nRunning (1)\n  A  attempt, attempt 1, ");
    expect(stdout).toContain(
      "    Which separator? A semicolon?\n    $ coordinator answer 'q_C#1' TEXT --run run_middle\n",
    );
    expect(stdout).toContain("review, ");
    expect(stdout).toContain(", after 2 more tasks\n");
    expect(stdout).toContain("\nTokens        4 of 10 000, 4 of it estimated, 10 set aside\n");
    expect(stdout).toContain("\nLeft          at least 1 min along 3 tasks: A → B → D\n");
    expect(stdout).toContain("\nCoordination  0.0 % of the tokens\n");
    expect(lines(stdout).slice(-3)).toEqual([
      "Tasks 0 done, 1 running, 3 waiting · Needs you 2 · <$0.01 of $10 (partly estimated)",
      "Next: coordinator answer 'q_C#1' TEXT --run run_middle",
      "Next: coordinator run --resume run_middle",
    ]);
    const { json } = await coordinatorJson(["status", "run_middle"], { cwd });
    expect(json).toMatchObject({
      type: "run_status",
      critical_path: { minutes: 0.3, tasks: ["A", "B", "D"] },
      spend: {
        used: { tokens: 4, api_calls: 4, minutes: 0.04 },
        estimated: { tokens: 4 },
        reserved: { tokens: 10 },
        budget: { tokens: 10_000 },
      },
      coordination: { share: 0, within: true },
      needs_you: [{ id: "node_review_security", tasks_before: 2, guards: ["D"] }, { id: "q_C#1" }],
    });
  });

  it("gives the state of the project as JSON, the same to every process that reads its log from disk [S1-080]", async () => {
    const [first, second] = [
      await coordinatorJson(["status", "run_middle"], { cwd }),
      await coordinatorJson(["status", "run_middle"], { cwd }),
    ];
    const state = ProjectState.parse(first.json["project_state"]);
    expect(ProjectState.parse(second.json["project_state"])).toEqual(state);
    expect(state).toMatchObject({
      status: first.json["status"],
      phase: "execution",
      tasks_completed: 0,
      tasks_remaining: 4,
      tokens_budget: 10_000,
      tokens_used: 4,
      tokens_remaining: 9996,
      plan: { plan_id: first.json["plan_id"] },
    });
    expect(state.blockers.length).toBeGreaterThan(0);
    // What a program would save of it is what it loads again.
    expect(ProjectState.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it("says how far each active project has come and what stands in its way [S1-009, S1-139]", async () => {
    const progress = async (run: string) => (await coordinatorJson(["status", run], { cwd })).json["progress"];
    expect(await progress("run_middle")).toMatchObject({
      progress_percentage: 0,
      current_phase: "execution",
      tasks_completed: 0,
      tasks_remaining: 4,
      blockers: [{ description: expect.stringContaining("Which separator?"), requires_coordinator_decision: true }],
    });
    expect(await progress("run_over")).toMatchObject({ progress_percentage: 100, tasks_remaining: 0, blockers: [] });
    expect(await progress("run_waits")).toMatchObject({ current_phase: "planning" });
  });

  it("can be looked at while another process writes", async () => {
    const store = await storeIn(cwd);
    await store.claim("run_middle");
    const { code, stdout } = await coordinator(["status", "run_middle"], { cwd });
    await store.close();
    expect(code).toBe(0);
    expect(stdout).toContain(`process ${process.pid} works on it`);
  });

  it("the inbox has everything that waits, oldest first, with what to type", async () => {
    const { code, stdout } = await coordinator(["inbox"], { cwd });
    expect(code).toBe(3);
    const heads = lines(stdout).filter((line) => line.startsWith("? "));
    expect(heads.map((line) => line.split("  ")[0])).toEqual([
      "? plan:plan_of_a_test",
      "? node_review_security",
      "? node_review_security",
      "? q_C#1",
    ]);
    expect(stdout).toContain("    $ coordinator approve plan:plan_of_a_test --run run_waits\n");
    expect(stdout).toContain("    reviewers: grace, heidi\n    holds up D\n");
    expect(stdout).toMatch(
      /\n! run_middle {2}stalled for .*, 0 of 4 tasks done: nobody works on it\n {4}\$ coordinator run --resume run_middle\n\nInbox: 4 entries in 2 runs, oldest first; 1 to resume\n$/,
    );
  });

  it.each([
    [["status", "run_midle"], "NOT_FOUND", "Did you mean run_middle?"],
    [["status", "zzz"], "NOT_FOUND", "`coordinator status` lists the runs."],
    [["status", "run_"], "USAGE", "Write more of it."],
    [["replay", "run_over", "--at", "999"], "USAGE", "It has the events 1 to "],
    [["answer", "q_D#1", "x"], "NOT_FOUND", "Did you mean q_C#1?"],
    [["approve", "node_review_security"], "USAGE", "--run run_"],
    [["answer", "plan:", "yes"], "USAGE", "coordinator approve plan:plan_of_a_test"],
    [["answer", "q_C#1"], "USAGE", "Write it behind the id"],
    [["answer", "q_C#1", "--order", "raise_budget"], "USAGE", "--add tokens=50000"],
    [["answer", "q_C#1", "--order", "retry", "--add", "tokens=many"], "USAGE", "coordinator --help"],
  ])("%j says what is wrong and how it is done", async (args, errorCode, hint) => {
    const { code, json } = await coordinatorJson(args, { cwd });
    expect([code, json["code"]]).toEqual([2, errorCode]);
    expect(json["fix"]).toContain(hint);
  });

  it("is found from a folder inside of it", async () => {
    mkdirSync(join(cwd, "src/deep"), { recursive: true });
    expect((await coordinator(["status"], { cwd: join(cwd, "src/deep") })).stdout).toContain("3 runs");
  });
});

describe("a run of ten thousand tasks", () => {
  it("is one screen, and shows what failed and why, but not what follows from it one by one", async () => {
    const cwd = await project({ run_huge: huge() });
    const { code, stdout } = await coordinator(["status", "last"], { cwd });
    expect(code).toBe(0);
    expect(lines(stdout).length).toBeLessThan(40);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThan(200);
    // oxlint-disable-next-line no-control-regex -- looks for control characters
    expect(stdout).not.toMatch(/\u001b/);
    expect(stdout).toContain(
      "\nFailed (100)\n  x T0 (attempt)  given up by a person; scope violation: wrote to /etc\n  and 99 tasks that build on them\n",
    );
    expect(stdout).toContain("at least 294 min along 98 tasks: T203 → T303 → ");
    expect(stdout).toMatch(
      /\nTasks 200 done, 3 running, 9697 waiting · Needs you 1 · .* · Failed: T0 \(attempt\) and 99 more\n/,
    );
  });
});

describe("an empty project", () => {
  it("says what to do, and nothing is made", async () => {
    const cwd = workFolder();
    const status = await coordinator(["status"], { cwd });
    expect([status.code, lines(status.stdout)[0]]).toEqual([0, "No run was started here yet."]);
    expect(status.stdout).toContain("Next: coordinator run --plan DIR\n");
    expect(await coordinator(["inbox"], { cwd })).toMatchObject({ code: 0, stdout: "Nothing waits on you.\n" });
    const { code, json } = await coordinatorJson(["watch"], { cwd });
    expect([code, json["code"]]).toEqual([2, "NOT_FOUND"]);
    expect(() => readFileSync(join(cwd, ".coordinator"))).toThrow("ENOENT");
  });

  it("ignores its own state in git once there is some", async () => {
    const cwd = await project({});
    expect(readFileSync(join(cwd, ".coordinator", ".gitignore"), "utf8")).toBe("*\n");
  });

  it("says that a file is not a store", async () => {
    const cwd = workFolder();
    mkdirSync(join(cwd, ".coordinator"));
    writeFileSync(join(cwd, ".coordinator", "runs.db"), "a thesis\n".repeat(1000));
    const { code, json } = await coordinatorJson(["status"], { cwd });
    expect([code, json["code"]]).toEqual([5, "STORE_CORRUPT"]);
  });
});
