import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Activity, activitiesIn, reportActivity } from "../../hands/checks/on-trees/activity.js";
import { noteObserved, startObservation, withObserver } from "../../hands/checks/observe.js";
import { activityLine, ActivityTeller } from "./activity-line.js";

const at = (second: number) => new Date(Date.UTC(2026, 1, 3, 4, 5, 0) + second * 1000).toISOString();
const activity = (different: Partial<Activity> = {}): Activity => ({
  id: "1",
  what: "test",
  command: "npm test",
  on: "the base",
  task_id: null,
  pid: process.pid,
  since: at(0),
  passed: 0,
  failed: 0,
  last: "",
  ended: null,
  outcome: "",
  ...different,
});

describe("what is being done", () => {
  it("says what runs on which tree, for how long, and how far it is", () => {
    expect(activityLine(activity({ passed: 120, failed: 2 }), at(34))).toBe(
      "test on the base, 34 s: 120 passed, 2 failed",
    );
    const setup = activity({
      what: "setup",
      on: "the agent's workspace",
      task_id: "fix-it",
      last: "added 12 packages",
    });
    expect(activityLine(setup, at(75))).toBe("setup on the agent's workspace of fix-it, 1 min: added 12 packages");
    expect(activityLine(activity({ on: "" }), at(1))).toBe("test, 1 s");
    expect(activityLine(activity({ ended: at(9), outcome: "7 passed" }), at(60))).toBe(
      "test on the base: 7 passed after 9 s",
    );
  });

  it("is told in lines when it takes long, every half minute, and when it is over", () => {
    const teller = new ActivityTeller();
    const seen = (second: number, different: Partial<Activity> = {}) => teller.take([activity(different)], at(second));
    expect([seen(1), seen(2)]).toEqual([[], []]);
    expect(seen(3)).toEqual(["test on the base, 3 s"]);
    expect([seen(4), seen(32)]).toEqual([[], []]);
    expect(seen(33)).toEqual(["test on the base, 33 s"]);
    expect(seen(40, { ended: at(40), outcome: "ok" })).toEqual(["test on the base: ok after 40 s"]);
    expect(seen(41, { ended: at(40), outcome: "ok" })).toEqual([]);
  });

  it("is told once when it is a note", () => {
    const teller = new ActivityTeller();
    const note = activity({ ended: at(0), note: "setup runs anew in every workspace: it makes dist" });
    expect(teller.take([note], at(1))).toEqual(["setup runs anew in every workspace: it makes dist"]);
    expect(teller.take([note], at(2))).toEqual([]);
  });

  it("is not told at all when it is over at once", () => {
    const teller = new ActivityTeller();
    expect(teller.take([activity({ ended: at(1), outcome: "ok" })], at(2))).toEqual([]);
  });
});

describe("activities of a run", () => {
  const check = { name: "lint", run: "npm run lint" };

  it("are there while checks run, with what they print, and say how they ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-activity-"));
    const observer = reportActivity(folder, {
      treeOf: (tree) => (tree === "b" ? "the base" : "the result"),
      taskId: "A",
    });
    await withObserver(observer, async () => {
      const running = startObservation(check, "b");
      expect(activitiesIn(folder)).toMatchObject([{ what: "lint", on: "the base", task_id: "A", ended: null }]);
      await new Promise((resolve) => setTimeout(resolve, 600));
      running.printed(Buffer.from("ok 1 - a\nok 2 - b\n"));
      expect(activitiesIn(folder)).toMatchObject([{ passed: 2, last: "ok 2 - b" }]);
      running.ended({ ended: "exited", exit_code: 2, findings: [] });
    });
    const [ended] = activitiesIn(folder);
    expect(ended).toMatchObject({ outcome: "exit code 2", ended: expect.any(String) as string });
    // A viewer in another process sees nothing of checks that nobody observes.
    startObservation(check, "b").printed(Buffer.from("x\n"));
    expect(activitiesIn(folder)).toHaveLength(1);
  });

  it("hold the notes that are made while somebody looks on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-activity-"));
    const observer = reportActivity(folder, { treeOf: () => "the base", taskId: null });
    await withObserver(observer, async () => noteObserved("setup runs for this tree alone: it changes lock.txt"));
    expect(activitiesIn(folder)).toMatchObject([
      { note: "setup runs for this tree alone: it changes lock.txt", ended: expect.any(String) as string },
    ]);
    noteObserved("nobody looks on");
    expect(activitiesIn(folder)).toHaveLength(1);
  });

  it("of a process that died are not shown, and go", () => {
    const folder = mkdtempSync(join(tmpdir(), "coordinator-activity-"));
    const { id: _, ...kept } = activity({ pid: 2 ** 22 + 1 });
    writeFileSync(join(folder, "1-1.json"), JSON.stringify(kept));
    writeFileSync(join(folder, "1-2.json"), "{ half");
    expect(activitiesIn(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual(["1-2.json"]);
    expect(activitiesIn(join(folder, "none"))).toEqual([]);
  });
});
