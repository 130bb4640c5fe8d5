import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { examinedTask } from "../../src/hands/checks/examined-task.js";
import { verdictInputs } from "../../src/hands/checks/verdict-inputs.js";
import { treeProver } from "../../src/hands/checks/on-trees/prove-trees.js";
import type { VerdictReport } from "../../src/model/settings/check.js";
import { Configuration } from "../../src/model/settings/configuration.js";
import type { Change } from "../../src/model/diff-gate.js";
import type { RunTask } from "../../src/model/run.js";
import type { Waiver } from "../../src/mind/run/task-record.js";
import { builtInRegistryDirectory, loadRegistry } from "../../src/hands/registry/load-registry.js";
import { compileGuardrails } from "../../src/mind/scope/compile-guardrails.js";
import { diffGate } from "../../src/mind/scope/diff-gate.js";
import { parseUnifiedDiff } from "../../src/mind/scope/unified-diff.js";
import { runTask } from "../../src/testing/run-fixtures.js";
import { sampleRepository } from "../../src/testing/sample-repository.js";
import { openQuarantine } from "../../src/hands/workspace/quarantine.js";
import { createWorkspaces } from "../../src/hands/workspace/workspace.js";

/*
 * A small repository whose results are judged as those of a run are: the gate over the change with the built-in
 * guardrails, then the checks on base and result in real sandboxes, then what is looked at beside them.
 */

type Files = Readonly<Record<string, string>>;

export interface Project {
  readonly files: Files;
  readonly checks: readonly Readonly<Record<string, unknown>>[];
  /** Programs that stand outside of the repository, by name. */
  readonly tools?: Files;
}

export interface Attempted {
  /** What the result writes; null deletes. */
  readonly write: Readonly<Record<string, string | null>>;
  readonly type?: RunTask["type"];
  /** Paths the plan names. */
  readonly scope?: readonly string[];
  readonly waivers?: readonly Waiver[];
}

export interface Judged extends Pick<VerdictReport, "reasons" | "objections" | "notes"> {
  /** `REFUSED`: the gate ends the attempt, and there is no result. */
  readonly verdict: VerdictReport["verdict"] | "REFUSED";
  readonly guardrails: readonly string[];
}

const { guardrails } = await loadRegistry({ directories: [builtInRegistryDirectory()] });
const compiled = compileGuardrails(guardrails);

export async function openProject({ files, checks, tools = {} }: Project): Promise<{
  readonly judge: (attempted: Attempted) => Promise<Judged>;
  readonly close: () => Promise<void>;
}> {
  const sample = sampleRepository(files);
  const folder = join(sample.folder, "tools");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(tools)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  const configuration = Configuration.parse({ checks, workspace: { tools: [folder] } });
  const base = sample.git("rev-parse", "HEAD");
  const quarantine = await openQuarantine({ repository: sample.path, environment: sample.environment });
  const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
  const stopped = new AbortController();
  const { prove, examine } = await treeProver({
    runId: "run_of_cheats",
    quarantine,
    workspaces,
    configuration,
    stateFolder: join(sample.folder, "state-of-runs"),
    environment: sample.environment,
    base,
    unsafeNoSandbox: false,
    nextPorts: async () => ({}),
    stopped: stopped.signal,
  });
  const treeOf = (commit: string) => sample.git("rev-parse", `${commit}^{tree}`);

  async function judge({ write, type, scope = [], waivers = [] }: Attempted): Promise<Judged> {
    for (const [path, text] of Object.entries(write))
      if (text === null) sample.git("rm", "-q", path);
      else sample.write(path, text);
    const commit = sample.commit("A result");
    const changes = changesOf(sample.git("diff-tree", "-r", "--no-renames", base, commit));
    const diff = sample.git("diff-tree", "-r", "-p", "-U0", "--no-color", "--no-renames", base, commit);
    sample.git("reset", "-q", "--hard", base);
    const task = runTask("T1", {
      ...(type === undefined ? {} : { type }),
      scope: {
        tools: ["edit"],
        commands: [],
        read: ["**"],
        write: ["**", ...scope],
        network: [],
        minutes: 1,
        output_bytes: 1,
        files: 100,
      },
    });
    const gate = diffGate({
      scope: task.scope as NonNullable<RunTask["scope"]>,
      guardrails: compiled,
      changes,
      lines: parseUnifiedDiff(`${diff}\n`).files,
      overrides: [],
    });
    const held = [...new Set(gate.findings.filter(({ severity }) => severity === "block").map((each) => each.rule_id))];
    if (gate.verdict !== "pass" && gate.verdict !== "blocked")
      return { verdict: "REFUSED", reasons: [gate.verdict], objections: [], notes: [], guardrails: held };
    const beside = verdictInputs({ gate, changes, refusals: [], output: "" }, task, waivers);
    const request = { ...beside, examine: examine(examinedTask(task, { gate }, beside)) };
    const report = await prove(treeOf(base), treeOf(commit), request, new AbortController().signal);
    return { ...report, guardrails: held };
  }

  return {
    judge,
    close: async () => {
      stopped.abort();
      await workspaces.close();
      sample.remove();
    },
  };
}

const KINDS: Readonly<Record<string, Change["change"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  T: "typechanged",
};

function changesOf(listed: string): Change[] {
  return listed.split("\n").flatMap((line) => {
    const [, before, after, kind = "", path = ""] = /^:(\d+) (\d+) \w+ \w+ (\w)\t(.+)$/.exec(line) ?? [];
    const mode = (kind === "D" ? before : after) ?? "100644";
    return path === "" ? [] : [{ path, change: KINDS[kind] ?? "modified", mode, size: 10, binary: false }];
  });
}
