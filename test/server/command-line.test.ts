import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import type { Asked } from "../e2e/asked.js";
import { PROGRAM } from "../e2e/project.js";
import { ASK, desk, projectOf, standing, submitted } from "./desk.js";
import { serve, until } from "./served.js";

beforeAll(ensureBuilt);

const SLOW = [{ sleep: 4000 }, { write: "README.md", text: "# Reports, slowly\n" }, { say: "DONE" }];

function start({ cwd, env }: Asked, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return { child, ended, stdout: text(child.stdout), stderr: text(child.stderr) };
}

/** The process that works on the newest run. */
async function worker(project: Asked): Promise<number | null> {
  const [run] = await project.runs();
  return run === undefined ? null : (project.json("status", run)["worker"] as number | null);
}

describe("commands at a terminal while a server serves the project", () => {
  it("give their runs to the server, follow them, and go on by themselves when it dies", async () => {
    const project = desk(SLOW);
    const served = await serve(project);
    const running = start(project, "run", ASK, "--type", "technical", "--yes", "--json");
    await until(async () => (await worker(project)) === served.pid);

    await served.kill("SIGKILL");
    await until(async () => (await worker(project)) === running.child.pid);
    const [code, stdout, stderr] = [await running.ended, await running.stdout, await running.stderr];
    expect(stderr).toContain("this command goes on with");
    expect([code, stdout.trim().split("\n").at(-1)], stderr).toEqual([0, expect.stringContaining('"completed"')]);
    const [run = ""] = await project.runs();
    expect(project.git("show", `refs/coord/${run}/head:README.md`)).toBe("# Reports, slowly");
    // The log says once that the plan was approved, and by whom.
    const approvals = (await project.log()).flatMap(({ event }) => (event.type === "plan_approved" ? [event] : []));
    expect(approvals).toMatchObject([{ decider: { by: "ada", via: "yes" } }]);
  }, 180_000);

  it("decide, and the server goes on with the run", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const approved = project.call("approve", entry);
    expect([approved.code, approved.stderr]).toEqual([0, ""]);
    await standing(served, id, run, "completed");
  }, 180_000);

  it("leave the run with the server at Ctrl-C", async () => {
    const project = desk(SLOW);
    const served = await serve(project);
    const running = start(project, "run", ASK, "--type", "technical", "--yes");
    await until(async () => (await worker(project)) === served.pid);
    running.child.kill("SIGINT");
    expect(await running.ended).toBe(130);
    expect(await running.stderr).toContain("goes on with");
    const [run = ""] = await project.runs();
    await standing(served, await projectOf(served), run, "completed");
  }, 180_000);

  it("refuse a second server of the same project, and say where the first one is", async () => {
    const project = desk();
    const served = await serve(project);
    const second = project.call("serve", "--project", project.cwd, "--port", "0", "--json");
    expect(second.code).toBe(4);
    expect(JSON.parse(second.stdout)).toMatchObject({
      code: "SERVER_RUNNING",
      message: expect.stringContaining(served.url),
    });
  }, 60_000);
});
