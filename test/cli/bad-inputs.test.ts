import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { coordinator, coordinatorJson, FEATURE, snapshot, workFolder } from "./program.js";

const good = (cwd: string) => readFileSync(join(cwd, "intent.json"), "utf8");
const deep = (open: string, close: string, size: number) => open.repeat(size) + close.repeat(size);

const HOSTILE: readonly [name: string, code: string, text: (cwd: string) => string | Buffer][] = [
  ["nothing", "DOCUMENT_SYNTAX", () => ""],
  ["half a document", "DOCUMENT_SYNTAX", (cwd) => good(cwd).slice(0, 500)],
  ["something after the document", "DOCUMENT_SYNTAX", (cwd) => `${good(cwd)}{}`],
  ["10 MB of nested arrays", "DOCUMENT_TOO_DEEP", () => deep("[", "]", 5_000_000)],
  ["10 MB of nested objects", "DOCUMENT_TOO_DEEP", () => deep('{"a":', "}", 1_600_000)],
  ["a NUL byte", "DOCUMENT_NUL", (cwd) => good(cwd).replace("CSV", "C\0V")],
  ["a key that is there twice", "DOCUMENT_DUPLICATE_KEY", (cwd) => good(cwd).replace('"id":', '"id": "x", "id":')],
  ["__proto__", "DOCUMENT_FORBIDDEN_KEY", (cwd) => good(cwd).replace('"id":', '"__proto__": {"a": 1}, "id":')],
  ["bytes that are not text", "DOCUMENT_ENCODING", () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ["half of a surrogate pair", "DOCUMENT_SURROGATE", (cwd) => good(cwd).replace("CSV export on", "\\ud800 export on")],
  ["a list", "INTENT_SCHEMA", () => "[]"],
  ["a number", "INTENT_SCHEMA", () => "7"],
  ["null", "INTENT_SCHEMA", () => "null"],
  ["a huge title", "INTENT_SCHEMA", (cwd) => good(cwd).replace("CSV export on", "x".repeat(1_000_000))],
  [
    "an unknown version",
    "INTENT_VERSION",
    (cwd) => good(cwd).replace('"schema_version": "1.0.0"', '"schema_version": "2.0.0"'),
  ],
];

describe("bad intents", () => {
  it.each(HOSTILE)("%s is refused as %s, and no folder is touched [S4-094]", async (_, code, text) => {
    const cwd = workFolder("feature-plan");
    // What looks like a plan from outside: a write would replace it.
    mkdirSync(join(cwd, "plan"));
    writeFileSync(join(cwd, "plan", "manifest.json"), "{}");
    writeFileSync(join(cwd, "intent.json"), text(cwd));
    const before = snapshot(cwd);
    for (const out of ["plan", "new"]) {
      const { code: exit, json, stderr } = await coordinatorJson(["plan", ...FEATURE, "--out", out], { cwd });
      expect([exit, stderr]).toEqual([2, ""]);
      const problems = json["problems"] as { code: string; message: string }[];
      expect(problems.map((problem) => problem.code)).toContain(code);
    }
    expect(snapshot(cwd)).toEqual(before);
    expect(existsSync(join(cwd, "new"))).toBe(false);
  });

  it("lists the problems of all inputs at once, each with its file and place", async () => {
    const cwd = workFolder("feature-plan");
    writeFileSync(
      join(cwd, "policy.yaml"),
      "schema_version: 1.0.0\npolicy_id: policy_ours\nreviewers: { magic: [x] }\nmax: 1\n",
    );
    writeFileSync(join(cwd, "facts.json"), '{\n  "schema_version": "1.0.0",\n  "facts": { "x": 1 }\n}');
    writeFileSync(join(cwd, "memory.json"), "{");
    const { code, stderr, stdout } = await coordinator(["plan", ...FEATURE, "--out", "plan"], { cwd });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/policy\.yaml:3:\d+ {2}reviewers/);
    expect(stderr).toMatch(/facts\.json:\d+:\d+ {2}project_id/);
    expect(stderr).toMatch(/memory\.json:1:2 /);
    expect(existsSync(join(cwd, "plan"))).toBe(false);
  });

  it("names files that are not there or cannot be read", async () => {
    const cwd = workFolder("feature-plan");
    const missing = await coordinatorJson(["plan", "--intent", "nowhere.json"], { cwd });
    expect([missing.code, missing.json["code"]]).toEqual([2, "FILE_NOT_FOUND"]);
    const folder = await coordinatorJson(["plan", "--intent", "."], { cwd });
    expect([folder.code, folder.json["code"]]).toEqual([2, "FILE_UNREADABLE"]);
    const elsewhere = await coordinatorJson(["plan", ...FEATURE, "--facts", "none.json"], { cwd });
    expect([elsewhere.code, elsewhere.json["code"]]).toEqual([2, "FILE_NOT_FOUND"]);
  });
});
