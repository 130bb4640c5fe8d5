import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../model/settings/check.js";
import type { RunTask } from "../../model/run.js";
import { runTask } from "../../testing/run-fixtures.js";
import { explainAlreadyDone, buildsOn, findEarlierWork, type EarlierWork } from "./already-done.js";

const scope = (write: string[]): RunTask["scope"] => ({
  tools: ["edit"],
  commands: [],
  read: ["**"],
  write,
  network: [],
  minutes: 1,
  output_bytes: 1,
  files: 1,
});
const TEST = { type: "test" as const, priority: "P1" as const, scope: scope(["tests/**"]) };
const DOCS = { type: "docs" as const, priority: "P1" as const, scope: scope(["docs/**", "README.md"]) };

const change = (path: string, kind: "added" | "modified" | "deleted" = "added") => ({
  path,
  change: kind,
  mode: "100644",
  size: 1,
  binary: false,
});
const ran = (passed: readonly string[], more: Partial<CheckResult> = {}): CheckResult => ({
  check: "test",
  kind: "test",
  command: "pytest",
  tree: "t",
  exit_code: 0,
  ended: "exited",
  format: "pytest",
  findings: passed.map((id) => ({ id, name: id, status: "passed", message: "", file: null, line: null })),
  output: "",
  output_sha256: "",
  ...more,
});
const work = (more: Partial<EarlierWork>): EarlierWork => ({
  task_id: "build",
  changes: [change("src/a.py", "modified"), change("tests/test_a.py")],
  before: [ran(["old"])],
  after: [ran(["old", "new 1", "new 2", "new 3"])],
  ...more,
});

describe("a task for tests that changed nothing", () => {
  it("is done when an earlier task added tests that pass, and says which", () => {
    expect(explainAlreadyDone(TEST, [work({})])).toBe("already done by build: tests/test_a.py added, 3 new tests pass");
  });

  it("is done by tests inside of the source, which only their names show", () => {
    const inline = work({ changes: [change("src/lib.rs", "modified")] });
    expect(explainAlreadyDone(TEST, [inline])).toBe("already done by build: 3 new tests pass");
  });

  it("is not done by tests that do not pass, were there before, or were only written", () => {
    expect(explainAlreadyDone(TEST, [work({ after: [ran(["old"])] })])).toBeNull();
    expect(explainAlreadyDone(TEST, [work({ before: [] })])).toBeNull();
    expect(explainAlreadyDone(TEST, [work({ before: [ran([], { ended: "timed_out" })] })])).toBeNull();
    const failing = ran(["old"]);
    failing.findings.push({ id: "new", name: "new", status: "failed", message: "", file: null, line: null });
    expect(explainAlreadyDone(TEST, [work({ after: [failing] })])).toBeNull();
    expect(explainAlreadyDone(TEST, [])).toBeNull();
  });

  it("where the runner names no test: a new file of tests, and all of them pass", () => {
    const bare = { format: "exit_code" as const };
    const named = work({ before: [ran([], bare)], after: [ran([], bare)] });
    expect(explainAlreadyDone(TEST, [named])).toBe("already done by build: tests/test_a.py added, and test passes");
    expect(explainAlreadyDone(TEST, [{ ...named, after: [ran([], { ...bare, exit_code: 1 })] }])).toBeNull();
    const wide = { type: "test" as const, priority: "P1" as const, scope: scope(["**"]) };
    expect(explainAlreadyDone(wide, [{ ...named, changes: [change("src/a.c", "modified")] }])).toBeNull();
    expect(explainAlreadyDone(wide, [{ ...named, changes: [change("tests/a.c", "deleted")] }])).toBeNull();
  });
});

it("a task for documents is done when an earlier task wrote what it was to write", () => {
  const pages = work({ changes: [change("README.md", "modified"), change("docs/a.md")] });
  expect(explainAlreadyDone(DOCS, [pages])).toBe("already done by build: README.md changed, docs/a.md added");
  expect(explainAlreadyDone(DOCS, [work({})])).toBeNull();
});

describe("a page that the plan offers beside what was asked for", () => {
  const offered = { ...DOCS, priority: "P2" as const };

  it("stops nobody when none was written, and the verdict says so", () => {
    expect(explainAlreadyDone(offered, [work({})])).toBe("no page was changed: nothing was to be added for build");
  });

  it("is asked about where nothing was built, and where somebody asked for it", () => {
    expect(explainAlreadyDone(offered, [])).toBeNull();
    expect(explainAlreadyDone({ ...offered, adr: "ADR-0007" }, [work({})])).toBeNull();
    expect(explainAlreadyDone({ ...TEST, priority: "P2" }, [work({ after: [ran(["old"])] })])).toBeNull();
  });
});

it("a task that builds something is never done by another", () => {
  expect(explainAlreadyDone({ type: "feature", priority: "P2", scope: scope(["**"]) }, [work({})])).toBeNull();
  expect(explainAlreadyDone({ type: undefined, priority: "P2", scope: scope(["**"]) }, [work({})])).toBeNull();
});

it("only tasks that it builds on are looked at, and only when it changed nothing", async () => {
  const tasks = [
    runTask("a"),
    runTask("b", { dependencies: ["a"] }),
    runTask("c"),
    runTask("t", { dependencies: ["b"], type: "test", ...(TEST.scope === undefined ? {} : { scope: TEST.scope }) }),
  ];
  const task = tasks[3] as RunTask;
  expect(buildsOn({ tasks }, task)).toEqual(["a", "b"]);
  const asked: string[] = [];
  const parts = {
    plan: { tasks },
    integrated: async (id: string) => {
      asked.push(id);
      return null;
    },
    checksOn: async () => [],
  };
  expect(await findEarlierWork(task, 0, parts)).toBeNull();
  expect(asked).toEqual(["a", "b"]);
  expect(await findEarlierWork(task, 2, parts)).toBeNull();
  expect(asked).toHaveLength(2);
});
