import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, desk, standing, submitted } from "./desk.js";
import { logIn, serve, until, view } from "./served.js";

beforeAll(ensureBuilt);

describe("a stream of events", () => {
  it("ends with the token of its viewer: who was sent away sees nothing of what happens afterwards", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const path = `${served.api}/projects/${id}/runs/${run}/events`;
    const secretOf = (name: string) => project.json("token", "add", name)["secret"] as string;
    const [grace, rosa, tom] = ["grace", "rosa", "tom"].map(secretOf) as [string, string, string];
    const program = view(path, { authorization: `Bearer ${grace}` });
    const browser = view(path, { cookie: await logIn(served.api, rosa) });
    const stays = view(`${served.api}/events`, { authorization: `Bearer ${tom}` });
    await until(() => program.ids.length > 0 && browser.ids.length > 0 && stays.status() === 200);
    const seen = program.ids.length;
    for (const name of ["grace", "rosa"]) expect(project.call("token", "revoke", name).code).toBe(0);
    await approve(served, id, run, entry);
    await standing(served, id, run, "completed");
    await until(() => program.ended() && browser.ended());
    expect([program.ids.length, browser.ids.length]).toEqual([seen, seen]);
    await until(() => stays.types.includes("run_finished"));
    expect(stays.ended()).toBe(false);
  }, 120_000);
});

describe("several runs of one project", () => {
  it("are carried out by one server at the same time, and none waits for another to end", async () => {
    const steps = [{ sleep: 4000 }, { write: "README.md", text: "# Reports, slowly\n" }, { say: "DONE" }];
    const served = await serve(desk(steps));
    const asked = [await submitted(served), await submitted(served)];
    for (const { project, run, entry } of asked) await approve(served, project, run, entry);
    const runningOf = async (run: string) =>
      (await served.ask(`/projects/${asked[0]?.project}/runs/${run}`)).json.tasks.running as number;
    await until(async () => {
      const running = await Promise.all(asked.map(({ run }) => runningOf(run)));
      return running.every((tasks) => tasks === 1);
    });
    expect((await served.ask("/ready")).json.working_on).toBe(2);
    for (const { project, run } of asked) await standing(served, project, run, "completed");

    // They are listed in pages, newest first, and what did not change is not sent again.
    const list = `/projects/${asked[0]?.project}/runs`;
    const all = (await served.ask(list)).json.runs.map(({ run_id }: { run_id: string }) => run_id) as string[];
    const paged: string[] = [];
    for (let after = ""; ;) {
      const { json } = await served.ask(`${list}?limit=1${after === "" ? "" : `&after=${after}`}`);
      expect([json.runs.length, json.total]).toEqual([1, all.length]);
      paged.push(json.runs[0].run_id as string);
      if (json.next === null) break;
      after = json.next as string;
    }
    expect(paged).toEqual(all);
    expect((await served.ask(`${list}?limit=201`)).status).toBe(422);
    const first = await served.ask(list);
    const same = await served.ask(list, { headers: { "if-none-match": String(first.headers["etag"]) } });
    expect([same.status, same.text]).toEqual([304, ""]);
    const packed = await served.ask(list, { headers: { "accept-encoding": "gzip" } });
    expect([packed.status, packed.headers["content-encoding"]]).toEqual([200, "gzip"]);
  }, 120_000);
});
