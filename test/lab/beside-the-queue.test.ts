import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { carryOut } from "../../src/hands/engine/carry-out.js";
import { AttemptResult } from "../../src/hands/attempts/attempt-order.js";
import type { SessionEnd, SessionRequest } from "../../src/hands/integration/coordination-session.js";
import { createEffectRunner } from "../../src/app/run/run-effects.js";
import { conflictResolver } from "../../src/hands/integration/resolve-conflict.js";
import { createResolution } from "../../src/hands/integration/run-resolution.js";
import { openRecords } from "../../src/hands/attempts/run-records.js";
import type { RunEvent } from "../../src/model/event.js";
import type { RunPolicy } from "../../src/model/run.js";
import { createIntegrationQueue } from "../../src/hands/integration/integrate.js";
import { must } from "../../src/hands/integration/merge.js";
import { layOut } from "../../src/mind/run/layout.js";
import { createMemoryStore } from "../../src/hands/store/memory-store.js";
import { FakeClock } from "../../src/testing/fake-clock.js";
import { amounts, opening, planRef, runTask } from "../../src/testing/run-fixtures.js";
import { verdictReport } from "../../src/testing/verdict-fixtures.js";
import { type Files, openLaboratory, type Story } from "./repository.js";

/*
 * The engine, the runner, the queue and git are real; attempts are commits that stand there already, and the agent that
 * resolves is played by the test, which decides when it is done. That is how one sees what happens in between.
 */

const BASE: Files = new Map([["list.txt", "alpha\nomega\n"]]);
const story = (name: string, path: string, text: string): Story => ({
  name,
  base: BASE,
  ours: new Map([...BASE, [path, text]]),
  theirs: BASE,
});
const STORIES = [
  story("A", "list.txt", "alpha\nby A\nomega\n"),
  story("B", "list.txt", "alpha\nby B\nomega\n"),
  story("C", "other.txt", "by C\n"),
  story("D", "list.txt", "alpha\nby D\nomega\n"),
];

/** A guard against hanging, and no measure of anything. */
const PATIENT = { timeout: 240_000 };

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("a conflict that is being resolved", () => {
  const laboratory = openLaboratory(STORIES);
  const { git } = laboratory;
  const folder = mkdtempSync(join(tmpdir(), "coordinator-beside-"));
  afterAll(() => {
    laboratory.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  let runs = 0;

  async function open(ids: readonly string[], policy: Partial<RunPolicy> = {}) {
    const name = `run${runs++}`;
    const commitOf = (id: string, side: "base" | "ours" = "ours") =>
      laboratory.commitOf(STORIES.find((each) => each.name === id) as Story, side);
    const base = commitOf("A", "base");
    const plan = planRef(
      ids.map((id) => runTask(id)),
      { budget: amounts(1_000_000) },
    );
    const records = openRecords(join(folder, name));
    const asked: { request: SessionRequest; answer: (text: string) => Promise<void> }[] = [];
    const gates = new Map<string, () => void>();
    const events: RunEvent[] = [];
    const resultOf = async (id: string) => resultWith(commitOf(id), base, `refs/heads/${id}/ours`);

    const sessions = {
      open: (request: SessionRequest) =>
        new Promise<SessionEnd>((resolve) => {
          const answer = async (text: string) => {
            const tree = await treeWith(request.base, text);
            const commit = (await must(git, ["commit-tree", tree, "-p", request.base, "-m", "resolved"])).trim();
            resolve({ status: "answered", result: resultWith(commit, request.base, "refs/coord/x") });
          };
          asked.push({ request, answer });
        }),
    };
    const queue = createIntegrationQueue({
      git,
      branch: `refs/heads/${name}`,
      base,
      verify: async () => verdictReport(),
      publish: async () => undefined,
    });
    const runner = createEffectRunner({
      layout: layOut(plan),
      records,
      queue,
      prove: async () => verdictReport(),
      messageFor: ({ task_id }) => `Take ${task_id}\n\nCoordinator-Task: ${task_id}\n`,
      attempts: {
        // An attempt ends when the test lets it.
        start: ({ task_id, attempt }: { task_id: string; attempt: number }) =>
          new Promise((resolve) =>
            gates.set(task_id, () =>
              resolve({
                type: "attempt_finished",
                task_id,
                attempt,
                outcome: { kind: "completed", output_ref: commitOf(task_id) },
                usage: { amounts: amounts(1), source: "reported" },
              }),
            ),
          ),
        resultOf,
      } as never,
      resolve: createResolution({
        git,
        resultOf,
        resolve: conflictResolver({
          plan,
          git,
          records,
          sessions,
          mode: "conflicts",
          checks: [],
          levelOf: () => 1,
          levelsOf: async () => [],
        }),
      }),
      review: async ({ task_id, attempt }) => ({
        type: "review_finished",
        task_id,
        attempt,
        accepted: true,
        summary: "",
      }),
    });
    const store = createMemoryStore({ sha256 });
    const run = await carryOut(name, { store, runner, clock: new FakeClock() });
    for (const event of opening(plan, { plan_needs_approval: false, max_concurrent_tasks: 4, ...policy }))
      expect(await run.signal(event)).toBeNull();
    const log = async () => {
      events.length = 0;
      for await (const { event } of store.read(name)) events.push(event);
      return events;
    };
    return { run, queue, asked, log, finish: (id: string) => gates.get(id)?.() };
  }

  async function treeWith(commit: string, text: string): Promise<string> {
    const blob = (await must(git, ["hash-object", "-w", "--stdin"], { input: text })).trim();
    return git.withIndex(async (index) => {
      await must(git, ["read-tree", commit], { index });
      await must(git, ["update-index", "--cacheinfo", `100644,${blob},list.txt`], { index });
      return (await must(git, ["write-tree"], { index })).trim();
    });
  }

  function resultWith(commit: string, base: string, ref: string): AttemptResult {
    return AttemptResult.parse({
      outcome: { kind: "completed", output_ref: commit },
      usage: { amounts: amounts(1), source: "reported" },
      output: "",
      structured: { review_summary: "both", fixes_applied: ["kept both"], left_out: [] },
      session_id: "s1",
      grade: "strong",
      base,
      commit,
      ref,
      changes: [{ path: "list.txt", change: "modified", mode: "100644", size: 1, binary: false }],
      gate: { verdict: "pass", findings: [] },
      reported: [],
      salvage: null,
      notices: [],
    });
  }

  const integrated = (events: readonly RunEvent[]) =>
    events.flatMap((event) => (event.type === "integration_finished" && event.integrated ? [event.task_id] : []));

  type Opened = Awaited<ReturnType<typeof open>>;

  /** Let an attempt end, and wait until it is on the branch or an agent is asked about it. */
  async function pass({ finish, log, asked }: Opened, id: string): Promise<void> {
    const [landed, before] = [integrated(await log()).length, asked.length];
    finish(id);
    await expect.poll(async () => integrated(await log()).length > landed || asked.length > before, PATIENT).toBe(true);
  }

  it("holds nobody up: others are integrated meanwhile, and it is then merged onto what they made", async () => {
    const opened = await open(["A", "B", "C"]);
    for (const id of ["A", "B", "C"]) await pass(opened, id);
    const { asked, log, queue, run } = opened;
    expect([asked.length, integrated(await log())]).toEqual([1, ["A", "C"]]);
    await asked[0]?.answer("alpha\nby A\nby B\nomega\n");
    expect((await run.settled()).status).toBe("completed");
    expect(integrated(await log())).toEqual(["A", "C", "B"]);
    const files = await laboratory.filesOf(await queue.tip());
    expect([files.get("list.txt"), files.get("other.txt")]).toEqual(["alpha\nby A\nby B\nomega\n", "by C\n"]);
    const subjects = await must(git, ["log", "--first-parent", "--format=%s", "-3", await queue.tip()]);
    expect(subjects.trim().split("\n")).toEqual(["Merge the task B", "Merge the task C", "Take A"]);
  });

  it("lets two be resolved at a time; who comes second is asked again about the branch as it then is", async () => {
    const opened = await open(["A", "B", "D"]);
    for (const id of ["A", "B", "D"]) await pass(opened, id);
    const { asked, log, queue, run } = opened;
    expect(asked.map(({ request }) => request.task.task_id)).toEqual(["B", "D"]);
    await asked[0]?.answer("alpha\nby A\nby B\nomega\n");
    await expect.poll(async () => integrated(await log()), PATIENT).toEqual(["A", "B"]);
    await asked[1]?.answer("alpha\nby A\nby D\nomega\n");
    await expect.poll(() => asked.length, PATIENT).toBe(3);
    const rounds = (await log()).flatMap((event) =>
      event.type === "conflict_found" ? [[event.task_id, event.round]] : [],
    );
    expect(rounds).toEqual([
      ["B", 1],
      ["D", 1],
      ["D", 2],
    ]);
    expect(asked[2]?.request.about).not.toBe(asked[1]?.request.about);
    await asked[2]?.answer("alpha\nby A\nby B\nby D\nomega\n");
    expect((await run.settled()).status).toBe("completed");
    expect((await laboratory.filesOf(await queue.tip())).get("list.txt")).toBe("alpha\nby A\nby B\nby D\nomega\n");
  });

  it("goes to a person after so many rounds, with both sides on refs and the branch as it was", async () => {
    const opened = await open(["A", "B", "D"], { conflict_rounds: 1 });
    for (const id of ["A", "B", "D"]) await pass(opened, id);
    const { asked, log, queue, run } = opened;
    await asked[0]?.answer("alpha\nby A\nby B\nomega\n");
    await expect.poll(async () => integrated(await log()), PATIENT).toEqual(["A", "B"]);
    const tip = await queue.tip();
    await asked[1]?.answer("alpha\nby A\nby D\nomega\n");
    const { status, inbox } = await run.settled();
    expect([status, asked.length, await queue.tip()]).toEqual(["blocked", 2, tip]);
    const said = inbox.map((entry) => (entry.kind === "escalation" ? entry.escalation.summary : "")).join();
    expect(said).toContain("conflict in list.txt, not resolved: resolved 1 times");
    const [, ref = ""] = / and (refs\/\S+)$/.exec(said) ?? [];
    expect(await must(git, ["show", `${ref}:list.txt`])).toBe("alpha\nby D\nomega\n");
    expect((await laboratory.filesOf(tip)).get("list.txt")).toBe("alpha\nby A\nby B\nomega\n");
  });
});
