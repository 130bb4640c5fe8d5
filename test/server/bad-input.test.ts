import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { PROGRAM } from "../e2e/project.js";
import { approve, desk, standing, submitted } from "./desk.js";
import { logIn, send, serve, until } from "./served.js";

beforeAll(ensureBuilt);

describe("a project whose store is newer than the program", () => {
  it("is listed with the reason, refuses everything with 503, stops no other project, and is not touched", async () => {
    const [newer, fine] = [desk(), desk()];
    const first = await serve(newer);
    await submitted(first);
    await first.kill("SIGTERM");
    const file = join(newer.cwd, ".coordinator/runs.db");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.exec("INSERT INTO migrations VALUES (9999, '9999_next.sql', 1)");
    database.exec("PRAGMA user_version = 9999");
    database.close();
    const sum = () => createHash("sha256").update(readFileSync(file)).digest("hex");
    const before = sum();
    const served = await serve(newer, { more: ["--project", fine.cwd] });
    const { projects } = (await served.ask("/projects")).json as { projects: { id: string; problem: unknown }[] };
    expect(projects.map(({ problem }) => problem)).toMatchObject([{ code: "STORE_TOO_NEW" }, null]);
    expect(served.said()).toContain("STORE_TOO_NEW");
    const [one, other] = projects.map(({ id }) => id) as [string, string];
    for (const path of ["/runs", "/runs/last", "/figures", "/events"]) {
      const { status, json } = await served.ask(`/projects/${one}${path}`);
      expect([path, status, json.code, json.fix !== null]).toEqual([path, 503, "STORE_TOO_NEW", true]);
    }
    const asked = await served.ask(`/projects/${one}/requests`, { body: { text: "Add a page" } });
    expect([asked.status, asked.json.code]).toEqual([503, "STORE_TOO_NEW"]);
    expect((await served.ask("/ready")).json).toMatchObject({
      ready: false,
      problems: [{ project: one, code: "STORE_TOO_NEW" }],
    });
    expect((await served.ask("/inbox")).status).toBe(200);
    expect((await served.ask(`/projects/${other}/runs`)).status).toBe(200);
    expect(sum()).toBe(before);
  }, 120_000);
});

describe("tokens that end", () => {
  it("count until their time, and not a moment longer: nor do the browsers that were logged in with them", async () => {
    const project = desk();
    const served = await serve(project);
    const expires = new Date(Date.now() + 8000).toISOString();
    const secret = project.json("token", "add", "grace", "--expires", expires)["secret"] as string;
    const headers = { authorization: `Bearer ${secret}` };
    expect((await send(`${served.api}/inbox`, { headers })).status).toBe(200);
    const cookie = await logIn(served.api, secret);
    const ended = await until(async () => {
      const answer = await send(`${served.api}/inbox`, { headers });
      return answer.status === 200 ? null : answer;
    });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires));
    expect([ended.status, ended.json.code]).toEqual([401, "NOT_LOGGED_IN"]);
    expect((await send(`${served.api}/inbox`, { headers: { cookie } })).status).toBe(401);
    expect((project.json("token", "list")["tokens"] as object[])[1]).toMatchObject({ name: "grace", expired: true });
    for (const [time, why] of [
      ["2020-01-01", "is over"],
      ["soon", "is not a time"],
    ] as const) {
      const refused = project.call("token", "add", "rosa", "--expires", time);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(why)]);
    }
    expect(project.call("token", "add", "rosa", "--expires", "2099-01-01", "--days", "3").code).toBe(2);
    const far = project.json("token", "add", "rosa", "--expires", "2099-01-31");
    expect(far["token"]).toMatchObject({ expires_at: "2099-01-31T23:59:59.000Z" });
  }, 120_000);
});

describe("ids that nobody knows, and answers that come too late", () => {
  it("get a problem with our code and a way on, and change nothing", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const before = (await project.log()).length;
    const at = `/projects/${id}/runs`;
    const body = { entry_id: "esc_nobody", decision: { kind: "approve" } };
    const asked: [string, object | undefined][] = [
      [`${at}/run_nobody`, undefined],
      [`${at}/run_nobody/graph`, undefined],
      [`${at}/run_nobody/events`, undefined],
      [`${at}/${run}/tasks/nothing`, undefined],
      [`${at}/${run}/tasks/nothing/conflict`, undefined],
      [`${at}/${run}/records/nothing`, undefined],
      [`${at}/${run}/handoff`, undefined],
      [`/projects/${id}/requests/550e8400-e29b-41d4-a716-446655440000`, undefined],
      [`${at}/${run}/decisions`, body],
      [`${at}/run_nobody/decisions`, body],
      [`${at}/run_nobody/cancel`, {}],
      ["/login-links", { token: "nobody" }],
      ["/nothing", undefined],
    ];
    for (const [path, given] of asked) {
      const { status, json, headers } = await served.ask(path, given === undefined ? {} : { body: given });
      expect([path, status, json.code]).toEqual([path, 404, "NOT_FOUND"]);
      expect(headers["content-type"]).toContain("application/problem+json");
      expect(json.detail.length, path).toBeGreaterThan(5);
      expect(json.fix, path).not.toBeNull();
    }
    expect((await project.log()).length).toBe(before);
    await approve(served, id, run, entry);
    const twice = await approve(served, id, run, entry);
    expect([twice.status, twice.json.status]).toEqual([200, "taken"]);
    const late = await served.ask(`${at}/${run}/decisions`, {
      body: { entry_id: entry, decision: { kind: "reject", reason: "too late" } },
    });
    expect([late.status, late.json.code]).toEqual([409, "DECISION_REFUSED"]);
    await standing(served, id, run, "completed");
  }, 120_000);
});

describe("two programs and a terminal that decide the same at once", () => {
  it("one wins, and both others are told who", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const secrets = ["grace", "rosa"].map(
      (name) => project.json("token", "add", name, "--role", "approver")["secret"] as string,
    );
    const typed = new Promise<{ code: number | null; said: string }>((resolve) => {
      const args = [PROGRAM, "reject", entry, "--run", run, "--reason", "by hand", "--by", "tom"];
      const child = spawn(process.execPath, args, { cwd: project.cwd, env: project.env });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += String(chunk)));
      child.once("exit", (code) => resolve({ code, said }));
    });
    const sent = secrets.map((secret) =>
      send(`${served.api}/projects/${id}/runs/${run}/decisions`, {
        headers: { authorization: `Bearer ${secret}` },
        body: { entry_id: entry, decision: { kind: "approve" } },
      }),
    );
    const [command, ...answers] = await Promise.all([typed, ...sent]);
    const decided = (await project.log()).flatMap(({ event }) =>
      event.type === "plan_approved" || event.type === "plan_rejected" ? [event.decider.by] : [],
    );
    expect(decided).toHaveLength(1);
    const [winner = ""] = decided;
    const told = [
      ...answers.map(({ status, text }) => ({ won: status === 200, said: text })),
      { won: command.code === 0, said: command.said },
    ];
    expect(told.filter(({ won }) => won)).toHaveLength(1);
    for (const { said } of told) expect(said).toContain(winner);
  }, 120_000);
});
