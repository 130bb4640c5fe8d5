import { execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { examine } from "../../src/app/doctor/doctor.js";
import { openProject } from "../../src/app/project/project.js";
import { addOwnSettings } from "../own-settings.js";
import { coordinator, coordinatorJson, root, workFolder } from "./program.js";

const PATH = "/usr/local/bin:/usr/bin:/bin";

describe("doctor", () => {
  it("says what is here and how to get what is not, and never what a secret is", async () => {
    const cwd = workFolder();
    const env = { HOME: cwd, PATH, OPENAI_API_KEY: "sk-secret-canary" };
    const text = await coordinator(["doctor"], { cwd, env });
    // No agent is configured and nothing is checked: whoever begins a run here would be refused.
    expect(text).toMatchObject({ code: 1, stderr: "" });
    expect(text.stdout).toMatch(/^\+ good {5}node /m);
    expect(text.stdout).toMatch(/^\+ good {5}git +\d/m);
    expect(text.stdout).toMatch(/^(\+ good {5}|~ weak {5})sandbox +(strong|reduced)/m);
    expect(text.stdout).toMatch(/^~ weak {5}repository .*in no git repository$/m);
    expect(text.stdout).toMatch(/ {2}\+ scripted +\d/);
    expect(text.stdout).toMatch(/^x bad {6}checks +none in coordinator.yaml: no result could be proven$/m);
    expect(text.stdout).toMatch(
      /^x bad {6}agents +No agent is configured, so no run can start, and none is installed$/m,
    );
    expect(text.stdout).toMatch(/^\+ good {5}disk /m);
    expect(text.stdout).toMatch(/Not ready: something above must be fixed first\.\n$/);
    const { json, stdout } = await coordinatorJson(["doctor"], { cwd, env });
    expect(json).toMatchObject({ type: "doctor", ready: false, tried: { commit: null, lines: [] } });
    expect(text.stdout + stdout).not.toContain("canary");
  });

  it("fails when something that is needed is missing, and says how to fix it", async () => {
    const cwd = workFolder();
    const bin = join(cwd, "bin");
    mkdirSync(bin);
    writeFileSync(join(cwd, "coordinator.yaml"), "agents:\n  a: {}\n");
    const { exitCode, report } = await examine({
      project: openProject({ cwd, environment: { HOME: cwd, PATH: bin } }),
      node: "18.0.0",
    });
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({
      ready: false,
      checks: [
        { name: "node", status: "bad", fix: "Install Node.js 20.19 or newer." },
        { name: "git", status: "bad", detail: "not found", fix: "Install git 2.38 or newer." },
        { name: "repository", status: "bad", fix: expect.stringContaining("PATH") },
        { name: "store", status: "good" },
        { name: "state", status: "good" },
        { name: "disk", status: "good" },
        { name: "settings", status: "bad", detail: expect.stringMatching(/coordinator\.yaml:2 .*preset or a command/) },
        { name: "contract", status: "good" },
        { name: "sandbox", status: "unknown" },
        { name: "checks", status: "bad" },
        { name: "agents", status: "bad" },
      ],
    });
  });

  it("says what no run can be made with: a bare repository, no home, a folder for temporary files that is not there, a damaged store", async () => {
    const cwd = workFolder();
    execFileSync("git", ["init", "-q", "--bare", "bare.git"], { cwd });
    const bare = join(cwd, "bare.git");
    const found = async (env: Record<string, string>, place = cwd) => {
      const { code, json } = await coordinatorJson(["doctor"], { cwd: place, env: { PATH, ...env } });
      return {
        code,
        bad: (json["checks"] as { name: string; status: string }[]).filter(
          ({ name, status }) => status === "bad" && name !== "checks" && name !== "agents",
        ),
      };
    };
    expect(await found({ HOME: cwd }, bare)).toMatchObject({
      code: 1,
      bad: [{ name: "repository", fix: "Name a checkout of it: git clone REPOSITORY FOLDER" }],
    });
    expect(await found({ HOME: "" })).toMatchObject({
      code: 1,
      bad: [{ name: "state", fix: expect.stringContaining("HOME") }],
    });
    expect(await found({ HOME: cwd, TMPDIR: join(cwd, "nowhere") })).toMatchObject({
      code: 1,
      bad: [{ name: "state", fix: expect.stringContaining("TMPDIR") }],
    });
    for (const args of [["init"], ["run", "Document the colours in docs/colours.md", "--yes", "--agent", "scripted"]]) {
      const { code, json } = await coordinatorJson(args, { cwd: bare, env: { PATH, HOME: cwd } });
      expect([code, json["code"], json["fix"]]).toEqual([
        2,
        "REPOSITORY_UNSUITABLE",
        expect.stringContaining("git clone"),
      ]);
    }
    mkdirSync(join(cwd, ".coordinator"));
    writeFileSync(join(cwd, ".coordinator", "runs.db"), "x".repeat(10_000));
    expect(await found({ HOME: cwd })).toMatchObject({
      code: 1,
      bad: [{ name: "store", detail: expect.stringContaining("damaged") }],
    });
  });

  it("looks for the programs of checks that are not run inside the sandbox, where a home is not seen", async () => {
    const cwd = workFolder();
    chmodSync(cwd, 0o700);
    const tool = join(cwd, "tools/bin/own-linter");
    mkdirSync(join(cwd, "tools/bin"), { recursive: true });
    writeFileSync(tool, "#!/bin/sh\n", { mode: 0o755 });
    const checks = "checks:\n  - { name: lint, run: STRICT=1 own-linter . }\n  - { name: x, run: ./x.sh }\n";
    const env = { HOME: cwd, PATH: `${join(cwd, "tools/bin")}:${PATH}` };
    writeFileSync(join(cwd, "coordinator.yaml"), checks);
    const blind = await coordinatorJson(["doctor"], { cwd, env });
    expect(blind.code).toBe(1);
    const fix = expect.stringMatching(/^Name where own-linter is installed under workspace.tools/) as string;
    const bad = { name: "programs", status: "bad", detail: "not found inside the sandbox: own-linter", fix };
    expect(blind.json).toMatchObject({ ready: false, checks: expect.arrayContaining([expect.objectContaining(bad)]) });
    // A folder that only the project names has no effect; one of the person's own settings has.
    writeFileSync(join(cwd, "coordinator.yaml"), `${checks}workspace:\n  tools: [~/tools]\n`);
    const waiting = await coordinator(["doctor"], { cwd, env });
    expect(waiting.stdout).toMatch(
      /^~ weak {5}trust +without effect until you agree: shows the folder ~\/tools to agents/m,
    );
    expect(waiting.stdout).toMatch(/bad {6}programs +not found inside the sandbox: own-linter/);
    addOwnSettings(cwd, { workspace: { tools: ["~/tools"] } });
    const seeing = await coordinator(["doctor"], { cwd, env });
    expect(seeing.stdout).toMatch(/^\+ good {5}programs +lint, x: their programs are in the sandbox$/m);
    writeFileSync(join(cwd, "coordinator.yaml"), "checks:\n  - { name: lint, run: nowhere-lint . }\n");
    const nowhere = await coordinator(["doctor"], { cwd, env });
    expect(nowhere.stdout).toContain(
      "Fix: Install nowhere-lint, or take what needs it out of checks in coordinator.yaml.",
    );
    writeFileSync(join(cwd, "coordinator.yaml"), checks);
    addOwnSettings(cwd, { workspace: { tools: ["~/gone"] } });
    const gone = await coordinator(["doctor"], { cwd, env });
    expect(gone.stdout).toMatch(/bad {6}programs +The tools in .*gone are not there/);
  });

  it("tells what the sandbox's own report says, and starts nobody without one", async () => {
    const cwd = workFolder();
    chmodSync(cwd, 0o755);
    writeFileSync(join(cwd, "coordinator.yaml"), "agents:\n  rehearsal: { preset: scripted }\n");
    const bad = { name: "sandbox", status: "bad", detail: "no bubblewrap", fix: "apt install bubblewrap" } as const;
    const { exitCode, report } = await examine({
      project: openProject({ cwd, environment: { PATH, HOME: cwd } }),
      node: "22.0.0",
      sandbox: async () => bad,
    });
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({ checks: expect.arrayContaining([bad]), trials: [] });
  });
});

describe("setup and checks on HEAD", () => {
  /** A project with the scripted agent and these settings, in one commit. */
  function project(settings: string, files: Readonly<Record<string, string>> = {}) {
    const folder = workFolder();
    chmodSync(folder, 0o755);
    const [cwd, home] = [join(folder, "project"), join(folder, "home")];
    for (const place of [cwd, home]) mkdirSync(place);
    const all = { "coordinator.yaml": `agents: { scripted: { preset: scripted } }\n${settings}`, ...files };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "start");
    return { cwd, env: { HOME: home, PATH } };
  }

  it("are run once in the sandbox, with a line each, and kept for the first run", async () => {
    const checks =
      "checks: [{ name: test, kind: test, run: cat results.tap }, { name: build, kind: build, run: test -f made }]";
    const setup = "workspace: { setup: { run: touch made } }";
    const { cwd, env } = project(`${checks}\n${setup}\n`, {
      "results.tap": "TAP version 13\nok 1 - a\nok 2 - b\n1..2\n",
    });
    const { code, stdout } = await coordinator(["doctor"], { cwd, env });
    expect(stdout).toMatch(/^Checks on HEAD \([0-9a-f]{10}\), in the sandbox$/m);
    expect(stdout).toMatch(/^ {2}\+ setup: ok in \d/m);
    expect(stdout).toMatch(/^ {2}\+ test: 2 passed in \d/m);
    expect(stdout).toMatch(/^ {2}\+ build: ok in \d/m);
    expect(stdout).toMatch(/Ready\.\n$/);
    expect(code).toBe(0);
    expect(readdirSync(join(cwd, ".coordinator/baselines"))).toHaveLength(2);
    const skipped = await coordinatorJson(["doctor", "--no-checks"], { cwd, env });
    expect(skipped).toMatchObject({
      code: 0,
      json: { tried: { commit: null, not_tried: { reason: "left out by --no-checks" }, lines: [] } },
    });
  });

  it("that prove nothing are bad, with the cause and what to do, and nothing is ready", async () => {
    const checks = [
      "  - { name: test, kind: test, run: nowhere-runner --all }",
      "  - { name: lint, kind: lint, run: 'true' }",
    ];
    const { cwd, env } = project(`checks:\n${checks.join("\n")}\n`);
    const { code, json, stdout } = await coordinatorJson(["doctor"], { cwd, env });
    expect(code).toBe(1);
    expect(json).toMatchObject({ ready: false });
    const { lines } = (json as { tried: { lines: object[] } }).tried;
    expect(lines).toMatchObject([
      {
        name: "test",
        status: "bad",
        cause: "program_missing",
        detail: expect.stringContaining("nowhere-runner"),
        fix: expect.stringContaining("Install nowhere-runner"),
      },
      { name: "lint", status: "good", cause: null },
    ]);
    expect(stdout).not.toContain("Ready");
  });

  it("whose setup fails are told once, by what setup said", async () => {
    const { cwd, env } = project(
      'checks: [{ name: test, run: "true" }]\nworkspace: { setup: { run: "echo nothing to see; echo ERR! no such cache >&2; exit 4" } }\n',
    );
    const { code, stdout } = await coordinator(["doctor"], { cwd, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}x setup: .*ERR! no such cache/m);
    expect(stdout).not.toMatch(/ test: /);
  });

  it("that do not end are stopped at the limit, and by Ctrl-C without leaving anything", async () => {
    const { cwd, env } = project("checks: [{ name: slow, kind: test, run: sleep 300 }]\n");
    const limited = await coordinatorJson(["doctor", "--minutes", "0.02"], { cwd, env });
    expect(limited.code).toBe(1);
    const { lines } = (limited.json as { tried: { lines: object[] } }).tried;
    expect(lines).toMatchObject([{ name: "slow", status: "bad", cause: "timed_out" }]);
    const child = spawn(process.execPath, [join(root, "dist/cli/main.js"), "doctor"], { cwd, env });
    const ended = new Promise<number | null>((done) => void child.once("close", done));
    const workspaces = join(env.HOME, ".local/state/coordinator");
    await vi.waitFor(() => expect(holding(workspaces, "at~")).toBe(1), { timeout: 20_000 });
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(holding(workspaces, "at~")).toBe(0);
  });

  /** How many workspaces stand below a folder. */
  function holding(folder: string, prefix: string): number {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    return names
      .map((name) => join(folder, name, "workspaces"))
      .filter((place) => existsSync(place))
      .flatMap((place) => readdirSync(place))
      .filter((name) => name.startsWith(prefix)).length;
  }
});

describe("an agent nobody has heard of", () => {
  /** A program in a folder of its own, and the five lines that make an agent of it. */
  function newAgent(...more: readonly string[]) {
    const cwd = workFolder();
    const program = join(cwd, "tools", "newcomer.mjs");
    mkdirSync(join(cwd, "tools"));
    copyFileSync(join(root, "dist/hands/agents/scripted/scripted-agent.mjs"), program);
    // In the person's own settings, with the folder of the program: an argument shows nothing by itself.
    const settings = (...lines: readonly string[]) => {
      mkdirSync(join(cwd, ".config/coordinator"), { recursive: true });
      const tools = `workspace: { tools: [${JSON.stringify(join(cwd, "tools"))}] }`;
      writeFileSync(join(cwd, ".config/coordinator/config.yaml"), `${[...lines, tools].join("\n")}\n`);
    };
    const command = ["node", program, ...more].map((word) => JSON.stringify(word)).join(", ");
    return { cwd, program, command, settings, env: { HOME: cwd, PATH } };
  }

  it("works after five lines of YAML, and doctor says so", async () => {
    await coordinator(["--version"]);
    const { cwd, command, settings, env } = newAgent();
    settings("agents:", "  newcomer:", `    command: [${command}]`, "    mode: ask", "default_agent: newcomer");
    const { code, stdout } = await coordinator(["doctor", "--agent", "newcomer"], { cwd, env });
    expect(stdout).toMatch(
      /^\+ good {5}newcomer +works in the sandbox: protocol version 1, scripted [\d.]+, modes ask, auto, mode ask set/m,
    );
    expect(code).toBe(0);
    const { json } = await coordinatorJson(["doctor", "--agent", "newcomer"], { cwd, env });
    expect(json["trials"]).toEqual([
      expect.objectContaining({
        name: "newcomer",
        works: true,
        protocol_version: 1,
        modes: ["ask", "auto"],
        mode: "ask",
      }),
    ]);
  });

  it.each([
    ["ends at once", ["--fault", "exit"], /ended with code 3/, /by hand/],
    ["says nothing", ["--fault", "silent"], /not ready within 2 seconds/, /start_seconds/],
    ["speaks another version", ["--fault", "protocol"], /version 99/, null],
    ["opens no session", ["--fault", "no-session"], /names no session/, null],
    ["keeps its own mode", ["--fault", "mode-ignored", "--mode", "auto"], /asked to change to the mode ask/, null],
    ["has other modes", ["--fault", "mode-missing"], /has no mode ask/, /mode: null/],
  ])("that %s is told to be broken, and how", async (_what, faults, problem, fix) => {
    await coordinator(["--version"]);
    const { cwd, command, settings, env } = newAgent(...faults);
    settings(
      "agents:",
      "  newcomer:",
      `    command: [${command}]`,
      "    mode: ask",
      `    limits: { start_seconds: ${faults.includes("silent") ? 2 : 60} }`,
    );
    const { exitCode, report } = await examine({
      project: openProject({ cwd, environment: env }),
      node: "22.0.0",
      agent: "newcomer",
    });
    expect(exitCode).toBe(1);
    const told = report.type === "doctor" ? report.checks.find(({ name }) => name === "newcomer") : undefined;
    expect(told).toMatchObject({ status: "bad", detail: expect.stringMatching(problem) });
    if (fix !== null) expect(told?.fix).toMatch(fix);
  });

  it("that is not installed, or needs a key nobody set, is told with what to do", async () => {
    const cwd = workFolder();
    const proxy =
      "{ type: proxy, upstream: 'https://example.org', routes: [POST /v1], key_env: TEAM_KEY, header: x-key }";
    const lines = [
      "default_agent: gone",
      "agents:",
      "  gone: { command: [/nowhere/agent] }",
      "  claude: { preset: claude }",
    ];
    writeFileSync(join(cwd, "coordinator.yaml"), lines.join("\n"));
    mkdirSync(join(cwd, ".config/coordinator"), { recursive: true });
    writeFileSync(
      join(cwd, ".config/coordinator/config.yaml"),
      `agents:\n  keyed: { command: [/bin/cat], auth: ${proxy} }\n  plain: { command: [/bin/cat], protocol: command }\n`,
    );
    const { report } = await examine({
      project: openProject({ cwd, environment: { HOME: cwd, PATH } }),
      node: "22.0.0",
    });
    const checks = report.type === "doctor" ? report.checks.slice(-4) : [];
    expect(checks).toMatchObject([
      { name: "keyed", status: "weak", detail: expect.stringContaining("TEAM_KEY is not set") },
      { name: "plain", status: "good" },
      { name: "gone", status: "bad", detail: "is not installed" },
      { name: "claude", status: "weak", fix: "npm install -g @agentclientprotocol/claude-agent-acp" },
    ]);
  });
});
