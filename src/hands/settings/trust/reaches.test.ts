import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AgentSettings } from "../../../model/settings/agent-config.js";
import { Configuration } from "../../../model/settings/configuration.js";
import { isPlainPreset } from "./agent-reach.js";
import { reachId, describeWord, trustHash } from "./reach.js";
import { settingsReaches } from "./settings-reaches.js";

function around() {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-trust-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ["home/kit", "home/other", "project/log"]) mkdirSync(join(folder, path), { recursive: true });
  return { root: join(folder, "project"), home: join(folder, "home"), env: { HOME: join(folder, "home") } };
}

const none = Configuration.parse({});

describe("what reaches beyond a project", () => {
  it("is nothing in settings of presets, checks, setup with known caches, and anchors in the project", () => {
    const { root, env } = around();
    const ordinary = Configuration.parse({
      agents: { claude: { preset: "claude", model: "claude-opus-4-1", limits: { start_seconds: 5 }, mode: null } },
      checks: [{ name: "t", run: "curl evil.example" }],
      workspace: {
        setup: { run: "npm ci", caches: ["~/.npm", "~/.npm/"], mounts: ["~/.gradle/wrapper"] },
        tools: ["/usr/lib/jvm", "/usr/bin"],
      },
      scope: { network: ["api.openai.com", "api.anthropic.com:443"] },
      record: { anchor: ["git:", "log/anchors.jsonl"] },
      models: {
        it: { provider: "openai", base_url: "https://api.openai.com/v1", model: "m", key_env: "OPENAI_API_KEY" },
      },
    });
    expect(settingsReaches(ordinary, { root, env, own: none })).toEqual([]);
  });

  it("is a file in the project that a link leads out of it", () => {
    const { root, env, home } = around();
    rmSync(join(root, "log"), { recursive: true });
    symlinkSync(home, join(root, "log"));
    const settings = Configuration.parse({ record: { anchor: "log/anchors.jsonl" } });
    expect(settingsReaches(settings, { root, env, own: none })).toMatchObject([
      { kind: "anchor", says: "writes the checkpoints of runs to the file ~/anchors.jsonl", allowedBy: "agreement" },
    ]);
  });

  it("has effect when the person's own settings say the same, and only the same", () => {
    const { root, env } = around();
    const evil = (argument: string) => ({ command: ["x", argument] });
    const own = Configuration.parse({ agents: { a: evil("1"), b: evil("1") }, workspace: { tools: ["~/kit"] } });
    const project = Configuration.parse({
      agents: { a: evil("1"), b: evil("2") },
      workspace: { tools: ["~/kit", "~/other"] },
    });
    const found = settingsReaches(project, { root, env, own }).map(({ name, isOwn }) => [name, isOwn]);
    expect(found).toEqual([
      ["a", true],
      ["b", false],
      ["~/kit", true],
      ["~/other", false],
    ]);
  });

  it("has a hash that depends on its content and on nothing else", () => {
    const { root, env, home } = around();
    const of = (settings: object) => settingsReaches(Configuration.parse(settings), { root, env, own: none });
    const agent = (env: object) => ({ agents: { a: { command: ["x"], env } } });
    const [one, two] = [of(agent({ A: "1", B: "2" })), of(agent({ B: "2", A: "1" }))];
    expect(one.map(reachId)).toEqual(two.map(reachId));
    expect(trustHash(one)).toBe(trustHash(two));
    expect(trustHash(of(agent({ A: "1", B: "3" })))).not.toBe(trustHash(one));
    expect(trustHash([])).toBeNull();
    // Where a link leads is part of it.
    symlinkSync(join(home, "kit"), join(home, "link"));
    const before = trustHash(of({ workspace: { tools: ["~/link"] } }));
    rmSync(join(home, "link"));
    symlinkSync(join(home, "other"), join(home, "link"));
    expect(trustHash(of({ workspace: { tools: ["~/link"] } }))).not.toBe(before);
    // A folder that does not exist yet can be named, and is another one than what it becomes as a link.
    writeFileSync(join(home, "file"), "");
    expect(trustHash(of({ workspace: { tools: ["~/file"] } }))).not.toBeNull();
  });

  it.each([
    ["a name that hides the next line", "kit\u001b[2K\u001b[1A", '"kit\\u001b[2K\\u001b[1A"'],
    ["a name of two lines", "~/kit\n  + agreed", '"~/kit\\n  + agreed"'],
    ["a name that turns around", "~/\u202etxt.exe", '"~/\\u{202e}txt.exe"'],
    ["a plain one", "~/größe/kit-1.2", "~/größe/kit-1.2"],
  ])("is told on one line: %s", (_, word, told) => {
    expect(describeWord(word)).toBe(told);
  });
});

describe("a plain preset", () => {
  const proxy = {
    type: "proxy",
    upstream: "https://api.anthropic.com",
    key_env: "ANTHROPIC_API_KEY",
    header: "x-api-key",
  };
  it.each([
    [true, { preset: "claude" }],
    [true, { preset: "claude", model: "us.anthropic/claude-x:1@2" }],
    [true, { preset: "claude", auth: { ...proxy, routes: ["POST /v1/messages"] } }],
    [true, { preset: "scripted", env: { COORDINATOR_SCRIPT: "rehearsal.json" } }],
    [false, { preset: "claude", auth: { ...proxy, routes: ["POST /v1/messages", "GET /v1/files"] } }],
    [false, { preset: "claude", model: "-p" }],
    [false, { preset: "claude", command: ["claude-agent-acp"] }],
    [false, { preset: "claude", env: { PATH: "/ws/bin" } }],
    [false, { preset: "scripted", env: { COORDINATOR_SCRIPT: "/etc/passwd" } }],
    [false, { command: ["claude-agent-acp"] }],
  ])("%s: %j", (plain, settings) => {
    expect(isPlainPreset(AgentSettings.parse(settings))).toBe(plain);
  });
});
