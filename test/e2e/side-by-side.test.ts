import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readRuns } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { verifyRun } from "../../src/hands/store/chain/verify-run.js";
import { sha256 } from "../../src/hands/store/sha256.js";
import { ensureBuilt } from "../build.js";
import { type Asked, asked } from "./asked.js";
import { PROGRAM } from "./project.js";

/* Several runs of one project at the same time, each begun at a terminal of its own. */

beforeAll(ensureBuilt);

const MANY = Number(process.env["MANY"] ?? 20);
const MOST_AT_ONCE = 3;
const PAGES = Array.from({ length: MANY }, (_, i) => `page-${i}`);
const ask = (page: string) => `Fix the typo in docs/${page}.md`;

const CONTRACT = `
name: coordinator
version: "1.0"
limits:
  max_concurrent_tasks: ${MOST_AT_ONCE}
  max_queue_size: 100
`;

function desk(): Asked {
  const pages = PAGES.map((page) => [`docs/${page}.md`, "# Teh page\n"]);
  return asked(
    {
      ...(Object.fromEntries(pages) as Record<string, string>),
      "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
      "test/pages.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
      "governance/contracts/coordinator.yaml": CONTRACT,
      ".gitignore": ".coordinator/\nPROJECT_HQ.md\nsessions/\ntasks/\n",
    },
    PAGES.map((page) => ({ title: ask(page), writes: { [`docs/${page}.md`]: `# The ${page}\n` } })),
    { settings: { default_agent: "scripted", board: {}, run: { max_concurrent_tasks: 1 } } },
  );
}

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

function start({ cwd, env }: Asked, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, said: Buffer.concat(said).toString("utf8") }));
  });
}

/** How many tasks are worked on now, by the places that are taken. */
function placesTaken({ cwd }: Asked): number {
  const folder = join(cwd, ".coordinator/places");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")).length : 0;
}

describe("runs of one project side by side", () => {
  it(`carries ${MANY} out at the same time, each by its own process, and none is refused or lost [S1-115]`, async () => {
    const project = desk();
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, placesTaken(project))), 10);
    const ended = await Promise.all(PAGES.map((page) => start(project, "run", ask(page), "--yes")));
    clearInterval(looking);
    for (const { code, said } of ended) expect(code, said).toBe(0);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);

    const reader = await readRuns(stateFolder(project.cwd));
    const runs = (await reader?.runs())?.filter(({ run_id }) => run_id.startsWith("run_")) ?? [];
    expect(runs).toHaveLength(MANY);
    expect(await reader?.holders?.()).toEqual([]);
    const changed = new Set<string>();
    for (const { run_id } of runs) {
      if (reader !== null) expect((await verifyRun(reader, run_id, { sha256 })).findings).toEqual([]);
      const files = project.git("diff", "--name-only", `main...refs/coord/${run_id}/head`).split("\n");
      expect(files).toHaveLength(1);
      changed.add(files[0] ?? "");
    }
    await reader?.close();
    expect([...changed].sort()).toEqual(PAGES.map((page) => `docs/${page}.md`).sort());
    expect(project.git("status", "--porcelain")).toBe("");

    const queue = readFileSync(join(project.cwd, "tasks/work_queue.json"), "utf8");
    for (const page of PAGES) expect(queue).toContain(ask(page));
    const [first, last] = [runs.at(0)?.run_id ?? "", runs.at(-1)?.run_id ?? ""];
    for (const run of [first, last]) {
      expect(project.call("verify", run)).toMatchObject({ code: 0 });
      expect(project.call("merge", run, "--yes")).toMatchObject({ code: 0 });
    }
    const merged = project.git("diff", "--name-only", "main~1", "main").split("\n");
    expect(merged.filter((path) => path.startsWith("docs/"))).not.toEqual([]);
  });
});
