import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { parse } from "yaml";
import { examinedTask } from "../../src/hands/checks/examined-task.js";
import { verdictInputs } from "../../src/hands/checks/verdict-inputs.js";
import { treeProver } from "../../src/hands/checks/on-trees/prove-trees.js";
import type { VerdictReport } from "../../src/model/settings/check.js";
import { Configuration } from "../../src/model/settings/configuration.js";
import type { Change } from "../../src/model/diff-gate.js";
import type { GuardrailEntry } from "../../src/model/plan/registry.js";
import type { Scope } from "../../src/model/scope.js";
import { builtInRegistryDirectory, loadRegistry } from "../../src/hands/registry/load-registry.js";
import { compileGuardrails } from "../../src/mind/scope/compile-guardrails.js";
import { diffGate } from "../../src/mind/scope/diff-gate.js";
import { parseUnifiedDiff } from "../../src/mind/scope/unified-diff.js";
import { runTask } from "../../src/testing/run-fixtures.js";
import { openQuarantine } from "../../src/hands/workspace/quarantine.js";
import { createWorkspaces } from "../../src/hands/workspace/workspace.js";
import { ensureBuilt } from "../build.js";

/*
 * A repository on the bench: verdicts as a run gives them, with the settings `init` would write, real sandboxes, the gate over
 * the diff and the checks on both trees. Only the agent is left out: its change is put there as it would have left it.
 */

/** Contents by path; null deletes. */
export type Files = Readonly<Record<string, string | null>>;

export interface Bench {
  readonly judge: (change: Files) => Promise<VerdictReport>;
  readonly remove: () => Promise<void>;
}

export interface Base {
  readonly files: Readonly<Record<string, string>>;
  /** Instead of the checks that are found in the files. */
  readonly checks?: readonly unknown[];
  /** What is done to the repository before its files are committed, such as adding a submodule. */
  readonly prepare?: (git: Git, folder: string) => void;
}

/** A home with a cache of a compiler in it, written `~/…`. */
export interface FilledCache {
  readonly home: string;
  readonly folder: string;
}

export type Git = (...args: string[]) => string;

const PROGRAM = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PERSON = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"];

/** Which run of checks this is, in every check: a test that looks at it passes now and then, the same way every time. */
export const WHICH_RUN = "FIELD_RUN";

/**
 * One state directory for all repositories of a file of tests, as a person has one for all projects: a toolchain in a home
 * is shown to sandboxes as a tree of a hundred thousand hard links, which is made once and then used by every repository. It lies on the disk, where hard links into a home are possible.
 */
const stateHome = mkdtempSync(join(process.env["COORDINATOR_TESTS_DISK"] ?? tmpdir(), "coordinator-field-state-"));
afterAll(() => rm(stateHome, { recursive: true, force: true, maxRetries: 5 }));

export async function openBench(base: Base, cache: FilledCache | null = null): Promise<Bench> {
  ensureBuilt();
  const folder = await mkdtemp(join(tmpdir(), "coordinator-field-"));
  const path = join(folder, "project");
  const environment = {
    PATH: process.env["PATH"],
    HOME: cache?.home ?? homedir(),
    XDG_STATE_HOME: stateHome,
  };
  const git: Git = (...args) =>
    execFileSync("git", [...PERSON, ...args], {
      cwd: path,
      env: { ...environment, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", LANG: "C.UTF-8" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  mkdirSync(path);
  git("init", "-q", "-b", "main");
  base.prepare?.(git, folder);
  const start = commitFiles(base.files);
  const configuration = withCache(await configurationOf(path, base), cache);
  const quarantine = await openQuarantine({ repository: path, environment });
  const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
  let runs = 0;
  const { prove, examine } = await treeProver({
    runId: "run_of_field",
    quarantine,
    workspaces,
    configuration,
    stateFolder: join(folder, "kept"),
    environment,
    base: start,
    unsafeNoSandbox: false,
    nextPorts: async () => ({ [WHICH_RUN]: String(++runs) }),
    stopped: new AbortController().signal,
  });
  const guardrails = compileGuardrails(await shippedGuardrails());
  return {
    judge: async (change) => {
      git("checkout", "-q", "-B", "work", start);
      const commit = commitFiles(change);
      const changes = changesIn(git, start, commit);
      const lines = parseUnifiedDiff(
        git("diff-tree", "-r", "-p", "-U0", "--no-color", "--no-renames", start, commit),
      ).files;
      const gate = diffGate({ scope: SCOPE, guardrails, changes, lines, overrides: [] });
      const task = runTask("change", { scope: SCOPE });
      const result = { changes, gate, refusals: [], output: "Done." };
      const judged = verdictInputs(result, task, []);
      const request = { ...judged, examine: examine(examinedTask(task, result, judged)) };
      const tree = (of: string) => git("rev-parse", `${of}^{tree}`);
      return prove(tree(start), tree(commit), request, new AbortController().signal);
    },
    remove: async () => {
      await workspaces.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };

  function commitFiles(files: Files): string {
    for (const [name, text] of Object.entries(files)) {
      const place = join(path, name);
      if (text === null) rmSync(place);
      else {
        mkdirSync(dirname(place), { recursive: true });
        writeFileSync(place, text);
      }
    }
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", "The files as they are");
    return git("rev-parse", "HEAD");
  }
}

/** Whatever may be written: here only what is written is judged. */
const SCOPE: Scope = {
  tools: ["read", "edit", "delete", "move"],
  commands: [],
  read: ["**"],
  write: ["**"],
  network: [],
  minutes: 5,
  output_bytes: 10_000_000,
  files: 50,
};

async function shippedGuardrails(): Promise<readonly GuardrailEntry[]> {
  const { guardrails } = await loadRegistry({ directories: [builtInRegistryDirectory()] });
  return guardrails;
}

/** Files that say how a project is checked: where they are the same, `init` writes the same. */
const MANIFESTS = ["package.json", "pyproject.toml", "go.mod", "Cargo.toml", "Makefile"];
const written = new Map<string, Promise<object>>();

/** What `init` writes here: checks, setup and toolchains as they are found, none of them tried before. */
async function configurationOf(root: string, { files, checks }: Base): Promise<Configuration> {
  const key = JSON.stringify([Object.keys(files).sort(), MANIFESTS.map((name) => files[name])]);
  const found = written.get(key) ?? initialised(root);
  written.set(key, found);
  return Configuration.parse({ ...(await found), ...(checks === undefined ? {} : { checks }) });
}

function withCache(configuration: Configuration, cache: FilledCache | null): Configuration {
  if (cache === null) return configuration;
  const setup = { run: "true", caches: [cache.folder] };
  return Configuration.parse({ ...configuration, workspace: { ...configuration.workspace, setup } });
}

async function initialised(root: string): Promise<object> {
  const args = [PROGRAM, "init", "--dry-run", "--no-checks", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  const { text } = JSON.parse(stdout) as { readonly text: string };
  return (parse(text) ?? {}) as object;
}

const CHANGE: Readonly<Record<string, Change["change"]>> = { A: "added", D: "deleted", T: "typechanged" };

function changesIn(git: Git, from: string, to: string): Change[] {
  const rows = git("diff-tree", "-r", "--raw", "--no-renames", "--abbrev=40", from, to).split("\n");
  return rows.filter(Boolean).map((row) => {
    const [modes = "", path = ""] = row.split("\t");
    const [before = "", after = "", , object = "", status = ""] = modes.split(" ");
    const isGone = status === "D";
    return {
      path,
      change: CHANGE[status] ?? "modified",
      mode: isGone ? before.slice(1) : after,
      size: isGone || after === "160000" ? 0 : Number(git("cat-file", "-s", object)),
      binary: false,
    };
  });
}
