import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../src/model/event.js";
import { CoordinatorResponse } from "../../src/model/request.js";
import { readRuns } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { ensureBuilt } from "../build.js";
import { addOwnSettings } from "../own-settings.js";
import { type Asked, asked, type Said } from "./asked.js";
import { PROGRAM } from "./project.js";
import { specifiedBlock } from "./specified.js";

/* The specification's own request, field by field: a new project in a folder that is not there yet. */

beforeAll(ensureBuilt);

const ASK = "Create a Next.js application with Supabase authentication and a product catalog";
const SCRIPT: readonly Said[] = [
  {
    title: `Lay the ground: ${ASK}`,
    writes: {
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
      "app/page.tsx": "export default function Page() {\n  return null;\n}\n",
      "next.config.mjs": "export default {};\n",
      "test/ground.test.mjs": 'import { test } from "node:test";\ntest("stands", () => {});\n',
      "README.md": "# Shop\n",
      ".gitignore": ".next/\nnode_modules/\n",
    },
  },
  { title: "Build Supabase authentication", writes: { "app/login/page.tsx": "export const login = true;\n" } },
  { title: "Build a product catalog", writes: { "app/catalog/page.tsx": "export const catalog = [];\n" } },
  {
    title: `Write tests: ${ASK}`,
    writes: { "test/shop.test.mjs": 'import { test } from "node:test";\ntest("x", () => {});\n' },
  },
  { title: `Document: ${ASK}`, writes: { "docs/shop.md": "# Shop\n" } },
];

/** The specification's own document where it is at hand, else ours, which is the same. */
const SPECIFIED = specifiedBlock("json", '"user_request": "Create', '"attachments"');
const OURS = {
  request_id: "550e8400-e29b-41d4-a716-446655440000",
  timestamp: "2025-10-28T10:30:00Z",
  user_request: ASK,
  context: {
    project_path: "/home/user/projects/my-ecommerce",
    project_type: "frontend",
    preferences: { model: "claude", max_budget_tokens: 50_000, max_time_seconds: 300 },
  },
  attachments: [],
};
const REQUEST = SPECIFIED === null ? OURS : (JSON.parse(SPECIFIED) as typeof OURS);

function shop() {
  const desk = asked({ "a.txt": "a\n" }, SCRIPT);
  // The request prefers claude: an agent of that name.
  const agents = { claude: { preset: "scripted", command: [...desk.agent] } };
  addOwnSettings(desk.env["HOME"] ?? "", { agents, default_agent: "claude" });
  const project = join(desk.cwd, "../projects/my-ecommerce");
  const file = join(desk.cwd, "../request.json");
  writeFileSync(join(desk.cwd, "../.gitconfig"), "[user]\n\tname = ada\n\temail = ada@example.org\n");
  // Nothing but the place is ours: nobody's home is written to.
  writeFileSync(file, JSON.stringify({ ...REQUEST, context: { ...REQUEST.context, project_path: project } }));
  return { desk, project, file };
}

function callIn(desk: Asked, cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: desk.env,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

async function logOf(project: string): Promise<LoggedEvent[]> {
  const reader = await readRuns(stateFolder(project));
  if (reader === null) return [];
  try {
    const run = (await reader.runs()).at(-1)?.run_id ?? "";
    const events: LoggedEvent[] = [];
    for await (const logged of reader.read(run, {})) events.push(logged);
    return events;
  } finally {
    await reader.close();
  }
}

const phaseOf = (response: string) => /"phase":"(\w+)"/.exec(response)?.[1] ?? "";
const withoutRun = ({ type: _, run_id: __, ...response }: Record<string, unknown>) => response;

describe("the specification's own request", () => {
  it.skipIf(SPECIFIED === null)("is what these tests take for it", () => {
    expect(REQUEST).toEqual(OURS);
  });

  it("is not begun before somebody says that its folder may be made", () => {
    const { desk, project, file } = shop();
    const waits = desk.call("run", "--request", file);
    expect([waits.code, waits.stderr]).toEqual([3, expect.stringContaining("PROJECT_NOT_CREATED")]);
    expect(waits.stderr).toContain(`coordinator run --request ${file} --create`);
    expect(existsSync(project)).toBe(false);
  });

  it("is carried out with the answers that the specifications foresee and nothing else, in parts, within its own budget [S1-003] [S1-006] [S1-027] [S1-028] [S1-029] [S1-030] [S1-031] [S1-032]", async () => {
    const { desk, project, file } = shop();
    // It describes features, so product has to know what must be true: clarification by the person who asks.
    const unclear = desk.call("run", "--request", file, "--create", "--json");
    expect([unclear.code, unclear.stdout], unclear.stderr).toEqual([3, expect.stringContaining("needs_clarification")]);
    expect(phaseOf(unclear.stdout)).toBe("initiation");
    const [, record = ""] = /"run_id":"(req_[\w-]+)"/.exec(unclear.stdout) ?? [];
    for (const [id, answer] of [
      ["acceptance", "Users log in with Supabase; Products are listed on a page"],
      ["proof", "app/login/page.tsx; app/catalog/page.tsx"],
      ["out_of_scope", "Payments"],
    ] as const)
      expect(callIn(desk, project, "answer", id, answer, "--run", record).code).toBe(0);
    const begun = callIn(desk, project, "run", "--resume", record, "--json");
    const first = await logOf(project);
    expect(begun.code, begun.stdout.slice(-2000) + begun.stderr).toBe(3);
    const plan = first.flatMap(({ event }) => (event.type === "plan_frozen" ? [event.plan] : []))[0];
    expect(plan?.tasks.map(({ title }) => title)).toEqual(SCRIPT.map(({ title }) => title));
    // What the request allows is what the run may use: nothing is without a limit.
    expect(plan?.budget).toMatchObject({ tokens: 50_000, minutes: 5, api_calls: 60 });
    expect(plan?.tasks.reduce((sum, { planned }) => sum + (planned?.tokens ?? 0), 0)).toBeLessThanOrEqual(50_000);
    const asks = first.flatMap(({ event }) =>
      event.type === "message_sent" && event.message.type === "planning_request" ? [event.message.payload] : [],
    )[0];
    expect(asks?.requirements.map(({ requirement }) => requirement)).toEqual([
      "REQ-1: Users log in with Supabase",
      "REQ-2: Products are listed on a page",
    ]);
    for (const { acceptance_criteria } of asks?.requirements ?? [])
      expect(acceptance_criteria.length).toBeGreaterThan(0);
    const answers = first.flatMap(({ event }) =>
      event.type === "message_sent" && event.message.type === "planning_response" ? [event.message.payload] : [],
    )[0];
    expect(answers?.plan.total_estimated_tokens).toBeLessThanOrEqual(50_000);
    expect(answers?.plan.total_estimated_time_seconds).toBeLessThanOrEqual(300);
    expect(answers?.risks.length).toBeGreaterThan(0);
    expect(first.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: "question_answered", question_id: "create_project" }),
    );
    let ran = begun;
    // Whoever had the project made reviews it, until others are named.
    expect(readFileSync(join(project, "coordinator.yaml"), "utf8")).toMatch(/security: \["ada/);
    expect(phaseOf(callIn(desk, project, "response", "--json").stdout)).toBe("planning");
    const phases = new Set<string>();
    for (let round = 0; round < 8 && ran.code === 3; round++) {
      const inbox = callIn(desk, project, "inbox").stdout;
      // The rules want a person to look at new dependencies, and at work that nothing proves yet.
      const [, said = ""] =
        /\$ coordinator ((?:approve \S+(?: --as \S+)?)|(?:answer \S+ --order waive))/m.exec(inbox) ?? [];
      // The type of the project asks for what no check of a new one shows.
      const [, criterion] = /\$ coordinator answer (criterion:\S+) TEXT/.exec(inbox) ?? [];
      const args =
        criterion === undefined ? said.split(" ") : ["answer", criterion, "confirmed: the page was looked at"];
      expect(callIn(desk, project, ...args).code, inbox).toBe(0);
      ran = callIn(desk, project, "run", "--last", "--json");
      phases.add(phaseOf(callIn(desk, project, "response", "--json").stdout));
    }
    // Each phase that a person sees on the way is one of the specification's own.
    expect([...phases]).toEqual(["execution", "closure"]);
    expect(ran.code, ran.stderr + ran.stdout.slice(-1500)).toBe(0);
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: project, env: desk.env, encoding: "utf8" }).trim();
    expect(git("log", "--format=%s", "main")).toBe("Begin");
    const [ref = ""] = git("for-each-ref", "--format=%(refname)", "refs/coord")
      .split("\n")
      .filter((name) => name.endsWith("/head"));
    const made = git("ls-tree", "-r", "--name-only", ref).split("\n");
    for (const path of ["app/page.tsx", "app/login/page.tsx", "app/catalog/page.tsx", "package.json", "README.md"])
      expect(made).toContain(path);
    const response = CoordinatorResponse.parse(
      withoutRun(JSON.parse(callIn(desk, project, "response", "--json").stdout) as Record<string, unknown>),
    );
    expect(response).toMatchObject({
      status: "completed",
      decision: "approved",
      project_state: { phase: "closure", progress_percentage: 100, tasks_completed: 5, tasks_remaining: 0 },
    });
    const kinds = Object.fromEntries(response.deliverables.map(({ path, type }) => [path, type]));
    expect(kinds).toMatchObject({ "README.md": "documentation", "docs/shop.md": "documentation" });
    expect(Object.values(kinds)).toContain("code");
    expect(response.deliverables.every(({ path, description }) => path !== "" && description !== "")).toBe(true);
    // What the agents reported is what the person is told, and it is within what was allowed.
    expect(response.resource_usage.tokens_used).toBe(5 * 120);
    expect(response.resource_usage.cost_usd).toBeCloseTo(5 * 0.001);
    expect(response.resource_usage.api_calls).toBeGreaterThan(0);
    expect(response.next_steps.join()).toContain("coordinator merge");
  });
});
