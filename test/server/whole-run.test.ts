import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, desk, standing, submitted } from "./desk.js";
import { serve, until, view } from "./served.js";

beforeAll(ensureBuilt);

describe("a whole run over HTTP", () => {
  it("goes from a sentence to a proven result, and every event reaches viewers once and in order", async () => {
    const project = desk();
    const served = await serve(project);
    const asked = await submitted(served);
    const url = `${served.api}/projects/${asked.project}/runs/${asked.run}/events`;
    const run = view(url, { cookie: served.cookie });
    const all = view(`${served.api}/events`, { cookie: served.cookie });
    await until(() => run.ids.length > 0 && all.status() === 200);

    const decided = await approve(served, asked.project, asked.run, asked.entry);
    expect(decided.status, decided.text).toBe(200);
    expect(decided.json).toMatchObject({ type: "decision", status: "taken", decided: "approved", by: "ada" });
    const again = await served.ask(`/projects/${asked.project}/runs/${asked.run}/decisions`, {
      body: { entry_id: asked.entry, decision: { kind: "reject", reason: "too late" } },
    });
    expect(again.status).toBe(409);
    expect(again.json).toMatchObject({ code: "DECISION_REFUSED", detail: expect.stringContaining("ada") as unknown });

    await standing(served, asked.project, asked.run, "completed");
    const log = await project.log();
    await until(
      () => run.ids.length === log.length,
      () => run.types,
    );
    expect(run.ids).toEqual(log.map(({ sequence }) => String(sequence)));
    expect(run.events.map(({ hash }) => hash as string)).toEqual(log.map(({ hash }) => hash));
    const approval = log.find(({ event }) => event.type === "plan_approved");
    expect(approval?.event).toMatchObject({ decider: { by: "ada", how: "person", via: "dashboard" } });
    // From where it began to follow, the stream of everything says the same.
    await until(() => all.events.at(-1)?.sequence === log.length);
    const seen = all.events.map(({ sequence }) => sequence as number);
    expect(seen).toEqual(log.map(({ sequence }) => sequence).slice(-seen.length));
    expect(project.git("show", `refs/coord/${asked.run}/head:README.md`)).toBe("# Reports, documented");
  }, 180_000);
});
