import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { AgentSettings } from "../../model/settings/agent-config.js";
import { findAgents } from "./find-agents.js";

function machine(variables: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-find-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [bin, home] = [join(folder, "bin"), join(folder, "home")];
  for (const path of [bin, home]) mkdirSync(path);
  const program = (name: string, script: string, place = join(bin, name)) => {
    writeFileSync(place, `#!/bin/sh\n${script}\n`);
    chmodSync(place, 0o755);
  };
  const found = async (configured: Parameters<typeof findAgents>[1] = {}) => {
    const agents = await findAgents(
      { path: `${bin}:/usr/bin:/bin`, home, hasVariable: (name) => variables.includes(name) },
      configured,
    );
    return Object.fromEntries(agents.map((agent) => [agent.name, agent]));
  };
  return { folder, bin, home, program, found };
}

it("says of each agent whether it is there, which version, how it logs in, and what is missing", async () => {
  const { home, program, found, bin } = machine(["ANTHROPIC_API_KEY", "SECRET"]);
  program("goose", "echo ' 1.37.0'");
  program("claude-agent-acp", "sleep 0");
  program("claude", "echo '2.1.325 (Claude Code)'");
  program("codex-acp", "exit 1");
  mkdirSync(join(home, ".config/goose"), { recursive: true });
  // Its content does not matter: a file that cannot be read is a login all the same.
  writeFileSync(join(home, ".config/goose/config.yaml"), "token: x", { mode: 0o000 });
  const { goose, claude, codex, gemini, scripted } = await found();
  expect(goose).toMatchObject({
    version: "1.37.0",
    login: "login_file",
    login_files: [".config/goose/config.yaml"],
    needs_mounts: [bin],
    ready: true,
    fix: null,
  });
  expect(claude).toMatchObject({ version: "2.1.325", login: "key", keys_set: ["ANTHROPIC_API_KEY"], ready: true });
  expect(codex).toMatchObject({ program: join(bin, "codex-acp"), version: null, login: "none", ready: false });
  expect(codex?.fix).toMatch(/codex login/);
  expect(gemini).toMatchObject({ program: null, ready: false, fix: "npm install -g @google/gemini-cli" });
  expect(scripted).toMatchObject({ login: "not_needed", ready: true });
});

it("looks at the agents of the configuration too, and at where npm has put one", async () => {
  const { folder, bin, program, found } = machine(["TEAM_KEY"]);
  mkdirSync(join(folder, "lib/node_modules/agent/bin"), { recursive: true });
  program("agent", `touch ${join(folder, "ran")}; echo v3.2.1`, join(folder, "lib/node_modules/agent/bin/agent.js"));
  symlinkSync(join(folder, "lib/node_modules/agent/bin/agent.js"), join(bin, "our-agent"));
  const proxy = { type: "proxy", upstream: "https://example.org", routes: ["POST /v1"], header: "x-key" };
  const { ours, gone } = await found({
    ours: AgentSettings.parse({ command: ["our-agent"], auth: { ...proxy, key_env: "TEAM_KEY" } }),
    gone: AgentSettings.parse({ command: ["/nowhere/agent"] }),
  });
  // It is not a preset: its program is not run outside of a sandbox, not even for its version.
  expect(existsSync(join(folder, "ran"))).toBe(false);
  expect(ours).toMatchObject({ version: null, login: "key", keys_set: ["TEAM_KEY"], ready: true });
  expect(ours?.needs_mounts).toEqual([join(folder, "lib/node_modules"), bin]);
  expect(gone).toMatchObject({ program: null, ready: false, fix: "There is no program /nowhere/agent." });
});
