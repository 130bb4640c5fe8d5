import { describe, expect, it } from "vitest";
import { Configuration } from "../../model/settings/configuration.js";
import { agentSettings, keyVariables } from "./agents-of.js";
import { chooseShownLogins } from "./agreed-logins.js";

describe("which variables are handed on", () => {
  const server = { name: "tickets", argv: ["tickets"], env: ["TICKETS_TOKEN"] };
  const roles = [{ mcp_servers: [server] }];

  it("those of a role's servers only when the person has listed them", () => {
    expect(() => keyVariables(Configuration.parse({}), roles)).toThrow(
      expect.objectContaining({ code: "USAGE", fix: expect.stringContaining("variables: [TICKETS_TOKEN]") }),
    );
    expect(keyVariables(Configuration.parse({ variables: ["TICKETS_TOKEN"] }), roles)).toEqual(["TICKETS_TOKEN"]);
  });

  it("those of a project's agents likewise", () => {
    const agents = { ours: { command: ["ours"], mcp_servers: [server] } };
    expect(() => keyVariables(Configuration.parse({ agents }))).toThrow(/TICKETS_TOKEN/);
    expect(keyVariables(Configuration.parse({ agents, variables: ["TICKETS_TOKEN"] }))).toEqual(["TICKETS_TOKEN"]);
  });
});

describe("an agent with a login of a person's", () => {
  const chosen = (settings: object, name = "claude") => agentSettings(name, Configuration.parse(settings), []);
  const refused = (fix: string) => expect.objectContaining({ code: "USAGE", fix: expect.stringContaining(fix) });
  const key = { type: "proxy", upstream: "https://api.anthropic.com", routes: ["POST /v1/messages"] };
  const proxy = { ...key, key_env: "ANTHROPIC_API_KEY", header: "x-api-key" };

  it.each([
    ["ordered by its name alone", {}],
    ["of a project that names its preset", { agents: { claude: { preset: "claude" } } }],
    ["when another login was agreed to", { logins: ["codex", ".claude.json"] }],
  ])("is not started %s", (_, settings) => {
    expect(() => chosen(settings)).toThrow(refused("config.yaml: logins: [claude]"));
    expect(() => chosen(settings)).toThrow(/~\/\.claude\/\.credentials\.json, .*api\.anthropic\.com/);
  });

  it.each([
    ["its preset was agreed to", { logins: ["claude"] }],
    ["its files were", { logins: [".claude/.credentials.json", ".claude.json"] }],
    ["it has a key instead", { agents: { claude: { preset: "claude", auth: proxy } } }],
    ["it has none", { agents: { claude: { preset: "claude", auth: { type: "none" } } } }],
  ])("is started when %s", (_, settings) => {
    expect(chosen(settings)).toMatchObject({ name: "claude" });
  });

  it("is named in the log of a run with the files it can read", () => {
    const configuration = Configuration.parse({ agents: { keyed: { preset: "claude", auth: proxy } } });
    expect(chooseShownLogins(["keyed", "scripted", null], configuration)).toEqual({});
    expect(chooseShownLogins(["codex", "keyed", "codex"], configuration)).toEqual({
      logins: [{ agent: "codex", files: [".codex/auth.json"] }],
    });
  });

  it("reaches no further host that a project names, unless the person named it too", () => {
    const scope = { network: ["api.anthropic.com", "evil.example"] };
    expect(() => chosen({ logins: ["claude"], scope })).toThrow(refused("hosts: [evil.example]"));
    expect(chosen({ logins: ["claude"], scope, hosts: ["evil.example"] })).toMatchObject({ name: "claude" });
    expect(() => chosen({ logins: ["claude"], scope: { network: ["*"] }, hosts: ["evil.example"] })).toThrow(
      /reach \*/,
    );
    // An agent without a login has nothing to send.
    expect(chosen({ agents: { claude: { preset: "claude", auth: proxy } }, scope })).toMatchObject({ name: "claude" });
    expect(chosen({ scope }, "scripted")).toMatchObject({ name: "scripted" });
  });
});
