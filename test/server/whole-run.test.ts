import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../build.js";
import { approve, ASK, desk, standing, submitted } from "./desk.js";
import { serve, until, view } from "./served.js";

beforeAll(ensureBuilt);

interface Span {
  readonly stage: string;
  readonly outcome: string;
}

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

    const of = async (path: string) => {
      const { status, json, text } = await served.ask(`/projects/${asked.project}/runs/${asked.run}${path}`);
      expect(status, `${path}: ${text}`).toBe(200);
      return json;
    };
    const graph = await of("/graph");
    const [task] = graph.tasks;
    expect(task).toMatchObject({ title: ASK, status: "completed", attempts: 1, agent: "scripted" });
    expect(graph.work.map(({ stage, outcome }: Span) => [stage, outcome])).toEqual([
      ["attempt", "completed"],
      ["verify", "PASS"],
      ["integrate", "integrated"],
      ["review", "accepted"],
    ]);
    expect(graph.waits).toMatchObject([{ kind: "plan_approval", by: "ada" }]);
    expect(await of("/plan")).toMatchObject({ approved: true, tasks: [{ title: ASK, level: 0 }], others: [] });
    const detail = await of(`/tasks/${encodeURIComponent(task.task_id as string)}`);
    expect(detail.attempts).toMatchObject([
      {
        given: { prompt: expect.stringContaining(ASK) as unknown },
        verdict: { verdict: "PASS" },
        records: { result: { changes: expect.any(Array) as unknown }, verdict: { verdict: "PASS" } },
      },
    ]);
    expect((await of("/diff")).patch).toContain("+# Reports, documented");
    expect((await of(`/diff?task=${encodeURIComponent(task.task_id as string)}`)).files).toHaveLength(1);
    const timeline = await of("/timeline?decisions=true");
    expect(timeline.lines.map(({ decider }: { decider: { by: string } }) => decider.by)).toContain("ada");
    const { records } = await of("/records");
    for (const { name } of records) await of(`/records/${encodeURIComponent(name as string)}`);
    await of("/explanation");
    await of("/response");
    const tape = await served.ask(`/projects/${asked.project}/runs/${asked.run}/tape`);
    expect(tape.text.trim().split("\n").length).toBeGreaterThan(log.length);
    const proof = await served.ask(`/projects/${asked.project}/runs/${asked.run}/verification`, { body: {} });
    expect([proof.status, proof.json], proof.text).toMatchObject([200, { type: "run_verification", passed: true }]);
    for (const path of ["stats", "figures", "adrs"])
      expect((await served.ask(`/projects/${asked.project}/${path}`)).status, path).toBe(200);

    const merged = await served.ask(`/projects/${asked.project}/runs/${asked.run}/merge`, { body: {} });
    expect([merged.status, merged.json], merged.text).toMatchObject([
      200,
      { type: "merge", status: "merged", by: "ada" },
    ]);
    expect(project.git("show", "main:README.md")).toBe("# Reports, documented");
  }, 180_000);
});
