import { beforeAll, describe, expect, it } from "vitest";
import { asked } from "../e2e/asked.js";
import { ensureBuilt } from "../build.js";
import { approve, ASK, desk, projectOf, standing, submitted } from "./desk.js";
import { send, serve, until } from "./served.js";

beforeAll(ensureBuilt);

describe("deciding several entries at once", () => {
  it("takes each by itself: what is wrong with one stops no other, and a reader decides nothing", async () => {
    const project = desk();
    const served = await serve(project);
    const one = await submitted(served);
    const two = await submitted(served);
    const entryOf = ({ project: id, run, entry }: typeof one) => ({ project: id, run_id: run, entry_id: entry });
    const decisions = [
      { ...entryOf(one), decision: { kind: "approve" } },
      { ...entryOf(one), entry_id: "nothing_like_it", decision: { kind: "approve" } },
      { ...entryOf(two), project: "prj_000000000000", decision: { kind: "approve" } },
      { ...entryOf(two), decision: { kind: "text", text: "a plan is not a question" } },
      { ...entryOf(two), decision: { kind: "reject", reason: "not now" } },
      { ...entryOf(two), decision: { kind: "approve" } },
    ];
    const reader = project.json("token", "add", "rosa")["secret"] as string;
    const refused = await send(`${served.api}/inbox/decisions`, {
      headers: { authorization: `Bearer ${reader}` },
      body: { decisions },
    });
    expect([refused.status, refused.json.code]).toEqual([403, "ROLE_REFUSED"]);
    const { status, json } = await served.ask("/inbox/decisions", { body: { decisions } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ type: "decisions", taken: 2, refused: 4 });
    const codes = json.results.map(
      ({ decision, problem }: { decision: { decided: string } | null; problem: { code: string } | null }) =>
        decision?.decided ?? problem?.code,
    );
    expect(codes).toEqual(["approved", "NOT_FOUND", "PROJECT_UNKNOWN", "USAGE", "rejected", "DECISION_REFUSED"]);
    expect(json.results[5].problem.detail).toContain("ada");
    await standing(served, one.project, one.run, "completed");
    for (const body of [{}, { decisions: [] }, { decisions: Array.from({ length: 101 }, () => decisions[0]) }])
      expect((await served.ask("/inbox/decisions", { body })).status).toBe(422);
  }, 180_000);
});

describe("orders about tasks and runs", () => {
  it("stand in the log with who gave them and how, whichever way they came", async () => {
    const project = desk();
    const served = await serve(project);
    const { project: id, run } = await submitted(served);
    const { tasks } = (await served.ask(`/projects/${id}/runs/${run}/graph`)).json as { tasks: { task_id: string }[] };
    const task = encodeURIComponent(tasks[0]?.task_id ?? "");
    const routed = (await project.log()).find(({ event }) => event.type === "route_decided");
    expect(routed?.event).toMatchObject({ decider: { by: "ada", how: "person", via: "dashboard" } });
    const change = { action: "skip_task", reason: "not needed" };
    const asked = await served.ask(`/projects/${id}/runs/${run}/tasks/${task}/changes`, { body: { change } });
    expect(asked.status, asked.text).toBe(200);
    const proposed = (await project.log()).find(({ event }) => event.type === "change_proposed");
    expect(proposed?.event).toMatchObject({ decider: { by: "ada", how: "person", via: "dashboard" } });
    const cancelled = await served.ask(`/projects/${id}/runs/${run}/cancel`, { body: {} });
    expect(cancelled.status, cancelled.text).toBe(200);
    const ended = (await project.log()).find(({ event }) => event.type === "run_cancelled");
    expect(ended?.event).toMatchObject({ decider: { by: "ada", how: "person", via: "dashboard" } });

    const other = await submitted(served);
    expect(project.call("cancel", other.run, "--by", "grace").code).toBe(0);
    const typed = (await project.log()).find(({ event }) => event.type === "run_cancelled");
    expect(typed?.event).toMatchObject({ decider: { by: "grace", how: "person", via: "command" } });
  }, 180_000);
});

describe("figures over time and handoffs", () => {
  it("a day says what each agent used, and a run hands over what the next session needs to know", async () => {
    const project = desk(undefined, { board: {} });
    const served = await serve(project);
    const { project: id, run, entry } = await submitted(served);
    const before = (await served.ask("/series?days=7")).json;
    expect(before.days).toHaveLength(7);
    expect([before.work, before.runs]).toMatchObject([[], [{ started: 1, completed: 0 }]]);
    await approve(served, id, run, entry);
    await standing(served, id, run, "completed");
    const { json } = await served.ask("/series");
    expect(json.days).toHaveLength(30);
    expect(json.work).toMatchObject([
      {
        project: id,
        agent: "scripted",
        attempts: 1,
        completed: 1,
        failed: 0,
        passed: 1,
        tokens: 120,
        cost_usd: 0.001,
        estimated: 0,
      },
    ]);
    expect(json.runs).toMatchObject([{ project: id, started: 1, completed: 1, failed: 0 }]);
    expect((await served.ask(`/projects/${id}/series?days=1`)).json.work).toEqual(json.work);
    for (const days of ["0", "367", "x"]) expect((await served.ask(`/series?days=${days}`)).status).toBe(422);

    await until(async () => (await served.ask("/ready")).json.working_on === 0);
    const path = `/projects/${id}/runs/${run}/handoff`;
    const written = await served.ask(path, { body: {} });
    expect([written.status, written.json.record.run_id], written.text).toEqual([201, run]);
    const shown = await served.ask(path);
    expect(shown.json).toMatchObject({ record: { id: written.json.record.id, read: null }, events_since: 0 });
    expect(shown.json.text).toContain("# Session Handoff");
    const received = await served.ask(`/projects/${id}/handoff/receipt`, { body: {} });
    expect(received.json.record.read).toMatchObject({ by: "ada" });
    expect((await served.ask(path)).json.record.read).toMatchObject({ by: "ada" });
  }, 180_000);
});

describe("decision records", () => {
  it("are listed with why one is held, and an accepted one is carried out instead of words", async () => {
    const record = (status: string, task: string) =>
      `# ADR-001: Reports\n\n## Status\n\n${status}\n\n## Context\n\nPeople want reports.\n\n## Implementation Notes\n\n- ${task}\n`;
    const project = asked(
      {
        "package.json": '{"type":"module","scripts":{"test":"node --test"}}\n',
        "src/reports.mjs": "export const reports = [];\n",
        "README.md": "# Reports\n",
        "test/reports.test.mjs": 'import { test } from "node:test";\ntest("nothing", () => {});\n',
        "docs/adr/0001-reports.md": record("Accepted", ASK),
        "docs/adr/0002-later.md": record("Proposed", "Add a list").replace("ADR-001", "ADR-002"),
        ".gitignore": ".coordinator/\n",
      },
      [{ title: ASK, writes: { "README.md": "# Reports, documented\n" } }],
    );
    const served = await serve(project);
    const id = await projectOf(served);
    const { json } = await served.ask(`/projects/${id}/adrs`);
    expect(json.records).toMatchObject([
      { file: "docs/adr/0001-reports.md", status: "accepted", held: null, taken: null, tasks: [{}] },
      { file: "docs/adr/0002-later.md", held: expect.stringContaining("ADR-002") as unknown },
    ]);
    const body = { adr: "docs/adr/0001-reports.md" };
    const sent = await served.ask(`/projects/${id}/requests`, { body });
    expect(sent.status, sent.text).toBe(202);
    const entry = await until(async () => (await served.ask("/inbox")).json.entries[0]);
    expect(entry).toMatchObject({ kind: "plan_approval" });
    await approve(served, id, entry.run_id as string, entry.id as string);
    await standing(served, id, entry.run_id as string, "completed");
    const after = (await served.ask(`/projects/${id}/adrs`)).json.records[0];
    expect(after.taken).toMatchObject({ run_id: entry.run_id, changed: false });
    const unknown = await served.ask(`/projects/${id}/requests`, { body: { adr: "docs/adr/none.md" } });
    const ended = await until(async () => {
      const { json: now } = await served.ask(`/projects/${id}/requests/${unknown.json.request_id}`);
      return now.state === "ended" ? now : null;
    });
    expect(ended.report).toMatchObject({ type: "error" });
  }, 180_000);
});
