import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mentionFacts } from "./mention-facts.js";

function repository(files: Readonly<Record<string, string>>) {
  const repo = mkdtempSync(join(tmpdir(), "coordinator-mentions-"));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=a@b.c", ...args], { cwd: repo, encoding: "utf8" });
  const write = (changed: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(changed)) {
      mkdirSync(join(repo, path, ".."), { recursive: true });
      writeFileSync(join(repo, path), text);
    }
    git("add", ".");
    git("commit", "-qm", "one");
    return git("rev-parse", "HEAD").trim();
  };
  git("init", "-q", "-b", "main");
  return { repo, write, commit: write(files), cache: join(repo, ".git", "definitions.txt") };
}

const FILES = {
  "readme.md": "# A",
  "CHANGES.md": "",
  ".github/workflows/nightly.yml": "on: push",
  "src/command.ts": 'import { parse } from "./args.js";\nexport function runCommand() {}\n',
  "src/args.ts": "export function parse() {}\n",
  "src/hue/bridge.ts": "export class Bridge {}\n",
  "test/args.test.ts": 'import "../src/args.js";\n',
  "examples/demo.ts": "export function runCommand() {}\n",
};

describe("what a request names of a repository", () => {
  it("are files as they are spelled there, folders, definitions with their neighbours, and tests", async () => {
    const { repo, commit, cache } = repository(FILES);
    const facts = await mentionFacts(
      repo,
      commit,
      "Fix `runCommand` in Command.ts, see the README and the hue integration",
      cache,
    );
    const value = (name: string) => facts[name]?.value;
    expect(value("named_files")).toEqual(["readme\treadme.md\tpage", "command.ts\tsrc/command.ts\tsource"]);
    expect(value("named_folders")).toEqual(["hue\tsrc/hue"]);
    expect(value("defined_names"), "examples are not the product").toEqual(["runCommand\tsrc/command.ts"]);
    expect(value("file_neighbours")).toEqual(["src/command.ts\tsrc/args.ts"]);
    expect(value("file_tests"), "by the habits of its other tests").toEqual(["src/command.ts\ttest/command.test.ts"]);
    expect(facts["defined_names"]?.evidence_ref).toBe(`git://${commit}`);
  });

  it("need no index where the words name no code", async () => {
    const { repo, commit, cache } = repository(FILES);
    const facts = await mentionFacts(repo, commit, "Run the nightly workflow twice", cache);
    expect(facts["named_files"]?.value).toEqual(["nightly\t.github/workflows/nightly.yml\tpipeline"]);
    expect(existsSync(cache)).toBe(false);
  });

  it("are read once for each blob, and anew when the cache is broken", async () => {
    const { repo, write, commit, cache } = repository(FILES);
    const asked = "Fix `runCommand` and `stopCommand`";
    const first = await mentionFacts(repo, commit, asked, cache);
    const kept = readFileSync(cache, "utf8");
    // A definition that only the cache knows shows that blobs are not read again.
    writeFileSync(cache, kept.replace("runCommand", "runCommand stopCommand"));
    expect((await mentionFacts(repo, commit, asked, cache))["defined_names"]?.value).toContain(
      "stopCommand\tsrc/command.ts",
    );
    for (const broken of ["", "another header\n", kept.slice(0, -5)]) {
      writeFileSync(cache, broken);
      expect(await mentionFacts(repo, commit, asked, cache)).toEqual(first);
    }
    const next = write({ "src/stop.ts": "export function stopCommand() {}\n" });
    const facts = await mentionFacts(repo, next, asked, cache);
    expect(facts["defined_names"]?.value).toEqual(["runCommand\tsrc/command.ts", "stopCommand\tsrc/stop.ts"]);
  });

  it("are nothing without a commit", async () => {
    const { repo, cache } = repository(FILES);
    expect(await mentionFacts(repo, "0".repeat(40), "Fix command.ts", cache)).toEqual({});
  });
});
