import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { addOwnSettings } from "../own-settings.js";

/* A repository with an intent of writing tasks on it, planned and ready to be carried out by agents that follow a script. */

const root = fileURLToPath(new URL("../..", import.meta.url));
export const PROGRAM = join(root, "dist", "cli", "main.js");
const AGENT = join(root, "dist", "hands", "agents", "scripted", "scripted-agent.mjs");
const ARM = pathToFileURL(fileURLToPath(new URL("./arm.mjs", import.meta.url))).href;

export interface Task {
  readonly id: string;
  readonly dependencies: readonly string[];
}

export type Steps = readonly Record<string, unknown>[];

export interface Project {
  readonly folder: string;
  readonly project: string;
  /** The environment commands run with: a home of its own, and processes that can be killed at crash points. */
  readonly environment: Readonly<Record<string, string>>;
  readonly git: (...args: string[]) => string;
}

export interface ProjectParts {
  readonly files: Readonly<Record<string, string>>;
  readonly tasks: readonly Task[];
  /** In order: the first whose words are in the prompt, in this attempt, is taken. */
  readonly script: readonly { readonly prompt_has: string; readonly attempt?: number; readonly steps: Steps }[];
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** The words by which a script knows the prompt of a task. */
export const promptOf = (id: string) => `Your task: Write ${id}\n`;

/** A folder of its own with the project in it; gone when the test ends. */
export function makeProject({ files, tasks, script, configuration }: ProjectParts): Project {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const project = join(folder, "handbook");
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    TMPDIR: join(folder, "tmp"),
    LANG: "C.UTF-8",
    NODE_OPTIONS: `--import=${ARM}`,
    E2E_SECRET: "nobody's to know",
  };
  mkdirSync(environment.TMPDIR);
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: project,
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  const git = (...args: string[]) => run("git", ...args).trimEnd();
  const coordinator = (...args: string[]) => run(process.execPath, PROGRAM, ...args);
  writeFileSync(join(folder, "script.json"), JSON.stringify({ tasks: script }));
  addOwnSettings(folder, { agents: agentsIn(folder), workspace: { tools: [join(folder, "script.json")] } });
  writeFiles(project, {
    ...files,
    "coordinator.yaml": JSON.stringify({
      default_agent: "scripted",
      reviewers: { architecture: ["ada"] },
      ...configuration,
    }),
    ".gitignore": ".coordinator/\nplan/\nintent.yaml\nmade/\n",
  });
  const key = JSON.stringify({ files, tasks, configuration });
  const kept = prepared.get(key);
  if (kept !== undefined) {
    cpSync(kept, project, { recursive: true, preserveTimestamps: true });
    return { folder, project, environment, git };
  }
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");
  git("add", ".");
  git("commit", "-qm", "Begin");
  writeFileSync(join(project, "intent.yaml"), JSON.stringify(intent(tasks)));
  coordinator("facts", "collect", "--out", ".coordinator/facts.json");
  coordinator("memory", "build", "--project", "handbook", "--out", ".coordinator/memory.json");
  coordinator("intent", "seal", "--write", "intent.yaml");
  const packs = ["--facts", ".coordinator/facts.json", "--memory", ".coordinator/memory.json"];
  coordinator("plan", "--intent", "intent.yaml", ...packs, "--out", "plan");
  prepared.set(key, keepCopy(project));
  return { folder, project, environment, git };
}

/** Projects as they were planned, by what they were made from: a file of tests plans each of them once. */
const prepared = new Map<string, string>();
afterAll(() => {
  for (const copy of prepared.values()) rmSync(copy, { recursive: true, force: true });
  prepared.clear();
});

function keepCopy(project: string): string {
  const copy = mkdtempSync(join(tmpdir(), "coordinator-planned-"));
  cpSync(project, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The second agent is nobody's: its key is the one variable by which crash points reach the shims. */
function agentsIn(folder: string): Record<string, unknown> {
  const auth = {
    type: "proxy",
    upstream: "http://127.0.0.1:9",
    routes: ["GET /"],
    key_env: "NODE_OPTIONS",
    header: "x-key",
  };
  const scripted = {
    preset: "scripted",
    command: [process.execPath, AGENT, "--script", join(folder, "script.json")],
    limits: { silence_seconds: 8, cancel_grace_seconds: 0.5 },
  };
  return { scripted, unused: { command: ["true"], auth } };
}

function intent(tasks: readonly Task[]): unknown {
  const evidence_refs = ["ticket://BOOK-1"];
  return {
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
        evidence_refs,
      },
    ],
    // None names its files: what a writer may write is all of docs, and so any two of them may meet.
    tasks: tasks.map(({ id, dependencies }) => ({
      id,
      command_id: "write_documentation",
      agent: "technical_writer",
      title: `Write ${id}`,
      type: "docs",
      dependencies,
      priority: "P1",
      estimated_iterations: 1,
      completion_promise: "DOCS_COMPLETE",
      files: [],
      tests: [],
    })),
    interaction: { mode: "full_auto", question_budget: 0, question_policy: "never" },
    risk: { overall: "low", drivers: ["None"], requires_review: ["architecture"] },
    budgets: { max_files: 10_000, max_commits: 1000, max_tokens: 100_000_000, max_cost_usd: 10_000 },
    evidence_refs,
    constraints: {
      execution: "forbidden",
      no_fabrication: true,
      registry_only: true,
      lock_scope: { mode: "files", paths: ["docs/**"] },
    },
    audit: { created_by: "ada", source: "human" },
  };
}
