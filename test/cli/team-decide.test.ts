import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openRuns, readRuns } from "../../src/app/project/open-runs.js";
import { stateFolder } from "../../src/app/project/state-folder.js";
import { writeStoreSetting } from "../../src/app/store/store-setting.js";
import type { RunEvent } from "../../src/model/event.js";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../../src/testing/postgres-server.js";
import { planRef, runTask } from "../../src/testing/run-fixtures.js";
import { coordinator, coordinatorJson, workFolder } from "./program.js";
import { worker } from "./run-process.js";
import { ended, inTheMiddle, Log } from "./run-logs.js";

/* One run in the store of a team: a process of one clone carries it out, people decide in others. */

const RUN = "run_of_a_team";
const missing = whyNoPostgres();
let server: PostgresServer;
let schemas = 0;

/** Clones that use one store, with the run in it. */
async function clones(log: Log, count = 2): Promise<string[]> {
  const url = server.url(`clones${++schemas}`);
  const folders = Array.from({ length: count }, () => workFolder());
  for (const folder of folders) writeStoreSetting(stateFolder(folder), url);
  const store = await openRuns(stateFolder(folders[0] as string));
  await log.writeTo(store, RUN);
  await store.close();
  return folders;
}

async function logOf(cwd: string): Promise<RunEvent[]> {
  const reader = await readRuns(stateFolder(cwd));
  const events: RunEvent[] = [];
  if (reader === null) return events;
  for await (const { event } of reader.read(RUN)) events.push(event);
  await reader.close();
  return events;
}

const times = (events: readonly RunEvent[], type: RunEvent["type"]) => events.filter((e) => e.type === type).length;
const twoTasks = () => new Log().open(planRef([runTask("A"), runTask("B", { dependencies: ["A"] })]));
const signalsLeft = () => server.sql(`SELECT count(*) FROM clones${schemas}.signals`);

describe.skipIf(missing !== null)(
  `decisions in the clones of a team${missing === null ? "" : ` (skipped: ${missing})`}`,
  () => {
    beforeAll(async () => {
      server = await startPostgres();
      await coordinator(["--version"]);
    }, 300_000);
    afterAll(() => server?.remove());

    it("an approval reaches the process of another clone, with who gave it and how", async () => {
      const [here, there] = (await clones(twoTasks())) as [string, string];
      const working = await worker(here, RUN);
      const { code, json } = await coordinatorJson(["approve", "plan:", "--by", "ada", "--wait", "60"], { cwd: there });
      expect([code, json["status"], json["kept"]]).toEqual([0, "taken", false]);
      expect(await working.ended).toBe("ready\ncompleted\n");
      expect(await logOf(there)).toContainEqual(
        expect.objectContaining({ type: "plan_approved", decider: { by: "ada", how: "person", via: "command" } }),
      );
      expect(signalsLeft()).toBe("0");
      expect((await coordinator(["watch", RUN], { cwd: there })).code).toBe(0);
    }, 120_000);

    it("a budget, a changed task and a cancellation go the same way", async () => {
      const log = new Log().open(planRef([runTask("A"), runTask("B", { agent: "agent_b" })]), {
        plan_needs_approval: false,
      });
      log.take(ended("A", 1, { kind: "clarification", question: "Which separator?" }));
      log.take(ended("B", 1, { kind: "clarification", question: "Which colour?" }));
      const [here, there] = (await clones(log)) as [string, string];
      const working = await worker(here, RUN);
      const say = (...words: string[]) => coordinatorJson([...words, "--by", "bob", "--wait", "60"], { cwd: there });
      for (const words of [
        ["budget", RUN, "--add", "tokens=5"],
        ["tasks", "reprioritise", RUN, "B", "P0", "--approve"],
        ["answer", "q_A", "a semicolon"],
        ["cancel", RUN, "--reason", "enough"],
      ]) {
        const { code, json } = await say(...words);
        expect([words, code, json["status"], json["reason"]]).toEqual([words, 0, "taken", null]);
      }
      expect(await working.ended).toBe("ready\nfailed\n");
      const events = await logOf(there);
      for (const type of ["budget_raised", "change_decided", "question_answered", "run_cancelled"] as const)
        expect([type, times(events, type)]).toEqual([type, 1]);
    }, 120_000);

    it.each([
      ["a process carries it out", true],
      ["no process does", false],
    ])(
      "two clones decide the same at once while %s: one is taken, the other is told who was first",
      async (_, isDriven) => {
        const [here, ...others] = await clones(inTheMiddle(), 3);
        if (isDriven) await worker(here as string, RUN);
        const both = await Promise.all(
          others.map((cwd, i) =>
            coordinatorJson(["answer", "q_C#1", `separator ${i}`, "--by", `person ${i}`, "--wait", "60"], { cwd }),
          ),
        );
        const [winner, loser] = both.toSorted((a, b) => (a.code ?? 0) - (b.code ?? 0));
        expect([winner?.code, winner?.json["status"], loser?.code, loser?.json["status"]]).toEqual([
          0,
          "taken",
          4,
          "refused",
        ]);
        expect(loser?.json["reason"]).toMatch(
          new RegExp(`^it was decided by ${String(winner?.json["by"])} already: event \\d+ of ${RUN}$`),
        );
        expect(times(await logOf(here as string), "question_answered")).toBe(1);
        expect(signalsLeft()).toBe("0");
      },
      120_000,
    );

    it("is kept in the log where no process carries out the run, and says so", async () => {
      const [, there] = (await clones(inTheMiddle())) as [string, string];
      const { code, stdout } = await coordinator(["answer", "q_C", "x", "--by", "ada"], { cwd: there });
      expect(code).toBe(0);
      expect(stdout).toContain(
        `kept in the log: no process carries out ${RUN} now\nNext: coordinator run --resume ${RUN}\n`,
      );
    });

    it("is left for a process of another machine that does not take it, with its name, and taken by the next one", async () => {
      const [here, there] = (await clones(inTheMiddle())) as [string, string];
      const store = await openRuns(stateFolder(here));
      onTestFinished(() => store.close());
      await store.claim(RUN);
      // Beats extend rows of their own holder only, so this one stays as another machine would have left it.
      const other = `UPDATE clones${schemas}.leases SET host = 'far.example', place = 'elsewhere', holder = 'far'`;
      server.sql(`${other}, valid_until = clock_timestamp() + interval '1 h'`);
      const args = ["answer", "q_C", "x", "--by", "ada", "--wait", "0"];
      const { code, json } = await coordinatorJson(args, { cwd: there });
      expect([code, json["status"], json["left_for"], json["left_on"]]).toEqual([
        0,
        "left",
        process.pid,
        "far.example",
      ]);
      expect(times(await logOf(here), "question_answered")).toBe(0);
      server.sql(`DELETE FROM clones${schemas}.leases`);
      expect((await coordinator(["approve", "node_rev", "--by", "heidi"], { cwd: there })).code).toBe(0);
      expect(times(await logOf(here), "question_answered")).toBe(1);
    }, 60_000);

    it("is not lost and not taken twice when the process of the other clone is killed as it takes it", async () => {
      const [here, there] = (await clones(new Log().open(planRef([runTask("A")])))) as [string, string];
      const working = await worker(here, RUN, "signal.taken");
      const { code, json } = await coordinatorJson(["approve", "plan:", "--by", "ada", "--wait", "60"], { cwd: there });
      expect([code, json["status"], json["sequence"]]).toEqual([0, "taken", 4]);
      await working.ended;
      expect(working.signalCode).toBe("SIGKILL");
      expect(times(await logOf(there), "plan_approved")).toBe(1);
      expect(signalsLeft()).toBe("0");
      expect((await coordinatorJson(["verify", RUN], { cwd: here })).json).toMatchObject({
        passed: true,
        findings: [],
      });
    }, 120_000);
  },
);
