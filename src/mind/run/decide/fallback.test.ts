import { describe, expect, it } from "vitest";
import type { EventOf } from "../../../model/event.js";
import { DrivenRun } from "../../../testing/driven-run.js";
import { PERSON, planRef, runTask } from "../../../testing/run-fixtures.js";
import { selectFallback } from "./fallback.js";

const use = (agent: string, model: string | null) => ({ agent, model });
const CHAIN = [use("agent_a", "large"), use("agent_b", null)];

const LIMITED = { kind: "structural", error: "rate_limit", message: "429" } as const;
const MISSING = { kind: "structural", error: "model_unavailable", message: "not there" } as const;
const LOST = { kind: "structural", error: "lost_connection", message: "gone" } as const;

function run(): DrivenRun {
  return new DrivenRun(planRef([runTask("A", { model: "small", fallbacks: CHAIN })]));
}
const started = ({ log }: DrivenRun) =>
  log.flatMap(({ event }) => (event.type === "attempt_started" ? [`${event.agent} ${event.model ?? "-"}`] : []));
const taken = ({ log }: DrivenRun) =>
  log.flatMap(({ event }): EventOf<"fallback_taken">[] => (event.type === "fallback_taken" ? [event] : []));

describe("the fallback of a task [S4-058]", () => {
  it("is the next of the chain that was not tried", () => {
    expect(selectFallback(CHAIN, [use("agent_a", "small")])).toEqual(CHAIN[0]);
    expect(selectFallback(CHAIN, [use("agent_a", "small"), use("agent_a", "large")])).toEqual(CHAIN[1]);
    expect(selectFallback(CHAIN, CHAIN)).toBeNull();
  });

  it("is taken at once after a limit or a missing model, one after the other, as the plan says [S1-087]", () => {
    const limited = run();
    limited.finish("A", LIMITED);
    limited.finish("A", MISSING, 2);
    expect(started(limited)).toEqual(["agent_a small", "agent_a large", "agent_b -"]);
    expect(taken(limited)).toMatchObject([
      { attempt: 1, from: use("agent_a", "small"), to: CHAIN[0], reason: "rate_limit: 429" },
      { attempt: 2, from: CHAIN[0], to: CHAIN[1], reason: "model_unavailable: not there" },
    ]);
    expect([limited.state.running, limited.state.waiting]).toEqual([1, 0]);
    limited.land("A", 3);
    expect(limited.state.status).toBe("completed");
  });

  it("ends with the chain: then a limit is waited for, and a missing model is a person's", () => {
    const waits = run();
    for (const attempt of [1, 2, 3]) waits.finish("A", LIMITED, attempt);
    expect(started(waits)).toHaveLength(3);
    expect(waits.state.waiting).toBe(1);
    const missing = run();
    for (const attempt of [1, 2, 3]) missing.finish("A", MISSING, attempt);
    expect([missing.statusOf("A"), missing.escalations]).toEqual(["blocked", ["technical_blocker"]]);
  });

  it("is taken for a lost connection only when its retries are used up, and never for a result", () => {
    const lost = run();
    for (let attempt = 1; attempt <= 3; attempt++) {
      lost.finish("A", LOST, attempt);
      expect(taken(lost)).toEqual([]);
      lost.clock += 100_000;
      lost.take({ type: "wait_ended", effect_id: `wait:A#${attempt}` });
    }
    lost.finish("A", LOST, 4);
    expect(taken(lost)).toMatchObject([{ to: CHAIN[0] }]);
    const wrong = run();
    wrong.finish("A", { kind: "semantic", violation: "scope", message: "outside" });
    expect(taken(wrong)).toEqual([]);
  });

  it("is not taken for whom a person named instead", () => {
    const given = run();
    given.finish("A", { kind: "quality", message: "bad" });
    const [entry] = given.state.inbox;
    given.take({
      type: "escalation_answered",
      escalation_id: entry?.id ?? "",
      order: { action: "retry", agent: "agent_c" },
      decider: PERSON,
    });
    expect(started(given).at(-1)).toBe("agent_c -");
    given.finish("A", LIMITED, 2);
    expect(taken(given)).toEqual([]);
  });
});
