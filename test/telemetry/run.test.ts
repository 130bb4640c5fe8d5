import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { PROGRAM } from "../e2e/project.js";
import { approve, ASK, desk, standing, submitted } from "../server/desk.js";
import { serve, until, view } from "../server/served.js";
import { collect, type CollectedSpan, type Collector, treeOf } from "./collector.js";

beforeAll(ensureBuilt);

const STEPS = [
  { write: "README.md", text: "# Reports, documented\n" },
  { usage: { in: 100, out: 20, cost_usd: 0.01 } },
  { say: "DONE" },
];

function sendTo(project: Asked, { url }: Pick<Collector, "url">, more: Readonly<Record<string, string>> = {}): void {
  Object.assign(project.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_METRIC_EXPORT_INTERVAL: "200",
    ...more,
  });
}

/** `coordinator run` to its end, without holding up the collector in this process. */
async function run(project: Asked, words = ASK): Promise<{ code: number | null; said: string }> {
  const args = [PROGRAM, "run", words, "--type", "technical", "--yes"];
  const child = spawn(process.execPath, args, {
    cwd: project.cwd,
    env: project.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.once("exit", (code) => resolve({ code, said })));
}

const TREE = [
  "invoke_workflow coordinator",
  ["plan"],
  ["wait plan_approval"],
  ["task", ["invoke_agent scripted", ["execute_tool edit"]], ["verify"], ["integrate"], ["review"]],
];

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

/** One trace, each span once, every parent there, nothing outside of its parent's beginning. */
function requireWhole(spans: readonly CollectedSpan[]): CollectedSpan {
  expect(new Set(spans.map(({ trace }) => trace)).size).toBe(1);
  expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (const span of spans) {
    expect(span.to).toBeGreaterThanOrEqual(span.from);
    if (span.parent === null) continue;
    expect(byId.has(span.parent), span.name).toBe(true);
    expect(span.from).toBeGreaterThanOrEqual(byId.get(span.parent)?.from ?? 0n);
  }
  const roots = spans.filter(({ parent }) => parent === null);
  expect(roots).toHaveLength(1);
  return roots[0] as CollectedSpan;
}

describe("traces and metrics of a run", () => {
  it("are a tree from the run to its tool uses, with counts that agree, and say nothing of what was asked or written", async () => {
    const collector = await collect();
    const project = desk(STEPS);
    sendTo(project, collector, {
      OTEL_SERVICE_NAME: "desk",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test%20bench",
      OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=key%3Dof-the-collector",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    });
    const { code, said } = await run(project);
    expect(code, said).toBe(0);
    expect(said).not.toContain("Telemetry");
    expect(collector.problems).toEqual([]);
    const root = requireWhole(collector.spans);
    expect(treeOf(collector.spans, root)).toEqual(TREE);
    const [runId] = await project.runs();
    expect(root.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_workflow",
      "coordinator.run.id": runId,
      "coordinator.status": "completed",
    });
    const [attempt] = named(collector.spans, "invoke_agent scripted");
    expect(attempt?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "scripted",
      "coordinator.attempt": 1,
      "coordinator.usage.tokens": 120,
      "coordinator.cost.usd": 0.01,
      "coordinator.usage.source": "reported",
    });
    expect(named(collector.spans, "execute_tool edit")[0]?.attributes).toMatchObject({
      "gen_ai.tool.name": "edit",
      "coordinator.judgement.decision": "allow",
      "coordinator.tool.observed": true,
    });
    expect(named(collector.spans, "verify")[0]?.attributes).toMatchObject({ "coordinator.verdict": "PASS" });
    expect(collector.spans.filter(({ failed }) => failed)).toEqual([]);
    const counted = collector.counted();
    expect(counted).toMatchObject({
      'coordinator.runs {"status":"completed"}': 1,
      'coordinator.attempts {"agent":"scripted","outcome":"completed"}': 1,
      'coordinator.attempt.duration {"agent":"scripted"}': 1,
      'coordinator.tokens {"agent":"scripted","source":"reported"}': 120,
      'coordinator.cost {"agent":"scripted","source":"reported"}': 0.01,
      'coordinator.verdicts {"verdict":"PASS"}': 1,
      'coordinator.tool.uses {"tool":"edit","decision":"allow"}': 1,
      'coordinator.waits {"kind":"plan_approval"}': 1,
    });
    expect(collector.resources[0]).toMatchObject({
      "service.name": "desk",
      "deployment.environment.name": "test bench",
    });
    expect(new Set(collector.headers.map((headers) => headers["x-api-key"]))).toEqual(
      new Set(["key=of-the-collector"]),
    );
    const sent = collector.bodies.join("\n");
    for (const word of [ASK, "README.md", "documented", "DONE", "key=of-the-collector"])
      expect(sent).not.toContain(word);
  }, 120_000);

  it("have words only where a person says so, and never a secret", async () => {
    const secret = "hunter2-hunter2-hunter2";
    const collector = await collect();
    const project = desk([{ write: "README.md", text: "# Reports, documented\n" }, { say: `DONE with ${secret}` }]);
    sendTo(project, collector, {
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secret}`,
      DATABASE_PASSWORD: secret,
    });
    const { code, said } = await run(project);
    expect(code, said).toBe(0);
    expect(collector.headers[0]?.authorization).toBe(`Bearer ${secret}`);
    const sent = collector.bodies.join("\n");
    expect(sent).toContain(ASK);
    expect(sent).toContain("DONE with");
    expect(sent).not.toContain(secret);
    expect(said).not.toContain(secret);
  }, 120_000);

  it("are neither lost nor sent twice when the process is killed and another one goes on", async () => {
    const collector = await collect();
    const project = desk([{ sleep: 2000 }, ...STEPS]);
    sendTo(project, collector);
    const first = await serve(project);
    const asked = await submitted(first);
    const path = `/projects/${asked.project}/runs/${asked.run}/events`;
    const viewer = view(`${first.api}${path}`, { cookie: first.cookie });
    await approve(first, asked.project, asked.run, asked.entry);
    await until(() => viewer.types.includes("attempt_started"));
    const cursor = join(project.cwd, ".coordinator/telemetry", `${asked.run}.json`);
    await until(() => named(collector.spans, "wait plan_approval").length === 1 && existsSync(cursor));
    await first.kill("SIGKILL");
    const before = collector.spans.length;
    const second = await serve(project, { port: Number(new URL(first.url).port), cookie: first.cookie });
    await standing(second, asked.project, asked.run, "completed");
    await until(() => named(collector.spans, "invoke_workflow coordinator").length > 0);
    await until(() => collector.counted()['coordinator.runs {"status":"completed"}'] === 1);
    expect(collector.spans.length).toBeGreaterThan(before);
    const root = requireWhole(collector.spans);
    expect(treeOf(collector.spans, root)).toEqual(TREE);
    expect(collector.counted()).toMatchObject({
      'coordinator.attempts {"agent":"scripted","outcome":"completed"}': 1,
      'coordinator.waits {"kind":"plan_approval"}': 1,
    });
    expect(collector.problems).toEqual([]);
  }, 180_000);

  it("wait for a collector that is busy, and a run neither waits for nor fails with one that never answers", async () => {
    const busy = await collect();
    busy.behave = 503;
    const project = desk([{ sleep: 1000 }, ...STEPS]);
    sendTo(project, busy, { OTEL_BSP_SCHEDULE_DELAY: "50" });
    const served = await serve(project);
    const asked = await submitted(served);
    await approve(served, asked.project, asked.run, asked.entry);
    await until(() => served.said().includes("answered 503"));
    expect(busy.spans).toEqual([]);
    busy.behave = null;
    await standing(served, asked.project, asked.run, "completed");
    // What was refused is sent again in parts, and the root may come in the first of them.
    await expect.poll(() => treeOf(busy.spans, requireWhole(busy.spans)), { timeout: 60_000 }).toEqual(TREE);
    await served.kill("SIGTERM");

    const silent = await collect();
    silent.behave = "silence";
    const other = desk(STEPS);
    sendTo(other, silent);
    const { code, said } = await run(other);
    expect(code, said).toBe(0);
    expect(other.git("show", `refs/coord/${(await other.runs())[0] ?? ""}/head:README.md`)).toBe(
      "# Reports, documented",
    );

    const away = desk(STEPS);
    sendTo(away, { url: "http://127.0.0.1:9" });
    const without = await run(away);
    expect(without.code, without.said).toBe(0);
    expect(without.said).toContain("Telemetry: http://127.0.0.1:9/v1/");
  }, 180_000);

  it("cost nothing where nobody names a collector: what sends them is not even loaded", async () => {
    const collector = await collect();
    const loads = async (more: Readonly<Record<string, string>>) => {
      const project = desk(STEPS);
      const coverage = join(project.cwd, "../coverage");
      sendTo(project, collector, { NODE_V8_COVERAGE: coverage, ...more });
      const { code, said } = await run(project);
      expect(code, said).toBe(0);
      return readdirSync(coverage).some((name) =>
        readFileSync(join(coverage, name), "utf8").includes('"createRunExporter"'),
      );
    };
    expect(await loads({ OTEL_SDK_DISABLED: "true" })).toBe(false);
    expect(await loads({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBe(false);
    expect(collector.bodies).toEqual([]);
    expect(await loads({})).toBe(true);
  }, 120_000);
});
