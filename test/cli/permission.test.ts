import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { PROGRAM } from "../e2e/project.js";
import { connect } from "../mcp/clients.js";
import { desk } from "../server/desk.js";
import { until } from "../server/served.js";

/* `coordinator permission`: what the hook of Claude Code starts when its agent needs a permission. */

beforeAll(ensureBuilt);

const REQUEST = {
  hook_event_name: "PermissionRequest",
  session_id: "5f1e2d3c-session",
  tool_name: "Bash",
  tool_input: { command: "npm publish", description: "publish it" },
};

interface Entry {
  readonly id: string;
  readonly run_id: string;
  readonly about: string;
  readonly commands: readonly string[];
}

const inbox = (project: Asked) => project.json("inbox")["entries"] as Entry[];

function ask(project: Pick<Asked, "cwd" | "env">, request: object = REQUEST, ...more: string[]) {
  const words = [PROGRAM, "permission", "--wait", "0", ...more];
  const input = JSON.stringify(request);
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { ...project, input, encoding: "utf8" });
  return { code: status, stderr, stdout, decision: decisionIn(stdout) };
}

const decisionIn = (stdout: string) =>
  stdout.trim() === ""
    ? null
    : (JSON.parse(stdout) as { hookSpecificOutput: { decision: { behavior: string; message?: string } } })
        .hookSpecificOutput.decision;

describe("coordinator permission", () => {
  it("waits for a person, who decides it in the inbox; the log says who and how", async () => {
    const project = desk();
    const child = spawn(process.execPath, [PROGRAM, "permission", "--wait", "300"], project);
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end(JSON.stringify(REQUEST));
    const [entry] = await until(
      async () => (inbox(project).length === 0 ? null : inbox(project)),
      () => said,
      60_000,
    );
    expect(entry?.about).toContain("Claude Code asks for permission to use Bash: npm publish");
    expect(entry?.commands).toEqual([`coordinator answer ${entry?.id} allow`, `coordinator answer ${entry?.id} deny`]);
    const maybe = project.call("answer", entry?.id ?? "", "maybe");
    expect([maybe.code, maybe.stdout + maybe.stderr]).toMatchObject([4, expect.stringContaining('"deny: WHY"')]);
    expect(child.exitCode).toBeNull();
    expect(project.call("answer", entry?.id ?? "", "allow")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Next: coordinator inbox") as unknown,
    });
    expect(await ended).toBe(0);
    expect(decisionIn(said)).toEqual({ behavior: "allow" });
    expect(inbox(project)).toEqual([]);
    expect((await project.log()).map(({ event }) => event)).toMatchObject([
      { type: "request_received" },
      { type: "question_asked", options: ["allow", "deny"] },
      { type: "question_answered", answer: "allow", decider: { by: "ada", how: "person", via: "command" } },
      { type: "run_finished", reason: "allowed by ada" },
    ]);
    // It is no request for work, and nothing can be gone on with.
    expect(project.json("stats")["runs"] ?? 0).toBe(0);
    expect(project.call("run", "--resume", entry?.run_id ?? "").code).toBe(4);
  }, 120_000);

  it("says that it still waits; a decision made meanwhile counts once, for the same request alone", async () => {
    const project = desk();
    const first = ask(project);
    expect([first.code, first.decision?.behavior]).toEqual([0, "deny"]);
    expect(first.decision?.message).toContain("neither allowed nor refused");
    const [entry] = inbox(project);
    expect(first.decision?.message).toContain(entry?.id);
    // Asked again it is the same entry.
    expect(ask(project).decision).toEqual(first.decision);
    expect(inbox(project)).toHaveLength(1);
    project.call("answer", entry?.id ?? "", "deny: nothing is published from here");
    for (const other of [
      { ...REQUEST, session_id: "another" },
      { ...REQUEST, tool_input: { command: "npm publish --tag next" } },
      { ...REQUEST, tool_name: "Write" },
    ])
      expect(ask(project, other).decision?.message).toContain("still waits");
    expect(ask(project).decision).toEqual({
      behavior: "deny",
      message: "A person refused this: nothing is published from here",
    });
    expect(ask(project).decision?.message).toContain("still waits");
    expect(inbox(project)).toHaveLength(4);
  }, 120_000);

  it("is approved by nothing that an agent can call", async () => {
    const project = desk();
    ask(project);
    const [entry] = inbox(project);
    const agent = await connect(project, "2026-07-28", {
      form: () => ({ action: "accept", content: { answer: "allow" } }),
    });
    const { entries } = (await agent.call("inbox")).value;
    expect(entries).toMatchObject([{ entry_id: entry?.id, answered_by: "person" }]);
    const about = { entry_id: entry?.id, run_id: entry?.run_id };
    for (const args of [about, { ...about, text: "allow" }])
      expect((await agent.call("answer", args)).value).toMatchObject({
        state: "still_waiting",
        command: entry?.commands[0],
      });
    expect(ask(project).decision?.behavior).toBe("deny");
    expect((await project.log()).some(({ event }) => event.type === "question_answered")).toBe(false);
  }, 120_000);

  it("is taken out of the inbox when its hook is ended, as when the person answered in the program", async () => {
    const project = desk();
    const child = spawn(process.execPath, [PROGRAM, "permission"], { ...project, stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end(JSON.stringify(REQUEST));
    await until(async () => (inbox(project).length === 0 ? null : true));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(inbox(project)).toEqual([]);
  }, 120_000);

  it("leaves to the program what is no yes or no, and everything where Coordinator is not set up", () => {
    const project = desk();
    for (const tool_name of ["AskUserQuestion", "ExitPlanMode"])
      expect(ask(project, { ...REQUEST, tool_name })).toMatchObject({ code: 0, decision: null, stderr: "" });
    expect(inbox(project)).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "coordinator-permission-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(ask({ cwd: folder, env: project.env })).toMatchObject({ code: 0, decision: null, stderr: "" });
  });

  it.each([
    ["", "not JSON"],
    ["{}", "hook_event_name"],
    [JSON.stringify({ ...REQUEST, session_id: 1 }), "session_id"],
  ])("refuses what is no such request: %j", (input, said) => {
    const project = desk();
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "permission"], {
      ...project,
      input,
      encoding: "utf8",
    });
    expect([status === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain(said);
    expect(stderr).toContain("docs/guides/mcp.md");
  });
});
