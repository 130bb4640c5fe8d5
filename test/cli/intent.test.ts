import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baseIntent } from "../../src/testing/plan-fixtures.js";
import { coordinator, coordinatorJson, snapshot, workFolder } from "./program.js";

type Document = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- documents are broken on purpose

function change(cwd: string, edit: (intent: Document) => void): void {
  const file = join(cwd, "intent.json");
  const intent = JSON.parse(readFileSync(file, "utf8")) as Document;
  edit(intent);
  writeFileSync(file, JSON.stringify(intent, null, 2));
}

/** A v0.9.1 intent that the built-in registry can plan. */
function olderIntent(): Document {
  const intent: Document = structuredClone(baseIntent());
  intent["selected_workflows"] = [{ workflow_id: "testing", phases: ["analysis"] }];
  intent["selected_agents"] = [{ agent_id: "dev", role: "Dev", responsibilities: ["Look at it"] }];
  intent["planned_commands"] = [
    { command_id: "map_codebase", intent: "Look", effects: ["read"], risk_level: "low", evidence_refs: ["ticket://1"] },
  ];
  return intent;
}

describe("intent check", () => {
  it("finds nothing wrong with a sealed intent [S4-027, S4-094]", async () => {
    const cwd = workFolder("feature-plan");
    const { code, stdout } = await coordinator(["intent", "check", "intent.json"], { cwd });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^\+ good {2}intent\.json: intent_reports_csv_export, v1\.0\.0/),
    ]);
  });

  it("lists every problem of the document with its place [S4-094, S4-098]", async () => {
    const cwd = workFolder("feature-plan");
    change(cwd, (intent) => {
      intent["title"] = "x";
      intent["colour"] = "blue";
      intent["planned_commands"][1].effects = ["fly"];
      delete intent["objective"].goal;
    });
    const { code, json, stdout } = await coordinatorJson(["intent", "check", "intent.json"], { cwd });
    expect(code).toBe(2);
    const problems = json["problems"] as Document[];
    expect(new Set(problems.map((problem) => problem["path"]))).toEqual(
      new Set(["colour", "objective.goal", "planned_commands[1].effects[0]", "title"]),
    );
    for (const problem of problems)
      expect(problem).toMatchObject({ file: "intent.json", line: expect.any(Number), column: expect.any(Number) });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    const text = readFileSync(join(cwd, "intent.json"), "utf8").split("\n");
    const title = problems.find((problem) => problem["path"] === "title") as Document;
    expect(text[title["line"] - 1]?.slice(title["column"] - 1)).toBe('"x",');
  });

  it.each<[string, number, string, (intent: Document) => void]>([
    ["a task that is there twice", 2, "INTENT_DUPLICATE_ID", (i) => (i["tasks"][1].id = i["tasks"][0].id)],
    ["a dependency on nothing", 2, "INTENT_REFERENCE", (i) => (i["tasks"][1].dependencies = ["nobody"])],
    ["a path out of the repository", 2, "INTENT_UNSAFE_PATH", (i) => (i["tasks"][1].files = ["../../etc/passwd"])],
    ["a version nobody knows", 2, "INTENT_VERSION", (i) => (i["schema_version"] = "9.0.0")],
    ["a payload", 4, "RED_LINE_I1", (i) => (i["scope"].run = "x")],
    ["full_auto that may ask", 4, "RED_LINE_I2", (i) => (i["interaction"].mode = "full_auto")],
    ["a command without evidence", 4, "RED_LINE_I4", (i) => (i["planned_commands"][0].evidence_refs = [])],
    ["a stale checksum", 4, "INTENT_CHECKSUM", (i) => (i["title"] = "Another title")],
    ["a superseded intent", 4, "INTENT_STATUS", (i) => (i["status"] = "superseded")],
    ["an unknown workflow", 4, "REGISTRY_MISSING", (i) => (i["selected_workflows"][0].workflow_id = "no_such_thing")],
    ["a registry that moved on", 4, "REGISTRY_DRIFT", (i) => (i["registry_versions"].commands.run_tests = "0.9.0")],
  ])("refuses %s with exit code %i and %s", async (_, exitCode, code, edit) => {
    const cwd = workFolder("feature-plan");
    change(cwd, edit);
    const { code: exit, json } = await coordinatorJson(["intent", "check", "intent.json"], { cwd });
    expect(exit).toBe(exitCode);
    expect((json["problems"] as Document[]).map((problem) => problem["code"])).toContain(code);
  });
});

describe("intent seal", () => {
  it("prints the sealed intent and changes nothing", async () => {
    const cwd = workFolder("feature-plan");
    const before = snapshot(cwd);
    const { code, stdout } = await coordinator(["intent", "seal", "intent.json"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(join(cwd, "intent.json"), "utf8"));
    expect(snapshot(cwd)).toEqual(before);
  });

  it.each(["feature-plan", "questions"] as const)("seals %s in place, order and comments kept", async (example) => {
    const cwd = workFolder(example);
    const file = example === "questions" ? "intent.yaml" : "intent.json";
    const sealed = readFileSync(join(cwd, file), "utf8");
    const checksum = /checksum"?: "([0-9a-f]{64})"/.exec(sealed)?.[1] ?? "";
    const comment = example === "questions" ? "# mine\n" : "";
    writeFileSync(join(cwd, file), comment + sealed.replace(checksum, "0".repeat(64)));
    expect((await coordinator(["intent", "seal", "--write", file], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, file), "utf8")).toBe(comment + sealed);
    expect((await coordinator(["intent", "check", file], { cwd })).code).toBe(0);
  });

  it("seals what was never sealed, to another file", async () => {
    const cwd = workFolder("feature-plan");
    change(cwd, (intent) => {
      delete intent["audit"].checksum;
      delete intent["registry_versions"];
    });
    const { code, json } = await coordinatorJson(["intent", "seal", "intent.json", "--out", "sealed.json"], { cwd });
    expect([code, json["type"], json["written_to"], json["lock"]]).toEqual([0, "intent_seal", "sealed.json", null]);
    expect((await coordinator(["intent", "check", "sealed.json"], { cwd })).code).toBe(0);
    expect((await coordinator(["intent", "check", "intent.json"], { cwd })).code).toBe(2);
  });

  it("puts the registry versions of a v0.9.1 intent into a lock file, which planning reads [S4-023]", async () => {
    const cwd = workFolder("feature-plan");
    writeFileSync(join(cwd, "old.json"), JSON.stringify(olderIntent()));
    const { stdout } = await coordinator(["intent", "seal", "--write", "old.json"], { cwd });
    expect(stdout).toContain("Its registry versions are in old.lock.json");
    expect((await coordinator(["intent", "check", "old.json"], { cwd })).code).toBe(0);
    const lock = join(cwd, "old.lock.json");
    writeFileSync(lock, readFileSync(lock, "utf8").replace('"map_codebase": "1.0.0"', '"map_codebase": "1.0.1"'));
    const drifted = await coordinatorJson(["intent", "check", "old.json"], { cwd });
    expect([drifted.code, drifted.json["problems"]]).toMatchObject([4, [{ code: "REGISTRY_DRIFT" }]]);
  });

  it("does not seal what crosses a red line, is wrong or names what is not there", async () => {
    const cwd = workFolder("feature-plan");
    change(cwd, (intent) => (intent["script"] = "x"));
    expect((await coordinator(["intent", "seal", "--write", "intent.json"], { cwd })).code).toBe(4);
    change(cwd, (intent) => {
      delete intent["script"];
      intent["planned_commands"].push({ ...intent["planned_commands"][0], command_id: "fly_to_the_moon" });
    });
    const before = snapshot(cwd);
    const missing = await coordinatorJson(["intent", "seal", "--write", "intent.json"], { cwd });
    expect([missing.code, missing.json["code"]]).toEqual([4, "REGISTRY_MISSING"]);
    change(cwd, (intent) => (intent["title"] = 7));
    expect((await coordinator(["intent", "seal", "--write", "intent.json"], { cwd })).code).toBe(2);
    change(cwd, (intent) => (intent["title"] = "CSV export on the reports page"));
    expect(snapshot(cwd)).toEqual(before);
    expect(existsSync(join(cwd, ".intent.json.next"))).toBe(false);
  });
});
