import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProject } from "../project/project.js";
import { agreeHere } from "./agree.js";

describe("before a run needs a login", () => {
  let home: string;
  let project: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "coordinator-agree-"));
    project = join(home, "project");
    mkdirSync(join(project, ".git"), { recursive: true });
    writeFileSync(
      join(project, "coordinator.yaml"),
      "agents:\n  claude: { preset: claude }\n  second: { preset: claude }\n  spare: { preset: gemini }\nresolver: second\n",
    );
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const own = () => join(home, ".config/coordinator/config.yaml");
  const ask = async (said: boolean, agent?: string) => {
    const shown: string[] = [];
    await agreeHere(openProject({ cwd: project, environment: { HOME: home } }), agent, async (text) => {
      shown.push(text);
      return said;
    });
    return shown;
  };

  it("a person is asked once for each preset that is used, told what is at stake, and not again after a yes", async () => {
    const shown = await ask(true, "codex");
    expect(shown).toEqual([
      expect.stringMatching(/^claude .*~\/\.claude\/\.credentials\.json, ~\/\.claude\.json.* api\.anthropic\.com\./),
      expect.stringMatching(/^codex .*~\/\.codex\/auth\.json.* chatgpt\.com, .*config\.yaml\.$/),
    ]);
    expect(readFileSync(own(), "utf8")).toMatch(/\nlogins: \[ ?claude, codex ?\]\n$/);
    expect(await ask(true, "codex")).toEqual([]);
  });

  it("nothing is written after a no, nor where nobody can be asked", async () => {
    expect(await ask(false)).toHaveLength(1);
    await agreeHere(openProject({ cwd: project, environment: { HOME: home } }), "codex", null);
    expect(existsSync(own())).toBe(false);
  });
});
