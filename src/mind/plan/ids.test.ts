import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint, IdMaker } from "./ids.js";

describe("IdMaker", () => {
  it("keeps a name that fits as it is", () => {
    expect(new IdMaker().make("node_action_", "edit_code")).toBe("node_action_edit_code");
  });

  it("keeps names apart that differ only in case, in signs or far behind", () => {
    const ids = new IdMaker();
    const made = ["Task-1", "task_1", "TASK.1", "x".repeat(60), "x".repeat(61)].map((n) => ids.make("node_action_", n));
    expect(new Set(made).size).toBe(made.length);
    expect(made[0]).toBe("node_action_task_1");
  });

  it("gives the same name the same id in another maker: it is made from names, not from positions", () => {
    const first = new IdMaker();
    first.make("node_action_", "something_else");
    expect(first.make("node_action_", "Task-7")).toBe(new IdMaker().make("node_action_", "Task-7"));
  });

  it("never gives an id twice, and every id fits the published pattern", () => {
    const name = fc.oneof(fc.string({ minLength: 3, maxLength: 130 }), fc.constantFrom("abc", "ABC", "a-c", "a_c"));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 40 }), (names) => {
        const ids = new IdMaker();
        const nodes = names.map((n) => ids.make("node_action_", n));
        const questions = names.map((n) => ids.make("q_param_", n));
        const lanes = names.map((n) => ids.make("swimlane_of_", n));
        const decisions = names.map((n) => ids.make("decision_on_", n));
        for (const id of nodes) expect(id).toMatch(/^node_[a-z0-9_]{4,32}$/);
        for (const id of questions) expect(id).toMatch(/^q_[a-z0-9_]{4,32}$/);
        for (const id of lanes) expect(id).toMatch(/^swimlane_[a-z0-9_]{4,32}$/);
        for (const id of decisions) expect(id).toMatch(/^decision_[a-z0-9_]{6,32}$/);
        const all = [...nodes, ...questions, ...lanes, ...decisions];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });
});

it("fingerprint is ten characters and differs for neighbouring names", () => {
  const prints = Array.from({ length: 20_000 }, (_, i) => fingerprint(`node_${i}>node_${i + 1}`));
  expect(prints.every((print) => /^[0-9a-z]{10}$/.test(print))).toBe(true);
  expect(new Set(prints).size).toBe(prints.length);
});
