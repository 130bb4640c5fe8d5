import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { coordinator, root, workFolder } from "./program.js";
import { guideProject } from "./run-logs.js";

/*
 * What a guide shows is true: a block after "`path`:" is that file, and each command in a console block prints the lines
 * below it in their order. A line that is only "…" stands for any number of lines,
 * and one that ends with it for any line that begins so.
 */
const BLOCK = /(?:`([\w./-]+)`:\n\n)?```(\w+)\n([\s\S]*?)```/g;

/** A guide about something that is there already begins with it. */
const GUIDES: readonly (readonly [name: string, folder: () => string | Promise<string>])[] = [
  ["routing-policy.md", workFolder],
  ["intake-policy.md", workFolder],
  ["context.md", workFolder],
  ["adrs.md", workFolder],
  ["product-and-planner.md", workFolder],
  ["scope-and-guardrails.md", workFolder],
  ["runs.md", guideProject],
  ["reports-and-stats.md", guideProject],
  ["agents.md", rehearsal],
  ["running.md", rehearsal],
  ["from-words.md", rehearsal],
];

/** The repository of examples/rehearsal, as somebody has it who copied and committed it. */
function rehearsal(): string {
  const cwd = join(workFolder(), "greetings");
  cpSync(join(root, "examples", "rehearsal"), cwd, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=ada", "-c", "user.email=ada@example.org", ...args], { cwd });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "start");
  return cwd;
}

/** Words as a shell has them, as far as guides need it. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? "");
}

describe.each(GUIDES)("the guide %s", (name, folder) => {
  it("shows what the program does", async () => {
    const guide = readFileSync(join(root, "docs", "guides", name), "utf8");
    const cwd = await folder();
    const env = { XDG_STATE_HOME: join(cwd, "..", "state") };
    let commands = 0;
    for (const [, path, language, text = ""] of guide.matchAll(BLOCK)) {
      if (path !== undefined) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), text);
      }
      if (language !== "console") continue;
      const [command = "", ...output] = text.split("\n");
      expect(command).toMatch(/^\$ coordinator /);
      const { stdout, stderr } = await coordinator(wordsOf(command).slice(2), { cwd, env });
      const printed = (stdout + stderr).split("\n");
      let from = 0;
      let gap = false;
      for (const line of output) {
        if (line === "…") {
          gap = true;
          continue;
        }
        const isIt = (found: string) =>
          line.endsWith("…") && !found.endsWith("…") ? found.startsWith(line.slice(0, -1)) : found === line;
        const at = gap ? printed.findIndex((found, i) => i >= from && isIt(found)) : from;
        expect(isIt(printed[at] ?? ""), `${command}: ${line}\n${printed.join("\n")}`).toBe(true);
        from = at + 1;
        gap = false;
      }
      commands++;
    }
    expect(commands).toBeGreaterThan(2);
  });
});
