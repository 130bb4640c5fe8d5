import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { registerMcp, unregisterMcp } from "../../src/app/init/register-mcp.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { ensureBuilt } from "../build.js";
import { desk } from "../server/desk.js";

beforeAll(ensureBuilt);

/** Where each program keeps its servers, from the home of the desk, which is the folder above the project. */
const FILES = {
  claude: "desk/.mcp.json",
  codex: ".codex/config.toml",
  cursor: "desk/.cursor/mcp.json",
  vscode: "desk/.vscode/mcp.json",
  opencode: "desk/opencode.json",
} as const;
type Client = keyof typeof FILES;

interface Change {
  readonly client: string;
  readonly status: string;
  readonly diff: readonly string[];
}

function place(files: Partial<Record<Client, string>> = {}) {
  const project = desk();
  const home = join(project.cwd, "..");
  const at = (client: Client) => join(home, FILES[client]);
  for (const [client, text] of Object.entries(files)) {
    mkdirSync(dirname(at(client as Client)), { recursive: true });
    writeFileSync(at(client as Client), text);
  }
  const init = (...args: string[]) =>
    project.json("init", ...args) as { changes: Change[]; code?: string; message?: string; fix?: string };
  return { project, at, init, text: (client: Client) => readFileSync(at(client), "utf8") };
}

const CLIENTS = Object.keys(FILES) as Client[];

describe("coordinator init --mcp", () => {
  it("registers with every program, says so the second time, and init --remove leaves nothing", () => {
    const { at, init, text } = place();
    expect(init("--mcp", ...CLIENTS).changes.map(({ client, status }) => [client, status])).toEqual(
      CLIENTS.map((client) => [client, "written"]),
    );
    expect(JSON.parse(text("claude"))).toEqual({
      mcpServers: { coordinator: { command: "coordinator", args: ["mcp"] } },
    });
    expect(JSON.parse(text("vscode"))).toEqual({
      servers: { coordinator: { type: "stdio", command: "coordinator", args: ["mcp"] } },
    });
    expect(JSON.parse(text("opencode"))).toEqual({
      mcp: { coordinator: { type: "local", command: ["coordinator", "mcp"], enabled: true } },
    });
    expect(text("codex")).toContain('[mcp_servers.coordinator]\ncommand = "coordinator"\nargs = ["mcp"]\n');
    expect(init("--mcp", ...CLIENTS).changes.every(({ status }) => status === "already")).toBe(true);
    expect(init("--remove").changes.every(({ status }) => status === "removed")).toBe(true);
    expect(CLIENTS.filter((client) => existsSync(at(client)))).toEqual([]);
    expect(init("--remove").changes).toEqual([]);
  });

  const KEPT: readonly (readonly [string, Client, string])[] = [
    [
      "comments and other servers",
      "vscode",
      '// mine\n{\n  "servers": {\n    // the first\n    "x": { "command": "x" }, // why\n  },\n}\n',
    ],
    ["other settings", "opencode", '{"$schema":"https://opencode.ai/config.json","model":"a/b"}'],
    ["an empty list of servers", "claude", '{ "mcpServers": {} }'],
    ["an empty list over lines", "claude", '{\n  "mcpServers": {\n  }\n}\n'],
    ["an empty document", "claude", "{}"],
    ["an empty file", "claude", ""],
    [
      "Windows line ends and a byte order mark",
      "cursor",
      '\uFEFF{\r\n  "mcpServers": {\r\n    "x": {"url": "http://127.0.0.1"}\r\n  }\r\n}\r\n',
    ],
    ["TOML without a newline at its end", "codex", '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "o"'],
    ["TOML with one", "codex", 'model = "m"\n'],
  ];
  it.each(KEPT)("keeps %s byte for byte", (_, client, before) => {
    const { init, text } = place({ [client]: before });
    const [shown] = init("--mcp", client, "--dry-run").changes;
    expect(shown?.status).toBe("shown");
    expect(text(client)).toBe(before);
    const [change] = init("--mcp", client).changes;
    expect(change).toMatchObject({ status: "written", diff: shown?.diff });
    expect(change?.diff.every((line) => line.startsWith("+ "))).toBe(true);
    const after = text(client);
    expect(after).toContain("coordinator");
    // Nothing but whole lines that were shown was added.
    expect(after.length).toBeGreaterThan(before.length);
    expect(init("--mcp", client).changes).toMatchObject([{ status: "already" }]);
    expect(init("--remove").changes).toMatchObject([{ status: "removed" }]);
    expect(text(client)).toBe(before);
  });

  it("keeps the mode of a file, and the secrets of others in it", () => {
    const secret = "sk-ant-REDACTED";
    const before = JSON.stringify({ mcpServers: { x: { env: { ANTHROPIC_API_KEY: secret } } } }, null, 2);
    const { project, at, init, text } = place({ claude: before });
    project.env["ANTHROPIC_API_KEY"] = secret;
    chmodSync(at("claude"), 0o600);
    init("--mcp", "claude");
    expect(text("claude")).toContain(secret);
    expect(statSync(at("claude")).mode & 0o777).toBe(0o600);
    init("--remove");
    expect(text("claude")).toBe(before);
  });

  it.each([
    ["claude", '{ "mcpServers": { "x": }', ":1:24: "],
    ["claude", '{ "mcpServers": [] }', "mcpServers is not an object"],
    ["cursor", "not json at all", ":1:1: "],
    ["codex", "[mcp_servers\nbroken", ":1:"],
    ["vscode", '{"servers": {}} {}', "goes on behind its end"],
  ] as const)("does not touch a broken file of %s", (client, before, said) => {
    const { project, init, text } = place({ [client]: before });
    const others = CLIENTS.filter((one) => one !== client);
    const answer = init("--mcp", client, ...others);
    expect(answer).toMatchObject({
      type: "error",
      code: "DOCUMENT_INVALID",
      message: expect.stringContaining(said) as unknown,
    });
    expect(answer.message).toContain("It was not changed");
    expect(answer.fix).toContain("coordinator mcp");
    expect(text(client)).toBe(before);
    // Nor any other: all are looked at before one is written.
    expect(
      project
        .git("status", "--porcelain", "--untracked-files=all")
        .split("\n")
        .filter((line) => line !== ""),
    ).toHaveLength(client === "codex" ? 0 : 1);
  });

  it("leaves lines alone that somebody has changed since, and names the file", () => {
    const { at, init, text } = place();
    init("--mcp", "claude");
    const changed = text("claude").replace('"mcp"', '"mcp", "--cwd", "/elsewhere"');
    writeFileSync(at("claude"), changed);
    expect(init("--remove").changes).toMatchObject([{ client: "claude", status: "changed" }]);
    expect(text("claude")).toBe(changed);
  });

  it("writes, and takes out, only after a yes to what is shown", async () => {
    const { project, at } = place();
    const shown: string[] = [];
    const ask = (yes: boolean) => ({
      at: stateFolder(project.cwd),
      environment: project.env,
      dryRun: false,
      confirm: (what: string) => Promise.resolve(shown.push(what) > 0 && yes),
    });
    expect((await registerMcp(["claude"], ask(false))).report).toMatchObject({ changes: [{ status: "declined" }] });
    expect(existsSync(at("claude"))).toBe(false);
    expect((await registerMcp(["claude"], ask(true))).report).toMatchObject({ changes: [{ status: "written" }] });
    expect(shown[1]).toBe(shown[0]);
    expect(shown[0]).toMatch(/\.mcp\.json\n(?:\+ .*\n)*\+ .*"coordinator"/);
    expect((await unregisterMcp(ask(false))).report).toMatchObject({ changes: [{ status: "declined" }] });
    expect(existsSync(at("claude"))).toBe(true);
    expect((await unregisterMcp(ask(true))).report).toMatchObject({ changes: [{ status: "removed" }] });
    expect([existsSync(at("claude")), shown[3]?.includes("- ")]).toEqual([false, true]);
  });

  const OPENCODE = { type: "local", command: ["coordinator", "mcp"], enabled: true };
  const REWRITTEN: readonly (readonly [string, Client, string | null, (text: string) => string, string | null])[] = [
    [
      "with the name of its schema in a file that was not there before",
      "opencode",
      null,
      (text) =>
        JSON.stringify({ $schema: "https://opencode.ai/config.json", ...(JSON.parse(text) as object) }, null, 2),
      null,
    ],
    [
      "on one line, with its keys in another order",
      "opencode",
      '{"model":"a/b"}',
      () => '{"model":"a/b","mcp":{"coordinator":{"enabled":true,"command":["coordinator","mcp"],"type":"local"}}}',
      '{"model":"a/b"}',
    ],
    [
      "between other servers and comments",
      "vscode",
      '{ "servers": { "x": { "command": "x" } } }',
      () =>
        '{\n\t"servers": {\n\t\t// the first\n\t\t"x": { "command": "x" }, // why, and how\n\t\t"coordinator": { "type": "stdio",\n\t\t\t"command": "coordinator", "args": [ "mcp", ], }, /* mine */\n\t\t"y": {},\n\t},\n}\n',
      '{\n\t"servers": {\n\t\t// the first\n\t\t"x": { "command": "x" }, // why, and how /* mine */\n\t\t"y": {},\n\t},\n}\n',
    ],
    [
      "as the last of several, without a comma behind it",
      "claude",
      '{ "mcpServers": { "x": { "url": "http://127.0.0.1" } } }',
      () =>
        '{\n    "mcpServers": {\n        "x": { "url": "http://127.0.0.1" },\n        "coordinator": { "command": "coordinator", "args": ["mcp"] }\n    }\n}',
      '{\n    "mcpServers": {\n        "x": { "url": "http://127.0.0.1" }\n    }\n}',
    ],
    [
      "in TOML with its list over lines, before another table",
      "codex",
      'model = "m"\n',
      () =>
        'model = "n"\n\n[mcp_servers . "coordinator"]\nargs = [\n  "mcp",\n]\ncommand = \'coordinator\'\n\n# mine\n[tui]\ntheme = "x"\n',
      'model = "n"\n\n\n# mine\n[tui]\ntheme = "x"\n',
    ],
  ];
  it.each(REWRITTEN)("takes its entry out of a file that was written anew %s", (_, client, before, rewrite, after) => {
    const { at, init, text } = place(before === null ? {} : { [client]: before });
    init("--mcp", client);
    writeFileSync(at(client), rewrite(text(client)));
    const [shown] = init("--remove", "--dry-run").changes;
    expect(shown).toMatchObject({ status: "shown" });
    const [change] = init("--remove").changes;
    expect(change).toMatchObject({ client, status: "removed", diff: shown?.diff });
    expect(change?.diff.join("\n")).toMatch(/^- .*coordinator/m);
    if (after === null) expect(existsSync(at(client))).toBe(false);
    else expect(text(client)).toBe(after);
    expect(init("--remove").changes).toEqual([]);
  });

  it.each([
    ["opencode", { mcp: { coordinator: { ...OPENCODE, enabled: false } } }],
    ["opencode", { mcp: { coordinator: { ...OPENCODE, environment: { A: "1" } } } }],
    ["opencode", { mcp: { other: OPENCODE } }],
    ["opencode", { servers: { coordinator: OPENCODE } }],
    ["opencode", [{ mcp: { coordinator: OPENCODE } }]],
    ["claude", { projects: { mcpServers: { coordinator: { command: "coordinator", args: ["mcp"] } } } }],
  ] as const)("leaves what %s says otherwise by now: %j", (client, said) => {
    const { at, init, text } = place();
    init("--mcp", client);
    const changed = JSON.stringify(said);
    writeFileSync(at(client), changed);
    expect(init("--remove").changes).toMatchObject([{ client, status: "changed" }]);
    expect(text(client)).toBe(changed);
  });

  it("keeps a file it made when something else stands in it by now", () => {
    const { at, init, text } = place();
    init("--mcp", "opencode", "claude");
    writeFileSync(at("opencode"), JSON.stringify({ mcp: { coordinator: OPENCODE }, model: "a/b" }));
    writeFileSync(at("claude"), `// mine\n${text("claude")}`);
    expect(init("--remove").changes.map(({ status }) => status)).toEqual(["removed", "removed"]);
    expect(text("opencode")).toBe('{"model":"a/b"}');
    expect(text("claude")).toBe("// mine\n");
  });

  it("refuses a program it does not know, and links", () => {
    const { project, init } = place();
    expect(init("--mcp", "emacs")).toMatchObject({
      code: "USAGE",
      fix: expect.stringContaining("claude, codex") as unknown,
    });
    project.call("init", "--mcp", "claude");
    const { stdout } = project.call("init", "--remove", "--dry-run");
    expect(stdout).toContain("- {");
    expect(existsSync(join(project.cwd, ".mcp.json"))).toBe(true);
  });
});
