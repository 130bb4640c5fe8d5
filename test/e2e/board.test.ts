import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { expect, it } from "vitest";
import { addOwnSettings } from "../own-settings.js";
import { coordinator, coordinatorJson, root, workFolder } from "../cli/program.js";

/* The whole program, its files for people on, with a process that is killed, one that is ended, and a person who decides. */

const AGENT = join(root, "dist", "hands", "agents", "scripted", "scripted-agent.mjs");

/** The first task hangs twice; each that is done writes its file. */
const write = (path: string) => [{ write: path, text: "export {};\n" }, { say: "FEATURE_COMPLETE" }];
const SCRIPT = {
  tasks: [
    { prompt_has: "Your task: Task 001", attempt: 1, steps: [{ hang: true }] },
    { prompt_has: "Your task: Task 001", attempt: 2, steps: [{ hang: true }] },
    ...["001", "002", "004"].map((id) => ({ prompt_has: `Your task: Task ${id}`, steps: write(`src/${id}.mjs`) })),
  ],
};

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly say: (...args: string[]) => ReturnType<typeof coordinator>;
  readonly git: (...args: string[]) => string;
  readonly read: (path: string) => string;
}

/** The rehearsal with a contract, planned; four tasks of a decision record, one after the other but for the first two. */
async function place(contract: (text: string) => string = (text) => text): Promise<Place> {
  const cwd = join(workFolder(), "greetings");
  cpSync(join(root, "examples", "rehearsal"), cwd, { recursive: true });
  const intent = parse(readFileSync(join(cwd, "intent.yaml"), "utf8")) as { tasks: Record<string, unknown>[] };
  const [first] = intent.tasks;
  intent.tasks = ["001", "002", "003", "004"].map((id, i) => ({
    ...first,
    id: `TASK-023-${id}`,
    adr: "ADR-023",
    title: `Task ${id}`,
    files: [`src/${id}.mjs`],
    dependencies: i === 2 ? ["TASK-023-002"] : i === 3 ? ["TASK-023-003"] : [],
    priority: i === 0 ? "P0" : "P1",
  }));
  writeFileSync(join(cwd, "intent.yaml"), stringify(intent));
  mkdirSync(join(cwd, "governance/contracts"), { recursive: true });
  const shipped = readFileSync(join(root, "policy/contract.yaml"), "utf8");
  writeFileSync(join(cwd, "governance/contracts/coordinator.yaml"), contract(shipped));
  const limits = { silence_seconds: 3, cancel_grace_seconds: 0.5 };
  const command = [process.execPath, AGENT, "--script", join(cwd, "..", "script.json")];
  const agents = { scripted: { preset: "scripted", command, limits } };
  addOwnSettings(join(cwd, ".."), { agents, workspace: { tools: [join(cwd, "..", "script.json")] } });
  const run = { max_concurrent_tasks: 1, failure: { base_delay_ms: 10 } };
  writeFileSync(
    join(cwd, "coordinator.yaml"),
    stringify({
      default_agent: "scripted",
      run,
      board: {},
      reviewers: { architecture: ["ada", "Ada", "a@b"] },
      checks: [{ name: "rules", run: "test -f intent.yaml" }],
    }),
  );
  writeFileSync(join(cwd, ".gitignore"), ".coordinator/\nplan/\n");
  writeFileSync(join(cwd, "PROJECT_HQ.md"), "Ours.\n");
  writeFileSync(join(cwd, "..", "script.json"), JSON.stringify(SCRIPT));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "start");
  const env = { XDG_STATE_HOME: join(cwd, "..", "state"), XDG_CONFIG_HOME: join(cwd, "..", ".config") };
  const say = (...args: string[]) => coordinator(args, { cwd, env });
  for (const command of [
    "intent seal intent.yaml --write",
    "facts collect --project greetings",
    "memory build --project greetings",
    "plan --intent intent.yaml --out plan",
  ])
    expect(await say(...command.split(" "))).toMatchObject({ code: 0 });
  return { cwd, env, say, git, read: (path) => readFileSync(join(cwd, path), "utf8") };
}

/** Run until the first attempt is under way and the board says so, then end the process. */
async function endedBy(
  { cwd, env }: Place,
  signal: NodeJS.Signals,
  args: readonly string[],
  attempt: number,
): Promise<number | null> {
  const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  child.stdout.resume();
  child.stderr.resume();
  const isThere = () =>
    /## Current Focus\n\n- \*\*TASK-023-001\*\*: [^\n]*\(scripted, attempt (\d), attempt,/.exec(
      readFileSync(join(cwd, "PROJECT_HQ.md"), "utf8"),
    )?.[1] === String(attempt) &&
    /^\| TASK-023-001 \|.*\| in progress \|/m.test(readFileSync(join(cwd, "PROJECT_HQ.md"), "utf8"));
  for (let left = 4800; left > 0 && !isThere(); left--) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill(signal);
  return closed;
}

/** The handoffs there are, in their order. Their days are told by nobody: midnight may come in between. */
const sessionsIn = ({ cwd }: Place) => readdirSync(join(cwd, "sessions")).toSorted();

it("an ADR's tasks go through the queue, the board and handoffs, whatever ends the process [S3-006, S3-018, S3-038, S3-020, S3-061, S3-075]", async () => {
  const here = await place();
  const { cwd, env, say, git, read } = here;
  // It is ended only when the board says under Current Focus that the first attempt is under way.
  expect(await endedBy(here, "SIGTERM", ["run", "--plan", "plan"], 1)).toBe(130);
  const [firstName = "", ...none] = sessionsIn(here);
  expect([none, firstName]).toEqual([[], expect.stringMatching(/^\d{4}-\d\d-\d\d-001\.md$/)]);
  const first = read(`sessions/${firstName}`);
  expect(first).toContain("The session was stopped by a person.");
  expect(first).toMatch(/^\| TASK-023-001 \| attempt 1: attempt \|/m);
  expect(read("PROJECT_HQ.md")).toMatch(/^Ours\.\n/);
  expect((await say("status", "last")).stdout).toContain(`not read yet: sessions/${firstName}`);

  // Killed: nothing is left, and the next session writes it.
  expect(await endedBy(here, "SIGKILL", ["run", "--last"], 2)).toBeNull();
  expect(sessionsIn(here)).toEqual([firstName]);

  // A person leaves out what nobody needs: asked for by one, approved in the inbox.
  const asked = await coordinatorJson(["tasks", "skip", "last", "TASK-023-003", "--reason", "by hand"], { cwd, env });
  expect([asked.code, asked.json["status"]]).toEqual([3, "taken"]);
  expect((await say("inbox")).stdout).toContain("a change of a task of TASK-023-003");
  expect(JSON.parse(read("tasks/work_queue.json"))).toMatchObject({ tasks: [{}, {}, { status: "pending" }, {}] });
  expect((await say("approve", asked.json["id"] as string)).code).toBe(0);
  expect((await say("tasks", "reprioritise", "last", "TASK-023-004", "P3", "--approve")).code).toBe(0);

  // The attempt that hangs has outlived its process: it is taken up again, found silent, and tried once more.
  const done = await say("run", "--last");
  expect([done.code, done.stdout.includes("TASK-023-003: attempt")]).toEqual([0, false]);
  const [, secondName = "", lastName = "", ...others] = sessionsIn(here);
  expect(others).toEqual([]);
  expect(read(`sessions/${secondName}`)).toContain("its process died");
  const last = read(`sessions/${lastName}`);
  expect(last).toContain("| TASK-023-004 | Task 004 | FeatureBuilder (scripted) |");
  expect(last).toContain("| src/004.mjs | +1/-0 | FeatureBuilder |");
  const { tasks } = JSON.parse(read("tasks/work_queue.json")) as { tasks: { status: string }[] };
  expect(tasks.map(({ status }) => status)).toEqual(["completed", "completed", "skipped", "completed"]);
  expect(read("PROJECT_HQ.md")).toContain("ADR-023: 3 of 4 tasks done");
  expect((await say("handoff", "--read")).stdout).toContain(`# Session Handoff: ${lastName.replace(".md", "")}`);

  // The board's files are changed and not committed, and the work is merged all the same.
  expect(await say("merge", "last", "--by", "ada")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("merged") as unknown,
  });
  expect(git("log", "-1", "--format=%s", "--", "src/004.mjs").trim()).not.toBe("");
  expect(read("PROJECT_HQ.md")).toMatch(/^Ours\.\n/);
});

it("the contract halts what it forbids with its clause, and its limits refuse by name [S3-069, S3-070]", async () => {
  const { cwd, env, say } = await place((text) => text.replace("max_queue_size: 50", "max_queue_size: 3"));
  const file = join(cwd, "governance/contracts/coordinator.yaml");
  const full = await coordinatorJson(["run", "--plan", "plan"], { cwd, env });
  expect([full.code, full.json["code"]]).toEqual([4, "CONTRACT_LIMIT"]);
  expect(full.json["message"]).toContain("limits.max_queue_size is 3: 0 tasks are open, and the plan has 4");
  const wide = await say("run", "--plan", "plan", "--max-concurrent", "4");
  expect([wide.code, wide.stderr.includes("limits.max_concurrent_tasks is 3, and 4 were asked for")]).toEqual([
    4,
    true,
  ]);
  const text = readFileSync(file, "utf8").replace("  - verify_result\n", "");
  writeFileSync(file, text.replace("  - write_code", "  - verify_result\n  - write_code"));
  const forbidden = await coordinatorJson(["run", "--plan", "plan", "--yes"], { cwd, env });
  expect([forbidden.code, forbidden.json["code"]]).toEqual([4, "CONTRACT_FORBIDS"]);
  expect(forbidden.json["message"]).toContain("forbidden_actions: verify_result");
  writeFileSync(file, text.replace("  - merge_run\n", ""));
  expect(await coordinatorJson(["merge", "last"], { cwd, env })).toMatchObject({
    code: 3,
    json: { code: "CONTRACT_APPROVAL" },
  });
  writeFileSync(file, "name: somebody\n");
  expect(await coordinatorJson(["route", "x"], { cwd, env })).toMatchObject({
    code: 2,
    json: { code: "DOCUMENT_INVALID" },
  });
});
