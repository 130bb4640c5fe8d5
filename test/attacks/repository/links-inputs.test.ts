import { describe, expect, it } from "vitest";
import { type Hostile, openHostile, PEOPLE } from "./hostile.js";

/* What is not a regular file is refused at once, wherever it is named; what is endless or too large is not read to its end. */

const [who = { name: "", uid: null }] = PEOPLE;
const ASKED = ["Document the module in README.md"];

/** Commands that take a file, with it at the place of FILE. */
const TAKES: readonly (readonly string[])[] = [
  ["plan", "--intent", "FILE"],
  ["plan", "--intent", "package.json", "--facts", "FILE"],
  ["plan", ...ASKED, "--policy", "FILE"],
  ["plan", "--adr", "FILE"],
  ["run", "--adr", "FILE"],
  ["run", "--request", "FILE"],
  ["verify", "FILE"],
  ["adr", "check", "FILE"],
  ["adr", "check", "FILE", "--batch"],
  ["intake", "FILE"],
  ["intake", "FILE", "--batch"],
  ["intake", "README.md", "--answers", "FILE"],
  ["intake", "README.md", "--policy", "FILE"],
  ["route", "FILE"],
  ["route", "README.md", "--context", "FILE"],
  ["intent", "seal", "FILE"],
  ["memory", "build", "--observations", "FILE"],
];
const at = (command: readonly string[], file: string) => command.map((word) => word.replace("FILE", file));

describe("a file that is none", () => {
  it.each(TAKES.map((command) => [command.join(" "), command] as const))("a pipe: %s", async (_, command) => {
    const opened = openHostile({ pipes: ["pipe"] }, who);
    const ran = await opened.run(...at(command, "pipe"));
    expect({ timedOut: ran.timedOut, code: ran.code }).toEqual({ timedOut: false, code: 2 });
    expect(ran.output).toMatch(/pipe: it is a named pipe \(FIFO\)/);
    expect(opened.harm(ran.output)).toEqual([]);
  });

  it.each(TAKES.map((command) => [command.join(" "), command] as const))("a device: %s", async (_, command) => {
    const opened = openHostile({}, who);
    const ran = await opened.run(...at(command, "/dev/zero"));
    expect({ timedOut: ran.timedOut, code: ran.code }).toEqual({ timedOut: false, code: 2 });
    expect(ran.output).toMatch(/\/dev\/zero: it is a device/);
  });

  it.each([
    ["coordinator.yaml", ["doctor"]],
    ["coordinator.yaml", ["run", ...ASKED]],
    ["coordinator.yaml", ["status"]],
    ["governance/context.yaml", ["plan", ...ASKED]],
    ["governance/policy.yaml", ["route", "README.md"]],
    ["governance/intake-policy.yaml", ["intake", "README.md"]],
    ["governance/execution-policy.yaml", ["plan", ...ASKED]],
    ["governance/contracts/coordinator.yaml", ["doctor"]],
    ["docs/adr/0001-a.md", ["adr", "check", "docs/adr/0001-a.md"]],
    ["registry/rules/a.yaml", ["registry", "check"]],
    ["package.json", ["init", "--yes", "--no-checks"]],
    [".adr-dir", ["adr", "list"]],
    [".gitattributes", ["doctor", "--no-checks"]],
    ["coverage/coverage-summary.json", ["facts", "collect", "--out", "facts.json"]],
    [".coordinator/facts.json", ["plan", ...ASKED]],
    [".coordinator/runs.db", ["status"]],
    [".coordinator/runs.db", ["run", ...ASKED]],
    [".coordinator/runs.db.lock", ["status"]],
    [".coordinator/signing-key.pem", ["run", ...ASKED]],
  ] as const)("a pipe at %s: %j", async (path, command) => {
    const opened = openHostile({ pipes: [path] }, who);
    const ran = await opened.run(...command);
    expect({ timedOut: ran.timedOut, output: ran.output }).toMatchObject({ timedOut: false });
    expect(ran.output).not.toContain("INTERNAL");
    expect(opened.harm(ran.output)).toEqual([]);
  });

  it.each<[string, Hostile, readonly string[]]>([
    ["settings", { huge: ["coordinator.yaml"] }, ["doctor", "--no-checks"]],
    ["a contract", { huge: ["governance/contracts/coordinator.yaml"] }, ["doctor", "--no-checks"]],
    ["a context registry", { huge: ["governance/context.yaml"] }, ["route", "README.md"]],
    ["a record", { huge: ["docs/adr/0001-a.md"] }, ["adr", "check", "docs/adr/0001-a.md"]],
    ["a tape", { huge: ["tape.jsonl"] }, ["verify", "tape.jsonl"]],
    ["a manifest", { huge: ["package.json"] }, ["facts", "collect", "--out", "facts.json"]],
    ["a key", { huge: ["key.pem"] }, ["verify", "README.md", "--key", "key.pem"]],
  ])("%s of three gigabytes", async (_, repository, command) => {
    const opened = openHostile(repository, who);
    const ran = await opened.run(...command);
    expect(ran.timedOut).toBe(false);
    expect(ran.output).not.toMatch(/INTERNAL|heap|Invalid string length/);
  });
});

describe("adr check", () => {
  it.each([
    ["prose", "# Notes\n\nWe met on Monday.\n"],
    ["nothing", ""],
    ["JSON", '{ "status": "no" }'],
    ["a script", "#!/bin/sh\nexit 0\n"],
    ["a list", "- one\n- two\n"],
  ])("says of %s that it is not a decision record", async (_, text) => {
    const opened = openHostile({ files: { "text.md": text } }, who);
    const ran = await opened.run("adr", "check", "text.md");
    expect({ code: ran.code, output: ran.output }).toMatchObject({
      code: 2,
      output: expect.stringContaining("is not a decision record"),
    });
  });
});
