import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { segmentsOf } from "../../src/foundation/documents/path-segments.js";
import { readGlobals } from "../../src/cli/arguments/globals.js";
import { documentPath } from "../../src/model/diagnostic.js";
import { VERSION } from "../../src/version.js";
import { coordinator, coordinatorJson, FEATURE, root, workFolder } from "./program.js";

const COMMANDS = [
  [],
  ["plan"],
  ["verify"],
  ["explain"],
  ["intent"],
  ["intent", "check"],
  ["intent", "seal"],
  ["registry"],
  ["registry", "check"],
  ["registry", "list"],
  ["registry", "show"],
  ["registry", "draft"],
  ["facts"],
  ["facts", "collect"],
  ["memory"],
  ["memory", "build"],
  ["run"],
  ["adr", "approve"],
  ["adr", "watch"],
  ["status"],
  ["watch"],
  ["response"],
  ["stats"],
  ["inbox"],
  ["answer"],
  ["approve"],
  ["reject"],
  ["cancel"],
  ["budget"],
  ["diff"],
  ["merge"],
  ["publish"],
  ["sync"],
  ["retry"],
  ["replay"],
  ["export"],
  ["anchor"],
  ["migrate"],
  ["worker"],
  ["workers"],
  ["clean"],
  ["init"],
  ["run"],
  ["doctor"],
  ["tasks"],
  ["tasks", "skip"],
  ["handoff"],
  ["serve"],
  ["mcp"],
  ["permission"],
  ["projects"],
  ["projects", "list"],
  ["projects", "add"],
  ["projects", "remove"],
  ["token"],
  ["token", "add"],
  ["token", "list"],
  ["token", "revoke"],
  ["token", "login"],
];
// oxlint-disable-next-line no-control-regex -- looks for control characters
const ANSI = /\u001b/;

describe("the program", () => {
  it.each(COMMANDS.map((command) => [command.join(" ")]))("coordinator %s --help has an example", async (command) => {
    const { code, stdout, stderr } = await coordinator([...command.split(" ").filter(Boolean), "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\nExamples?:\n {2}\$ coordinator /);
    for (const option of ["--json", "--no-input", "--yes", "--color <when>", "--cwd <dir>"])
      expect(stdout).toContain(option);
  });

  it("knows its version", async () => {
    expect(await coordinator(["--version"])).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  it.each([
    [["plna"], "Did you mean plan?"],
    [["plan", "--intnet", "x"], "Did you mean --intent?"],
    [["registry", "lsit"], "Did you mean list?"],
    [["verify"], "coordinator --help"],
    [["explain", "x"], "coordinator explain ID --run RUN"],
    [["plan"], "--intent FILE"],
    [["plan", "add", "rate", "limiting", "--intent", "x"], "--intent FILE"],
    [["run", "add", "rate", "limiting", "--plan", "x"], "coordinator run"],
    [["run", "add", "--max-tokens", "many"], "coordinator --help"],
    [["plan", "--resume", "x"], "--answers FILE"],
    [["plan", "--resume", "x", "--intent", "y"], "coordinator --help"],
    [["plan", "--intent", "x", "--answer", "a=b"], "--answers FILE"],
    [["plan", "--intent", "x", "--now", "yesterday"], "2026-01-25T11:00:00Z"],
    [["intent", "seal", "--write", "x", "--out", "y"], "coordinator --help"],
    [["registry", "list", "rulez"], "coordinator --help"],
    [["plan", "--color", "pink"], "coordinator --help"],
    [["--cwd", "/no/such/directory", "registry", "check"], "--cwd"],
  ])("%j is a usage error that says how it is done", async (args, hint) => {
    const text = await coordinator(args);
    expect([text.code, text.stdout]).toEqual([2, ""]);
    expect(text.stderr).toMatch(/^Error: /);
    expect(text.stderr).toContain(hint);
    const { code, json, stderr } = await coordinatorJson(args);
    expect([code, stderr]).toEqual([2, ""]);
    expect(json).toMatchObject({ type: "error", fix: expect.stringContaining(hint), problems: [] });
    expect(Object.keys(json)).toEqual(["type", "code", "message", "fix", "problems"]);
  });

  it("shows its help when it is called with nothing, and calls that a usage error", async () => {
    const { code, stdout, stderr } = await coordinator([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Usage: coordinator [options] [command]");
  });

  it("takes global options before and after the command", async () => {
    const cwd = workFolder("feature-plan");
    const args = ["intent", "check", "intent.json"];
    const [before, after] = await Promise.all([
      coordinator(["--json", "--no-input", "--yes", "--cwd", cwd, ...args]),
      coordinator([...args, "--cwd", cwd, "--yes", "--no-input", "--json"]),
    ]);
    expect(before.code).toBe(0);
    expect(after).toEqual(before);
  });

  it("shows nothing of the environment, and no stack", async () => {
    const env = { SECRET_TOKEN: "s3cr3t-value" };
    const cwd = workFolder("feature-plan");
    const runs = [
      ["plan", ...FEATURE],
      ["plan", "--intent", "none"],
      ["registry", "check"],
      ["facts", "collect"],
    ];
    for (const args of runs) {
      const { stdout, stderr } = await coordinator(args, { cwd, env });
      expect(stdout + stderr).not.toContain("s3cr3t-value");
      expect(stdout + stderr).not.toMatch(/\n {4}at /);
    }
  });

  it("is quiet when nobody reads on", async () => {
    const cwd = workFolder("feature-plan");
    await coordinator(["--version"]);
    const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), "plan", ...FEATURE, "--json"], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await new Promise((resolve) => child.on("close", resolve));
    expect(stderr).toBe("");
  });

  it("is a program with a first line that says who runs it", () => {
    expect(readFileSync(join(root, "dist", "cli", "main.js"), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

describe("colour", () => {
  it("is off without a terminal, on when asked for, and never the only signal", async () => {
    const cwd = workFolder("feature-plan");
    const plain = await coordinator(["plan", ...FEATURE], { cwd });
    expect(plain.stdout).not.toMatch(ANSI);
    const colored = await coordinator(["plan", ...FEATURE, "--color", "always"], { cwd });
    expect(colored.stdout).toMatch(ANSI);
    // oxlint-disable-next-line no-control-regex -- takes control characters out
    expect(colored.stdout.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain.stdout);
    const forced = await coordinator(["plan", ...FEATURE], { cwd, env: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toBe(colored.stdout);
    const never = await coordinator(["plan", ...FEATURE, "--color=never"], { cwd, env: { FORCE_COLOR: "1" } });
    expect(never.stdout).toBe(plain.stdout);
  });

  it.each<[string[], Record<string, string>, boolean, boolean]>([
    [[], {}, true, true],
    [[], {}, false, false],
    [[], { NO_COLOR: "1" }, true, false],
    [[], { NO_COLOR: "" }, true, true],
    [[], { TERM: "dumb" }, true, false],
    [[], { CI: "true" }, true, false],
    [[], { FORCE_COLOR: "1" }, false, true],
    [[], { FORCE_COLOR: "0" }, true, false],
    [[], { FORCE_COLOR: "1", NO_COLOR: "1" }, true, false],
    [["--color", "always"], { NO_COLOR: "1" }, false, true],
    [["--color=never"], { FORCE_COLOR: "1" }, true, false],
    [["--", "--color=always"], {}, false, false],
  ])("%j in %j on a terminal (%s) is %s", (argv, env, isTTY, wanted) => {
    expect(readGlobals(argv, { env, stdout: { isTTY } }).color).toBe(wanted);
  });
});

describe("paths", () => {
  it.each([[[]], [["a"]], [["a", 2, "b"]], [["a b", 0, 'say "x"']], [["$x", "y_1", 10]], [["a.b", "[0]"]]])(
    "%j is found again from what people read",
    (segments) => {
      expect(segmentsOf(documentPath(segments))).toEqual(segments);
    },
  );
});
