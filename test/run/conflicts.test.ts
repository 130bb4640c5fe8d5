import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { RESOLVE_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import { LevelContext } from "../../src/model/plan/level.js";
import { ChildScope, type RoutingBounds, RoutingFailurePolicy } from "../../src/model/routing.js";
import type { RunTask } from "../../src/model/run.js";
import { addOwnSettings } from "../own-settings.js";
import {
  carryOutRun,
  FILE,
  openRun,
  RUN,
  type RealProject,
  realProject,
  realTask,
  scopeOf,
  sessionScopes,
  type Steps,
  THERE,
} from "./real-run.js";

const HEAD = `refs/coord/${RUN}/head`;
const AT_CRASH_POINT = fileURLToPath(new URL("../chaos/at-crash-point.mjs", import.meta.url));
const SCRIPTED = fileURLToPath(new URL("../../dist/hands/agents/scripted/scripted-agent.mjs", import.meta.url));
const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Two tasks that write the same line, and a third that builds on both. */
const TASKS = [realTask("T1", "Name the fruit"), realTask("T2", "Name the trees")];
const AFTER = realTask("T3", "Say how many", { dependencies: ["T1", "T2"], scope: scopeOf("src/other.txt") });
const builder = (title: string, line: string): Steps => ({
  prompt_has: `Your task: ${title}`,
  steps: [{ write: FILE, text: `alpha\n${line}\nomega\n` }, { say: "done" }],
});
const BUILDERS = [
  {
    prompt_has: "Your task: Name the fruit",
    // Done behind everybody's back: git sees it all the same.
    steps: [{ run: `printf 'alpha\\nfruit: apple\\nomega\\n' > ${FILE}`, ask: false, report: false }, { say: "done" }],
  },
  builder("Name the trees", "tree: beech"),
  {
    prompt_has: "Your task: Say how many",
    steps: [{ write: "src/other.txt", text: "one\ntwo\nthree\n" }, { say: "done" }],
  },
];
const answer = (more: Readonly<Record<string, unknown>> = {}) => ({
  review_summary: "Both name something.",
  fixes_applied: ["kept both lines, one after the other"],
  left_out: [],
  warnings_for_next_level: ["The list has two kinds of entries now"],
  ...more,
});
const resolver = (...steps: Readonly<Record<string, unknown>>[]): Steps => ({
  prompt_has: "You are a Level Coordinator",
  steps,
});
const BOTH = { write: FILE, text: "alpha\nfruit: apple\ntree: beech\nomega\n" };
const USED = { usage: { in: 700, out: 50, cost_usd: 0.02 } };

/** Limits of a routing policy that are narrower than those of any session. */
const BOUNDS: RoutingBounds = {
  policy_id: "policy_of_test",
  target: "dev",
  child_scope: ChildScope.parse({ time_limit_ms: 120_000, max_output_bytes: 50_000, write: ["src/**"] }),
  failure: RoutingFailurePolicy.parse({}),
};

describe("changes that merge and do not fit together", () => {
  it("are found on the tree both make: the second is not taken, and its task is not done [S2-003]", async () => {
    const gap = { name: "fits", run: `! grep -q 'needs alpha' src/other.txt || grep -q alpha ${FILE}` };
    const project = realProject(
      [
        { prompt_has: "Your task: Rename it", steps: [{ write: FILE, text: "beta\nomega\n" }, { say: "done" }] },
        {
          prompt_has: "Your task: Use it",
          steps: [{ write: "src/other.txt", text: "needs alpha\n" }, { say: "done" }],
        },
      ],
      { checks: [...THERE, gap] },
    );
    const tasks = [realTask("T1", "Rename it"), realTask("T2", "Use it", { scope: scopeOf("src/other.txt") })];
    const { status, of } = await carryOutRun(project, tasks);
    expect(status).toBe("blocked");
    expect(of("verification_finished").map(({ verdict }) => verdict)).toEqual(["PASS", "PASS"]);
    expect(of("integration_finished").map(({ integrated }) => integrated)).toEqual([true, false]);
    const [raised] = of("escalation_raised").map(({ escalation }) => escalation);
    expect(JSON.stringify(raised)).toContain("fits");
  });
});

describe("a conflict that git cannot merge", () => {
  it("is resolved by an agent that sees both sides, proven again, counted, and told to those after it [S2-005, S2-009, S2-006, S2-011, S2-012, S2-013, S2-015, S2-017, S2-018, S2-019, S2-030, S2-035, S2-036]", async () => {
    const project = realProject([
      ...BUILDERS,
      resolver({ run: "git diff" }, { read: FILE }, BOTH, USED, { answer: answer() }),
    ]);
    const before = project.git("status", "--porcelain", "--branch");
    await openRun(project, [...TASKS, AFTER], {}, BOUNDS);
    const { status, of, events } = await carryOutRun(project, [...TASKS, AFTER]);
    expect(events.filter(({ type }) => type === "escalation_raised")).toEqual([]);
    expect(status).toBe("completed");
    // A session may do no more than the routing policy lets an attempt do.
    const [session, ...others] = sessionScopes(project, "resolve");
    expect(session).toMatchObject({ minutes: 2, output_bytes: 50_000, write: [FILE] });
    expect(others).toEqual([]);
    // A whole agent: it reads, edits, searches and runs commands.
    expect(session?.tools).toEqual(expect.arrayContaining(["read", "edit", "search", "execute"]));
    for (const command of ["git diff *", "grep *", "find *"]) expect(session?.commands).toContain(command);
    // Uses of tools are told for whoever watches. The conflict is found without them: T1 told of none.
    const tellers = new Set(of("tool_judged").map(({ task_id }) => task_id));
    expect([tellers.has("T1"), tellers.has("T2")]).toEqual([false, true]);
    expect(project.git("show", `refs/coord/${RUN}/head:${FILE}`)).toMatch(
      /^alpha\n(fruit: apple\ntree: beech|tree: beech\nfruit: apple)\nomega$/,
    );
    expect(of("coordination_used")).toMatchObject([
      {
        purpose: expect.stringMatching(/^conflict resolution: T[12]#1 /),
        tokens: 750,
        cost_usd: 0.02,
        source: "reported",
      },
    ]);
    const contexts = await Promise.all(
      ["T1", "T2"].map(async (id) => LevelContext.parse(await project.records.read(`level ${id}`))),
    );
    const review = contexts.map((context) => context.coordinator_review).find((each) => each?.session_id !== null);
    expect(review).toMatchObject({
      level_number: 1,
      review_summary: "Both name something.",
      fixes_applied: ["kept both lines, one after the other"],
      conflicts_detected: [{ file_path: FILE, ac_indices: [0, 1], resolved: true, kind: "same_lines" }],
    });
    expect(review?.warnings_for_next_level).toContain("The list has two kinds of entries now");
    expect(project.git("status", "--porcelain", "--branch")).toBe(before);
    expect(project.git("log", "--format=%s", "main")).toBe("start");
  });

  it("goes on where it was, life after life, and is taken, counted and integrated once, with others in between", async () => {
    const fruit = TASKS[0] as RunTask;
    const tasks = [
      ...TASKS,
      realTask("T3", "Say how many", { dependencies: [fruit.task_id], scope: scopeOf("src/other.txt") }),
    ];
    const project = realProject(
      [
        BUILDERS[0] as Steps,
        // Second in any case, so that it is the one in conflict, and resolved when the third has come in between.
        {
          prompt_has: "Your task: Name the trees",
          steps: [waitsFor("T1"), { write: FILE, text: "alpha\ntree: beech\nomega\n" }, { say: "done" }],
        },
        BUILDERS[2] as Steps,
        resolver(waitsFor("T3"), BOTH, USED, { answer: answer() }),
      ],
      { checks: THERE },
    );
    await openRun(project, tasks);
    letGoOnceIntegrated(project, "T1", "T3");
    const resolving = async () => (await project.records.read("sessions T2#1")) !== null;
    const deaths = [
      "integrate.merged",
      "integrate.published",
      resolving,
      ...RESOLVE_CRASH_POINTS,
      "integrate.merged",
      "integrate.ref_moved",
    ];
    for (const death of deaths) expect([death, await live(project, death)]).toEqual([death, "SIGKILL"]);
    const { status, of } = await carryOutRun(project, tasks);
    expect(status).toBe("completed");
    expect(of("coordination_used")).toHaveLength(1);
    expect(of("conflict_found").map(({ task_id, round }) => [task_id, round])).toEqual([["T2", 1]]);
    expect(of("integration_finished").map(({ task_id, integrated }) => [task_id, integrated])).toEqual([
      ["T1", true],
      ["T3", true],
      ["T2", true],
    ]);
    expect(integrated(project)).toEqual(["T2", "T3", "T1"]);
    expect([project.git("show", `${HEAD}:${FILE}`), project.git("show", `${HEAD}:src/other.txt`)]).toEqual([
      "alpha\nfruit: apple\ntree: beech\nomega",
      "one\ntwo\nthree",
    ]);
  });

  /** The tasks on the run's branch, the last one first. */
  const integrated = ({ git }: RealProject) =>
    git("log", "--first-parent", "--format=%(trailers:key=Coordinator-Task,valueonly)", `main..${HEAD}`).match(/T\d/g);

  /** Until the test has seen the task on the run's branch; what an agent does in there is nobody's business. */
  function waitsFor(task: string) {
    const run = `touch .git/waits-for-${task}; until [ -e .git/has-${task} ]; do sleep 0.1; done`;
    return { run, ask: false, report: false };
  }

  function letGoOnceIntegrated(project: RealProject, ...tasks: string[]): void {
    const looking = setInterval(() => {
      const isThere = project.git("for-each-ref", HEAD) !== "";
      const done = isThere ? (integrated(project)?.map(String) ?? []) : [];
      for (const task of tasks.filter((each) => done.includes(each)))
        for (const workspace of workspacesOf(project))
          if (existsSync(join(workspace, ".git", `waits-for-${task}`)))
            writeFileSync(join(workspace, ".git", `has-${task}`), "");
    }, 200);
    onTestFinished(() => clearInterval(looking));
  }

  function workspacesOf({ env }: RealProject): string[] {
    const all = join(env["XDG_STATE_HOME"] as string, "coordinator");
    if (!existsSync(all)) return [];
    return readdirSync(all).flatMap((name) => {
      const place = join(all, name, "workspaces");
      return existsSync(place) ? readdirSync(place).map((each) => join(place, each, "tree")) : [];
    });
  }

  /** One life of the program, until it dies at a crash point or when something is so; the signal it died by. */
  async function live({ root, env }: RealProject, death: string | (() => Promise<boolean>)): Promise<string | null> {
    const at = typeof death === "string" ? death : null;
    const armed = at === null ? [] : ["--import", pathToFileURL(AT_CRASH_POINT).href];
    const child = spawn(process.execPath, [...armed, MAIN, "run", "--resume", RUN], {
      cwd: root,
      env: at === null ? env : { ...env, TEST_CRASH_AT: at },
      stdio: "ignore",
    });
    const died = once(child, "close");
    if (typeof death !== "string") {
      while (!(await death())) {
        expect(child.exitCode).toBeNull();
        await sleep(50);
      }
      child.kill("SIGKILL");
    }
    await died;
    return child.signalCode;
  }

  it("stays a conflict, with both sides on refs and a person asked, when the agent drops a line, leaves a marker, edits another file, gives no answer or uses more than was set aside", async () => {
    const files = ["dropped", "marked", "strayed", "silent", "greedy"].map((name) => `src/${name}.txt`);
    const tasks = files.flatMap((file) =>
      ["left", "right"].map((side) =>
        realTask(`${side}:${file}`, `Write ${side} into ${file}`, { scope: scopeOf(file) }),
      ),
    );
    const steps = files.flatMap((file) =>
      ["left", "right"].map((side) => ({
        prompt_has: `Your task: Write ${side} into ${file}`,
        steps: [{ write: file, text: `by ${side}\n` }, { say: "done" }],
      })),
    );
    const merged = { text: "by left\nby right\n" };
    const on = (file: string, ...made: Readonly<Record<string, unknown>>[]): Steps => ({
      prompt_has: `- ${file}: added by`,
      steps: made,
    });
    const [dropped = "", marked = "", strayed = "", silent = "", greedy = ""] = files;
    const project = realProject(
      [
        ...steps,
        on(dropped, { write: dropped, text: "by left\n" }, { answer: answer() }),
        on(
          marked,
          { write: marked, text: "<<<<<<< ours\nby left\n=======\nby right\n>>>>>>> theirs\n" },
          { answer: answer() },
        ),
        on(
          strayed,
          { write: strayed, ...merged },
          { run: "echo more >> src/other.txt", ask: false, report: false },
          { answer: answer() },
        ),
        on(silent, { write: silent, ...merged }, { say: "All is well." }),
        on(greedy, { usage: { in: 20_000, out: 1 } }, { write: greedy, ...merged }, { answer: answer() }),
      ],
      { checks: THERE },
    );
    const { status, of, events } = await carryOutRun(project, tasks, { max_concurrent_tasks: 10 });
    expect(status).toBe("blocked");
    const said = of("escalation_raised").map(({ escalation }) => escalation.summary);
    expect(said).toHaveLength(5);
    const about = (file: string) => said.find((summary) => summary.includes(`conflict in ${file},`)) ?? "";
    // Which of the two came first is a race; the one that is lost is then the other.
    expect(about(dropped)).toMatch(/lost a line of (ours|theirs): by right/);
    expect(about(marked)).toContain("still has conflict markers");
    expect(about(strayed)).toContain("src/other.txt");
    expect(about(silent)).toContain("no session got through");
    expect(about(greedy)).toContain("of the 10000 set aside for it");
    // Set aside before each began, under the name it is counted by.
    const order = events.flatMap((event) =>
      event.type === "coordination_reserved" || event.type === "coordination_used" ? [[event.type, event.purpose]] : [],
    );
    for (const { purpose } of of("coordination_used"))
      expect(order.filter(([, name]) => name === purpose).map(([type]) => type)).toEqual([
        "coordination_reserved",
        "coordination_used",
      ]);
    const counted = of("coordination_used").map(({ purpose }) => purpose);
    expect(counted.filter((purpose) => purpose.includes(silent))).toHaveLength(3);
    expect(counted).toHaveLength(7);
    for (const file of files) {
      const kept = project.git("show", `refs/coord/${RUN}/head:${file}`);
      expect(["by left", "by right"]).toContain(kept);
      const lost = of("integration_finished").find(({ task_id, integrated }) => !integrated && task_id.endsWith(file));
      const ref = / and (refs\/coord\/\S+)$/.exec(lost?.ref ?? "")?.[1] ?? "";
      expect(project.git("show", `${ref}:${file}`)).toBe(kept === "by left" ? "by right" : "by left");
    }
    expect(project.git("show", `refs/coord/${RUN}/head:src/other.txt`)).toBe("one\ntwo");
  });
});

describe("a review by an agent", () => {
  it("is held for each level where it is wanted, reads and writes nothing, and stops what has a defect [S2-002, S2-004, S2-020, S2-021, S2-037]", async () => {
    const apart = [
      realTask("T1", "Name the fruit"),
      realTask("T2", "Name the trees", { scope: scopeOf("src/trees.txt") }),
      AFTER,
    ];
    const sound = {
      review_summary: "Both are named.",
      accept: true,
      defects: [],
      warnings_for_next_level: ["Mind the order"],
    };
    const project = realProject(
      [
        BUILDERS[0] as Steps,
        {
          prompt_has: "Your task: Name the trees",
          steps: [{ write: "src/trees.txt", text: "beech\n" }, { say: "done" }],
        },
        {
          // Whoever comes after a level is told what its review said.
          prompt_has: "Warnings: Mind the order",
          steps: [{ write: "src/other.txt", text: "one\ntwo\nthree\n" }, { say: "done" }],
        },
        {
          prompt_has: "## Level 1 Results",
          steps: [{ read: FILE }, { usage: { in: 90, out: 10 } }, { answer: sound }],
        },
        {
          prompt_has: "## Level 2 Results",
          steps: [
            {
              answer: {
                review_summary: "It counts wrongly.",
                accept: false,
                defects: [{ path: "src/other.txt", line: 3, description: "there are two, not three" }],
              },
            },
          ],
        },
      ],
      { checks: THERE },
    );
    const policy = { schedule: "levels", coordinator_mode: "always" } as const;
    const child_scope = { ...BOUNDS.child_scope, tools: ["read", "edit"] as const };
    await openRun(project, apart, policy, { ...BOUNDS, child_scope: ChildScope.parse(child_scope) });
    const { status, of } = await carryOutRun(project, apart);
    expect(status).toBe("blocked");
    const narrow = { tools: ["read", "think"], commands: [], minutes: 2, write: [] };
    expect(sessionScopes(project, "review")).toMatchObject([narrow, narrow]);
    expect(of("coordination_used").map(({ purpose }) => purpose.split(":")[0])).toEqual(["review", "review"]);
    expect(of("review_finished").map(({ task_id, accepted }) => [task_id === "T3", accepted])).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ]);
    expect(of("escalation_raised")[0]?.escalation.summary).toContain("src/other.txt:3: there are two, not three");
    const level = LevelContext.parse(await project.records.read("whole level 1"));
    expect(level.completed_acs.map(({ task_id }) => task_id)).toEqual(["T1", "T2"]);
    expect(level.coordinator_review).toMatchObject({
      review_summary: expect.stringMatching(/^Both are named\./),
      level_number: 1,
    });
    expect(level.coordinator_review?.session_id).toEqual(expect.any(String));
  });
});

describe("a reviewer of its own", () => {
  const defect = { path: FILE, line: 1, description: "answers only what the test asks" };
  const answer = { review_summary: "Written for the test.", accept: false, defects: [defect] };
  const asked: Steps = { prompt_has: "Look for what no check can see", steps: [{ answer }] };
  const alone = [realTask("T1", "Name the fruit")];

  it("reviews what another agent wrote, and a defect that it names stops the work", async () => {
    // The builder knows no answer to a review: only the other agent can have given it.
    const project = realProject([BUILDERS[0] as Steps], { checks: THERE, reviewer: "critic" });
    addAgent(project, "critic", [asked]);
    const { status, of } = await carryOutRun(project, alone, { coordinator_mode: "always" });
    expect(status).toBe("blocked");
    expect(of("escalation_raised")[0]?.escalation.summary).toContain("answers only what the test asks");
    const { coordinator_review } = LevelContext.parse(await project.records.read("level T1"));
    expect(coordinator_review?.review_summary).toBe("Written for the test.");
  });

  it("is told apart from an agent that reviews its own work", async () => {
    const project = realProject([BUILDERS[0] as Steps, asked], { checks: THERE });
    await carryOutRun(project, alone, { coordinator_mode: "always" });
    const { coordinator_review } = LevelContext.parse(await project.records.read("level T1"));
    expect(coordinator_review?.review_summary).toContain("Reviewed by scripted, which wrote the work");
  });

  /** Another agent of the person's, with a script of its own. */
  function addAgent({ root }: RealProject, name: string, tasks: readonly Steps[]): void {
    const home = join(root, "..");
    const script = join(home, `${name}.json`);
    writeFileSync(script, JSON.stringify({ tasks }));
    const command = [process.execPath, SCRIPTED, "--script", script];
    addOwnSettings(home, {
      agents: { [name]: { preset: "scripted", command } },
      workspace: { tools: [join(home, "script.json"), script] },
    });
  }
});

describe("a concern about the work", () => {
  const quiet = (title: string, file: string): Steps => ({
    prompt_has: `Your task: ${title}`,
    steps: [{ write: file, text: "said\n" }, { say: "done" }],
  });
  const reviewer = (answer: Readonly<Record<string, unknown>>): Steps => ({
    prompt_has: "## Concerns\n- changed without saying so: src/quiet.txt",
    steps: [{ usage: { in: 90, out: 10 } }, { answer }],
  });
  const tasks = [
    realTask("T1", "Name the fruit", { scope: scopeOf("src/said.txt") }),
    realTask("T2", "Name the trees", { scope: scopeOf("src/loud.txt", "src/quiet.txt") }),
  ];
  const silently = { run: "echo quiet > src/quiet.txt", ask: false, report: false };
  const trees = (more: readonly Readonly<Record<string, unknown>>[]): Steps => ({
    prompt_has: "Your task: Name the trees",
    steps: [{ write: "src/loud.txt", text: "loud\n" }, ...more, { say: "done" }],
  });

  it("starts a session where there is no conflict, in the mode that only looks where it must [S2-014]", async () => {
    const sound = {
      review_summary: "It is in order.",
      accept: true,
      defects: [],
      warnings_for_next_level: ["Mind it"],
    };
    const project = realProject([quiet("Name the fruit", "src/said.txt"), trees([silently]), reviewer(sound)], {
      checks: THERE,
    });
    const { status, of } = await carryOutRun(project, tasks);
    expect(status).toBe("completed");
    expect(of("coordination_used").map(({ purpose }) => purpose.split(" ")[1])).toEqual(["T2#1"]);
    const { coordinator_review } = LevelContext.parse(await project.records.read("level T2"));
    expect(coordinator_review).toMatchObject({
      conflicts_detected: [],
      review_summary: expect.stringMatching(/^It is in order\./),
    });
    expect(coordinator_review?.warnings_for_next_level).toContain("Mind it");
  });

  it("is an edit that was claimed and never made, too", async () => {
    const sound = { review_summary: "The page is missing.", accept: true, defects: [] };
    const asked: Steps = {
      prompt_has: "## Concerns\n- said to be changed, and it is not: src/never.txt, src/other.txt",
      steps: [{ answer: sound }],
    };
    const claiming = trees([
      { write: "src/other.txt", text: "one\ntwo\n" },
      { write: "src/never.txt", text: "never\n" },
      { run: "rm src/never.txt", ask: false, report: false },
    ]);
    const scope = scopeOf("src/loud.txt", "src/other.txt", "src/never.txt");
    const one = [realTask("T2", "Name the trees", { scope })];
    const project = realProject([claiming, asked], { checks: THERE });
    const { status, of } = await carryOutRun(project, one);
    expect(status).toBe("completed");
    expect(of("coordination_used").map(({ purpose }) => purpose.split(" ")[1])).toEqual(["T2#1"]);
    const { coordinator_review } = LevelContext.parse(await project.records.read("level T2"));
    expect(coordinator_review?.review_summary).toMatch(/^The page is missing\./);
  });

  it("is not a reason where there is none, nor in the mode that never looks [S2-014, S2-018, S2-019]", async () => {
    const calm = realProject([quiet("Name the fruit", "src/said.txt"), trees([])], { checks: THERE });
    expect((await carryOutRun(calm, tasks)).of("coordination_used")).toEqual([]);
    const off = realProject([quiet("Name the fruit", "src/said.txt"), trees([silently])], { checks: THERE });
    const { status, of } = await carryOutRun(off, tasks, { coordinator_mode: "off" });
    expect([status, of("coordination_used")]).toEqual(["completed", []]);
  });
});
