import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfiguration } from "../../src/hands/settings/load-configuration.js";
import { coordinator, coordinatorJson, root, snapshot, workFolder } from "./program.js";

const PATH = "/usr/local/bin:/usr/bin:/bin";

/** A repository with these files in one commit, and a home beside it. */
function repository(files: Readonly<Record<string, string>> = {}) {
  const folder = workFolder();
  const [cwd, home, bin] = ["repository", "home", "bin"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [cwd, home, bin]) mkdirSync(path);
  for (const [name, text] of Object.entries({ "readme.md": "hello\n", ...files })) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  git("init", "-q", "-b", "trunk");
  git("add", "-A");
  git("commit", "-qm", "start");
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const env = { HOME: home, PATH: `${bin}:${PATH}` };
  const settings = () => loadConfiguration(cwd, env);
  return { cwd, home, env, program, settings };
}

const NODE_PROJECT = {
  "package.json": JSON.stringify({ scripts: { test: "node --test", lint: "eslint ." } }),
  "package-lock.json": JSON.stringify({ packages: { "": {}, "node_modules/a": {} } }),
  "docs/adr/0001-first.md": "# First\n",
};

describe("init", () => {
  it("writes what it found, and nothing else", async () => {
    const { cwd, env, settings } = repository(NODE_PROJECT);
    execFileSync("git", ["config", "user.name", "Example, Ada"], { cwd });
    const before = snapshot(cwd);
    const { code, stdout, stderr } = await coordinator(["init", "--agent", "scripted", "--no-checks"], { cwd, env });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^branch +trunk$/m);
    expect(stdout).toMatch(/^checks +test, lint$/m);
    expect(stdout).toMatch(/^decisions +docs\/adr:/m);
    expect(stdout).toContain(`Written: ${join(cwd, "coordinator.yaml")}\n`);
    expect(stdout).toMatch(/\nNext: coordinator run "what you want"\n$/);
    const {
      "coordinator.yaml": written,
      "governance/contracts/coordinator.yaml": contract,
      "governance/context.yaml": context,
      ...after
    } = snapshot(cwd);
    expect(written).toBeDefined();
    expect(parse(Buffer.from(context ?? "", "base64").toString("utf8"))).toEqual([
      { ref: "docs/adr/0001-first.md", kind: "adr", title: "First" },
    ]);
    expect(Buffer.from(contract ?? "", "base64").toString("utf8")).toBe(
      readFileSync(join(root, "policy/contract.yaml"), "utf8"),
    );
    expect(after).toEqual(before);
    const { configuration, problems } = await settings();
    expect(problems).toEqual([]);
    expect(configuration).toMatchObject({
      agents: { scripted: { preset: "scripted" } },
      // A role that nobody holds can be used by nobody.
      reviewers: { architecture: ["Example, Ada"], security: ["Example, Ada"] },
      default_agent: "scripted",
      planner: "template",
      checks: [
        { name: "test", kind: "test", run: "npm run test" },
        { name: "lint", kind: "lint", run: "npm run lint" },
      ],
      workspace: { setup: { keeps: ["node_modules"], caches: ["~/.npm"] } },
    });
  });

  it("lists the documents it finds as the first context registry, and keeps one that is there", async () => {
    const documents = {
      "PRINCIPLES.md": "# Principles\n",
      "AGENTS.md": "# Agents\n",
      "CONTRIBUTING.md": "# Contributing\n",
      "docs/code-style.md": "# Style\n",
      "docs/notes.md": "# Notes\n",
      "docs/adr/0002-second.md": "# 2. Use queues\n\n## Status\n\nSuperseded by ADR-3\n",
      "src/index.js": "export {};\n",
      "src/other.js": "export {};\n",
    };
    const { cwd, env } = repository({ ...NODE_PROJECT, ...documents });
    const init = ["init", "--agent", "scripted", "--no-checks"];
    const { stdout } = await coordinator(init, { cwd, env });
    const file = join(cwd, "governance/context.yaml");
    expect(stdout).toContain(`Written: ${file}, the documents that agents may be given`);
    const listed = parse(readFileSync(file, "utf8")) as { ref: string; kind: string; status?: string }[];
    expect(listed.map(({ ref, kind, status }) => [ref, kind, status])).toEqual([
      ["PRINCIPLES.md", "principles", undefined],
      ["docs/adr/0001-first.md", "adr", undefined],
      ["docs/adr/0002-second.md", "adr", "superseded"],
      ["AGENTS.md", "standard", undefined],
      ["CONTRIBUTING.md", "standard", undefined],
      ["docs/code-style.md", "standard", undefined],
      ["src/index.js", "source", undefined],
    ]);
    writeFileSync(join(cwd, "request.txt"), "Fix `a_b` in src/index.js, it must return 1\n");
    const routed = await coordinatorJson(["route", "request.txt"], { cwd, env });
    expect(JSON.stringify(routed)).toContain('"injected_context":["AGENTS.md"');
    writeFileSync(file, "- docs/notes.md\n");
    await coordinator([...init, "--force"], { cwd, env });
    expect(readFileSync(file, "utf8")).toBe("- docs/notes.md\n");
  });

  it("names the agents that are installed and logged in, and how each reaches its model", async () => {
    const { cwd, env, home, program, settings } = repository();
    program("claude-agent-acp", "exit 3");
    program("codex-acp", "exit 3");
    program("gemini", "exit 3");
    program("copilot", "exit 3");
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/auth.json"), "canary-login");
    // A token for GitHub is not a key of a model's provider, and is not sent to one.
    const keys = { ANTHROPIC_API_KEY: "canary-key", GH_TOKEN: "canary-token" };
    const { json, stdout } = await coordinatorJson(["init"], { cwd, env: { ...env, ...keys } });
    // The programs above speak no protocol: doctor says so, and what was found is written all the same.
    expect(json).toMatchObject({ type: "init", status: "written", ready: false });
    expect(stdout).not.toContain("canary");
    expect(readFileSync(join(cwd, "coordinator.yaml"), "utf8")).not.toContain("canary");
    const { configuration, problems } = await settings();
    expect(problems).toEqual([]);
    expect(Object.keys(configuration.agents)).toEqual(["claude", "codex"]);
    // Whoever is there specifies and plans.
    expect(configuration).toMatchObject({ product: "claude", planner: "claude", proposing: { otherwise: "template" } });
    expect(configuration.default_agent).toBe("claude");
    expect(configuration.agents["claude"]?.auth).toMatchObject({ type: "proxy", key_env: "ANTHROPIC_API_KEY" });
    expect(configuration.agents["codex"]?.auth).toBeUndefined();
  });

  it("agrees to a login for whoever says yes, in their own settings, and for nobody else", async () => {
    const { cwd, env, home, program, settings } = repository();
    program("codex-acp", "exit 3");
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/auth.json"), "canary-login");
    const silent = await coordinatorJson(["init"], { cwd, env });
    const own = join(home, ".config/coordinator/config.yaml");
    expect(existsSync(own)).toBe(false);
    // Not started in a sandbox either: it would have been shown there.
    const codex = (checks: readonly { name: string }[]) => checks.find(({ name }) => name === "codex");
    const { checks, seen } = silent.json as { checks: { name: string }[]; seen: { name: string }[] };
    expect(codex(checks)).toMatchObject({ status: "bad", fix: expect.stringContaining("logins: [codex]") });
    expect(seen).toContainEqual(expect.objectContaining({ name: "logins", detail: expect.stringContaining(own) }));
    const yes = await coordinatorJson(["init", "--force", "--yes"], { cwd, env });
    expect(readFileSync(own, "utf8")).toMatch(/^# .*\nlogins: \[codex\]\n$/);
    expect((await settings()).configuration.logins).toEqual(["codex"]);
    expect(codex((yes.json as { checks: { name: string }[] }).checks)).toMatchObject({
      detail: expect.stringMatching(/code 3/),
    });
  });

  it("runs what it found once, and writes what runs; what does not is a remark with its cause", async () => {
    const { cwd, env, settings } = repository({
      "package.json": JSON.stringify({ scripts: { test: "xo && node --test", lint: "xo" } }),
      "test/a.test.mjs": 'import { test } from "node:test";\ntest("adds", () => {});\ntest("takes away", () => {});\n',
    });
    const before = snapshot(cwd);
    const { code, json, stdout } = await coordinatorJson(["init", "--agent", "scripted"], { cwd, env });
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ready: true,
      tried: {
        lines: [
          { name: "test", status: "good", detail: expect.stringMatching(/^2 passed in /) },
          { name: "lint", status: "weak", detail: "left out: xo: not found" },
        ],
      },
    });
    expect(stdout).toContain("Does not run here: xo: not found");
    expect((await settings()).configuration.checks).toMatchObject([{ name: "test", run: "node --test" }]);
    const { "coordinator.yaml": _, "governance/contracts/coordinator.yaml": __, ...after } = snapshot(cwd);
    // Refs of its own keep what was tried; nothing else of the repository is changed.
    const isOurs = (name: string) => name.startsWith(".coordinator/") || name.startsWith(".git/refs/coord/");
    expect(Object.keys(after).filter((name) => !isOurs(name))).toEqual(Object.keys(before));
  });

  it("says of an agent that only lacks a login how to log in, and names it", async () => {
    const { cwd, env, program, settings } = repository();
    program("claude-agent-acp", "exit 3");
    const { json } = await coordinatorJson(["init", "--no-checks"], { cwd, env });
    const { seen } = json as { seen: { name: string; detail: string }[] };
    expect(seen.find(({ name }) => name === "agents")?.detail).toBe("claude (installed, but not logged in)");
    // The adapter brings the program along and does not put it on the PATH.
    expect(readFileSync(join(cwd, "coordinator.yaml"), "utf8")).toContain("Log in: claude-agent-acp --cli auth login");
    expect((await settings()).configuration.agents).toMatchObject({ claude: { preset: "claude" } });
  });

  it("installs missing packages outside of the sandbox only when a person says so", async () => {
    const manifest = { scripts: { test: "node --test" }, devDependencies: { "some-package": "1" } };
    const { cwd, env, home, program } = repository({ "package.json": JSON.stringify(manifest) });
    program("npm", 'echo "$@" >> "$HOME/npm.log"');
    const told = async (...args: string[]) => {
      const { json } = await coordinatorJson(["init", "--force", "--no-checks", ...args], { cwd, env });
      return (json as { seen: { name: string; detail: string }[] }).seen.find(({ name }) => name === "packages")
        ?.detail;
    };
    expect(await told("--yes")).toMatch(/no lockfile.*; coordinator init --install runs npm install --ignore-scripts/);
    expect(existsSync(join(home, "npm.log"))).toBe(false);
    expect(await told("--install", "--dry-run")).toContain("coordinator init --install");
    expect(existsSync(join(home, "npm.log"))).toBe(false);
    expect(await told("--install")).toMatch(/^npm install\b.* made /);
    expect(readFileSync(join(home, "npm.log"), "utf8")).toMatch(/^install --ignore-scripts/);
  });

  it("leaves what it does not know as a comment, which is a whole configuration", async () => {
    const { cwd, env, settings } = repository();
    expect(await coordinator(["init"], { cwd, env })).toMatchObject({ code: 0 });
    expect(await settings()).toMatchObject({ problems: [], configuration: { agents: {}, checks: [], workspace: {} } });
    expect(readFileSync(join(cwd, "coordinator.yaml"), "utf8")).toMatch(/^# {5}run: make test/m);
  });

  it("keeps a file that is there, unless it is ordered to write it anew", async () => {
    const { cwd, env } = repository({ "coordinator.yaml": "default_agent: mine\n" });
    const refused = await coordinator(["init", "--yes"], { cwd, env });
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("--force");
    expect(await coordinator(["init", "--force", "--dry-run"], { cwd, env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "coordinator.yaml"), "utf8")).toBe("default_agent: mine\n");
    expect(await coordinator(["init", "--force"], { cwd: join(cwd), env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "coordinator.yaml"), "utf8")).toMatch(/^# Who works/);
  });

  it("is refused outside of a repository, and for an agent nobody knows", async () => {
    const cwd = workFolder();
    expect(await coordinator(["init"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("git init"),
    });
    const { cwd: inside, env } = repository();
    const unknown = await coordinator(["init", "--agent", "hal"], { cwd: inside, env });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("claude, codex") });
    expect(existsSync(join(inside, "coordinator.yaml"))).toBe(false);
  });

  it("asks a person at a terminal, and takes no for an answer", async () => {
    const { cwd, env } = repository();
    const answered = (answer: string, ...args: string[]) =>
      new Promise<string>((resolve, reject) => {
        const command = [process.execPath, join(root, "dist/cli/main.js"), "init", ...args].join(" ");
        const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: { ...env, TERM: "xterm" } });
        let seen = "";
        let asked = false;
        child.stdout.on("data", (chunk: Buffer) => {
          seen += chunk.toString("utf8");
          if (asked || !seen.includes("[Y/n]")) return;
          asked = true;
          child.stdin.write(`${answer}\n`);
        });
        child.on("error", reject);
        child.on("close", () => resolve(seen));
      });
    expect(await answered("n")).toContain("Nothing was written.");
    expect(existsSync(join(cwd, "coordinator.yaml"))).toBe(false);
    expect(await answered("y")).toContain("Written: ");
    rmSync(join(cwd, "coordinator.yaml"));
    const unasked = await answered("n", "--yes");
    expect(unasked).toContain("Written: ");
    expect(unasked).not.toContain("[Y/n]");
  });
});
