import { describe, expect, it } from "vitest";
import { Message } from "../../model/run.js";
import { mayMove } from "../../testing/status-moves.js";
import { projectState } from "./project-state/project-state.js";
import { readNotes } from "./project-state/project-notes.js";
import { fold } from "../run/transition.js";
import { DrivenRun } from "../../testing/driven-run.js";
import { logEvents } from "../../testing/logged.js";
import { PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { ProgressObserver, type ProgressUpdate } from "./progress.js";

function heard(run: DrivenRun): { after: string; update: ProgressUpdate }[] {
  const observer = new ProgressObserver();
  return logEvents(run.log).flatMap((each) => {
    const update = observer.take(each);
    return update === null ? [] : [{ after: each.event.type, update }];
  });
}

/** Two tasks done, one that asks, one that needs a wider scope. */
function eventful(): DrivenRun {
  const run = new DrivenRun(planRef([runTask("A"), runTask("B"), runTask("C"), runTask("D")]), {
    max_concurrent_tasks: 4,
  });
  run.take({ type: "plan_approved", decider: PERSON });
  run.take({
    type: "attempt_progressed",
    task_id: "A",
    attempt: 1,
    usage: { amounts: runTask("A").estimate, source: "reported" },
    note: "",
  });
  run.land("A");
  run.finish("B", { kind: "clarification", question: "Which?" });
  run.finish("C", {
    kind: "scope_request",
    request: { write: ["docs/x.md"], commands: [], network: [] },
    message: "docs",
  });
  run.land("D");
  return run;
}

describe("progress", () => {
  it("is told when a phase ends, a task is done, and something is in the way, and at no other time [S1-011]", () => {
    const updates = heard(eventful());
    expect(
      updates.map(({ after, update: { payload } }) => [after, payload.current_phase, payload.progress_percentage]),
    ).toEqual([
      ["intake_decided", "planning", 0],
      ["plan_approved", "execution", 0],
      ["review_finished", "execution", 25],
      ["question_asked", "execution", 25],
      ["attempt_finished", "execution", 25],
      ["review_finished", "execution", 50],
    ]);
  });

  it("names the task, what is left and what waits for a decision, in a message as the tiers send it [S1-046]", () => {
    const updates = heard(eventful()).map(({ update }) => update);
    for (const update of updates) expect(Message.parse(update)).toEqual(update);
    const asked = updates.find(({ payload }) => payload.current_task === "C");
    expect(asked).toMatchObject({
      from: "supervisor",
      to: "coordinator",
      payload: {
        request_id: "req_of_a_test",
        tasks_completed: 1,
        tasks_remaining: 3,
        blockers: [
          { severity: "medium", description: "Which?", requires_coordinator_decision: true },
          { severity: "medium", description: "C needs a wider scope: docs", requires_coordinator_decision: true },
        ],
      },
    });
  });

  it("ends with the end: closure, and a hundred percent of a run that is complete and of no other", () => {
    const complete = new DrivenRun(planRef([runTask("A")]));
    complete.land("A");
    expect(heard(complete).at(-1)).toMatchObject({
      after: "run_finished",
      update: { payload: { current_phase: "closure", progress_percentage: 100, tasks_remaining: 0 } },
    });
    const cancelled = eventful();
    cancelled.take({ type: "run_cancelled", decider: PERSON, reason: "enough" });
    expect(heard(cancelled).at(-1)?.update.payload).toMatchObject({ progress_percentage: 50, blockers: [] });
  });

  it("is the supervisor's own message where it sent one, with the same id", () => {
    const run = eventful();
    const sent =
      projectState(readNotes(logEvents(run.log)))?.messages.filter(({ type }) => type === "progress_update") ?? [];
    expect(sent).toHaveLength(2);
    const told = heard(run).map(({ update }) => update);
    for (const message of sent) expect(told).toContainEqual(message);
    expect(new Set(told.map(({ message_id }) => message_id)).size).toBe(told.length);
  });

  it("is observed: any number may listen, each hears the same, the run knows of none; its status moves as its states allow [S1-133]", () => {
    const run = eventful();
    const before = JSON.stringify(run.log);
    expect(heard(run)).toEqual(heard(run));
    expect(JSON.stringify(run.log)).toBe(before);
    const statuses = run.log.map((_, i) => fold(run.log.slice(0, i + 1)).status);
    const moves = statuses.flatMap((to, i) => {
      const from = statuses[i - 1];
      return from === undefined || from === to ? [] : [[from, to] as const];
    });
    expect(moves.length).toBeGreaterThan(2);
    for (const [from, to] of moves) expect(mayMove(from, to)).toBe(true);
  });
});
