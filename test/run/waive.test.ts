import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { GuardrailEntry } from "../../src/model/plan/registry.js";
import { VerdictReport } from "../../src/model/settings/check.js";
import { carryOutRun, RUN, type RealProject, realProject, realTask, scopeOf } from "./real-run.js";

/* A builder deletes a test. That is not a PASS; a person may let that very test go, of that very result. */

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const HEAD = `refs/coord/${RUN}/head`;
/** Each file is a test, and with another one beside it, two. */
const CHECK = `echo TAP version 14; n=0
for t in tests/*.sh; do n=$((n+1)); sh $t && echo "ok - $(basename $t .sh)" || echo "not ok - $(basename $t .sh)"
  if [ -e $t.more ]; then n=$((n+1)); echo "ok - $(basename $t .sh) more"; fi
done; echo 1..$n`;
const REMOVE = realTask("T1", "Remove the old format", { scope: scopeOf("tests/**") });
const MORE = realTask("T2", "Test more of it", { scope: scopeOf("tests/**") });
const GUARDRAIL = GuardrailEntry.parse({
  kind: "guardrail",
  id: "keep_tests",
  version: "1.0.0",
  status: "active",
  title: "Tests are not deleted",
  watches: "result",
  severity: "block",
  override: "architecture",
  reason: "A deleted test proves nothing any more.",
  paths: ["tests/**"],
  changes: ["deleted"],
});
const SCRIPT = [
  {
    prompt_has: "Your task: Remove the old format",
    steps: [{ delete: "tests/old.sh" }, { write: "tests/new.sh", text: "true\n" }, { say: "done" }],
  },
  {
    prompt_has: "Your task: Test more of it",
    steps: [{ write: "tests/old.sh.more", text: "more\n" }, { say: "done" }],
  },
];

function project(): RealProject {
  const made = realProject(SCRIPT, {
    checks: [{ name: "tests", kind: "test", run: CHECK, report: { format: "tap" } }],
    reviewers: { architecture: ["ada"] },
  });
  for (const name of ["kept", "old"]) {
    const path = join(made.root, "tests", `${name}.sh`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "true\n");
  }
  made.git("add", ".");
  made.git("commit", "-q", "-m", "tests");
  return made;
}

/** What waits on a person is told by an exit code of its own. */
function call({ root, env }: RealProject, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd: root, env, encoding: "utf8" });
  return `${stdout}${stderr}`;
}

describe("a result without a test that the base has", () => {
  it("is blocked, says who may waive it and how, and is merged with proof when a person has: at its verdict and on the branch", async () => {
    const made = project();
    const tasks = [REMOVE, MORE];
    const blocked = await carryOutRun(made, tasks, {}, { guardrails: [GUARDRAIL] });
    expect(blocked.status).toBe("blocked");
    const [first] = blocked.of("escalation_raised").map(({ escalation }) => escalation);
    expect(first).toMatchObject({
      task_id: "T1",
      summary: expect.stringContaining("ran no more: old (person may waive it)") as unknown,
      liftable: {
        tests: [{ check: "tests", name: "old" }],
        guardrails: [{ rule_id: "keep_tests", path: "tests/old.sh", override: "architecture" }],
      },
    });
    const id = first?.escalation_id ?? "";
    const inbox = call(made, "inbox");
    expect(inbox).toContain(`$ coordinator answer ${id} --order waive --as architecture\n`);
    expect(inbox).toContain("may go: tests: old");
    expect(call(made, "status", RUN)).toContain(id);

    call(made, "answer", id, "--order", "waive", "--as", "architecture", "--by", "ada", "--note", "the format is gone");
    // T2 has landed meanwhile, and with it one more test of the same.
    const onBranch = await carryOutRun(made, tasks, {}, { guardrails: [GUARDRAIL] });
    expect(onBranch.status).toBe("blocked");
    expect(onBranch.of("verification_finished").at(-1)).toMatchObject({
      task_id: "T1",
      verdict: "PASS",
      evidence: expect.stringContaining("1 test waived by ada as architecture: old") as unknown,
    });
    expect(VerdictReport.parse(await made.records.read("verdict T1#1"))).toMatchObject({
      verdict: "PASS",
      missing: [],
      let_go: [{ check: "tests", finding: { name: "old" }, by: "ada as architecture" }],
      lifted: [{ rule_id: "keep_tests", path: "tests/old.sh", by: "ada as architecture" }],
    });
    const second = onBranch.of("escalation_raised").at(-1)?.escalation;
    expect(second).toMatchObject({ task_id: "T1", liftable: { tests: [{ check: "tests", name: "old more" }] } });
    call(made, "answer", second?.escalation_id ?? "", "--order", "waive", "--by", "grace", "--test", "old more");

    const done = await carryOutRun(made, tasks, {}, { guardrails: [GUARDRAIL] });
    expect(done.status).toBe("completed");
    expect(
      done
        .of("attempt_started")
        .map(({ task_id }) => task_id)
        .sort(),
    ).toEqual(["T1", "T2"]);
    const orders = done.of("escalation_answered");
    expect(orders).toMatchObject([
      {
        order: { action: "lift", tests: [{ name: "old" }], note: "the format is gone" },
        decider: { by: "ada as architecture" },
      },
      { order: { action: "lift", tests: [{ name: "old more" }] }, decider: { by: "grace", how: "person" } },
    ]);
    expect(call(made, "merge", RUN)).toContain("main");
    expect(made.git("log", "main", "--format=%(trailers:key=Coordinator-Verdict,valueonly)")).toContain(
      "PASS (tests: 2 passed, 2 tests waived by ada as architecture, grace: old, old more, keep_tests at tests/old.sh waived by ada as architecture)",
    );
    expect(made.git("ls-tree", "--name-only", "main", "tests/")).toBe("tests/kept.sh\ntests/new.sh\ntests/old.sh.more");
    expect(call(made, "verify", RUN)).toContain("events");
  });

  it("is not taken when a person refuses: nothing of it comes onto the branch, and nobody tries again", async () => {
    const made = project();
    const blocked = await carryOutRun(made, [REMOVE], {}, { guardrails: [GUARDRAIL] });
    expect(call(made, "inbox")).toContain("--order waive --as architecture\n");
    const id = blocked.of("escalation_raised")[0]?.escalation.escalation_id ?? "";
    expect(call(made, "answer", id, "--order", "waive", "--test", "kept")).toContain("kept is not among the tests");
    expect(call(made, "answer", id, "--order", "give_up", "--by", "ada")).toContain("taken");
    const ended = await carryOutRun(made, [REMOVE]);
    expect(ended.status).toBe("failed");
    expect(ended.of("attempt_started")).toHaveLength(1);
    expect(ended.of("judgement_resumed")).toEqual([]);
    expect(made.git("for-each-ref", HEAD)).toBe("");
  });
});
