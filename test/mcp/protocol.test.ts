import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { PROGRAM } from "../e2e/project.js";
import { ASK, desk } from "../server/desk.js";
import { serve, until } from "../server/served.js";
import { connect, VERSIONS } from "./clients.js";

beforeAll(ensureBuilt);

const NAMES = ["submit", "plan", "run", "status", "inbox", "answer", "explain", "diff", "tasks", "handoff"];

describe("what clients are told", () => {
  it.each(VERSIONS)(
    "is the same each time, with schemas of results, in %s",
    async (version) => {
      const project = desk();
      const agent = await connect(project, version);
      const tools = await agent.tools();
      expect(tools.map(({ name }) => name)).toEqual(NAMES);
      expect(await agent.tools()).toEqual(tools);
      for (const { name, outputSchema, annotations, description = "" } of tools) {
        expect(Object.keys(outputSchema?.properties ?? {}), name).toContain("next_step");
        expect(annotations?.readOnlyHint, name).toBe(!["submit", "run", "answer", "handoff"].includes(name));
        expect(description.length, name).toBeLessThan(600);
      }
      expect(await agent.resources()).toEqual([
        "coordinator://runs",
        "coordinator://inbox",
        "coordinator://board",
        "coordinator://run/{run_id}",
        "coordinator://plan/{run_id}",
        "coordinator://handoff/{run_id}",
      ]);
      expect(JSON.parse(await agent.read("coordinator://runs"))).toMatchObject({ runs: [] });
      await expect(agent.read("coordinator://run/run_20260101-000000-abcdef")).rejects.toThrow(
        /No run was started|There is no run/,
      );
      expect(await agent.prompts()).toEqual(["hand_over", "watch", "report", "needs_me"]);
      expect(await agent.prompt("hand_over", { request: ASK })).toContain(ASK);
      const planned = await agent.call("plan", { text: ASK });
      expect(planned.value, planned.text).toMatchObject({ state: "planned", run_id: null, tasks: [{ title: ASK }] });
      expect(await project.runs()).toEqual([]);
    },
    300_000,
  );

  it("is told what is wrong and how to mend it", async () => {
    const project = desk();
    const agent = await connect(project, "2026-07-28");
    const fails = async (name: string, args: object) => {
      const { isError, text } = await agent.call(name, args);
      expect(isError, `${name} ${JSON.stringify(args)}: ${text}`).toBe(true);
      return text;
    };
    expect(await fails("submit", {})).toMatch(/text/);
    expect(await fails("submit", { text: "" })).toMatch(/text/);
    expect(await fails("status", { run_id: "../../etc/passwd" })).toContain("is not the id of a run");
    expect(await fails("status", { run_id: "run_20260101-000000-abcdef" })).toMatch(/Error: .*\[NOT_FOUND\]\nFix: /);
    expect(await fails("status", { request_id: "00000000-0000-4000-8000-000000000000" })).toContain("[NOT_FOUND]");
    expect(await fails("plan", {})).toContain("Fix: Call plan with");
    expect(await fails("answer", { entry_id: "nothing", text: "x" })).toMatch(/Nothing with the id nothing|NOT_FOUND/);
    expect(await fails("diff", {})).toContain("[NOT_FOUND]");
    expect(await fails("handoff", { write: true })).toMatch(/Error: /);
    writeFileSync(join(project.cwd, "coordinator.yaml"), "checks: 7\n");
    expect(await fails("submit", { text: ASK })).toMatch(/coordinator\.yaml.*|checks/);
    // The settings are read again: mended, the same client goes on.
    writeFileSync(join(project.cwd, "coordinator.yaml"), "{}\n");
    expect((await agent.call("inbox")).isError).toBe(false);
  }, 120_000);

  it("starts where nothing is set up, and says so when it is called", async () => {
    const project = desk();
    const elsewhere = join(project.cwd, "..", "nowhere");
    mkdirSync(elsewhere);
    const agent = await connect(project, "2026-07-28", { cwd: elsewhere });
    expect((await agent.tools()).length).toBe(NAMES.length);
    expect((await agent.call("inbox")).value).toMatchObject({ open: 0 });
  }, 120_000);
});

describe("stdout", () => {
  it("carries the protocol only, and the process ends when the client does", async () => {
    const project = desk();
    const child = spawn(process.execPath, [PROGRAM, "mcp"], { cwd: project.cwd, env: project.env, stdio: "pipe" });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    send({ id: 1, method: "initialize", params });
    send({ method: "notifications/initialized" });
    child.stdin.write("this is not a message\n");
    send({ id: 2, method: "tools/call", params: { name: "plan", arguments: { text: ASK } } });
    await until(
      () => out.includes('"id":2'),
      () => out,
    );
    child.stdin.end();
    expect(await ended).toBe(0);
    const messages = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { jsonrpc: string });
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  }, 120_000);
});

describe("with a server", () => {
  it("the server does the work, goes on by itself after an approval, and results name its address", async () => {
    const project = desk();
    const served = await serve(project);
    const agent = await connect(project, "2026-07-28");
    const request_id = "0a0a0a0a-0000-4000-8000-00000000000a";
    const submitted = await agent.call("submit", { text: ASK, request_id });
    const run = (
      await until(
        async () => {
          const { value } = await agent.call("status", { request_id, wait_seconds: 20 });
          return value.request.waiting.length > 0 ? value.request : null;
        },
        () => submitted.text,
        120_000,
      )
    ).run_id as string;
    // Sent again, it is the same request.
    expect((await agent.call("submit", { text: ASK, request_id })).value).toMatchObject({ run_id: run });
    expect(await project.runs()).toEqual([run]);
    const [entry] = (await agent.call("inbox")).value.entries;
    expect(entry.url).toContain(served.url);
    project.call(...(entry.commands[0] as string).split(" ").slice(1));
    await agent.close();
    // Nobody but the server is left to do it.
    const again = await connect(project, "2025-11-25 by the second SDK");
    await until(
      async () => (await again.call("status", { run_id: run, wait_seconds: 10 })).value.run.status === "completed",
      () => served.said(),
      180_000,
    );
    expect(await again.read(`coordinator://plan/${run}`)).toContain(ASK);
    expect(JSON.parse(await again.read(`coordinator://run/${run}`))).toMatchObject({ status: "completed" });
  }, 300_000);
});
