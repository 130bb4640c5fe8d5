import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, ASK, desk, projectOf, standing, submitted } from "./desk.js";
import { send, serve, until, view } from "./served.js";

beforeAll(ensureBuilt);

const SLOW = [{ sleep: 3000 }, { write: "README.md", text: "# Reports, slowly\n" }, { say: "DONE" }];

describe("a server that was killed", () => {
  it("goes on with its runs when it starts again, keeps browsers logged in, and its viewers lose and see nothing twice", async () => {
    const project = desk(SLOW);
    const first = await serve(project);
    const asked = await submitted(first);
    const path = `/projects/${asked.project}/runs/${asked.run}/events`;
    const before = view(`${first.api}${path}`, { cookie: first.cookie });
    await approve(first, asked.project, asked.run, asked.entry);
    await until(() => before.types.includes("attempt_started"));
    await first.kill("SIGKILL");
    await until(() => before.ended());

    const port = Number(new URL(first.url).port);
    const second = await serve(project, { port, cookie: first.cookie });
    const last = before.ids.at(-1) ?? "0";
    const after = view(`${second.api}${path}`, { cookie: first.cookie, "last-event-id": last });
    await standing(second, asked.project, asked.run, "completed");
    const log = await project.log();
    await until(() => before.ids.length + after.ids.length >= log.length);
    expect([...before.ids, ...after.ids]).toEqual(log.map(({ sequence }) => String(sequence)));
    expect(log.filter(({ event }) => event.type === "integration_finished")).toHaveLength(1);
  }, 180_000);

  it("loses no request that it accepted", async () => {
    const project = desk();
    const first = await serve(project);
    const id = await projectOf(first);
    const request_id = "550e8400-e29b-41d4-a716-446655440000";
    const sent = await first.ask(`/projects/${id}/requests`, { body: { text: ASK, type: "technical", request_id } });
    expect(sent.status).toBe(202);
    await first.kill("SIGKILL");

    const second = await serve(project, { port: Number(new URL(first.url).port), cookie: first.cookie });
    const entry = await until(async () => (await second.ask("/inbox")).json.entries[0]);
    expect(entry).toMatchObject({ kind: "plan_approval", asked: ASK });
    // Asked again with the same id, it is one request.
    await second.ask(`/projects/${id}/requests`, { body: { text: ASK, type: "technical", request_id } });
    await until(async () => (await second.ask("/ready")).json.working_on === 0);
    expect(await project.runs()).toHaveLength(1);
  }, 120_000);
});

describe("two people who decide the same at once", () => {
  it("one wins, and the other one is told who", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const secrets = ["grace", "rosa"].map(
      (name) => project.json("token", "add", name, "--role", "approver")["secret"] as string,
    );
    const decisions = [{ kind: "approve" }, { kind: "reject", reason: "not now" }];
    const answers = await Promise.all(
      secrets.map((secret, i) =>
        send(`${served.api}/projects/${id}/runs/${run}/decisions`, {
          headers: { authorization: `Bearer ${secret}` },
          body: { entry_id: entry, decision: decisions[i] },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    const won = answers.find(({ status }) => status === 200)?.json as { by: string };
    const lost = answers.find(({ status }) => status === 409)?.json as { code: string; detail: string };
    expect(lost).toMatchObject({ code: "DECISION_REFUSED", detail: expect.stringContaining(won.by) as unknown });
    const decided = (await project.log()).flatMap(({ event }) =>
      event.type === "plan_approved" || event.type === "plan_rejected" ? [event.decider] : [],
    );
    expect(decided).toEqual([{ by: won.by, how: "person", via: "api" }]);
    const late = project.call("approve", entry, "--run", run);
    expect([late.code, late.stdout + late.stderr]).toEqual([4, expect.stringContaining(won.by)]);
  }, 120_000);
});
