import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Configuration } from "../../../model/settings/configuration.js";
import { sampleRepository } from "../../../testing/sample-repository.js";
import { type CheckObserver, withObserver } from "../../checks/observe.js";
import { verify } from "../../checks/verify.js";
import { openQuarantine } from "../../workspace/quarantine.js";
import { isReachable } from "../../sandbox/owner.js";
import { createWorkspaces } from "../../workspace/workspace.js";
import { checkTrees, knownResults } from "../../checks/on-trees/check-trees.js";
import { openRecords } from "../run-records.js";

const samples: ReturnType<typeof sampleRepository>[] = [];
afterAll(() => samples.forEach((sample) => sample.remove()));

interface Project {
  readonly files?: Readonly<Record<string, string>>;
  readonly check: string;
  readonly setup: Readonly<Record<string, unknown>>;
}

/** A repository with one check, and the verdict on changes to it. */
function project({ files = {}, check, setup }: Project) {
  const sample = sampleRepository({ Makefile: "test:\n\ttrue\n", "lib.c": "int a;\n", ...files });
  samples.push(sample);
  const configuration = Configuration.parse({
    checks: [{ name: "test", kind: "other", run: check }],
    workspace: { setup },
  });
  const base = sample.git("rev-parse", "HEAD");
  const treeOf = (commit: string) => sample.git("rev-parse", `${commit}^{tree}`);
  const told: string[] = [];
  const setups: { tree: string; printed: string; exit_code: number | null }[] = [];
  const observer: CheckObserver = {
    noted: (text) => told.push(text),
    begun: ({ name }, tree) => {
      const seen = { tree, printed: "", exit_code: null as number | null };
      if (name === "setup") setups.push(seen);
      return {
        printed: (piece) => (seen.printed += piece.toString("utf8")),
        ended: ({ exit_code }) => (seen.exit_code = exit_code),
      };
    },
  };
  const judge = async (change: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(change)) sample.write(name, text);
    const commit = sample.commit("A change");
    const quarantine = await openQuarantine({ repository: sample.path, environment: sample.environment });
    const workspaces = await createWorkspaces({ quarantine, now: () => new Date().toISOString() });
    const run = checkTrees({
      nextPorts: async () => ({}),
      runId: "run_of_checks",
      quarantine,
      workspaces,
      configuration,
      environment: process.env,
      sandbox: { records: join(sample.folder, "cages") },
      cache: join(sample.folder, "cache"),
      pristineTree: treeOf(base),
    });
    const request = { changed_files: 1, changes_due: true, blocked: [], may_go: [], lifted: [], security: [] };
    const signal = new AbortController().signal;
    const trees = { base_tree: treeOf(base), tree: treeOf(commit), checks: configuration.checks, signal };
    const known = knownResults(openRecords(join(sample.folder, "known")), configuration);
    const report = await withObserver(observer, () => verify({ ...request, ...trees }, run, known));
    const left = readdirSync(workspaces.root);
    await workspaces.close();
    sample.git("reset", "-q", "--hard", base);
    return { report, left };
  };
  return { sample, judge, told, setups, treeOf: () => treeOf(base) };
}

describe("the environment of a base and of its result", () => {
  it("is the same where setup makes something beside what it keeps", async () => {
    const { judge, told } = project({
      check: "test -f gen.txt && test -f deps/a && make test",
      setup: { run: "mkdir deps && touch deps/a && echo x > gen.txt", inputs: ["Makefile"], keeps: ["deps"] },
    });
    const first = await judge({ "lib.c": "int a; /* a comment */\n" });
    expect(first.report.reasons).toEqual([]);
    expect(first.report.verdict).toBe("PASS");
    expect((await judge({ "lib.c": "int a; /* another */\n" })).report.verdict).toBe("PASS");
    expect(told.join("\n")).toContain("it makes gen.txt, which may be made from the source");
  });

  it("may be written where it was copied, as where it was made", async () => {
    const { judge, told } = project({
      check: "touch deps/probe && echo more >> deps/a && mkdir deps/below/new && make test",
      setup: {
        run: "mkdir -p deps/below && touch deps/a && ln deps/a deps/b",
        inputs: ["Makefile"],
        keeps: ["deps"],
      },
    });
    expect((await judge({ "lib.c": "int a; /* a comment */\n" })).report).toMatchObject({
      verdict: "PASS",
      reasons: [],
    });
    expect((await judge({ "lib.c": "int a; /* another */\n" })).report.verdict).toBe("PASS");
    expect(told).toEqual([]);
  });

  it("holds what was built from its own source, and not what was built from that of the base", async () => {
    const { judge } = project({
      check: "grep -q 'int a' built.txt",
      setup: { run: "cp lib.c built.txt", inputs: ["Makefile"], keeps: [] },
    });
    expect((await judge({ "lib.c": "int b;\n" })).report.verdict).toBe("FAIL");
    expect((await judge({ "lib.c": "int a; int c;\n" })).report.verdict).toBe("PASS");
  });

  it("holds a build of its own source beside copied packages, when a command for that is named", async () => {
    const { judge, told } = project({
      check: "test $(wc -l < deps/log) = 1 && grep -q 'int a' built.txt",
      setup: {
        run: "mkdir deps && echo once >> deps/log && cp lib.c built.txt",
        build: "cp lib.c built.txt",
        inputs: ["Makefile"],
        keeps: ["deps"],
      },
    });
    expect((await judge({ "lib.c": "int a; int c;\n" })).report.verdict).toBe("PASS");
    expect((await judge({ "lib.c": "int b;\n" })).report.verdict).toBe("FAIL");
    expect(told).toEqual([]);
  });

  it("fails by the result where setup works on the base and not on the result's source", async () => {
    const { judge } = project({
      check: "true",
      setup: { run: "grep -q 'int a' lib.c && touch built.txt || { echo 'error: lib.c does not compile'; exit 2; }" },
    });
    const { report } = await judge({ "lib.c": "garbage {{{\n" });
    expect(report.verdict).toBe("FAIL");
    expect(report.results[0]?.unready).toBeUndefined();
    expect(report.regressions[0]?.finding.message).toContain("error: lib.c does not compile");
  });

  it("is not a failure of the result where the result asks for packages that are not here", async () => {
    const { judge } = project({
      files: { "lock.txt": "1\n" },
      check: "true",
      setup: { run: "grep -q 1 lock.txt || { echo 'error: 2 is not in the cache'; exit 1; }", inputs: ["lock.txt"] },
    });
    const { report } = await judge({ "lock.txt": "2\n" });
    expect(report.results[0]?.unready).toContain("2 is not in the cache");
    expect(report.results[0]?.ended).toBe("not_started");
  });

  it("is copied and not made again when the inputs are the same, and made and told when one of them changes", async () => {
    const { judge, told, setups, treeOf } = project({
      files: { "lock.txt": "1\n" },
      check: "test $(wc -l < deps/log) = 1 && cmp lock.txt deps/lock",
      setup: {
        run: "echo begins && mkdir deps && date +%N >> deps/log && cp lock.txt deps/lock",
        inputs: ["lock.txt"],
        keeps: ["deps"],
      },
    });
    expect((await judge({ "lib.c": "int b;\n" })).report.verdict).toBe("PASS");
    expect(told).toEqual([]);
    expect(setups, "a setup is seen while it runs").toEqual([{ tree: treeOf(), printed: "begins\n", exit_code: 0 }]);
    expect((await judge({ "lock.txt": "2\n" })).report.verdict).toBe("PASS");
    expect(told).toEqual(["setup runs for this tree alone: it changes lock.txt, which setup depends on"]);
  });

  it("is made by setup where the result has something of its own in its place", async () => {
    const { judge } = project({
      check: "test -f deps/a",
      setup: { run: "mkdir -p deps && touch deps/a", inputs: ["Makefile"], keeps: ["deps"] },
    });
    expect((await judge({ "deps/own.txt": "mine\n" })).report.verdict).toBe("PASS");
  });

  it("is not a failure of the result when it cannot be made: one try, the error's first lines, the whole log", async () => {
    const chatter = "for i in $(seq 200); do echo npm warn deprecated package $i; done";
    const { judge, sample } = project({
      check: "true",
      setup: { run: `echo tried >> /ws/tries; echo 'npm error code ENOTCACHED'; ${chatter}; exit 7`, inputs: [] },
    });
    const { report, left } = await judge({ "lib.c": "int b;\n" });
    expect(report.regressions).toEqual([]);
    expect(report.results).toMatchObject([{ ended: "not_started", exit_code: null, findings: [] }]);
    const reason = report.results[0]?.unready ?? "";
    expect(reason).toContain("failed with exit code 7:\nnpm error code ENOTCACHED");
    const log = /The whole log: (.+)$/.exec(reason)?.[1] ?? "";
    expect(readFileSync(log, "utf8")).toContain("deprecated package 100");
    expect(readdirSync(join(sample.folder, "cache", "logs"))).toHaveLength(1);
    expect(existsSync(join(sample.folder, "known"))).toBe(false);
    expect(left.filter((name) => !name.startsWith("trash~"))).toEqual([]);
  });

  it("is given up at its limit, with what it said last", async () => {
    const { judge } = project({
      check: "true",
      setup: { run: "echo fetching everything; sleep 60", inputs: [], minutes: 0.1 },
    });
    const { report } = await judge({ "lib.c": "int b;\n" });
    expect(report.regressions).toEqual([]);
    expect(report.results[0]?.unready).toContain("did not end within its 0.1 minutes (workspace.setup.minutes)");
    expect(report.results[0]?.unready).toContain("fetching everything");
  });
});

/** A user that owns nothing here. */
const ORDINARY = 12_345;
const HERE = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const mayTry = process.getuid?.() === 0 && isReachable(join(ROOT, "package.json"), ORDINARY);

describe.runIf(mayTry)("the same under an ordinary user", () => {
  it("holds in every case above", () => {
    const home = mkdtempSync(join(tmpdir(), "coordinator-ordinary-"));
    chownSync(home, ORDINARY, ORDINARY);
    try {
      const runner = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", HERE, "--configLoader", "runner"];
      const identity = ["--reuid", String(ORDINARY), "--regid", String(ORDINARY), "--clear-groups"];
      const ended = spawnSync("setpriv", [...identity, process.execPath, ...runner], {
        cwd: ROOT,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: home, TMPDIR: home, NO_COLOR: "1" },
      });
      expect(`${ended.stdout}${ended.stderr}`).toMatch(/Tests +10 passed/);
      expect(ended.status).toBe(0);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
