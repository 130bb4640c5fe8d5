import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { knownSecrets } from "../../foundation/files/known-secrets.js";
import { readUpTo } from "../../foundation/files/read-files.js";
import { type ReadBytes, readWhenChanged } from "../../foundation/files/read-once.js";
import { listWaiting } from "../../hands/settings/trust/trust-status.js";
import { openProject, type Project } from "./project.js";
import { trustHere } from "./trust-here.js";

const SETTINGS = "coordinator.yaml";
const CONTRACT = "governance/contracts/coordinator.yaml";
const ROLES = "governance/registry/agents/own.yaml";
const ROLE = (argv: string) =>
  `- { id: own_builder, version: 1.0.0, status: active, title: Own, description: Builds., builder: feature,
    phases: [implementation], responsibilities: [Build what the task describes], completion_promise: OWN_COMPLETE,
    mcp_servers: [{ name: notes, argv: [${argv}] }] }\n`;

let cwd: string;
let home: string;
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "coordinator-project-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  cwd = join(home, "work");
  mkdirSync(join(cwd, ".git"), { recursive: true });
});

/** A project whose reads are counted. */
function counted(environment: NodeJS.ProcessEnv = { HOME: home }): { project: Project; reads: string[] } {
  const reads: string[] = [];
  const read: ReadBytes = (path, most) => {
    if (path.startsWith(home)) reads.push(path.slice(home.length + 1));
    return readUpTo(path, most);
  };
  return { project: openProject({ cwd, environment, read }), reads };
}

describe("a project that is opened", () => {
  it("reads nothing before it is asked for, and each file once", async () => {
    write(SETTINGS, "project: one\n");
    write(CONTRACT, 'name: coordinator\nversion: "1.0"\n');
    write(ROLES, ROLE("notes-server"));
    const { project, reads } = counted();
    expect([project.root, project.at.folder, reads]).toEqual([cwd, join(cwd, ".coordinator"), []]);
    for (let i = 0; i < 2; i++) {
      expect((await project.settings()).configuration.project).toBe("one");
      expect(await project.contract()).toMatchObject({ ok: true, file: join(cwd, CONTRACT) });
      expect(await project.contractInForce(true)).toMatchObject({ approved: true, file: join(cwd, CONTRACT) });
      expect((await project.registry()).registry.agents.map(({ id }) => id)).toContain("own_builder");
      await project.judgeAgain();
    }
    const own = reads.filter((path) => path.startsWith("work/"));
    expect(own.toSorted()).toEqual([`work/${SETTINGS}`, `work/${CONTRACT}`, `work/${ROLES}`].toSorted());
  });

  it("knows the secrets of its variables, and those that its settings name", async () => {
    mkdirSync(join(home, ".config/coordinator"), { recursive: true });
    writeFileSync(
      join(home, ".config/coordinator/config.yaml"),
      "models: { mine: { provider: anthropic, base_url: https://models.example, model: some-model, key_env: SOMETHING } }\n",
    );
    const { project } = counted({ HOME: home, TEAM_TOKEN: "token-4c1f09a2", SOMETHING: "plain-name-77a0b1" });
    expect([knownSecrets().get("token-4c1f09a2"), knownSecrets().has("plain-name-77a0b1")]).toEqual([
      "TEAM_TOKEN",
      false,
    ]);
    const { problems } = await project.settings();
    expect(problems).toEqual([]);
    expect(knownSecrets().get("plain-name-77a0b1")).toBe("SOMETHING");
  });

  it("uses exactly what was shown when somebody agreed, whatever the files say by then", async () => {
    write(SETTINGS, "scope: { network: [shown.example] }\n");
    write(ROLES, ROLE("shown-server"));
    const { project } = counted();
    const shown: string[] = [];
    await trustHere(project, async (text) => {
      shown.push(text);
      write(SETTINGS, "scope: { network: [swapped.example] }\n");
      write(ROLES, ROLE("swapped-server"));
      return true;
    });
    expect(shown.join("\n")).toContain("shown.example");
    const { configuration, trust } = await project.settings();
    expect(configuration.scope.network).toEqual(["shown.example"]);
    expect(listWaiting(trust)).toEqual([]);
    const roles = (await project.registry()).registry.agents.flatMap(({ mcp_servers = [] }) => mcp_servers);
    expect(JSON.stringify(roles)).toContain("shown-server");
    // The next command works for a person who has not agreed to what stands there now.
    const next = await project.reopen().settings();
    expect(next.configuration.scope.network).toEqual([]);
    const waiting = listWaiting(next.trust).map(({ says }) => says);
    expect(waiting).toEqual([expect.stringContaining("swapped.example"), expect.stringContaining("swapped-server")]);
  });
});

describe("a project in a process that lives long", () => {
  it("is read again only where it has changed", async () => {
    write(SETTINGS, "project: one\n");
    utimesSync(join(cwd, SETTINGS), 1000, 1000);
    const reads: string[] = [];
    let now = 0;
    const read = readWhenChanged(
      (path, most) => {
        if (path === join(cwd, SETTINGS)) reads.push(readFileSync(path, "utf8").trim());
        return readUpTo(path, most);
      },
      () => Date.now() + now,
    );
    const opened = openProject({ cwd, environment: { HOME: home }, read });
    const nameNow = async () => (await opened.reopen().settings()).configuration.project;
    // A file that was written a moment ago might be written again within the same moment.
    expect([await nameNow(), await nameNow(), reads.length]).toEqual(["one", "one", 2]);
    now = 10_000;
    expect([await nameNow(), await nameNow(), await nameNow(), reads.length]).toEqual(["one", "one", "one", 3]);
    write(SETTINGS, "project: two\n");
    expect([await nameNow(), reads.at(-1)]).toEqual(["two", "project: two"]);
  });
});
