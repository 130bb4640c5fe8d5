import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import { NEW_RUN } from "../../../mind/run/state.js";
import { step } from "../../../mind/run/transition.js";
import { createRunFold } from "../../../app/inspect/fold-run.js";
import { overviewOf } from "../../../app/inspect/overview.js";
import { logEvents } from "../../../testing/logged.js";
import { amounts, opening, planRef, runTask } from "../../../testing/run-fixtures.js";
import type { RunShown } from "../../../app/run-reports.js";
import { runStatusText } from "./run.js";
import { paintFor, widthIn } from "./screen.js";

const LONG = "and a title that goes on and on about what this task is for ".repeat(3);
const ended = (task_id: string, outcome: object): RunEvent =>
  ({
    type: "attempt_finished",
    task_id,
    attempt: 1,
    outcome,
    usage: { amounts: amounts(4), source: "reported" },
  }) as RunEvent;

/** Three hundred tasks: thirty run at once, some ask, some fail, the others wait. */
function big(): RunShown {
  const tasks = Array.from({ length: 300 }, (_, i) =>
    runTask(`task-number-${i}`, { title: `${i} ${LONG}`, dependencies: i < 50 ? [] : [`task-number-${i - 50}`] }),
  );
  const fold = createRunFold("run_20260203-040506-abcdef");
  let state = NEW_RUN;
  const events: { event: RunEvent; clock_ms: number }[] = [];
  const take = (event: RunEvent) => {
    const taken = step(state, event, 0);
    state = taken.state;
    events.push(...taken.events.map((each) => ({ event: each, clock_ms: 0 })));
  };
  for (const event of opening(planRef(tasks), { plan_needs_approval: false, max_concurrent_tasks: 30 })) take(event);
  for (const i of [0, 1, 2, 3, 4, 5, 6, 7])
    take(ended(`task-number-${i}`, { kind: "clarification", question: `Which of the ${LONG}?` }));
  for (const i of [8, 9, 10, 11]) take(ended(`task-number-${i}`, { kind: "quality", message: `tests fail: ${LONG}` }));
  for (const each of logEvents(events, "run_20260203-040506-abcdef")) fold.take(each);
  const overview = overviewOf(fold.now(), true);
  const [first] = overview.needs_you;
  return {
    type: "run_status",
    overview: {
      ...overview,
      failed: [8, 9, 10].map((i) => ({
        task_id: `task-number-${i}`,
        title: LONG,
        reason: "given up by a person",
        stage: "verify",
        trouble: LONG,
        because_of: null,
      })),
    },
    worker: 4711,
    handoff: null,
    now: "2026-02-03T05:05:06.000Z",
    next: [first?.commands[0] ?? "", "coordinator watch run_20260203-040506-abcdef"],
    response: null,
    project: null,
    progress: null,
  };
}

describe("the status of a run of three hundred tasks", () => {
  const report = big();

  it.each([
    [80, 24],
    [100, 30],
    [200, 60],
  ])("fits a screen of %d by %d, and says what runs, waits, failed, costs and is left", (columns, rows) => {
    for (const color of [false, true]) {
      const lines = runStatusText(report, paintFor({ color }), { columns, rows });
      const taken = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthIn(line) / columns)), 0);
      expect(taken).toBeLessThan(rows);
      // oxlint-disable-next-line no-control-regex -- the looks of a text are control characters
      const text = lines.join("\n").replaceAll(/\u001b\[\d+m/g, "");
      for (const told of ["Running (", "Needs you (", "Failed (3)", "Cost  ", "Left  ", "Tasks 0 done", "Next: coord"])
        expect(text).toContain(told);
      expect(text).toMatch(/\$ coordinator answer \S+ /);
    }
  });

  it("shows more where there is room for more", () => {
    const at = (columns: number, rows: number) => runStatusText(report, paintFor({ color: false }), { columns, rows });
    expect(at(200, 60).length).toBeGreaterThan(at(80, 24).length + 10);
  });
});
