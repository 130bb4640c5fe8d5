import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { coordinator, root, workFolder } from "./program.js";
import { guideProject } from "./run-logs.js";

/*
 * What a guide shows is true: a block after "`path`:" is that file, and each command in a console block prints the lines
 * below it in their order. A line that is only "…" stands for any number of lines.
 */
const BLOCK = /(?:`([\w./-]+)`:\n\n)?```(\w+)\n([\s\S]*?)```/g;

/** A guide about something that is there already begins with it. */
const GUIDES: readonly (readonly [name: string, folder: () => string | Promise<string>])[] = [
  ["routing-policy.md", workFolder],
  ["intake-policy.md", workFolder],
  ["scope-and-guardrails.md", workFolder],
  ["runs.md", guideProject],
];

describe.each(GUIDES)("the guide %s", (name, folder) => {
  it("shows what the program does", async () => {
    const guide = readFileSync(join(root, "docs", "guides", name), "utf8");
    const cwd = await folder();
    let commands = 0;
    for (const [, path, language, text = ""] of guide.matchAll(BLOCK)) {
      if (path !== undefined) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), text);
      }
      if (language !== "console") continue;
      const [command = "", ...output] = text.split("\n");
      expect(command).toMatch(/^\$ coordinator /);
      const { stdout, stderr } = await coordinator(command.split(" ").slice(2), { cwd });
      const printed = (stdout + stderr).split("\n");
      let from = 0;
      let gap = false;
      for (const line of output) {
        if (line === "…") {
          gap = true;
          continue;
        }
        const at = gap ? printed.indexOf(line, from) : from;
        expect(printed[at], `${command}: ${line}`).toBe(line);
        from = at + 1;
        gap = false;
      }
      commands++;
    }
    expect(commands).toBeGreaterThan(2);
  });
});
