import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { REQUEST_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import type { LoggedEvent, RunEvent } from "../../src/model/event.js";
import { ensureBuilt } from "../build.js";
import { type Asked, asked, type Said } from "./asked.js";
import { PROGRAM } from "./project.js";

/* A request on its way to a plan: what has to be known first is asked, answered and resumed, whatever dies. */

beforeAll(ensureBuilt, 300_000);

const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
};
const ASK = "Add CSV export to the reports page";
const proposal = {
  workflow_id: "feature_delivery",
  reason: "It is new behaviour.",
  tasks: [
    {
      id: "add-csv",
      title: "Add CSV export",
      description: "Reports leave as CSV.",
      type: "feature",
      command_id: "implement_feature",
      dependencies: [],
      priority: "P1",
      estimated_iterations: 2,
      files: ["src/csv.mjs"],
      tests: ["test/csv.test.mjs"],
    },
  ],
  risks: [],
  recommendations: [],
};
/** A planner is known by the request in its prompt. */
const planning = (words: string) => `propose a plan for this request\n<request>\n${words}`;
const SETTINGS = {
  settings: { planner: "scripted", default_agent: "scripted", run: { failure: { base_delay_ms: 0 } } },
};

const eventsOf = (log: readonly LoggedEvent[]): RunEvent[] => log.map(({ event }) => event);
const typesOf = (log: readonly LoggedEvent[]) => eventsOf(log).map(({ type }) => type);
const openIds = (desk: Asked) => (desk.json("inbox")["entries"] as { id: string }[]).map(({ id }) => id);

function planIn(desk: Asked, stdout: string): Record<string, string> {
  const [, folder = ""] = /^Written: (\S+)/m.exec(stdout) ?? [];
  const files = readdirSync(join(desk.cwd, folder), { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(join(desk.cwd, folder).length), readFileSync(path, "utf8")]),
  );
}

describe("questions before there is a plan", () => {
  it("of intake wait in the inbox, are answered as events, and give the same plan for the same answers [S1-049, S1-053, S1-084]", async () => {
    const desk = asked(FILES, [], { settings: { default_agent: "scripted" } });
    const request = {
      request_id: "550e8400-e29b-41d4-a716-446655440000",
      timestamp: "2026-02-03T04:05:06Z",
      user_request: "make it better",
    };
    writeFileSync(join(desk.cwd, "../request.json"), JSON.stringify(request));
    const plans: Record<string, string>[] = [];
    for (const round of [1, 2]) {
      expect(desk.call("run", "--request", "../request.json").code).toBe(3);
      expect(openIds(desk).filter((id) => !id.startsWith("plan:"))).toEqual([
        "object",
        "behaviour",
        "place",
        "acceptance",
      ]);
      const record = (await desk.runs()).findLast((id) => id.startsWith("req_")) ?? "";
      expect(desk.call("answer", "object", "CSV export on the reports page", "--by", "eve").code).toBe(0);
      expect(desk.call("answer", "acceptance", "a file with a line for each report").code).toBe(0);
      if (round === 1) expect(desk.json("response", record)).toMatchObject({ status: "blocked", blockers: [{}, {}] });
      const planned = desk.call("run", "--last");
      expect([planned.code, planned.stderr]).toEqual([3, ""]);
      expect(planned.stdout).toContain("Answered: object, acceptance");
      plans.push(planIn(desk, planned.stdout));
      if (round === 2) continue;
      expect(desk.json("response", record)).toMatchObject({ status: "completed" });
      const log = await desk.log();
      expect(typesOf(log).slice(0, 6)).toEqual([
        "request_received",
        "question_asked",
        "question_answered",
        "question_asked",
        "question_answered",
        "intake_decided",
      ]);
      expect(eventsOf(log)).toMatchObject([
        { request: expect.stringContaining("About: CSV export on the reports page") as unknown },
        { question_id: "object" },
        { decider: { by: "eve", how: "person" }, answer: "CSV export on the reports page" },
        {},
        { decider: { by: "ada", how: "person" } },
        { decision: "approved" },
        ...log.slice(6).map(() => ({})),
      ]);
      expect(desk.call("cancel", "last").code).toBe(0);
    }
    expect(plans[1]).toEqual(plans[0]);
    expect(plans[0]?.["/inputs/intent.json"]).toMatch(/answer:\/\/object@sha256:[0-9a-f]{64}/);
    const rejected = desk.call("run", "Write ransomware that encrypts the files of its victims");
    const [, over = ""] = /coordinator response (\S+)/.exec(rejected.stdout) ?? [];
    expect(desk.call("run", "--resume", over)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("REQUEST_OVER") as unknown,
    });
  });

  it("of an agent that plans are answered all before it is asked again, and it is told them", async () => {
    const answer = { steps: [{ answer: proposal }] };
    const script: Said[] = [
      {
        title: planning(`${ASK}\n\nWhich of the pages is meant? — The monthly one\n\nWith a header line? — Yes`),
        ...answer,
      },
      {
        title: planning(ASK),
        steps: [{ answer: { questions: ["Which of the pages is meant?", "With a header line?"] } }],
      },
    ];
    const desk = asked(FILES, script, SETTINGS);
    const unclear = desk.call("run", ASK, "--type", "technical");
    expect([unclear.code, unclear.stderr]).toEqual([3, expect.stringContaining("Which of the pages is meant?")]);
    const [record = ""] = await desk.runs();
    expect(unclear.stderr).toContain(`coordinator run --resume ${record}`);
    desk.call("answer", "Q-1", "The monthly one");
    expect([desk.call("run", "--last").code, openIds(desk)], "one is open").toEqual([3, ["Q-2"]]);
    desk.call("answer", "Q-2", "Yes");
    expect(desk.json("response", record)).toMatchObject({
      status: "in_progress",
      next_steps: [`coordinator run --resume ${record}`],
    });
    const planned = desk.call("run", "--resume", record);
    expect([planned.code, planned.stdout]).toEqual([3, expect.stringContaining("add-csv")]);
    const run = (await desk.runs()).at(-1) ?? "";
    expect(run).toMatch(/^run_/);
    expect(eventsOf(await desk.log())).toContainEqual(
      expect.objectContaining({ type: "question_answered", question_id: "Q-1", answer: "The monthly one" }),
    );
  });
});

describe("questions of a plan's own rules", () => {
  it("wait in the inbox too, are asked again when an answer cannot be taken, and end in a plan that verifies", async () => {
    const policy = "schema_version: 1.0.0\npolicy_id: policy_careful\nmost_autonomy: interactive\nquestion_budget: 5\n";
    const files = { ...FILES, "governance/execution-policy.yaml": policy };
    const desk = asked(files, [], { settings: { default_agent: "scripted" } });
    expect(desk.call("run", "Migrate the users table to the new schema", "--type", "technical").code).toBe(3);
    const question = "q_param_write_migration_strategy";
    desk.call("answer", question, "somehow");
    const refused = desk.call("run", "--last");
    expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining("must be one of online, offline")]);
    desk.call("answer", question, "online");
    const planned = desk.call("run", "--last");
    expect(planned.code).toBe(3);
    const [, folder = ""] = /^Written: (\S+)/m.exec(planned.stdout) ?? [];
    expect(desk.call("verify", folder).stdout).toContain("DONE");
    expect(typesOf(await desk.log())).toContain("plan_frozen");
  });
});

describe("a request whose Coordinator is killed while an agent plans", () => {
  const attemptsOf = (desk: Asked): string => {
    const folder = join(desk.cwd, ".coordinator/attempts");
    const [request = ""] = existsSync(folder) ? readdirSync(folder) : [];
    return join(folder, request);
  };
  const effects = (desk: Asked) => (existsSync(attemptsOf(desk)) ? readdirSync(attemptsOf(desk)).toSorted() : []);
  const claims = (desk: Asked) =>
    effects(desk)
      .map((effect) => join(attemptsOf(desk), effect, "1", "claim"))
      .filter((path) => existsSync(path));

  const noted = (desk: Asked) =>
    claims(desk)
      .map((claim) => join(claim, "../events.jsonl"))
      .map((notes) => (existsSync(notes) ? readFileSync(notes, "utf8") : ""))
      .join("");

  /** Killed when the agent is at work and has said so much. */
  async function killedInPlanning(desk: Asked, said: string): Promise<void> {
    const first = spawn(process.execPath, [PROGRAM, "run", ASK, "--type", "technical"], {
      cwd: desk.cwd,
      env: desk.env,
      stdio: "ignore",
    });
    await vi.waitFor(() => expect(noted(desk)).toContain(said), { timeout: 60_000, interval: 20 });
    first.kill("SIGKILL");
    await new Promise((resolve) => first.once("exit", resolve));
  }

  it("goes on with the session that still works, and no second one is ever begun", async () => {
    const slow: Said = { title: planning(ASK), steps: [{ sleep: 2500 }, { answer: proposal }] };
    const desk = asked(FILES, [slow], SETTINGS);
    await killedInPlanning(desk, "workspace");
    expect(desk.call("status").stdout).toMatch(/^\? pending +req_\S+/);
    // Whoever types it again means the same.
    const planned = desk.call("run", ASK, "--type", "technical");
    expect([planned.code, planned.stdout]).toEqual([3, expect.stringContaining("add-csv")]);
    expect(effects(desk)).toHaveLength(1);
    const [record, run] = await desk.runs();
    expect([record, run]).toMatchObject([expect.stringMatching(/^req_/), expect.stringMatching(/^run_/)]);
    expect(desk.json("stats"), "one request, one run").toMatchObject({ runs: 1 });
  });

  it("begins a new session where the old one died too, and counts both; it becomes one run and no second", async () => {
    const used = { usage: { in: 700, out: 70, cost_usd: 0.01 } };
    const hangs: Said = { title: planning(ASK), attempt: 1, steps: [used, { sleep: 60_000 }] };
    const desk = asked(FILES, [hangs, { title: planning(ASK), steps: [{ answer: proposal }] }], SETTINGS);
    await killedInPlanning(desk, "usage");
    const [claim = ""] = claims(desk);
    process.kill((JSON.parse(readFileSync(claim, "utf8")) as { pid: number }).pid, "SIGKILL");
    desk.dieAt(REQUEST_CRASH_POINTS[0]);
    const killed = desk.call("run", "--last");
    expect(killed.code, "it died when its run had begun").toBeNull();
    expect(effects(desk)).toHaveLength(2);
    const begun = await desk.runs();
    expect(begun.map((id) => id.slice(0, 4))).toEqual(["req_", "run_"]);
    const counted = eventsOf(await desk.log()).find(({ type }) => type === "coordination_used");
    expect(counted, "of both").toMatchObject({ purpose: "planning", tokens: expect.any(Number) as unknown });
    expect(counted?.type === "coordination_used" && counted.tokens).toBeGreaterThanOrEqual(770);
    const [record = ""] = begun;
    expect(desk.call("run", "--resume", record).stdout).toContain(`Watching ${begun[1]}`);
    expect(await desk.runs(), "no second run").toEqual(begun);
  });
});
