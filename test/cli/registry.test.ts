import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { coordinator, coordinatorJson, FEATURE, snapshot, workFolder } from "./program.js";

function write(cwd: string, path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const BROKEN = `# A rule with a field that is not there.
- id: broken_rule
  version: 1.0.0
  status: active
  title: A rule that cannot be decided
  when: |-
    command.risk_level == "low"
      && command.colour == "blue"
  then: { decision: warn, reason: None. }
`;

describe("registry check", () => {
  it("finds the built-in registry whole [S4-032]", async () => {
    const { code, stdout } = await coordinator(["registry", "check"], { cwd: workFolder() });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\+ good {2}\d+ workflows, \d+ agents, \d+ commands, \d+ rules, \d+ facts, \d+ models, \d+ guardrails; every rule compiles\n$/,
    );
  });

  it("finds the project's own entries from every folder of its repository, and no further up", async () => {
    const root = workFolder();
    write(root, "governance/registry/rules/broken.yaml", BROKEN);
    mkdirSync(join(root, "src/deep"), { recursive: true });
    const check = (folder: string) => coordinator(["registry", "check"], { cwd: join(root, folder) });
    expect((await check("src/deep")).code).toBe(0);
    mkdirSync(join(root, ".git"));
    const { code, stdout } = await check("src/deep");
    expect([code, stdout]).toEqual([2, expect.stringContaining("../../governance/registry/rules/broken.yaml:8:")]);
    mkdirSync(join(root, "src/.git"));
    expect((await check("src/deep")).code).toBe(0);
  });

  it("shows file, line and column of a rule that cannot be decided [S4-032, S4-078]", async () => {
    const cwd = workFolder("feature-plan");
    write(cwd, "ours/rules/broken.yaml", BROKEN);
    const { code, stdout } = await coordinator(["registry", "check", "--registry", "ours"], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(
      / {2}ours\/rules\/broken\.yaml:8:\d+ {2}rules\.broken_rule\.when: type: .*colour.*\[RULE_UNDECIDABLE\]/,
    );
    const column = Number(/broken\.yaml:8:(\d+)/.exec(stdout)?.[1]);
    expect("      && command.colour".slice(column - 1)).toMatch(/^(?:&& )?(?:command)?\.?(?:colour)?/);

    const planned = await coordinator(["plan", ...FEATURE, "--registry", "ours", "--out", "plan"], { cwd });
    expect(planned.code).toBe(4);
    expect(planned.stdout).toMatch(/^x ABORTED /);
    expect(planned.stdout).toMatch(/ours\/rules\/broken\.yaml:8:\d+/);
  });

  it("lists every problem with its place, and nothing is planned with them [S4-094]", async () => {
    const cwd = workFolder("feature-plan");
    write(cwd, "governance/registry/agents/a.yaml", "id: someone\nversion: 1.0\nstatus: active\ntitel: Some One\n");
    write(cwd, "governance/registry/commands/b.yaml", "id: do_it\n  bad indentation: [\n");
    const { code, json } = await coordinatorJson(["registry", "check"], { cwd });
    expect(code).toBe(2);
    const problems = json["problems"] as { code: string; file: string; line: number; column: number; path: string }[];
    expect(problems.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["version", "title", "titel", "phases", "responsibilities"]),
    );
    for (const problem of problems)
      expect([problem.line, problem.column]).toEqual([expect.any(Number), expect.any(Number)]);
    const planned = await coordinatorJson(["plan", ...FEATURE, "--out", "plan"], { cwd });
    expect([planned.code, planned.json["type"], planned.json["code"]]).toEqual([2, "error", "REGISTRY_INVALID"]);
    expect(planned.json["problems"]).toEqual(json["problems"]);
  });

  it("says when a directory is missing", async () => {
    const { code, json } = await coordinatorJson(["registry", "check", "--registry", "nowhere"], { cwd: workFolder() });
    expect([code, json["problems"]]).toMatchObject([2, [{ code: "REGISTRY_DIRECTORY_MISSING", file: "nowhere" }]]);
  });
});

describe("registry list and show", () => {
  it("lists all entries, or those of one kind", async () => {
    const all = (await coordinator(["registry", "list"])).stdout.trimEnd().split("\n");
    const rules = (await coordinator(["registry", "list", "rule"])).stdout.trimEnd().split("\n");
    expect(rules).toEqual(all.filter((line) => line.startsWith("rule ")));
    expect(rules.length).toBeGreaterThanOrEqual(25);
    expect((await coordinator(["registry", "list", "rulez"])).code).toBe(2);
  });

  it("shows an entry by its id, with or without its kind, and where it stands", async () => {
    const { stdout } = await coordinator(["registry", "show", "run_tests"]);
    expect(stdout).toMatch(/^# .*registry\/commands\/validation\.yaml:\d+:\d+\nkind: command\nid: run_tests\n/);
    const { json } = await coordinatorJson(["registry", "show", "command", "run_tests"]);
    expect(json).toMatchObject({
      type: "registry_entry",
      entries: [{ kind: "command", id: "run_tests", phase: "validation" }],
    });
  });

  it("suggests what was meant", async () => {
    const { code, json } = await coordinatorJson(["registry", "show", "tests"]);
    expect([code, json["code"]]).toEqual([2, "NOT_FOUND"]);
    expect(json["fix"]).toContain("run_tests");
  });

  it("lets later directories override earlier ones", async () => {
    const cwd = workFolder();
    const entry = (title: string) =>
      `id: run_tests_always\nversion: 2.0.0\nstatus: deprecated\ntitle: ${title}\nwhen: "true"\nthen: { decision: allow }\n`;
    write(cwd, "governance/registry/rules/own.yaml", entry("Of the project"));
    write(cwd, "more/rules/own.yaml", entry("Of the team"));
    const own = await coordinatorJson(["registry", "show", "run_tests_always"], { cwd });
    const more = await coordinatorJson(["registry", "show", "run_tests_always", "--registry", "more"], { cwd });
    expect([own.json["entries"], more.json["entries"]]).toMatchObject([
      [{ title: "Of the project" }],
      [{ title: "Of the team" }],
    ]);
  });
});

describe("registry draft", () => {
  it("drafts what an intent names and the registry lacks, and keeps files that are there", async () => {
    const cwd = workFolder("feature-plan");
    const intent = JSON.parse(readFileSync(join(cwd, "intent.json"), "utf8"));
    intent.planned_commands[0].command_id = "survey_reports";
    intent.tasks[0].command_id = "survey_reports";
    intent.selected_agents.push({ agent_id: "cartographer", role: "Maps", responsibilities: ["Draw the map"] });
    writeFileSync(join(cwd, "intent.json"), JSON.stringify(intent));
    const before = snapshot(cwd);
    const shown = await coordinator(["registry", "draft", "--intent", "intent.json"], { cwd });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("# commands/survey_reports.yaml\n");
    expect(snapshot(cwd)).toEqual(before);

    write(cwd, "governance/registry/agents/cartographer.yaml", "");
    const written = await coordinatorJson(
      ["registry", "draft", "--intent", "intent.json", "--out", "governance/registry"],
      { cwd },
    );
    expect(
      (written.json["files"] as { path: string; status: string }[]).map(({ path, status }) => [path, status]),
    ).toEqual([
      ["governance/registry/agents/cartographer.yaml", "exists"],
      ["governance/registry/commands/survey_reports.yaml", "written"],
    ]);
    expect(readFileSync(join(cwd, "governance/registry/agents/cartographer.yaml"), "utf8")).toBe("");
  });

  it("leads from a missing command to a plan", async () => {
    const cwd = workFolder("feature-plan");
    const intent = JSON.parse(readFileSync(join(cwd, "intent.json"), "utf8"));
    intent.planned_commands[0].command_id = "survey_reports";
    intent.tasks[0].command_id = "survey_reports";
    writeFileSync(join(cwd, "intent.json"), JSON.stringify(intent));
    expect((await coordinator(["plan", ...FEATURE], { cwd })).code).toBe(4);
    const missing = await coordinator(["intent", "check", "intent.json"], { cwd });
    expect([missing.code, missing.stdout.includes("coordinator registry draft --intent FILE")]).toEqual([4, true]);
    await coordinator(["registry", "draft", "--intent", "intent.json", "--out", "governance/registry"], { cwd });
    expect((await coordinator(["registry", "check"], { cwd })).code).toBe(0);
    expect((await coordinator(["intent", "seal", "--write", "intent.json"], { cwd })).code).toBe(0);
    expect((await coordinator(["plan", ...FEATURE], { cwd })).code).toBe(0);
  });
});
