import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfiguration } from "./load-configuration.js";

describe("the settings of a project", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "coordinator-settings-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const load = () => loadConfiguration(join(root, "project"), { HOME: root });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const project = (text: string) => write("project/coordinator.yaml", text);
  const person = (text: string) => write(".config/coordinator/config.yaml", text);

  it("are whole without any file, and with an empty one", async () => {
    const bare = await load();
    expect(bare.configuration.run.max_concurrent_tasks).toBe(3);
    project("# nothing yet\n");
    expect(await load()).toEqual(bare);
  });

  it("are the project's over the person's, agents of both together, each with its origin", async () => {
    person("default_agent: mine\nagents:\n  mine: { preset: claude }\n");
    project("default_agent: ours\nagents:\n  ours:\n    command: [my-agent, acp]\n");
    const { configuration, origins, problems } = await load();
    expect(problems).toEqual([]);
    expect(configuration.default_agent).toBe("ours");
    expect(Object.keys(configuration.agents)).toEqual(["mine", "ours"]);
    expect(origins["default_agent"]).toBe(join(root, "project/coordinator.yaml"));
  });

  it("raise no limit that a person set for themselves", async () => {
    const limits = (n: number) =>
      `calls_per_attempt: ${n}\nheadroom: ${n}\nsandbox: { memory_mb: ${100 * n}, processes: ${10 * n}, home_mb: ${100 * n} }\n` +
      `workspace: { most_gigabytes: ${n} }\nrun: { max_concurrent_tasks: ${n} }\n`;
    person(limits(4));
    const four = {
      calls_per_attempt: 4,
      headroom: 4,
      sandbox: { memory_mb: 400, processes: 40, home_mb: 400 },
      workspace: { most_gigabytes: 4 },
      run: { max_concurrent_tasks: 4 },
    };
    project(limits(90));
    expect((await load()).configuration).toMatchObject(four);
    // A part that the project's file leaves out is not lifted with the whole of it.
    project("sandbox: {}\nworkspace: {}\nrun: {}\n");
    expect((await load()).configuration).toMatchObject(four);
    project(limits(2));
    expect((await load()).configuration).toMatchObject({ calls_per_attempt: 2, sandbox: { memory_mb: 200 } });
  });

  it("make no model cheaper than it is known to be, and dearer if they like", async () => {
    const price = (usd: number) => `{ usd_per_million_in: ${usd}, usd_per_million_out: ${usd}, as_of: "2026-01-01" }`;
    project(`model_prices: { claude-opus-5: ${price(0)}, gpt-5: ${price(99)}, nobody-knows-it: ${price(0)} }\n`);
    const { configuration, trust } = await load();
    expect(Object.keys(configuration.model_prices)).toEqual(["gpt-5", "nobody-knows-it"]);
    expect(trust.reaches).toMatchObject([
      {
        kind: "price",
        status: "waiting",
        says: "counts a million tokens of the model claude-opus-5 as $0 in and $0 out; known is $5 in and $25 out",
      },
    ]);
    // A price of their own is the person's to set.
    person(`model_prices: { claude-opus-5: ${price(0)} }\n`);
    expect((await load()).configuration.model_prices["claude-opus-5"]).toMatchObject({ usd_per_million_in: 0 });
  });

  it("start nothing on a person's machine that a repository chose", async () => {
    const notify = "notify: { command: [notify-me] }\n";
    person(notify);
    expect(await load()).toMatchObject({ configuration: { notify: { command: ["notify-me"] } }, problems: [] });
    project(notify);
    const { configuration, problems } = await load();
    expect([configuration.notify, problems]).toMatchObject([
      undefined,
      [{ path: "/notify", file: join(root, "project/coordinator.yaml"), fix: /config\.yaml$/ }],
    ]);
  });

  describe("send none of a person's secrets where a repository wants them", () => {
    const proxy = (upstream: string, key_env: string) =>
      `auth: { type: proxy, upstream: "${upstream}", routes: [POST /v1/messages], key_env: ${key_env}, header: x-api-key }`;
    const own = (files: string, hosts: string) => `auth: { type: own, files: [${files}], hosts: [${hosts}] }`;
    const agent = (auth: string, who = "preset: claude") => `agents:\n  it: { ${who}, ${auth} }\n`;
    const model = (url: string, key: string) =>
      `models:\n  it: { provider: openai, base_url: "${url}", model: m, key_env: ${key} }\n`;

    it.each([
      ["a key to its maker", agent(proxy("https://api.anthropic.com", "ANTHROPIC_API_KEY"))],
      ["the login files of a preset to its hosts", agent(own(".claude.json", "api.anthropic.com"))],
      ["a model's key to its maker", model("https://api.openai.com/v1", "OPENAI_API_KEY")],
      ["no login at all", agent("auth: { type: none }", "command: [ours]")],
    ])("a project may name %s", async (_, text) => {
      project(text);
      expect((await load()).problems).toEqual([]);
    });

    it.each([
      ["a key to this machine", agent(proxy("http://127.0.0.1:9000", "TEAM_KEY")), "/agents/it/auth/upstream"],
      ["a key to somebody else", agent(proxy("https://evil.example", "ANTHROPIC_API_KEY")), "/agents/it/auth/upstream"],
      [
        "a key that is not of that maker",
        agent(proxy("https://api.openai.com", "GH_TOKEN")),
        "/agents/it/auth/upstream",
      ],
      [
        "a key to a name like its maker's",
        agent(proxy("https://api.anthropic.com.evil.example", "ANTHROPIC_API_KEY")),
        "/agents/it/auth/upstream",
      ],
      [
        "a key to its maker over another port",
        agent(proxy("https://api.anthropic.com:8443", "ANTHROPIC_API_KEY")),
        "/agents/it/auth/upstream",
      ],
      [
        "a key to its maker in disguise",
        agent(proxy("https://api.anthropic.com@evil.example", "ANTHROPIC_API_KEY")),
        "/agents/it/auth/upstream",
      ],
      ["other files of the home", agent(own(".ssh/id_ed25519", "api.anthropic.com")), "/agents/it/auth/files"],
      ["a login to other hosts", agent(own(".claude.json", "evil.example")), "/agents/it/auth/hosts"],
      ["a login to any program", agent(own(".claude.json", ""), "command: [evil]"), "/agents/it/auth/files"],
      ["a model's key to somebody else", model("https://evil.example/v1", "OPENAI_API_KEY"), "/models/it/base_url"],
      ["variables to hand on", "variables: [AWS_SECRET_ACCESS_KEY]\n", "/variables"],
    ])("a project may not name %s, and the person may", async (_, text, path) => {
      project(text);
      const { problems, configuration } = await load();
      expect(problems).toMatchObject([{ path, file: join(root, "project/coordinator.yaml"), fix: /config\.yaml$/ }]);
      expect(configuration.agents).toEqual({});
      rmSync(join(root, "project/coordinator.yaml"));
      person(text);
      expect((await load()).problems).toEqual([]);
    });

    it("variables of servers are a person's to hand on, by a list or by naming them in their own file", async () => {
      const server = (name: string) =>
        `agents:\n  ${name}: { command: [x], mcp_servers: [{ name: s, argv: [s], env: [${name.toUpperCase()}] }] }\n`;
      person(`variables: [LISTED]\n${server("mine")}`);
      project(server("ours"));
      expect((await load()).configuration.variables).toEqual(["LISTED", "MINE"]);
    });
  });

  describe("agree to nothing in a person's place", () => {
    it.each(["logins: [claude]", "hosts: [example.com]"])("%s counts in their own file only", async (line) => {
      const [key = ""] = line.split(":");
      project(`${line}\n`);
      expect((await load()).problems).toMatchObject([{ path: `/${key}`, fix: /config\.yaml$/ }]);
      project("headroom: 3\n");
      person(`${line}\n`);
      expect(await load()).toMatchObject({ problems: [], configuration: { [key]: [/\[(.*)\]/.exec(line)?.[1]] } });
    });

    it("a login or a host that a person writes for an agent of their own is agreed to", async () => {
      person(
        "agents:\n  it: { command: [it], auth: { type: own, files: [.it/login], hosts: [it.example] } }\n" +
          "scope: { network: [docs.example] }\n",
      );
      project("scope: { network: [docs.example, evil.example] }\n");
      expect((await load()).configuration).toMatchObject({ logins: [".it/login"], hosts: ["docs.example"] });
    });
  });

  it("that are wrong are told with their place, every one", async () => {
    project(
      "checks:\n  - name: test\n    run: npm test\n    retries: 3\nrun:\n  max_concurrent_tasks: 0\nagents:\n  Big: {}\n",
    );
    const { problems } = await load();
    expect(problems.map(({ path, line }) => [path, line])).toEqual([
      ["agents.Big", 8],
      ["checks[0].retries", 4],
      ["run.max_concurrent_tasks", 6],
    ]);
    expect(problems.every(({ file }) => file === join(root, "project/coordinator.yaml"))).toBe(true);
  });
});
