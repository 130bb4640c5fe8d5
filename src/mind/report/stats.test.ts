import { describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../model/event.js";
import type { GateDecision, RunTask } from "../../model/run.js";
import { DrivenRun } from "../../testing/driven-run.js";
import { logEvents } from "../../testing/logged.js";
import { amounts, opening, PERSON, planRef, runTask } from "../../testing/run-fixtures.js";
import { type RunFigures, runFigures } from "./run-figures.js";
import { stats } from "./stats.js";

type Planned = NonNullable<RunTask["planned"]>;
const planned = (tokens: number, difference: Partial<Planned> = {}): Planned => ({
  command_id: "edit_code",
  task_type: "feature",
  tokens,
  minutes: tokens / 100,
  cost_usd: tokens / 1000,
  source: "registry",
  ...difference,
});

function figures(run: DrivenRun): RunFigures {
  const found = runFigures(logEvents(run.log));
  if (found === null) throw new Error("the log has a request");
  return found;
}

/** A run of one task that was thought to take so much, and takes ten. */
function completed(estimate: number, difference: Partial<Planned> = {}): RunFigures {
  const run = new DrivenRun(planRef([runTask("A", { planned: planned(estimate, difference) })]));
  run.land("A");
  return figures(run);
}

const criterion = (runs: readonly RunFigures[], id: string) => stats(runs).criteria.find((each) => each.id === id);

const CRASH = { kind: "structural", error: "crash", message: "gone" } as const;

/** A task whose first attempts crash; each is tried again by rule when its wait is over. */
function crashing(times: number): DrivenRun {
  const run = new DrivenRun(planRef([runTask("A")]));
  for (let attempt = 1; attempt <= times; attempt++) {
    run.finish("A", CRASH, attempt);
    run.clock += 100_000;
    const task = run.state.tasks.get(0).state;
    if (task.status === "in_progress" && task.stage === "waiting")
      run.take({ type: "wait_ended", effect_id: `wait:A#${attempt}` });
  }
  return run;
}

describe("stats", () => {
  it("has no figure where there is no case, and calls nothing met that was not measured", () => {
    const { runs, criteria, first_at } = stats([]);
    expect([runs, first_at]).toEqual([0, null]);
    expect(criteria.map(({ value, met, cases }) => [value, met, cases])).toEqual(criteria.map(() => [null, null, 0]));
  });

  it("has every success criterion with its target [S1-106, S1-107, S1-108, S1-109, S1-110, S1-111, S1-117]", () => {
    const targets = stats([]).criteria.map(({ id, target, unit }) => `${id} ${target.at} ${target.value} ${unit}`);
    expect(targets).toEqual([
      "request_understanding least 95 %",
      "decision_quality least 90 %",
      "variance_tokens most 10 %",
      "variance_time most 10 %",
      "variance_cost most 10 %",
      "completion least 80 %",
      "response_time most 5 s",
      "error_recovery least 70 %",
      "coordination_share under 5 %",
    ]);
  });

  it("compares what completed runs used with what their plans said, and takes the median [S1-108]", () => {
    // Off by 0, 5 and 75 percent of the estimate.
    const runs = [completed(10), completed(10.5), completed(40)];
    expect(criterion(runs, "variance_tokens")).toMatchObject({ value: 4.8, met: true, cases: 3 });
    expect(criterion([completed(40)], "variance_time")).toMatchObject({ value: 75, met: false });
    expect(criterion([completed(20)], "variance_cost")).toMatchObject({ value: 50, met: false });
  });

  it("compares with what the plan said, not with the room that was set aside", () => {
    const run = new DrivenRun(planRef([runTask("A", { estimate: amounts(100), planned: planned(10) })]));
    run.land("A");
    expect(criterion([figures(run)], "variance_tokens")).toMatchObject({ value: 0, cases: 1 });
  });

  it("leaves logs out that say nothing of a plan's figures", () => {
    const old = new DrivenRun(planRef([runTask("A")]));
    old.land("A");
    expect(criterion([figures(old)], "variance_tokens")).toMatchObject({ value: null, met: null, cases: 0 });
  });

  it("counts completed among accepted runs that have ended [S1-109]", () => {
    const cancelled = new DrivenRun(planRef([runTask("A")]));
    cancelled.take({ type: "run_cancelled", decider: PERSON, reason: "no" });
    const open = new DrivenRun(planRef([runTask("A")]));
    const runs = [completed(10), completed(10), completed(10), figures(cancelled), figures(open)];
    expect(criterion(runs, "completion")).toMatchObject({ value: 75, met: false, cases: 4 });
  });

  it("counts an error as resolved when its task went on without a person [S1-111]", () => {
    const recovered = crashing(2);
    recovered.land("A", 3);
    expect(figures(recovered).errors).toEqual({ structural: 2, recovered: 2, other: 0 });
    const escalated = crashing(4);
    expect(escalated.escalations).toEqual(["technical_blocker"]);
    expect(figures(escalated).errors).toEqual({ structural: 4, recovered: 0, other: 0 });
    const wrong = new DrivenRun(planRef([runTask("A")]));
    wrong.finish("A", { kind: "quality", message: "bad" });
    expect(figures(wrong).errors).toEqual({ structural: 0, recovered: 0, other: 1 });
    const all = [recovered, recovered, recovered, wrong].map(figures);
    expect(criterion(all, "error_recovery")).toMatchObject({
      value: 85.7,
      met: true,
      cases: 7,
      detail: "6 of 6 structural ones; 1 was a person's to decide",
    });
  });

  it("measures from the request to its first decision [S1-110]", () => {
    const [request, intake] = opening(planRef([])) as [RunEvent, RunEvent];
    const answered = (first: number, ...then: number[]) =>
      runFigures(
        logEvents([
          { event: request, clock_ms: 100 },
          ...[first, ...then].map((clock_ms) => ({ event: intake, clock_ms })),
          { event: routed, clock_ms: first },
        ]),
      ) as RunFigures;
    expect(criterion([answered(6200, 60_000)], "response_time")).toMatchObject({ value: 6.1, met: false, cases: 1 });
    // Both put down at once say nothing of how long it took.
    expect(criterion([answered(100)], "response_time")).toMatchObject({ value: null, met: null, cases: 0 });
  });

  const routed: RunEvent = { type: "route_decided", routed_to: "dev", rule_id: "r" };

  it("takes a request as misunderstood when a person overruled what was made of it [S1-106]", () => {
    const plan = planRef([runTask("A")]);
    const good = new DrivenRun(plan, undefined, [routed]);
    good.land("A");
    const refused = new DrivenRun(plan, {}, [routed]);
    refused.take({ type: "plan_rejected", decider: PERSON, reason: "not what I meant" });
    const runs = [figures(good), figures(refused), completed(10)];
    // The third began with a plan: nothing had to be understood.
    expect(criterion(runs, "request_understanding")).toMatchObject({ value: 50, met: false, cases: 2 });
  });

  it("takes a request as misunderstood when people took tasks out of its plan, and not when they moved them [S1-106]", () => {
    const plan = planRef([runTask("A"), runTask("B")]);
    const changed = (change: EventOf<"change_proposed">["change"]) => {
      const run = new DrivenRun(plan, { max_concurrent_tasks: 1 }, [routed]);
      run.take({ type: "change_proposed", change_id: "chg_of_one", task_id: "B", change, decider: PERSON });
      run.take({ type: "change_decided", change_id: "chg_of_one", approved: true, decider: PERSON, reason: "so" });
      run.take({ type: "run_finished", status: "completed", reason: "done" });
      return figures(run);
    };
    const skipped = changed({ action: "skip_task", reason: "nobody asked for it" });
    const moved = changed({ action: "change_priority", priority: "P0" });
    expect([skipped.understood?.edits, moved.understood?.edits]).toEqual([1, 0]);
    expect(criterion([skipped, moved], "request_understanding")).toMatchObject({ value: 50, met: false, cases: 2 });
  });

  it("takes a request as misunderstood when it came to nothing and was soon asked again in other words [S1-106]", () => {
    const asked = (request: string, started_at: string, ended: "completed" | "failed"): RunFigures => ({
      ...completed(10),
      run_id: `run_${started_at}`,
      request,
      started_at,
      ended,
      understood: { overruled: false, edits: 0, answers: 0 },
    });
    const first = asked("Add a CSV export to the reports page", "2026-11-01T10:00:00Z", "failed");
    const again = asked("Add an export of reports as CSV files", "2026-11-01T10:05:00Z", "completed");
    const other = asked("Rename the module of parsers", "2026-11-01T10:06:00Z", "completed");
    const late = asked("Add an export of reports as CSV files", "2026-11-02T10:05:00Z", "completed");
    expect(criterion([first, again, other], "request_understanding")).toMatchObject({ value: 66.7, cases: 3 });
    expect(criterion([first, late, other], "request_understanding")).toMatchObject({ value: 100, cases: 3 });
    expect(criterion([{ ...first, ended: "completed" }, again], "request_understanding")).toMatchObject({ value: 100 });
  });

  describe("decisions of gates [S1-107]", () => {
    const go = (phase: GateDecision["phase"], decision: GateDecision["decision"] = "GO"): RunEvent => ({
      type: "gate_decided",
      gate: { phase, decision, reason: "r", criteria: [] },
    });
    const [request, intake] = opening(planRef([])) as [RunEvent, RunEvent];
    const END: RunEvent = { type: "run_finished", status: "completed", reason: "done" };
    const FAILED: RunEvent = { type: "run_finished", status: "failed", reason: "not done" };
    const CANCELLED: RunEvent = { type: "run_cancelled", decider: PERSON, reason: "no" };
    const DONE: RunEvent = { type: "review_finished", task_id: "A", attempt: 1, accepted: true, summary: "" };
    const ordered = (order: EventOf<"escalation_answered">["order"]): RunEvent => ({
      type: "escalation_answered",
      escalation_id: "esc_of_one",
      order,
      decider: PERSON,
    });
    const BUDGET: RunEvent = {
      type: "escalation_raised",
      escalation: {
        escalation_id: "esc_of_one",
        type: "resource_exhaustion",
        severity: "high",
        task_id: null,
        attempt: null,
        response: "budget_increase_or_terminate",
        summary: "no tokens left",
        package: { input: "", injected_context: [], output: "", violation: "" },
      },
    };
    const gatesOf = (...events: RunEvent[]) =>
      (runFigures(logEvents([request, intake, ...events].map((event, i) => ({ event, clock_ms: i })))) as RunFigures)
        .gates;

    it.each<[string, RunEvent[], number, number]>([
      ["held to the end", [go("planning"), DONE, go("execution"), go("closure"), END], 3, 0],
      ["GO, and a person ended the run before anything was done", [go("planning"), CANCELLED], 1, 1],
      ["GO, and a person ended the run when a part was done", [go("planning"), DONE, CANCELLED], 1, 0],
      ["GO, and what was set aside did not suffice", [go("planning"), DONE, BUDGET, go("execution"), END], 2, 1],
      ["GO, and nothing came of it", [go("planning"), FAILED], 1, 1],
      ["GO, and a part came of it", [go("planning"), DONE, FAILED], 1, 0],
      ["GO of execution, and the run failed", [go("planning"), DONE, go("execution"), FAILED], 2, 1],
      [
        "GO of execution, NO_GO of closure",
        [go("planning"), DONE, go("execution"), go("closure", "NO_GO"), FAILED],
        3,
        1,
      ],
      [
        "NO_GO, let go on as it was, and completed",
        [go("planning", "NO_GO"), ordered({ action: "resume" }), DONE, END],
        1,
        1,
      ],
      [
        "NO_GO, given more, and completed",
        [go("planning", "NO_GO"), ordered({ action: "raise_budget", add: amounts(1) }), DONE, END],
        1,
        0,
      ],
      ["NO_GO, and it was not done", [go("planning", "NO_GO"), FAILED], 1, 0],
    ])("%s", (_, events, decided, wrong) => {
      const gates = gatesOf(...events);
      expect([gates.decided, gates.wrong, gates.because.length]).toEqual([decided, wrong, wrong]);
    });

    it("count against the criterion, with what contradicts them", () => {
      const cancelled = new DrivenRun(planRef([runTask("A")]), { gate: { phases: ["planning"] } });
      cancelled.take({ type: "plan_approved", decider: PERSON });
      cancelled.take({ type: "run_cancelled", decider: PERSON, reason: "no" });
      expect(criterion([figures(cancelled)], "decision_quality")).toMatchObject({
        value: 0,
        met: false,
        cases: 1,
        detail: "1 contradicted: planning: a person ended the run before anything was done (1)",
      });
      expect(criterion([completed(10)], "decision_quality")).toMatchObject({ value: 100, met: true });
    });
  });

  it("weighs what coordination took against all tokens, those of attempts that never reported too [S1-117]", () => {
    const run = new DrivenRun(planRef([runTask("A"), runTask("B")]));
    run.take({ type: "coordination_used", purpose: "review", tokens: 1, cost_usd: 0, source: "reported" });
    run.land("A");
    run.take({ type: "run_cancelled", decider: PERSON, reason: "no" });
    expect(figures(run).tokens).toEqual({ all: 21, coordination: 1 });
    expect(criterion([figures(run)], "coordination_share")).toMatchObject({ value: 4.8, met: true, cases: 1 });
  });

  it("says the same whatever the order of the runs", () => {
    const runs = [completed(10), completed(40), figures(crashing(4))];
    expect(stats(runs.toReversed())).toEqual(stats(runs));
  });
});

describe("what a run teaches", () => {
  it("is what each done task used beside the plan's figure, before anything learnt corrected it", () => {
    expect(completed(40, { before_learning: { tokens: 20, minutes: 2 } }).observed).toEqual([
      {
        command_id: "edit_code",
        task_type: "feature",
        estimated: { tokens: 20, minutes: 2 },
        used: { tokens: 10, minutes: 0.1 },
      },
    ]);
  });

  it("is nothing where the figure was a measured one, or the task was not done", () => {
    expect(completed(10, { source: "memory" }).observed).toEqual([]);
    expect(figures(new DrivenRun(planRef([runTask("A", { planned: planned(5) })]))).observed).toEqual([]);
  });

  it("is not a count of tokens where the agent reported none", () => {
    const run = new DrivenRun(planRef([runTask("A", { planned: planned(5) })]));
    run.take({
      type: "attempt_finished",
      task_id: "A",
      attempt: 1,
      outcome: { kind: "completed", output_ref: "x" },
      usage: { amounts: amounts(3), source: "estimated" },
    });
    run.take({ type: "verification_finished", task_id: "A", attempt: 1, verdict: "PASS", evidence: "" });
    run.take({ type: "integration_finished", task_id: "A", attempt: 1, integrated: true, ref: "r" });
    run.take({ type: "review_finished", task_id: "A", attempt: 1, accepted: true, summary: "" });
    expect(figures(run).observed[0]?.used).toEqual({ tokens: null, minutes: 0.03 });
  });
});
