import { describe, expect, it } from "vitest";
import { PLAN_STATES, type PlanState } from "../../model/tape.js";
import { NOW } from "../../testing/plan-fixtures.js";
import { type FromState, MOVES } from "./states.js";
import { abortGuard, blockGuard, clip, type Guard, passGuard, transition } from "./transition.js";

const fine = passGuard("fine", "It holds", ["ref://1"]);
const mend = blockGuard("mendable", "Data is missing", { type: "missing_registry", recovery: ["Write it"] });
const never = abortGuard("forbidden", "A red line", { type: "red_line_violation", recovery: ["Do not"] });
const go = (from: FromState, to: PlanState, guards: readonly Guard[]) =>
  transition(from, { to, trigger: "test", guards }, 7, NOW);

const all: FromState[] = ["INIT", ...PLAN_STATES];
const legal = all.flatMap((from) => MOVES[from].map((to) => [from, to] as const));
const illegal = all.flatMap((from) =>
  PLAN_STATES.filter((to) => !MOVES[from].includes(to)).map((to) => [from, to] as const),
);

describe("the thirteen states", () => {
  it("are those of the specification, before them INIT [S4-009]", () => {
    expect([...PLAN_STATES].sort()).toEqual(
      Object.keys(MOVES)
        .filter((state) => state !== "INIT")
        .sort(),
    );
    expect(PLAN_STATES).toHaveLength(13);
    expect(MOVES.INIT).toEqual(["RECEIVED"]);
  });

  it("have one loop only: AWAITING_ANSWERS back to RULES_EVALUATED", () => {
    const rank = (state: FromState) => all.indexOf(state);
    expect(legal.filter(([from, to]) => rank(to) <= rank(from))).toEqual([["AWAITING_ANSWERS", "RULES_EVALUATED"]]);
  });

  it("can all be reached, and every state that is not final can fail both ways", () => {
    expect(new Set(legal.map(([, to]) => to))).toEqual(new Set(PLAN_STATES));
    for (const from of PLAN_STATES.filter((state) => MOVES[state].length > 0))
      expect(MOVES[from]).toEqual(expect.arrayContaining(["BLOCKED", "ABORTED"]));
    expect([MOVES.DONE, MOVES.BLOCKED, MOVES.ABORTED]).toEqual([[], [], []]);
  });
});

describe("transition", () => {
  it.each(legal)("moves from %s to %s when the guards pass [S4-007]", (from, to) => {
    const { state, entry, failure } = go(from, to, [fine]);
    expect({ state, failure }).toEqual({ state: to, failure: null });
    expect(entry).toMatchObject({ sequence: 7, from_state: from, to_state: to, timestamp: NOW, trigger: "test" });
  });

  it.each(illegal)("throws for the move from %s to %s: that is a broken contract [S4-009]", (from, to) => {
    expect(() => go(from, to, [])).toThrow(`planning cannot move from ${from} to ${to}`);
  });

  it("does not move when a guard fails, and says which, why and how to go on [S4-007, S4-008, S4-016]", () => {
    const { state, entry, failure } = go("RECEIVED", "PRECHECKED", [fine, mend]);
    expect(state).toBe("BLOCKED");
    expect(entry.trigger).toBe("test: mendable did not pass");
    expect(entry.guards_evaluated).toEqual([
      { guard_name: "fine", passed: true, reason: "It holds", evidence_refs: ["ref://1"] },
      { guard_name: "mendable", passed: false, reason: "Data is missing", evidence_refs: [] },
    ]);
    expect(failure).toMatchObject({
      failure_type: "missing_registry",
      failure_message: "Data is missing",
      failed_at_state: "RECEIVED",
      recovery_suggestions: ["Write it"],
    });
  });

  it("lets ABORTED win over BLOCKED, whichever failed first", () => {
    for (const guards of [
      [mend, never],
      [never, mend],
    ])
      expect(go("RECEIVED", "PRECHECKED", guards)).toMatchObject({
        state: "ABORTED",
        failure: { failure_type: "red_line_violation", guard: { guard_name: "forbidden" } },
      });
  });

  it("blocks on a failed guard that does not say where it leads", () => {
    const bare: Guard = { guard_name: "bare", passed: false, reason: "No", evidence_refs: [] };
    expect(go("PRECHECKED", "CONTEXT_BUILT", [bare])).toMatchObject({
      state: "BLOCKED",
      failure: { failure_type: "constraint_violation", recovery_suggestions: [] },
    });
  });

  it("records outputs only for a move that took place", () => {
    const outputs = [{ artifact_type: "context_bundle" as const, artifact_id: "x", checksum: "0".repeat(64) }];
    const move = (guards: Guard[]) =>
      transition("PRECHECKED", { to: "CONTEXT_BUILT", trigger: "t", guards, outputs }, 1, NOW).entry.outputs_produced;
    expect(move([fine])).toEqual(outputs);
    expect(move([mend])).toEqual([]);
  });

  it("cuts what is too long for the tape and marks the cut", () => {
    const long = blockGuard("long", "x".repeat(5000), { type: "constraint_violation", recovery: [] });
    const { entry, failure } = go("RECEIVED", "PRECHECKED", [long]);
    expect(entry.guards_evaluated[0]?.reason).toBe(`${"x".repeat(999)}…`);
    expect(failure?.failure_message).toHaveLength(4000);
  });
});

describe("clip", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["a😀b", 3, "a…"],
    ["😀😀", 4, "😀😀"],
  ])("%j at %d is %j: no half of a character is left", (text, max, expected) => {
    expect(clip(text, max)).toBe(expected);
  });
});
