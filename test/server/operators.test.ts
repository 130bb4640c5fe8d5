import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, ASK, desk, standing, submitted } from "./desk.js";
import { send, serve, type Served, until } from "./served.js";

beforeAll(ensureBuilt);

/** The samples of the text format by name and labels. Contract: throws for a line that is neither a sample nor a comment. */
function samplesOf(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const typed = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const [, type] = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line) ?? [];
    if (type !== undefined) {
      if (typed.has(type)) throw new Error(`${type} is declared twice`);
      typed.add(type);
    }
    if (line.startsWith("# ")) continue;
    const read = /^(\w+)((?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line);
    if (read === null || Number.isNaN(Number(read[3]))) throw new Error(`not a sample: ${line}`);
    const [, name = "", labels = "", value] = read;
    if (!typed.has(name) && !typed.has(name.replace(/_(?:bucket|sum|count)$/, ""))) throw new Error(`untyped: ${line}`);
    found.set(`${name}${labels}`, Number(value));
  }
  return found;
}

const scrape = async ({ url }: Served, secret: string) => {
  const answer = await send(`${url}/metrics`, { headers: { authorization: `Bearer ${secret}` } });
  expect([answer.status, answer.headers["content-type"]], answer.text).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return samplesOf(answer.text);
};

describe("metrics of a server", () => {
  it("say what runs came to, what waits and how requests went, to a token that sees nothing else, and survive a restart", async () => {
    const project = desk();
    const served = await serve(project);
    const secret = project.json("token", "add", "prometheus", "--role", "metrics")["secret"] as string;
    expect((await send(`${served.url}/metrics`)).status).toBe(401);
    expect((await send(`${served.url}/metrics`, { headers: { authorization: "Bearer cot_wrong" } })).status).toBe(401);
    const bearer = { authorization: `Bearer ${secret}` };
    for (const path of ["/inbox", "/projects", "/session"]) {
      const { status, json } = await send(`${served.api}${path}`, { headers: bearer });
      expect([path, status, json.code]).toEqual([path, 403, "ROLE_REFUSED"]);
    }
    const { project: id, run, entry } = await submitted(served);
    const waiting = await scrape(served, secret);
    const of = (samples: ReadonlyMap<string, number>, name: string, labels = "") =>
      samples.get(`${name}{project="${id}"${labels}}`);
    expect(of(waiting, "coordinator_inbox_open")).toBe(1);
    expect(of(waiting, "coordinator_inbox_oldest_seconds")).toBeGreaterThan(0);
    expect(of(waiting, "coordinator_runs_open")).toBe(1);
    expect(of(waiting, "coordinator_project_up", ',name="desk"')).toBe(1);
    expect(waiting.get("coordinator_server_jobs")).toBeDefined();
    expect(waiting.get("process_resident_memory_bytes")).toBeGreaterThan(0);
    await approve(served, id, run, entry);
    await standing(served, id, run, "completed");
    const after = await scrape(served, secret);
    const runs = (samples: ReadonlyMap<string, number>) =>
      Object.fromEntries([...samples].filter(([name]) => /^coordinator_(?!http|server|build)/.test(name)));
    expect(of(after, "coordinator_inbox_open")).toBe(0);
    expect(of(after, "coordinator_runs_total", ',status="completed"')).toBe(1);
    expect(of(after, "coordinator_attempts_total", ',agent="scripted",outcome="completed"')).toBe(1);
    expect(of(after, "coordinator_verdicts_total", ',verdict="PASS"')).toBe(1);
    expect(of(after, "coordinator_tokens_total", ',agent="scripted",source="reported"')).toBe(120);
    expect(of(after, "coordinator_cost_usd_total", ',agent="scripted",source="reported"')).toBe(0.001);
    expect(of(after, "coordinator_attempt_duration_seconds_count", ',agent="scripted"')).toBe(1);
    expect(of(after, "coordinator_attempt_duration_seconds_bucket", ',agent="scripted",le="+Inf"')).toBe(1);
    const decided = 'coordinator_http_request_duration_seconds_count{operation="decide",method="POST",status="200"}';
    expect(after.get(decided)).toBe(1);
    await served.kill("SIGKILL");
    const again = await serve(project, { port: Number(new URL(served.url).port), cookie: served.cookie });
    expect(runs(await scrape(again, secret))).toEqual(runs(after));
  }, 180_000);
});

describe("the log of a server", () => {
  it("is JSON lines with the ids of run, task and attempt, and says nothing of what was asked", async () => {
    const project = desk();
    const served = await serve(project, { more: ["--log-level", "debug"] });
    const { project: id, run, entry } = await submitted(served);
    await approve(served, id, run, entry);
    await standing(served, id, run, "completed");
    await until(() => served.said().includes('"event":"run_finished"'));
    const [task] = (await served.ask(`/projects/${id}/runs/${run}/graph`)).json.tasks as { task_id: string }[];
    await served.kill("SIGTERM");
    const lines = served
      .said()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines) expect(line).toMatchObject({ time: expect.any(String), level: expect.any(String) });
    const verdict = {
      run_id: run,
      task_id: task?.task_id,
      attempt: 1,
      event: "verification_finished",
      verdict: "PASS",
    };
    expect(lines).toContainEqual(expect.objectContaining({ level: "info", project: id, ...verdict }));
    expect(lines).toContainEqual(expect.objectContaining({ message: "request", operation: "decide", token: "owner" }));
    expect(lines.at(-1)).toMatchObject({ message: "stopped" });
    expect(served.said()).not.toContain(ASK);
    expect(served.said()).not.toContain("documented");

    const quiet = await serve(project, { cookie: served.cookie });
    await quiet.ask("/inbox");
    await quiet.kill("SIGTERM");
    expect(quiet.said()).not.toContain('{"time"');
    expect(project.call("serve", "--log-level", "loud").code).toBe(2);
  }, 180_000);
});
