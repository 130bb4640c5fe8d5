import { describe, expect, it } from "vitest";
import { RunEvent } from "../../../model/event.js";
import type { Decider } from "../../../model/run.js";
import type { RunState } from "../state.js";
import type { InboxEntry } from "../inbox-entry.js";
import { answererOf } from "./answerers.js";
import { forbiddenDecision } from "./forbidden.js";

const AGENT: Decider = { by: "claude-code for ada", how: "agent", via: "mcp" };
const question = (id: string, task_id: string | null): InboxEntry => ({ kind: "question", id, task_id, question: "?" });

describe("who may answer what waits", () => {
  it.each([
    ["what an agent asks about its task", question("q_T1#1", "T1"), "agent"],
    ["unclear words", question("object", null), "agent"],
    ["a choice of meanings", question("choice", null), "agent"],
    ["a planner's question", question("Q-1", null), "form"],
    ["a question of the plan's rules", question("q_target_env", null), "form"],
    ["the purpose of a request that is held", question("purpose", null), "person"],
    ["the authorisation of one", question("authorisation", null), "person"],
    ["a criterion that nothing shows", question("criterion:accessibility", null), "person"],
    ["a permission of the agent that a person talks to", question("permission:0a1b2c3d4e5f", null), "person"],
    ["a question nobody knows", question("anything", null), "person"],
    ["a plan", { kind: "plan_approval", id: "plan:1" }, "person"],
    ["a review", { kind: "review", id: "node_review_1", reviewers: [] } as unknown as InboxEntry, "person"],
    ["a scope", { kind: "scope_request", id: "s", task_id: "T1" } as unknown as InboxEntry, "person"],
    ["a change of a task", { kind: "task_change", id: "c", task_id: "T1" } as unknown as InboxEntry, "person"],
    ["an escalation", { kind: "escalation", id: "e" } as unknown as InboxEntry, "person"],
  ] as const)("%s", (_, entry, expected) => {
    expect(answererOf(entry)).toBe(expected);
  });
});

describe("an agent that speaks for a person", () => {
  const inbox = [
    question("q_T1#1", "T1"),
    question("Q-1", null),
    question("criterion:accessibility", null),
    question("permission:0a1b2c3d4e5f", null),
  ];
  const state = { inbox } as unknown as RunState;
  const decided = RunEvent.options.flatMap((option) => ("decider" in option.shape ? [option.shape.type.value] : []));

  it("takes no decision of any kind", () => {
    expect(decided.length).toBeGreaterThan(8);
    for (const type of decided) {
      const event = { type, decider: AGENT, question_id: "Q-1", approved: true } as unknown as RunEvent;
      expect(forbiddenDecision(state, event), type).toContain("is an agent");
    }
  });

  it("answers what another agent asked about its task, and nothing else", () => {
    const answer = (question_id: string): RunEvent => ({
      type: "question_answered",
      question_id,
      answer: "yes",
      decider: AGENT,
    });
    expect(forbiddenDecision(state, answer("q_T1#1"))).toBeNull();
    for (const id of ["Q-1", "criterion:accessibility", "permission:0a1b2c3d4e5f", "q_T2#1"])
      expect(forbiddenDecision(state, answer(id)), id).toContain("is an agent");
  });
});
