import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { type Asked, asked } from "./asked.js";

/* A command reads the settings, the contract and the registry once, however many of its parts need them. */

beforeAll(ensureBuilt);

const COUNTER = pathToFileURL(resolve(import.meta.dirname, "count-reads.mjs")).href;

const CONTRACT = `
name: coordinator
version: "1.0"
limits: { max_concurrent_tasks: 2 }
`;
const ROLE = `
- id: careful_builder
  version: 1.0.0
  status: active
  title: Careful builder
  description: Builds carefully.
  builder: feature
  phases: [implementation]
  responsibilities: [Implement the behaviour the task describes]
  completion_promise: CAREFUL_COMPLETE
  mcp_servers: [{ name: notes, argv: [notes-server] }]
`;

/** Counts what the program opens from now on, by its whole path. */
function countReads({ cwd, env }: Asked): (path: string) => number {
  const log = join(env["HOME"] ?? "", "reads.txt");
  env["NODE_OPTIONS"] = `${env["NODE_OPTIONS"]} --import=${COUNTER}`;
  env["COUNT_READS"] = log;
  return (path) => {
    expect(existsSync(path)).toBe(true);
    const opened = readFileSync(log, "utf8").split("\n");
    return opened.filter((one) => resolve(cwd, one) === path).length;
  };
}

it("reads each file of a project's settings, contract and registry once in a whole run", { timeout: 300_000 }, () => {
  const desk = asked(
    {
      "docs/page.md": "# Teh page\n",
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
      "test/pages.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
      "governance/contracts/coordinator.yaml": CONTRACT,
      "governance/registry/agents/careful.yaml": ROLE,
      ".gitignore": ".coordinator/\n",
    },
    [{ title: "Fix the typo in docs/page.md", writes: { "docs/page.md": "# The page\n" } }],
    { settings: { default_agent: "scripted" } },
  );
  const count = countReads(desk);
  const { code, stderr } = desk.call("run", "Fix the typo in docs/page.md", "--yes");
  expect(code, stderr).toBe(0);
  const files = [
    join(desk.env["HOME"] ?? "", ".config/coordinator/config.yaml"),
    join(desk.cwd, "coordinator.yaml"),
    join(desk.cwd, "governance/contracts/coordinator.yaml"),
    join(desk.cwd, "governance/registry/agents/careful.yaml"),
  ];
  expect(files.map((file) => [file, count(file)])).toEqual(files.map((file) => [file, 1]));
});

it("reads a decision record once: its tasks and its checksum are of the same text", { timeout: 60_000 }, () => {
  const record = "docs/adr/0007-one-store.md";
  const text =
    "# 7. One store\n\n## Status\n\nAccepted\n\n## Decision\n\nOne.\n\n## Tasks\n\n- Add the store in src/store.mjs\n";
  const desk = asked({ [record]: text, "package.json": '{"type":"module"}\n' }, [], {
    settings: { default_agent: "scripted" },
  });
  const count = countReads(desk);
  const { code, stderr } = desk.call("plan", "--adr", record, "--out", "plan");
  expect(code, stderr).toBe(0);
  expect(count(join(desk.cwd, record))).toBe(1);
});
