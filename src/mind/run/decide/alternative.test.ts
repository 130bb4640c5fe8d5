import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../model/event.js";
import type { AttemptOutcome, RunTask } from "../../../model/run.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { PERSON, planRef, runTask } from "../../../testing/run-fixtures.js";
import { effectsOf } from "../effects.js";

const CRASH: AttemptOutcome = { kind: "structural", error: "crash", message: "exit 3" };
const POLICY = {
  plan_needs_approval: false,
  failure: { max_retries: 0, base_delay_ms: 0, breaker_failures: 50 },
} as const;

const begun = (task: Partial<RunTask>) => new DrivenRun(planRef([runTask("A", { agent: "one", ...task })]), POLICY);
const lastOf = <T extends RunEvent["type"]>({ log }: DrivenRun, type: T) =>
  log.findLast(({ event }) => event.type === type)?.event;

describe("a technical blocker that is not critical", () => {
  it("gets another agent of those configured, with what failed as context, before a person is asked [S1-066]", () => {
    const run = begun({ alternatives: ["one", "two"] });
    expect(run.finish("A", CRASH)).toEqual(["attempt_finished", "alternative_chosen", "attempt_started A#2"]);
    expect(lastOf(run, "attempt_started")).toMatchObject({ agent: "two" });
    expect(effectsOf(run.state)).toMatchObject([
      { kind: "start_attempt", agent: "two", alternative: { how: "another_agent", failed: "crash: exit 3" } },
    ]);
    expect(run.escalations).toEqual([]);
  });

  it("gets it once: then a person is asked, and told what was tried [S1-066]", () => {
    const run = begun({ alternatives: ["two"] });
    run.finish("A", CRASH);
    expect(run.finish("A", CRASH, 2)).toEqual(["attempt_finished", "escalation_raised"]);
    expect(lastOf(run, "escalation_raised")).toMatchObject({
      escalation: {
        type: "technical_blocker",
        summary: expect.stringContaining("another agent, two, did not") as unknown,
      },
    });
  });

  it("gets it again after a person has ordered an attempt", () => {
    const run = begun({ alternatives: ["two"] });
    run.finish("A", CRASH);
    run.finish("A", CRASH, 2);
    const [entry] = run.state.inbox;
    const order = { action: "retry", agent: "one" } as const;
    run.take({ type: "escalation_answered", escalation_id: entry?.id ?? "", order, decider: PERSON });
    expect(run.finish("A", CRASH, 3)).toContain("alternative_chosen");
  });

  it("is worked on by the same agent with another prompt, where no other agent is configured", () => {
    const run = begun({ alternatives: [], type: "feature" });
    expect(run.finish("A", CRASH)).toContain("alternative_chosen");
    expect(effectsOf(run.state)).toMatchObject([{ agent: "one", alternative: { how: "another_prompt" } }]);
  });

  it("is a person's where there is nothing else to try, who is told so", () => {
    const run = begun({ alternatives: [] });
    expect(run.finish("A", CRASH)).toEqual(["attempt_finished", "escalation_raised"]);
    expect(lastOf(run, "escalation_raised")).toMatchObject({
      escalation: { summary: expect.stringContaining("there is no other agent and no other prompt") as unknown },
    });
  });

  it.each<[string, AttemptOutcome]>([
    ["a violation", { kind: "semantic", violation: "scope", message: "wrote elsewhere" }],
    ["a workspace that cannot be used", { kind: "environment", message: "npm ci failed" }],
    ["a budget that is used up", { kind: "resource", what: "tokens", message: "over" }],
    ["a concern of safety", { kind: "safety", message: "read a key" }],
  ])("is not %s: nobody else tries that", (_, outcome) => {
    const run = begun({ alternatives: ["two"], type: "feature" });
    expect(run.finish("A", outcome)).not.toContain("alternative_chosen");
  });

  it("is not given to an agent whose breaker is open", () => {
    const failure = { max_retries: 0, base_delay_ms: 0, breaker_failures: 1, same_signature_tasks: 9 };
    const tasks = [runTask("B", { agent: "two" }), runTask("A", { agent: "one", alternatives: ["two"] })];
    const run = new DrivenRun(planRef(tasks), { plan_needs_approval: false, failure });
    run.finish("B", CRASH);
    expect(run.finish("A", CRASH)).not.toContain("alternative_chosen");
  });

  it("leaves the limit of an agent's provider to others, and never to the same agent", () => {
    const limit: AttemptOutcome = { kind: "structural", error: "usage_limit", message: "weekly limit" };
    expect(begun({ alternatives: [], type: "feature" }).finish("A", limit)).not.toContain("alternative_chosen");
    expect(begun({ alternatives: ["two"] }).finish("A", limit)).toContain("alternative_chosen");
  });
});
