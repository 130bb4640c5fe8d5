import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ExecutionGraph } from "../../src/model/plan/graph.js";
import { AuditEntry, RunTape } from "../../src/model/tape.js";
import { ReviewPack } from "../../src/model/plan/review.js";
import { coordinator, coordinatorJson, FEATURE, NOW, QUESTIONS, snapshot, workFolder } from "./program.js";

const SUMMARY = /^Plan [0-9a-f]{12}, 10 tasks in 7 levels, 2 reviews, 1 question, risk medium$/;

describe("plan", () => {
  it("shows what will happen, by whom and as decided how, and ends in one line of counts [S4-001, S4-063]", async () => {
    const cwd = workFolder("feature-plan");
    const { code, stdout, stderr } = await coordinator(["plan", ...FEATURE, "--out", "plan"], { cwd });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toMatch(SUMMARY);
    expect(stdout).toContain("10 tasks in order; the same number runs side by side\n");
    expect(stdout).toMatch(/\n {2}1\. find-touchpoints {2}Find what the export touches\n {5}dev, only reads\n/);
    expect(stdout).toMatch(
      /\n {2}3\. csv-writer .*\n {5}feature_builder, with a warning, writes src\/reports\/csv\.ts,/,
    );
    expect(stdout).toMatch(/\n {2}4\. export-endpoint .*\n {5}feature_builder, after a review, writes /);
    expect(stdout.match(/^ {5}feature_builder, /gm)).toHaveLength(3);
    expect(stdout).toContain("\nRules      7 tasks allowed, 2 with a warning, 1 after a review\n");
    expect(stdout).toMatch(/\nCost {7}about \$\d+\.\d\d with /);
    expect(stdout).toMatch(/\nNeeds you {2}architecture review before its tasks start, by grace\. /);
    const page = readFileSync(join(cwd, "plan", "plan.md"), "utf8");
    expect(page).toMatch(/`node_action_find_touchpoints`.*\| allow: `\w+` \|\n/);
    expect(page).toMatch(/`node_action_csv_writer`.*\| warn: `\w+` \|\n/);
    expect(page).toMatch(/`node_action_export_endpoint`.*\| require_review: `\w+` \|\n/);
    expect(stdout).toContain("Written: plan\nNext: coordinator verify plan");
  });

  it("writes every output of a plan, pretty-printed, with its checksums [S4-003, S4-062]", async () => {
    const cwd = workFolder("feature-plan");
    await coordinator(["plan", ...FEATURE, "--out", "plan"], { cwd });
    expect(readdirSync(join(cwd, "plan")).sort()).toEqual([
      "audit.jsonl",
      "graph.dot",
      "graph.json",
      "graph.mmd",
      "inputs",
      "manifest.json",
      "plan.md",
      "review.json",
      "tape.json",
    ]);
    expect(readFileSync(join(cwd, "plan", "graph.json"), "utf8")).toMatch(/^\{\n {2}"/);
    const { outputs } = JSON.parse(readFileSync(join(cwd, "plan", "manifest.json"), "utf8"));
    expect(outputs["graph.json"].file_checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(cwd, "plan", "plan.md"), "utf8")).toMatch(/^# Plan: CSV export on the reports page\n/);
  });

  it("hands a program graph, review, tape and audit in one JSON document [S4-006, S4-068]", async () => {
    const cwd = workFolder("feature-plan");
    const { code, json, stderr } = await coordinatorJson(["plan", ...FEATURE], { cwd });
    expect([code, stderr, json["type"], json["state"]]).toEqual([0, "", "plan", "DONE"]);
    ExecutionGraph.parse(json["graph"]);
    ReviewPack.parse(json["review"]);
    RunTape.parse(json["tape"]);
    for (const entry of json["audit"] as unknown[]) AuditEntry.parse(entry);
    expect(json["written_to"]).toBeNull();
    expect(Object.keys(json)).toEqual([
      "type",
      "state",
      "intent_id",
      "coordinator_run_id",
      "plan_id",
      "plan_checksum",
      "written_to",
      "next",
      "problems",
      "failure",
      "graph",
      "questions",
      "review",
      "tape",
      "audit",
    ]);
  });

  it("writes nothing unless told where [S4-096]", async () => {
    const cwd = workFolder("feature-plan");
    const before = snapshot(cwd);
    const { stdout } = await coordinator(["plan", ...FEATURE], { cwd });
    expect(stdout).toContain("Not written; add --out DIR to keep it.");
    expect(snapshot(cwd)).toEqual(before);
  });

  it("gives the same bytes for the same inputs and the same time, in any time zone", async () => {
    const cwd = workFolder("feature-plan");
    await coordinator(["plan", ...FEATURE, "--now", NOW, "--out", "a"], { cwd });
    await coordinator(["plan", ...FEATURE, "--now", NOW, "--out", "b"], {
      cwd,
      env: { TZ: "Asia/Kathmandu", LANG: "tr_TR" },
    });
    expect(snapshot(join(cwd, "a"))).toEqual(snapshot(join(cwd, "b")));
  });

  it("finds the project's own registry, policy, facts and memory", async () => {
    const cwd = workFolder("feature-plan");
    mkdirSync(join(cwd, ".coordinator"));
    mkdirSync(join(cwd, "governance", "registry", "rules"), { recursive: true });
    renameSync(join(cwd, "facts.json"), join(cwd, ".coordinator", "facts.json"));
    renameSync(join(cwd, "memory.json"), join(cwd, ".coordinator", "memory.json"));
    renameSync(join(cwd, "policy.yaml"), join(cwd, "governance", "execution-policy.yaml"));
    writeFileSync(
      join(cwd, "governance", "registry", "rules", "ours.yaml"),
      'id: look_at_the_design\nversion: 1.0.0\nstatus: active\ntitle: Our design is read first\nwhen: command.id == "design_solution"\nthen: { decision: require_review, review: architecture, reason: Ours. }\n',
    );
    const { code, stdout } = await coordinator(["plan", "--intent", "intent.json"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\. design_solution {2}Design the solution\n {5}planner, after a review, only reads\n/);
    const elsewhere = await coordinator(["--cwd", cwd, "plan", "--intent", "intent.json"]);
    expect(elsewhere.stdout).toBe(stdout);
  });

  it("blocks without facts and memory and says how to make them [S4-072]", async () => {
    const cwd = workFolder("feature-plan");
    const { code, stdout } = await coordinator(["plan", "--intent", "intent.json", "--out", "plan"], { cwd });
    expect(code).toBe(4);
    expect(stdout).toMatch(/^x BLOCKED {2}There is no memory pack/);
    expect(stdout).toContain("There is no fact pack");
    expect(stdout).toContain("coordinator memory build --project report-desk");
    expect(stdout).toMatch(/\nPlan: none, BLOCKED\n$/);
    expect(existsSync(join(cwd, "plan"))).toBe(false);
  });

  it("blocks on a stale checksum, and plans once the intent is sealed again", async () => {
    const cwd = workFolder("feature-plan");
    const file = join(cwd, "intent.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"max_cost_usd": 15', '"max_cost_usd": 14'));
    const stale = await coordinator(["plan", ...FEATURE], { cwd });
    expect(stale.code).toBe(4);
    expect(stale.stdout).toMatch(/intent\.json:\d+:\d+ {2}audit\.checksum: does not match/);
    expect((await coordinator(["intent", "seal", "--write", "intent.json"], { cwd })).code).toBe(0);
    expect((await coordinator(["plan", ...FEATURE], { cwd })).code).toBe(0);
  });

  it("aborts on a red line, even where the schema would refuse the document too [S4-016, S4-079]", async () => {
    const cwd = workFolder("feature-plan");
    const file = join(cwd, "intent.json");
    const intent = JSON.parse(readFileSync(file, "utf8"));
    intent.planned_commands[0].shell = "rm -rf /";
    intent.nonsense = 1;
    writeFileSync(file, JSON.stringify(intent, null, 2));
    const { code, json } = await coordinatorJson(["plan", ...FEATURE, "--out", "plan"], { cwd });
    expect([code, json["state"]]).toEqual([4, "ABORTED"]);
    expect(json["problems"]).toMatchObject([
      { code: "RED_LINE_I1", path: "planned_commands[0].shell", file: "intent.json" },
    ]);
    expect(existsSync(join(cwd, "plan"))).toBe(false);
  });

  it("shows the graph after each transform when asked", async () => {
    const cwd = workFolder("feature-plan");
    const { stdout } = await coordinator(["plan", ...FEATURE, "--stages"], { cwd });
    const stages = stdout.split("\n").filter((line) => line.startsWith("After "));
    expect([...new Set(stages)]).toEqual([
      "After phases",
      "After actions",
      "After decision points",
      "After question placeholders",
      "After review gates",
      "After dependencies",
      "After predicted file conflicts",
      "After lanes",
    ]);
    expect(stdout).toContain('action_proposal node_action_csv_writer "Write rows as CSV"');
  });

  it("does not replace a folder that holds something else", async () => {
    const cwd = workFolder("feature-plan");
    const before = snapshot(cwd);
    const { code, json } = await coordinatorJson(["plan", ...FEATURE, "--out", "."], { cwd });
    expect([code, json["type"], json["code"]]).toEqual([1, "error", "PLAN_WRITE_FAILED"]);
    expect(snapshot(cwd)).toEqual(before);
  });

  it("lets nothing in a document write to the terminal", async () => {
    const cwd = workFolder("questions");
    const file = join(cwd, "intent.yaml");
    const title = "Release\\e[2J\\u202e \\nPlan: 0 actions";
    writeFileSync(file, readFileSync(file, "utf8").replace("title: Release the spring version", `title: "${title}"`));
    await coordinator(["intent", "seal", "--write", "intent.yaml"], { cwd });
    const { code, stdout } = await coordinator(["plan", ...QUESTIONS, "--color", "always"], { cwd });
    expect(code).toBe(3);
    // oxlint-disable-next-line no-control-regex -- looks for control characters
    expect(stdout.replaceAll(/\u001b\[(?:1|2|22|3[1-39])m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(stdout.split("\n").filter((line) => /^Plan\b/.test(line))).toHaveLength(1);
  });
});

describe("plan --resume", () => {
  it("waits on disk for answers and goes on with them [S4-013, S4-014, S4-067]", async () => {
    const cwd = workFolder("questions");
    const waiting = await coordinator(["plan", ...QUESTIONS, "--out", "plan"], { cwd });
    expect(waiting.code).toBe(3);
    expect(waiting.stdout).toContain("? q_param_bump_version_bump  blocker, high");
    expect(waiting.stdout).toContain("- minor: New features; nothing breaks.");
    expect(waiting.stdout).toContain("Without an answer the plan is blocked.");
    expect(waiting.stdout).toContain("Next: coordinator plan --resume plan --answers FILE");
    expect(waiting.stdout).toMatch(/\nPlan: waiting for 2 answers, checksum [0-9a-f]{12}…\n$/);
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(0);

    const done = await coordinator(["plan", "--resume", "plan", "--answers", "answers.json"], { cwd });
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/Answered: Which part of the version should rise\? \w+\n/);
    expect(done.stdout).toMatch(/\nPlan [0-9a-f]{12}, 4 tasks in 4 levels, 1 review, 2 questions, risk \w+\n$/);
    expect((await coordinator(["verify", "plan"], { cwd })).code).toBe(0);
  });

  it("gives the plan that the same answers give at once", async () => {
    const cwd = workFolder("questions");
    await coordinator(["plan", ...QUESTIONS, "--out", "a", "--now", NOW], { cwd });
    await coordinator(["plan", "--resume", "a", "--answers", "answers.json", "--now", NOW], { cwd });
    await coordinator(["plan", ...QUESTIONS, "--answers", "answers.json", "--out", "b", "--now", NOW], { cwd });
    expect(snapshot(join(cwd, "a"))).toEqual(snapshot(join(cwd, "b")));
  });

  it("takes single answers from the command line", async () => {
    const cwd = workFolder("questions");
    await coordinator(["plan", ...QUESTIONS, "--out", "plan"], { cwd });
    const { code, json } = await coordinatorJson(
      ["plan", "--resume", "plan", "--answer", "q_param_bump_version_bump=patch", "q_reviewer_release=grace"],
      { cwd },
    );
    expect([code, json["state"], json["written_to"]]).toEqual([0, "DONE", "plan"]);
  });

  it("goes on waiting, unchanged, when the answers cannot be taken", async () => {
    const cwd = workFolder("questions");
    await coordinator(["plan", ...QUESTIONS, "--out", "plan"], { cwd });
    const before = snapshot(join(cwd, "plan"));
    const file = join(cwd, "answers.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"minor"', '"enormous"'));
    const { code, stdout } = await coordinator(["plan", "--resume", "plan", "--answers", "answers.json"], { cwd });
    expect(code).toBe(2);
    expect(stdout).toMatch(/answers\.json:\d+:\d+ {2}answers\[0\]\.answer_text: must be one of patch, minor, major/);
    expect(stdout).toContain("Nothing was changed");
    for (const answer of ["q_param_bump_version_bump", "=x", "nonsense=1"])
      expect((await coordinator(["plan", "--resume", "plan", "--answer", answer], { cwd })).code).toBe(2);
    expect(snapshot(join(cwd, "plan"))).toEqual(before);
  });

  it("refuses a plan that was changed, that waits for nothing, or that is not there", async () => {
    const cwd = workFolder("questions");
    const answers = ["--answers", "answers.json"];
    await coordinator(["plan", ...QUESTIONS, "--out", "plan"], { cwd });
    const file = join(cwd, "plan", "inputs", "facts.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("release/spring", "release/summer"));
    const changed = await coordinatorJson(["plan", "--resume", "plan", ...answers], { cwd });
    expect([changed.code, changed.json["code"]]).toEqual([5, "PLAN_CHANGED"]);
    writeFileSync(file, text);
    expect((await coordinator(["plan", "--resume", "plan", ...answers], { cwd })).code).toBe(0);
    const done = await coordinatorJson(["plan", "--resume", "plan", ...answers], { cwd });
    expect([done.code, done.json["code"]]).toEqual([2, "USAGE"]);
    const missing = await coordinatorJson(["plan", "--resume", "nowhere", ...answers], { cwd });
    expect([missing.code, missing.json["code"]]).toEqual([2, "PLAN_NOT_FOUND"]);
  });
});
