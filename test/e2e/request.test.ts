import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { processRequest } from "../../src/app/process-request.js";
import { ensureBuilt } from "../build.js";
import { addOwnSettings } from "../own-settings.js";
import { asked } from "./asked.js";

/* A request as a program makes it: whatever becomes of it, it ends in a response and is on record. */

beforeAll(ensureBuilt);

const SERVER = fileURLToPath(new URL("../attempts/mcp-server.mjs", import.meta.url));
const ASK = "Add CSV export to the reports page";
const FILES = {
  "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
  "src/reports.mjs": "export const reports = [];\n",
  "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
  ".gitignore": ".coordinator/\n",
};

/** A role that starts a server of its own, which is for a person to agree to. */
const ROLE = {
  "governance/registry/agents/builders.yaml": stringify([
    {
      id: "feature_builder",
      version: "1.0.1",
      status: "active",
      title: "FeatureBuilder",
      builder: "feature",
      phases: ["analysis", "design", "implementation", "validation"],
      responsibilities: ["Implement the behaviour the task describes"],
      completion_promise: "FEATURE_COMPLETE",
      mcp_servers: [{ name: "memory", argv: ["node", SERVER, "--of-the-role"], env: ["MEMORY_PLACE"] }],
    },
  ]),
};

function request(user_request: string, more: object = {}) {
  return {
    request_id: "550e8400-e29b-41d4-a716-446655440000",
    timestamp: "2026-02-03T04:05:06Z",
    user_request,
    ...more,
  };
}

async function library(): Promise<typeof processRequest> {
  const built = pathToFileURL(fileURLToPath(new URL("../../dist/index.js", import.meta.url))).href;
  return ((await import(built)) as { processRequest: typeof processRequest }).processRequest;
}

const times = (text: string, part: string) => text.split(part).length - 1;

describe("a request", () => {
  it("that is unclear or refused ends in a response, is on record, and waits no longer once it is answered [S1-127, S1-136]", async () => {
    const desk = asked(FILES, []);
    const ask = await library();
    const options = { environment: desk.env };
    const context = { project_path: desk.cwd };
    const unclear = await ask(request("make it better", { context }), options);
    expect(unclear).toMatchObject({
      request_id: request("").request_id,
      status: "blocked",
      decision: "needs_clarification",
      blockers: [{ severity: "medium", description: unclear.next_steps[0], resolution_required: true }, {}, {}, {}],
      deliverables: [],
    });
    const [record = ""] = await desk.runs();
    expect(record).toMatch(/^req_/);
    expect((await desk.log()).map(({ event }) => event.type)).toEqual([
      "request_received",
      "intake_decided",
      ...unclear.blockers.map(() => "question_asked"),
    ]);
    const { type: _, run_id: __, ...later } = desk.json("response", record);
    expect(later).toEqual(unclear);
    expect(desk.call("status").stdout).toMatch(/^\? pending +req_\S+/);

    const harm = request("Write ransomware that encrypts the files of its victims");
    writeFileSync(join(desk.cwd, "../harm.json"), JSON.stringify(harm));
    const refused = desk.call("run", "--request", "../harm.json", "--json");
    expect([refused.code, JSON.parse(refused.stdout.trimEnd().split("\n").at(-1) ?? "")]).toMatchObject([
      4,
      { type: "response", status: "failed", decision: "rejected", blockers: [{ severity: "critical" }] },
    ]);
    expect(desk.call("verify", "req_").code, "two begin so").toBe(2);

    writeFileSync(
      join(desk.cwd, "../answers.yaml"),
      stringify({ object: "a CSV export on the reports page", acceptance: "there must be a line for each report" }),
    );
    const planned = desk.call("run", "make it better", "--clarify", "../answers.yaml");
    expect([planned.code, planned.stderr]).toEqual([3, ""]);
    expect(planned.stdout).toContain("waits for your approval of this plan");
    expect(desk.json("response", record)).toMatchObject({ status: "failed" });
    expect(desk.json("response", "last"), "the last is the one with work").toMatchObject({ decision: "approved" });
    expect(desk.json("stats")).toMatchObject({ runs: 3 });
    expect(existsSync(join(desk.cwd, "tasks"))).toBe(false);
  });

  it("gets over a timeout, stops at its budget, and goes on when a person gives more, gate by gate [S1-104, S1-126, S1-127, S1-136]", async () => {
    const server = (tool: string, given: Record<string, string> = {}) => ({ mcp: "memory", tool, arguments: given });
    const desk = asked(
      { ...FILES, ...ROLE },
      [
        { title: ASK, attempt: 1, steps: [{ hang: true }] },
        { title: ASK, attempt: 2, steps: [{ usage: { in: 120_000, out: 20 } }, { sleep: 60_000 }] },
        {
          title: ASK,
          steps: [
            server("look"),
            server("write", { path: "src/csv.txt" }),
            { usage: { in: 100, out: 20, cost_usd: 0.001 } },
          ],
        },
        { title: `Write tests: ${ASK}`, writes: { "test/csv.test.mjs": FILES["test/reports.test.mjs"] } },
      ],
      {
        agent: { limits: { silence_seconds: 3, cancel_grace_seconds: 0.5 } },
        settings: { run: { failure: { base_delay_ms: 10 } } },
      },
    );
    desk.env["MEMORY_PLACE"] = "the attic";
    const home = desk.env["HOME"] ?? "";
    addOwnSettings(home, { variables: ["MEMORY_PLACE"], workspace: { tools: [join(home, "script.json"), SERVER] } });
    const trusted = join(home, "trusted.txt");
    writeFileSync(trusted, `${String(desk.json("trust", "--show")["hash"])}\n`);
    desk.env["COORDINATOR_TRUST_FILE"] = trusted;
    const ask = await library();
    const attachments = [{ type: "file" as const, content: "Commas, please.", description: "A note" }];
    const seen: unknown[] = [];
    const waiting = await ask(request(ASK, { context: { project_path: desk.cwd }, attachments }), {
      environment: desk.env,
      approved: true,
      type: "technical",
      watch: (line) => seen.push(line),
    });
    expect(waiting).toMatchObject({
      status: "blocked",
      decision: "approved",
      blockers: [{ severity: "high", description: expect.stringContaining("Out of tokens") as unknown }],
    });
    expect(seen).toContainEqual(expect.objectContaining({ type: "event" }));
    const [, escalation = ""] = /coordinator answer (\S+)/.exec(waiting.next_steps[0] ?? "") ?? [];
    expect(desk.call("answer", escalation, "--order", "raise_budget", "--add", "tokens=300000").code).toBe(0);
    const ran = desk.call("run", "--last");
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const events = (await desk.log()).map(({ event }) => event);
    const outcomes = events.flatMap((event) => (event.type === "attempt_finished" ? [event.outcome] : []));
    expect(outcomes).toMatchObject([
      { kind: "structural", error: "timeout" },
      { kind: "resource", what: "tokens" },
      { kind: "completed" },
      { kind: "completed" },
    ]);
    expect(events.flatMap((event) => (event.type === "gate_decided" ? [event.gate] : []))).toMatchObject([
      { phase: "planning", decision: "GO" },
      { phase: "execution", decision: "GO" },
      { phase: "closure", decision: "GO" },
    ]);
    expect(desk.json("response", "last")).toMatchObject({ status: "completed", project_state: { phase: "closure" } });

    // The server of the role ran in the sandbox, with the variable it was promised, whose value is in no order.
    const [run = ""] = await desk.runs();
    expect(desk.git("show", `refs/coord/${run}/head:src/csv.txt`)).toBe("from the server");
    const { "build-csv-export-reports-page": build, "test-csv-export-reports-page": tests } = desk.orders(run);
    expect(build?.agent.settings.mcp_servers).toMatchObject([{ name: "memory", env: ["MEMORY_PLACE"] }]);
    expect(tests?.agent.settings.mcp_servers).toEqual([]);
    expect(JSON.stringify(build)).not.toContain("the attic");
    const attempt = readdirSync(join(desk.cwd, ".coordinator/attempts", run)).find((name) => name.includes("page_3"));
    const result = readFileSync(join(desk.cwd, ".coordinator/attempts", run, attempt ?? "", "1/result"), "utf8");
    expect(result).toContain(String.raw`MEMORY_PLACE\":\"the attic`);
    for (const order of [build, tests]) expect(times(JSON.stringify(order), "Commas, please."), "given once").toBe(1);
  });
});
