import { describe, expect, it } from "vitest";
import type { EventOf, LoggedEvent, RunEvent } from "../../../model/event.js";
import { RunPolicy } from "../../../model/run.js";
import { amounts, runTask } from "../../../testing/run-fixtures.js";
import { findSimilar } from "../../../model/plan/explanation.js";
import { explainRun, idsOfRun } from "./explain-run.js";

const PERSON = { by: "ada", how: "person", via: "command" } as const;
const usage = { amounts: amounts(5), source: "reported" } as const;
const one = { task_id: "fix-a", attempt: 1 };
const two = { task_id: "fix-a", attempt: 2 };
const addition = { write: ["src/b.ts"], commands: [], network: [] };

const EVENTS: readonly RunEvent[] = [
  { type: "request_received", request_id: "r", request: "Fix a", seed: 1, policy: RunPolicy.parse({}) },
  { type: "route_decided", routed_to: "dev", rule_id: "dev_when_technical" },
  {
    type: "plan_frozen",
    plan: {
      plan_id: "p",
      plan_checksum: "c",
      tasks: [runTask("fix-a", { agent: "claude" })],
      gates: [],
      budget: amounts(9),
    },
    verified: true,
  },
  { type: "attempt_started", ...one, agent: "claude", reserved: amounts(5) },
  {
    type: "tool_judged",
    ...one,
    use: {
      tool_call_id: "t",
      stage: "request",
      kind: "edit",
      title: "edit",
      paths: [{ path: "src/b.ts", access: "write" }],
      command: null,
      hosts: [],
    },
    judgement: { decision: "ask", rule_id: "scope_write", reason: "src/b.ts is outside of the scope", addition },
  },
  { type: "attempt_finished", ...one, outcome: { kind: "structural", error: "timeout", message: "too slow" }, usage },
  { type: "attempt_started", ...two, agent: "codex", reserved: amounts(5) },
  {
    type: "verification_finished",
    ...two,
    verdict: "BLOCKED",
    evidence: "test did not run on the base",
    liftable: { tests: [], guardrails: [], objections: [{ kind: "unproven", id: "test", message: "xo: not found" }] },
  },
  {
    type: "escalation_raised",
    escalation: {
      escalation_id: "esc_1",
      type: "technical_blocker",
      severity: "high",
      ...two,
      response: "pause_and_ask_user",
      summary: "xo: not found",
      package: { input: "", injected_context: [], output: "", violation: "no proof" },
    },
  },
  { type: "escalation_answered", escalation_id: "esc_1", order: { action: "retry" }, decider: PERSON },
  { type: "attempt_finished", ...two, outcome: { kind: "cancelled" }, usage },
];

const LOG = EVENTS.map((event, at): LoggedEvent => ({
  run_id: "run_1",
  sequence: at + 1,
  at: "2026-01-01T00:00:00.000Z",
  clock_ms: at,
  event,
  previous_hash: "",
  hash: "",
}));
const why = (id: string) => explainRun(id, LOG)?.why.join("\n") ?? "";

describe("why a run did something", () => {
  it("is said of a task with its agent, scope and all that was decided about it", () => {
    expect(explainRun("fix-a", LOG)).toMatchObject({
      kind: "task",
      see: ["model:fix-a", "fix-a#1", "fix-a#2", "esc_1"],
    });
    expect(why("fix-a")).toContain("claude does it");
    expect(why("fix-a")).toContain("verdict BLOCKED");
  });

  it("names the rule of a tool use, what it was about, and what a person could have added", () => {
    const told = explainRun("5", LOG);
    expect(told?.kind).toBe("tool use");
    expect(told?.why).toEqual(["Rule scope_write decides ask, before it was done: src/b.ts is outside of the scope"]);
    expect(told?.evidence).toContain("write src/b.ts");
    expect(told?.alternatives[0]?.alternative).toBe("allow it by adding src/b.ts to the scope");
  });

  it("tells a retry by the failure policy from the first attempt, and another agent than planned", () => {
    expect(why("fix-a#1")).toContain("Everything it waits for is done.");
    const retry = explainRun("7", LOG);
    expect(retry?.kind).toBe("retry");
    expect(retry?.why[0]).toMatch(/failed in a way that another may not: .*too slow.* allows \d+ retries/);
    expect(retry?.why[1]).toBe("The plan names claude; codex was ordered instead.");
    expect(retry?.alternatives.map(({ alternative }) => alternative)).toEqual(["ask a person", "give up"]);
  });

  it("tells a retry that a person ordered", () => {
    const third = { ...LOG[6], sequence: 12, event: { ...EVENTS[6], attempt: 3 } } as LoggedEvent;
    const finished = { ...LOG[5], sequence: 9.5, event: { ...EVENTS[5], attempt: 2 } } as LoggedEvent;
    const ordered = [...LOG.slice(0, 9), finished, ...LOG.slice(9, 10), third];
    expect(explainRun("fix-a#3", ordered)?.why[0]).toMatch(/^A person ordered it: esc_1 answered by ada/);
  });

  it("says of a verdict what a person could have accepted, and of an escalation how it was answered", () => {
    expect(explainRun("8", LOG)?.alternatives[0]?.alternative).toBe("PASS, by a person who accepts: xo: not found");
    expect(why("esc_1")).toContain("pause and ask user");
    expect(why("esc_1")).toContain("answered by ada");
    expect(why("route")).toContain("dev_when_technical");
  });

  it("says of a model choice who decided, what else could have been taken, and why somebody else took over [S1-146]", () => {
    const [small, large] = [
      { agent: "claude", model: "small" },
      { agent: "claude", model: "large" },
    ];
    const other = { agent: "codex", model: null };
    const task = runTask("fix-a", {
      ...small,
      fallbacks: [large, other],
      model_choice: {
        decision_id: "model_decision_coding",
        reason: "the cheapest that may be shown internal data",
        rejected: [{ alternative: "near with tiny", reason_rejected: "the registry says its model is deprecated" }],
      },
    });
    const plan = { plan_id: "p", plan_checksum: "c", tasks: [task], gates: [] } as never;
    const events = EVENTS.map((event): RunEvent => (event.type === "plan_frozen" ? { ...event, plan } : event));
    const taken = { type: "fallback_taken", ...one, from: small, to: large, reason: "rate_limit: 429" } as const;
    const log = [...events.slice(0, 6), taken, ...events.slice(6)].map((event, at): LoggedEvent => {
      return { ...(LOG[0] as LoggedEvent), sequence: at + 1, event };
    });
    expect(explainRun("model:fix-a", log)).toMatchObject({
      kind: "model choice",
      title: "fix-a is given to claude with small",
      why: [
        "Decision model_decision_coding of plan p: the cheapest that may be shown internal data",
        "claude with small ended with rate_limit: 429; claude with large took over.",
      ],
      evidence: ["event 3", "event 7"],
      alternatives: [
        {
          alternative: "codex with a model of its own choice",
          reason_rejected: expect.stringContaining("a fallback") as string,
        },
        { alternative: "near with tiny" },
      ],
    });
    const passed = explainRun("7", log);
    expect(passed).toMatchObject({ kind: "model choice", evidence: [expect.any(String), "event 6"] });
    expect(passed?.why.join(" ")).toContain("passed by at once with the next fallback of the plan");
    expect(passed?.alternatives.map(({ alternative }) => alternative)).toEqual([
      "another attempt by claude with small",
      "ask a person",
      "codex with a model of its own choice",
    ]);
    // The attempt that followed is not a retry of the failure policy.
    expect(explainRun("fix-a#2", log)?.why[0]).toBe("Attempt 1 ended with rate_limit: 429.");
    expect(explainRun("model:fix-b", log)).toBeNull();
  });

  it("names what else could have been done for each kind of decision, whatever was decided [S1-146]", () => {
    const more: readonly RunEvent[] = [
      { type: "review_rejected", gate_id: "g", decider: PERSON, reason: "too wide" },
      { type: "integration_finished", ...one, integrated: true, ref: "abc" },
      { type: "integration_finished", ...one, integrated: false, ref: "it would lose a line" },
      { type: "conflict_found", ...one, round: 1, onto: "abc", paths: ["src/a.ts"], ref: "r" },
      { type: "breaker_changed", agent: "claude", to: "open" },
      { type: "dispatch_paused", reason: "the budget is used up" },
      { type: "run_finished", status: "completed", reason: "every task is done" },
      {
        type: "requirements_judged",
        round: 1,
        commit: "abc",
        tree: "def",
        ref: "r",
        results: [{ id: "R1", holds: false, evidence: "the page shows nothing" }],
      },
    ];
    for (const event of more) {
      const logged: LoggedEvent = { ...(LOG[0] as LoggedEvent), sequence: 99, event };
      const told = explainRun("99", [...LOG, logged]);
      expect([event.type, told?.alternatives.length], event.type).toEqual([event.type, 1]);
      expect(told?.why.join(" "), event.type).not.toContain("no rule decided it");
    }
  });

  it("says of plan, sandbox, ended attempt and reviewed level which rule it is, and what else there was [S1-146]", () => {
    const plan = (verified: boolean): RunEvent => ({ ...(EVENTS[2] as EventOf<"plan_frozen">), verified });
    const ended = (outcome: EventOf<"attempt_finished">["outcome"]): RunEvent => ({
      type: "attempt_finished",
      ...one,
      outcome,
      usage,
    });
    const graded = { type: "sandbox_graded", by_order: false } as const;
    const cases: readonly (readonly [RunEvent, RegExp, string])[] = [
      [plan(true), /the same to the byte, so it may be carried out/, "start at once"],
      [plan(false), /is not what its own inputs give, so nothing of it is carried out/, "carry it out all the same"],
      [{ ...graded, grade: "strong", reason: "" }, /all of them work/, "no sandbox"],
      [{ ...graded, grade: "reduced", reason: "bubblewrap is old" }, /does not work.*bubblewrap is old/, "strong"],
      [{ ...graded, grade: "none", reason: "no bwrap", by_order: true }, /a person ordered it/, "refuse to go on"],
      [ended({ kind: "completed", output_ref: "r" }), /Only the checks say/, "count the task as done"],
      [
        ended({ kind: "structural", error: "crash", message: "3" }),
        /allows 3 retries of such an end/,
        "another attempt",
      ],
      [ended({ kind: "structural", error: "model_unavailable", message: "x" }), /same models/, "another attempt"],
      [ended({ kind: "semantic", violation: "scope", message: "x" }), /is never retried/, "another attempt"],
      [ended({ kind: "resource", what: "tokens", message: "x" }), /set aside for it, tokens/, "let it use more"],
      [ended({ kind: "clarification", question: "Which?" }), /The Coordinator held it/, "another attempt"],
      [ended({ kind: "environment", message: "x" }), /neither retried nor counted against it/, "another attempt"],
      [ended({ kind: "quality", message: "x" }), /not good enough to be judged/, "another attempt"],
      [ended({ kind: "safety", message: "x" }), /The run ends with it/, "go on with the other tasks"],
      [ended({ kind: "cancelled" }), /nothing of it is judged/, "judge what it left"],
      [{ type: "review_finished", ...one, accepted: true, summary: "All kept." }, /no defect was named/, "refuse it"],
      [{ type: "review_finished", ...one, accepted: false, summary: "a.ts:1" }, /named a defect/, "accept it"],
    ];
    const again: RunEvent = {
      type: "route_reevaluated",
      ...one,
      outcome: "escalated",
      reason: "nothing more",
      context: { target: "dev", documents: [] },
      documents: [],
    };
    const asks = [...LOG, { ...(LOG[0] as LoggedEvent), sequence: 98, event: again }];
    const asked = {
      ...(LOG[0] as LoggedEvent),
      sequence: 99,
      event: ended({ kind: "clarification", question: "Which?" }),
    };
    expect(explainRun("99", [...asks, asked])?.why[0]).toContain("Routing is evaluated again first");
    for (const [event, words, instead] of cases) {
      const logged: LoggedEvent = { ...(LOG[0] as LoggedEvent), sequence: 99, event };
      const told = explainRun("99", [...LOG, logged]);
      expect([event, told?.why.join(" ")]).toEqual([event, expect.stringMatching(words) as string]);
      expect([event, told?.alternatives[0]?.alternative]).toEqual([event, instead]);
    }
  });

  it("tells an attempt after an answer, a wider scope or an agent that took over from a retry [S1-146]", () => {
    const start: RunEvent = { type: "attempt_started", ...two, agent: "claude", reserved: amounts(5) };
    const asked: RunEvent = { type: "question_asked", question_id: "q", task_id: "fix-a", question: "Which?" };
    const answered: RunEvent = { type: "question_answered", question_id: "q", answer: "both", decider: PERSON };
    const widened: RunEvent = { type: "scope_widened", task_id: "fix-a", request_id: "s", addition, decider: PERSON };
    const after = (...events: readonly RunEvent[]) => {
      const log = [...EVENTS.slice(0, 6), ...events].map((event, at): LoggedEvent => {
        return { ...(LOG[0] as LoggedEvent), sequence: at + 1, event };
      });
      return explainRun(`fix-a#${events.filter(({ type }) => type === "attempt_started").length + 1}`, log)?.why ?? [];
    };
    expect(after(asked, answered, start)[0]).toMatch(/^A person answered what its agent had asked/);
    expect(after(widened, start)[0]).toMatch(/^A person let the task do more/);
    expect(after(start)[0]).toMatch(/^The attempt before it failed in a way that another may not/);
    const [from, to] = [
      { agent: "claude", model: null },
      { agent: "codex", model: null },
    ];
    const taken: RunEvent = { type: "fallback_taken", ...one, from, to, reason: "rate_limit: 429" };
    const failed: RunEvent = { ...(EVENTS[5] as EventOf<"attempt_finished">), attempt: 2 };
    const third: RunEvent = { ...start, attempt: 3, agent: "codex" };
    const why = after(taken, { ...start, agent: "codex" }, failed, third);
    expect(why[0]).toMatch(/^The attempt before it failed/);
    expect(why[1]).toBe("The plan names claude; codex is the fallback that took over.");
  });

  it("lists what can be asked for, and finds what was nearly asked for", () => {
    expect(idsOfRun(LOG)).toEqual(["request", "route", "plan", "fix-a", "model:fix-a", "fix-a#1", "fix-a#2", "esc_1"]);
    expect(explainRun("fix-b", LOG)).toBeNull();
    expect(explainRun("fix-a#9", LOG)).toBeNull();
    expect(explainRun("99", LOG)).toBeNull();
    expect(findSimilar("fix", idsOfRun(LOG))).toContain("fix-a");
  });
});
