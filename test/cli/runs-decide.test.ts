import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SIGNAL_CRASH_POINTS, STORE_CRASH_POINTS } from "../../src/foundation/processes/crash-points.js";
import type { RunEvent } from "../../src/model/event.js";
import { type PublicKey, publicKeyOf, readRuns } from "../../src/app/project/open-runs.js";
import { sendSignal } from "../../src/app/decide/send-signal.js";
import { leaveSignal, newSignalId } from "../../src/app/decide/signal-box.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { verifyLog } from "../../src/app/prove/verify-log.js";
import { amounts, PERSON, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { coordinator, coordinatorJson } from "./program.js";
import { chaos, preload, worker } from "./run-process.js";
import { AUTO, ended, inTheMiddle, Log, project, storeIn } from "./run-logs.js";

const RUN = "run_of_people";
// The worker is of the built program too, and calling the program builds it when the source is newer.
beforeAll(async () => void (await coordinator(["--version"])));
const now = () => new Date().toISOString();

/** What the log holds, read by somebody else. */
async function logOf(cwd: string, runId = RUN): Promise<RunEvent[]> {
  const reader = await readRuns(stateFolder(cwd));
  if (reader === null) return [];
  const events: RunEvent[] = [];
  for await (const { event } of reader.read(runId)) events.push(event);
  await reader.close();
  return events;
}

async function expectWhole(cwd: string, runId = RUN): Promise<void> {
  const reader = await readRuns(stateFolder(cwd));
  if (reader === null) throw new Error("there must be runs");
  const { findings } = await verifyLog(reader, runId, {
    given: [publicKeyOf(stateFolder(cwd)) as PublicKey],
    anchors: [],
  });
  await reader.close();
  expect(findings).toEqual([]);
}

const times = (events: readonly RunEvent[], type: RunEvent["type"]) => events.filter((e) => e.type === type).length;
const box = (cwd: string) => {
  const { signals } = stateFolder(cwd);
  return existsSync(signals) ? readdirSync(signals) : [];
};

describe("a decision when nobody works on the run", () => {
  it("goes into the log with everything that follows, and nothing is done", async () => {
    const cwd = await project({ [RUN]: inTheMiddle() });
    const { code, json } = await coordinatorJson(["answer", "q_C", "a", "semicolon", "--by", "ada"], { cwd });
    expect([code, json["status"], json["sequence"]]).toEqual([0, "taken", 9]);
    expect((await logOf(cwd)).slice(8)).toMatchObject([
      { type: "question_answered", answer: "a semicolon", decider: { by: "ada", how: "person" } },
      { type: "attempt_started", task_id: "C", attempt: 2 },
    ]);
    expect(box(cwd)).toEqual([]);
    await expectWhole(cwd);
    const late = await coordinatorJson(["answer", "q_C#1", "a", "comma", "--by", "bob"], { cwd });
    expect([late.code, late.json["status"], late.json["reason"]]).toEqual([
      4,
      "refused",
      `it was decided by ada already: event 9 of ${RUN}`,
    ]);
    // Whoever sends the same twice has decided once.
    const twice = await coordinatorJson(["answer", "q_C", "a", "semicolon", "--by", "ada"], { cwd });
    expect([twice.code, twice.json["status"], twice.json["sequence"]]).toEqual([0, "taken", 9]);
    expect(times(await logOf(cwd), "question_answered")).toBe(1);
  });

  it("of two people at the same moment is one: the other is told who was first", async () => {
    const cwd = await project({ [RUN]: inTheMiddle() });
    const say = (by: string, text: string) => coordinatorJson(["answer", "q_C#1", text, "--by", by], { cwd });
    const both = await Promise.all([say("ada", "semicolon"), say("bob", "comma")]);
    const [winner, loser] = both.toSorted((a, b) => (a.code ?? 0) - (b.code ?? 0));
    expect([winner?.code, loser?.code]).toEqual([0, 4]);
    expect(loser?.json["reason"]).toBe(`it was decided by ${String(winner?.json["by"])} already: event 9 of ${RUN}`);
    expect(times(await logOf(cwd), "question_answered")).toBe(1);
  });

  it("of a plan is one too, and nobody decides anything of a run that is over", async () => {
    const cwd = await project({ [RUN]: new Log().open(planRef([runTask("A")])), run_middle: inTheMiddle() });
    const of = (...args: string[]) => coordinatorJson([...args, "--run", RUN, "--by", "ada"], { cwd });
    expect((await of("approve", "plan:")).code).toBe(0);
    expect(await of("approve", "plan:plan_of")).toMatchObject({ code: 0, json: { status: "taken" } });
    expect(await of("reject", "plan:plan_of", "--reason", "no")).toMatchObject({
      code: 4,
      json: { status: "refused" },
    });
    expect((await coordinator(["cancel", "run_middle", "--by", "ada"], { cwd })).code).toBe(0);
    const over = await coordinatorJson(["answer", "q_C#1", "a", "--by", "ada"], { cwd });
    expect([over.code, over.json["reason"]]).toEqual([4, "run_middle is over, and does not wait for it any more"]);
  });

  it("is by whom git knows, when nobody says who", async () => {
    const cwd = await project({ [RUN]: new Log().open(planRef([runTask("A")])) });
    execFileSync("git", ["init", "-q"], { cwd });
    execFileSync("git", ["config", "user.name", "Ada  Lovelace"], { cwd });
    const { stdout } = await coordinator(["approve", "plan:"], { cwd });
    expect(stdout).toContain("+ taken  plan:plan_of_a_test: approved by Ada Lovelace, event 4 of run_of_people\n");
  });

  it("a review is its reviewers' to decide", async () => {
    const cwd = await project({ [RUN]: inTheMiddle() });
    const args = ["approve", "node_review_security", "--by", "grace"];
    const pretended = await coordinator([...args, "--as", "heidi"], { cwd });
    expect([pretended.code, pretended.stderr]).toEqual([4, expect.stringContaining("ROLE_NOT_HELD")]);
    const refused = await coordinator(["approve", "node_review_security", "--by", "mallory"], { cwd });
    expect(refused.code).toBe(4);
    expect(refused.stdout).toContain("its reviewers are grace, heidi");
    expect(times(await logOf(cwd), "review_approved")).toBe(0);
    expect((await coordinator(args, { cwd })).code).toBe(0);
    expect(times(await logOf(cwd), "review_approved")).toBe(1);
  });

  it("a run out of budget asks, and goes on with what is added [S1-124]", async () => {
    const tight = planRef([runTask("A"), runTask("B", { dependencies: ["A"] })], { budget: amounts(12) });
    const cwd = await project({ [RUN]: new Log().open(tight, AUTO).finish("A") });
    const { json } = await coordinatorJson(["inbox"], { cwd });
    const [entry] = json["entries"] as { about: string; commands: string[]; escalation: Record<string, unknown> }[];
    expect(entry?.about).toMatch(/^Out of budget: run: 2 tokens over its budget of 12; /);
    expect(entry?.escalation).toMatchObject({ type: "resource_exhaustion", severity: "critical" });
    // What it is short of, and not what it has plenty of.
    expect(entry?.commands[0]).toMatch(/--order raise_budget --add tokens=N,(?:\w+=N,?)*files=N/);
    const add = "tokens=100,cost_usd=1,minutes=9,files=90,commits=90,api_calls=90";
    const raised = await coordinator(["answer", "esc_", "--order", "raise_budget", "--add", add, "--by", "ada"], {
      cwd,
    });
    expect(raised.code).toBe(0);
    expect((await logOf(cwd)).at(-1)).toMatchObject({ type: "attempt_started", task_id: "B" });
    const status = await coordinatorJson(["status", RUN], { cwd });
    expect(status.json).toMatchObject({
      status: "in_progress",
      spend: { budget: { tokens: 112 }, used: { tokens: 4 } },
    });
  });

  it("an escalation is answered by an order, and a cancelled run takes no more", async () => {
    const log = new Log().open(planRef([runTask("A"), runTask("B")]), AUTO);
    log.take(ended("A", 1, { kind: "quality", message: "tests fail" }));
    const cwd = await project({ [RUN]: log });
    const order = ["--order", "retry", "--agent", "codex", "--note", "read the log", "--by", "ada"];
    expect((await coordinator(["answer", "esc_", ...order], { cwd })).code).toBe(0);
    expect(await logOf(cwd)).toContainEqual(
      expect.objectContaining({
        type: "escalation_answered",
        order: { action: "retry", agent: "codex", note: "read the log" },
      }),
    );
    expect((await logOf(cwd)).at(-1)).toMatchObject({ type: "attempt_started", task_id: "A", agent: "codex" });
    const cancelled = await coordinator(["cancel", "last", "--reason", "enough", "--by", "ada"], { cwd });
    expect(cancelled.code).toBe(0);
    const again = await coordinatorJson(["cancel", "last"], { cwd });
    expect([again.code, again.json["reason"]]).toEqual([4, "the run is over"]);
    await expectWhole(cwd);
  });

  it("what was left in the box by somebody who died is taken too, in its order", async () => {
    const cwd = await project({ [RUN]: inTheMiddle() });
    const { signals } = stateFolder(cwd);
    const signal = (event: RunEvent, roles: string[], ms: number) => ({
      signal_id: newSignalId(ms),
      run_id: RUN,
      event,
      roles,
      after: 8,
      sent_at: now(),
    });
    leaveSignal(
      signals,
      signal({ type: "review_approved", gate_id: "node_review_security", decider: PERSON }, ["grace"], 1),
    );
    leaveSignal(
      signals,
      signal({ type: "review_approved", gate_id: "node_review_security", decider: PERSON }, ["mallory"], 2),
    );
    leaveSignal(signals, signal(ended("A", 1, { kind: "completed", output_ref: "forged" }), ["mallory"], 3));
    writeFileSync(join(signals, "sig_garbage.json"), "{");
    expect((await coordinator(["answer", "q_C", "x", "--by", "ada"], { cwd })).code).toBe(0);
    const events = await logOf(cwd);
    expect(events.slice(8).map(({ type }) => type)).toEqual([
      "review_approved",
      "question_answered",
      "attempt_started",
    ]);
    expect(box(cwd).filter((name) => name.endsWith(".json") && !name.endsWith(".verdict.json"))).toEqual([]);
    expect(box(cwd)).toContain("sig_garbage.json.unreadable");
  });
});

describe("a decision while another process works on the run", () => {
  it("reaches it, and the run goes on; whoever watches sees it to its end", async () => {
    const cwd = await project({
      [RUN]: new Log().open(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })])),
      run_beside: inTheMiddle("2026-01-01T00:00:00.000Z"),
    });
    const working = await worker(cwd, RUN);
    expect(
      await new Promise((resolve) => spawn(process.execPath, [chaos("serve-run.mjs"), cwd, RUN]).on("close", resolve)),
    ).toBe(4);
    const beside = await coordinatorJson(["answer", "q_C", "x", "--by", "ada", "--wait", "60"], { cwd });
    expect([beside.code, beside.json["status"]]).toEqual([0, "taken"]);
    const names = ["ada", "bob", "eve"];
    const all = await Promise.all(
      names.map((by) => coordinatorJson(["approve", "plan:plan_of_a_test", "--by", by, "--wait", "60"], { cwd })),
    );
    expect(all.filter(({ json }) => json["status"] === "taken")).toHaveLength(1);
    for (const { code, json } of all) if (json["status"] !== "taken") expect([2, 4]).toContain(code);
    expect(await working.ended).toBe("ready\ncompleted\n");
    expect(times(await logOf(cwd), "plan_approved")).toBe(1);
    const watched = await coordinator(["watch", RUN, "--json"], { cwd });
    expect(watched.code).toBe(0);
    const records = watched.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.slice(0, 2)).toMatchObject([{ type: "version" }, { type: "run", run_id: RUN }]);
    expect(records.at(-1)).toMatchObject({ type: "end", status: "completed", exit_code: 0 });
    await expectWhole(cwd);
    await expectWhole(cwd, "run_beside");
  });

  it("is left for a process that does not take it, and taken by the next one", async () => {
    const cwd = await project({ [RUN]: inTheMiddle() });
    const store = await storeIn(cwd);
    await store.claim(RUN);
    const { code, json } = await coordinatorJson(["answer", "q_C", "x", "--by", "ada", "--wait", "0"], { cwd });
    expect([code, json["status"], json["left_for"]]).toEqual([0, "left", process.pid]);
    expect(times(await logOf(cwd), "question_answered")).toBe(0);
    await store.close();
    expect((await coordinator(["approve", "node_rev", "--by", "heidi"], { cwd })).code).toBe(0);
    expect(times(await logOf(cwd), "question_answered")).toBe(1);
    await expectWhole(cwd);
  });

  it("is not lost and not taken twice when that process is killed as it takes it", async () => {
    const cwd = await project({ [RUN]: new Log().open(planRef([runTask("A")])) });
    const working = await worker(cwd, RUN, "signal.taken");
    const { code, json } = await coordinatorJson(["approve", "plan:", "--by", "ada", "--wait", "60"], { cwd });
    expect([code, json["status"], json["sequence"]]).toEqual([0, "taken", 4]);
    await working.ended;
    expect(working.signalCode).toBe("SIGKILL");
    expect(times(await logOf(cwd), "plan_approved")).toBe(1);
    expect(box(cwd).filter((name) => !name.includes(".verdict"))).toEqual([]);
    await expectWhole(cwd);
  });
});

describe("kill -9 in mid-answer", () => {
  it.each([...SIGNAL_CRASH_POINTS, ...STORE_CRASH_POINTS])(
    "at %s: the answer is there once, by whoever comes next",
    async (point) => {
      const cwd = await project({ [RUN]: inTheMiddle() });
      const args = ["approve", "node_review_security", "--by", "grace"];
      const killed = await coordinator(args, { cwd, preload, env: { TEST_CRASH_AT: point } });
      expect([killed.code, killed.signal]).toEqual([null, "SIGKILL"]);
      const next = await sendSignal(
        stateFolder(cwd),
        {
          signal_id: newSignalId(Date.now()),
          run_id: RUN,
          event: { type: "question_answered", question_id: "q_C#1", answer: "x", decider: PERSON },
          roles: ["ada"],
          after: 8,
          sent_at: now(),
        },
        { waitMs: 60_000, now },
      );
      expect(next.status).toBe("taken");
      const events = await logOf(cwd);
      expect([times(events, "review_approved"), times(events, "question_answered")]).toEqual([1, 1]);
      expect(box(cwd).filter((name) => !name.includes(".verdict"))).toEqual([]);
      await expectWhole(cwd);
    },
  );
});
