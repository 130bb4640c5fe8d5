import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { FactPack, MemoryPack } from "../../src/model/settings/packs.js";
import { coordinator, coordinatorJson, FEATURE, QUESTIONS, workFolder } from "./program.js";

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd, encoding: "utf8" });

function repository(files: Readonly<Record<string, string>>): string {
  const cwd = workFolder();
  git(cwd, "init", "--quiet", "--initial-branch=trunk");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  git(cwd, "add", ".");
  git(cwd, "commit", "--quiet", "-m", "start");
  return cwd;
}

const readFacts = (cwd: string) =>
  FactPack.parse(JSON.parse(readFileSync(join(cwd, ".coordinator", "facts.json"), "utf8")));

describe("facts collect", () => {
  it("writes what can be seen of a repository, each fact with its evidence", async () => {
    const cwd = repository({
      "src/index.ts": "",
      "tools/release.py": "",
      "test/index.test.ts": "",
      "package.json": "{}",
      "pnpm-lock.yaml": "",
      ".github/workflows/check.yml": "",
      "db/migrations/001_start.sql": "",
    });
    git(cwd, "branch", "main");
    const { code, stdout } = await coordinator(["facts", "collect", "--project", "shop"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("Written: .coordinator/facts.json");
    const pack = readFacts(cwd);
    expect(pack.project_id).toBe("shop");
    expect(pack.facts).toEqual({
      ci_configured: { value: true, evidence_ref: "repo://.github/workflows/check.yml" },
      current_branch: { value: "trunk", evidence_ref: "git://HEAD" },
      default_branch: { value: "main", evidence_ref: "git://refs/heads/main" },
      has_lockfile: { value: true, evidence_ref: "repo://pnpm-lock.yaml" },
      has_migrations: { value: true, evidence_ref: "repo://db/migrations/001_start.sql" },
      has_tests: { value: true, evidence_ref: "repo://test/index.test.ts" },
      languages: { value: ["Python", "SQL", "TypeScript"], evidence_ref: "git://ls-files" },
      package_managers: { value: ["pnpm"], evidence_ref: "git://ls-files" },
      working_tree_clean: { value: true, evidence_ref: "git://status" },
    });
    writeFileSync(join(cwd, "src/index.ts"), "changed");
    await coordinator(["facts", "collect"], { cwd });
    expect(readFacts(cwd).facts["working_tree_clean"]).toMatchObject({ value: false });
    expect(readFacts(cwd).project_id).toBe("shop");
  });

  it("leaves out what cannot be told and keeps what people wrote", async () => {
    const cwd = repository({ "main.go": "", "go.mod": "" });
    mkdirSync(join(cwd, ".coordinator"));
    const backup = { value: true, evidence_ref: "ticket://OPS-7" };
    writeFileSync(
      join(cwd, ".coordinator", "facts.json"),
      JSON.stringify({
        schema_version: "1.0.0",
        pack_id: "facts_hand",
        project_id: "engine",
        collected_at: "2026-01-01T00:00:00Z",
        facts: { backup_verified: backup, default_branch: { value: "gone", evidence_ref: "git://HEAD" } },
      }),
    );
    const { json } = await coordinatorJson(["facts", "collect"], { cwd });
    expect(json).toMatchObject({ type: "facts", written_to: ".coordinator/facts.json", kept: ["backup_verified"] });
    const { facts } = readFacts(cwd);
    expect(facts["backup_verified"]).toEqual(backup);
    expect(Object.keys(facts)).not.toContain("ci_configured");
    expect(Object.keys(facts)).not.toContain("default_branch");
    expect(facts).toMatchObject({ has_tests: { value: false }, has_lockfile: { value: false } });
  });

  it("looks at a folder that is not a repository, and at one that is elsewhere", async () => {
    const cwd = workFolder();
    mkdirSync(join(cwd, "project", "lib"), { recursive: true });
    writeFileSync(join(cwd, "project", "lib", "a.rb"), "");
    const { json } = await coordinatorJson(["facts", "collect", "--repo", "project", "--out", "facts.json"], { cwd });
    expect(json["pack"]).toMatchObject({ project_id: "project", facts: { languages: { value: ["Ruby"] } } });
    expect((await coordinator(["facts", "collect", "--repo", "nowhere"], { cwd })).code).toBe(2);
  });

  it("runs nothing a repository brings along [S4-095]", async () => {
    const cwd = repository({ "a.txt": "text", ".gitattributes": "*.txt filter=evil\n" });
    const effect = join(cwd, "..", "effect-of-a-repository");
    writeFileSync(join(cwd, "monitor.sh"), `#!/bin/sh\ntouch ${effect}\n`, { mode: 0o755 });
    git(cwd, "config", "core.fsmonitor", join(cwd, "monitor.sh"));
    git(cwd, "config", "core.pager", join(cwd, "monitor.sh"));
    git(cwd, "config", "filter.evil.clean", join(cwd, "monitor.sh"));
    writeFileSync(join(cwd, "a.txt"), "tex2");
    const { code, json } = await coordinatorJson(["facts", "collect"], { cwd });
    expect(code).toBe(0);
    expect(existsSync(effect)).toBe(false);
    expect(Object.keys((json["pack"] as { facts: object }).facts)).not.toContain("working_tree_clean");
  });
});

describe("memory build", () => {
  const readMemory = (cwd: string) =>
    MemoryPack.parse(JSON.parse(readFileSync(join(cwd, ".coordinator", "memory.json"), "utf8")));

  it("makes an empty memory the first time, with which a plan can be made", async () => {
    const cwd = workFolder("feature-plan");
    const { code, stdout } = await coordinator(["memory", "build", "--project", "report-desk"], { cwd });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("0 notes, history of 0 commands, 0 remembered answers"),
    ]);
    const without = FEATURE.slice(0, FEATURE.indexOf("--memory"));
    expect((await coordinator(["plan", ...without], { cwd })).code).toBe(0);
  });

  it("learns from runs and plans, and adds to what it knew [S4-103]", async () => {
    const cwd = workFolder("questions");
    await coordinator(["plan", ...QUESTIONS, "--answers", "answers.json", "--out", "plan"], { cwd });
    const observation = { command_id: "run_tests", tokens_in: 100, tokens_out: 10, minutes: 3, failed: false };
    writeFileSync(
      join(cwd, "seen.jsonl"),
      `${JSON.stringify(observation)}\n\n${JSON.stringify({ ...observation, failed: true })}\n`,
    );
    const args = [
      "memory",
      "build",
      "--project",
      "report-desk",
      "--from-plans",
      "plan",
      "--observations",
      "seen.jsonl",
    ];
    const { json } = await coordinatorJson(args, { cwd });
    expect(json["learned"]).toEqual({ observations: 2, plans: 1 });
    const first = readMemory(cwd);
    expect(first.history).toMatchObject([{ command_id: "run_tests", samples: 2, failures: 1 }]);
    expect(first.answers).toContainEqual({ question_id: "q_reviewer_release", answer: "grace", times: 1 });
    // The same again teaches nothing, and what is new in it does.
    const again = await coordinatorJson(args, { cwd });
    expect(again.json["learned"]).toEqual({ observations: 0, plans: 0 });
    expect(readMemory(cwd)).toEqual({ ...first, collected_at: expect.any(String) as unknown });
    appendFileSync(join(cwd, "seen.jsonl"), `${JSON.stringify(observation)}\n`);
    await coordinator(args, { cwd });
    expect(readMemory(cwd).history).toMatchObject([{ command_id: "run_tests", samples: 3, failures: 1 }]);
  });

  it("remembers decisions that hold and handoffs, and what people noted", async () => {
    const cwd = workFolder();
    mkdirSync(join(cwd, "docs", "adr"), { recursive: true });
    mkdirSync(join(cwd, "sessions"));
    const adr = (status: string, title: string) =>
      `# 1. ${title}\n\n## Status\n\n${status}\n\n## Decision\n\nWe write ${title} to src/csv.ts.\n`;
    writeFileSync(join(cwd, "docs", "adr", "0001-csv.md"), adr("Accepted", "CSV exports"));
    writeFileSync(join(cwd, "docs", "adr", "0002-pdf.md"), adr("Rejected", "PDF exports"));
    writeFileSync(join(cwd, "sessions", "2026-02-03-001.md"), "# Handoff\n\nThe export still lacks a header.\n");
    await coordinator(["memory", "build", "--project", "shop"], { cwd });
    const first = readMemory(cwd);
    expect(first.notes.map(({ ref, kind, at }) => [ref, kind, at])).toEqual([
      ["decision:docs/adr/0001-csv.md", "decision", undefined],
      ["handoff:sessions/2026-02-03-001.md", "handoff", "2026-02-03T00:00:00Z"],
    ]);
    expect(first.notes[0]?.text).toContain("We write CSV exports to src/csv.ts.");
    const mine = { ref: "note:ada", text: "Ask grace about exports." };
    const file = join(cwd, ".coordinator", "memory.json");
    writeFileSync(file, JSON.stringify({ ...first, notes: [...first.notes, mine] }));
    writeFileSync(join(cwd, "docs", "adr", "0001-csv.md"), adr("Superseded by ADR-2", "CSV exports"));
    await coordinator(["memory", "build"], { cwd });
    expect(readMemory(cwd).notes.map(({ ref }) => ref)).toEqual(["note:ada", "handoff:sessions/2026-02-03-001.md"]);
  });

  it("takes nothing when a line is wrong", async () => {
    const cwd = workFolder();
    writeFileSync(join(cwd, "seen.jsonl"), '{"command_id":"run_tests"}\nnot json\n');
    const { code, stderr } = await coordinator(["memory", "build", "--observations", "seen.jsonl"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("seen.jsonl:1:1");
    expect(stderr).toContain("seen.jsonl:2:1");
    expect(existsSync(join(cwd, ".coordinator"))).toBe(false);
  });
});
