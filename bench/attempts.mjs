// The cost of an attempt beside its agent's own work, part by part and with everything real: a repository of 10,000 files, an
// agent that writes one line in a sandbox, the checks of the project, the sum onto the run's branch. Then a run of many tasks of
// one second, many at once, beside the least it could take; and what a plan of words takes to be shown. Prints one JSON document.
//   node bench/attempts.mjs [files] [attempts] [tasks]
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readRuns } from "../dist/app/project/open-runs.js";
import { stateFolder } from "../dist/app/project/state-folder.js";

const [files = 10_000, attempts = 8, tasks = 120] = process.argv.slice(2).map(Number);
const AT_ONCE = 16;
const TASK_MS = 1000;
const at = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
const program = at("cli/main.js");
const all = mkdtempSync(join(tmpdir(), "coordinator-bench-"));
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** A project with so many files, and an intent of so many tasks, planned. Each task writes a file of its own. */
function makeProject(name, { count, ids, dependencies, sleep }) {
  const home = join(all, name);
  const cwd = join(home, "handbook");
  mkdirSync(join(home, "tmp"), { recursive: true });
  // At its end a process that carries out a run says what it has taken itself.
  const hook = join(home, "cpu.mjs");
  const cpu = JSON.stringify(join(home, "cpu.json"));
  writeFileSync(
    hook,
    `import { writeFileSync } from "node:fs";
if (process.argv.includes("run")) process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(${cpu}, JSON.stringify((user + system) / 1000));
});
`,
  );
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: join(home, "tmp"),
    LANG: "C.UTF-8",
    NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
  };
  const script = join(home, "script.json");
  const steps = (id) => [
    ...(sleep > 0 ? [{ sleep }] : []),
    { write: `docs/${id}.txt`, text: `${id}\n` },
    { say: "DOCS_COMPLETE" },
  ];
  writeFileSync(
    script,
    JSON.stringify({ tasks: ids.map((id) => ({ prompt_has: `Your task: Write ${id}\n`, steps: steps(id) })) }),
  );
  const write = (path, text) => {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  const command = [process.execPath, at("hands/agents/scripted/scripted-agent.mjs"), "--script", script];
  const own = { agents: { scripted: { preset: "scripted", command } }, workspace: { tools: [script] } };
  write("../.config/coordinator/config.yaml", JSON.stringify(own));
  write(
    "coordinator.yaml",
    JSON.stringify({
      default_agent: "scripted",
      reviewers: { architecture: ["ada"] },
      checks: [{ name: "nothing", kind: "test", run: "true" }],
    }),
  );
  const contract = readFileSync(new URL("../policy/contract.yaml", import.meta.url), "utf8");
  write(
    "governance/contracts/coordinator.yaml",
    contract
      .replace(/max_concurrent_tasks: \d+/, `max_concurrent_tasks: ${AT_ONCE}`)
      .replace(/max_queue_size: \d+/, `max_queue_size: ${Math.max(50, tasks)}`),
  );
  write(".gitignore", ".coordinator/\nplan/\nintent.yaml\n");
  for (let i = 0; i < count; i++)
    write(`src/part-${i % 100}/file-${i}.mjs`, `export const value${i} = ${i};\n`.repeat(20));
  write("docs/book.txt", "The handbook\n");
  write("README.md", "# Handbook\n");
  const run = (of, args) => execFileSync(of, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  run("git", ["init", "-q", "-b", "main"]);
  run("git", ["config", "user.name", "ada"]);
  run("git", ["config", "user.email", "ada@example.org"]);
  run("git", ["add", "."]);
  run("git", ["commit", "-qm", "Begin"]);
  if (ids.length > 0) {
    writeFileSync(join(cwd, "intent.yaml"), JSON.stringify(intent(ids, dependencies)));
    const packs = ["--facts", ".coordinator/facts.json", "--memory", ".coordinator/memory.json"];
    for (const args of [
      ["facts", "collect", "--out", ".coordinator/facts.json"],
      ["memory", "build", "--project", "handbook", "--out", ".coordinator/memory.json"],
      ["intent", "seal", "--write", "intent.yaml"],
      ["plan", "--intent", "intent.yaml", ...packs, "--out", "plan"],
    ])
      run(process.execPath, [program, ...args]);
  }
  return { home, cwd, env };
}

const intent = (ids, dependencies) => ({
  schema_version: "1.0.0",
  id: "intent_handbook_pages",
  type: "execution_intent",
  title: "The handbook gets its pages",
  version: "1.0.0",
  status: "approved",
  created_at: "2026-01-25T11:00:00Z",
  lineage: { introduced_in: "1.0.0", derived_from: [], supersedes: [] },
  scope: {
    project_id: "handbook",
    repo_root: ".",
    targets: { files: ["docs/book.txt"], modules: [], areas: ["docs"] },
  },
  objective: { goal: "Every page is there.", success_criteria: ["Every page is whole"], non_goals: [] },
  selected_workflows: [{ workflow_id: "feature_delivery", phases: ["implementation"] }],
  selected_agents: [{ agent_id: "technical_writer", role: "Writer", responsibilities: ["Write the pages"] }],
  planned_commands: [
    {
      command_id: "write_documentation",
      intent: "Write a page",
      effects: ["write"],
      risk_level: "low",
      evidence_refs: ["ticket://BOOK-1"],
    },
  ],
  tasks: ids.map((id, i) => ({
    id,
    command_id: "write_documentation",
    agent: "technical_writer",
    title: `Write ${id}`,
    type: "docs",
    dependencies: dependencies(i),
    priority: "P1",
    estimated_iterations: 1,
    completion_promise: "DOCS_COMPLETE",
    files: [],
    tests: [],
  })),
  interaction: { mode: "full_auto", question_budget: 0, question_policy: "never" },
  risk: { overall: "low", drivers: ["None"], requires_review: ["architecture"] },
  budgets: { max_files: 10_000, max_commits: 10_000, max_tokens: 1_000_000_000, max_cost_usd: 100_000 },
  evidence_refs: ["ticket://BOOK-1"],
  constraints: {
    execution: "forbidden",
    no_fabrication: true,
    registry_only: true,
    lock_scope: { mode: "files", paths: ["docs/**"] },
  },
  audit: { created_by: "ada", source: "human" },
});

/** Carry the plan out, and the times of its log. */
async function carryOut({ home, cwd, env }, ...more) {
  const args = [process.execPath, program, "run", "--plan", "plan", "--json", ...more];
  let said = "";
  const times = join(home, "times");
  const script = `"$@"; code=$?; times >'${times}'; exit $code`;
  const child = spawn("sh", ["-c", script, "sh", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said = (said + chunk).slice(-4000)));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(said);
  const reader = await readRuns(stateFolder(cwd));
  const [{ run_id }] = await reader.runs();
  const log = [];
  for await (const { event, at: time } of reader.read(run_id)) log.push({ ...event, ms: Date.parse(time) });
  await reader.close();
  if (log.findLast(({ type }) => type === "run_finished")?.status !== "completed") throw new Error(said);
  const [, all = ""] = readFileSync(times, "utf8").trim().split("\n");
  const seconds = [...all.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => 60 * minutes + Number(rest));
  const all_ms = 1000 * seconds.reduce((sum, each) => sum + each, 0);
  return { log, cpu_ms: JSON.parse(readFileSync(join(home, "cpu.json"), "utf8")), all_ms };
}

/** The parts of an attempt, by the events of the log that begin and end them. */
const PARTS = [
  ["attempt_started", "attempt_finished", "the attempt: view, workspace, sandbox, agent, import, gates"],
  ["attempt_finished", "verification_finished", "verified by a check that does nothing"],
  ["verification_finished", "integration_finished", "brought onto the run's branch, and checked there"],
  ["integration_finished", "review_finished", "reviewed by rule"],
];

async function measureAttempts() {
  const ids = Array.from({ length: attempts }, (_, i) => `page-${i}`);
  const one = makeProject("attempts", {
    count: files,
    ids,
    dependencies: (i) => (i === 0 ? [] : [ids[i - 1]]),
    sleep: 0,
  });
  const { log, cpu_ms, all_ms } = await carryOut(one);
  const timeOf = (type, id) => log.find((event) => event.type === type && event.task_id === id)?.ms;
  // The first makes what all others use: the copy of the repository, the baselines.
  const counted = ids.slice(1);
  const parts = PARTS.map(([from, to, name]) => ({
    name,
    ms: median(counted.map((id) => timeOf(to, id) - timeOf(from, id))),
  }));
  const agent_ms = agentMs(one);
  const whole_ms = median(counted.map((id) => timeOf("review_finished", id) - timeOf("attempt_started", id)));
  const empty = makeProject("one", { count: files, ids: ids.slice(0, 1), dependencies: () => [], sleep: 0 });
  const least = await carryOut(empty);
  const each = (sum, of) => (sum - of) / (attempts - 1);
  const cpu = { cpu_ms: each(cpu_ms, least.cpu_ms), all_ms: each(all_ms, least.all_ms) };
  return { files, attempts, parts, agent_ms, whole_ms, ...cpu, checkout_ms: checkoutMs(one) };
}

/** The least that any copy of the repository takes: git writes its files into a folder of their own, and syncs nothing. */
function checkoutMs({ home, cwd, env }) {
  const times = Array.from({ length: 3 }, (_, i) => {
    const to = join(home, `copy-${i}`);
    execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", cwd, to], { env });
    const before = performance.now();
    execFileSync("git", ["-c", "core.fsync=none", "-C", to, "reset", "--quiet", "--hard"], { env });
    return performance.now() - before;
  });
  return median(times);
}

/** The scripted agent alone, as it takes to start and to end. */
function agentMs({ cwd, env }) {
  const times = Array.from({ length: 5 }, () => {
    const before = performance.now();
    execFileSync(process.execPath, [at("hands/agents/scripted/scripted-agent.mjs")], { cwd, env, input: "" });
    return performance.now() - before;
  });
  return median(times);
}

async function measureMakespan() {
  const ids = Array.from({ length: tasks }, (_, i) => `page-${i}`);
  const many = makeProject("many", { count: 100, ids, dependencies: () => [], sleep: TASK_MS });
  const { log, cpu_ms, all_ms } = await carryOut(many, "--max-concurrent", String(AT_ONCE));
  const seconds = (log.at(-1).ms - log.find(({ type }) => type === "attempt_started").ms) / 1000;
  const bound = (Math.ceil(tasks / AT_ONCE) * TASK_MS) / 1000;
  const cores = availableParallelism();
  const each = { cpu_ms_per_task: cpu_ms / tasks, all_ms_per_task: all_ms / tasks };
  return { tasks, at_once: AT_ONCE, cores, seconds, bound, cores_seconds: all_ms / 1000 / cores, ...each };
}

/** A plan of words: until the first line is seen, until it is there, and its CPU time with all it starts. */
async function measurePlan() {
  const { cwd, env } = makeProject("words", { count: files, ids: [], dependencies: () => [], sleep: 0 });
  const { NODE_OPTIONS: _, ...plain } = env;
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const before = performance.now();
    // At a terminal, since what is being done is told there and nowhere else.
    const command = `'${process.execPath}' '${program}' plan 'Document src/part-1/file-1.mjs in README.md'`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd,
      env: { ...plain, TERM: "xterm" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let first_ms = null;
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        first_ms ??= performance.now() - before;
        said += chunk;
      });
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0 && code !== 3) throw new Error(said);
    rounds.push({ first_ms, wall_ms: performance.now() - before });
  }
  const least = (name) => Math.min(...rounds.map((round) => round[name]));
  // The first also reads the repository, which the others find in the profile that it left.
  return { cold_ms: rounds[0].wall_ms, first_ms: least("first_ms"), wall_ms: least("wall_ms") };
}

try {
  const plan = await measurePlan();
  const attempt = await measureAttempts();
  const makespan = await measureMakespan();
  console.log(JSON.stringify({ plan, attempt, makespan }));
} finally {
  rmSync(all, { recursive: true, force: true });
}
