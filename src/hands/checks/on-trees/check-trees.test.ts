import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Configuration } from "../../../model/settings/configuration.js";
import { sampleRepository } from "../../../testing/sample-repository.js";
import { verify } from "../verify.js";
import { openQuarantine } from "../../workspace/quarantine.js";
import { createWorkspaces } from "../../workspace/workspace.js";
import { checkTrees, knownResults } from "./check-trees.js";
import { openRecords } from "../../attempts/run-records.js";

const TESTS = `import { test } from "node:test"; import assert from "node:assert"; import { add, old } from "./sum.mjs";
test("adds", () => assert.equal(add(1, 2), 3)); test("was broken before", () => assert.equal(old(), 1));`;

describe("checks on trees of a real repository, in real sandboxes", () => {
  const sample = sampleRepository({
    "sum.mjs": "export const add = (a, b) => a + b;\nexport const old = () => 2;\n",
    "sum.test.mjs": TESTS,
    "lock.txt": "1\n",
  });
  afterAll(sample.remove);
  const configuration = Configuration.parse({
    checks: [{ name: "test", kind: "test", run: "node --test --test-reporter=tap" }],
    workspace: {
      setup: { run: "mkdir made && cp lock.txt made/ && echo once >> made/log", inputs: ["lock.txt"], keeps: ["made"] },
    },
  });
  const treeOf = (commit: string) => sample.git("rev-parse", `${commit}^{tree}`);
  const base = sample.git("rev-parse", "HEAD");

  async function prove(files: Readonly<Record<string, string>>, checks = configuration.checks) {
    for (const [name, text] of Object.entries(files)) sample.write(name, text);
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
      sandbox: { records: join(sample.folder, "cages"), unsafeNoSandbox: true },
      cache: join(sample.folder, "cache"),
      pristineTree: treeOf(base),
    });
    const ran: string[] = [];
    const counted: typeof run = (tree, wanted, signal) => {
      ran.push(`${tree === treeOf(base) ? "base" : "result"} ${wanted.map(({ name }) => name).join()}`);
      return run(tree, wanted, signal);
    };
    const report = await verify(
      {
        base_tree: treeOf(base),
        tree: treeOf(commit),
        checks,
        changed_files: 1,
        changes_due: true,
        blocked: [],
        may_go: [],
        lifted: [],
        security: [],
        signal: new AbortController().signal,
      },
      counted,
      knownResults(openRecords(join(sample.folder, "known")), configuration),
    );
    await workspaces.close();
    sample.git("reset", "-q", "--hard", base);
    return { report, ran };
  }

  it("tolerate what failed before, run the base once, and catch what broke now", async () => {
    const good = await prove({ "more.mjs": "export const more = 1;\n" });
    expect(good.report.verdict).toBe("PASS");
    expect(good.report.pre_existing.map(({ finding }) => finding.name)).toEqual(["was broken before"]);
    // A failure on the base is looked at twice, so that chance excuses nothing later.
    expect(good.ran).toEqual(["base test", "base test", "result test"]);

    const bad = await prove({ "sum.mjs": "export const add = (a, b) => a - b;\nexport const old = () => 2;\n" });
    expect(bad.report.verdict).toBe("FAIL");
    expect(bad.report.regressions.map(({ finding }) => finding.name)).toEqual(["adds"]);
    // The base is known; what fails is looked at twice.
    expect(bad.ran).toEqual(["result test", "result test"]);
    expect(bad.report.results[0]).toMatchObject({ exit_code: 1, format: "tap", ended: "exited" });
  });

  it("read all reports that fit a pattern, and none that was there before", async () => {
    const xml = (name: string) => `<?xml version="1.0"?><testsuite name="s"><testcase name="${name}"/></testsuite>`;
    const write = ["target/r/TEST-a.xml", "b/target/r/TEST-b.xml"].map(
      (file, i) => `mkdir -p $(dirname ${file}) && printf '%s' '${xml(`t${i}`)}' > ${file}`,
    );
    const report = { format: "junit" as const, file: "**/target/r/TEST-*.xml" };
    const look = [{ name: "java", kind: "test" as const, run: write.join(" && "), report, minutes: 1 }];
    const seen = await prove({ "c/target/r/TEST-old.xml": xml("old"), "notarget/r/TEST-x.xml": xml("other") }, look);
    expect(seen.report.results[0]?.findings.map(({ name }) => name)).toEqual(["t1", "t0"]);
    expect(seen.report.verdict).toBe("PASS");
  });

  it("find what setup made, kept from the base and from no other tree", async () => {
    const look = [
      { ...configuration.checks[0], name: "made", kind: "other" as const, run: "cat made/log made/lock.txt" },
    ];
    const { report } = await prove({ "a.txt": "a" }, look as typeof configuration.checks);
    expect(report.results[0]?.output).toBe("once\n1\n");
    const changed = await prove({ "lock.txt": "2\n" }, look as typeof configuration.checks);
    expect(changed.report.results[0]?.output).toBe("once\n2\n");
  });

  it("read no report that lay there before they began", async () => {
    const forged = '<testsuite><testcase name="adds"/><testcase name="was broken before"/></testsuite>';
    const reported = {
      ...configuration.checks[0],
      name: "reported",
      run: "test -e sum.mjs",
      report: { format: "junit", file: "report.xml" },
    };
    const { report } = await prove({ "report.xml": forged }, [reported] as typeof configuration.checks);
    expect(report.results[0]).toMatchObject({ findings: [], format: "exit_code" });
  });

  it("leave nothing of themselves in the repository", () => {
    expect(sample.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    expect(sample.git("status", "--porcelain")).toBe("");
  });
});
