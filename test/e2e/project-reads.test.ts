import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { asked } from "./asked.js";

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
  const log = join(desk.env["HOME"] ?? "", "reads.txt");
  desk.env["NODE_OPTIONS"] = `${desk.env["NODE_OPTIONS"]} --import=${COUNTER}`;
  desk.env["COUNT_READS"] = log;
  const { code, stderr } = desk.call("run", "Fix the typo in docs/page.md", "--yes");
  expect(code, stderr).toBe(0);
  const opened = readFileSync(log, "utf8")
    .split("\n")
    .map((path) => resolve(desk.cwd, path));
  const count = (path: string) => opened.filter((one) => one === path).length;
  const files = [
    join(desk.env["HOME"] ?? "", ".config/coordinator/config.yaml"),
    join(desk.cwd, "coordinator.yaml"),
    join(desk.cwd, "governance/contracts/coordinator.yaml"),
    join(desk.cwd, "governance/registry/agents/careful.yaml"),
  ];
  for (const file of files) expect(existsSync(file)).toBe(true);
  expect(files.map((file) => [file, count(file)])).toEqual(files.map((file) => [file, 1]));
});
