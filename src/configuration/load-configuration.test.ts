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
