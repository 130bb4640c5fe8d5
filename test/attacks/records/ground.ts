import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyHere } from "../../../src/app/prove/verify-here.js";
import { openRecords } from "../../../src/hands/attempts/run-records.js";
import type { RunEvent } from "../../../src/model/event.js";
import type { AnchorNotes } from "../../../src/app/prove/anchors.js";
import { openProject } from "../../../src/app/project/project.js";
import { readRuns } from "../../../src/app/project/open-runs.js";
import { stateFolder } from "../../../src/app/project/state-folder.js";
import type { LogVerification } from "../../../src/app/prove/verify-log.js";
import { type Database, loadDriver } from "../../../src/hands/store/sqlite/driver.js";
import { planRef, PROOF, runTask } from "../../../src/testing/run-fixtures.js";
import { coordinator } from "../../cli/program.js";
import { AUTO, ended, Log, storeIn } from "../../cli/run-logs.js";

/*
 * A project with records worth changing: a run that was carried out, proven and merged by the real program, with the
 * memory this machine has of it; a second run like it that nobody merged; one that is under way; a request.
 */

export const RUN = "run_20260203-040506-aaaaaa";
export const OTHER = "run_20260203-040507-bbbbbb";
export const OPEN = "run_20260203-040508-cccccc";
export const REQUEST = "req_20260203-040509-dddddd";

export interface Ground {
  readonly cwd: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly memory: string;
  readonly base: string;
  readonly head: string;
  readonly foreign: string;
  readonly git: (...args: string[]) => string;
  readonly sql: (change: string | ((database: Database) => void)) => Promise<void>;
  readonly verify: (run?: string, anchors?: readonly AnchorNotes[]) => Promise<LogVerification>;
  /** Everything as it was before anybody changed it. */
  readonly restore: () => void;
  readonly remove: () => void;
}

const spec = {
  id: "IS-export",
  checksum: "a".repeat(64),
  requirements: [{ id: "REQ-1", priority: "must_have" as const }],
};

/** A whole run of two tasks whose records lie beside its log. */
async function carriedOut(
  runId: string,
  folder: string,
  commits: readonly [string, string],
  base: string,
): Promise<Log> {
  const records = openRecords(join(folder, "records", runId));
  const kept = async (name: string, value: object) => (await records.write(name, { run: runId, ...value })).ref;
  const named = [
    { name: "base", ref: (await records.write("base", { commit: base, branch: "main" })).ref },
    { name: "reviews before merge", ref: (await records.write("reviews before merge", [])).ref },
  ];
  const log = new Log()
    .open(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]), AUTO)
    .take(
      { type: "sandbox_graded", grade: "strong", reason: "", by_order: false, records: named },
      { type: "brief_kept", brief: { ref: await kept("brief", { request: "Do it" }), spec, documents: [] } },
    );
  for (const [i, task_id] of ["A", "B"].entries()) {
    const commit = commits[i] as string;
    const done = { kind: "completed", output_ref: commit } as const;
    const evidence = `all checks pass [${await kept(`verdict ${task_id}#1`, { verdict: "PASS" })}]`;
    log.take(
      { ...(ended(task_id, 1, done) as object), record: await kept(`attempt ${task_id}#1`, { commit }) } as RunEvent,
      { type: "verification_finished", task_id, attempt: 1, verdict: "PASS", evidence, proof: PROOF },
      {
        type: "integration_finished",
        task_id,
        attempt: 1,
        integrated: true,
        ref: commit,
        record: await kept(`integration ${task_id}`, { commit }),
      },
      { type: "review_finished", task_id, attempt: 1, accepted: true, summary: "" },
    );
  }
  return log.take({
    type: "requirements_judged",
    round: 1,
    commit: commits[1],
    tree: "t",
    results: [{ id: "REQ-1", holds: true, evidence: "the test passes" }],
    ref: await kept("requirements 1", { holds: true }),
  });
}

export async function makeGround(): Promise<Ground> {
  const top = mkdtempSync(join(tmpdir(), "coordinator-records-"));
  const [cwd, home, kept] = [join(top, "project"), join(top, "home"), join(top, "kept")];
  for (const made of [cwd, home]) mkdirSync(made);
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), PATH: process.env["PATH"] ?? "" };
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const commit = (file: string) => {
    writeFileSync(join(cwd, file), `${file}\n`);
    git("add", file);
    git("commit", "-qm", file);
    return git("rev-parse", "HEAD");
  };
  git("init", "-q", "-b", "main");
  git("config", "user.name", "ada");
  git("config", "user.email", "ada@example.org");
  writeFileSync(join(cwd, ".gitignore"), ".coordinator/\n");
  git("add", ".gitignore");
  const base = commit("base.txt");
  git("checkout", "-q", "-b", "work");
  const commits = [commit("a.txt"), commit("b.txt")] as const;
  git("checkout", "-q", "-b", "foreign", base);
  const foreign = commit("evil.txt");
  git("checkout", "-q", "main");
  git("branch", "-qD", "work", "foreign");
  const head = commits[1];
  git("update-ref", `refs/coord/${RUN}/head`, head);
  git("update-ref", `refs/coord/${RUN}/A/1`, commits[0]);
  git("update-ref", "refs/coord/salvage/foreign", foreign);
  const { folder } = stateFolder(cwd);
  const store = await storeIn(cwd);
  for (const runId of [RUN, OTHER]) await (await carriedOut(runId, folder, commits, base)).writeTo(store, runId);
  await new Log().open(planRef([runTask("A")]), AUTO).writeTo(store, OPEN);
  await new Log().open(planRef([runTask("A")])).writeTo(store, REQUEST);
  await store.close();
  const merged = await coordinator(["merge", RUN, "--by", "ada"], { cwd, env });
  if (merged.code !== 0) throw new Error(`the run was not merged: ${merged.stdout}${merged.stderr}`);
  const settle = async () => {
    const database = (await loadDriver()).open(join(folder, "runs.db"));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  };
  await settle();
  cpSync(cwd, join(kept, "project"), { recursive: true });
  cpSync(home, join(kept, "home"), { recursive: true });
  return {
    cwd,
    folder,
    env,
    memory: join(env.XDG_STATE_HOME, "coordinator", "known-runs"),
    base,
    head,
    foreign,
    git,
    sql: async (change) => {
      const database = (await loadDriver()).open(join(folder, "runs.db"));
      try {
        database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
        if (typeof change === "string") database.exec(change);
        else change(database);
      } finally {
        database.close();
      }
    },
    verify: async (run = RUN, anchors = []) => {
      const at = stateFolder(cwd);
      const reader = await readRuns(at);
      if (reader === null) throw new Error("there is no store");
      try {
        return await verifyHere(reader, openProject({ cwd, environment: env }), run, { keys: [], anchors });
      } finally {
        await reader.close();
      }
    },
    restore: () => {
      for (const name of ["project", "home"]) {
        rmSync(join(top, name), { recursive: true, force: true });
        cpSync(join(kept, name), join(top, name), { recursive: true });
      }
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}
