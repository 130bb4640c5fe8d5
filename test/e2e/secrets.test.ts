import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { addOwnSettings } from "../own-settings.js";
import { asked, type Said } from "./asked.js";

/* Keys that somebody says who should not: nothing the Coordinator leaves behind holds one. */

beforeAll(ensureBuilt);

/** One by the name of its variable, one that only the settings name, one by its shape alone. */
const CANARIES = {
  team: "canary-team-5f0c9a7e31",
  proxy: "canary-proxy-77d1b2c4a9",
  shape: ["ghp", "R7tq2VbN9xKcW4mZ8sLp3dFh6jGy1aTe5uQo"].join("_"),
};
const ALL = Object.values(CANARIES).join(" and ");
/** As a program says them in whose text they do not stand. */
const joined = `${JSON.stringify(ALL.split("").reverse().join(""))}.split("").reverse().join("")`;

const ASK = "Add CSV export to the reports page";
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  // It fails before and after: what it says is evidence of every verdict.
  "test/reports.test.mjs": [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `const said = ${joined};`,
    'console.log("it prints", said);',
    'test("passes", () => {});',
    'test("has never passed with " + said, () => assert.equal("a", "b", "wrong: " + said));',
    "",
  ].join("\n"),
  "docs/reports.md": "# Reports\n",
  ".gitignore": ".coordinator/\n",
};
const done = (write: string, text: string) => [
  { think: `I think of ${ALL}` },
  { say: `I have seen ${ALL}` },
  { run: `echo ${ALL}` },
  { write, text },
  { usage: { in: 100, out: 20, cost_usd: 0.001 } },
  { say: `DONE with ${ALL}` },
];
const SCRIPT: readonly Said[] = [
  { title: ASK, attempt: 1, steps: [{ fail: { code: 1, message: `the program died of ${ALL}` } }] },
  { title: ASK, steps: done("src/csv.mjs", "export const toCsv = (rows) => rows.join();\n") },
  { title: `Write tests: ${ASK}`, attempt: 1, steps: [{ ask: `May I use ${ALL}?` }] },
  { title: `Write tests: ${ASK}`, steps: done("test/csv.test.mjs", 'import "../src/csv.mjs";\n') },
  { title: `Document: ${ASK}`, steps: done("docs/csv.md", "# CSV\n") },
];

/** Every file below a folder that says one of them, in the bytes it has, and every git object there, as git shows it. */
function saying(folder: string): string[] {
  const found: string[] = [];
  const says = (bytes: string) => Object.values(CANARIES).some((canary) => bytes.includes(canary));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (says(entry.name)) found.push(path);
    if (entry.isDirectory() && existsSync(join(path, "HEAD")) && existsSync(join(path, "objects"))) {
      const args = ["--git-dir", path, "cat-file", "--batch", "--batch-all-objects"];
      if (says(execFileSync("git", args, { encoding: "latin1", maxBuffer: 2 ** 28 }))) found.push(`${path} (objects)`);
    }
    if (entry.isFile() && says(readFileSync(path, "latin1"))) found.push(path);
  }
  return found;
}

describe("a run in which everybody says keys", () => {
  it("leaves none of them anywhere: log, records, orders, results, notes, board, notices, tape, anchors, git", async () => {
    const desk = asked(FILES, SCRIPT, {
      settings: { run: { failure: { base_delay_ms: 10 } }, record: { anchor: ["git:"] }, board: {} },
    });
    const folder = dirname(desk.cwd);
    const auth = {
      type: "proxy",
      upstream: "http://127.0.0.1:9",
      routes: ["GET /"],
      key_env: "ORDINARY",
      header: "x-key",
    };
    const keep = "require('fs').appendFileSync(process.argv[1], require('fs').readFileSync(0))";
    const own = {
      agents: { unused: { command: ["true"], auth } },
      default_agent: "scripted",
      notify: { command: [process.execPath, "-e", keep, join(folder, "notices")] },
    };
    addOwnSettings(folder, own);
    Object.assign(desk.env, { TEAM_TOKEN: CANARIES.team, ORDINARY: CANARIES.proxy });

    const planned = desk.call("run", `${ASK}\n\nThe key is ${ALL}.`, "--type", "technical", "--yes");
    expect([planned.code, planned.stderr]).toEqual([3, ""]);
    const [, question = ""] = /coordinator answer '([^']+)' TEXT/.exec(planned.stdout) ?? [];
    expect(desk.call("answer", question, `Yes, use ${ALL}`).code).toBe(0);
    const ran = desk.call("run", "--last");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const verified = desk.json("verify", "last");
    expect(verified).toMatchObject({ passed: true, findings: [] });
    expect(verified["checks"]).toContainEqual({ name: "plan", passed: true, detail: expect.any(String) });
    expect(desk.call("export", "last", "--out", "run.tape").code).toBe(0);
    expect(desk.call("verify", "run.tape").code).toBe(0);
    writeFileSync(join(desk.cwd, "response.json"), desk.call("response", "last", "--json").stdout);
    const merged = desk.call("merge", "last", "--yes");
    expect([merged.code, merged.stdout, merged.stderr]).toEqual([0, expect.any(String), ""]);
    expect(desk.git("for-each-ref", "--format=%(refname)")).toMatch(/refs\/notes|refs\/coord/);

    // What the agent was told, and what it keeps in its own home, is not what the Coordinator wrote.
    const tape = readFileSync(join(desk.cwd, "run.tape"), "utf8").split("\n");
    expect(tape.filter((line) => Object.values(CANARIES).some((canary) => line.includes(canary)))).toEqual([]);
    const theirs = /\/script\.json$|\/home\/\.scripted-agent\//;
    expect(saying(folder).filter((path) => !theirs.test(path))).toEqual([]);
    // And it was all there: what was taken out is said where it stood.
    const [run = ""] = await desk.runs();
    const records = join(desk.cwd, ".coordinator/records", run);
    const verdict = readdirSync(records).find((name) => name.startsWith("verdict")) ?? "";
    const marked = "[secret TEAM_TOKEN] and [secret ORDINARY] and [GitHub token]";
    expect(readFileSync(join(records, verdict), "utf8")).toContain(`wrong: ${marked}`);
    expect(readFileSync(join(folder, "notices"), "utf8")).toContain(`May I use ${marked}?`);
    expect(readFileSync(join(desk.cwd, "run.tape"), "utf8")).toContain("Yes, use redacted:");
    expect(readdirSync(join(desk.cwd, "sessions")).length).toBeGreaterThan(0);

    // The same run, once somebody has changed a word of its plan.
    const { folder: plan } = JSON.parse(readFileSync(join(records, "plan.json"), "utf8")) as { folder: string };
    appendFileSync(join(plan, "plan.md"), "And one thing more.\n");
    expect(desk.call("verify", "last").code).toBe(5);
    expect(desk.json("verify", "last")).toMatchObject({
      passed: false,
      findings: [{ kind: "plan", message: expect.stringContaining("plan.md") }],
    });
  }, 180_000);
});
